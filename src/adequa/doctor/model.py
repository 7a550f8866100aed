"""What the doctor does to an item, and where a finding should then point."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Literal

from adequa.data import Finding, FindingKind, Item, Triple
from adequa.doctor.reading import Corpus, Reading
from adequa.entailment.segments import Span

__all__ = [
    "BOTH_KINDS",
    "Case",
    "Perturbation",
    "Side",
    "few_places",
    "rewritten",
    "with_triples",
]

Side = Literal["text", "data"]
BOTH_KINDS: frozenset[FindingKind] = frozenset({"omission", "hallucination"})
"""A fact said wrongly is a fact not said, and something said that the data does not."""


@dataclass(frozen=True, slots=True)
class Case:
    """An item with one thing wrong that was not wrong before, on the side of its text or data."""

    original: Item
    changed: Item
    what: str
    """The change in words."""
    before: tuple[Span, ...] = ()
    """What of the original's text the change is about."""
    after: tuple[Span, ...] = ()
    """The same in the changed text: where a finding should point."""
    triples: frozenset[Triple] = frozenset()
    """The facts that a finding may name instead."""
    entities: frozenset[str] = frozenset()
    """The entities that a finding may name instead."""

    def points_at(self, finding: Finding, *, original: bool = False) -> bool:
        """Whether a finding on the changed item, or on the original one, is about the place."""
        if finding.triple in self.triples or finding.entity in self.entities:
            return True
        start, end = finding.start, finding.end
        if start is None or end is None:
            return False
        spans = self.before if original else self.after
        return any(start < last and first < end for first, last in spans)


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to spoil an item; `make` gives every honest case it finds in one."""

    name: str
    side: Side
    doc: str
    kinds: frozenset[FindingKind]
    """The faults that a verdict may give it."""
    failing: str
    """What a metric fails to see, in words: `inverted arguments`."""
    make: Callable[[Reading, Corpus, random.Random], list[Case]] = field(repr=False)


_MOST_TRIPLES = 20


def few_places(item: Item, generator: random.Random) -> list[int]:
    """The places of the triples to try, in order: all, or some where there are very many."""
    count = len(item.triples)
    return sorted(generator.sample(range(count), min(count, _MOST_TRIPLES)))


def rewritten(
    item: Item, changes: Collection[tuple[int, int, str]]
) -> tuple[Item, tuple[Span, ...]]:
    """The item with stretches of its text replaced, and where what is new stands."""
    parts: list[str] = []
    spans: list[Span] = []
    place = length = 0
    for start, end, new in sorted(changes):
        parts += [item.text[place:start], new]
        length += start - place + len(new)
        spans.append((length - len(new), length))
        place = end
    text = "".join([*parts, item.text[place:]])
    return replace(item, text=text), tuple(spans)


def with_triples(item: Item, triples: Collection[Triple]) -> Item:
    """The item with other data; what is known of entities that it no longer has goes as well."""
    ends = {end for triple in triples for end in (triple.subject, triple.object)}
    terms = {name: term for name, term in item.terms.items() if name in ends}
    return replace(item, triples=tuple(triples), terms=terms)
