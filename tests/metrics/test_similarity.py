"""`similarity` and `fluency` on tiny models, end to end: the contract, and values by hand."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adequa
from adequa.data import Item, Score, Term, Triple
from adequa.errors import ModelError, SettingError, UnknownName
from adequa.metrics.esa import EsaStrict
from adequa.metrics.similarity import Fluency, Similarity
from adequa.models.encoder import load_encoder
from adequa.models.shipped import DEFAULT, weights
from adequa.models.verifier import load_verifier
from adequa.settings import build, plain_settings, settings_of

from ..hostile import HOSTILE
from ..tiny_hub import write_classifier, write_encoder
from ..tiny_weights import calibration, seal, write_weights

FACTS = (
    Triple("Aarhus_Airport", "cityServed", "Aarhus"),
    Triple("Aarhus_Airport", "runwayLength", "2702.0"),
)
TEXTS = [
    "Aarhus Airport serves the city of Aarhus and has a runway of 2702 metres.",
    "Aarhus Airport serves Aarhus.",
    *HOSTILE,
]
ITEMS = [Item(str(number), FACTS, text) for number, text in enumerate(TEXTS)]
BLANK = {2, 6, 7}
LONG = Triple("Aarhus", "motto", " ".join("abcdef" * 100))
SETTINGS: list[dict[str, Any]] = [
    {},
    {"part": "bi"},
    {"part": "cross"},
    {"entities": False},
    {"threads": 2},
]
by_settings = pytest.mark.parametrize("own", SETTINGS, ids=str)


def alike(found: Sequence[Score], others: Sequence[Score]) -> bool:
    """The contract: the same to 1e-4, and all that is no number exactly."""
    bare = [
        [replace(score, value=None, statistics=()) for score in scores]
        for scores in (found, others)
    ]
    return bare[0] == bare[1] and all(
        one.value == pytest.approx(other.value, abs=1e-4)
        and one.statistics == pytest.approx(other.statistics, abs=1e-4)
        for one, other in zip(found, others, strict=True)
    )


def likely(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def mean(values: Sequence[float]) -> float:
    return math.prod(max(value, 1e-4) for value in values) ** (1 / len(values))


@by_settings
def test_the_contract(tiny_weights: str, own: dict[str, Any]) -> None:
    metric = Similarity(weights=tiny_weights, **own)
    scores = metric.score(ITEMS)
    assert len(scores) == len(ITEMS)
    for number, score in enumerate(scores):
        assert type(score.value) is float
        assert score.reason is None
        assert (score.value == 0.0) == (number in BLANK)
        assert 0 <= score.value <= 1
        assert score.verdict == ("omission" if number in BLANK else None)
        assert len(score.statistics) == len(scores[0].statistics)
    assert len({round(score.value or 0, 9) for score in scores}) == len(TEXTS) - len(BLANK) + 1
    assert alike([metric.score([item])[0] for item in ITEMS], scores)
    assert alike(metric.score(ITEMS[::-1]), scores[::-1])
    assert metric.score(tuple(ITEMS)) == scores
    assert metric.score([]) == []
    sent = pickle.loads(pickle.dumps(metric))
    assert sent == metric
    assert sent.score(ITEMS) == scores


@settings(max_examples=15)
@given(st.lists(st.integers(0, len(ITEMS) - 1), max_size=6))
def test_company_and_order_change_nothing(tiny_weights: str, chosen: list[int]) -> None:
    metric = Similarity(weights=tiny_weights)
    alone = [metric.score([ITEMS[number]])[0] for number in chosen]
    assert alike(metric.score([ITEMS[number] for number in chosen]), alone)


def expected(folder: str, item: Item) -> dict[str, float]:
    """The members of an item, from the models themselves."""
    encoder = load_encoder(folder)
    (check,) = load_verifier(folder).verify([item])
    graph = encoder.encode_graphs([(item.triples, item.terms)])[0]
    (entities,) = EsaStrict().score([item])
    assert check.supported is not None
    assert entities.value is not None
    return {
        "bi": float(encoder.encode([item.text])[0] @ graph),
        "stated": mean([likely(logit or 0) for logit in check.stated]),
        "supported": likely(check.supported),
        "tokens": mean([likely(-(logit or 0)) for logit in check.unsupported]),
        "entities": entities.value,
    }


@pytest.mark.parametrize(
    ("own", "part"),
    [
        ({}, "ensemble"),
        ({"entities": False}, "models"),
        ({"part": "bi"}, "bi"),
        ({"part": "cross"}, "cross"),
    ],
)
def test_the_value_by_hand(tiny_weights: str, own: dict[str, Any], part: str) -> None:
    (score,) = Similarity(weights=tiny_weights, **own).score(ITEMS[1:2])
    said = calibration()[part]
    members = expected(tiny_weights, ITEMS[1])
    z_scores = [
        (members[name] - one["mean"]) / one["spread"] for name, one in said["members"].items()
    ]
    value = likely(said["slope"] * sum(z_scores) / len(z_scores) + said["offset"])
    assert score.value == pytest.approx(value, abs=1e-5)


def test_no_triples_no_value(tiny_weights: str) -> None:
    for text in ("Aarhus.", ""):
        (score,) = Similarity(weights=tiny_weights).score([Item("1", (), text)])
        assert score == Score(None, reason="no triples to compare the text with")


def test_a_triple_no_model_can_read(tiny_weights: str) -> None:
    item = Item("1", (*FACTS, LONG), TEXTS[0])
    for own in ({}, {"part": "cross"}, {"entities": False}):
        (score,) = Similarity(weights=tiny_weights, **own).score([item])
        assert score == Score(None, reason="a triple is longer than the model can read")
    (score,) = Similarity(weights=tiny_weights, part="bi").score([item])
    assert score.value is not None  # the encoder reads in parts


def test_data_without_entities_is_left_to_the_models(tiny_weights: str) -> None:
    item = Item("1", (Triple("[TABLECONTEXT]", "city", "[TITLE]"),), TEXTS[0])
    whole, bare = (
        Similarity(weights=tiny_weights, entities=entities).score([item])[0]
        for entities in (True, False)
    )
    assert whole.value is not None
    assert whole == bare


@by_settings
def test_labels_are_read_in_place_of_names(tiny_weights: str, own: dict[str, Any]) -> None:
    metric = Similarity(weights=tiny_weights, **own)
    named = Item("1", (Triple("Q1", "P2", "Q3"),), "The pub is in Aarhus.")
    terms = {"Q1": Term("pub"), "P2": Term("located in"), "Q3": Term("Aarhus")}
    labelled = replace(named, terms=terms)
    spelt = replace(named, triples=(Triple("pub", "located_in", "Aarhus"),))
    values = [score.value for score in metric.score([named, labelled, spelt])]
    assert values[1] == pytest.approx(values[2], abs=1e-5)
    assert values[0] != pytest.approx(values[1], abs=1e-4)
    assert {"triples", "text", "terms"} == set(metric.reads)


def totals(scores: Sequence[Score]) -> list[float]:
    return [sum(column) for column in zip(*(score.statistics for score in scores), strict=True)]


def test_corpus_values_are_the_means_of_the_members(tiny_weights: str) -> None:
    metric = Similarity(weights=tiny_weights)
    readable = [item for number, item in enumerate(ITEMS) if number not in BLANK]
    found = metric.corpus(totals(metric.score(ITEMS)))
    members = metric.members(readable)
    names = {"bi", "stated", "weakest", "facts", "weakest_fact", "supported", "tokens"}
    names |= {"worst_word", "entities", "fluent"}
    assert set(found) == names  # these weights have no rating head
    for name, value in found.items():
        own = [getattr(one, name) for one in members]
        assert value == pytest.approx(sum(own) / len(own), abs=1e-5)
    near = Similarity(weights=tiny_weights, part="bi")
    assert set(near.corpus(totals(near.score(ITEMS)))) == {"bi"}
    assert metric.corpus(totals(metric.score(ITEMS[2:3]))) == {}  # a blank text has none of them


def test_the_signature_names_the_content_of_the_weights(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "odd:name|here")
    metrics = [
        *(Similarity(weights=str(folder), **own) for own in SETTINGS),
        Fluency(weights=str(folder)),
    ]
    before = [metric.signature for metric in metrics]
    assert len(set(before)) == len(before)
    for metric, signature in zip(metrics, before, strict=True):
        head, *pairs = signature.split("|")
        assert head == metric.name
        assert all(re.fullmatch(r"\w+:[^:|]*", pair) for pair in pairs), pairs
        assert f"weights_hash:{weights(str(folder)).digest}" in pairs
        assert pairs[-1] == f"version:{adequa.__version__}"
        assert {one.name for one in fields(metric)} <= {pair.split(":")[0] for pair in pairs}
    (folder / "encoder.md").write_text("another card", encoding="utf-8")
    seal(folder)
    assert all(metric.signature not in before for metric in metrics)


def test_written_settings_build_it_again(tiny_weights: str) -> None:
    said = {"weights": tiny_weights, "part": "cross", "entities": "no", "threads": "2"}
    metric = build("similarity", Similarity, said)
    assert metric == Similarity(weights=tiny_weights, part="cross", entities=False, threads=2)
    for one in (metric, Fluency(weights=tiny_weights)):
        assert build(one.name, type(one), plain_settings(one)) == one
        assert all(setting.doc for setting in settings_of(type(one)))


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ({"part": "both"}, "part is one of ensemble, bi, cross"),
        ({"threads": 0}, "threads is at least 1"),
        ({"revision": "main"}, "revision goes with encoder or cross_encoder"),
        ({"part": "cross", "encoder": "a"}, "encoder has no use where part is cross"),
        ({"part": "bi", "cross_encoder": "a"}, "cross_encoder has no use where part is bi"),
    ],
)
def test_settings_that_cannot_be(tiny_weights: str, own: dict[str, Any], problem: str) -> None:
    with pytest.raises(SettingError, match=f"^similarity:{problem}"):
        Similarity(weights=tiny_weights, **own)


def test_weights_that_are_not_there_show_at_once() -> None:
    for make in (Similarity, Fluency):
        with pytest.raises(UnknownName, match="'v999'"):
            make(weights="v999")
    with pytest.raises(UnknownName):
        Similarity(weights="v999", encoder="someone/some-model")  # for the verifier


def test_models_of_others_alone_need_no_weights() -> None:
    for own in (
        {"encoder": "a", "cross_encoder": "b", "revision": "main"},
        {"encoder": "a", "part": "bi"},
        {"cross_encoder": "b", "part": "cross"},
    ):
        metric = Similarity(weights="v999", **own)  # type: ignore[arg-type]
        assert metric.provenance() == {}
        assert "encoder:" in metric.signature


def test_a_local_model_of_others_is_signed_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    metric = Similarity(encoder=str(tmp_path), part="bi")
    before = metric.signature
    assert re.search(r"\|encoder_hash:[0-9a-f]{12}\|", before)
    (tmp_path / "config.json").write_text('{"layers": 1}', encoding="utf-8")
    assert metric.signature != before


def test_weights_before_their_blend(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").unlink()
    seal(folder)
    metric = Similarity(weights=str(folder), entities=False)
    (members,) = metric.members(ITEMS[:1])
    (score,) = metric.score(ITEMS[:1])
    parts = [members.bi, members.stated, members.supported, members.tokens]
    assert score.value == pytest.approx(sum(max(0.0, part or 0.0) for part in parts) / 4)
    assert "|calibration:none|" in metric.signature


@pytest.mark.parametrize("missing", ["ensemble", "models"])
def test_weights_that_are_not_calibrated(tmp_path: Path, missing: str) -> None:
    folder = write_weights(tmp_path / "weights")
    said = calibration()
    del said[missing]
    place = folder / "calibration.json"
    place.write_text(json.dumps({"similarity": said}), encoding="utf-8")
    seal(folder)
    metric = Similarity(weights=str(folder))
    assert metric.members(ITEMS[:1])[0].bi is not None  # what a calibration is made from
    with pytest.raises(ModelError, match="adequa train blend"):
        metric.score(ITEMS)


def test_a_calibration_without_the_rating_head_it_counts_on(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    said = calibration()
    said["cross"]["members"] = {"rated": said["bi"]["members"]["bi"]}
    place = folder / "calibration.json"
    place.write_text(json.dumps({"similarity": said}), encoding="utf-8")
    seal(folder)
    assert Similarity(weights=str(folder), part="bi").score(ITEMS)
    with pytest.raises(ModelError, match=r"have no rating head.*adequa train blend"):
        Similarity(weights=str(folder), part="cross").score(ITEMS)


@pytest.mark.parametrize("threads", [1, 2])
def test_fluency_keeps_the_contract(tiny_weights: str, threads: int) -> None:
    metric = Fluency(weights=tiny_weights, threads=threads)
    scores = metric.score(ITEMS)
    for number, score in enumerate(scores):
        assert type(score.value) is float
        assert (score.value == 0.0) == (number in BLANK)
        assert 0 <= score.value <= 1
        assert (score.verdict, score.reason) == (None, None)
    assert alike([metric.score([item])[0] for item in ITEMS], scores)
    assert alike(metric.score(ITEMS[::-1]), scores[::-1])
    assert metric.score([]) == []
    assert pickle.loads(pickle.dumps(metric)).score(ITEMS) == scores


def test_fluency_by_hand(tiny_weights: str) -> None:
    metric = Fluency(weights=tiny_weights)
    (check,) = load_verifier(tiny_weights).verify(ITEMS[:1])
    (score,) = metric.score(ITEMS[:1])
    assert score.value == pytest.approx(mean([likely(-one) for one in check.disfluent]), abs=1e-5)
    for triples in ((), (*FACTS, LONG)):  # neither of which keeps a text from being read
        (score,) = metric.score([Item("1", triples, TEXTS[0])])
        assert score.value is not None


def test_both_in_one_evaluation(tiny_weights: str) -> None:
    results = adequa.evaluate(
        ITEMS,
        metrics={
            "similarity": Similarity(weights=tiny_weights),
            "near": Similarity(weights=tiny_weights, part="bi"),
            "fluency": Fluency(weights=tiny_weights),
        },
    )
    assert [set(result.scores) for result in results] == [{"similarity", "near", "fluency"}] * len(
        ITEMS
    )
    assert results[2].scores == {"similarity": 0.0, "near": 0.0, "fluency": 0.0}
    assert [result.verdict for result in results[:3]] == [None, None, "omission"]


SHORT = Item("1", (Triple("pub", "city", "Aarhus"),), "The pub is in Aarhus.")


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An encoder and a cross-encoder that are not ours."""
    root = tmp_path_factory.mktemp("others")
    return {
        "encoder": write_encoder(root / "encoder", markers=False),
        "cross_encoder": write_classifier(root / "pairs", "contradiction", "entailment"),
    }


@pytest.mark.filterwarnings("default")  # what others warn of is theirs
@pytest.mark.parametrize(
    ("names", "members"),
    [
        (["encoder"], {"bi", "stated", "supported", "tokens", "entities"}),
        (["cross_encoder"], {"bi", "cross", "entities"}),
        (["encoder", "cross_encoder"], {"bi", "cross", "entities"}),
    ],
    ids=["encoder", "cross_encoder", "both"],
)
def test_models_of_others(
    tiny_weights: str, others: dict[str, str], names: list[str], members: set[str]
) -> None:
    metric = Similarity(weights=tiny_weights, **{name: others[name] for name in names})  # type: ignore[arg-type]
    items = [replace(SHORT, text=text) for text in (SHORT.text, "Aarhus.", "", "The pub?")]
    scores = metric.score(items)
    alone = [metric.score([item])[0] for item in items]
    assert [score.value for score in alone] == pytest.approx(
        [score.value for score in scores], abs=1e-4
    )
    assert scores[2].value == 0.0
    (found,) = metric.members(items[:1])
    shares = [min(1.0, max(0.0, getattr(found, name))) for name in members]
    assert scores[0].value == pytest.approx(sum(shares) / len(shares), abs=1e-5)
    assert metric.signature.count("encoder_hash") == len(names)
    (long,) = metric.score([Item("1", FACTS, "the pub " * 60)])
    assert (long.value is None) == ("cross_encoder" in names)
    assert long.reason in (None, "text and triples are longer than the cross-encoder can read")


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("part", "name"), [("bi", "encoder"), ("cross", "cross_encoder")])
def test_one_model_of_others_alone(others: dict[str, str], part: str, name: str) -> None:
    metric = Similarity(weights="v999", part=part, **{name: others[name]})  # type: ignore[arg-type]
    (score,) = metric.score([SHORT])
    (found,) = metric.members([SHORT])
    share = found.bi if part == "bi" else found.cross
    assert share is not None
    assert score.value == pytest.approx(min(1.0, max(0.0, share)))


@pytest.fixture(scope="module")
def shipped() -> str:
    return DEFAULT


TRUE = Item(
    "1",
    (
        Triple("Kestrel_Plains_Airport", "cityServed", "Ostrava_Bay"),
        Triple("Kestrel_Plains_Airport", "operator", "Lumen_Air"),
    ),
    "Kestrel Plains Airport serves the city of Ostrava Bay and is operated by Lumen Air.",
)


@pytest.mark.parametrize(
    "text",
    [
        "Kestrel Plains Airport serves the city of Ostrava Bay.",
        "Kestrel Plains Airport serves the city of Ostrava Bay and is operated by Delmar Lines.",
        "Marten Holsund was born in 1961 and plays the violin.",
    ],
    ids=["omission", "another name", "another text"],
)
def test_the_shipped_similarity_prefers_the_true_text(shipped: str, text: str) -> None:
    metric = Similarity(weights=shipped)
    right, wrong = (score.value for score in metric.score([TRUE, replace(TRUE, text=text)]))
    assert right is not None
    assert wrong is not None
    assert right > wrong


def test_the_shipped_fluency_prefers_a_sentence(shipped: str) -> None:
    jumbled = replace(TRUE, text="serves Ostrava the Airport of is Bay Kestrel city Plains by and.")
    right, wrong = (score.value for score in Fluency(weights=shipped).score([TRUE, jumbled]))
    assert right is not None
    assert wrong is not None
    assert right > wrong


@pytest.mark.parametrize("kind", [Similarity, Fluency])
def test_a_text_in_another_language_is_not_scored(
    tiny_weights: str, kind: type[Similarity | Fluency]
) -> None:
    texts = [TEXTS[0], "Der Flughafen liegt in der Nähe der Stadt und ist nicht groß.", TEXTS[1]]
    items = [Item(str(number), FACTS, text) for number, text in enumerate(texts)]
    metric = kind(weights=tiny_weights)
    scores = metric.score(items)
    reason = f"the text is in German; {metric.name} knows English only"
    assert scores[1] == Score(None, reason=reason)
    assert [score.value for score in metric.score([items[0], items[2]])] == pytest.approx(
        [scores[0].value, scores[2].value], abs=1e-4
    )
    assert metric.score([replace(items[1], lang="en")])[0].value is not None
