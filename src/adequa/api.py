"""The Python API: score one text, evaluate items, read a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from adequa.codec import item_from_object
from adequa.data import Item, Result, Triple
from adequa.errors import DataError
from adequa.metrics import Metric, resolve
from adequa.readers import PlacedItem, Source, open_source, unique
from adequa.run import score_items

__all__ = ["Evaluation", "evaluate", "read", "score"]

Metrics = Iterable[str | Metric] | Mapping[str, Metric] | None


def score(
    triples: str | Iterable[Sequence[str]],
    text: str,
    *,
    references: Sequence[str] = (),
    metrics: Metrics = None,
    lang: str | None = None,
) -> Result:
    """Score one text; `triples` are three strings each, or one string in any linearised form.

    >>> result = score("Blue_Spice | eatType | pub", "Blue Spice is a pub.",
    ...                references=["Blue Spice is a pub."], metrics=["bleu"])
    >>> round(result.scores["bleu"])
    100
    """
    raw = {
        "id": "1",
        "triples": triples if isinstance(triples, str) else list(map(list, triples)),
        "text": text,
        "lang": lang,
        "references": references if isinstance(references, str) else list(references),
    }
    return score_items([_item(raw, 1)], resolve(metrics))[0]


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

    def to_pandas(self) -> Any:
        """One row per item, one column per metric."""
        from adequa.readers.tables import results_to_frame

        return results_to_frame(self.results, "pandas")

    def to_polars(self) -> Any:
        """One row per item, one column per metric."""
        from adequa.readers.tables import results_to_frame

        return results_to_frame(self.results, "polars")


def evaluate(items: Any, metrics: Metrics = None) -> Evaluation:
    """Score items in memory: Items, their dicts, or a pandas or polars frame with their columns."""
    chosen = resolve(metrics)
    placed = (
        PlacedItem(item, Path("items"), number) for number, item in enumerate(_items(items), 1)
    )
    return Evaluation(tuple(score_items([place.item for place in unique(placed)], chosen)))


def _items(items: Any) -> Iterator[Item]:
    if _is_frame(items):
        from adequa.readers.tables import items_from_frame

        yield from items_from_frame(items)
        return
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise DataError(
            f"evaluate takes a sequence of items, not {type(items).__name__}",
            remedy="read a file with adequa.read(path)",
        )
    for number, item in enumerate(items, 1):
        yield item if isinstance(item, Item) else _item(item, number)


def _item(raw: Any, number: int) -> Item:
    try:
        return item_from_object(_as_json(raw))
    except DataError as error:
        raise error.at("items", number) from None


def _as_json(raw: Any) -> Any:
    """The value with tuples as lists, since Python callers use both."""
    if isinstance(raw, Mapping):
        return {key: _as_json(value) for key, value in raw.items()}
    if isinstance(raw, list | tuple | Triple):
        return [_as_json(value) for value in raw]
    return raw


def _is_frame(items: Any) -> bool:
    return type(items).__module__.partition(".")[0] in ("pandas", "polars")


def read(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002
    texts: Mapping[str, Path | str] | Iterable[str] = (),
) -> Source:
    """The items of a file or folder, which can be iterated repeatedly.

    `format` is `NAME[:key=value,…]`, recognised if it is not given; `texts` maps a system to a file
    whose line i is the text of item i.
    """
    return open_source(path, format=format, texts=texts)
