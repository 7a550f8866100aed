"""Scores of others: JSON lines, CSV or TSV with id, system and a field a metric."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from adequa.errors import DataError
from adequa.human.judgments import Key
from adequa.readers.objects import read_objects
from adequa.readers.rows import read_table

__all__ = ["ScoreFile", "read_scores"]

ID_PREFIX = "Id"
"""A number n is the entry `Id<n>`, as the ratings of 2020 have it."""

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_NAMES = ("id", "system")


class ScoreFile(NamedTuple):
    """The values of each metric by system and id, and the fields that hold no numbers."""

    metrics: tuple[str, ...]
    texts: Mapping[Key, Mapping[str, float | None]]
    left_out: tuple[str, ...]


def read_scores(path: Path, known_ids: Collection[str] = ()) -> ScoreFile:
    """Every field of numbers is a metric; an id that is not known becomes `Id<id>` where that is.

    A field in which nothing is a number is left out; one in which some values are and some are not
    is a DataError, and so is a value that is not finite and a second row of a text.
    """
    rows: dict[Key, Mapping[str, Any]] = {}
    places: dict[Key, int] = {}
    names: dict[str, None] = {}
    for line, row in _rows(path):
        key = _key(row, known_ids, path, line)
        if key in rows:
            raise DataError(
                f"has a second row of {key[1]!r} of {key[0]!r}; the first is in line {places[key]}",
                path=path,
                line=line,
                remedy="keep one row a system and id",
            )
        nested = row.get("scores")
        values = nested if isinstance(nested, dict) else row  # a line of a run
        rows[key] = {name: value for name, value in values.items() if name not in _NAMES}
        places[key] = line
        names.update(dict.fromkeys(rows[key]))
    if not rows:
        raise DataError("holds no scores", path=path, remedy="is it the right file?")
    metrics = [name for name in names if any(_is_number(row.get(name)) for row in rows.values())]
    if not metrics:
        raise DataError(
            "has no field of numbers", path=path, remedy="a row has an id, a system and scores"
        )
    texts = {
        key: {name: _value(row, name, path, places[key]) for name in metrics}
        for key, row in rows.items()
    }
    return ScoreFile(tuple(metrics), texts, tuple(name for name in names if name not in metrics))


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if delimiter is not None:
        for line, cells in read_table(path, delimiter).rows:
            yield (
                line,
                {name: cell if name in _NAMES else _cell(cell) for name, cell in cells.items()},
            )
        return
    yield from read_objects(path, remedy='write {"id": …, "system": …}')


def _key(row: Mapping[str, Any], known_ids: Collection[str], path: Path, line: int) -> Key:
    identifier, system = row.get("id"), row.get("system", "")
    if type(identifier) is int:
        identifier = str(identifier)
    if type(identifier) is not str or not identifier:
        raise DataError(
            "has no 'id'", path=path, line=line, remedy="a row has an id, a system and scores"
        )
    if type(system) is not str:
        raise DataError(
            f"'system' is {system!r}, not a string", path=path, line=line, remedy="write its name"
        )
    if identifier not in known_ids and ID_PREFIX + identifier in known_ids:
        identifier = ID_PREFIX + identifier
    return system, identifier


def _cell(text: str) -> float | str | None:
    """The number a cell of a table holds; what is none stays text."""
    try:
        return float(text) if "_" not in text else text
    except ValueError:
        return text or None


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _value(row: Mapping[str, Any], name: str, path: Path, line: int) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    try:
        number = float(value) if _is_number(value) else math.nan
    except OverflowError:  # JSON has integers of any length
        number = math.inf
    if not math.isfinite(number):
        raise DataError(
            f"{name!r} is {value!r:.80}, not a finite number",
            path=path,
            line=line,
            remedy="leave out what has no score",
        )
    return number
