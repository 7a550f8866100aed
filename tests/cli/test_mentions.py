"""`adequa mentions` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

from ..rel_server import rel_server

ENTRY = """<benchmark><entries><entry category="City" eid="Id7" size="1">
<originaltripleset><otriple>Vexla | country | Norn</otriple></originaltripleset>
<modifiedtripleset><mtriple>Vexla | country | Norn</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1"><references>
<reference entity="Vexla" number="1" tag="AGENT-1" type="name">Vexla</reference>
<reference entity="Norn" number="2" tag="PATIENT-1" type="name">Norn</reference></references>
<text>Vexla is in Norn .</text><template>AGENT-1 is in PATIENT-1 .</template></lex>
<lex comment="good" lid="Id2"><references>
<reference entity="Norn" number="1" tag="PATIENT-1" type="description">elsewhere</reference>
</references><text/><template/></lex>
</entry></entries></benchmark>"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold" / "1triples").mkdir(parents=True)
    (tmp_path / "gold" / "1triples" / "City.xml").write_text(ENTRY, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "mentions", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_the_table(adequa: Run) -> None:
    code, said, progress = adequa("gold", "--errors", "3")
    assert code == 0
    assert "2 mentions found, 3 in the gold, 2 texts" in said
    rows = {line.split()[0]: line.split() for line in said.splitlines() if line.strip()}
    assert rows["exact"] == ["exact", "1.000", "0.667", "0.800", "0.750", "0.740"]
    assert rows["lenient"][-2:] == ["0.830", "0.820"]
    assert rows["description"] == ["description", "0.000", "0", "1"]
    assert "missed: description, object of country" in said
    assert "texts: 2 of 2" in progress


@pytest.mark.parametrize("detector", [[], ["--detector", "paper"], ["--mode", "adequacy"]])
def test_the_json_contract(detector: list[str], adequa: Run) -> None:
    code, said, progress = adequa("gold", "--json", "-q", *detector)
    assert (code, progress) == (0, "")
    figures = json.loads(said)
    assert figures["exact"] == {"precision": 1, "recall": pytest.approx(2 / 3), "f1": 0.8}
    assert figures["lenient"].keys() == figures["entities"].keys() == figures["exact"].keys()
    assert figures["by_type"]["name"]["recall"] == 1
    assert "errors" not in figures
    (kind,) = json.loads(adequa("gold", "--json", "-q", "--errors", "5")[1])["errors"]
    assert (kind["kind"], kind["times"]) == ("missed: description, object of country", 1)


def test_predictions_have_one_line_per_text(adequa: Run, tmp_path: Path) -> None:
    code, _, said = adequa("gold", "--predictions", "found.jsonl")
    assert code == 0
    assert "written to found.jsonl" in said
    lines = (tmp_path / "found.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "id": "1triples/City/Id7/Id1",
            "mentions": [
                {"entity": "Vexla", "text": "Vexla", "start": 0, "end": 5},
                {"entity": "Norn", "text": "Norn", "start": 12, "end": 16},
            ],
        },
        {"id": "1triples/City/Id7/Id2", "mentions": []},
    ]


def test_gold_mentions_can_be_given_as_items(adequa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from adequa.readers import open_source
    from adequa.readers.tables import write_items

    write_items(open_source("gold"), "items.jsonl")
    assert adequa("items.jsonl", "--json", "-q")[1] == adequa("gold", "--json", "-q")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain.jsonl"], "plain.jsonl: the item '1' has no gold mentions; give the enriched"),
        (["absent"], "absent: does not exist"),
        (["gold", "--threshold", "2"], "--threshold"),
        (["gold", "--mode", "all"], "--mode"),
        (["gold", "--detector", "paper", "--mode", "adequacy"], "has no modes"),
        (["gold", "--predictions", "absent/found.jsonl", "-q"], "cannot be written"),
    ],
)
def test_wrong_use_is_exit_code_2(
    arguments: list[str], message: str, adequa: Run, tmp_path: Path
) -> None:
    plain = {"id": "1", "triples": [["Vexla", "in", "Norn"]], "text": "Vexla."}
    (tmp_path / "plain.jsonl").write_text(json.dumps(plain), encoding="utf-8")
    code, said, complaint = adequa(*arguments)
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


GOLD = {
    "id": "1",
    "triples": [["Norn", "leaderName", "John_Lind"], ["John_Lind", "birthPlace", "Velmar_Union"]],
    "text": "The leader of Norn is John Lind. His birth place is Ostrin.",
    "meta": {
        "mentions": [
            {"entity": "Norn", "start": 14, "end": 18, "text": "Norn", "type": "name"},
            {"entity": "John_Lind", "start": 22, "end": 31, "text": "John Lind", "type": "name"},
            {"entity": "John_Lind", "start": 33, "end": 36, "text": "His", "type": "pronoun"},
            {"entity": "Velmar_Union", "start": 52, "end": 58, "text": "Ostrin", "type": "name"},
        ]
    },
}


@pytest.mark.parametrize("detector", ["paper", "adequa"])
def test_the_parts_of_the_papers_detector(detector: str, adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps(GOLD) + "\n", encoding="utf-8")
    (tmp_path / "names.tsv").write_text("Velmar Union\tOstrin\n", encoding="utf-8")
    mode = ["--mode", "adequacy"] if detector == "adequa" else []

    def recall(*options: str) -> dict[str, float]:
        arguments = ["gold.jsonl", "--detector", detector, *mode, *options, "--json", "--quiet"]
        code, said, errors = adequa(*arguments)
        assert code == 0, errors
        return {kind: one["recall"] for kind, one in json.loads(said)["by_type"].items()}

    assert recall() == {"name": pytest.approx(2 / 3), "pronoun": 0}
    assert recall("--aliases", "names.tsv") == {"name": 1, "pronoun": 0}
    assert recall("--coreference", "adequa")["pronoun"] == 1
    with rel_server({"Ostrin": "Velmar Union"}) as server:
        assert recall("--linker", server.url) == {"name": 1, "pronoun": 0}
        everything = ["--aliases", "names.tsv", "--linker", server.url, "--coreference", "adequa"]
        assert recall(*everything) == {"name": 1, "pronoun": 1}
        assert len(server.texts) == 2


def test_an_option_without_effect_is_an_error(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("Elsewhere\tNowhere\n", encoding="utf-8")
    code, _, said = adequa("gold", "--detector", "paper", "--aliases", "names.tsv")
    assert code == 2
    assert "names.tsv: has no alias for any of the 2 entities of gold" in " ".join(said.split())
    assert "such as 'Vexla'" in said
    code, _, said = adequa("gold", "--coreference", "adequa")
    assert code == 2
    assert "coreference=adequa has no effect" in said
    code, _, said = adequa("gold", "--detector", "paper", "--mode", "adequacy")
    assert code == 2
