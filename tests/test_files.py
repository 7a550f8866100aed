"""Strict UTF-8 lines and JSON objects of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adequa
import adequa.files
from adequa.errors import DataError
from adequa.files import read_objects
from adequa.readers.base import JsonlReader

GOOD = '{"id": "1", "triples": [["s", "p", "o"]], "text": "t"}'


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (f"{GOOD}\n{{", 2, "is not JSON"),
        (f"{GOOD}\n\n[1]", 3, "is a list, not an object"),
        (f'{GOOD}\n{{"id": "2", "triples": [["s", "p", "o"]], "text": "\0"}}', 2, "NUL"),
        (GOOD.replace('"t"', "NaN"), 1, "NaN is not a JSON number"),
        (f"{GOOD}\n\ufeff{GOOD}", 2, "byte order mark"),
    ],
)
def test_a_broken_line_is_named(content: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        list(JsonlReader().read(path))
    assert (caught.value.path, caught.value.line) == (path, line)


def test_broken_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD.encode() + b'\n{"id": "\xff"}')
    with pytest.raises(DataError, match=r":2: is not UTF-8 \(0xff at byte 9\)"):
        list(JsonlReader().read(path))


def test_a_line_that_does_not_end_is_refused_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adequa.files, "MAX_LINE_BYTES", 1 << 20)
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD.encode() + b"\n" + b"x" * (2 << 20))
    with pytest.raises(DataError, match=":2: is longer than 1 MB"):
        list(JsonlReader().read(path))


def test_a_text_may_be_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "1", "triples": [["s", "p", "o"]], "text": "é" * 1_000_000}))
    assert len(next(iter(adequa.read(path))).text) == 1_000_000


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "count"), [("quintd/wikidata-dev.jsonl", 300), ("dart/tables.jsonl", 923)]
)
def test_the_real_files_count(name: str, count: int, data_dir: Path) -> None:
    assert adequa.read(data_dir / name).count() == count


def test_objects_have_their_line_numbers(tmp_path):
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
