"""A page is what reading the whole file would give."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.web.api.runs import LineIndex


@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize(
    ("offset", "limit"), [(0, 1), (0, 100), (3, 2), (6, 5), (7, 1), (10**9, 9)]
)
def test_a_page_is_a_slice_of_the_lines(
    tmp_path: Path, count: int, offset: int, limit: int
) -> None:
    path = tmp_path / "scores.jsonl"
    lines = [("é" * number).encode() for number in range(count)]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    assert LineIndex().page(path, offset, limit) == (count, lines[offset : offset + limit])


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_bytes(b"a\nb\n")
    lines = LineIndex(most_files=1)
    assert lines.page(path, 1, 1) == (2, [b"b"])
    path.write_bytes(b"a\nb\nc\n")
    assert lines.page(path, 2, 1) == (3, [b"c"])
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"z\n")
    assert lines.page(other, 0, 9) == (1, [b"z"])
    assert lines.page(path, 0, 1) == (3, [b"a"])
