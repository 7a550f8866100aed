"""Where a mention may begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.entities.candidates import Candidate
from adequa.entities.detector import Search, find_cores
from adequa.entities.graph import Graph, compile_graph
from adequa.entities.mentions import keep_features, left_sides, right_sides
from adequa.text.words import PreparedText

TRIPLES = [
    Triple("Vexla_Institute", "city", "Norn"),
    Triple("Vexla_Institute", "height", "20.5 (metres)"),
]
GRAPH = compile_graph(TRIPLES, {}, {})


def core_at(string: str, core: str, entity: int, reach: str = "") -> tuple[PreparedText, Candidate]:
    start = string.index(core)
    end = start + len(core)
    stop = end + len(reach) if reach else 0
    return PreparedText(string), Candidate(start, end, entity, 0, 0.0, "name", stop)


def lefts(string: str, core: str, entity: int) -> list[str]:
    text, candidate = core_at(string, core, entity)
    taken = bytearray(len(string) + 1)
    sides = left_sides(candidate, GRAPH.entities[entity], GRAPH, text, taken)
    return [string[side.offset : candidate.end] for side in sides]


def rights(string: str, core: str, entity: int, reach: str = "") -> list[str]:
    text, candidate = core_at(string, core, entity, reach)
    taken = bytearray(len(string) + 1)
    sides = right_sides(candidate, GRAPH.entities[entity], GRAPH, text, taken)
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
    entity = GRAPH.entities[1]
    assert [side.offset for side in left_sides(candidate, entity, GRAPH, text, full)] == [4]
    assert [side.offset for side in right_sides(candidate, entity, GRAPH, text, full)] == [8]


def test_what_speaks_for_keeping_names_its_surroundings() -> None:
    text, candidate = core_at('He saw "Norn" (the city)', "Norn", 1)
    features = keep_features(candidate, GRAPH.entities[1], GRAPH, text, 0, 1)
    assert {"keep", "tier=0", "name&before=0", "name&others=1", "use=city"} <= set(features)
    assert any(feature.startswith("quoted") for feature in features)


WORDS = ["the", "Norn", "Vexla", "Institute", "'s", ",", ".", "20.5", "metres", "a", "city", "😀"]
SEARCH = Search(0.4, 0.6, repeat_weak=True, conversions=True)


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_every_side_stands_in_the_text_and_the_core_comes_first(string: str) -> None:
    text, graph = PreparedText(string), GRAPH
    free = bytearray(len(string) + 1)
    for core in find_cores(graph, text, SEARCH):
        check(core, graph, text, free)


def check(core: Candidate, graph: Graph, text: PreparedText, free: bytearray) -> None:
    entity = graph.entities[core.entity]
    left = [side.offset for side in left_sides(core, entity, graph, text, free)]
    right = [side.offset for side in right_sides(core, entity, graph, text, free)]
    assert (left[0], right[0]) == (core.start, core.end)
    assert all(0 <= offset <= core.start for offset in left)
    assert all(core.end <= offset <= len(text.string) for offset in right)
