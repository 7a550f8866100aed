"""Contradictions: words of a text about a record that the record reader finds against a fact.

Of each sentence the fact that it contradicts most is a candidate, at the clause by which it does.
How likely a candidate is right is for `Credibility` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from adequa.data import Item
from adequa.entities import say_fact
from adequa.text import Span, clauses_around
from adequa.text.values import is_value, truth_of

if TYPE_CHECKING:
    from adequa.models import SentenceReading

RULE = "rule reader"
"""The name by which `Credibility` knows them."""
_LEAST = -2.0
"""The log-odds from which on a sentence has a candidate; below it hardly one in fifty is right."""
_NEAR = 1.5
"""How much lower than the most doubtful word of a sentence another one may be to belong to it."""
_MOST = 6.0
"""The log-odds above which more of them say nothing."""


class Contradiction(NamedTuple):
    """A clause of a text, the fact that it contradicts, and what its credibility depends on."""

    start: int
    end: int
    words: Span
    """The words of the clause that contradict the fact."""
    fact: int
    features: Mapping[str, float]

    def reason(self, item: Item) -> str:
        """What the text says, and what the data has."""
        said = item.text[slice(*self.words)]
        return f"{said!r}: {say_fact(item.triples[self.fact], said)}"


def find_contradictions(item: Item, readings: Sequence[SentenceReading]) -> list[Contradiction]:
    """The candidates of a text about a record, in order."""
    found = []
    for place, own in groupby(readings, key=lambda one: (one.start, one.end)):
        asked = [*own]
        worst = max(asked, key=lambda one: one.logit)
        if worst.logit >= _LEAST and worst.words:
            words = _words(worst)
            start, end = clauses_around(item.text, *words, place)
            features = _features(item, worst, asked)
            found.append(Contradiction(start, end, words, worst.fact, features))
    return found


def _words(reading: SentenceReading) -> Span:
    """The words around the most doubtful one that are nearly as doubtful."""
    logits = [logit for _, _, logit in reading.words]
    most = max(range(len(logits)), key=lambda place: logits[place])
    first = last = most
    while first > 0 and logits[first - 1] >= logits[most] - _NEAR:
        first -= 1
    while last + 1 < len(logits) and logits[last + 1] >= logits[most] - _NEAR:
        last += 1
    return reading.words[first][0], reading.words[last][1]


def _features(
    item: Item, worst: SentenceReading, asked: Sequence[SentenceReading]
) -> dict[str, float]:
    fact = item.triples[worst.fact]
    others = sorted((one.logit for one in asked if one is not worst), reverse=True)
    return {
        RULE: 1.0,
        "reader: contradicts": min(worst.logit, _MOST),
        "reader: wrong words": min(max(logit for _, _, logit in worst.words), _MOST),
        "reader: next fact": max(-_MOST, min([*others, -_MOST][0], _MOST)),
        "reader: stated": max(-_MOST, min(worst.stated, _MOST)),
        "reader: opposite": 0.0 if worst.turned is None else min(worst.turned, _MOST),
        "reader: rank": float(asked.index(worst)),
        "reader: yes or no": float(truth_of(fact.predicate, fact.object) is not None),
        "reader: number": float(is_value(fact.object)),
    }
