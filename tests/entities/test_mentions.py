"""Mentions drawn as an annotator would, whoever judges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.entities.detector import Search, find_cores
from adequa.entities.graph import compile_graph
from adequa.entities.mentions import Judge, Option, WeightsJudge, draw
from adequa.text.words import PreparedText

TRIPLES = [
    Triple("Acharya_Institute", "city", "Abilene,_Texas"),
    Triple("Acharya_Institute", "director", "Ann_Bell"),
    Triple("Ann_Bell", "birthDate", "1957-05-03"),
]
GRAPH = compile_graph(TRIPLES, {}, {})
SEARCH = Search(0.4, 0.6, repeat_weak=True, conversions=True)


class Always:
    """Takes one option by its place, the first or the last; drops no core."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.asked: list[str] = []

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        self.asked.append(decision)
        return 0 if decision == "keep" else range(len(options))[self.place]


class Never(Always):
    """Drops every core."""

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        return 1 if decision == "keep" else super().decide(decision, options)


def drawn(string: str, judge: Judge, *, anaphors: bool = True) -> list[tuple[str, str]]:
    text = PreparedText(string)
    found = draw(find_cores(GRAPH, text, SEARCH), GRAPH, text, judge, anaphors=anaphors)
    assert found == sorted(found)
    return [(GRAPH.entities[one.entity].string, string[one.start : one.end]) for one in found]


TEXT = "The Acharya Institute is in Abilene's centre. It is led by Ann Bell."


def test_the_first_option_is_the_bare_core_and_no_referent() -> None:
    judge = Always(0)
    assert drawn(TEXT, judge) == [
        ("Acharya_Institute", "Acharya Institute"),
        ("Abilene,_Texas", "Abilene"),
        ("Ann_Bell", "Ann Bell"),
    ]
    assert set(judge.asked) == {"keep", "left", "right", "anaphor"}


def test_the_last_option_is_the_widest() -> None:
    found = drawn(TEXT, Always(-1))
    assert ("Acharya_Institute", "The Acharya Institute") in found
    assert ("Abilene,_Texas", "Abilene's") in found
    assert "It" in [span for _, span in found]


def test_what_is_dropped_and_anaphors_left_out() -> None:
    assert drawn(TEXT, Never(0)) == []
    assert "It" not in [span for _, span in drawn(TEXT, Always(-1), anaphors=False)]


@pytest.mark.parametrize(
    ("string", "entity", "span"),
    [
        ("The Acharya Institute is old.", "Acharya_Institute", "The Acharya Institute"),
        ("Ann Bell leads the Acharya Institute.", "Acharya_Institute", "the Acharya Institute"),
        ("Abilene's institute is led by Ann Bell.", "Abilene,_Texas", "Abilene's"),
        ("Ann Bell was born on 3 May 1957.", "1957-05-03", "3 May 1957"),
        ("Ann Bell is old. She was born on 3 May 1957.", "Ann_Bell", "She"),
        ("Ann Bell is the director.", "Ann_Bell", "Ann Bell"),
    ],
)
def test_the_shipped_weights_draw_as_annotators_do(string: str, entity: str, span: str) -> None:
    assert (entity, span) in drawn(string, WeightsJudge())


WORDS = ["The", "Acharya", "Institute", "'s", "it", "She", ",", ".", "Ann", "Bell", "in", "1957"]


@given(st.lists(st.sampled_from([*WORDS, "Abilene", "the", "city"]), max_size=14).map(" ".join))
def test_mentions_do_not_overlap_whoever_judges(string: str) -> None:
    text = PreparedText(string)
    for judge in (Always(0), Never(0)):
        found = draw(find_cores(GRAPH, text, SEARCH), GRAPH, text, judge, anaphors=True)
        for left, right in pairwise(found):
            assert left.end <= right.start
        assert all(0 <= one.start < one.end <= len(string) for one in found)
