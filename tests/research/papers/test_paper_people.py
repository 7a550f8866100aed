"""`adequa paper correlations` and `adequa paper human` as a user meets them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "webnlg2017"
    triples = [("Kestrel_Bay", "Norway"), ("Orrin_Tower", "Chile"), ("Lumen_Air", "Peru")]
    entries = "".join(
        f'<entry category="Airport" eid="Id{number}" size="1"><modifiedtripleset><mtriple>{one} | '
        f'country | {other}</mtriple></modifiedtripleset><lex lid="Id1">{one} is in {other}.</lex>'
        "</entry>"
        for number, (one, other) in enumerate(triples, 1)
    )
    rows = ["id,mr,team,text,category,type,bleu,meteor,ter,triplesize,fluency,grammar,semantics"]
    texts: dict[str, list[str]] = {"melbourne": [], "adapt": []}
    for number, (one, other) in enumerate(triples):
        texts["melbourne"].append(f"{one} is in {other} .")
        texts["adapt"].append("it is pretty ." if number else f"{one} is there .")
    for place, (team, said) in enumerate(texts.items()):
        for number, text in enumerate(said):
            graph = " | ".join((triples[number][0], "country", triples[number][1]))
            score = (3 - place - number / 4) / 3
            rows.append(
                f"{len(rows)},{graph},{team},{text},Airport,seen,{score},{score / 2},{99 - score},"
                f"{number + 1}triple,{1 + number},{2 + place / 2},{3 - place - number / 2}"
            )
    for part, content in (
        ("test/test.xml", f"<benchmark><entries>{entries}</entries></benchmark>"),
        ("systems/Melbourne.txt", "\n".join(texts["melbourne"]) + "\n"),
        ("systems/ADAPT.txt", "\n".join(texts["adapt"]) + "\n"),
        ("human/all_data_final_averaged.csv", "\n".join(rows) + "\n"),
    ):
        path = folder / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "paper", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_correlations(adequa: Run, tmp_path: Path) -> None:
    code, said, progress = adequa(
        "correlations", "--data", "data", "--year", "2017", "--pictures", "pictures"
    )
    assert code == 0, progress
    assert "WebNLG 2017: the paper's cells next to ours" in said
    assert "Table 9, 2017: Pearson, all texts, 6 texts (paper 2,230)" in said
    assert (tmp_path / "pictures" / "table09.svg").is_file()
    assert "scoring 2017: 6 of 6" in progress
    code, said, progress = adequa(
        "correlations", "--data", "data", "--year", "2017", "--json", "--quiet"
    )
    assert (code, progress) == (0, "")
    assert len(json.loads(said)["years"]["2017"]["table9"]["rows"]) == 21


def test_human(adequa: Run, tmp_path: Path) -> None:
    code, said, complaint = adequa(
        "human", "--data", "data", "--only", "tables2_3", "--only", "figures1_3", "-o", "pictures"
    )
    assert code == 0, complaint
    assert "Tables 2 and 3, semantics (the paper's heading: Grammar)" in said
    assert (tmp_path / "pictures" / "figure1.svg").is_file()
    code, said, _ = adequa("human", "--data", "data", "--only", "sample", "--json", "--quiet")
    assert code == 0
    assert json.loads(said)["sample"]["values"]["entries"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["correlations"], "--data"),
        (["correlations", "--data", "nowhere"], "nowhere: is not a folder"),
        (["correlations", "--data", "data", "--year", "2019"], "unknown year '2019'"),
        (["correlations", "--data", "data", "--detector", "magic"], "detector"),
        (["correlations", "--data", "data", "--year", "2020"], "has no rated texts"),
        (["human", "--data", "nowhere"], "nowhere: is not a folder"),
        (["human", "--data", "data/webnlg2017"], "all_data_final_averaged.csv: is missing"),
        (["human", "--data", "data", "--only", "table9"], "unknown section 'table9'"),
    ],
)
def test_wrong_use(adequa: Run, arguments: list[str], message: str) -> None:
    code, said, complaint = adequa(*arguments)
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint
