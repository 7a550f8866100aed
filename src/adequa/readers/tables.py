"""The Item contract in columns: CSV, TSV and Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from adequa.errors import DataError, MissingExtra
from adequa.readers.base import Placed, Reader, open_bytes
from adequa.readers.cells import check_columns, item_from_cells
from adequa.readers.rows import check_delimiter, read_table

__all__ = ["CsvReader", "ParquetReader", "TsvReader"]

_BATCH_ROWS = 1024


@dataclass(frozen=True)
class CsvReader(Reader):
    """Reads one item a row; an unknown column is a field of `meta`, an empty cell is absent."""

    name: ClassVar[str] = "csv"
    doc: ClassVar[str] = "CSV in the Item contract, lists as JSON"

    delimiter: str = field(default=",", metadata={"doc": "what stands between two cells"})

    def __post_init__(self) -> None:
        check_delimiter(self.name, self.delimiter)

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
        """Stream the items; the line of one is where its row begins."""
        return _read_delimited(path, self.delimiter, quotes=True, bare=bare)


@dataclass(frozen=True)
class TsvReader(Reader):
    """Reads one item a row, cells apart by tabs; otherwise as CSV."""

    name: ClassVar[str] = "tsv"
    doc: ClassVar[str] = "TSV in the Item contract, lists as JSON"

    quotes: bool = field(
        default=True,
        metadata={"doc": "a cell that begins with a quote is quoted, as in CSV"},
    )

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
        """Stream the items; the line of one is where its row begins."""
        return _read_delimited(path, "\t", quotes=self.quotes, bare=bare)


def _read_delimited(path: Path, delimiter: str, *, quotes: bool, bare: bool) -> Iterator[Placed]:
    table = read_table(path, delimiter, quotes=quotes)
    check_columns(table.columns, bare=bare, path=path, line=1)
    for line, cells in table.rows:
        try:
            item = item_from_cells(cells, bare=bare)
        except DataError as error:
            raise error.at(path, line) from None
        yield Placed(item, path, line)


@dataclass(frozen=True)
class ParquetReader(Reader):
    """Reads one item a row; lists are native or JSON, and the line of an item is its row."""

    name: ClassVar[str] = "parquet"
    doc: ClassVar[str] = "Parquet in the Item contract (extra `parquet`)"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
        """Stream the items by batches of rows."""
        for number, cells in enumerate(_parquet_rows(path, bare=bare), 1):
            try:
                item = item_from_cells(cells, bare=bare)
            except DataError as error:
                raise error.at(path, number) from None
            yield Placed(item, path, number)


def _parquet_rows(path: Path, *, bare: bool) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("parquet", "pyarrow") from None
    with open_bytes(path) as stream:
        if stream.read(4) != b"PAR1":
            raise DataError("is not a Parquet file", path=path, remedy="check its format")
        stream.seek(0)
        try:
            file = parquet.ParquetFile(stream)
            columns = file.schema_arrow.names
            for name in columns:
                if columns.count(name) > 1:
                    raise DataError(
                        f"has the column {name!r} twice", path=path, remedy="rename one"
                    )
            check_columns(columns, bare=bare, path=path)
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                yield from batch.to_pylist()
        except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
            raise DataError(
                f"is a damaged Parquet file ({error})", path=path, remedy="write it anew"
            ) from None
