"""Scores that were computed elsewhere, from a file, as a metric among the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from adequa.data import Item, Score
from adequa.errors import DataError
from adequa.files import read_objects
from adequa.metrics.base import Metric, reverse_direction
from adequa.readers import read_table
from adequa.settings import setting

Scores = Mapping[tuple[str, str], float | None]
"""Values by system and id; None where the file has a row and no value."""

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class Precomputed(Metric):
    """Looks scores up by system and id; an item the file does not have is not scorable."""

    name: ClassVar[str] = "precomputed"
    doc: ClassVar[str] = "scores from a file (JSON lines, CSV, TSV) with id, system and values"
    best: ClassVar[float] = math.inf
    worst: ClassVar[float] = -math.inf
    reads: ClassVar[tuple[str, ...]] = ("id", "system")

    file: Path = field(metadata={"doc": "the file; its name ends in .csv, .tsv, or it is JSONL"})
    key: str = field(metadata={"doc": "the field or column with the score"})
    id_prefix: str = setting("Id", "put before the file's ids where they do not match as they are")
    lower_is_better: bool = setting(False, "for error rates")

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", Path(self.file))
        _read(self.file, self.key)  # before hours of scoring, not after
        if self.lower_is_better:
            reverse_direction(self)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The value of each item in the file."""
        known = _read(self.file, self.key)
        return [self._look_up(known, item) for item in items]

    def _look_up(self, known: Scores, item: Item) -> Score:
        name = item.key
        if name not in known and item.id.startswith(self.id_prefix):
            name = item.system, item.id.removeprefix(self.id_prefix)
        if name not in known:
            return Score(None, reason=f"not in {self.file.name}")
        value = known[name]
        return Score(value, reason=f"no value in {self.file.name}" if value is None else None)


def _read(file: Path, key: str) -> Scores:
    try:
        status = file.stat()
    except OSError:
        return _read_unchanged(file, key, None)  # which says what is wrong
    return _read_unchanged(file, key, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=16)
def _read_unchanged(file: Path, key: str, stamp: object) -> Scores:
    del stamp  # part of what is remembered: a file that changes is read again
    known: dict[tuple[str, str], float | None] = {}
    places: dict[tuple[str, str], int] = {}
    for number, row in _rows(file, key):
        try:
            name, value = _name_of(row), _value_of(row, key)
        except DataError as error:
            raise error.at(file, number) from None
        if name in known:
            raise DataError(
                f"has a second score for {name[1]!r} of {name[0]!r}; the first is in line "
                f"{places[name]}",
                path=file,
                line=number,
                remedy="keep one row per system and id",
            )
        known[name] = value
        places[name] = number
    if not known:
        raise DataError("holds no scores", path=file, remedy="is it the right file?")
    return known


def _rows(file: Path, key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = _DELIMITERS.get(file.suffix.lower())
    if delimiter is not None:
        for line_number, cells in read_table(file, delimiter).rows:
            yield line_number, {**cells, **({key: _cell(cells[key])} if key in cells else {})}
        return
    yield from read_objects(file, remedy='write {"id": …, "system": …} and the scores')


def _name_of(row: Mapping[str, Any]) -> tuple[str, str]:
    system, identifier = row.get("system", ""), row.get("id")
    if system is None:
        system = ""
    if type(identifier) is int:
        identifier = str(identifier)
    if type(identifier) is not str or not identifier:
        raise DataError("has no 'id'", remedy="a row has an id, a system and scores")
    if type(system) is not str:
        raise DataError(f"'system' is {system!r}, not a string", remedy="write its name")
    return system, identifier


def _value_of(row: Mapping[str, Any], key: str) -> float | None:
    # A line of a run keeps its scores one level down.
    nested = row.get("scores")
    source = nested if key not in row and isinstance(nested, dict) else row
    if key not in source:
        listed = ", ".join(name for name in source if name not in ("id", "system"))
        raise DataError(f"has no {key!r}", remedy=f"name one of: {listed}")
    value = source[key]
    if value is None:
        return None
    if type(value) not in (int, float) or not math.isfinite(value):
        raise DataError(
            f"{key!r} is {value!r}, not a finite number", remedy="leave out what has no score"
        )
    return float(value)


def _cell(text: str) -> float | str | None:
    """The number in a cell; other text is kept, to be reported."""
    try:
        return float(text) if "_" not in text else text
    except ValueError:
        return text or None
