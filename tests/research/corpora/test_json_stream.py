"""Objects from JSON of any size, against the parser that loads all of it."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adequa.errors import DataError
from research.corpora import trex as json_stream
from research.corpora.trex import objects

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    rows=st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), min_size=1, max_size=5),
    piece=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
    listed=st.booleans(),
    escaped=st.booleans(),
)
def test_pieces_give_what_the_whole_gives(
    rows: list[dict[str, Any]],
    piece: int,
    indent: int | None,
    listed: bool,
    escaped: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_stream, "_PIECE_BYTES", piece)
    options: dict[str, Any] = {"indent": indent, "ensure_ascii": escaped}
    if listed:
        text = json.dumps(rows, **options)
    else:
        text = "\n".join(json.dumps(row, **options) for row in rows)
    path = write(tmp_path / "a.json", text)
    assert [value for _, value in objects(path)] == rows


def test_the_line_is_the_one_on_which_an_object_begins(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '\n[\n{"a":\n 1},\n\n {"b": 2}, {"c": 3}\n]\n')
    assert [line for line, _ in objects(path)] == [3, 6, 6]


BAD = [
    ("", "is empty", 1),
    (" \n ", "is empty", 2),
    ('[{"a": 1},\n{"b": 2}', "ends before its list does", 2),
    ('[{"a": 1},\n{"b": ', "is the file cut off?", 2),
    ('[{"a": 1}\n{"b": 2}]', "between two objects, not a comma", 2),
    ('[{"a": 1},]', "where an object should begin", 1),
    ("[1, 2]", "where an object should begin", 1),
    ('{"a": 1}\n, {"b": 2}', "where an object should begin", 2),
    ('[{"a": 1}]\nx', "after the end of the list", 2),
    ('[{"a": 1,\n "b" 2}]', "is not JSON", 2),
    ('[{"a": NaN}]', "NaN is not a JSON number", 1),
    ('[{"a": ' + "9" * 9000 + "}]", "too many digits", 1),
    ('[{"a": "\\ud800"}]', "surrogate", 1),
    ('[{"a": ' + "[" * 200_000, "nested too deeply", 1),
    ('[{},\n{"a": "é"}]'.encode("latin-1"), "is not UTF-8", 2),
    ('[{}, {"a": "é'.encode()[:-1], "is not UTF-8", 1),
    ('[{},\n{"a": "\0"}]', "NUL", 2),
]


@pytest.mark.parametrize(("text", "says", "line"), BAD, ids=[says for _, says, _ in BAD])
def test_what_is_wrong_is_said(text: str | bytes, says: str, line: int, tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", text)
    with pytest.raises(DataError) as caught:
        list(objects(path))
    assert says in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_an_object_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_LINE_BYTES", 3 << 20)
    path = write(tmp_path / "a.json", '[{"a": "' + "x" * (12 << 20))
    with pytest.raises(DataError, match="begins an object longer than 3 MB"):
        list(objects(path))


def test_a_long_line_is_not_held(tmp_path: Path) -> None:
    """Twenty megabytes on one line, in a few."""
    row = json.dumps({"text": "x" * 1000})
    path = write(tmp_path / "a.json", "[" + ",".join([row] * 20_000) + "]")
    tracemalloc.start()
    try:
        assert sum(1 for _ in objects(path)) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 20_000_000
    assert peak < 12_000_000
