"""The table of word vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adequa.errors import ModelError
from adequa.models.runtime import WordTable


def test_vectors_are_rows_times_scales(tmp_path: Path) -> None:
    rows = np.array([[1, -127], [3, 4], [0, 0]], dtype=np.int8)
    np.savez(tmp_path / "words.npz", rows=rows, scales=np.array([0.5, 2, 1], dtype=np.float32))
    table = WordTable.read(tmp_path / "words.npz")
    found = table.vectors(np.array([[1, 0], [2, 1]]))
    assert found.dtype == np.float32
    assert found.tolist() == [[[6.0, 8.0], [0.5, -63.5]], [[0.0, 0.0], [6.0, 8.0]]]
    assert len(table) == 3


def test_a_file_is_read_once(folder: Path) -> None:
    assert WordTable.read(folder / "words.npz") is WordTable.read(str(folder / "words.npz"))


@pytest.mark.parametrize("how", ["missing", "broken", "other names", "other types", "scales"])
def test_what_is_no_table(tmp_path: Path, how: str) -> None:
    path = tmp_path / "words.npz"
    rows, scales = np.ones((3, 2), dtype=np.int8), np.ones(3, dtype=np.float32)
    if how == "broken":
        path.write_bytes(b"PK\x03\x04 and then nothing")
    elif how == "other names":
        np.savez(path, table=rows)
    elif how == "other types":
        np.savez(path, rows=rows.astype(np.float32), scales=scales)
    elif how == "scales":
        np.savez(path, rows=rows, scales=scales[:2])
    with pytest.raises(ModelError, match=r"words\.npz: .*; give the words\.npz the model was"):
        WordTable.read(path)
