"""What logits and signs are worth, fitted on texts that we changed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import DataError, ModelError
from adequa.metrics.nli.signs import FACT_SIGNS, WORD_SIGNS, Weigher, read_weighing
from adequa.models.shipped import weights
from adequa.models.verifier import VerifierOutput
from adequa.perturb import FALSE, TRUE, UNKNOWN, LabelledDocument, LabelledSpan
from adequa.stats.reliability import reliability
from adequa.text import split_sentences
from adequa.training.verifier import TrainingCase
from research.recipe.weights import (
    Rows,
    WeighingResult,
    _fit,
    fit_logistic,
    fit_weighing,
    made_cases,
    write_weighing,
)

from ...tiny_weights import calibration, write_weights
from ...training import corpora


def drawn(rows: int, weigher: Weigher, names: Sequence[str], seed: int = 1) -> Rows:
    """Cases whose labels are drawn by known log-odds."""
    chance = random.Random(seed)
    made: Rows = []
    for number in range(rows):
        logit = chance.gauss(0, 2)
        own = [name for name in names if chance.random() < 0.4]
        odds = weigher(logit, own)
        label = int(chance.random() < 1 / (1 + math.exp(-odds)))
        made.append(([logit, *(float(name in own) for name in names)], label, number))
    return made


@pytest.mark.parametrize("names", [FACT_SIGNS, WORD_SIGNS])
def test_known_weights_are_found(names: Sequence[str]) -> None:
    signs = {name: -1.5 + number for number, name in enumerate(names)}
    true = Weigher(0.8, -0.5, signs)
    found = _fit(drawn(6000, true, names), names)
    assert found.weigher.slope == pytest.approx(true.slope, abs=0.12)
    assert found.weigher.offset == pytest.approx(true.offset, abs=0.25)
    assert set(found.weigher.signs) == set(names)
    for name, value in signs.items():
        assert found.weigher.signs[name] == pytest.approx(value, abs=0.25)
    assert (found.cases, found.reliability.error < 0.03) == (6000, True)
    assert 0 < found.positive < 6000


def test_a_sign_that_is_never_there_weighs_nothing() -> None:
    rows = drawn(500, Weigher(), ("a", "b"))
    found = _fit([([*own[:-1], 0.0], label, number) for own, label, number in rows], ("a", "b"))
    assert found.weigher.signs["b"] == pytest.approx(0, abs=1e-6)


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(-30, 30), st.booleans(), st.integers(0, 1)), min_size=12, max_size=40
    )
)
def test_a_fit_is_finite_and_as_good_as_it_can_be(rows: list[tuple[float, bool, int]]) -> None:
    values = np.array([[logit, float(sign)] for logit, sign, _ in rows])
    labels = np.array([float(label) for *_, label in rows])
    if labels.min() == labels.max():
        return
    found = fit_logistic(values, labels)
    assert np.isfinite(found).all()

    def loss(fitted: np.ndarray) -> float:
        odds = values @ fitted[:-1] + fitted[-1]
        told = np.logaddexp(0, np.where(labels == 1, -odds, odds)).sum()
        return float(told + 0.5 * (fitted[:-1] ** 2).sum() + 0.5e-6 * fitted[-1] ** 2)

    for place in range(3):
        for step in (-0.05, 0.05):
            moved = found.copy()
            moved[place] += step
            assert loss(moved) >= loss(found) - 1e-6


def test_too_little_to_weigh_by() -> None:
    rows = drawn(200, Weigher(), FACT_SIGNS)
    for few in (rows[:9], [row for row in rows if row[1] == 1], []):
        with pytest.raises(DataError, match=r"too few cases for a fit.*more texts"):
            _fit(few, FACT_SIGNS)


def test_logits_that_say_the_opposite_are_refused() -> None:
    with pytest.raises(DataError, match="are not higher for true claims"):
        _fit(drawn(500, Weigher(-1.0), FACT_SIGNS), FACT_SIGNS)


COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")
TEXT = "Velmora is in Sarn by a lake."


def told(items: Sequence[Item]) -> list[VerifierOutput]:
    """Yes to facts of a country, no to others; every word but the lake's is supported."""
    found = []
    for item in items:
        offsets = tuple((one.start, one.end) for one in _words(item.text))
        found.append(
            VerifierOutput(
                stated=tuple(
                    None
                    if one.predicate == "motto"
                    else 2.0
                    if one.predicate == "country"
                    else -2.0
                    for one in item.triples
                ),
                offsets=offsets,
                unsupported=tuple(
                    2.0 if item.text[start:end].startswith("lake") else -2.0
                    for start, end in offsets
                ),
                disfluent=(0.0,) * len(offsets),
                supported=0.0,
                state=np.zeros(1, dtype=np.float32),
            )
        )
    return found


def _words(text: str) -> list[LabelledSpan]:
    places, start = [], 0
    for word in text.split(" "):
        places.append(LabelledSpan(start, start + len(word)))
        start += len(word) + 1
    return places


def cases(count: int) -> list[TrainingCase]:
    """The lake is wrong, or not known to be; of facts, one in four is not known."""
    found = []
    for number in range(count):
        document = LabelledDocument(
            TEXT, [COUNTRY, LEADER], [TRUE, FALSE], [], [LabelledSpan(24, 28)]
        )
        if number % 4 == 0:
            document.stated = [UNKNOWN, FALSE]
            document.unsupported, document.unclear = [], [LabelledSpan(19, 29)]
        found.append(TrainingCase("none", document))
    return found


def test_what_is_not_known_is_left_out() -> None:
    seen: list[tuple[int, int]] = []
    fitted = fit_weighing(cases(200), told, lambda done, all_: seen.append((done, all_)))
    assert seen == [(128, 200), (200, 200)]
    assert set(fitted) == {"stated", "unsupported"}
    stated, unsupported = fitted["stated"], fitted["unsupported"]
    assert (stated.cases, stated.positive) == (350, 150)
    words = len(TEXT.split())
    assert (unsupported.cases, unsupported.positive) == (150 * words + 50 * (words - 3), 150)
    assert stated.weigher.slope > 0
    assert stated.reliability.error < 0.1


def test_what_could_not_be_read_has_no_say() -> None:
    unread = [
        replace(
            case,
            document=replace(
                case.document,
                triples=[*case.document.triples, Triple("Velmora", "motto", "x")],
                stated=[*case.document.stated, FALSE],
            ),
        )
        for case in cases(200)
    ]
    assert fit_weighing(unread, told)["stated"].cases == 350

    def blind(items: Sequence[Item]) -> list[VerifierOutput]:
        found = told(items)
        return [replace(one, unsupported=(None,) * len(one.offsets)) for one in found]

    with pytest.raises(DataError, match="too few cases"):
        fit_weighing(unread, blind)


def test_a_wrong_value_is_believed_and_not_weighed() -> None:
    founded = Triple("Velmora", "founded", "1733")
    text = "Velmora is in Sarn, since 1801, by a lake."

    def cases_of(*triples: Triple) -> list[TrainingCase]:
        labels = [TRUE if one == COUNTRY else FALSE for one in triples]
        document = LabelledDocument(
            text, list(triples), labels, [], [LabelledSpan(26, 30), LabelledSpan(37, 41)]
        )
        return [TrainingCase("none", document)] * 40

    plain = fit_weighing(cases_of(COUNTRY, LEADER), told)
    more = fit_weighing(cases_of(COUNTRY, LEADER, founded), told)
    assert more["stated"].cases == plain["stated"].cases == 80
    words = plain["unsupported"]
    assert (words.cases, words.positive) == (40 * (len(text.split()) - 1), 40)


def test_cases_are_made_of_every_pair_and_always_the_same() -> None:
    pairs = corpora.pairs()
    found = made_cases(pairs, 0.0)
    assert len(found) == len(pairs)
    assert found == made_cases(pairs, 0.0)
    assert found != made_cases(pairs, 0.0, seed=8)
    assert "composed" not in {case.fault for case in found}
    assert {case.fault for case in made_cases(pairs, 1.0)} == {"composed"}
    assert all(split_sentences(case.document.text) for case in found)
    with pytest.raises(DataError, match="no item with triples and a text"):
        made_cases([], 0.0)


def weighed() -> WeighingResult:
    weigher = Weigher(0.5, -0.25, {"mentioned": 1 / 3})
    true = reliability([0.1, 0.9], [0, 1])
    return WeighingResult(weigher, 20, 5, true, true)


def test_other_heads_stay_and_the_folder_is_sealed_anew(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    before = weights(str(folder)).digest
    stated = replace(weighed(), weigher=Weigher(0.75, 0.5, {"object missing": -2.0}))
    fitted = {"stated": stated, "unsupported": weighed()}
    written = write_weighing(folder, fitted, "towns/dev, 20 texts spoilt")
    known = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    assert known == {"similarity": calibration(), "nli": written}
    assert written["fitted_on"] == "towns/dev, 20 texts spoilt"
    assert (written["stated"]["cases"], written["stated"]["positive"]) == (20, 5)
    assert weights(str(folder)).digest != before
    found = read_weighing(str(folder))
    assert found.stated == Weigher(0.75, 0.5, {"object missing": -2.0})
    assert found.unsupported == Weigher(0.5, -0.25, {"mentioned": 0.333333}, stated=False)
    write_weighing(folder, fitted, "again")
    assert read_weighing(str(folder)).fitted_on == "again"  # also in this process


def test_weights_without_a_calibration_get_one(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").unlink()
    write_weighing(folder, {"stated": weighed()}, "x")
    known = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    assert set(known) == {"nli"}
    assert "calibration.json" in weights(str(folder)).manifest["files"]


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_broken_calibration_is_not_written_over(tmp_path: Path, content: str) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"calibration\.json.*remove or repair it"):
        write_weighing(folder, {"stated": weighed()}, "x")
    assert (folder / "calibration.json").read_text(encoding="utf-8") == content


def test_rows_that_count_twice_are_like_two_rows() -> None:
    values, labels = np.array([[1.0], [-1.0], [0.5]]), np.array([1.0, 0.0, 0.0])
    shares = np.array([2.0, 1.0, 3.0])
    repeated = [0, 0, 1, 2, 2, 2]
    whole = fit_logistic(values[repeated], labels[repeated])
    assert fit_logistic(values, labels, shares) == pytest.approx(whole)
