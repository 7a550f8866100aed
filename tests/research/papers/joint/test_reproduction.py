"""Paper 003 told again: on a tiny corpus of our own with models that are functions."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.data import Item, Term, Triple
from adequa.errors import DataError, ModelError, UnknownName
from adequa.metrics.similarity import Similarity
from adequa.text import mark_triples
from research.papers.joint.data import Reservoir, spread
from research.papers.joint.models import Model, Values, cosines, load_model
from research.papers.joint.reproduction import SECTIONS, reproduce_joint
from research.papers.joint.retrieval import RememberingEncoder
from research.papers.section import Reproduction

from ....tiny_weights import seal, write_weights

WORDS = 64


@dataclass(frozen=True)
class WordBag:
    """Texts and graphs are the words they have; `minding` puts the first word above the others."""

    minding: bool = False
    signature: str = "bag"

    def encode(self, texts: Sequence[str]) -> Any:
        """A count of each word."""
        return np.array([self._count(re.findall(r"\w+", text.lower())) for text in texts])

    def encode_graphs(
        self, graphs: Sequence[tuple[Sequence[Triple], Mapping[str, Term] | None]]
    ) -> Any:
        """The same of the words of the triples."""
        return self.encode([re.sub(r"\[[SPO]\]", " ", mark_triples(*graph)) for graph in graphs])

    def _count(self, words: Sequence[str]) -> list[float]:
        counts = [0.0] * WORDS
        for place, word in enumerate(words):
            counts[sum(map(ord, word)) % WORDS] += 2 if self.minding and place == 0 else 1
        return counts


def rendered(reproduction: Reproduction) -> dict[str, str]:
    return {
        name: content if isinstance(content, str) else content()
        for name, content in reproduction.files.items()
    }


def _parts(items: Sequence[Item]) -> dict[str, Values]:
    bi = cosines(WordBag(minding=True), items)
    cross: Values = [len(item.text) / 100 for item in items]
    both = zip(bi, cross, strict=True)
    return {"bi": bi, "cross": cross, "similarity": [(a or 0) / 2 + (b or 0) / 2 for a, b in both]}


LOG = (
    *({"step": step, "loss": 3 - step / 100, "epoch": 0.1} for step in range(10, 210, 10)),
    *({"step": step, "dev_r@1": step / 400, "dev_loss": 2.0} for step in (100, 200)),
)


@pytest.fixture
def model() -> Model:
    return Model("ours", "weights:test", WordBag(minding=True), _parts, LOG)


def _told(data: Path, *models: Model, **settings: Any) -> Any:
    return reproduce_joint(data, models, **settings).as_object()


def test_table_1_for_every_corpus_at_hand(corpus: Path, tmp_path: Path) -> None:
    more = tmp_path / "kelm.jsonl"
    more.write_text(
        "".join(
            json.dumps({"id": str(n), "triples": [["A", "b", "C"]], "text": f"It is {n}."}) + "\n"
            for n in range(3)
        ),
        encoding="utf-8",
    )
    told = _told(corpus, only=["table1"], corpora={"KELM": more})
    rows = {(row["corpus"], row["whose"]): row for row in told["table1"]["rows"]}
    assert rows["WebNLG train", "ours"]["pairs"] == 4
    assert rows["WebNLG train", "ours"]["entities"] == 6
    assert rows["WebNLG-DB", "paper"]["pairs"] == 13_212
    assert (rows["KELM", "ours"]["texts"], rows["KELM", "ours"]["graphs"]) == (3, 1)
    assert rows["KELM", "paper"]["pairs"] == 15_616_551
    notes = " ".join(told["table1"]["notes"])
    assert "n/a: TeKGen" in notes
    assert "n/a: KELM" not in notes
    assert told["absent"] == [f"Quintd: {corpus / 'quintd' / 'wikidata-dev.jsonl'} is missing"]


def test_retrieval(corpus: Path, model: Model) -> None:
    other = Model("hard", "weights:hard", WordBag())
    told = _told(corpus, model, other, only=["retrieval"])
    rows = {(row["set"], row["model"]): row for row in told["retrieval"]["rows"]}
    ours = rows["WebNLG-DB", "ours"]
    assert (ours["queries"], ours["pool"]) == (4, 8)
    # One train text says word by word what a test text says: Orrin Tower; it is right too.
    assert (ours["R@1"], ours["R@10"], ours["MRR"]) == (1, 1, 1)
    assert rows["WebNLG-DB", "ours; the first 50 reranked by entities"]["R@1"] == 1
    assert rows["WebNLG-DB", "hard"]["whose"] == "ours"
    assert rows["WebNLG-DB", "all_datasets_hard_negatives"]["R@1"] == 0.8
    # country, birthPlace and employer are mapped; hub and floorCount may be.
    assert rows["WebNLG-WD", "ours"]["queries"] >= 2
    notes = told["retrieval"]["notes"]
    assert any(note.startswith("n/a: WikiChunks") for note in notes)
    assert "--pool" not in " ".join(notes)


def test_nothing_is_encoded_twice() -> None:
    @dataclass(frozen=True)
    class Counting(WordBag):
        signature: str = "counting"

        def encode(self, texts: Sequence[str]) -> Any:
            read.extend(texts)
            return super().encode(texts)

    read: list[str] = []
    encoder, plain = RememberingEncoder(Counting()), WordBag()
    texts = ["Otto plays.", "Ida plays.", "Otto plays."]
    graphs: list[Any] = [
        ([Triple("Otto", "sport", "golf")], None),
        ([Triple("Otto", "sport", "golf")], {"Otto": Term("Ida")}),
    ]
    for _ in range(2):
        assert (encoder.encode(texts) == plain.encode(texts)).all()
        assert (encoder.encode_graphs(graphs) == plain.encode_graphs(graphs)).all()
    assert len(read) == 4


def test_a_smaller_pool_and_passages(corpus: Path, model: Model, tmp_path: Path) -> None:
    passages = tmp_path / "chunks.jsonl"
    rows = [
        {"id": "1", "triples": [["Tarnova", "sport", "chess"]], "text": "Tarnova plays chess."},
        {"id": "2", "triples": [["Otto_Lind", "sport", "golf"]], "text": "Otto Lind plays golf."},
    ]
    passages.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for pool, queries, found in ((6, 4, 6), (2, 2, 2)):
        told = _told(corpus, model, only=["retrieval"], pool=pool, corpora={"WikiChunks": passages})
        rows = {(row["set"], row["model"]): row for row in told["retrieval"]["rows"]}
        row = rows["WebNLG-DB", "ours"]
        assert (row["queries"], row["pool"]) == (queries, found)
        notes = " ".join(told["retrieval"]["notes"])
        assert f"searched here: at most {pool} of these texts (--pool)" in notes
        assert (rows["WikiChunks", "ours"]["R@1"], rows["WikiChunks", "ours"]["pool"]) == (1, 2)


def test_inversion(corpus: Path, model: Model) -> None:
    bag = Model("bag", "weights:bag", WordBag())
    told = _told(corpus, model, bag, only=["inversion"])
    rows = {row["model"]: row for row in told["inversion"]["rows"]}
    assert rows["all_datasets_hard_negatives"]["inverted as high"] == 0.38
    # Three test texts have one triple. A bag of words cannot tell which argument comes first.
    assert (rows["bi-encoder, bag"]["inverted as high"], rows["bi-encoder, bag"]["pairs"]) == (1, 3)
    assert rows["bi-encoder"]["inverted as high"] < 1
    assert rows["bi-encoder"]["mean difference"] > 0
    assert rows["cross-encoder (verifier)"]["inverted as high"] == 1  # it reads the text alone
    assert any("cross-encoder (verifier), bag" in note for note in told["inversion"]["notes"])


def test_bi_and_cross(corpus: Path, model: Model) -> None:
    bag = Model("bag", "weights:bag", WordBag(), absent={"cross": "no verifier"})
    told = _told(corpus, model, bag, only=["section6.2"])["section6.2"]
    paper, ours = told["rows"]
    assert paper["Pearson"] == 0.66
    assert (ours["weights"], ours["texts"]) == ("ours", 12)
    assert -1 < ours["Pearson"] < 1
    assert told["notes"] == ["n/a: bag: no verifier"]


def test_correlations_with_people(corpus: Path, model: Model) -> None:
    told = _told(corpus, model, only=["figure6", "ratings2017"])
    rows = {
        (row["measure"], row["coefficient"], row["criterion"]): row
        for row in told["figure6"]["rows"]
    }
    # The human references are rated and not among the texts.
    assert {row["texts"] for row in rows.values()} == {12}
    # The peers of the tiny corpus are the ratings themselves.
    assert rows["bleurt", "spearman", "mean"]["value"] == pytest.approx(1)
    assert rows["bleurt", "pearson", "mean"]["interval"] == pytest.approx((1, 1))
    assert rows["bleurt", "pearson", "mean"]["paper"] == 0.493
    assert rows["similarity", "pearson", "mean"]["paper"] == 0.546
    found = rows["similarity", "pearson", "mean"]
    three = ("Correctness", "DataCoverage", "Relevance")
    assert found["value"] == pytest.approx(
        np.mean([rows["similarity", "pearson", name]["value"] for name in three])
    )
    low, high = found["interval"]
    assert low < found["value"] < high
    assert {"esa", "esa_strict", "bi-encoder", "cross-encoder (verifier)", "bert-f1"} <= {
        measure for measure, _, _ in rows
    }
    older = {(row["measure"], row["coefficient"]): row for row in told["ratings2017"]["rows"]}
    assert older["similarity", "spearman"]["texts"] == 8
    assert older["TER", "spearman"]["value"] == pytest.approx(-1)
    assert any("entries of the 2017 test set" in note for note in told["ratings2017"]["notes"])


def test_a_value_that_is_not_there_is_left_out(corpus: Path) -> None:
    def halting(items: Sequence[Item]) -> dict[str, Values]:
        return {"cross": [None if place == 0 else 0.1 * place for place in range(len(items))]}

    told = _told(corpus, Model("halting", "w", scores=halting), only=["figure6", "figure8"])
    texts = {row["texts"] for row in told["figure6"]["rows"] if "cross" in row["measure"]}
    assert texts == {11}
    assert any("n/a: similarity" in note for note in told["figure6"]["notes"])
    assert told["figure8"]["rows"][0]["texts"] == 11


def test_learning_curve(corpus: Path, model: Model) -> None:
    bag = Model("bag", "weights:bag", WordBag())
    reproduction = reproduce_joint(corpus, [model, bag], only=["figure3"])
    section = reproduction.sections[0]
    (table,) = section.tables
    assert [row[0] for row in table.rows] == [30, 60, 90, 100, 130, 160, 190, 200]
    assert [row[2] is not None for row in table.rows] == [
        row[0] in (100, 200) for row in table.rows
    ]
    assert dict(zip(["step", "loss", "dev_r@1", "dev_loss"], table.rows[-1], strict=True)) == {
        "step": 200,
        "loss": 1.0,
        "dev_r@1": 0.5,
        "dev_loss": 2.0,
    }
    assert len(section.records or ()) == 24
    assert any("n/a: bag: its folder has no log.json" in note for note in section.notes)
    assert list(reproduction.files) == ["figure3-ours.svg"]
    assert "r@1 0.500" in reproduction.files["figure3-ours.svg"]


def test_a_look_between_two_losses_has_the_one_before_it(corpus: Path) -> None:
    log = [
        *({"step": step, "loss": step / 100} for step in (10, 20)),
        *({"step": step, "dev_r@1": 0.5} for step in (5, 15, 25)),
    ]
    watched = Model("watched", "w", WordBag(), log=log)
    section = reproduce_joint(corpus, [watched], only=["figure3"]).sections[0]
    shown = [list(row) for row in section.tables[0].rows]
    assert shown == [
        [5, None, 0.5],
        [10, 0.1, None],
        [15, 0.1, 0.5],
        [20, 0.2, None],
        [25, 0.2, 0.5],
    ]
    many = [{"step": step, "dev_r@1": 0.5} for step in range(1, 40)]
    watched = Model("watched", "w", WordBag(), log=many)
    section = reproduce_joint(corpus, [watched], only=["figure3"]).sections[0]
    assert [row[0] for row in section.tables[0].rows] == list(range(3, 40, 4))


def test_pictures_are_svg_and_the_same_again(corpus: Path, model: Model, tmp_path: Path) -> None:
    first, second = (reproduce_joint(corpus, [model], seed=1) for _ in range(2))
    assert first.as_object() == second.as_object()
    assert rendered(first) == rendered(second)
    written = first.write(tmp_path / "out")
    assert {path.stem for path in written} == {
        *("figure1", "figure2", "figure3-ours", "figure5", "figure6", "ratings2017", "figure8")
    }
    for path in written:
        ET.parse(path)
        assert "nan" not in path.read_text(encoding="utf-8")
    assert [section.key for section in first.sections] == list(SECTIONS)
    assert "Figure 5: similarity of the right" in first.text()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be written"):
        first.write(tmp_path / "file")


def test_without_weights_the_rest_is_told(corpus: Path) -> None:
    reproduction = reproduce_joint(corpus, absent=["shipped weights: none"])
    assert reproduction.absent[0] == "shipped weights: none"
    told: Any = reproduction.as_object()
    for key in ("retrieval", "figure2", "figure3", "inversion", "section6.2", "figure6"):
        assert any("no weights" in note for note in told[key]["notes"]), key
    assert told["figure6"]["rows"]
    assert told["figure8"]["rows"][0]["measure"] == "esa"


def test_what_is_absent_is_said(corpus: Path, model: Model) -> None:
    shutil.rmtree(corpus / "webnlg2020" / "human")
    shutil.rmtree(corpus / "webnlg2020" / "dev")
    told = _told(corpus, model, only=["table1", "figure6", "section6.2", "figure8"])
    missing = corpus / "webnlg2020" / "dev"
    assert f"WebNLG dev: {missing} is missing" in told["absent"]
    for key in ("figure6", "section6.2", "figure8"):
        assert any("n/a: no rated texts" in note for note in told[key]["notes"]), key
    shutil.rmtree(corpus / "webnlg2020")
    told = _told(corpus, model)
    assert any("there is no test set" in note for note in told["inversion"]["notes"])
    assert any("n/a: WebNLG-DB" in note for note in told["retrieval"]["notes"])


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        reproduce_joint(tmp_path / "nowhere")
    with pytest.raises(UnknownName, match="figure9"):
        reproduce_joint(tmp_path, only=["figure9"])
    with pytest.raises(UnknownName, match="nowhere"):
        load_model("ours", str(tmp_path / "nowhere"))


def _weights(folder: Path, *files: str) -> str:
    folder.mkdir(parents=True)
    named = {name: {"size": 0, "sha256": "0"} for name in files}
    manifest = {"version": "t1", "files": named, "models": {}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return str(folder)


def test_a_folder_without_models_and_its_log(tmp_path: Path) -> None:
    where = _weights(tmp_path / "w")
    model = load_model("ours", where)
    assert (model.encoder, model.scores, list(model.log)) == (None, None, [])
    assert model.signature.startswith("weights:t1|")
    assert model.parts([Item("1", (Triple("a", "b", "c"),), "A text.")]) == {}
    assert "has no encoder" in model.reason("cross")
    log = tmp_path / "w" / "training.json"
    log.write_text('{"log": [{"step": 1, "loss": 2.0}]}', encoding="utf-8")
    assert load_model("ours", where).log == [{"step": 1, "loss": 2.0}]
    log.write_text('{"kind": "encoder"}', encoding="utf-8")
    assert load_model("ours", where).log == []
    log.write_text('{"log": 7}', encoding="utf-8")
    with pytest.raises(DataError, match="is not a training log"):
        load_model("ours", where)
    log.write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="is not JSON"):
        load_model("ours", where)


def test_the_scores_are_those_of_the_metric(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "tiny")
    where = str(folder)
    items = [
        Item("1", (Triple("Aarhus", "serve", "the_pub"),), "Aarhus airport serves the pub."),
        Item("2", (Triple("Aarhus", "serve", "the_pub"),), ""),
    ]
    model = load_model("tiny", where)
    found = model.parts(items)
    assert found["similarity"] == [score.value for score in Similarity(weights=where).score(items)]
    assert found["bi"] == [
        score.value for score in Similarity(weights=where, part="bi").score(items)
    ]
    assert found["cross"][1] == 0
    assert model.encoder is not None
    assert cosines(model.encoder, items)[1] == 0
    (folder / "calibration.json").unlink()
    seal(folder)
    bare = load_model("tiny", where)
    assert set(bare.parts(items)) == {"bi"}
    assert bare.parts(items)["bi"] == cosines(model.encoder, items)
    assert "adequa train blend" in bare.reason("cross")


def test_samples() -> None:
    items = [Item(str(number), (Triple("a", "b", "c"),), "x") for number in range(100)]
    assert [item.id for item in spread(items, 4)] == ["0", "25", "50", "75"]
    assert spread(items, None) == spread(items, 1000) == items
    seen = {1: set(), 2: set()}  # type: dict[int, set[str]]
    for seed in seen:
        reservoir = Reservoir(10, seed)
        assert list(reservoir.through(iter(items))) == items
        seen[seed] = {item.id for item in reservoir.items}
        assert len(seen[seed]) == 10
    assert seen[1] != seen[2]


@pytest.mark.data
def test_on_the_real_data(data_dir: Path) -> None:
    told = _told(data_dir, only=["table1", "figure6"])
    rows = {(row["corpus"], row["whose"]): row for row in told["table1"]["rows"]}
    assert rows["WebNLG train", "ours"]["entities"] == pytest.approx(3210, abs=1)
    people = {
        (row["measure"], row["coefficient"]): row
        for row in told["figure6"]["rows"]
        if row["criterion"] == "mean"
    }
    assert people["bleurt", "pearson"]["texts"] == 1439
    assert people["bleurt", "pearson"]["value"] == pytest.approx(0.587, abs=0.0006)
    assert people["bleurt", "spearman"]["value"] == pytest.approx(0.520, abs=0.0006)
    assert people["fact-spotter", "pearson"]["value"] == pytest.approx(0.515, abs=0.0006)
