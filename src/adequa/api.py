"""The Python API: score one text, evaluate items, read a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, overload

from adequa.data import Item, Result, Triple
from adequa.errors import DataError, SettingError, require_known
from adequa.files import load_object
from adequa.metrics import Metric, resolve
from adequa.progress import in_notebook, progress_bar
from adequa.readers import PlacedItem, Source, open_source, parse_coverage, unique
from adequa.readers.mapping import RecordMapping
from adequa.readers.records import read_object
from adequa.run import score_items
from adequa.tables import Table, counted

__all__ = ["Evaluation", "evaluate", "read", "score"]

Metrics = Iterable[str | Metric] | Mapping[str, Metric] | None


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
    raw = {
        "id": "1",
        **_data_field(data),
        "text": text,
        "lang": lang,
        "references": references if isinstance(references, str) else list(references),
    }
    item = _item(raw, 1, mapping=RecordMapping(subject=key))
    return score_items([_covered(item, coverage)], resolve(metrics))[0]


def _data_field(data: Any) -> dict[str, Any]:
    """The data of a text as the field of an item: `triples` or `record`."""
    if isinstance(data, str):
        if not data.lstrip().startswith(("{", "[{")):
            return {"triples": data}
        data = load_object(data)
    data = _as_json(data if isinstance(data, Mapping) else list(data))
    if isinstance(data, dict) or (data and all(isinstance(one, dict) for one in data)):
        return {"record": data}
    return {"triples": data}


def _covered(item: Item, coverage: str | None) -> Item:
    wanted = parse_coverage(coverage)
    return item if wanted is None else replace(item, coverage=wanted)


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
) -> Evaluation:
    """Score items in memory: Items, their dicts, a pandas or polars frame, a Hugging Face dataset.

    A dict or row has `triples` or `record`, and `text`; `id` defaults to its position. Logs
    (`input` and `output`, chats) are read too. A bar shows the progress in notebooks, or wherever
    `progress` is True.
    """
    chosen = resolve(metrics)
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
        raise DataError(
            f"items are a sequence, a frame or a dataset, not of the type {type(items).__name__}",
            remedy="read a file with adequa.read(path)",
        )
    for number, item in enumerate(items, 1):
        yield item if isinstance(item, Item) else _item(item, number)


def _item(raw: Any, number: int, mapping: RecordMapping | None = None) -> Item:
    try:
        return read_object(_as_json(raw), position=number, mapping=mapping)
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
