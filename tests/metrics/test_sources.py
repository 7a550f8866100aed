"""Where the members come from: shipped models, a user's own, the entity detector."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.errors import ModelError, UnknownName
from adequa.metrics.esa import EsaStrict
from adequa.metrics.sources import (
    RatingHead,
    _affirming,
    cosine_source,
    entity_source,
    has_words,
    model_digest,
    pair_source,
    read_blends,
    read_rating,
    require_weights,
    verifier_source,
    weights_digest,
)
from adequa.models.encoder import load_encoder
from adequa.models.shipped import weights
from adequa.models.verifier import load_verifier
from adequa.models.wordpiece import WordPiece

from ..tiny_hub import write_classifier, write_encoder
from ..tiny_weights import WORDS, calibration, seal, write_weights

ITEMS = [
    Item("1", (Triple("Aarhus_Airport", "cityServed", "Aarhus"),), "Aarhus Airport serves Aarhus."),
    Item("2", (Triple("Bex", "country", "Vaudland"),), "The pub.", terms={"Bex": Term("Bex Town")}),
    Item("3", (Triple("Bex", "country", "Vaudland"),), "The pub."),
]
READER = WordPiece(WORDS)


@given(st.text())
@example(" \n\t")
@example("\u200b\u00ad\ufeff")
@example("\u0301\u0300")
@example("\ud800\ufffd\x85\x1f")
@example("É")
@example("।")
def test_a_text_has_words_where_a_model_reads_some(text: str) -> None:
    assert has_words(text) == bool(READER.pieces(text))


def test_weights_by_folder(tiny_weights: str) -> None:
    require_weights(tiny_weights)
    assert weights_digest(tiny_weights) == weights(tiny_weights).digest
    with pytest.raises(UnknownName, match="unknown weights"):
        require_weights("v0")


def test_blends_of_every_part(tiny_weights: str) -> None:
    blends = read_blends(tiny_weights)
    assert blends is not None
    assert {part: set(blend.members) for part, blend in blends.items()} == {
        part: set(values["members"]) for part, values in calibration().items()
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "says nothing of similarity"),
        ({"similarity": [1.0, 0.0]}, "says nothing of similarity"),
        ({"similarity": {"bi": {"slope": 1.0}}}, "has no members"),
    ],
)
def test_a_calibration_that_is_none(tmp_path: Path, content: object, problem: str) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").write_text(json.dumps(content), encoding="utf-8")
    seal(folder)
    with pytest.raises(ModelError, match=rf"calibration\.json: {problem}"):
        read_blends(str(folder))


def test_a_rating_head_of_weights(tmp_path: Path, tiny_weights: str) -> None:
    assert read_rating(tiny_weights) is None
    head = {"state": [0.25, -1], "members": {"stated": 0.5}, "offset": 0.125}
    good, bad = (write_weights(tmp_path / name) for name in ("good", "bad"))
    for folder, rating in ((good, head), (bad, {**head, "offset": "high"})):
        content = json.dumps({"similarity": calibration(), "rating": rating})
        (folder / "calibration.json").write_text(content, encoding="utf-8")
        seal(folder)
    assert read_rating(str(good)) == RatingHead((0.25, -1.0), {"stated": 0.5}, 0.125)
    with pytest.raises(ModelError, match=r"calibration\.json: has no rating head"):
        read_rating(str(bad))


def test_weights_before_their_blend(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").unlink()
    seal(folder)
    assert read_blends(str(folder)) is None
    assert read_rating(str(folder)) is None


def test_cosines_are_those_of_the_encoder(tiny_weights: str) -> None:
    found = cosine_source(tiny_weights, 1)(ITEMS)
    encoder = load_encoder(tiny_weights)
    for item, cosine in zip(ITEMS, found, strict=True):
        text = encoder.encode([item.text])[0]
        graph = encoder.encode_graphs([(item.triples, item.terms)])[0]
        assert cosine == pytest.approx(float(text @ graph), abs=1e-6)
    assert found[1] != pytest.approx(found[2], abs=1e-4)  # a label is read in place of a name


def test_checks_are_those_of_the_verifier(tiny_weights: str) -> None:
    found = verifier_source(tiny_weights, 1)(ITEMS)
    alone = [load_verifier(tiny_weights).verify([item])[0] for item in ITEMS]
    for one, other in zip(found, alone, strict=True):
        assert one.stated == pytest.approx(other.stated, abs=1e-5)
        assert one.unsupported == pytest.approx(other.unsupported, abs=1e-5)
        assert one.supported == pytest.approx(other.supported, abs=1e-5)


def test_entities_are_those_of_esa_strict() -> None:
    nothing = Item("4", (Triple("[TABLECONTEXT]", "", "[TITLE]"),), "The pub.")
    found = entity_source([*ITEMS, nothing])
    assert found == [score.value for score in EsaStrict().score([*ITEMS, nothing])]
    assert found[0] == 1.0
    assert found[1] == 0.0
    assert found[3] is None


@pytest.mark.parametrize(
    ("labels", "column"),
    [
        (["anything"], 0),
        (["LABEL_0"], 0),
        (["LABEL_0", "LABEL_1"], 1),
        (["contradiction", "ENTAILMENT", "neutral"], 1),
        (["entailment", "not_entailment"], 0),
        (["hallucinated", "consistent"], 1),
    ],
)
def test_the_label_that_says_yes(labels: list[str], column: int) -> None:
    assert _affirming("model", labels) == column


@pytest.mark.parametrize("labels", [["good", "bad"], ["LABEL_0", "LABEL_1", "LABEL_2"]])
def test_which_label_says_yes_is_not_guessed(labels: list[str]) -> None:
    with pytest.raises(ModelError, match=rf"my-model: .*{', '.join(labels)}.*id2label"):
        _affirming("my-model", labels)


def test_a_local_model_is_known_by_its_files(tmp_path: Path) -> None:
    assert model_digest("someone/some-model") is None
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    before = model_digest(str(tmp_path))
    assert before == model_digest(str(tmp_path))
    (tmp_path / "config.json").write_text('{"hidden_size": 2}', encoding="utf-8")
    assert model_digest(str(tmp_path)) not in (None, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("others")
    return lambda name: root / name


@pytest.mark.filterwarnings("default")  # what others warn of is theirs
def test_an_encoder_of_others(folder: Callable[[str], Path]) -> None:
    model = write_encoder(folder("encoder"), markers=False)
    found = cosine_source("no such weights", 1, model)(ITEMS)
    assert len(found) == len(ITEMS)
    assert all(-1.0001 <= value <= 1.0001 for value in found)
    assert np.std(found) > 0


@pytest.mark.filterwarnings("default")
def test_a_cross_encoder_of_others(folder: Callable[[str], Path]) -> None:
    from adequa.models.hub import HubPairs

    model = write_classifier(folder("pairs"), "contradiction", "entailment", "neutral")
    long = Item("5", ITEMS[0].triples, "the pub " * 60)
    found = pair_source(model)([*ITEMS, long])
    (row,) = HubPairs(model).probabilities([(ITEMS[0].text, "Aarhus Airport city served Aarhus")])
    assert row is not None
    assert found[0] == pytest.approx(row[1], abs=1e-5)
    assert found[3] is None
