"""Something more: a sentence in the text that the data does not have, a triple that only it has."""

from __future__ import annotations

import random

from adequa.data import Triple
from adequa.doctor.model import Case, rewritten, with_triples
from adequa.doctor.reading import Corpus, Reading, share_words, values_of, words
from adequa.entities.surface import label_of

__all__ = ["add_sentence", "add_triple"]

_TRIES = 20
_END = (".", "!", "?", '."', ".”", ".)")


def add_sentence(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """A sentence of another text of the category at the end, about nothing that this one has."""
    item = reading.item
    pool = corpus.sayings.get(item.category, [])
    bare = item.text.rstrip()
    if not pool or not reading.mentions or not bare.endswith(_END):
        return []
    known = words(" ".join([*values_of(item), item.text]))
    for saying in generator.sample(pool, min(_TRIES, len(pool))):
        if not share_words(saying.entities, known):
            place = len(bare)
            changed, [(start, end)] = rewritten(
                item, [(place, len(item.text), f" {saying.sentence}")]
            )
            what = f"one more sentence: {saying.sentence}"
            # In the original nothing stood there; its end is the place.
            return [Case(item, changed, what, after=((start + 1, end),))]
    return []


def add_triple(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """One more fact about a subject that the text names, of a kind that its like have.

    Neither data nor text has a word of the new object.
    """
    item = reading.item
    known = words(" ".join([*values_of(item), item.text]))
    subjects = sorted({one.subject for one in item.triples if reading.spoken(one.subject)})
    for subject in generator.sample(subjects, len(subjects)):
        own = sorted({one.predicate for one in item.triples if one.subject == subject})
        pool = [
            one
            for predicate in own
            for one in corpus.beside.get(predicate, ())
            if one.predicate not in own
        ]
        for one in generator.sample(pool, min(_TRIES, len(pool))):
            if share_words(label_of(one.object).base, known):
                continue
            new = Triple(subject, one.predicate, one.object)
            return [
                Case(
                    item,
                    with_triples(item, (*item.triples, new)),
                    f"data with {' | '.join(new)} as well",
                    triples=frozenset({new}),
                    entities=frozenset({new.object}),
                )
            ]
    return []
