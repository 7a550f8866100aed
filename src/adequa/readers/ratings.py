"""Human judgments: the long form, and the campaigns of WebNLG 2017 and 2020.

    long         JSON lines or CSV with id, system, rater, criterion, value
    webnlg2017   the challenge's CSVs: averages, or single judgments with worker ids
    webnlg2020   the challenge's JSON lines: averages, or single judgments with worker ids

The campaigns' ids and team names are mapped onto those of the items; see `ratings_webnlg`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from adequa.codec import load_object, rating_from_object
from adequa.data import Item, Rating
from adequa.errors import DataError, UnknownName
from adequa.readers.objects import read_objects
from adequa.readers.ratings_webnlg import CRITERIA_2020, Matcher2017, ratings_2017, ratings_2020
from adequa.readers.rows import Table, read_table

__all__ = ["FORMATS", "read_ratings"]

FORMATS = ("long", "webnlg2017", "webnlg2020")

_LONG = {"id", "system", "rater", "criterion", "value"}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_NUMBERS = ("value", "seconds")
_JSON = {"meta", "spans"}

Rows = Iterator[tuple[int, Mapping[str, Any]]]


def read_ratings(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002
    items: Iterable[Item] | None = None,
) -> Iterator[Rating]:
    """The ratings of a file, in its order; the format is recognised where it is not given.

    `items` are those the ratings speak of. Only WebNLG 2017 needs them, and only where the files
    `sample-ids.txt` and `MRs.txt` do not lie beside the ratings.
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise UnknownName("format of ratings", format, FORMATS)
    table = _table(path)
    first, rows = (set(table.columns), _table_rows(table)) if table else _first_keys(path)
    name = format or _recognise(path, first)
    convert = _converter(name, path, items, typed=table is None)
    found = False
    for number, row in rows:
        try:
            yield from convert(row)
        except DataError as error:
            raise error.at(path, number) from None
        found = True
    if not found:
        raise DataError("holds no ratings", path=path, remedy="is it the right file?")


def _table(path: Path) -> Table | None:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    return None if delimiter is None else read_table(path, delimiter, row_names=True)


def _table_rows(table: Table) -> Rows:
    return ((row.line, row.cells) for row in table.rows)


def _first_keys(path: Path) -> tuple[set[str], Rows]:
    """The fields of the first object, and all objects."""
    return set(next((row for _, row in read_objects(path)), {})), read_objects(path)


def _recognise(path: Path, columns: set[str]) -> str:
    if columns >= _LONG:
        return "long"
    if columns >= {"mr", "team", "fluency"}:
        return "webnlg2017"
    if columns >= {"id", "system"} and columns & set(CRITERIA_2020):
        return "webnlg2020"
    if columns >= {"id", "system"}:
        raise DataError(
            "holds scores, not ratings",
            path=path,
            line=1,
            remedy="use them as a metric: -m NAME=precomputed:file=FILE,key=FIELD",
        )
    if not columns:
        raise DataError("holds no ratings", path=path, remedy="is it the right file?")
    raise DataError(
        "has no form of ratings that is known",
        path=path,
        line=1,
        remedy=f"write the fields {', '.join(sorted(_LONG))}",
    )


def _converter(
    name: str, path: Path, items: Iterable[Item] | None, *, typed: bool
) -> Callable[[Mapping[str, Any]], Iterable[Rating]]:
    if name == "webnlg2017":
        matcher = Matcher2017.of(path, items)
        return lambda row: ratings_2017(row, matcher)
    if name == "webnlg2020":
        return ratings_2020
    return lambda row: [rating_from_object(dict(row) if typed else _with_numbers(row))]


def _with_numbers(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of a table in the types of the long form; an empty cell is an absent field."""
    typed: dict[str, Any] = {name: cell for name, cell in row.items() if cell or name == "rater"}
    for name in _NUMBERS:
        if name in typed:
            typed[name] = number(name, typed[name])
    for name in _JSON & typed.keys():
        typed[name] = load_object(typed[name])
    return typed


def number(name: str, cell: str) -> float:
    """The number in a cell, or a DataError."""
    try:
        return float(cell)
    except ValueError:
        raise DataError(f"{name!r} is {cell!r}, not a number", remedy="write a number") from None
