"""A sentence denied."""

from __future__ import annotations

import random
import re

from adequa.doctor.model import Case, rewritten
from adequa.doctor.reading import Corpus, Reading

__all__ = ["negate"]

_VERB = re.compile(r"(?<![\w'’-])(?:is|are|was|were|can|will)(?![\w'’-])")
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)


def negate(reading: Reading, corpus: Corpus, generator: random.Random) -> list[Case]:
    """A "not" after the first verb of a sentence that has a fact's object behind it; English."""
    del corpus, generator
    item = reading.item
    if item.lang is not None and not item.lang.lower().startswith("en"):
        return []
    found: list[Case] = []
    for start, end in reading.sentences:
        verb = _VERB.search(item.text, start, end)
        if verb is None or _DENIED.search(item.text, start, end) or item.text[end - 1] == "?":
            continue
        if any(one.start < verb.end() and verb.start() < one.end for one in reading.mentions):
            continue
        objects = {one.object for one in item.triples}
        behind = [one for one in reading.mentions if verb.end() <= one.start < end]
        said = next((one.entity for one in behind if one.entity in objects), None)
        if said is None:
            continue
        denied = frozenset(one for one in item.triples if one.object == said)
        changed, [(_, last)] = rewritten(item, [(verb.end(), verb.end(), " not")])
        what = f"“{verb[0]}” denied"
        after = ((verb.start(), last),)
        found.append(Case(item, changed, what, (verb.span(),), after, denied))
    return found
