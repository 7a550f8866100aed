"""Evidence from the verifier: weighed, calibrated, and tried with what the data says instead."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.metrics.nli.evidence import (
    _MOST_TRIED,
    _MOST_WORDS,
    Evidence,
    Stretch,
    VerifierEvidence,
)
from adequa.metrics.nli.signs import Weigher, Weighing
from adequa.models.calibration import Calibration, Line

from .fakes import NO, YES, Verifier

COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")
FOUNDED = Triple("Velmora", "founded", "1733")
FACTS = (COUNTRY, LEADER, FOUNDED)
RIGHT = Item("1", FACTS, "Velmora is in the country Sarn, its leader Ida Thorvald, founded 1733.")
SURE, UNSURE = 1 / (1 + math.exp(-YES)), 1 / (1 + math.exp(-NO))


def check(item: Item, verifier: Verifier | None = None, **settings: object) -> Evidence:
    plain = {"entities": False, **settings}
    (found,) = VerifierEvidence(verifier or Verifier(), **plain)([item])  # type: ignore[arg-type]
    return found


def said(item: Item, evidence: Evidence) -> list[str]:
    return [item.text[one.start : one.end] for one in evidence.stretches]


def test_logits_are_probabilities_and_the_value_is_all_and_only() -> None:
    item = replace(RIGHT, text=RIGHT.text.replace("its ", ""))
    found = check(item)
    assert found.stated == pytest.approx((SURE,) * 3)
    assert found.stretches == ()
    assert found.supported == pytest.approx(SURE)
    assert found.value == pytest.approx(SURE * SURE)


def test_what_is_left_out_and_what_is_added() -> None:
    item = Item("1", FACTS[:2], "Velmora is in the country Sarn, by a large lake.")
    found = check(item)
    assert found.stated == pytest.approx((SURE, UNSURE))
    assert said(item, found) == ["by a large lake"]
    assert found.supported == pytest.approx(UNSURE)
    words = [SURE] * 7 + [UNSURE] * 3  # Velmora is in the country Sarn a · by large lake
    mean = math.prod(words) ** (1 / len(words))
    assert found.value == pytest.approx(math.sqrt(SURE * UNSURE) * mean)


def test_a_text_of_signs_adds_nothing() -> None:
    found = check(Item("1", (COUNTRY,), "…"))
    assert (found.stretches, found.supported) == ((), 1.0)
    assert found.value == pytest.approx(UNSURE)


def test_no_probability_makes_the_value_nothing() -> None:
    item = Item("1", (COUNTRY,), "Sarn")
    found = check(item, Verifier({"Sarn": -1000.0}))
    assert found.stated == (0.0,)
    assert found.value == pytest.approx(1e-4 * SURE)


def test_what_it_could_not_read_has_no_value() -> None:
    verifier = Verifier(unread=frozenset({"leader"}))
    found = check(RIGHT, verifier)
    assert found.stated == (pytest.approx(SURE), None, pytest.approx(SURE))
    assert found.stretches == (Stretch(0, len(RIGHT.text), "text", None),)
    assert (found.supported, found.value) == (None, None)
    assert len(verifier.calls) == 1  # nothing is known to be wrong, so nothing is tried
    calibrated = check(RIGHT, verifier, calibration=Calibration(Line(1.0, 0.0)))
    assert calibrated.stated == found.stated


def test_entities_are_weighed_only_where_they_are_asked() -> None:
    weighing = Weighing(
        Weigher(0.5, 0.0, {"object missing": -3.0, "object named": 1.0}),
        Weigher(0.5, 0.0, {"mentioned": -1.0, "unexplained": 2.0}),
    )
    item = Item("1", FACTS[:2], "Velmora in Sarn, in Bexhal")
    bare = check(item, weighing=weighing)
    found = check(item, weighing=weighing, entities=True)
    assert [math.log(one / (1 - one)) for one in bare.stated if one] == pytest.approx([2, -2])
    assert [math.log(one / (1 - one)) for one in found.stated if one] == pytest.approx([3, -5])
    assert said(item, found) == said(item, bare) == ["Bexhal"]
    assert bare.stretches[0].unsupported == pytest.approx(1 / (1 + math.exp(-2)))
    assert found.stretches[0].unsupported == pytest.approx(1 / (1 + math.exp(-4)))


def test_wrong_values_are_stretches_of_their_own() -> None:
    item = Item("1", (COUNTRY,), "Velmora in Sarn, built 1733")
    assert said(item, check(item)) == ["built 1733"]
    assert said(item, check(item, entities=True)) == ["built", "1733"]


def test_labels_calibrate_by_predicate() -> None:
    calibration = Calibration(Line(0.5, 0.0), groups={"leader": Line(1.0, -3.0)})
    found = check(RIGHT, calibration=calibration)
    odds = [math.log(one / (1 - one)) for one in found.stated if one]
    assert odds == pytest.approx([2, -1, 2])
    weighed = check(RIGHT, calibration=calibration, weighing=Weighing(stated=Weigher(offset=2.0)))
    odds = [math.log(one / (1 - one)) for one in weighed.stated if one]
    assert odds == pytest.approx([3, 0, 3])  # a calibration has the last word


def test_a_calibration_is_fitted_on_what_it_is_given() -> None:
    weighing = Weighing(Weigher(0.5, 1.0, {"object missing": -3.0}))
    items = [RIGHT, Item("2", FACTS[:2], "Velmora is in Sarn.")]
    plain = VerifierEvidence(Verifier(), weighing)
    odds = plain.log_odds(items)
    assert odds[1] == pytest.approx([0.5 * YES + 1, 0.5 * NO + 1 - 3])
    same = VerifierEvidence(Verifier(), weighing, Calibration(Line(1.0, 0.0)))
    for found, own in zip(same(items), odds, strict=True):
        assert found.stated == pytest.approx([1 / (1 + math.exp(-(one or 0))) for one in own])
    unread = VerifierEvidence(Verifier(unread=frozenset({"leader"})), weighing).log_odds(items[1:])
    assert unread[0][1] is None


def test_the_threshold_is_of_words() -> None:
    item = Item("1", (COUNTRY,), "Velmora in Sarn, a lake")
    assert said(item, check(item, threshold=SURE - 1e-6)) == ["lake"]
    assert check(item, threshold=SURE + 1e-6).stretches == ()


def test_a_wrong_value_contradicts_the_fact_that_it_keeps_out() -> None:
    item = Item("1", FACTS[:2], "Velmora, in Bexhal. Leader: Ida Thorvald")
    verifier = Verifier()
    found = check(item, verifier)
    (wrong,) = found.stretches
    assert item.text[wrong.start : wrong.end] == "Bexhal"
    assert (wrong.fact, wrong.contradicted) == (0, pytest.approx(SURE))
    assert verifier.calls[1] == ["Velmora, in Sarn. Leader: Ida Thorvald"]
    assert found.stated[0] == pytest.approx(UNSURE)  # what the text says now is what counts


def test_garbled_words_are_stretches_unless_they_are_unsupported_anyway() -> None:
    item = Item("1", (COUNTRY,), "Velmora country country in Sarn by lakes")
    plain = check(item)
    found = check(item, Verifier(garbled=frozenset({"country", "lakes"})))
    assert said(item, plain) == ["by lakes"]
    assert said(item, found) == ["country country", "by lakes"]
    assert [one.garbled for one in found.stretches] == [True, False]
    assert found.stretches[0].unsupported == pytest.approx(SURE)
    assert (found.stated, found.value) == (plain.stated, plain.value)


def test_numbers_are_tried_with_numbers() -> None:
    item = Item("1", (COUNTRY, FOUNDED), "Velmora in Bexhal, founded 1801")
    verifier = Verifier()
    found = check(item, verifier)
    assert verifier.calls[1] == [
        "Velmora in Sarn, founded 1801",
        "Velmora in Bexhal, founded 1733",
    ]
    assert [one.fact for one in found.stretches] == [0, 1]


def test_a_long_stretch_is_no_value() -> None:
    for words, calls in (("lake " * _MOST_WORDS, 2), ("lake " * (_MOST_WORDS + 1), 1)):
        verifier = Verifier()
        found = check(Item("1", (COUNTRY,), f"Velmora in {words}"), verifier)
        assert len(verifier.calls) == calls
        assert found.stretches[0].fact == (0 if calls == 2 else None)


def test_there_is_an_end_to_trying() -> None:
    names = [f"Land{one}{other}" for one in "abcdef" for other in "abcdef"]
    facts = tuple(Triple("Velmora", f"has{name}", name) for name in names)
    verifier = Verifier()
    check(Item("1", facts, "Velmora in Bexhal. Velmora in Quorra"), verifier)
    assert len(verifier.calls[1]) == _MOST_TRIED


def test_a_fact_denies_one_stretch_only() -> None:
    item = Item("1", (COUNTRY,), "Velmora in Bexhal. Velmora in Quorra")
    found = check(item)
    assert sorted(one.fact is None for one in found.stretches) == [False, True]


@pytest.mark.parametrize(
    ("before", "after", "denied"),
    [(NO, YES, True), (NO, 0.0, True), (NO, -0.1, False), (-1.0, 0.9, False), (-1.0, 1.1, True)],
)
def test_the_fact_must_become_stated_by_far(before: float, after: float, denied: bool) -> None:
    class Rising(Verifier):
        def _check(self, pair):  # type: ignore[no-untyped-def]
            found = super()._check(pair)
            logit = after if "Sarn" in pair.text else before
            return replace(found, stated=(logit,))

    found = check(Item("1", (COUNTRY,), "Velmora in Bexhal"), Rising())
    (wrong,) = found.stretches
    assert (wrong.fact == 0) == (wrong.contradicted is not None) == denied


def test_the_fact_that_rises_most_is_the_one_denied() -> None:
    facts = (COUNTRY, Triple("Velmora", "region", "Upper_Sarn"))
    found = check(Item("1", facts, "Velmora in Bexhal"), Verifier({"Sarn": 1.0}))
    assert [one.fact for one in found.stretches] == [1]


def test_items_are_asked_together_and_answered_one_by_one() -> None:
    wrong = Item("2", (COUNTRY,), "Velmora in Bexhal")
    items = [RIGHT, wrong, replace(wrong, id="3"), Item("4", (FOUNDED,), "Velmora in Bexhal")]
    verifier = Verifier()
    checker = VerifierEvidence(verifier, entities=False)
    found = checker(items)
    assert [len(call) for call in verifier.calls] == [4, 2]  # the last has a number to say
    assert found == [check(item) for item in items]
    assert checker([]) == []


WORDS = st.sampled_from(
    ["Velmora", "Sarn", "Bexhal", "Ida", "Thorvald", "1733", "1801", "is", "the", "lake", ".", ","]
)


@given(st.lists(WORDS, min_size=1), st.lists(st.sampled_from(FACTS), min_size=1, unique=True))
def test_evidence_is_of_the_item(words: list[str], facts: list[Triple]) -> None:
    item = Item("1", tuple(facts), " ".join(words))
    found = check(item, entities=True)
    assert len(found.stated) == len(facts)
    assert all(one is not None and 0 <= one <= 1 for one in found.stated)
    assert found.value is not None
    assert 0 < found.value <= 1
    end = -1
    for one in found.stretches:
        assert end < one.start < one.end <= len(item.text)
        assert one.unsupported is not None
        assert one.unsupported >= 0.5
        assert (one.fact is None) == (one.contradicted is None)
        assert one.fact is None or found.stated[one.fact] == pytest.approx(UNSURE)
        end = one.end
