"""A verifier of plain Python, which goes by the words that text and graph share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adequa.models.verifier import TextAndGraph, VerifierOutput
from adequa.text.values import word_triple

YES, NO = 4.0, -4.0
_PIECE = re.compile(r"\w+|[^\w\s]")
_SMALL = frozenset(("a", "and", "in", "is", "it", "of", "the", "was"))


@dataclass
class Verifier:
    """A fact is stated where the text has all words of its value; a word is supported where a fact
    has it, or where it says little."""

    logits: Mapping[str, float] = field(default_factory=dict)
    """What is said of a fact by its value, in place of yes or no, where the text has the value."""
    unread: frozenset[str] = frozenset()
    """Predicates of facts that it cannot read, and then no word either."""
    garbled: frozenset[str] = frozenset()
    """Words that are out of place wherever they stand."""
    calls: list[list[str]] = field(default_factory=list)
    """The texts of each call."""

    def __call__(self, pairs: Sequence[TextAndGraph]) -> list[VerifierOutput]:
        self.calls.append([pair.text for pair in pairs])
        return [self._check(pair) for pair in pairs]

    def _check(self, pair: TextAndGraph) -> VerifierOutput:
        offsets = tuple(match.span() for match in _PIECE.finditer(pair.text))
        pieces = [pair.text[start:end].lower() for start, end in offsets]
        stated: list[float | None] = []
        known = set(_SMALL)
        for triple in pair.triples:
            said = [_words(part) for part in word_triple(triple, pair.terms)]
            known = known.union(*said)
            there = said[2] <= {*pieces}
            stated.append(self.logits.get(triple.object, YES) if there else NO)
            if triple.predicate in self.unread:
                stated[-1] = None
        unsupported = [YES if re.match(r"\w", one) and one not in known else NO for one in pieces]
        lost = None in stated
        return VerifierOutput(
            stated=tuple(stated),
            offsets=offsets,
            unsupported=(None,) * len(pieces) if lost else tuple(unsupported),
            disfluent=tuple(YES if one in self.garbled else NO for one in pieces),
            supported=None if lost else -max(unsupported, default=NO),
            state=np.zeros(2, dtype=np.float32),
        )


def _words(text: str) -> set[str]:
    return {word.lower() for word in _PIECE.findall(text)}
