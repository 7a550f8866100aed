"""Sets derived from a corpus as paper 003 does: inverted triples, and Table 1's statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.readers.unique import Seen
from adequa.training.symmetric import is_symmetric

__all__ = ["Inversion", "Statistics", "Tally", "inverted", "statistics"]


@dataclass
class Tally:
    """How many items a builder kept, and why it left out the others; filled as one reads on."""

    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def seen(self) -> int:
        """All items that came in."""
        return self.kept + self.left_out.total()


class Inversion(NamedTuple):
    """A text with its triple, and with subject and object of that triple swapped."""

    right: Item
    wrong: Item


def inverted(items: Iterable[Item], tally: Tally | None = None) -> Iterator[Inversion]:
    """WebNLG-INV: items of one triple that says something else when inverted (section 6.2).

    The wrong item's id is that of the right one with `/inverted`, and `meta.inverted` tells them
    apart in a file.
    """
    tally = Tally() if tally is None else tally
    for item in items:
        reason = _not_invertible(item.triples)
        if reason:
            tally.left_out[reason] += 1
            continue
        tally.kept += 1
        subject, predicate, value = item.triples[0]
        yield Inversion(
            replace(item, meta={**item.meta, "inverted": False}),
            replace(
                item,
                id=f"{item.id}/inverted",
                triples=(Triple(value, predicate, subject),),
                meta={**item.meta, "inverted": True},
            ),
        )


def _not_invertible(triples: tuple[Triple, ...]) -> str | None:
    if len(triples) != 1:
        return "not one triple"
    if is_symmetric(triples[0].predicate):
        return "symmetric predicate"
    return "subject is object" if triples[0].subject == triples[0].object else None


@dataclass(frozen=True, slots=True)
class Statistics:
    """The columns of the paper's Table 1."""

    pairs: int
    texts: int
    graphs: int
    properties: int
    entities: int


def statistics(items: Iterable[Item]) -> Statistics:
    """Count pairs, and distinct texts, graphs, properties and entities, in bounded memory.

    The order of its triples does not make another graph. Entities are subjects and objects, values
    included, which gives the paper's figure for WebNLG; 16 bytes are held for each thing counted.
    """
    pairs = 0
    texts, graphs, properties, entities = (Seen() for _ in range(4))
    for item in items:
        pairs += 1
        texts.add(item.text)
        graphs.add(frozenset(item.triples))
        for subject, predicate, value in item.triples:
            properties.add(predicate)
            entities.add(subject)
            entities.add(value)
    return Statistics(pairs, len(texts), len(graphs), len(properties), len(entities))
