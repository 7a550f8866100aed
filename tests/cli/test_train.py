"""`adequa train mentions` end to end."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main
from adequa.data import Item, Triple
from adequa.entities.detector import Detector
from adequa.entities.mentions import WeightsJudge
from adequa.errors import DataError, ModelError, SettingError
from adequa.readers import open_source
from research.recipe.mentions import ADJUSTMENTS, read_weights, train_mentions, write_weights

NAMES = ("Vexla", "Norn", "Tabris", "Oskel", "Quorra", "Limdal", "Farrow", "Bexhal")


def entry(number: int, town: str, land: str, mark: str) -> str:
    """A text whose first mention is marked as its annotator would."""
    return f"""<entry category="City" eid="Id{number}" size="1">
<originaltripleset><otriple>{town} | country | {land}</otriple></originaltripleset>
<modifiedtripleset><mtriple>{town} | country | {land}</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1"><references>
<reference entity="{town}" number="1" tag="AGENT-1" type="name">{mark}{town}</reference>
<reference entity="{land}" number="2" tag="PATIENT-1" type="name">{land}</reference></references>
<text>The {town} is in {land} .</text>
<template>{"" if mark else "The "}AGENT-1 is in PATIENT-1 .</template></lex></entry>"""


def corpus(folder: Path, mark: str) -> None:
    pairs = [(town, land) for town in NAMES for land in NAMES if town != land]
    entries = "".join(entry(number, *pair, mark) for number, pair in enumerate(pairs, 1))
    (folder / "1triples").mkdir(parents=True)
    text = f"<benchmark><entries>{entries}</entries></benchmark>"
    (folder / "1triples" / "City.xml").write_text(text, encoding="utf-8")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    corpus(tmp_path / "with", "The ")
    corpus(tmp_path / "without", "")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "train", "mentions", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_the_weights_draw_mentions_as_their_corpus_does(adequa: Run, tmp_path: Path) -> None:
    item = Item("1", (Triple("Aldwick", "country", "Sarn"),), "The Aldwick is in Sarn .")
    for name, words in (("with", "The Aldwick"), ("without", "Aldwick")):
        code, said, told = adequa(name, "--out", "w.json", "--no-adjust")
        assert code == 0
        assert "learned from 56 texts" in said
        assert "texts: 56 of 56" in told
        assert "written to w.json" in told
        judge = WeightsJudge(read_weights(tmp_path / "w.json"))
        first = Detector(mode="mentions", judge=judge).detect(item).mentions[0]
        assert (first.entity, item.text[first.start : first.end]) == ("Aldwick", words)
    assert {path.name for path in tmp_path.iterdir()} == {"with", "without", "w.json"}


def test_the_file_is_as_the_shipped_one(adequa: Run, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        assert adequa("with", "--out", name, "-q", "--json")[0] == 0
    raw = (tmp_path / "a.json").read_bytes()
    assert raw == (tmp_path / "b.json").read_bytes()  # same input, same bytes
    read = json.loads(raw)
    origin = f"{tmp_path.name}/with, 56 texts, penalty 0.5, adjusted"
    assert read.keys() == {"origin", "weights"}
    assert read["origin"] == origin
    assert "left" in read["weights"]
    assert all(math.isfinite(one) for table in read["weights"].values() for one in table.values())


def test_the_adjustments_are_added_or_left_out(adequa: Run) -> None:
    items = list(open_source("with"))
    plain, adjusted = train_mentions(items, adjust=False), train_mentions(items)
    for decision, table in ADJUSTMENTS.items():
        for feature, more in table.items():
            before = plain.get(decision, {}).get(feature, 0.0)
            assert adjusted[decision][feature] == pytest.approx(before + more)
    light = train_mentions(items, adjust=False, penalty=0.01)
    assert max(light["left"].values()) > max(plain["left"].values())


def test_evaluation_compares_new_and_shipped_weights(adequa: Run) -> None:
    arguments = ["without", "--out", "w.json", "--no-adjust", "--evaluate"]
    code, said, told = adequa(*arguments, "without", "--json", "-q")
    assert (code, told) == (0, "")
    result = json.loads(said)
    assert (result["out"], result["texts"]) == ("w.json", 56)
    assert result["weights"]["left"] > 0
    assert result["new"]["exact"]["f1"] == 1.0
    assert result["shipped"]["exact"]["f1"] < 1.0  # the shipped weights take the article
    code, said, told = adequa(*arguments, "with")
    assert code == 0
    assert "compared with 112 mentions in 56 texts" in said
    (exact,) = [line.split() for line in said.splitlines() if line.startswith("exact")]
    assert exact[1:4] == ["0.500", "0.500", "0.500"]
    assert "texts, new weights: 56 of 56" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain.jsonl", "--out", "w.json"], "plain.jsonl: the item '1' has no gold mentions"),
        (["empty.jsonl", "--out", "w.json"], "empty.jsonl: there are no gold mentions to learn"),
        (["odd.jsonl", "--out", "w.json"], "odd.jsonl: the item '1' has no gold mentions with"),
        (["with", "--out", "w.json", "--evaluate", "plain.jsonl"], "plain.jsonl: the item '1'"),
        (["with", "--out", "w.json", "--evaluate", "empty.jsonl"], "empty.jsonl: there are no"),
        (["with", "--out", "absent/w.json"], "w.json: cannot be written"),
        (["with", "--out", "with"], "with: cannot be written"),
        (["absent", "--out", "w.json"], "absent: does not exist"),
        (["with"], "--out"),
        (["with", "--out", "w.json", "--penalty", "-1"], "--penalty"),
        (["with", "--out", "w.json", "--penalty", "nan"], "penalty"),
    ],
)
def test_wrong_use_is_exit_code_2(
    arguments: list[str], message: str, adequa: Run, tmp_path: Path
) -> None:
    item = {"id": "1", "triples": [["Vexla", "in", "Norn"]], "text": "Vexla."}
    odd = [{"entity": "Vexla", "text": "Vexla", "type": "name", "start": "a", "end": 5}]
    for name, more in (
        ("plain", {}),
        ("empty", {"meta": {"mentions": []}}),
        ("odd", {"meta": {"mentions": odd}}),
    ):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**item, **more}), encoding="utf-8")
    code, said, complaint = adequa(*arguments, "-q")
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


def test_a_single_text_is_not_enough_to_fit_weights(tmp_path: Path) -> None:
    meta = {"mentions": [{"entity": "Vexla", "text": "Vexla", "start": 0, "end": 5}]}
    item = Item("1", (Triple("Vexla", "in", "Norn"),), "Vexla is here.", meta=meta)
    weights = train_mentions([item], adjust=False)
    assert all(not table for table in weights.values())
    found = Detector(mode="mentions", judge=WeightsJudge(weights)).detect(item).mentions
    assert [(one.start, one.end) for one in found] == [(0, 5)]


def test_without_weights_the_judge_uses_the_shipped_ones() -> None:
    item = Item("1", (Triple("Norn_Castle", "in", "Norn"),), "The Norn Castle is in Norn.")
    shipped = Detector(mode="mentions").detect(item).mentions
    assert shipped == Detector(mode="mentions", judge=WeightsJudge()).detect(item).mentions
    assert shipped


def test_unreadable_and_unwritable_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_weights({}, tmp_path / "absent" / "w.json", "a test")
    with pytest.raises(ModelError, match="cannot be read"):
        read_weights(tmp_path / "absent.json")
    for raw in (
        b"[]",
        b"{",
        b'{"weights": {"left": 1}}',
        b'{"weights": {"left": {"a": NaN}}}',
        b"\xff",
    ):
        (tmp_path / "w.json").write_bytes(raw)
        with pytest.raises(ModelError, match="does not hold weights"):
            read_weights(tmp_path / "w.json")
    with pytest.raises(SettingError, match="penalty"):
        train_mentions([], penalty=-1)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, adequa.cli\n"
        "sys.argv = ['adequa', 'train', 'mentions', '--help']\n"
        "try:\n    adequa.cli.main()\nexcept SystemExit:\n    pass\n"
        "sys.exit(', '.join({'scipy', 'numpy', 'lxml'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "Fit the entity detector's acceptance of mentions" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
