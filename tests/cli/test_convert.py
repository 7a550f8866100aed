"""`adequa convert --explain`, and records from stdin, strings and files on the command line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
TABLE = """id,name,weight_g,url,blurb
7,Pack 28,780,https://e.org/1,"The Pack 28 weighs 780 grams, which is little."
"""


@pytest.fixture
def products(tmp_path: Path) -> Path:
    path = tmp_path / "products.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def adequa(command: Run) -> Run:
    return lambda *arguments: command(*map(str, arguments))


def feed(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))


def test_the_explanation_shows_what_fields_become(adequa: Run, products: Path) -> None:
    code, said, complaint = adequa("convert", products, "--explain")
    assert (code, complaint) == (0, "")
    assert "the text is 'blurb'; named by 'name'; 1 field is a fact; left out: url" in said
    assert "left out: an address" in said
    assert "fact: weight_g" in said
    code, said, _ = adequa("convert", products, "--explain", "--json")
    assert [one["path"] for one in json.loads(said)["fields"]] == ["/name", "/weight_g", "/url"]


def test_the_choice_is_said_in_one_line_and_can_be_changed(adequa: Run, products: Path) -> None:
    code, said, complaint = adequa("convert", products)
    assert code == 0
    assert complaint.count("\n") == 1
    assert complaint.startswith("records: the text is 'blurb'")
    assert json.loads(said)["paths"] == ["/weight_g"]
    _, said, complaint = adequa(
        "convert", products, "--format", "records:text=blurb,keep=url", "--quiet"
    )
    assert complaint == ""
    assert json.loads(said)["paths"] == ["/weight_g", "/url"]


def test_data_without_texts_is_explained_too(adequa: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"matches": [{"name": "A", "goals": 1}, {"name": "B", "goals": 2}]}')
    code, said, complaint = adequa("convert", path, "--explain")
    assert code == 0, complaint
    assert "2 records looked at" in said
    assert "no text was found: name its column with text=FIELD, or give --texts" in said
    assert "name its column" in adequa("convert", path)[2]


def test_items_have_nothing_to_explain(adequa: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"triples": [["A", "p", "B"]], "text": "A."}')
    code, _, complaint = adequa("convert", path, "--explain")
    assert code == 2
    assert "has no records" in complaint
    assert adequa("convert", path, "--json")[0] == 2
    assert adequa("convert", path)[2] == ""


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.replace(",", "\t", 4).replace(
            "7,Pack 28,780,https://e.org/1,", "7\tPack 28\t780\tx\t"
        ),
        '{"id": 7, "name": "Pack 28", "weight_g": 780, "text": "A."}\n',
        '[{"id": 7, "name": "Pack 28", "weight_g": 780, "text": "A."}]',
        '{"id": 7,\n "name": "Pack 28", "weight_g": 780, "text": "A."}',
    ],
)
def test_stdin_is_read_in_any_format(
    adequa: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    feed(monkeypatch, content)
    code, said, complaint = adequa("convert", "-")
    assert code == 0, complaint
    assert ["Pack 28", "weight_g", "780"] in json.loads(said)["triples"]
    feed(monkeypatch, content)
    out = tmp_path / "run"
    code, _, complaint = adequa("score", "-", "-m", "esa", "--out", out, "--coverage", "all")
    assert code == 0, complaint
    assert json.loads((out / "manifest.json").read_text())["coverage"] == "all"
    feed(monkeypatch, " ")
    assert "stdin is empty" in adequa("convert", "-")[2]


def test_a_record_is_checked_as_a_string(adequa: Run) -> None:
    data = '{"name": "Alba", "port": "Oban", "built": 1998, "id": 7}'
    code, said, complaint = adequa("check", data, "The Alba was built in 1998.", "-m", "esa")
    assert code == 0
    assert (
        "Left out 1 of 2 facts, which does not affect the verdict\n  · Alba | port | Oban\n" in said
    )
    assert complaint == "records: named by 'name'; 2 fields are facts; left out: id\n"
    code, said, _ = adequa(
        "check", data, "The Alba was built in 1998.", "-m", "esa", "--coverage", "all"
    )
    assert code == 1
    assert "Left out" not in said
    code, _, complaint = adequa("check", '{"name": ', "A.", "-m", "esa")
    assert code == 2
    assert complaint.startswith("adequa: DATA: is not JSON")
    code, said, _ = adequa("check", data, "The Alba was built in 1997.", "--json", "-m", "esa")
    assert code == 1
    assert {fact["path"] for fact in json.loads(said)["facts"]} == {"/port", "/built"}
