"""How sure a verdict is: the evidence it goes by, and that better evidence never makes it less."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Result, Triple
from adequa.entities import UnexplainedSpan
from adequa.errors import ModelError
from adequa.metrics.esa import Esa
from adequa.metrics.nli.confidence import (
    FEATURES,
    Confidence,
    read_confidence,
    read_features,
)
from adequa.metrics.nli.evidence import Evidence, Stretch, Word
from adequa.metrics.nli.metric import VERIFIER_LIMITS, Nli
from adequa.metrics.nli.signs import Signs
from adequa.metrics.nli.verdict import VerdictLimits
from adequa.models import weights
from adequa.run.engines import scored_batches

from ...tiny_weights import calibration, seal, write_weights

FACTS = (Triple("Old_Mill", "city", "Bex"), Triple("Old_Mill", "eatType", "pub"))
TEXT = "The Old Mill is a pub in Bex."
ITEM = Item("1", FACTS, TEXT)
SIGNS = Signs(((), ()), (), ())
LIMITS = VerdictLimits(0.2, 0.85)
PUB, BEX = Word(18, 21, 0.1), Word(25, 28, 0.3)
PART = {"weights": {"least fact below even": 1.0, "few facts": 0.5}, "offset": 2.0, "checked": 0.4}


def features(
    stated: tuple[float | None, ...] = (0.8, 0.6),
    signs: Signs = SIGNS,
    limits: VerdictLimits = LIMITS,
    **own: Any,
) -> dict[str, float] | None:
    evidence = Evidence(stated, (), 0.9, 0.9, words=(PUB, BEX))
    found = read_features(ITEM, replace(evidence, **own), signs, limits)
    return None if found is None else dict(zip(FEATURES, found, strict=True))


def odds(chance: float) -> float:
    return math.log(chance / (1 - chance))


def test_what_a_verdict_rests_on() -> None:
    found = features(relations=(0.9, None))
    assert found == {
        "least fact above even": pytest.approx(odds(0.6)),
        "least fact below even": 0.0,
        "mean fact": pytest.approx((odds(0.8) + odds(0.6)) / 2),
        "least relation above even": pytest.approx(odds(0.9)),
        "least relation below even": 0.0,
        "relations read": 0.5,
        "weakest word above even": pytest.approx(odds(0.7)),
        "weakest word below even": 0.0,
        "well formed": 0.0,
        "named": 0.0,
        "explained": 0.0,
        "few facts": pytest.approx(-math.log(2)),
    }


def test_signs_of_a_fault_lower_their_features() -> None:
    signs = Signs(
        (("wrong value",), ("object named",)), (), (UnexplainedSpan(25, 28, "name", None),)
    )
    garbled = Stretch(18, 21, "span", 0.9, garbled=True)
    found = features((1.0, 0.1), signs, stretches=(garbled,), words=(PUB, Word(25, 28, 1.0)))
    assert found is not None
    assert found["least fact below even"] == pytest.approx(odds(0.1))
    assert found["weakest word below even"] == -6.0
    assert (found["well formed"], found["named"], found["explained"]) == (-1, -1, -1)
    assert found["relations read"] == 0


def test_what_may_be_left_out_or_added_does_not_count() -> None:
    signs = Signs((("wrong value",), ()), (), (UnexplainedSpan(25, 28, "name", None),))
    limits = replace(LIMITS, optional=frozenset({"city"}), allowed=("Bex",))
    found = features((0.1, 0.6), signs, limits, words=(PUB, Word(25, 28, 0.99)))
    assert found is not None
    assert found["least fact above even"] == pytest.approx(odds(0.6))
    assert found["weakest word above even"] == pytest.approx(odds(0.9))
    assert (found["named"], found["explained"], found["few facts"]) == (0, 0, 0)


def test_a_text_that_was_not_read_has_no_features() -> None:
    assert features((0.9, None)) is None
    assert features(words=()) is None
    assert features(limits=replace(LIMITS, optional=frozenset({"city", "eatType"}))) is None


MODELS = st.builds(
    Confidence,
    st.dictionaries(st.sampled_from(FEATURES), st.floats(0, 5)),
    st.floats(-5, 5),
)
VALUES = st.lists(st.floats(-6, 6), min_size=len(FEATURES), max_size=len(FEATURES))


@given(MODELS, VALUES, st.integers(0, len(FEATURES) - 1), st.floats(0, 3))
def test_better_evidence_never_makes_an_ok_less_sure(
    model: Confidence, values: list[float], place: int, gain: float
) -> None:
    better = [*values]
    better[place] += gain
    sure, surer = (model.sure("OK", one) for one in (values, better))
    assert sure is not None
    assert surer is not None
    assert 0 <= sure <= surer <= 1
    assert model.sure("omission", values) == pytest.approx(1 - sure, abs=1e-6)
    assert model.sure("OK", None) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"weights": {"least fact below even": -1.0}},
        {"weights": {"length": 1.0}},
        {"weights": {"few facts": "x"}},
        {"weights": None},
        {"offset": math.inf},
        {"checked": 1.5},
        {"checked": None},
    ],
)
def test_a_wrong_part_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    folder = _with_confidence(tmp_path, {**PART, **wrong})
    with pytest.raises(ModelError, match=r"nli.confidence needs weights, offset and checked"):
        Nli(weights=str(folder))


def _with_confidence(tmp_path: Path, part: dict[str, Any]) -> Path:
    folder = write_weights(tmp_path / "weights")
    values = calibration()
    nli = {**values.get("nli", {}), **_weigher("stated"), **_weigher("unsupported")}
    values["nli"] = {**nli, "confidence": part}
    (folder / "calibration.json").write_text(json.dumps(values), encoding="utf-8")
    seal(folder)
    return folder


def _weigher(name: str) -> dict[str, Any]:
    return {name: {"slope": 1.0, "offset": 0.0, "signs": {}}}


def test_nli_knows_how_sure_it_is(tmp_path: Path) -> None:
    folder = _with_confidence(tmp_path, PART)
    metric = Nli(weights=str(folder), threshold=0.001, doubt=0.999)
    items = [ITEM, Item("2", FACTS, "The Old Mill."), Item("3", FACTS, "")]
    scores = metric.score(items)
    for item, score in zip(items, scores, strict=True):
        assert score.confidence is not None
        assert metric.score([item])[0].confidence == pytest.approx(score.confidence, abs=1e-4)
    strict = Nli(weights=str(folder), threshold=0.999, doubt=0.999).score(items[:1])[0]
    assert (scores[0].verdict, strict.verdict) == ("OK", "omission")
    assert scores[0].confidence + (strict.confidence or 0) == pytest.approx(1, abs=1e-6)
    assert Nli(weights=str(folder), entities=False).score([ITEM])[0].confidence is None


def test_weights_without_the_part_give_no_confidence(tiny_weights: str) -> None:
    assert read_confidence(tiny_weights) is None
    score = Nli(weights=tiny_weights).score([ITEM])[0]
    assert score.verdict is not None
    assert score.confidence is None


def test_the_shipped_weights_have_a_model() -> None:
    model = read_confidence(Nli().weights)
    assert model is not None
    assert VERIFIER_LIMITS.stated < model.checked < 1
    part = weights(Nli().weights).values("calibration.json")["nli"]["confidence"]
    assert part["reliability"]["error"] < 0.03
    assert part["texts"] > 2000
    right, wrong = Nli().score([ITEM, Item("2", FACTS, "The Old Mill is a hotel in Vevey.")])
    assert (right.verdict, wrong.verdict) == ("OK", "hallucination+omission")
    assert (wrong.confidence or 0) > (right.confidence or 0) > 0.5


def test_lines_have_the_same_bytes_whatever_the_batch(tmp_path: Path) -> None:
    metrics = {"esa": Esa(), "nli": Nli(weights=str(_with_confidence(tmp_path, PART)))}
    texts = [TEXT, "The Old Mill.", "", "Bex has a pub called The Old Mill, built in 1850."]
    bare = [Result(Item(str(number), FACTS, text), {}) for number, text in enumerate(texts)]
    one, all_ = (
        b"".join(batch.data for batch in scored_batches(bare, metrics, batch_size=size))
        for size in (1, 4)
    )
    assert one == all_
    assert all(json.loads(line)["confidence"] is not None for line in one.splitlines())
