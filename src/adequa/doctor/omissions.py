"""Something left out: a sentence of the text, or a triple of the data."""

from __future__ import annotations

import random

from adequa.doctor.model import Case, few_places, rewritten, with_triples
from adequa.doctor.reading import Corpus, Reading, share_words, words
from adequa.entities.surface import label_of

__all__ = ["drop_sentence", "drop_triple"]


def drop_sentence(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """The text without a sentence that alone had the object of a fact.

    Not where the rest still speaks of something that only the lost sentence names.
    """
    del corpus, generator
    item, places = reading.item, reading.sentences
    found: list[Case] = []
    for number, (start, end) in enumerate(places if len(places) > 1 else ()):
        lost = _lost(reading, start, end)
        last = number == len(places) - 1
        cut = (places[number - 1][1], end) if last else (start, places[number + 1][0])
        changed, _ = rewritten(item, [(*cut, "")])
        left = words(changed.text)
        gone = frozenset(one for one in item.triples if {one.subject, one.object} & lost)
        objects = {one.object for one in gone} & lost
        if (
            not objects
            or _speaks_of(reading, lost)
            or any(share_words(label_of(one).base, left) for one in objects)
        ):
            continue
        found.append(
            Case(
                item,
                changed,
                f"without the sentence about {', '.join(sorted(objects))}",
                before=((start, end),),
                triples=gone,
                entities=frozenset(lost),
            )
        )
    return found


def _lost(reading: Reading, start: int, end: int) -> set[str]:
    """The entities that have words of their own between two places alone."""
    return {
        entity
        for entity in {one.entity for one in reading.mentions if start <= one.start < end}
        if (spoken := reading.spoken(entity)) and all(start <= one.start < end for one in spoken)
    }


def _speaks_of(reading: Reading, lost: set[str]) -> bool:
    """Whether the rest says "it" of what is lost, or has what was said of it."""
    return any(len(reading.spoken(one)) < len(reading.anywhere(one)) for one in lost) or any(
        one.subject in lost and one.object not in lost and reading.spoken(one.object)
        for one in reading.item.triples
    )


def drop_triple(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """The data without a triple whose object the text has, and no other triple has.

    So the text says more than its data.
    """
    del corpus
    item = reading.item
    found: list[Case] = []
    for place in few_places(item, generator) if len(item.triples) > 1 else ():
        triple = item.triples[place]
        rest = item.triples[:place] + item.triples[place + 1 :]
        left = {end for one in rest for end in (one.subject, one.object)}
        spans = reading.spans(triple.object)
        values = words(" ".join(label_of(end).string for end in left))
        if not spans or triple.object in left or share_words(label_of(triple.object).base, values):
            continue
        subject = () if triple.subject in left else reading.spans(triple.subject)
        found.append(
            Case(
                item,
                with_triples(item, rest),
                f"data without {' | '.join(triple)}",
                before=(*spans, *subject),
                after=(*spans, *subject),
            )
        )
    return found
