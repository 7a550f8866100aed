"""The pages of a Parquet file, measured before any of them is decompressed.

A file of a few kilobytes can hold a page of gigabytes, and neither pyarrow nor the sizes in the
footer, which the writer of a file chooses, bound it. The header of each page can: it has the size
that pyarrow allocates. Headers are structs of Thrift's compact protocol, of which this module reads
what they need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

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
