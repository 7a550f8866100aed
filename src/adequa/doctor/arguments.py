"""Who does what to whom: two names exchanged in the text, a triple turned round in the data."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations

from adequa.data import Item, Triple
from adequa.doctor.model import Case, few_places, rewritten, with_triples
from adequa.doctor.reading import Corpus, Reading, share_words, words
from adequa.entities.dates import date_of
from adequa.entities.numbers import quantity_of
from adequa.entities.surface import label_of
from adequa.training.symmetric import is_symmetric

__all__ = ["invert_triple", "swap_entities"]

_MOST_NAMES = 12
"""Names of a text that are paired with each other."""


def swap_entities(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """The names of two entities in each other's place, where that says something else.

    Each has one name in the text, and the names have no word in common.
    """
    del corpus
    item = reading.item
    once = sorted((entity, spans[0]) for entity, spans in reading.names.items() if len(spans) == 1)
    if len(once) > _MOST_NAMES:
        once = sorted(generator.sample(once, _MOST_NAMES))
    found: list[Case] = []
    for (one, first), (other, second) in combinations(once, 2):
        left, right = reading.called(first), reading.called(second)
        wrong = _no_longer_said(item.triples, one, other)
        if not wrong or share_words(f"{one} {left}", words(f"{other} {right}")):
            continue
        changed, after = rewritten(
            item,
            [(*first, reading.fitted(first, right)), (*second, reading.fitted(second, left))],
        )
        found.append(
            Case(
                item,
                changed,
                f"{left} and {right} exchanged",
                before=tuple(sorted((first, second))),
                after=after,
                triples=wrong,
                entities=frozenset({one, other}),
            )
        )
    return found


def _no_longer_said(triples: Iterable[Triple], one: str, other: str) -> frozenset[Triple]:
    """The facts that a text denies after the exchange; none where the exchange changes nothing."""
    turned = {one: other, other: one}
    touching = [triple for triple in triples if {triple.subject, triple.object} & turned.keys()]
    said = {
        _undirected(
            Triple(
                turned.get(triple.subject, triple.subject),
                triple.predicate,
                turned.get(triple.object, triple.object),
            )
        )
        for triple in touching
    }
    return frozenset(triple for triple in touching if _undirected(triple) not in said)


def _undirected(triple: Triple) -> Triple:
    """The same for both ways to write what holds both ways."""
    if not is_symmetric(triple.predicate):
        return triple
    first, second = sorted((triple.subject, triple.object))
    return Triple(first, triple.predicate, second)


def invert_triple(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """A triple with subject and object exchanged, where the text names both.

    Not where the relation holds both ways, where the object is a value, or where another
    triple has the same two ends.
    """
    item = reading.item
    found: list[Case] = []
    for place in few_places(item, generator):
        triple = item.triples[place]
        ends = {triple.subject, triple.object}
        new = triple._replace(subject=triple.object, object=triple.subject)
        alike = [one for one in item.triples if {one.subject, one.object} == ends]
        spans = reading.spans(triple.subject, triple.object)
        if (
            len(ends) < 2
            or len(alike) > 1
            or is_symmetric(triple.predicate)
            or new in corpus.triples
            or not all(reading.spoken(end) for end in ends)
            or _is_value(item, triple.object)
        ):
            continue
        triples = (*item.triples[:place], new, *item.triples[place + 1 :])
        found.append(
            Case(
                item,
                with_triples(item, triples),
                f"data with {' | '.join(new)}, turned round",
                before=spans,
                after=spans,
                triples=frozenset({triple, new}),
            )
        )
    return found


def _is_value(item: Item, entity: str) -> bool:
    """Whether it could not be a subject: a number, a date, or what stands in quotes."""
    string = label_of(entity).string
    term = item.terms.get(entity)
    return (
        entity.startswith('"')
        or (term is not None and term.datatype is not None)
        or quantity_of(string) is not None
        or date_of(string) is not None
    )
