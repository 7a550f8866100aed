"""Parquet files are measured by their page headers before anything is decompressed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from adequa.errors import DataError
from adequa.readers import open_source
from adequa.readers.tables import BrokenPage, _struct, measure_pages

FACT = '[["A", "p", "B"]]'


def _table(texts: list[str], **more: Any) -> pa.Table:
    ids = [str(number) for number in range(len(texts))]
    return pa.table({"id": ids, "triples": [FACT] * len(texts), "text": texts, **more})


def _measured(path: Path) -> Any:
    with path.open("rb") as stream:
        return measure_pages(stream, parquet.ParquetFile(path).metadata)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_the_largest_page_is_found(
    tmp_path: Path, compression: str, version: str, use_dictionary: bool
) -> None:
    path = tmp_path / "items.parquet"
    texts = ["short", "x" * 3_000_000, *["y" * number for number in range(2000)]]
    options = {"data_page_version": version, "use_dictionary": use_dictionary}
    parquet.write_table(_table(texts), path, compression=compression, row_group_size=700, **options)
    assert 3_000_000 < _measured(path).bytes < 8_000_000
    assert len(list(open_source(path))) == len(texts)


def test_a_small_file_with_a_huge_cell_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.parquet"
    monkeypatch.setattr("adequa.readers.tables._MOST_PAGE_BYTES", 4 << 20)
    for use_dictionary in (True, False):
        parquet.write_table(
            _table(["a", "x" * (16 << 20)]), path, compression="zstd", use_dictionary=use_dictionary
        )
        assert path.stat().st_size < 100_000
        with monkeypatch.context() as unread:
            unread.setattr(parquet.ParquetFile, "iter_batches", None)
            with pytest.raises(DataError, match="has a page of 16 MB"):
                list(open_source(path))


def test_cells_that_share_their_content_are_read_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.parquet"
    parquet.write_table(_table(["x" * 500_000] * 3000), path, use_dictionary=["text"])
    assert path.stat().st_size < 200_000
    monkeypatch.setattr("adequa.readers.tables._MOST_PAGE_BYTES", 4 << 20)
    sizes = []
    read = parquet.ParquetFile.iter_batches

    def reading(file: Any, batch_size: int) -> Any:
        sizes.append(batch_size)
        return read(file, batch_size=batch_size)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", reading)
    next(iter(open_source(path)))
    assert sizes == [8]


def test_long_lists_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "items.parquet"
    lists = pa.array([[None] * 100_000], pa.list_(pa.string()))
    parquet.write_table(_table(["a"], references=lists), path)
    assert path.stat().st_size < 10_000
    assert _measured(path).values == 100_000
    monkeypatch.setattr("adequa.readers.tables._MOST_PAGE_VALUES", 50_000)
    with pytest.raises(DataError, match="100,000 values in lists"):
        list(open_source(path))


def test_damaged_files_are_data_errors(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    parquet.write_table(_table(["a", "b"]), path)
    whole = path.read_bytes()
    # Not in the footer, at which pyarrow itself may crash.
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    chance, refused = random.Random(1), 0
    for _ in range(200):
        broken = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            broken[chance.randrange(4, end)] = chance.randrange(256)
        path.write_bytes(broken)
        try:
            list(open_source(path))
        except DataError:
            refused += 1
    assert refused > 50


@given(st.binary(max_size=200))
def test_any_bytes_are_a_struct_or_broken(raw: bytes) -> None:
    try:
        fields, end = _struct(raw, 0, 0)
    except (BrokenPage, IndexError):
        return
    assert end > 0
    assert isinstance(fields, dict)
