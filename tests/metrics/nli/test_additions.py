"""Phrases that no fact of a record is like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from adequa.entities import JudgmentSettings, judge
from adequa.metrics.nli.additions import find_additions
from adequa.readers.records import read_record

RECORD = {"hut": "Lamsen", "beds": 96, "open_from": "2024-06-08", "heating": "wood stove"}


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Texts that speak of a stove or of warmth are like each other, and others like nothing."""
    fields = ("beds", "heating", "open from", "hut")
    found = [
        [1.0, 0.0, 0.0]
        if "stove" in one or "fire" in one
        else [0.0, 1.0, 0.0]
        if one.startswith(fields)
        else [0.0, 0.0, 1.0]
        for one in texts
    ]
    return np.array(found, dtype=np.float32)


def additions(text: str) -> list[str]:
    """The additions of a text about the record."""
    item = read_record(RECORD, text, id="1").item
    mentions = judge(item, JudgmentSettings()).mentions
    return [text[one.start : one.end] for one in find_additions(item, mentions, encode)]


def test_a_phrase_that_no_fact_is_like() -> None:
    assert additions("Lamsen has 96 beds and serves delicious pancakes.") == [
        "and serves delicious pancakes"
    ]


def test_what_the_credibility_of_an_addition_depends_on() -> None:
    item = read_record(RECORD, "Lamsen has 96 beds and serves delicious pancakes.", id="1").item
    (found,) = find_additions(item, judge(item, JudgmentSettings()).mentions, encode)
    assert found.features == {"rule addition": 1, "addition: likeness": 0, "addition: words": 4}


def test_a_phrase_that_a_fact_is_like() -> None:
    assert additions("Lamsen has 96 beds with a crackling fire burning.") == []


def test_what_follows_from_several_facts_is_not_looked_at() -> None:
    assert additions("Lamsen has 96 beds, nearly twice the usual quantity.") == []


def test_a_phrase_with_a_word_of_the_data_is_not_looked_at() -> None:
    assert additions("Lamsen has 96 beds and cosy wood panelling.") == []
