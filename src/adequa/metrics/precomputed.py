"""Scores that were computed elsewhere, from a file, as a metric among the others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
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

ID_PREFIX = "Id"
"""The number n stands for the entry `Id<n>`, as in the ratings of WebNLG 2020."""
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
    status = file.stat() if file.exists() else None  # without one, reading says what is wrong
    return _read_unchanged(file, key, status and (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=16)
def _read_unchanged(file: Path, key: str, stamp: object) -> Scores:
    del stamp  # part of what is remembered: a file that changes is read again
    known = {}
    for name, (line, row) in score_rows(file).items():
        try:
            known[name] = _value_of(row, key)
        except DataError as error:
            raise error.at(file, line) from None
    return known


def score_rows(
    path: Path, known_ids: Collection[str] = ()
) -> dict[tuple[str, str], tuple[int, Mapping[str, Any]]]:
    """The rows of a score file by system and id, each with its line number.

    An unknown id becomes `Id<id>` where that is known. A second row for a text is a DataError.
    """
    rows: dict[tuple[str, str], tuple[int, Mapping[str, Any]]] = {}
    for line, row in _rows(path):
        try:
            system, identifier = _name_of(row)
        except DataError as error:
            raise error.at(path, line) from None
        if identifier not in known_ids and ID_PREFIX + identifier in known_ids:
            identifier = ID_PREFIX + identifier
        if (system, identifier) in rows:
            first = rows[system, identifier][0]
            problem = (
                f"has a second row for {identifier!r} of {system!r}; the first is line {first}"
            )
            raise DataError(problem, path=path, line=line, remedy="keep one row per system and id")
        rows[system, identifier] = line, row
    if not rows:
        raise DataError("has no scores", path=path, remedy="name a file of scores")
    return rows


def finite_score(name: str, value: Any) -> float | None:
    """A score as a float, None for null; a DataError for anything but a finite number."""
    if value is None:
        return None
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:  # JSON has integers of any length
        number = math.inf
    if not math.isfinite(number):
        problem = f"{name!r} is {value!r:.80}, not a finite number"
        raise DataError(problem, remedy="leave out texts without a score")
    return number


def _rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = _DELIMITERS.get(file.suffix.lower())
    if delimiter is not None:
        for line, cells in read_table(file, delimiter).rows:
            names = ("id", "system")
            yield line, {name: one if name in names else _cell(one) for name, one in cells.items()}
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
    return finite_score(key, source[key])


def _cell(text: str) -> float | str | None:
    """The number in a cell of a table; other text stays as it is, and empty cells are None."""
    try:
        return float(text) if "_" not in text else text
    except ValueError:
        return text or None
