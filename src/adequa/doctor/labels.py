"""Texts that a person has called good or bad: a small file, and the items it speaks of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Item
from adequa.errors import DataError
from adequa.readers.objects import read_objects
from adequa.readers.rows import read_table

__all__ = ["Labelled", "read_labels"]

_GOOD = frozenset({"ok", "good", "1", "true", "yes"})
_FAULTS = frozenset({"omission", "hallucination", "contradiction"})
_BAD = frozenset({"bad", "not ok", "0", "false", "no"}) | _FAULTS
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_FORM = "a label is ok, omission, hallucination, hallucination+omission, good or bad, 1 or 0"


class Labelled(NamedTuple):
    """An item, and whether a person found fault with its text."""

    item: Item
    bad: bool


def read_labels(path: Path, items: Iterable[Item]) -> list[Labelled]:
    """The labels of a file (JSON lines, CSV or TSV with id, label and perhaps system), joined.

    Every label must have its item; without a system its id must be one system's alone.
    """
    written: dict[tuple[str | None, str], tuple[int, bool]] = {}
    for number, row in _rows(path):
        key, bad = _parsed(path, number, row)
        if key in written:
            raise DataError(
                f"labels {key[1]!r} again (first on line {written[key][0]})",
                path=path,
                line=number,
                remedy="keep one label a text",
            )
        written[key] = number, bad
    if not written:
        raise DataError("holds no labels", path=path, remedy="is it the right file?")
    found: dict[tuple[str | None, str], list[Item]] = defaultdict(list)
    for item in items:
        for key in ((item.system, item.id), (None, item.id)):
            if key in written:
                found[key].append(item)
    return [
        Labelled(_only(path, number, key, found.get(key, [])), bad)
        for key, (number, bad) in written.items()
    ]


def _only(path: Path, line: int, key: tuple[str | None, str], items: list[Item]) -> Item:
    if not items:
        of = f" of the system {key[0]!r}" if key[0] is not None else ""
        raise DataError(
            f"labels {key[1]!r}{of}, which the input does not have",
            path=path,
            line=line,
            remedy="ids and systems are those of the input; see `adequa convert`",
        )
    if len(items) > 1:
        raise DataError(
            f"labels {key[1]!r}, which {len(items)} systems have",
            path=path,
            line=line,
            remedy="add the field system",
        )
    return items[0]


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if delimiter:
        yield from ((row.line, row.cells) for row in read_table(path, delimiter).rows)
        return
    yield from read_objects(path)


def _parsed(path: Path, number: int, row: Mapping[str, Any]) -> tuple[tuple[str | None, str], bool]:
    for name in ("id", "label"):
        if name not in row:
            raise DataError(
                f"has no {name}", path=path, line=number, remedy="a label has id, label, system"
            )
    system, identifier = row.get("system"), row["id"]
    if not isinstance(identifier, str) or not isinstance(system, str | None):
        raise DataError("id and system are strings", path=path, line=number, remedy="quote them")
    label = str(row["label"]).strip().lower()
    faults = set(label.split("+"))
    if label in _GOOD:
        return (system, identifier), False
    if label in _BAD or faults <= _FAULTS:
        return (system, identifier), True
    raise DataError(f"{label!r} is no label", path=path, line=number, remedy=_FORM)
