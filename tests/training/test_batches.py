"""Nearly right graphs, and the batches they meet in."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.perturb.graphs import KINDS, added, dropped, further, inverted, replaced, varied
from adequa.perturb.pairs import Knowledge, gather, pairs_of
from adequa.text.predicates import is_symmetric
from adequa.training.encoder import MIXTURE, ContrastiveBatches

from . import corpora

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
NUMBERS = st.integers(min_value=0, max_value=100_000)


@given(NUMBERS)
def test_each_kind_changes_what_it_says(number: int) -> None:
    chance = random.Random(number)
    graph = chance.choice(PAIRS).triples
    for make in (replaced, inverted):
        new = make(graph, KNOWN, chance)
        if new is None:
            assert all(is_symmetric(triple.predicate) for triple in graph)
            continue
        (before,), (after,) = set(graph) - set(new), set(new) - set(graph)
        assert len(new) == len(graph)
        if make is replaced:
            assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
        else:
            assert (after.subject, after.object) == (before.object, before.subject)
    less, more = dropped(graph, KNOWN, chance), added(graph, KNOWN, chance)
    assert less is None if len(graph) == 1 else set(less or ()) < set(graph)
    if more is not None:  # it looks at a few of the known triples, not at all
        (new_one,) = set(more) - set(graph)
        assert new_one in KNOWN.known[new_one.subject]  # true, and not said


def test_a_varied_triple_is_of_the_same_type_and_not_true() -> None:
    triple = Triple("Velmora", "country", "Sarn")
    seen = Counter()
    for seed in range(100):
        new = varied(triple, KNOWN, random.Random(seed))
        assert new is not None
        assert new not in KNOWN.known.get(new.subject, [])
        if new.object != triple.object:
            seen["object"] += 1
            assert new.object in corpora.LANDS
        elif new.subject != triple.subject:
            seen["subject"] += 1
            assert new.subject in corpora.TOWNS
        else:
            seen["predicate"] += 1
            assert new.predicate in {"leader", "population", "twinTown"}
    assert min(seen.values()) > 15
    assert len(seen) == 3


def test_predicates_that_may_mean_the_same_are_not_exchanged() -> None:
    graphs = [
        (Triple("a", "country", "b"), Triple("a", "state", "b"), Triple("a", "leader", "c")),
        (Triple("d", "country", "e"),),
    ]
    known = Knowledge(graphs)
    assert known.predicates["country"] == ["leader"]
    assert further(graphs[0], known, random.Random(0)) is None


def test_a_batch_is_always_the_same_and_its_graphs_differ() -> None:
    batches = ContrastiveBatches(PAIRS, KNOWN, size=6)
    for number in range(30):
        pairs, negatives = batches.batch(number)
        assert (pairs, negatives) == ContrastiveBatches(PAIRS, KNOWN, size=6).batch(number)
        graphs = [frozenset(pair.triples) for pair in pairs]
        assert len(set(graphs)) == len(graphs) <= 6
        sizes = [len(graph) for graph in graphs]
        assert max(sizes) - min(sizes) <= 2  # each within one of the first
        assert len(negatives) <= len(pairs)
    other = ContrastiveBatches(PAIRS, KNOWN, size=6, seed=1)
    assert batches.batch(0) != other.batch(0)


def test_the_mixture_is_what_is_made() -> None:
    alone = ContrastiveBatches(PAIRS, KNOWN, size=6, mixture={})
    assert alone.batch(0)[1] == []
    dropping = ContrastiveBatches(PAIRS, KNOWN, size=6, mixture={"dropped": 1.0})
    for number in range(20):
        pairs, negatives = dropping.batch(number)
        graphs = [set(pair.triples) for pair in pairs]
        assert all(any(set(one) < graph for graph in graphs) for one in negatives)
    assert set(MIXTURE) == set(KINDS)


def test_pairs_know_where_their_entities_stand() -> None:
    item = corpora.items()[1]
    (pair,) = pairs_of([item])
    said = [(entity, item.text[start:end]) for entity, start, end in pair.spans]
    assert said == [
        ("Velmora", "Velmora"),
        ("Sarn", "Sarn"),
        ("Velmora", "Velmora"),
        ("Ida_Thorvald", "Ida Thorvald"),
    ]
    (bare,) = pairs_of([item], places=False)
    assert bare.spans == ()
    assert (bare.triples, bare.text, bare.entry) == (pair.triples, pair.text, pair.entry)


def test_annotated_places_come_first_and_empty_items_teach_nothing() -> None:
    text = "It is in Sarn."
    triples = (Triple("Velmora", "country", "Sarn"),)
    mentions = [
        {"entity": "Velmora", "start": 0, "end": 2},
        {"entity": "Sarn", "start": None, "end": None},
        {"entity": "Elsewhere", "start": 3, "end": 5},
    ]
    marked = Item("1/x", triples, text, system="reference", meta={"mentions": mentions})
    empty = [Item("2", triples, " "), Item("3", (), text)]
    told: list[int] = []
    (pair,) = pairs_of([marked, *empty], gather([marked]), told.append)
    assert pair.spans == (("Velmora", 0, 2),)
    assert (pair.entry, told) == ("1", [1, 2, 3])
