"""An entity by the name of another."""

from __future__ import annotations

import random

from adequa.doctor.model import Case, rewritten
from adequa.doctor.reading import Corpus, Reading

__all__ = ["rename_entity"]


def rename_entity(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """The name of another entity of the same place in a triple, wherever the text has the name.

    It is taken from the other texts of the category, and has no word of this text or its data.
    """
    item = reading.item
    found: list[Case] = []
    for entity, spans in sorted(reading.names.items()):
        others = next(corpus.names.others(item, entity))
        if not others:
            continue
        new = generator.choice(others)
        changed, after = rewritten(item, [(*span, reading.fitted(span, new)) for span in spans])
        ends = frozenset(one for one in item.triples if entity in (one.subject, one.object))
        what = f"{reading.called(spans[0])} becomes {new}"
        found.append(Case(item, changed, what, spans, after, ends, frozenset({entity})))
    return found
