"""The Item contract in columns: CSV, TSV, Parquet, pandas and polars frames; and writing items.

pyarrow, pandas and polars are imported only when such a file or frame is used.

The pages of a Parquet file are measured before any of them is decompressed: a file of a few
kilobytes can hold a page of gigabytes, and neither pyarrow nor the sizes in the footer, which the
writer of a file chooses, bound it. The header of each page can: it has the size that pyarrow
allocates. Headers are structs of Thrift's compact protocol, of which this module reads what they
need.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple
from uuid import UUID

from adequa.codec import item_from_object, item_to_object
from adequa.data import Item, Result
from adequa.errors import DataError, SettingError, UnknownName, load_extra, load_package
from adequa.files import (
    MAX_LINE_BYTES,
    dump_line,
    lines,
    load_object,
    open_bytes,
    replacing,
    write_errors,
)
from adequa.readers.base import PlacedItem, Reader, delimiter_of, place_items
from adequa.settings import setting
from adequa.tables import counted, csv_cell, csv_text

COLUMNS = ("id", "system", "category", "lang", "triples", "text", "references", "terms", "meta")
"""The columns of an item; any other column is a field of `meta`."""
RECORD_COLUMNS = (*COLUMNS, "record", "paths", "coverage")
"""The columns of an item that was read from a record."""

_REQUIRED = ("triples", "text")
_JSON = frozenset({"references", "terms", "meta", "record", "paths"})
_MAX_DEPTH = 100
_write_cell = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def check_columns(
    columns: Sequence[str],
    *,
    bare: bool = False,
    path: Path | None = None,
    line: int | None = None,
) -> None:
    """Raise if a column occurs twice or is missing; with `bare` the text may be absent."""
    for name in columns:
        if columns.count(name) > 1:
            problem = f"has the column {name!r} twice"
            raise DataError(problem, path=path, line=line, remedy="rename one")
    for name in _REQUIRED:
        if name not in columns and not (bare and name == "text"):
            there = ", ".join(map(repr, columns)) or "none"
            problem = f"has no column {name!r} (there are: {there[:200]})"
            remedy = "an item needs 'triples' and 'text'; is it a table of records?"
            raise DataError(problem, path=path, line=line, remedy=remedy)


def item_from_cells(cells: Mapping[str, Any], *, position: int, bare: bool = False) -> Item:
    """An item from a row: lists are JSON or native, and an empty cell is an absent field.

    Only `text` may be an empty string; the id of a row without one is its position.
    """
    raw: dict[str, Any] = {}
    for name, value in cells.items():
        if type(value) is not str:
            value = plain_value(value, name)
        if value is None and name == "text" and not bare:
            raise DataError("has no 'text'", remedy="an empty text is '', not null: fill it")
        if value is None or (value == "" and name != "text"):
            continue
        if type(value) is str and len(value) > MAX_LINE_BYTES:
            problem = f"the cell {name!r} is longer than {MAX_LINE_BYTES >> 20} MB"
            raise DataError(problem, remedy="split the item")
        if name in _JSON and type(value) is str:
            try:
                value = load_object(value)
            except DataError as error:
                problem = f"the cell {name!r} {error.problem}"
                raise DataError(problem, remedy="write the cell as JSON") from None
        raw[name] = value
    # In a table with ids, a row without one is a mistake.
    return item_from_object(raw, bare=bare, position=None if "id" in cells else position)


def columns_of(items: Iterable[Item]) -> tuple[str, ...]:
    """The columns that a table of these items needs."""
    plain = all(item.record is None and item.coverage == "all" for item in items)
    return COLUMNS if plain else RECORD_COLUMNS


def item_to_cells(item: Item, columns: Sequence[str] = COLUMNS) -> dict[str, str | None]:
    """The cells of an item, in the order of the columns; lists are JSON, absent fields None."""
    if len(columns) == len(COLUMNS) and columns_of([item]) != COLUMNS:
        problem = f"item {item.id!r} has a record, and the first items of the table have none"
        raise DataError(problem, remedy="write .jsonl")
    raw = item_to_object(item)
    try:
        return {
            name: value if value is None or type(value) is str else _write_cell(value)
            for name, value in ((name, raw.get(name)) for name in columns)
        }
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"item {item.id!r} has a 'meta' that is not JSON ({error})") from None


def plain_value(value: Any, column: str, *, depth: int = 0, nulls: bool = False) -> Any:
    """A cell of a typed table as a JSON value; NaN and other missing values are None.

    With `nulls` an object keeps its fields that are None.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if math.isinf(value):
            raise DataError(f"the cell {column!r} is infinite", remedy="leave it empty")
        # A number of numpy becomes plain; one that keeps the digits of its file stays.
        return None if math.isnan(value) else float(value) if hasattr(value, "tolist") else value
    if depth > _MAX_DEPTH:
        raise DataError(f"the cell {column!r} is nested too deeply", remedy="flatten it")

    def inner(part: Any) -> Any:
        return plain_value(part, column, depth=depth + 1, nulls=nulls)

    if isinstance(value, (list, tuple)):
        return [inner(part) for part in value]
    if isinstance(value, Mapping):
        pairs = ((name, inner(part)) for name, part in value.items())
        return {str(name): part for name, part in pairs if nulls or part is not None}
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return inner(value.tolist())
    if isinstance(value, (date, time)):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, (Decimal, timedelta, UUID)):
        return str(value)
    if isinstance(value, bytes):
        return _text(value, column)
    problem = f"the cell {column!r} has the type {type(value).__name__}, which JSON does not have"
    raise DataError(problem, remedy="convert it to a string")


def _text(value: bytes, column: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        problem = f"the cell {column!r} is not UTF-8"
        raise DataError(problem, remedy="convert it to a string") from None


class Row(NamedTuple):
    """The cells of a row by column, and the line on which the row begins."""

    line: int
    cells: Mapping[str, str]


class DelimitedTable(NamedTuple):
    """The columns of a delimited text file, and its rows as a stream."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


def check_delimiter(reader: str, delimiter: str) -> None:
    """Raise unless a delimiter can separate two cells."""
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise SettingError(f"{reader}:delimiter is one character, not {delimiter!r}")


def read_table(
    path: Path, delimiter: str, *, quotes: bool = True, row_names: bool = False
) -> DelimitedTable:
    """Open a table whose first row names its columns; with `row_names`, the first may be unnamed.

    With `quotes` a cell may be quoted as in RFC 4180 and then contain delimiters, line ends and
    doubled quotes; without, a quote is an ordinary character. Blank lines are skipped.
    """
    raw = _quoted(path, delimiter) if quotes else _plain(path, delimiter)
    header = next(raw, None)
    if header is None:
        remedy = "write the names of the columns into the first line"
        raise DataError("is empty", path=path, remedy=remedy)
    line, columns = header
    _check_header(path, line, columns, row_names=row_names)
    return DelimitedTable(tuple(columns), _rows(path, columns, raw))


def _check_header(path: Path, line: int, columns: list[str], *, row_names: bool) -> None:
    for position, column in enumerate(columns, 1):
        if (not column or column.isspace()) and not (row_names and position == 1):
            remedy = "name it or remove it (pandas: to_csv(index=False))"
            raise DataError(f"column {position} has no name", path=path, line=line, remedy=remedy)
        if column in columns[: position - 1]:
            problem = f"has the column {column!r} twice"
            raise DataError(problem, path=path, line=line, remedy="rename one")


def _rows(path: Path, columns: list[str], raw: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
    for line, cells in raw:
        if len(cells) != len(columns):
            problem = f"has {counted(len(cells), 'cell')} for {counted(len(columns), 'column')}"
            remedy = "quote cells that contain the delimiter, and leave none out"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        yield Row(line, dict(zip(columns, cells, strict=True)))


def _plain(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines(path):
        if line and not line.isspace():
            yield number, line.split(delimiter)


class _Feed:
    """The lines of a file for `csv.reader`, with the place and size of the current row."""

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
            problem = f"begins a row longer than {MAX_LINE_BYTES >> 20} MB"
            remedy = "is a quote never closed?"
            raise DataError(problem, path=self._path, line=self.start, remedy=remedy)
        return line

    def next_row(self) -> None:
        """Start counting for the next row."""
        self.start = self._size = 0


def _quoted(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # The limit is global to the interpreter; `_Feed` has its own limit for each row.
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
        problem = "has a carriage return outside quotes"
        return DataError(problem, remedy="quote the cell, or convert the line ends to \\n")
    if "expected after" in message:
        problem = "has a quote inside a quoted cell, or one that is never closed"
        remedy = 'double it: "" (a cell that begins with a quote is quoted)'
        return DataError(problem, remedy=remedy)
    return DataError(f"is not a row ({message})")


_BATCH_ROWS = 1024
# Neither was measured on data. Writers begin a new page at 1 MB, but only after so many rows.
_MOST_PAGE_BYTES = 256 << 20
_MOST_PAGE_VALUES = 10_000_000


@dataclass(frozen=True)
class CsvReader(Reader):
    """Reads one item per row; an unknown column is a field of `meta`, an empty cell is absent."""

    name: ClassVar[str] = "csv"
    doc: ClassVar[str] = "CSV with the columns id, triples and text, lists as JSON"

    delimiter: str | None = setting(None, "the character between two cells, by default , or ;")

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            check_delimiter(self.name, self.delimiter)

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; the line of an item is where its row begins."""
        header = next((line for _, line in lines(path) if line.strip()), "")
        delimiter = self.delimiter or delimiter_of(header)
        return _read_delimited(path, delimiter, quotes=True, bare=bare)


@dataclass(frozen=True)
class TsvReader(Reader):
    """Reads one item per row of tab-separated cells; otherwise as CSV."""

    name: ClassVar[str] = "tsv"
    doc: ClassVar[str] = "TSV with the columns id, triples and text, lists as JSON"

    quotes: bool = setting(True, "treat a cell that begins with a quote as quoted, as in CSV")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; the line of an item is where its row begins."""
        return _read_delimited(path, "\t", quotes=self.quotes, bare=bare)


def _read_delimited(
    path: Path, delimiter: str, *, quotes: bool, bare: bool
) -> Iterator[PlacedItem]:
    table = read_table(path, delimiter, quotes=quotes)
    check_columns(table.columns, bare=bare, path=path, line=1)
    position = itertools.count(1)

    def item(_: int, cells: Mapping[str, str]) -> Item:
        texts = {name: csv_text(cell) for name, cell in cells.items()}
        return item_from_cells(texts, position=next(position), bare=bare)

    return place_items(path, table.rows, item)


@dataclass(frozen=True)
class ParquetReader(Reader):
    """Reads one item per row; lists are native or JSON, and the line of an item is its row."""

    name: ClassVar[str] = "parquet"
    doc: ClassVar[str] = "Parquet with the columns id, triples and text (extra `parquet`)"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items in batches of rows."""
        rows = enumerate(_parquet_rows(path, bare=bare), 1)
        return place_items(
            path, rows, lambda row, cells: item_from_cells(cells, position=row, bare=bare)
        )


def _parquet_rows(path: Path, *, bare: bool) -> Iterator[dict[str, Any]]:
    pa = load_extra("parquet", "pyarrow")
    parquet = load_extra("parquet", "pyarrow.parquet")
    with open_bytes(path) as stream:
        if stream.read(4) != b"PAR1":
            raise DataError("is not a Parquet file", path=path, remedy="check its format")
        stream.seek(0)
        try:
            file = parquet.ParquetFile(stream)
            columns = file.schema_arrow.names
            check_columns(columns, bare=bare, path=path)
            with path.open("rb") as pages:
                sizes = measure_pages(pages, file.metadata)
            _require_small_pages(sizes, path)
            # Encodings that share parts of cells make at most a whole page of each cell.
            rows = max(1, min(_BATCH_ROWS, _MOST_PAGE_BYTES // max(1, sizes.bytes)))
            for batch in file.iter_batches(batch_size=rows):
                yield from batch.to_pylist()
        except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
            problem = f"is a damaged Parquet file ({error})"
            raise DataError(problem, path=path, remedy="write it again") from None


def _require_small_pages(sizes: PageSizes, path: Path) -> None:
    problem = None
    if sizes.bytes > _MOST_PAGE_BYTES:
        found, most = sizes.bytes >> 20, _MOST_PAGE_BYTES >> 20
        problem = f"has a page of {found:,} MB, more than the {most} MB that are read at once"
    elif sizes.values > _MOST_PAGE_VALUES:
        problem = f"has a page of {sizes.values:,} values in lists, more than {_MOST_PAGE_VALUES:,}"
    if problem is not None:
        remedy = "write shorter cells, or fewer rows to a page"
        raise DataError(problem, path=path, remedy=remedy)


_HEADER_BYTES = 1 << 16
"""A page header has some 20 bytes, and more only by the smallest and largest value of the page."""
_MOST_LEVELS = 16
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_STORED, _EXPANDED = 3, 2
"""The fields of a page header with the sizes of the page, in the file and in memory."""
_DATA_HEADERS = (5, 8)
"""The fields with the header of a data page, in the first and in the second version."""


class BrokenPage(ValueError):
    """A page header that is not one."""


@dataclass(frozen=True, slots=True)
class PageSizes:
    """The largest page of a file, and the most values in a page of a column with lists."""

    bytes: int = 0
    values: int = 0


def measure_pages(stream: BinaryIO, metadata: Any) -> PageSizes:
    """Measure all pages by their headers; `metadata` is that of a `pyarrow.parquet.ParquetFile`."""
    largest, most = 0, 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.num_columns != metadata.num_columns:  # pyarrow would crash
            raise BrokenPage(f"row group {number} has {group.num_columns} columns")
        for place in range(metadata.num_columns):
            column = group.column(place)
            has_lists = metadata.schema.column(place).max_repetition_level > 0
            start, end = _extent(column)
            for size, values in _pages(stream, start, end):
                largest = max(largest, size)
                most = max(most, values if has_lists else 0)
    return PageSizes(largest, most)


def _extent(column: Any) -> tuple[int, int]:
    start, dictionary = column.data_page_offset, column.dictionary_page_offset
    if column.has_dictionary_page and dictionary is not None and 0 < dictionary < start:
        start = dictionary
    return start, start + column.total_compressed_size


def _pages(stream: BinaryIO, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The size and the number of values of each page of a column."""
    while start < end:
        stream.seek(start)
        raw = stream.read(_HEADER_BYTES)
        try:
            header, length = _struct(raw, 0, 0)
        except (IndexError, RecursionError):
            raise BrokenPage(f"no page header at byte {start}") from None
        stored, expanded = header.get(_STORED), header.get(_EXPANDED)
        if type(stored) is not int or type(expanded) is not int or min(stored, expanded) < 0:
            raise BrokenPage(f"a page without a size at byte {start}")
        data: Any = next((header[field] for field in _DATA_HEADERS if field in header), None)
        values = data.get(1) if isinstance(data, dict) else None
        yield max(stored, expanded), values if isinstance(values, int) else 0
        start += length + stored


def _struct(raw: bytes, at: int, level: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by their number, and where it ends; strings are not kept."""
    if level > _MOST_LEVELS:
        raise BrokenPage("a header that is nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = raw[at]
        at += 1
        if head == 0:
            return fields, at
        kind, step = head & 15, head >> 4
        if step:
            number += step
        else:
            number, at = _integer(raw, at)
        if kind in (_TRUE, _FALSE):  # the type of a field is its value
            fields[number] = kind == _TRUE
        else:
            fields[number], at = _value(raw, at, kind, level)


def _value(raw: bytes, at: int, kind: int, level: int) -> tuple[Any, int]:
    if kind in (_I16, _I32, _I64):
        return _integer(raw, at)
    if kind in (_TRUE, _FALSE, _BYTE):
        return raw[at], at + 1
    if kind == _DOUBLE:
        return None, at + 8
    if kind == _BINARY:
        length, at = _varint(raw, at)
        return None, at + length
    if kind == _STRUCT:
        return _struct(raw, at, level + 1)
    if kind in (_LIST, _SET):
        head = raw[at]
        count, at = (head >> 4, at + 1) if head >> 4 < 15 else _varint(raw, at + 1)
        kinds = [head & 15]
    elif kind == _MAP:
        count, at = _varint(raw, at)
        kinds = []
        if count:
            kinds, at = [raw[at] >> 4, raw[at] & 15], at + 1
    else:
        raise BrokenPage(f"a field of an unknown type {kind}")
    for _ in range(count):
        for one in kinds:
            _, at = _value(raw, at, one, level + 1)
    return None, at


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(10):
        byte = raw[at + place]
        value |= (byte & 127) << 7 * place
        if byte < 128:
            return value, at + place + 1
    raise BrokenPage("a number that does not end")


def _integer(raw: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(raw, at)
    return (value >> 1) ^ -(value & 1), at


_LIBRARIES = ("pandas", "polars")
_RESULT_COLUMNS = ("id", "system", "category", "text", "triples")
_VERDICT_COLUMNS = ("verdict", "confidence", "findings")
_FINDING_COLUMNS = (
    *("id", "system", "metric", "kind", "detail", "quote", "why", "triple", "entity"),
    *("start", "end", "confidence", "path"),
)


def items_from_frame(frame: Any, *, bare: bool = False) -> list[Item]:
    """The items of a frame with the columns of the Item contract, one per row.

    Lists are native or JSON, other columns become fields of `meta`, and NaN, NA, null and None are
    absent. With `bare` the texts may be absent.
    """
    columns, rows = _columns_and_rows(frame)
    try:
        check_columns(columns, bare=bare)
    except DataError as error:
        raise DataError(f"the frame {error.problem}", remedy=error.remedy) from None
    items = []
    for number, cells in enumerate(rows, 1):
        try:
            row = dict(zip(columns, cells, strict=True))
            items.append(item_from_cells(row, position=number, bare=bare))
        except DataError as error:
            problem = f"row {number} of the frame: {error.problem}"
            raise DataError(problem, remedy=error.remedy) from None
    return items


def _columns_and_rows(frame: Any) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    # By the names of its base classes: neither library may be imported here.
    bases = type(frame).__mro__
    frames = [base.__module__.partition(".")[0] for base in bases if base.__name__ == "DataFrame"]
    library = next((name for name in frames if name in _LIBRARIES), None)
    if library is None:
        raise DataError(
            f"{type(frame).__module__}.{type(frame).__name__} is not a pandas or polars DataFrame",
            remedy="collect a lazy frame first; convert anything else to a list of items",
        )
    columns = [str(column) for column in frame.columns]
    if library == "polars":
        return columns, frame.iter_rows()
    cells = [frame.iloc[:, position].tolist() for position in range(len(columns))]
    return columns, zip(*cells, strict=True)


def items_to_frame(items: Iterable[Item], library: str = "pandas") -> Any:
    """A frame of items in the columns of the Item contract: lists as JSON, absent fields as null.

    The inverse of `items_from_frame`; a CSV or Parquet file written from it can be read as items.
    """
    items = list(items)
    columns = columns_of(items)
    table: dict[str, list[Any]] = {name: [] for name in columns}
    for item in items:
        for name, value in item_to_cells(item, columns).items():
            table[name].append(value)
    return _build_frame(table, (), library)


def results_to_frame(results: Iterable[Result], library: str = "pandas") -> Any:
    """A frame of results: the item, one column per metric, verdict, confidence and findings.

    Triples and findings are JSON; a missing score is null.
    """
    results = list(results)
    metrics = list(dict.fromkeys(name for result in results for name in result.scores))
    for name in metrics:
        if name in (*_RESULT_COLUMNS, *_VERDICT_COLUMNS):
            raise SettingError(
                f"a metric has the name of another column, {name!r}; give it an alias: my{name}=…"
            )
    names = (*_RESULT_COLUMNS, *metrics, *_VERDICT_COLUMNS)
    table: dict[str, list[Any]] = {name: [] for name in names}
    for result in results:
        item = result.item
        triples = json.dumps(item.triples, ensure_ascii=False)
        scores = [result.scores.get(name) for name in metrics]
        findings = json.dumps(findings_of(result), ensure_ascii=False)
        row = [item.id, item.system or None, item.category, item.text, triples, *scores]
        row += [result.verdict, result.confidence, findings]
        for column, cell in zip(table.values(), row, strict=True):
            column.append(cell)
    return _build_frame(table, [*metrics, "confidence"], library)


def findings_of(result: Result) -> list[dict[str, Any]]:
    """The findings of a result as JSON objects, each with the words that it is about."""
    return [
        {
            "quote": None if one.start is None else result.item.text[one.start : one.end],
            **{name: getattr(one, name) for name in _FINDING_COLUMNS if hasattr(one, name)},
        }
        for one in result.findings
    ]


def findings_to_frame(results: Iterable[Result], library: str = "pandas") -> Any:
    """A frame with one row per finding; the triple is JSON."""
    table: dict[str, list[Any]] = {name: [] for name in _FINDING_COLUMNS}
    for result in results:
        own = {"id": result.item.id, "system": result.item.system or None}
        for finding in findings_of(result):
            triple = finding["triple"] and json.dumps(finding["triple"], ensure_ascii=False)
            for name, cell in {**own, **finding, "triple": triple}.items():
                table[name].append(cell)
    return _build_frame(table, ("start", "end", "confidence"), library)


def items_from_dataset(dataset: Any) -> Iterator[Any]:
    """The rows of a Hugging Face dataset as objects; null is absent."""
    if type(dataset).__name__ in ("DatasetDict", "IterableDatasetDict"):
        splits = ", ".join(map(str, dataset))
        raise DataError("the dataset has several splits", remedy=f"choose one of: {splits}")
    for row in dataset:
        yield {name: cell for name, cell in row.items() if cell is not None or name == "text"}


def results_to_dataset(results: Iterable[Result]) -> Any:
    """A Hugging Face dataset of results, with triples and findings as lists."""
    datasets = load_package("datasets", "a dataset")
    rows = []
    for result in results:
        item = result.item
        rows.append(
            {
                **{name: getattr(item, name) for name in ("id", "system", "category", "lang")},
                "text": item.text,
                "triples": [list(triple) for triple in item.triples],
                "references": list(item.references),
                **result.scores,
                **{name: getattr(result, name) for name in ("verdict", "confidence")},
                "findings": findings_of(result),
            }
        )
    return datasets.Dataset.from_list(rows)


def _build_frame(table: dict[str, list[Any]], numbers: Iterable[str], library: str) -> Any:
    if library not in _LIBRARIES:
        raise UnknownName("frame library", library, _LIBRARIES)
    module = load_package(library, f"a {library} frame")
    numbers = set(numbers)
    if library == "polars":
        schema = {name: module.Float64 if name in numbers else module.String for name in table}
        return module.DataFrame(table, schema=schema)
    return module.DataFrame(
        {
            # Without a type, a column with only None would have none.
            name: module.Series(column, dtype="float64" if name in numbers else object)
            for name, column in table.items()
        }
    )


_BATCH_ITEMS = 8192


def write_items(items: Iterable[Item], path: Path | str) -> None:
    """Write items as `.jsonl`, `.csv`, `.tsv` or `.parquet`, by the ending of the path.

    The file appears whole or not at all, and replaces an existing one. In a table an empty category
    or language cannot be told from an absent one.
    """
    path = Path(path)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise UnknownName("file ending", path.suffix, _WRITERS)
    try:
        with write_errors(path), replacing(path) as stream:
            write(items, stream)
    except DataError as error:
        raise error.at(path) from None


def _encode(text: str, item: Item) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        problem = f"item {item.id!r} has half of a surrogate pair, which cannot be written as UTF-8"
        raise DataError(problem, remedy="repair the text's encoding") from None


def _write_lines(items: Iterable[Item], stream: BinaryIO) -> None:
    for item in items:
        try:
            line = dump_line(item_to_object(item))
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"item {item.id!r} has a 'meta' that is not JSON ({error})") from None
        stream.write(_encode(line, item))


def _write_delimited(items: Iterable[Item], stream: BinaryIO, *, delimiter: str) -> None:
    items, columns = _with_columns(items)
    stream.write((delimiter.join(columns) + "\n").encode())
    for item in items:
        cells = (csv_cell(cell, delimiter) for cell in item_to_cells(item, columns).values())
        row = delimiter.join(cells)
        if "\0" in row:
            problem = f"item {item.id!r} has a NUL character, which CSV and TSV cannot hold"
            raise DataError(problem, remedy="write .jsonl or .parquet")
        stream.write(_encode(row + "\n", item))


def _with_columns(items: Iterable[Item]) -> tuple[Iterable[Item], tuple[str, ...]]:
    """The items, and the columns that the first of them need."""
    remaining = iter(items)
    first = list(islice(remaining, _BATCH_ITEMS))
    return chain(first, remaining), columns_of(first)


def _write_parquet(items: Iterable[Item], stream: BinaryIO) -> None:
    pa = load_extra("parquet", "pyarrow")
    parquet = load_extra("parquet", "pyarrow.parquet")
    items, columns = _with_columns(items)
    schema = pa.schema([(name, pa.string()) for name in columns])
    remaining = iter(items)
    with parquet.ParquetWriter(stream, schema) as writer:
        while batch := list(islice(remaining, _BATCH_ITEMS)):
            rows = [item_to_cells(item, columns) for item in batch]
            try:
                writer.write_batch(pa.RecordBatch.from_pylist(rows, schema))
            except (pa.ArrowException, ValueError) as error:
                raise DataError(f"an item cannot be written to Parquet ({error})") from None


_WRITERS: dict[str, Callable[[Iterable[Item], BinaryIO], None]] = {
    ".csv": partial(_write_delimited, delimiter=","),
    ".jsonl": _write_lines,
    ".ndjson": _write_lines,
    ".parquet": _write_parquet,
    ".pq": _write_parquet,
    ".tsv": partial(_write_delimited, delimiter="\t"),
}
