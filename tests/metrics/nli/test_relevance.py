"""Relevance: facts that have to do with a text, and the facts for a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Triple
from adequa.metrics.nli.relevance import (
    _COMMON,
    FactIndex,
    read_relevance,
    related_facts,
    with_facts,
)

THINGS = ["Velmora", "Sarn", "Tarn", "Ida", "12", "yes"]
FACTS = st.builds(
    Triple, st.sampled_from(THINGS), st.sampled_from(["in", "height"]), st.sampled_from(THINGS)
)


def connected(triples: Sequence[Triple], named: Sequence[str]) -> list[int]:
    """The slow way: grow the set of things until nothing is added."""
    subjects = {triple.subject for triple in triples}
    bare = {"12", "yes"} - subjects
    reached = {*named} - bare
    for _ in triples:
        for triple in triples:
            ends = {triple.subject, triple.object} - bare
            if ends & reached:
                reached |= ends
    found = [
        number
        for number, triple in enumerate(triples)
        if {triple.subject, triple.object} & reached - bare
    ]
    return found or [*range(len(triples))]


@given(st.lists(FACTS, max_size=8), st.lists(st.sampled_from(THINGS), max_size=2))
def test_related_facts_are_connected_with_something_named(
    triples: list[Triple], named: list[str]
) -> None:
    assert list(related_facts(triples, named)) == connected(triples, named)


def test_a_height_in_common_connects_nothing() -> None:
    facts = [Triple("Tarn", "height", "12"), Triple("Sarn", "height", "12")]
    assert related_facts(facts, ["Tarn", "12"]) == (0,)
    about = [*facts, Triple("12", "unit", "metre")]
    assert related_facts(about, ["Tarn"]) == (0, 1, 2)


def test_all_facts_of_a_text_that_names_nothing() -> None:
    facts = [Triple("Tarn", "height", "12"), Triple("Sarn", "height", "14")]
    assert related_facts(facts, ["12"]) == related_facts(facts, []) == (0, 1)


TEXT = "Velmora is in Sarn. Its leader is Ida Thorvald. It was founded in 1733."
COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leaderName", "Ida_Thorvald")
FOUNDED = Triple("Velmora", "foundingYear", "1733")


def test_the_best_fact_of_a_part_comes_first() -> None:
    others = [Triple("Velmora", f"code{letter}", f"Value_{letter}") for letter in "bcdefgh"]
    item = Item("1", (*others, COUNTRY, LEADER, FOUNDED), TEXT)
    index = read_relevance(item)
    best = [
        item.triples[index(TEXT.index(first), TEXT.index(last) + len(last))[0]]
        for first, last in (("Velmora", "Sarn."), ("Its", "Thorvald."), ("It was", "1733."))
    ]
    assert best == [COUNTRY, LEADER, FOUNDED]


def test_a_part_that_shares_nothing_has_no_facts() -> None:
    text = "It rains. Velmora is in Sarn."
    assert FactIndex(Item("1", (COUNTRY,), text), ())(0, 9) == []


def test_what_many_facts_share_ranks_but_does_not_find() -> None:
    triples = [Triple("Velmora", "code", f"Q{number}") for number in range(3 * _COMMON)]
    triples[5] = FOUNDED
    mentions = [Mention("Velmora", 0, 7, "name"), Mention("1733", 11, 15, "number")]
    index = FactIndex(Item("1", tuple(triples), "Velmora of 1733."), mentions)
    assert index(0, 16) == [5]  # not the facts that only have the subject in common
    assert index(0, 7) == [*range(_COMMON)]  # where there is nothing else


def test_some_facts_of_a_record_keep_their_pointers() -> None:
    item = Item("1", (COUNTRY, LEADER, FOUNDED), TEXT, paths=("/country", "/leader", "/founded"))
    found = with_facts(item, (0, 2))
    assert (found.triples, found.paths) == ((COUNTRY, FOUNDED), ("/country", "/founded"))
    assert with_facts(Item("1", (COUNTRY, LEADER), TEXT), [1]).triples == (LEADER,)
