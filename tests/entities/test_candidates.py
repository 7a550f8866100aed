"""Candidates of a graph in a text, and the choice among them."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.entities.candidates import (
    Candidate,
    bag_candidates,
    choose,
    exact_candidates,
    fuzzy_candidates,
    stands_alone,
    value_candidates,
    weak_candidates,
)
from adequa.entities.graph import Graph, compile_graph
from adequa.text.words import PreparedText


def graph_of(*objects: str, predicate: str = "about") -> Graph:
    """The objects are the entities from number 1 on."""
    return compile_graph([Triple("Qqq", predicate, value) for value in objects], {}, {})


def spans(text: PreparedText, found: list[Candidate]) -> list[tuple[str, str]]:
    return [(text.string[one.start : one.end], one.method) for one in found]


WORDS = ["Vexla", "Norn", "vexla", "Nornton", "of", "the", "Ilm", "-", ",", "ilm"]
NAMES = ["Vexla", "Norn Ilm", "Vexla of Norn", "Ilm"]


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(WORDS), max_size=10),
)
def test_whole_words_as_a_plain_scan_finds_them(names: list[str], words: list[str]) -> None:
    text = PreparedText(" ".join(words))
    graph = graph_of(*names)
    expected = set()
    plain = [word.lower() for word in words if word.isalpha()]
    for number, name in enumerate(names, 1):
        wanted = name.lower().split()
        for at in range(len(plain) - len(wanted) + 1):
            if plain[at : at + len(wanted)] == wanted:
                expected.add((number, text.starts[at], text.ends[at + len(wanted) - 1]))
    found = {
        (one.entity, one.start, one.end)
        for one in exact_candidates(graph, text, weak=False)
        if one.method == "name"
    }
    assert found == expected


@given(st.lists(st.sampled_from(WORDS), max_size=10), st.booleans())
def test_many_names_are_found_as_few_are(words: list[str], weak: bool) -> None:
    text, graph = PreparedText(" ".join(words)), graph_of(*NAMES)
    few = exact_candidates(graph, text, weak=weak)
    with patch("adequa.entities.candidates._FEW_NAMES", 0):
        assert exact_candidates(graph, text, weak=weak) == few


@pytest.mark.parametrize(
    ("name", "string", "found"),
    [
        ("Vexla", "vexlas and VEXLA's", ["vexlas", "VEXLA"]),
        ("Vex_la", "Vex-la, vexla", ["Vex-la", "vexla"]),
        ("Vexla", "Vexlaton Svexla", []),
        ("St._Vexla", "St. Vexla", ["St. Vexla"]),
        ("House_Norn", "A house. Norn came.", []),
        ("Vexla_(Norn)", "Vexla (Norn) ", ["Vexla (Norn)", "Vexla"]),
    ],
)
def test_exact_names(name: str, string: str, found: list[str]) -> None:
    text = PreparedText(string)
    seen = spans(text, exact_candidates(graph_of(name), text, weak=False))
    assert sorted({span for span, method in seen if method == "name"}) == sorted(found)


@pytest.mark.parametrize(
    "string",
    [
        "Taylor Willis and Anne Norn, then Norn and Willis.",
        "Willis",
        "",
        "The willis, Willises and Norn's Anne; Ann Taylors.",
    ],
)
def test_weak_names_of_some_entities_are_those_of_all(string: str) -> None:
    graph, text = graph_of("Taylor_Willis", "Anne_Norn"), PreparedText(string)
    everything = exact_candidates(graph, text, weak=True)
    for only in ([1], [2], [1, 2]):
        wanted = [one for one in everything if one.entity in only]
        assert weak_candidates(graph, text, only) == wanted


@pytest.mark.parametrize(
    ("string", "name", "alone"),
    [
        ("Willis wrote.", "Willis", True),
        ("It was Taylor Willis.", "Willis", False),
        ("It was Ted Willis.", "Willis", True),
        ("It was President Willis.", "Willis", True),
        ("It was Willis 3 then.", "Willis", False),
        ("It was Willis-Smith.", "Willis", False),
        ("The Willis came.", "Willis", True),
        ("Then Willis came.", "Willis", True),
    ],
)
def test_a_weak_name_stands_alone(string: str, name: str, alone: bool) -> None:
    start = string.index(name)
    candidate = Candidate(start, start + len(name), 1, 2, 0.0, "surname")
    entity = graph_of("Ted_Willis").entities[1]
    taken = bytearray(len(string) + 1)
    assert stands_alone(candidate, entity, PreparedText(string), taken) is alone


CANDIDATES = st.lists(
    st.builds(
        lambda start, length, entity, tier, distance: Candidate(
            start, start + length, entity, tier, distance, "name"
        ),
        st.integers(0, 20),
        st.integers(1, 8),
        st.integers(0, 3),
        st.integers(0, 3),
        st.sampled_from([0.0, 0.1, 0.2]),
    ),
    max_size=8,
)


@given(CANDIDATES)
def test_what_is_chosen_does_not_overlap_and_leaves_nothing_free(
    candidates: list[Candidate],
) -> None:
    taken = bytearray(40)
    chosen = choose(candidates, taken)
    places = [place for one in chosen for place in range(one.start, one.end)]
    assert len(places) == len(set(places))
    assert {place for place, mark in enumerate(taken) if mark} == set(places)
    for one in candidates:
        assert one in chosen or set(range(one.start, one.end)) & set(places)
    assert sorted(choose(candidates[::-1], bytearray(40))) == sorted(chosen)


def test_a_longer_name_is_chosen_before_a_shorter_one() -> None:
    short, long = Candidate(4, 9, 0, 0, 0.0, "name"), Candidate(0, 9, 1, 0, 0.0, "name")
    assert choose([short, long], bytearray(10)) == [long]
    sure, weak = Candidate(0, 5, 0, 0, 0.0, "name"), Candidate(0, 9, 1, 2, 0.0, "part")
    assert choose([weak, sure], bytearray(10)) == [sure]


def graph_of_loose(*objects: str, predicate: str = "about") -> Graph:
    """The objects are the entities from number 1 on."""
    return compile_graph([Triple("Qqq", predicate, value) for value in objects], {}, {})


def spans_loose(text: PreparedText, found: list[Candidate]) -> list[tuple[str, str]]:
    return [(text.string[one.start : one.end], one.method) for one in found]


def fuzzy(name: str, string: str, threshold: float = 0.25, *, strict: bool = True) -> list[str]:
    text, graph = PreparedText(string), graph_of_loose(name)
    free = bytearray(len(string) + 1)
    found = fuzzy_candidates(1, graph.entities[1], text, threshold, free, strict=strict)
    assert all(0 < one.distance <= threshold for one in found)
    return [string[one.start : one.end] for one in found]


def test_misspelt_names() -> None:
    assert "Ted Wilis" in fuzzy("Ted_Willis", "By Ted Wilis.")
    assert fuzzy("Ted_Willis", "By Taylor Willis.") == []
    assert fuzzy("Ted_Willis", "By Taylor Willis.", 0.4) == []
    assert "Taylor Willis" in fuzzy("Ted_Willis", "By Taylor Willis.", 0.5, strict=False)
    assert fuzzy("Kent_1", "Kant") == []
    assert fuzzy("Apollo_Norn_12", "Apollo Norn 13") == []


def test_what_is_taken_is_not_misspelt() -> None:
    text, graph = PreparedText("Ted Wilis"), graph_of_loose("Ted_Willis")
    taken = bytearray(b"\1" * 10)
    assert fuzzy_candidates(1, graph.entities[1], text, 0.25, taken) == []


def test_words_in_any_order() -> None:
    graph = graph_of_loose('"Celery, salt, pepper and cream"')
    text = PreparedText("It has cream, pepper, salt and some celery in it.")
    (found,) = bag_candidates(1, graph, text, 0.95)
    assert text.string[found.start : found.end] == "cream, pepper, salt and some celery"
    assert bag_candidates(1, graph, PreparedText("It has cream and salt."), 0.95) == []
    far = PreparedText("celery, salt" + " and so on and on" * 9 + " pepper, cream")
    assert bag_candidates(1, graph, far, 0.95) == []


def graph_of_values(*objects: str, predicate: str = "about") -> Graph:
    """The objects are the entities from number 1 on."""
    return compile_graph([Triple("Qqq", predicate, value) for value in objects], {}, {})


def spans_values(text: PreparedText, found: list[Candidate]) -> list[tuple[str, str]]:
    return [(text.string[one.start : one.end], one.method) for one in found]


def test_values() -> None:
    text = PreparedText("On 3 May 1957, about 16,800 of 17 thousand came 1 km.")
    graph = graph_of_values("1957-05-03", "16800", "1000 (metres)")
    assert spans_values(text, value_candidates(graph, text)) == [
        ("3 May 1957", "date"),
        ("16,800", "number"),
        ("17 thousand", "rounded number"),
    ]
    converted = value_candidates(graph, text, conversions=True)
    assert ("1", "converted number") in spans_values(text, converted)
    (kilometre,) = [one for one in converted if one.method == "converted number"]
    assert text.string[kilometre.start : kilometre.reach] == "1 km"


def test_a_decimal_that_a_tokeniser_took_apart() -> None:
    text = PreparedText("It is 3. 04 long.")
    assert ("3. 04", "number") in spans_values(
        text, value_candidates(graph_of_values("3.04"), text)
    )
