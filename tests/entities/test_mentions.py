"""Mentions drawn as an annotator would, whoever judges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.entities.candidates import Candidate
from adequa.entities.detector import Search, find_cores
from adequa.entities.graph import Graph, compile_graph
from adequa.entities.mentions import (
    Judge,
    Option,
    WeightsJudge,
    draw,
    keep_features,
    left_sides,
    load_weights,
    probabilities,
    right_sides,
)
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


TRIPLES_OF_SIDES = [
    Triple("Vexla_Institute", "city", "Norn"),
    Triple("Vexla_Institute", "height", "20.5 (metres)"),
]
GRAPH_OF_SIDES = compile_graph(TRIPLES_OF_SIDES, {}, {})


def core_at(string: str, core: str, entity: int, reach: str = "") -> tuple[PreparedText, Candidate]:
    start = string.index(core)
    end = start + len(core)
    stop = end + len(reach) if reach else 0
    return PreparedText(string), Candidate(start, end, entity, 0, 0.0, "name", stop)


def lefts(string: str, core: str, entity: int) -> list[str]:
    text, candidate = core_at(string, core, entity)
    taken = bytearray(len(string) + 1)
    sides = left_sides(candidate, GRAPH_OF_SIDES.entities[entity], GRAPH_OF_SIDES, text, taken)
    return [string[side.offset : candidate.end] for side in sides]


def rights(string: str, core: str, entity: int, reach: str = "") -> list[str]:
    text, candidate = core_at(string, core, entity, reach)
    taken = bytearray(len(string) + 1)
    sides = right_sides(candidate, GRAPH_OF_SIDES.entities[entity], GRAPH_OF_SIDES, text, taken)
    return [string[candidate.start : side.offset] for side in sides]


@pytest.mark.parametrize(
    ("string", "spans"),
    [
        ("In the Norn it is.", ["Norn", "the Norn"]),
        ("In the old city Norn.", ["Norn", "city Norn", "the old city Norn"]),
        ("Norn it is.", ["Norn"]),
        ("It, the Norn", ["Norn", "the Norn"]),
        ("the. Norn", ["Norn"]),
        ("It is in Norn.", ["Norn"]),
    ],
)
def test_left_sides(string: str, spans: list[str]) -> None:
    assert lefts(string, "Norn", 1) == spans


@pytest.mark.parametrize(
    ("string", "spans"),
    [
        ("Norn's people", ["Norn", "Norn's"]),
        ("Norn’s people", ["Norn", "Norn’s"]),
        ("Norn 's people", ["Norn", "Norn 's"]),
        ("Norn city is old", ["Norn", "Norn city"]),
        ("Norn City", ["Norn", "Norn City"]),
        ("Norn is old", ["Norn"]),
        ("Norn. City", ["Norn"]),
        ("Norn", ["Norn"]),
    ],
)
def test_right_sides(string: str, spans: list[str]) -> None:
    assert rights(string, "Norn", 1) == spans


def test_units_and_what_a_name_reaches() -> None:
    assert rights("It is 20.5 metres high", "20.5", 2, " metres") == ["20.5", "20.5 metres"]
    assert rights("In Norn, Ilm, it is", "Norn", 1, ", Ilm") == ["Norn", "Norn, Ilm"]


def test_what_is_taken_is_left_alone() -> None:
    string = "the Norn city"
    text, candidate = core_at(string, "Norn", 1)
    full = bytearray(b"\1" * 20)
    entity = GRAPH_OF_SIDES.entities[1]
    assert [side.offset for side in left_sides(candidate, entity, GRAPH_OF_SIDES, text, full)] == [
        4
    ]
    assert [side.offset for side in right_sides(candidate, entity, GRAPH_OF_SIDES, text, full)] == [
        8
    ]


def test_what_speaks_for_keeping_names_its_surroundings() -> None:
    text, candidate = core_at('He saw "Norn" (the city)', "Norn", 1)
    features = keep_features(candidate, GRAPH_OF_SIDES, text, before=0, others=1)
    assert {"keep", "tier=0", "name&before=0", "name&others=1", "use=city"} <= set(features)
    assert any(feature.startswith("quoted") for feature in features)


WORDS_OF_SIDES = [
    "the",
    "Norn",
    "Vexla",
    "Institute",
    "'s",
    ",",
    ".",
    "20.5",
    "metres",
    "a",
    "city",
    "😀",
]
SEARCH_OF_SIDES = Search(0.4, 0.6, repeat_weak=True, conversions=True)


@given(st.lists(st.sampled_from(WORDS_OF_SIDES), max_size=12).map(" ".join))
def test_every_side_stands_in_the_text_and_the_core_comes_first(string: str) -> None:
    text, graph = PreparedText(string), GRAPH_OF_SIDES
    free = bytearray(len(string) + 1)
    for core in find_cores(graph, text, SEARCH_OF_SIDES):
        check(core, graph, text, free)


def check(core: Candidate, graph: Graph, text: PreparedText, free: bytearray) -> None:
    entity = graph.entities[core.entity]
    left = [side.offset for side in left_sides(core, entity, graph, text, free)]
    right = [side.offset for side in right_sides(core, entity, graph, text, free)]
    assert (left[0], right[0]) == (core.start, core.end)
    assert all(0 <= offset <= core.start for offset in left)
    assert all(core.end <= offset <= len(text.string) for offset in right)


FEATURES = st.lists(st.sampled_from("abcd"), max_size=4)


@given(
    st.dictionaries(st.sampled_from("abcd"), st.floats(-50, 50)),
    st.lists(FEATURES, min_size=1, max_size=5),
)
def test_a_softmax_of_sums(weights: dict[str, float], options: list[list[str]]) -> None:
    powers = [math.exp(sum(weights.get(one, 0) for one in option)) for option in options]
    expected = [power / sum(powers) for power in powers]
    assert probabilities(weights, options) == pytest.approx(expected)


def test_great_weights_do_not_overflow() -> None:
    assert probabilities({"a": 5000.0, "b": -5000.0}, [["a"], ["b"], []]) == [1.0, 0.0, 0.0]


def test_the_shipped_weights_know_every_decision() -> None:
    weights = load_weights()
    assert set(weights) >= {"keep", "left", "right", "anaphor"}
    for table in weights.values():
        assert table
        assert all(math.isfinite(weight) for weight in table.values())
    assert load_weights() is weights
