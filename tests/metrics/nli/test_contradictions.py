"""From the record reader's answers to words of a text and the fact that they contradict."""

from __future__ import annotations

import pytest

from adequa.metrics.nli.contradictions import find_contradictions
from adequa.models import SentenceReading
from adequa.readers.records import read_record

TEXT = "Lamsen is closed in winter. It has 96 beds."
ITEM = read_record({"hut": "Lamsen", "winter": "open", "beds": 96}, TEXT, id="1").item
WINTER = next(place for place, one in enumerate(ITEM.triples) if one.predicate == "winter")
BEDS = next(place for place, one in enumerate(ITEM.triples) if one.predicate == "beds")
FIRST = [(0, 6), (7, 9), (10, 16), (17, 19), (20, 26), (26, 27)]


def zip_words(*logits: float) -> list[tuple[int, int, float]]:
    return [(first, last, one) for (first, last), one in zip(FIRST, logits, strict=False)]


def reading(
    fact: int, logit: float, *words: float, start: int = 0, end: int = 27
) -> SentenceReading:
    return SentenceReading(start, end, fact, logit, -1.0, None, tuple(zip_words(*words)))


def test_the_fact_that_a_sentence_contradicts_most_at_the_clause_by_which_it_does() -> None:
    readings = [
        reading(BEDS, -1.0, 0.0, 0.0, 0.0),
        reading(WINTER, 3.0, -4.0, 1.0, 2.0, -1.0, -3.0, -5.0),
        SentenceReading(28, 43, BEDS, -5.0, 2.0, None, ((28, 30, -6.0),)),
    ]
    (found,) = find_contradictions(ITEM, readings)
    assert TEXT[slice(*found.words)] == "is closed"
    assert TEXT[found.start : found.end] == "Lamsen is closed in winter"
    assert found.reason(ITEM) == "'is closed': the data has winter 'open' for Lamsen"
    assert found.features["rule reader"] == 1.0
    assert found.features["reader: contradicts"] == 3.0
    assert found.features["reader: wrong words"] == 2.0
    assert found.features["reader: next fact"] == -1.0
    assert found.features["reader: stated"] == -1.0
    assert found.features["reader: opposite"] == 0.0
    assert found.features["reader: rank"] == 1.0
    assert found.features["reader: number"] == 0.0


@pytest.mark.parametrize("readings", [[], [reading(WINTER, -4.0, 1.0)], [reading(WINTER, 4.0)]])
def test_nothing_is_found_without_doubt_or_without_words(readings: list[SentenceReading]) -> None:
    assert find_contradictions(ITEM, readings) == []


def test_a_clause_that_no_fact_supports() -> None:
    readings = [
        SentenceReading(0, 27, None, 2.0, 0.0, None, tuple(zip_words(-3, -3, -4, 3, 2, -2))),
        reading(WINTER, -1.0, -4.0, -4.0, 0.5),
    ]
    against, (start, end, words, fact, features) = find_contradictions(ITEM, readings)
    assert (TEXT[slice(*words)], fact) == ("in winter", None)
    assert TEXT[start:end] == "Lamsen is closed in winter"
    assert features["rule support"] == 1.0
    assert (features["support: sentence"], features["support: words"]) == (2.0, 3.0)
    assert features["support: contradicts"] == -1.0
    assert (features["support: count"], features["support: figures"]) == (2.0, 0.0)
    assert against.features["reader: together"] == 2.0
    assert against.features["reader: together here"] == 3.0
    assert against.rule == "rule reader"


def test_what_the_facts_support_has_no_candidate() -> None:
    together = SentenceReading(0, 27, None, -5.0, 0.0, None, tuple(zip_words(-3, -3, -4, 3, 2, -2)))
    assert find_contradictions(ITEM, [together, reading(WINTER, -4.0, 1.0)]) == []
