"""What training starts from: graph–text pairs, where their entities stand, and what is known."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.entities.detector import Detector
from adequa.text.labels import label_of

Span = tuple[str, int, int]
"""An entity and where it stands in the text."""


class MarkedText(NamedTuple):
    """What people have marked in a text: the places of entities, and who is said where."""

    spans: Sequence[Span]
    said: tuple[frozenset[Triple], ...] = ()
    """The triples of each sentence; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class GraphTextPair:
    """A text that says its triples, with the places of its entities."""

    triples: tuple[Triple, ...]
    text: str
    category: str
    spans: tuple[Span, ...]
    entry: str
    """What the texts of one graph have in common."""
    said: tuple[frozenset[Triple], ...] = ()
    """Which triples each sentence says, where people have marked it."""


def pairs_of(
    items: Iterable[Item],
    gold: Mapping[str, MarkedText] | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    places: bool = True,
) -> list[GraphTextPair]:
    """Items as pairs; the detector places the entities where no annotation does.

    `gold` has what people have marked by text (the enriched corpus). Items without triples or text
    teach nothing and are left out. Without `places` no entity is looked for, which is faster.
    """
    detector = Detector(mode="adequacy")
    pairs = []
    for done, item in enumerate(items, 1):
        if item.triples and item.text.strip():
            known = gold.get(item.text) if gold else None
            found = (known and known.spans) or [
                (mention.entity, mention.start, mention.end)
                for mention in (detector.detect(item).mentions if places else ())
            ]
            entities = {end for triple in item.triples for end in (triple.subject, triple.object)}
            spans = tuple(sorted((span for span in found if span[0] in entities), key=_place))
            entry = item.id.rsplit("/", 1)[0] if item.system == "reference" else item.id
            said = known.said if known and _says(known.said, item.triples) else ()
            pairs.append(
                GraphTextPair(item.triples, item.text, item.category or "", spans, entry, said)
            )
        if progress is not None:
            progress(done)
    return pairs


def gather(items: Iterable[Item]) -> dict[str, MarkedText]:
    """What is marked in the enriched corpus, by text."""
    return {
        item.text: MarkedText(
            [
                (one["entity"], one["start"], one["end"])
                for one in item.meta.get("mentions", ())
                if one["entity"] and one["start"] is not None
            ],
            tuple(
                frozenset(map(_triple, sentence))
                for sentence in item.meta.get("sortedtripleset", ())
                if sentence
            ),
        )
        for item in items
    }


def _triple(written: str) -> Triple:
    """A triple as the enriched corpus writes it: `subject | predicate | object`."""
    subject, predicate, value = (part.strip() for part in written.split(" | ", 2))
    return Triple(subject, predicate, value)


def _says(said: Sequence[frozenset[Triple]], triples: Sequence[Triple]) -> bool:
    """Whether every triple has its sentence, and no sentence another."""
    return bool(said) and frozenset().union(*said) == {*triples}


def _place(span: Span) -> tuple[int, int]:
    return span[1], span[2]


@dataclass
class Knowledge:
    """What a corpus holds as a whole: who stands where, and what else is known of whom."""

    graphs: Sequence[tuple[Triple, ...]]
    fillers: dict[tuple[str, bool], list[str]] = field(init=False)
    """The entities seen as subject (True) or object of a predicate: one type, more or less."""
    known: dict[str, list[Triple]] = field(init=False)
    """The triples of an entity, as subject or object."""
    between: dict[tuple[str, str], set[str]] = field(init=False)
    """The predicates seen between two entities, in this direction."""
    alike: dict[str, set[str]] = field(init=False)
    """Predicates that were seen between the same two entities: they may mean the same."""
    predicates: dict[str, list[str]] = field(init=False)
    """For each predicate those that share a subject with it somewhere, and so its kind."""
    middles: Mapping[tuple[str, bool], Sequence[str]] = field(default_factory=dict)
    """The words between the two ends of a predicate, subject first (True) or object first."""

    def __post_init__(self) -> None:
        fillers: dict[tuple[str, bool], dict[str, None]] = defaultdict(dict)
        known: dict[str, dict[Triple, None]] = defaultdict(dict)
        self.between = defaultdict(set)
        of_subject: dict[str, dict[str, None]] = defaultdict(dict)
        for triple in dict.fromkeys(triple for graph in self.graphs for triple in graph):
            fillers[triple.predicate, True][triple.subject] = None
            fillers[triple.predicate, False][triple.object] = None
            known[triple.subject][triple] = None
            known[triple.object][triple] = None
            self.between[triple.subject, triple.object].add(triple.predicate)
            of_subject[triple.subject][triple.predicate] = None
        self.fillers = {key: list(names) for key, names in fillers.items()}
        self.known = {entity: list(triples) for entity, triples in known.items()}
        self.alike = defaultdict(set)
        for names in self.between.values():
            for name in names:
                self.alike[name] |= names
        neighbours: dict[str, dict[str, None]] = defaultdict(dict)
        for shared in of_subject.values():
            for name in shared:
                neighbours[name].update(shared)
        self.predicates = {
            name: [other for other in others if other not in self.alike[name]]
            for name, others in neighbours.items()
        }

    def another(
        self, predicate: str, *, subject: bool, instead: str, chance: random.Random
    ) -> str | None:
        """An entity of the same type as `instead`, by a label that differs."""
        pool = self.fillers.get((predicate, subject), [])
        return _pick(pool, lambda name: not same_label(name, instead), chance)

    def other_predicate(self, triple: Triple, chance: random.Random) -> str | None:
        """A predicate that could stand in the triple and that says something else."""
        taken = self.between[triple.subject, triple.object]
        pool = self.predicates.get(triple.predicate, [])
        return _pick(pool, lambda name: name not in taken, chance)


def same_label(one: str, other: str) -> bool:
    """Two strings that a reader would take for one name."""
    return label_of(one).base.casefold() == label_of(other).base.casefold()


def _pick(pool: Sequence[str], fits: Callable[[str], bool], chance: random.Random) -> str | None:
    for _ in range(8 if pool else 0):
        name = chance.choice(pool)
        if fits(name):
            return name
    return None
