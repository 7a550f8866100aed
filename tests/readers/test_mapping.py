"""What columns mean: mapping files in JSON and TOML."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adequa.errors import DataError, UnknownName
from adequa.readers.mapping import RecordMapping, load_mapping


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_a_mapping_may_be_toml(tmp_path: Path) -> None:
    path = write(tmp_path / "m.toml", 'subject = "a"\nignore = "b"\n[rename]\nc = "d"\n')
    assert load_mapping(path) == RecordMapping(subject="a", ignore=("b",), rename={"c": "d"})
    with pytest.raises(DataError, match=r"m\.toml: is not TOML"):
        load_mapping(write(path, "subject ="))


def test_toml_without_its_reader_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tomllib", None)
    with pytest.raises(DataError, match=r"needs Python 3\.11; write it as JSON"):
        load_mapping(write(tmp_path / "m.toml", ""))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1]", "is not an object"),
        ('{"subject": 5}', "'subject' is not the name of a column"),
        ('{"text": ""}', "'text' is not the name"),
        ('{"ignore": [1]}', "'ignore' is not a list of columns"),
        ('{"rename": {"a": ""}}', "'rename' is not an object of strings"),
        ('{"rename": ["a"]}', "'rename' is not an object of strings"),
        ("{", "is not JSON"),
        ("", "is not JSON"),
    ],
)
def test_a_wrong_mapping_is_said(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path / "m.json", text)
    with pytest.raises(DataError) as caught:
        load_mapping(path)
    assert problem in str(caught.value)
    assert caught.value.path == path


def test_an_unknown_key_of_a_mapping_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'subject'"):
        RecordMapping.from_object({"subjekt": "a"})


def test_a_field_is_kept_or_ignored_at_any_depth() -> None:
    mapping = RecordMapping(keep=("id",), ignore=("geo.lat", "internal"))
    assert mapping.keeps("id")
    assert mapping.keeps("team.id")
    assert not mapping.keeps("idle")
    assert mapping.ignores("geo.lat")
    assert not mapping.ignores("lat")
    assert mapping.ignores("a.internal.b")
    assert RecordMapping(keep=("*",)).keeps("anything")
