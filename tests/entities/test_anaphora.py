"""Pronouns and common nouns, and what speaks for an entity they may stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.entities.anaphora import History, anaphors, option_features, pronoun_spans
from adequa.entities.graph import compile_graph
from adequa.text.words import PreparedText

GRAPH = compile_graph(
    [
        Triple("Aarhus_Airport", "cityServed", "Aarhus"),
        Triple("Aarhus_Airport", "leader", "Ann_Bell"),
        Triple("Ann_Bell", "birthPlace", "Leeds"),
    ],
    {},
    {},
)


def found(string: str) -> list[tuple[str, str, str]]:
    text = PreparedText(string)
    free = bytearray(len(string) + 1)
    return [
        (string[one.start : one.end], one.form, one.noun) for one in anaphors(GRAPH, text, free)
    ]


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("It is old.", [("It", "it", "")]),
        ("She told him.", [("She", "she", ""), ("him", "he", "")]),
        ("It's old, and its age", [("It's", "it's", ""), ("its", "it", "")]),
        ("Theirs are Italy's items.", [("Theirs", "they", "")]),
        ("The airport's age", [("The airport's", "the", "airport")]),
        ("this old airport", [("this old airport", "this", "airport")]),
        ("the old. Airport", []),
        ("the river", []),
        ("an airport", []),
    ],
)
def test_anaphors(string: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(string) == expected


def test_what_is_taken_is_no_anaphor() -> None:
    text = PreparedText("It is the airport.")
    assert anaphors(GRAPH, text, bytearray(b"\1" * 30)) == []


def test_pronouns_of_a_text() -> None:
    string = "He, HERSELF: it; item, hers"
    assert [string[start:end] for start, end in pronoun_spans(string)] == [
        "He",
        "HERSELF",
        "it",
        "hers",
    ]


def test_what_speaks_for_an_entity() -> None:
    text = PreparedText("Ann Bell came. She was born in Leeds.")
    numbers = {entity.string: number for number, entity in enumerate(GRAPH.entities)}
    (she,) = anaphors(GRAPH, text, bytearray(60))
    history = History([0, 6], [numbers["Ann_Bell"], numbers["Leeds"]])
    person = set(option_features(she, numbers["Ann_Bell"], GRAPH, text, history))
    place = set(option_features(she, numbers["Leeds"], GRAPH, text, history))
    assert {"she|person=True", "she|rank=0", "she|first before=True"} <= person
    assert {"she|person=False", "she|rank=none"} <= place
    assert "gender clash=False" in person


@given(st.lists(st.sampled_from(["it", "the", "airport", "'s", ".", "her", "It"]), max_size=12))
def test_anaphors_stand_in_the_text_in_order(words: list[str]) -> None:
    string = " ".join(words)
    text = PreparedText(string)
    seen = anaphors(GRAPH, text, bytearray(len(string) + 1))
    assert all(0 <= one.start < one.end <= len(string) for one in seen)
    assert [one.start for one in seen] == sorted(one.start for one in seen)
