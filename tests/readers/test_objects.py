"""JSON lines as plain objects."""

from __future__ import annotations

import pytest

from adequa.errors import DataError
from adequa.files import read_objects


def test_objects_come_with_their_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"b": 2}\n')
    assert list(read_objects(path)) == [(1, {"a": 1}), (3, {"b": 2})]


@pytest.mark.parametrize("line", ["[1]", "3", "{", '{"a": NaN}', '"x"'])
def test_anything_else_names_its_line(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(DataError) as caught:
        list(read_objects(path, remedy="write {…}"))
    assert (caught.value.path, caught.value.line) == (path, 2)
