"""Nearly right graphs: each operator changes what its name says, and labels follow."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.perturb import FALSE, TRUE, Document, Knowledge, LabelledDocument, draw
from adequa.perturb.graphs import (
    add_further_triple,
    add_unstated_triples,
    drop_triple,
    further_triple,
    invert_triple,
    replace_triple,
    variant_of,
)
from adequa.text import is_symmetric

from ..training import corpora

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
NUMBERS = st.integers(min_value=0, max_value=100_000)
COUNTRY = Triple("Velmora", "country", "Sarn")
INVERT = partial(invert_triple, named=False)
DROP = partial(drop_triple, named=False)


def labelled(
    operator: object, pair: Document, knowledge: Knowledge, chance: random.Random
) -> LabelledDocument | None:
    """The pair with one change and its labels."""
    change = draw(operator, pair, knowledge, chance)  # type: ignore[arg-type]
    found = LabelledDocument.of(pair)
    if change is None:
        return None
    found.apply(change)
    return found


@given(NUMBERS)
def test_each_kind_changes_what_its_name_says(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    graph = pair.triples
    for make in (replace_triple, INVERT):
        change = draw(make, pair, KNOWN, chance)
        if change is None or change.triples is None:
            assert all(is_symmetric(triple.predicate) for triple in graph)
            continue
        new = change.triples
        (before,), (after,) = set(graph) - set(new), set(new) - set(graph)
        assert len(new) == len(graph)
        if make is replace_triple:
            assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
        else:
            assert (after.subject, after.object) == (before.object, before.subject)
    less, more = draw(DROP, pair, KNOWN, chance), draw(add_further_triple, pair, KNOWN, chance)
    assert less is None if len(graph) == 1 else set(less.triples) < set(graph)
    if more is not None:  # a few of the known triples are tried, not all
        (new_one,) = set(more.triples) - set(graph)
        assert new_one in KNOWN.known[new_one.subject]  # true, and not stated


def test_a_varied_triple_is_of_the_same_type_and_not_true() -> None:
    seen = Counter()
    for seed in range(100):
        new = variant_of(COUNTRY, KNOWN, random.Random(seed))
        assert new is not None
        assert new not in KNOWN.known.get(new.subject, [])
        if new.object != COUNTRY.object:
            seen["object"] += 1
            assert new.object in corpora.LANDS
        elif new.subject != COUNTRY.subject:
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
    assert further_triple(graphs[0], known, random.Random(0)) is None


@given(NUMBERS)
def test_an_inverted_triple_is_never_symmetric_and_never_true(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    found = labelled(INVERT, pair, KNOWN, chance)
    if found is None:
        assert all(is_symmetric(triple.predicate) for triple in pair.triples)
        return
    (turned,) = set(found.triples) - set(pair.triples)
    assert not is_symmetric(turned.predicate)
    assert turned._replace(subject=turned.object, object=turned.subject) in pair.triples
    assert found.stated[found.triples.index(turned)] == FALSE
    assert (found.supported, found.text) == (FALSE, pair.text)


@given(NUMBERS)
def test_a_replaced_triple_is_not_known_to_be_true(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    found = labelled(replace_triple, pair, KNOWN, chance)
    if found is not None:
        (new,) = set(found.triples) - set(pair.triples)
        assert new not in KNOWN.known.get(new.subject, [])
        assert found.stated[found.triples.index(new)] == FALSE
        assert len(found.triples) == len(pair.triples)


@given(NUMBERS)
def test_words_that_lost_their_triple_are_not_supported(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    found = labelled(DROP, pair, KNOWN, chance)
    if found is None:
        assert len(pair.triples) == 1
        return
    (gone,) = set(pair.triples) - set(found.triples)
    lost = {gone.subject, gone.object} - found.entities()
    marked = {found.text[place.start : place.end] for place in found.unsupported}
    for one in pair.mentions:
        assert (pair.text[one.start : one.end] in marked) == (one.entity in lost)
    assert set(found.stated) == {TRUE}


@given(NUMBERS)
def test_added_triples_are_not_stated(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    found = LabelledDocument.of(pair)
    add_unstated_triples(found, KNOWN, chance)
    for triple, stated in zip(found.triples, found.stated, strict=True):
        assert stated == (TRUE if triple in pair.triples else FALSE)
    assert found.supported == TRUE


@given(NUMBERS)
def test_a_triple_that_the_graph_has_lost_is_never_added_as_not_stated(seed: int) -> None:
    chance = random.Random(seed)
    pair = chance.choice(PAIRS)
    nothing = Knowledge([])  # so that nothing is known to be true
    operator = chance.choice((INVERT, DROP, replace_triple))
    found = labelled(operator, pair, KNOWN if operator is replace_triple else nothing, chance)
    if found is None:
        return
    (gone,) = found.gone
    assert gone in pair.triples
    assert gone not in found.triples
    for _ in range(20):
        add_unstated_triples(found, nothing, chance)
    assert gone not in found.triples
    assert len(set(found.triples)) == len(found.triples) == len(found.stated)


def test_an_inverted_triple_would_come_back_by_turning() -> None:
    found = labelled(INVERT, PAIRS[0], Knowledge([]), random.Random(0))
    assert found is not None
    lost = replace(found, gone=set(), triples=list(found.triples), stated=list(found.stated))
    for seed in range(20):
        add_unstated_triples(lost, Knowledge([]), random.Random(seed))
        add_unstated_triples(found, Knowledge([]), random.Random(seed))
    assert COUNTRY in lost.triples  # the reason for `gone`
    assert COUNTRY not in found.triples
