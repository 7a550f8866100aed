"""Labelled items as cases to calibrate on; a logit is in the file, or the verifier's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.readers import Placed, open_source
from adequa.training.calibration import Labelled

__all__ = ["HEADS", "Ask", "Head", "read_labelled"]

Head = Literal["stated", "supported"]
HEADS: tuple[Head, ...] = ("stated", "supported")
Ask = Callable[[Sequence[Item]], "list[list[float | None]]"]
"""The log-odds of each item: one a triple for `stated`, else one."""
_WORDS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1, "0.0": 0, "1.0": 1}
_BATCH = 256


def read_labelled(
    path: Path | str,
    *,
    head: Head = "stated",
    label: str = "label",
    logit: str | None = None,
    ask: Ask | None = None,
    format: str | None = None,  # noqa: A002
    progress: Callable[[int, int], None] | None = None,
) -> list[Labelled]:
    """The cases of a file: for `stated` one a triple, its predicate the group; else one an item.

    `label` and `logit` name fields of `meta`, which are columns of a table: one value, or of
    `stated` a list with one for each triple; null is not known. Without `logit`
    whoever is to be calibrated gives the log-odds.
    """
    if (logit is None) == (ask is None):
        raise SettingError("give the field that has the logits, or whom to ask, and not both")
    placed = list(open_source(path, format=format).placed())
    found: list[Labelled] = []
    for first in range(0, len(placed), _BATCH):
        batch = placed[first : first + _BATCH]
        if ask is None:
            logits = [_values(one, logit or "", head, _number) for one in batch]
        else:
            logits = ask([one.item for one in batch])
        for one, values in zip(batch, logits, strict=True):
            found += _cases(one.item, values, _values(one, label, head, _truth), head)
        if progress is not None:
            progress(first + len(batch), len(placed))
    if not found:
        raise DataError("has no labels", path=path, remedy=f"give meta.{label}: 0, 1 or null")
    return found


def _cases(
    item: Item, logits: Sequence[float | None], labels: Sequence[float | None], head: Head
) -> Iterator[Labelled]:
    name = f"{item.system}\0{item.id}"
    groups = [triple.predicate for triple in item.triples] if head == "stated" else [""]
    for value, known, group in zip(logits, labels, groups, strict=True):
        if value is not None and known is not None:
            yield Labelled(value, int(known), group, name)


def _values(
    placed: Placed, name: str, head: Head, read: Callable[[Any], float | None]
) -> list[float | None]:
    """A field of `meta` as one value a case; an item without it has none that are known."""
    item = placed.item
    wanted = len(item.triples) if head == "stated" else 1
    raw = item.meta.get(name)
    given = raw if isinstance(raw, list | tuple) else [raw] * (wanted if raw is None else 1)
    if len(given) != wanted:
        problem = f"meta.{name} has {len(given)} values where {wanted} are expected"
        remedy = "give a list with one for each triple" if head == "stated" else "give one value"
        raise DataError(problem, path=placed.path, line=placed.line, remedy=remedy)
    try:
        return [read(value) for value in given]
    except (TypeError, ValueError):
        raise DataError(
            f"meta.{name} is {raw!r}",
            path=placed.path,
            line=placed.line,
            remedy="give 0, 1 or null" if read is _truth else "give a number or null",
        ) from None


def _truth(value: Any) -> float | None:
    if value is None or value == "":
        return None
    known = _WORDS.get(str(value).strip().lower())
    if known is None:
        raise ValueError(value)
    return known


def _number(value: Any) -> float | None:
    if value is None or value == "":
        return None
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number
