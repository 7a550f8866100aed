"""Score files of others, as they come and as they should not."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.analysis.correlation.sample import read_scores
from adequa.errors import DataError


def test_numbers_become_entries_where_those_are_known(write) -> None:
    path = write("a.jsonl", [{"system": "T5", "id": 29, "bleu": 0.5, "bart": None, "note": "x"}])
    found = read_scores(path, {"Id29"})
    assert found.metrics == ("bleu",)
    assert dict(found.texts) == {("T5", "Id29"): {"bleu": 0.5}}
    assert found.left_out == ("bart", "note")
    assert set(read_scores(path, {"29", "Id29"}).texts) == {("T5", "29")}
    assert set(read_scores(path).texts) == {("T5", "29")}


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t")])
def test_tables(tmp_path: Path, name: str, delimiter: str) -> None:
    path = tmp_path / name
    rows = [["id", "system", "bleu", "words"], ["29", "T5", "0.5", "a b"], ["30", "T5", "", "c"]]
    path.write_text("\n".join(delimiter.join(row) for row in rows) + "\n", encoding="utf-8")
    found = read_scores(path, {"Id29"})
    assert dict(found.texts) == {("T5", "Id29"): {"bleu": 0.5}, ("T5", "30"): {"bleu": None}}
    assert found.left_out == ("words",)


def test_lines_of_a_run(write) -> None:
    row = {"id": "Id1", "system": "A", "text": "…", "scores": {"esa": 1, "nli": None}}
    found = read_scores(write("scores.jsonl", [row]))
    assert dict(found.texts) == {("A", "Id1"): {"esa": 1.0}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no scores"),
        ("\n\n", "has no scores"),
        ("[1]\n", ":1: is not an object"),
        ('{"system": "A", "x": 1}\n', ":1: has no 'id'"),
        ('{"id": "1", "system": 3, "x": 1}\n', "'system' is 3, not a string"),
        ('{"id": "1", "x": "a"}\n', "no field of numbers"),
        ('{"id": "1", "x": 1}\n{"id": "2", "x": "high"}\n', ":2: 'x' is 'high', not a finite"),
        ('{"id": "1", "x": 1}\n{"id": "2", "x": true}\n', ":2: 'x' is True, not a finite"),
        ('{"id": "1", "x": 1}\n{"id": "1", "x": 1}\n', "the first is line 1"),
        ('{"id": "1", "x": 1}\n{"id": 1, "x": 1}\n', "the first is line 1"),
        ('{"id": "1", "x": ' + "9" * 400 + "}\n", "not a finite number"),
        ('{"id": "1", "x": NaN}\n', ":1:"),
        ("{nonsense\n", ":1:"),
    ],
)
def test_errors_name_their_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as raised:
        read_scores(path)
    assert said in str(raised.value)
    assert "a.jsonl" in str(raised.value)


@pytest.mark.parametrize("cell", ["nan", "inf", "1_0", "high"])
def test_cells_without_numbers_are_refused(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,system,x\n1,A,1\n2,A,{cell}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.csv:3: 'x'"):
        read_scores(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.csv"):
        with pytest.raises(DataError, match="a"):
            read_scores(tmp_path / name)
