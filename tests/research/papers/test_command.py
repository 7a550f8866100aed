"""`adequa paper` as a user meets it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

Run = Callable[..., tuple[int, str, str]]

ENTRY = """<benchmark><entries><entry category="Airport" eid="Id1" size="1"><modifiedtripleset>
<mtriple>Kestrel_Bay | country | Norway</mtriple></modifiedtripleset>
<lex lid="Id1">Kestrel Bay is in Norway.</lex></entry></entries></benchmark>
"""


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    for part, text in (
        ("test/test.xml", ENTRY),
        ("systems/RALI.txt", "Kestrel Bay is in Norway.\n"),
        ("systems/bt5.txt", "Kestrel Bay is pretty.\n"),
    ):
        path = tmp_path / "data" / "webnlg2020" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "paper", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_tables_pictures_and_worksheets(adequa: Run, tmp_path: Path) -> None:
    code, said, progress = adequa("esa", "--data", "data", "--out", "out")
    assert code == 0
    assert "Table 1, 2020" in said
    assert "n/a: everything of 2017" in said
    assert "written to out/worksheet-undetected.tsv" in progress.replace("\\", "/")
    assert "scoring 2020: 2 of 2" in progress
    sheet = tmp_path / "out" / "worksheet-undetected.tsv"
    filled = sheet.read_text(encoding="utf-8").replace("Norway\t\t\t\t", "Norway\t\t\tright\t")
    sheet.write_text(filled, encoding="utf-8")
    code, said, _ = adequa("esa", "--worksheet", str(sheet), "--json")
    assert code == 0
    assert json.loads(said)["rows"][0]["right"] == 1
    assert "bt5" in adequa("esa", "--worksheet", str(sheet))[1]


def test_json_is_one_object(adequa: Run) -> None:
    code, said, progress = adequa("esa", "--data", "data", "--year", "2020", "--json", "--quiet")
    assert (code, progress) == (0, "")
    found = json.loads(said)
    assert list(found["years"]) == ["2020"]
    assert found["written"] == []
    assert found["years"]["2020"]["figure2"]["rows"][0]["text"] == "Kestrel Bay is pretty."


def test_wrong_use(adequa: Run) -> None:
    assert adequa("esa")[0] == 2
    assert adequa("esa", "--data", "data", "--worksheet", "x.tsv")[0] == 2
    code, said, complaint = adequa("esa", "--data", "data", "--year", "2019")
    assert (code, said) == (2, "")
    assert complaint.startswith("adequa: unknown year '2019'")
    code, _, complaint = adequa("esa", "--data", "nowhere")
    assert (code, complaint.strip()) == (
        2,
        "adequa: nowhere: is not a folder; name the folder with webnlg2020 and webnlg2017",
    )
