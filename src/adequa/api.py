"""The Python API: score one text, evaluate items, read a file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import fmean
from threading import BoundedSemaphore, Thread
from typing import Any, Literal, overload

from adequa.data import Item, Result, Triple
from adequa.errors import DataError, SettingError, require_known
from adequa.files import load_object
from adequa.metrics import Metric, Scorer, resolve
from adequa.progress import in_notebook, progress_bar
from adequa.readers import PlacedItem, Source, open_source, parse_coverage, unique
from adequa.readers.mapping import RecordMapping
from adequa.readers.records import read_object
from adequa.run import default_folder, extend_results, score_items, with_cache
from adequa.tables import Table, counted

__all__ = ["Evaluation", "GuardResult", "evaluate", "guard", "read", "score"]

Metrics = str | Metric | Iterable[str | Metric] | Mapping[str, Metric] | None


def score(
    data: str | Mapping[str, Any] | Iterable[Any],
    text: str,
    *,
    references: Sequence[str] = (),
    metrics: Metrics = None,
    lang: str | None = None,
    coverage: str | None = None,
    key: str | None = None,
) -> Result:
    """Score one text against its data.

    `data` is triples of three strings each, one string in any linearised form, or a record: a dict
    (or a list of dicts, or its JSON), all of whose fields are data. `coverage` is `all` where the
    text must say every fact, the default for triples, and `selected` where it may choose, the
    default for records. `key` is the field that names a record.

    >>> result = score("Blue_Spice | eatType | pub", "Blue Spice is a pub.",
    ...                references=["Blue Spice is a pub."], metrics=["bleu"])
    >>> round(result.scores["bleu"])
    100
    """
    item = _item_of(data, text, references=references, lang=lang, key=key)
    return score_items([_covered(item, coverage)], resolve(metrics))[0]


def _item_of(data: Any, text: Any, *, references: Any = (), lang: Any = None, key: Any) -> Item:
    """One item from the arguments of a call; errors name the argument, not a place in a file."""
    for name, value in (("text", text), ("lang", lang), ("key", key)):
        if not isinstance(value, str) and (value is not None or name == "text"):
            raise DataError(f"{name} is of the type {type(value).__name__}, not a string")
    if isinstance(references, str) or not isinstance(references, Iterable):
        remedy = 'write ["one text", "another"]'
        raise DataError("'references' is not a list of strings", remedy=remedy)
    try:
        raw = {**_data_field(data), "text": text, "lang": lang, "references": list(references)}
        return read_object(_as_json(raw), position=1, mapping=RecordMapping(subject=key))
    except DataError as error:
        raise error.at("data") from None


def _data_field(data: Any) -> dict[str, Any]:
    """The data of a text as the field of an item: `triples` or `record`."""
    if isinstance(data, str):
        if not data.lstrip().startswith(("{", "[{")):
            return {"triples": data}
        try:
            data = load_object(data)
        except DataError as error:
            raise DataError(error.problem, remedy="write one JSON object, or triples") from None
    if not isinstance(data, Iterable):
        raise DataError(
            f"is of the type {type(data).__name__}, which cannot be read",
            remedy="give triples, a dict, or one string",
        )
    data = _as_json(data if isinstance(data, Mapping) else list(data))
    if isinstance(data, dict) or (data and all(isinstance(one, dict) for one in data)):
        return {"record": data}
    return {"triples": data}


def _covered(item: Item, coverage: str | None) -> Item:
    wanted = parse_coverage(coverage)
    return item if wanted is None else replace(item, coverage=wanted)


@dataclass(frozen=True)
class GuardResult:
    """What `guard` found within its time."""

    result: Result
    """Joined over the metrics that were done in time."""
    late: tuple[str, ...]
    """The metrics that were not."""
    seconds: float

    @property
    def ok(self) -> bool | None:
        """False if a fault was found, True if none was, None if that could not be decided."""
        if self.result.verdict not in (None, "OK"):
            return False
        return None if self.late or self.result.verdict is None else True

    def __bool__(self) -> bool:
        return self.ok is True

    @property
    def faults(self) -> tuple[str, ...]:
        """One line per fault, for a log or for the model that is asked to write again."""
        return tuple(one.why for one in self.result.faults)

    def _repr_html_(self) -> str:
        from adequa.marks import result_html

        return result_html(self.result)


_MOST_LATE = 4
"""Guards that may be late at the same time; further ones start nothing until one is done."""
_working = BoundedSemaphore(_MOST_LATE)


def guard(
    data: str | Mapping[str, Any] | Iterable[Any],
    text: str,
    *,
    seconds: float = 1.0,
    metrics: Metrics = ("esa", "nli"),
    coverage: str | None = None,
    key: str | None = None,
) -> GuardResult:
    """Check a text before it is used, and answer within some seconds, whatever happens.

    Metrics are asked in their order, so the quick ones come first; one that finds a fault ends it.
    What is not done in time is named in `late`: its thread is left to end by itself. The first call
    loads the models; call it once at the start of a service. Other arguments are those of `score`.

    >>> data, quick = "Blue_Spice | eatType | pub", {"metrics": ["esa"], "seconds": 60}
    >>> bool(guard(data, "Blue Spice is a pub.", **quick))
    True
    >>> guard(data, "Blue Spice is a bar.", **quick).faults
    ("no mention of 'pub' (Blue_Spice | eatType | pub)",)
    """
    if not seconds > 0:
        raise SettingError(f"seconds must be above 0, not {seconds}")
    started = time.monotonic()
    chosen = resolve(metrics)
    item = _covered(_item_of(data, text, key=key), coverage)
    result, waiting = Result(item, {}), dict(chosen)
    done: SimpleQueue[Result | BaseException] = SimpleQueue()

    def work() -> None:
        joined = Result(item, {})
        try:
            for label, metric in chosen.items():
                joined = extend_results([joined], {label: metric})[0]
                done.put(joined)
                if joined.verdict not in (None, "OK"):
                    return
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
            done.put(error)
        finally:
            _working.release()

    def left() -> float:
        return max(0.0, started + seconds - time.monotonic())

    if _working.acquire(timeout=left()):
        Thread(target=work, name="adequa-guard", daemon=True).start()
        while waiting and result.verdict in (None, "OK"):
            try:
                found = done.get(timeout=left())
            except Empty:
                break
            if isinstance(found, BaseException):
                raise found
            result = found
            waiting = {label: one for label, one in chosen.items() if label not in found.scores}
    late = () if result.verdict not in (None, "OK") else tuple(waiting)
    return GuardResult(result, late, round(time.monotonic() - started, 3))


@dataclass(frozen=True)
class Evaluation(Sequence[Result]):
    """Results in the order of the items; `evaluation["bleu"]` is the column of one metric."""

    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, key: int) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> Evaluation: ...
    @overload
    def __getitem__(self, key: str) -> list[float | None]: ...
    def __getitem__(self, key: int | slice | str) -> Result | Evaluation | list[float | None]:
        if isinstance(key, str):
            return [result.scores[key] for result in self.results]
        return Evaluation(self.results[key]) if isinstance(key, slice) else self.results[key]

    def __repr__(self) -> str:
        shown = [
            f"{name} {'–' if mean is None else f'{mean:.3f}'}" for name, mean in self._means.items()
        ]
        told = [f"{count} {verdict}" for verdict, count in self._verdicts.items()]
        parts = [", ".join(part) for part in (shown, told) if part]
        return f"Evaluation({'; '.join([counted(len(self), 'text'), *parts])})"

    def _repr_html_(self) -> str:
        from adequa.marks import results_html

        columns = [*self._means, *self._verdicts]
        cells = [*self._means.values(), *self._verdicts.values()]
        table = Table("", ["texts", *columns], [[len(self), *cells]])
        return table.html() + results_html(self.results)

    @property
    def _means(self) -> dict[str, float | None]:
        names = dict.fromkeys(name for result in self.results for name in result.scores)
        columns = {
            name: [one for result in self.results if (one := result.scores.get(name)) is not None]
            for name in names
        }
        return {name: fmean(column) if column else None for name, column in columns.items()}

    @property
    def _verdicts(self) -> dict[str, int]:
        return dict(sorted(Counter(one.verdict or "no verdict" for one in self.results).items()))

    def to_pandas(self, rows: Literal["texts", "findings"] = "texts") -> Any:
        """One row per text with scores, verdict and findings (JSON), or one row per finding."""
        return self._to_frame(rows, "pandas")

    def to_polars(self, rows: Literal["texts", "findings"] = "texts") -> Any:
        """One row per text with scores, verdict and findings (JSON), or one row per finding."""
        return self._to_frame(rows, "polars")

    def _to_frame(self, rows: str, library: str) -> Any:
        from adequa.readers import tables

        forms = {"texts": tables.results_to_frame, "findings": tables.findings_to_frame}
        require_known("kind of rows", [rows], forms)
        return forms[rows](self.results, library)

    def to_dataset(self) -> Any:
        """A Hugging Face dataset: one row per text with scores, verdict and findings."""
        from adequa.readers.tables import results_to_dataset

        return results_to_dataset(self.results)


def evaluate(
    items: Any,
    metrics: Metrics = None,
    *,
    coverage: str | None = None,
    progress: bool | None = None,
    cache: bool | Path | str | None = None,
) -> Evaluation:
    """Score items in memory: Items, their dicts, a pandas or polars frame, a Hugging Face dataset.

    A dict or row has `triples` or `record`, and `text`; `id` defaults to its position. Logs
    (`input` and `output`, chats) are read too. A bar shows the progress in notebooks, or wherever
    `progress` is True. With `cache`, a folder or True for that of the command line, expensive
    metrics (models, `judge`) compute nothing twice.
    """
    chosen: Mapping[str, Scorer] = resolve(metrics)
    if cache:
        chosen = with_cache(resolve(metrics), default_folder() if cache is True else Path(cache))
    placed = (
        PlacedItem(_covered(item, coverage), Path("items"), number)
        for number, item in enumerate(_items(items), 1)
    )
    wanted = in_notebook() if progress is None else progress
    with progress_bar("scoring", quiet=not wanted) as bar:
        return Evaluation(tuple(score_items([one.item for one in unique(placed)], chosen, bar)))


def _items(items: Any) -> Iterator[Item]:
    if _library(items) in ("pandas", "polars"):
        from adequa.readers.tables import items_from_frame

        yield from items_from_frame(items)
        return
    if _library(items) == "datasets":
        from adequa.readers.tables import items_from_dataset

        items = items_from_dataset(items)
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        remedy = (
            "put it into a list"
            if isinstance(items, Mapping)
            else "read a file with adequa.read(path)"
        )
        raise DataError(
            f"items are a sequence, a frame or a dataset, not of the type {type(items).__name__}",
            remedy=remedy,
        )
    for number, item in enumerate(items, 1):
        yield item if isinstance(item, Item) else _item(item, number)


def _item(raw: Any, number: int) -> Item:
    try:
        return read_object(_as_json(raw), position=number)
    except DataError as error:
        raise error.at("items", number) from None


def _as_json(raw: Any) -> Any:
    """The value with tuples as lists, since Python callers use both."""
    if isinstance(raw, Mapping):
        return {key: _as_json(value) for key, value in raw.items()}
    if isinstance(raw, list | tuple | Triple):
        return [_as_json(value) for value in raw]
    return raw


def _library(items: Any) -> str:
    return type(items).__module__.partition(".")[0]


@overload
def read(
    path: Path | str,
    *,
    format: str | None = None,
    texts: Mapping[str, Path | str] | Iterable[str] = (),
    coverage: str | None = None,
) -> Source: ...
@overload
def read(path: Any, *, coverage: str | None = None) -> tuple[Item, ...]: ...
def read(
    path: Any,
    *,
    format: str | None = None,  # noqa: A002
    texts: Mapping[str, Path | str] | Iterable[str] = (),
    coverage: str | None = None,
) -> Source | tuple[Item, ...]:
    """The items of a file or folder, a frame or a dataset, which can be iterated repeatedly.

    `format` is `NAME[:key=value,…]`, recognised if it is not given; `texts` maps a system to a file
    whose line i is the text of item i. `coverage` is `all` where texts must say every fact and
    `selected` where they may choose; by default `all` for triples and `selected` for records.
    """
    if isinstance(path, str | Path):
        return open_source(path, format=format, texts=texts, coverage=coverage)
    if format is not None or texts:
        raise SettingError("format and texts are for files and folders")
    return tuple(_covered(item, coverage) for item in _items(path))
