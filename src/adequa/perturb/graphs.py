"""Graphs that are nearly right: one triple replaced, inverted, dropped or added."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from adequa.data import Triple
from adequa.perturb.drafts import FALSE, UNKNOWN, Draft, DraftSpan
from adequa.perturb.pairs import Knowledge
from adequa.text.labels import label_of
from adequa.text.predicates import is_symmetric

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

# ---
# Faults made on the side of the graph: the text stays as people wrote it.
# ---


def add_triples(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """Triples that the text does not state: known otherwise, varied, or turned round."""
    wanted = chance.choice((1, 1, 2, 3))
    done = False
    for _ in range(wanted):
        new = _unstated(draft, knowledge, chance)
        if new is not None and new not in draft.triples and new not in draft.gone:
            place = chance.randrange(len(draft.triples) + 1)
            draft.triples.insert(place, new)
            draft.stated.insert(place, FALSE)
            done = True
    return done


def _unstated(draft: Draft, knowledge: Knowledge, chance: random.Random) -> Triple | None:
    way = chance.choice(("known", "known", "varied", "varied", "turned"))
    if way == "known":
        new = further(draft.triples, knowledge, chance)
        if new is None:
            return None
        # What else is known may happen to be said: of the two ends, one must not be there.
        there = [_said(end, draft) for end in (new.subject, new.object)]
        return None if all(there) else new
    triple = chance.choice(draft.triples)
    if way == "turned":
        return turned(triple, knowledge)
    return varied(triple, knowledge, chance)


def _said(entity: str, draft: Draft) -> bool:
    return entity in draft.entities() or label_of(entity).base.casefold() in draft.text.casefold()


def replace_triple(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """One triple gives way to a variant: the text says something that is not in the data."""
    place = chance.randrange(len(draft.triples))
    new = varied(draft.triples[place], knowledge, chance)
    return _exchange(draft, place, new)


def invert_triple(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """One triple with its arguments swapped."""
    for place in chance.sample(range(len(draft.triples)), len(draft.triples)):
        if _exchange(draft, place, turned(draft.triples[place], knowledge)):
            return True
    return False


def _exchange(draft: Draft, place: int, new: Triple | None) -> bool:
    if new is None or new in draft.triples or draft.stated[place] != 1:
        return False
    old = draft.triples[place]
    draft.gone.add(old)
    draft.triples[place] = new
    draft.stated[place] = FALSE
    _unsupport(draft, old)
    return True


def drop_triple(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """One triple less: the text says more than the data."""
    del knowledge
    if len(draft.triples) < 2:
        return False
    place = chance.randrange(len(draft.triples))
    if draft.stated[place] != 1:
        return False
    old = draft.triples.pop(place)
    draft.gone.add(old)
    del draft.stated[place]
    if any({old.subject, old.object} == {one.subject, one.object} for one in draft.triples):
        draft.supported = UNKNOWN  # another triple between the two may say the same
        draft.unclear.append(DraftSpan(0, len(draft.text)))
        return True
    _unsupport(draft, old)
    return True


def _unsupport(draft: Draft, old: Triple) -> None:
    """What the text says of `old` has lost its support; where it says so is known in part."""
    draft.supported = FALSE
    left = draft.entities()
    gone = [entity for entity in (old.subject, old.object) if entity not in left]
    named = [place for entity in gone for place in draft.of(entity)]
    draft.unsupported += [DraftSpan(place.start, place.end) for place in named]
    # The words around it may say the old predicate: they are wrong too, or not.
    ends = [*draft.of(old.subject), *draft.of(old.object)]
    for sentence in draft.sentences():
        if not ends or any(sentence.start <= end.start < sentence.end for end in ends):
            draft.unclear.append(sentence)
