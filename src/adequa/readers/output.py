"""Items to files in the Item contract: the inverse of the readers of JSON lines and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from adequa.codec import item_to_object
from adequa.data import Item
from adequa.errors import DataError, MissingExtra, UnknownName
from adequa.files import dump_line, replacing, write_errors
from adequa.readers.tables import columns_of, item_to_cells
from adequa.tables import csv_cell

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
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("parquet", "pyarrow") from None
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
