"""Rows of a delimited text file: what CSV, TSV, E2E and records share."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from adequa.errors import DataError, SettingError
from adequa.readers.base import MAX_LINE_BYTES, lines

__all__ = ["Row", "Table", "check_delimiter", "read_table"]


class Row(NamedTuple):
    """The cells of a row by column, and the line of the file on which the row begins."""

    line: int
    cells: Mapping[str, str]


class Table(NamedTuple):
    """A file's columns, and its rows as a stream."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


def check_delimiter(reader: str, delimiter: str) -> None:
    """Raise where a delimiter could not stand between two cells."""
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise SettingError(f"{reader}:delimiter is one character, not {delimiter!r}")


def read_table(
    path: Path, delimiter: str, *, quotes: bool = True, row_names: bool = False
) -> Table:
    """Open a table whose first row names its columns; with `row_names`, the first may have none.

    With `quotes` a cell may be quoted as RFC 4180 says, and may then hold delimiters, line ends
    and doubled quotes; without, a quote is a character like any other. Blank lines are passed over.
    """
    raw = _quoted(path, delimiter) if quotes else _plain(path, delimiter)
    header = next(raw, None)
    if header is None:
        raise DataError("is empty", path=path, remedy="its first line names the columns")
    line, columns = header
    _check_header(path, line, columns, row_names=row_names)
    return Table(tuple(columns), _rows(path, columns, raw))


def _check_header(path: Path, line: int, columns: list[str], *, row_names: bool) -> None:
    for position, column in enumerate(columns, 1):
        if (not column or column.isspace()) and not (row_names and position == 1):
            raise DataError(
                f"column {position} has no name",
                path=path,
                line=line,
                remedy="name it or take it out (pandas: to_csv(index=False))",
            )
        if column in columns[: position - 1]:
            raise DataError(
                f"has the column {column!r} twice", path=path, line=line, remedy="rename one"
            )


def _rows(path: Path, columns: list[str], raw: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
    for line, cells in raw:
        if len(cells) != len(columns):
            raise DataError(
                f"has {_count(cells)} for {len(columns)} columns",
                path=path,
                line=line,
                remedy="quote cells that hold the delimiter, and leave none out",
            )
        yield Row(line, dict(zip(columns, cells, strict=True)))


def _count(cells: list[str]) -> str:
    return f"{len(cells)} cell{'s' if len(cells) != 1 else ''}"


def _plain(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines(path):
        if line and not line.isspace():
            yield number, line.split(delimiter)


class _Feed:
    """The lines of a file for `csv.reader`, with the place and size of the row in hand."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = lines(path, keep_ends=True)
        self.start = 0
        self._size = 0

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        number, line = next(self._lines)
        self.start = self.start or number
        self._size += len(line)
        if self._size > MAX_LINE_BYTES:
            raise DataError(
                f"begins a row longer than {MAX_LINE_BYTES >> 20} MB",
                path=self._path,
                line=self.start,
                remedy="is a quote never closed?",
            )
        return line

    def next_row(self) -> None:
        """Count anew."""
        self.start = self._size = 0


def _quoted(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # The limit is the interpreter's own and guards against what `_Feed` bounds by itself.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    feed = _Feed(path)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _explain(str(error)).at(path, feed.start) from None
        if len(cells) > 1 or (cells and not cells[0].isspace() and cells[0]):
            yield feed.start, cells
        feed.next_row()


def _explain(message: str) -> DataError:
    if "unexpected end" in message:
        return DataError("has a quote that is never closed", remedy='close it, or double it: ""')
    if "new-line" in message:
        return DataError(
            "has a carriage return outside quotes",
            remedy="quote the cell, or convert the line ends to \\n",
        )
    if "expected after" in message:
        return DataError(
            "has a quote inside a quoted cell, or one that is never closed",
            remedy='double it: "" (a cell that begins with a quote is quoted)',
        )
    return DataError(f"is not a row ({message})")
