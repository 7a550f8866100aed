"""Strict UTF-8 lines and JSON objects of files."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import adequa
import adequa.files
from adequa.errors import DataError, RunError
from adequa.files import LOCK, is_deeper, load_object, locked, read_objects
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


def test_a_lock_is_held_by_one(tmp_path):
    folder = tmp_path / "new" / "folder"
    with (
        locked(folder),
        pytest.raises(RunError, match=rf"another process \(process {os.getpid()} on .* UTC\)"),
        locked(folder),
    ):
        pass
    assert not (tmp_path / "new").exists()  # made for the lock, and nothing came of it
    with locked(folder):
        (folder / "file").write_text("kept")
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_a_lock_outlives_no_process(tmp_path):
    code = "import os, sys; from pathlib import Path; from adequa.files import locked\n"
    code += "with locked(Path(sys.argv[1])): os._exit(9)"
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert ended.returncode == 9
    assert (tmp_path / LOCK).is_file()
    with locked(tmp_path):
        pass
    assert not (tmp_path / LOCK).exists()


def test_eight_at_once_hold_a_lock_one_after_the_other(tmp_path):
    """Also while the file and the folder of the lock come and go."""
    folder, counter = tmp_path / "folder", tmp_path / "counter"
    counter.write_text("0")
    code = """
import sys, time
from pathlib import Path
from adequa.errors import RunError
from adequa.files import locked
folder, counter, done = Path(sys.argv[1]), Path(sys.argv[2]), 0
while done < 25:
    try:
        with locked(folder):
            count = int(counter.read_text())
            time.sleep(0.001)
            counter.write_text(str(count + 1))
            done += 1
    except RunError:
        time.sleep(0.001)
"""
    command = [sys.executable, "-c", code, str(folder), str(counter)]
    processes = [subprocess.Popen(command) for _ in range(8)]
    assert [process.wait(120) for process in processes] == [0] * 8
    assert counter.read_text() == "200"


def test_a_folder_without_locks_is_named(tmp_path, monkeypatch):
    def refuse(stream, *, is_shared):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(adequa.files, "_lock", refuse)
    with pytest.raises(RunError, match="cannot be locked"), locked(tmp_path):
        pass


@pytest.mark.parametrize("line", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "c": 2, "a": 3}}]'])
def test_a_name_twice_has_no_meaning(line):
    with pytest.raises(DataError, match="has 'a' twice in one object"):
        load_object(line)


def test_many_names_are_compared_in_linear_time():
    names = ", ".join(f'"{number}": 0' for number in range(80_000))
    with pytest.raises(DataError, match="has '79999' twice"):
        load_object("{" + names + ', "79999": 1}')


@pytest.mark.parametrize("sign", ["[]", "{}"])
def test_nesting_has_a_bound_of_its_own(sign):
    start = "[" if sign == "[]" else '{"a": '
    end = sign[1]
    for depth, fits in ((100, True), (101, False), (5000, False)):
        line = start * depth + "1" + end * depth
        if fits:
            assert is_deeper(load_object(line), 99)
            assert not is_deeper(load_object(line), 100)
        else:
            with pytest.raises(DataError, match="nested too deeply"):
                load_object(line)
    assert load_object("[" + "[[]], " * 500 + "1]")  # wide, not deep
