"""`adequa paper joint` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

from ..tiny_weights import write_weights

Run = Callable[..., tuple[int, str, str]]

ENTRY = """<benchmark><entries><entry category="Airport" eid="Id1" size="1"><modifiedtripleset>
<mtriple>Aarhus | country | the_pub</mtriple></modifiedtripleset>
<lex lid="Id1">Aarhus is in the pub.</lex></entry></entries></benchmark>
"""


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    for part in ("test/test.xml", "train/1triples/Airport.xml"):
        path = tmp_path / "data" / "webnlg2020" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ENTRY, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "paper", "joint", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_tables_and_pictures(adequa: Run, tmp_path: Path) -> None:
    write_weights(tmp_path / "tiny")
    code, said, progress = adequa("--data", "data", "--weights", "tiny=tiny", "--out", "out")
    assert code == 0
    assert "tiny: weights:test|" in said
    assert "Table 1: corpora" in said
    assert "Figure 1: graphs find their texts" in said
    assert "n/a: WebNLG dev" in said
    assert "n/a: no rated texts" in said
    assert "written to out/figure5.svg" in progress.replace("\\", "/")
    assert "tiny, WebNLG-DB: 6 of 6" in progress
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("figure1.svg", "figure2.svg", "figure5.svg")
    }


def test_json_of_one_section_and_a_further_corpus(adequa: Run, tmp_path: Path) -> None:
    item = {"id": "1", "triples": [["A", "b", "C"]], "text": "It is."}
    (tmp_path / "more.jsonl").write_text(json.dumps(item) + "\n", encoding="utf-8")
    write_weights(tmp_path / "tiny")
    code, said, progress = adequa(
        *("--data", "data", "--weights", "tiny=tiny", "--only", "table1"),
        *("--corpus", "KELM=more.jsonl", "--json", "--quiet"),
    )
    assert (code, progress) == (0, "")
    found = json.loads(said)
    assert list(found) == ["weights", "table1", "absent", "written"]
    rows = {(row["corpus"], row["whose"]): row for row in found["table1"]["rows"]}
    assert rows["KELM", "ours"]["pairs"] == 1


def test_wrong_use(adequa: Run, tmp_path: Path) -> None:
    write_weights(tmp_path / "tiny")
    assert adequa()[0] == 2
    for wrong in ("tiny", "=tiny", "tiny=", "a/b=tiny"):
        code, _, complaint = adequa("--data", "data", "--weights", wrong)
        assert code == 2
        assert "is not NAME=WHERE" in complaint
    twice = ("--weights", "one=tiny", "--weights", "one=tiny")
    assert "twice" in adequa("--data", "data", *twice)[2]
    code, said, complaint = adequa("--data", "data", "--weights", "one=nowhere")
    assert (code, said) == (2, "")
    assert complaint.startswith("adequa: unknown weights (and no folder of that name) 'nowhere'")
    code, _, complaint = adequa("--data", "data", "--weights", "t=tiny", "--only", "figure9")
    assert code == 2
    assert complaint.startswith("adequa: unknown section 'figure9'")
