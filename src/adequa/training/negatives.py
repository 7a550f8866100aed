"""Graphs that are nearly right: one triple replaced, inverted, dropped or added."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from adequa.data import Triple
from adequa.training.material import Knowledge
from adequa.training.symmetric import is_symmetric

__all__ = [
    "KINDS",
    "Graph",
    "Maker",
    "added",
    "dropped",
    "further",
    "inverted",
    "replaced",
    "turned",
    "varied",
]

Graph = tuple[Triple, ...]
Maker = Callable[[Graph, Knowledge, random.Random], "Graph | None"]


def varied(triple: Triple, knowledge: Knowledge, chance: random.Random) -> Triple | None:
    """The triple with its subject, predicate or object replaced by another of the same type."""
    for part in chance.sample(("object", "predicate", "subject"), 3):
        if part == "object":
            name = knowledge.another(
                triple.predicate, subject=False, instead=triple.object, chance=chance
            )
            new = name and triple._replace(object=name)
        elif part == "subject":
            name = knowledge.another(
                triple.predicate, subject=True, instead=triple.subject, chance=chance
            )
            new = name and triple._replace(subject=name)
        else:
            name = knowledge.other_predicate(triple, chance)
            new = name and triple._replace(predicate=name)
        if isinstance(new, Triple) and not _holds(new, knowledge):
            return new
    return None


def turned(triple: Triple, knowledge: Knowledge) -> Triple | None:
    """Subject and object exchanged, where that says something else."""
    if is_symmetric(triple.predicate) or triple.subject == triple.object:
        return None
    new = triple._replace(subject=triple.object, object=triple.subject)
    return None if _holds(new, knowledge) else new


def replaced(graph: Graph, knowledge: Knowledge, chance: random.Random) -> Graph | None:
    """One triple varied: the paper's hard negative."""
    place = chance.randrange(len(graph))
    new = varied(graph[place], knowledge, chance)
    return None if new is None else (*graph[:place], new, *graph[place + 1 :])


def inverted(graph: Graph, knowledge: Knowledge, chance: random.Random) -> Graph | None:
    """One triple with its arguments swapped."""
    for place in chance.sample(range(len(graph)), len(graph)):
        new = turned(graph[place], knowledge)
        if new is not None:
            return (*graph[:place], new, *graph[place + 1 :])
    return None


def dropped(graph: Graph, knowledge: Knowledge, chance: random.Random) -> Graph | None:
    """One triple less: the text says more than the graph."""
    del knowledge
    if len(graph) < 2:
        return None
    place = chance.randrange(len(graph))
    return (*graph[:place], *graph[place + 1 :])


def added(graph: Graph, knowledge: Knowledge, chance: random.Random) -> Graph | None:
    """One triple more, of what else is known about an entity: the text says less."""
    new = further(graph, knowledge, chance)
    if new is None:
        return None
    place = chance.randrange(len(graph) + 1)
    return (*graph[:place], new, *graph[place:])


def further(graph: Sequence[Triple], knowledge: Knowledge, chance: random.Random) -> Triple | None:
    """A true triple about one of the graph's entities that the graph does not have."""
    entities = [end for triple in graph for end in (triple.subject, triple.object)]
    ends = {(triple.subject, triple.object) for triple in graph}
    for entity in chance.sample(entities, len(entities)):
        pool = knowledge.known.get(entity, [])
        for _ in range(3 if pool else 0):
            new = chance.choice(pool)
            if (new.subject, new.object) not in ends:
                return new
    return None


def _holds(triple: Triple, knowledge: Knowledge) -> bool:
    names = knowledge.between.get((triple.subject, triple.object), ())
    return triple.predicate in names


KINDS: Mapping[str, Maker] = {
    "replaced": replaced,
    "inverted": inverted,
    "dropped": dropped,
    "added": added,
}
"""The kinds of negative graphs by name."""
