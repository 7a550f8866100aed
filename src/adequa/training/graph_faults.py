"""Faults made on the side of the graph: the text stays as people wrote it."""

from __future__ import annotations

import random

from adequa.data import Triple
from adequa.entities.surface import label_of
from adequa.training.drafts import FALSE, UNKNOWN, Draft, Place
from adequa.training.material import Knowledge
from adequa.training.negatives import further, turned, varied

__all__ = ["add_triples", "drop_triple", "invert_triple", "replace_triple"]


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
        draft.unclear.append(Place(0, len(draft.text)))
        return True
    _unsupport(draft, old)
    return True


def _unsupport(draft: Draft, old: Triple) -> None:
    """What the text says of `old` has lost its support; where it says so is known in part."""
    draft.supported = FALSE
    left = draft.entities()
    gone = [entity for entity in (old.subject, old.object) if entity not in left]
    named = [place for entity in gone for place in draft.of(entity)]
    draft.unsupported += [Place(place.start, place.end) for place in named]
    # The words around it may say the old predicate: they are wrong too, or not.
    ends = [*draft.of(old.subject), *draft.of(old.object)]
    for sentence in draft.sentences():
        if not ends or any(sentence.start <= end.start < sentence.end for end in ends):
            draft.unclear.append(sentence)
