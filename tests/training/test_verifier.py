"""Cases for the verifier, always the same for a number; figures on held-out data."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.errors import SettingError
from adequa.perturb import FALSE, TRUE, UNKNOWN, Knowledge, LabelledDocument
from adequa.training.setup import spread
from adequa.training.verifier import FAULTS, Cases, HeldOutFigures
from research.recipe.composer import Composer

from . import corpora


@given(st.integers(0, 500), st.integers(1, 50))
def test_places_are_spread(count: int, most: int) -> None:
    places = list(spread(count, most))
    assert len(places) <= most
    assert len(places) == count or len(places) > most / 2 - 1
    assert all(place < count for place in places)
    assert spread(4468, 750) == range(0, 4468, 6)  # as the shipped models were looked at


def test_what_is_seen_of_cases() -> None:
    seen = HeldOutFigures()
    tokens = np.array([[5.0, 0, 0], [-1.0, 0, 0], [0, 2.0, -3.0], [0, -2.0, -4.0]])
    labels = np.array([[1, -1, -1], [0, -1, -1], [-1, 1, 0], [-1, 0, 0]])
    seen.add("inverted", tokens, labels, 0.5, 0)
    seen.add("none", -tokens, labels, 2.0, 1)
    seen.add("dropped", tokens[:0], labels[:0], -9.0, -1)
    assert seen.figures() == {
        "auc_stated": 0.5,
        "auc_unsupported": 0.5,
        "auc_supported": 1.0,
        "accuracy_stated": 0.5,
        "accuracy_supported": 0.5,
        "found_inverted": 1.0,
        "found_none": 0.0,
    }


PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
COMPOSER = Composer(KNOWN)
NUMBERS = st.integers(min_value=0, max_value=100_000)


def marked(labelled: LabelledDocument) -> list[str]:
    return [labelled.text[one.start : one.end] for one in labelled.unsupported]


@given(NUMBERS)
def test_a_case_is_always_the_same_and_its_labels_lie_in_the_text(number: int) -> None:
    case = Cases(PAIRS, KNOWN, composer=COMPOSER).case(number)
    assert case == Cases(PAIRS, corpora.knowledge(), composer=COMPOSER).case(number)
    labelled = case.document
    assert case.fault in FAULTS
    assert len(labelled.stated) == len(labelled.triples) == len(set(labelled.triples))
    assert set(labelled.stated) <= {TRUE, FALSE, UNKNOWN}
    for place in labelled.places():
        assert 0 <= place.start < place.end <= len(labelled.text)
    for place in [*labelled.unsupported, *labelled.disfluent]:
        assert labelled.text[place.start : place.end].strip()
    if case.fault == "none":
        assert (labelled.supported, labelled.unsupported) == (TRUE, [])


def test_another_seed_gives_other_cases_and_each_fault_is_made() -> None:
    made = Cases(PAIRS, KNOWN, composer=COMPOSER)
    other = Cases(PAIRS, KNOWN, seed=1, composer=COMPOSER)
    cases = [made.case(number) for number in range(600)]
    others = [other.case(number) for number in range(20)]
    assert cases[:20] != others
    assert {case.fault for case in cases} == FAULTS.keys()


def test_without_a_composer_there_is_no_fluff() -> None:
    cases = Cases(PAIRS, KNOWN)
    assert {cases.case(number).fault for number in range(600)} == FAULTS.keys() - {"fluff"}
    with pytest.raises(SettingError, match="there is no composer"):
        Cases(PAIRS, KNOWN, composed=0.3)


def test_any_object_can_compose() -> None:
    class Once:
        def compose(self, chance: random.Random) -> LabelledDocument:
            return LabelledDocument(f"Draw {chance.random()}.", [*PAIRS[0].triples], [FALSE], [])

        def fluff(self, chance: random.Random) -> tuple[str, bool]:
            return "a gem", False

    cases = Cases(PAIRS, KNOWN, composer=Once(), composed=1.0)
    assert cases.case(3).document.text.startswith("Draw")


def test_composed_cases_have_their_share() -> None:
    def faults(share: float) -> list[str]:
        cases = Cases(PAIRS, KNOWN, composer=COMPOSER, composed=share)
        return [cases.case(number).fault for number in range(60)]

    assert "composed" not in faults(0.0)
    assert set(faults(1.0)) == {"composed"}
    assert 5 < faults(0.3).count("composed") < 35


@settings(max_examples=150)
@given(NUMBERS, st.sampled_from([0.0, 0.5]))
def test_labels_lie_in_the_text(number: int, share: float) -> None:
    cases = Cases(PAIRS, KNOWN, composer=COMPOSER, composed=share)
    labelled = cases.case(number).document
    assert labelled == cases.case(number).document
    assert len(labelled.stated) == len(labelled.triples) == len(set(labelled.triples)) > 0
    assert {*labelled.stated} <= {TRUE, FALSE, UNKNOWN}
    for place in labelled.places():
        assert 0 <= place.start < place.end <= len(labelled.text)
    assert all(words.strip() for words in marked(labelled))
    if labelled.unsupported:
        assert labelled.supported != TRUE


def test_knowledge_of_nothing_is_no_error() -> None:
    cases = Cases(PAIRS, Knowledge([]))
    assert {cases.case(number).fault for number in range(100)} <= FAULTS.keys()
