"""`adequa paper nli` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

Run = Callable[..., tuple[int, str, str]]

OUTPUTS = (
    "MR\toutput\tadded\tmissing\tvalerr\trepeated\n"
    "name[The Reed], eatType[pub]\tThe Reed is a pub.\t0\t1\t0\t0\n"
    "name[The Reed], food[French]\t\t0\t0\t0\t0\n"
)
"""The script is wrong twice: nothing is missing in the first, and the second says nothing."""


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "data" / "e2e" / "systems" / "one.tsv"
    path.parent.mkdir(parents=True)
    path.write_text(OUTPUTS, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "paper", "nli", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_tables_and_pictures(adequa: Run) -> None:
    code, said, progress = adequa("--data", "data", "--out", "out")
    assert code == 0
    assert "E2E: OK or not_OK, as the gold has it" in said
    assert "n/a: WebNLG 2017" in said
    assert "written to out/accuracy.svg" in progress.replace("\\", "/")
    assert "E2E, templates: 2 of 2" in progress


def test_json_of_one_section(adequa: Run) -> None:
    options = ("--dataset", "e2e", "--only", "systems", "--sample", "1", "--json", "--quiet")
    code, said, progress = adequa("--data", "data", *options)
    assert (code, progress) == (0, "")
    found = json.loads(said)
    assert list(found) == ["e2e", "written"]
    assert found["e2e"]["systems"]["rows"][0]["texts"] == 1


def test_a_worksheet_from_draw_to_tally(adequa: Run, tmp_path: Path) -> None:
    draw = ("--data", "data", "--dataset", "e2e", "--worksheet", "sheet.tsv")
    code, _, progress = adequa(*draw, "--setup", "backoff", "--quiet")
    assert code == 0
    assert progress.startswith("written to sheet.tsv (")
    sheet = tmp_path / "sheet.tsv"
    text = sheet.read_text(encoding="utf-8")
    assert "one\t2\t" in text
    assert "Reed" not in text
    code, said, _ = adequa("--data", "data", "--worksheet", "sheet.tsv", "--show")
    assert code == 0
    assert "The Reed | food | French" in said
    shown = json.loads(adequa("--data", "data", "--worksheet", "sheet.tsv", "--show", "--json")[1])
    assert {row["id"] for row in shown} >= {"2"}
    code, _, complaint = adequa(*draw)
    assert code == 2
    assert "may have been filled" in complaint
    lines = text.splitlines()
    filled = [lines[0], *(line + "metric right\tvalue" for line in (one[:-1] for one in lines[1:]))]
    sheet.write_text("\n".join(filled) + "\n", encoding="utf-8")
    code, said, _ = adequa("--worksheet", "sheet.tsv", "--json")
    assert code == 0
    assert json.loads(said)["rows"][-1]["metric right"] == len(filled) - 1
    assert "paper's %" in adequa("--worksheet", "sheet.tsv")[1]


def test_wrong_use(adequa: Run) -> None:
    assert adequa()[0] == 2
    assert adequa("--data", "data", "--show")[0] == 2
    assert adequa("--worksheet", "sheet.tsv", "--show")[0] == 2
    code, _, complaint = adequa("--data", "data", "--worksheet", "sheet.tsv")
    assert code == 2
    assert "give --dataset" in complaint
    for option, value, problem in (
        ("--dataset", "dart", "unknown data set 'dart'"),
        ("--only", "table9", "unknown section 'table9'"),
        ("--weights", "nowhere", "nowhere"),
        ("--model", "./nowhere", "there is no such folder"),
    ):
        code, said, complaint = adequa("--data", "data", option, value)
        assert (code, said) == (2, "")
        assert problem in complaint
    code, _, complaint = adequa(
        *("--data", "data", "--dataset", "e2e", "--worksheet", "s.tsv", "--setup", "magic")
    )
    assert code == 2
    assert complaint.startswith("adequa: unknown setup 'magic'")
    code, _, complaint = adequa("--worksheet", "absent.tsv")
    assert code == 2
    assert "absent.tsv" in complaint
