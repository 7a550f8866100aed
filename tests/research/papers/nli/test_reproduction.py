"""The paper on entailment told again, on a tiny corpus of our own and on the real one."""

from __future__ import annotations

import shutil
import sqlite3
import xml.etree.ElementTree as ET
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError, ModelError, UnknownName
from adequa.metrics.nli.templates import read_templates
from research.papers.nli.data import JudgedText, read_dataset
from research.papers.nli.reproduction import reproduce_nli
from research.papers.nli.setups import SetupScoring
from research.papers.section import Reproduction

from ....tiny_pairs import write_onnx_classifier
from ..conftest import ENTRIES

GRAPH = "name[The Reed], eatType[pub], area[riverside]"
OUTPUTS = {
    "one": (
        (GRAPH, "The Reed is a pub in the riverside area.", 0, 0, 0, 0),
        ("name[The Reed], food[French]", "The Reed serves French food.", 0, 0, 0, 0),
    ),
    "two": (
        (GRAPH, "The Reed is a pub.", 0, 1, 0, 0),
        ("name[The Reed], food[French]", "The Reed serves Thai food, fish and wine.", 1, 0, 1, 0),
    ),
}


@pytest.fixture
def papers(challenges: Path) -> Path:
    """WebNLG 2017 with ratings, texts of one fact to make templates of, and two systems of E2E."""
    train = challenges / "webnlg2020" / "train" / "1triples" / "Airport.xml"
    train.parent.mkdir(parents=True)
    shutil.copy(challenges / "webnlg2020" / "test" / "test.xml", train)
    folder = challenges / "e2e" / "systems"
    folder.mkdir(parents=True)
    for system, rows in OUTPUTS.items():
        lines = ["MR\toutput\tadded\tmissing\tvalerr\trepeated"]
        lines += ["\t".join(map(str, row)) for row in rows]
        (folder / f"{system}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return challenges


def _found(reproduction: Reproduction) -> Any:
    return reproduction.as_object()


def test_webnlg_has_all_rated_texts_as_people_saw_them(papers: Path) -> None:
    corpus = read_dataset(papers, "webnlg")
    assert len(corpus.judged) == 3 * len(ENTRIES)
    assert {one.item.system for one in corpus.judged} == {"Melbourne", "ADAPT", "reference"}
    assert all(one.item.triples for one in corpus.judged)
    strict, lenient = corpus.rules
    assert sum(map(strict, corpus.judged)) == 8
    assert sum(map(lenient, corpus.judged)) == 9
    inside = corpus.parts["graph in WebNLG train"]
    assert all(map(inside, corpus.judged))
    assert "4 of the 4 rated graphs are in it" in corpus.notes[0]
    assert "entries of the 2017 test set" in corpus.notes[0]


def test_e2e_has_the_scripts_four_results(papers: Path) -> None:
    corpus = read_dataset(papers, "e2e")
    results = [one.result for one in corpus.judged]
    assert results == ["OK", "OK", "omission", "hallucination+omission"]
    assert [one.words for one in corpus.judged][1:3] == ["no slot errors", "missing 1"]
    added = JudgedText(
        Item("1", (Triple("a", "b", "c"),), "."),
        errors={"added": 1, "missing": 0, "valerr": 0, "repeated": 0},
    )
    assert (added.result, corpus.rules[0](added)) == ("hallucination", False)


def test_the_whole_paper(papers: Path, tmp_path: Path) -> None:
    bars: list[str] = []

    def shown(title: str) -> Any:
        bars.append(title)
        return nullcontext(lambda _done, _total: None)

    reproduction = reproduce_nli(papers, scoring=SetupScoring(progress=shown))
    assert bars == [
        "extracting templates",
        "WebNLG 2017, backoff",
        "WebNLG 2017, templates",
        "E2E, backoff",
        "E2E, templates",
    ]
    options = [chapter.sections[0].options for chapter in reproduction.chapters]
    assert options == ["--dataset webnlg --only accuracy", "--dataset e2e --only accuracy"]
    found = _found(reproduction)
    assert found.keys() == {"webnlg", "e2e"}
    rows = {(row["setup"], row["OK is"]): row for row in found["webnlg"]["accuracy"]["rows"]}
    ours = rows["templates", "semantics ≥ 2.5"]
    assert (ours["texts"], ours["unread"], ours["paper"]) == (12, 0, 0.775)
    assert ours["low"] <= ours["accuracy"] <= ours["high"]
    assert ours["against the paper"] in {
        "equal",
        "close",
        "different (higher)",
        "different (lower)",
    }
    assert (ours["texts, all"], ours["texts, systems"]) == (12, 8)
    assert rows["templates", "semantics ≥ 2.0"]["paper"] is None
    assert rows["always OK", "semantics ≥ 2.5"]["accuracy"] == pytest.approx(8 / 12)
    script = {row["setup"]: row for row in found["e2e"]["accuracy"]["rows"]}
    assert [script[name]["paper"] for name in ("backoff", "templates")] == [0.874, 0.933]
    assert script["backoff"]["4-way accuracy"] is not None
    assert "Spearman, all" not in script["backoff"]
    text = reproduction.text()
    assert "entries of the 2017 test set" in text
    assert "in 45 of 100 errors" in text
    assert "templates:templates-webnlg.json" in text
    written = reproduction.write(tmp_path / "out")
    assert [path.name for path in written] == [
        *("templates-webnlg.json", "systems-webnlg.svg", "systems-e2e.svg", "accuracy.svg"),
    ]
    assert len(read_templates(written[0])) >= 1
    for path in written[1:]:
        ET.parse(path)


def test_sections_data_sets_and_samples(papers: Path) -> None:
    reproduction = reproduce_nli(papers, ["e2e"], only=["parts"], sample=3, seed=1)
    found = _found(reproduction)
    assert found.keys() == {"e2e"}
    assert found["e2e"].keys() == {"signatures", "parts", "notes", "absent"}
    assert sum(row["texts"] for row in found["e2e"]["parts"]["rows"]) == 3
    again = reproduce_nli(papers, ["e2e"], only=["parts"], sample=3, seed=1)
    assert again.as_object() == found
    with pytest.raises(UnknownName, match="section"):
        reproduce_nli(papers, only=["table9"])


def test_a_model_beside_the_verifier(papers: Path, tmp_path: Path) -> None:
    model = str(write_onnx_classifier(tmp_path / "model", "entailment", "neutral", "contradiction"))
    reproduction = reproduce_nli(papers, ["e2e"], SetupScoring([model]), only=["accuracy"])
    rows = {row["setup"]: row for row in _found(reproduction)["e2e"]["accuracy"]["rows"]}
    # It reads 40 pieces of words, and most of these texts are longer: that is said, not cut.
    assert rows["model, templates"]["texts"] + rows["model, templates"]["unread"] == 4
    assert rows["model, templates"]["unread"] > 0
    assert rows["model, backoff"]["paper"] == 0.874
    with pytest.raises(ModelError, match="no such folder"):
        reproduce_nli(papers, ["e2e"], SetupScoring(["./nowhere"]))


@pytest.mark.parametrize(("entailment", "verdict"), [(0.4, "OK"), (0.3, "not_OK")])
def test_a_model_is_measured_by_the_papers_rule(
    papers: Path, tmp_path: Path, entailment: float, verdict: str
) -> None:
    """Entailment in another column, and most likely or not: never the verifier's limits."""
    likely = {"contradiction": 0.35, "neutral": 0.65 - entailment, "entailment": entailment}
    folder = write_onnx_classifier(
        tmp_path / "model", *likely, always=likely, config={"max_position_embeddings": 512}
    )
    scoring = SetupScoring([str(folder)])
    reproduction = reproduce_nli(papers, ["e2e"], scoring, only=["accuracy"])
    rows = {row["setup"]: row for row in _found(reproduction)["e2e"]["accuracy"]["rows"]}
    row = rows["model, backoff"]
    assert row["unread"] == 0
    assert row["texts"] == 4
    assert row["recall of OK"] == (1.0 if verdict == "OK" else 0.0)
    assert row["recall of not_OK"] == (0.0 if verdict == "OK" else 1.0)


def test_the_same_from_a_cache(papers: Path, tmp_path: Path) -> None:
    def told(scoring: SetupScoring) -> object:
        return reproduce_nli(papers, scoring=scoring, only=["accuracy"]).as_object()

    def kept() -> int:
        with closing(sqlite3.connect(tmp_path / "cache" / "scores.sqlite")) as store:
            return int(store.execute("SELECT count(*) FROM scores").fetchone()[0])

    scoring = SetupScoring(cache=tmp_path / "cache")
    first, count = told(scoring), kept()
    # Nothing is scored again, neither by the backoff nor by templates.
    assert (told(scoring), kept()) == (first, count)
    assert told(SetupScoring()) == first


def test_what_is_absent_is_said_with_its_path(papers: Path) -> None:
    shutil.rmtree(papers / "webnlg2020")
    shutil.rmtree(papers / "e2e")
    reproduction = reproduce_nli(papers, only=["accuracy"])
    text = reproduction.text()
    for missing in (
        f"n/a: E2E: {papers / 'e2e' / 'systems'} has no outputs",
        f"n/a: templates: {papers / 'webnlg2020' / 'train'} is missing",
        f"n/a: which rated graphs are in WebNLG train: {papers / 'webnlg2020' / 'train'}",
    ):
        assert missing in text
    setups = {row["setup"] for row in _found(reproduction)["webnlg"]["accuracy"]["rows"]}
    assert setups == {"always OK", "backoff"}
    with pytest.raises(DataError, match="nothing to score: E2E"):
        reproduce_nli(papers, ["e2e"])
    with pytest.raises(DataError, match="is not a folder"):
        reproduce_nli(papers / "nowhere")


def test_wrong_files(papers: Path) -> None:
    path = papers / "e2e" / "systems" / "one.tsv"
    path.write_text("MR\toutput\nname[A], food[B]\tA.\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"one\.tsv:1: has no column 'added'"):
        reproduce_nli(papers, ["e2e"])
    (papers / "webnlg2017" / "test" / "test.xml").unlink()
    with pytest.raises(DataError, match="0 XML files of test entries"):
        reproduce_nli(papers, ["webnlg"])


@pytest.mark.data
def test_the_real_data_is_whole(data_dir: Path) -> None:
    webnlg = read_dataset(data_dir, "webnlg")
    assert len(webnlg.judged) == len({one.item.key for one in webnlg.judged}) == 2230
    assert sum(map(webnlg.parts["systems"], webnlg.judged)) == 2007
    assert sum(map(webnlg.parts["human references"], webnlg.judged)) == 223
    assert {one.item.meta["type"] for one in webnlg.judged} == {"seen", "unseen"}
    e2e = read_dataset(data_dir, "e2e")
    assert len(e2e.judged) == len({one.item.key for one in e2e.judged}) == 11 * 630
    assert len({one.item.triples for one in e2e.judged}) <= 630


@pytest.mark.data
def test_some_of_the_real_data(data_dir: Path) -> None:
    found = _found(reproduce_nli(data_dir, ["e2e"], only=["accuracy"], sample=24))
    rows = {row["setup"]: row for row in found["e2e"]["accuracy"]["rows"]}
    assert [rows[name]["texts"] for name in ("backoff", "templates")] == [24, 24]
