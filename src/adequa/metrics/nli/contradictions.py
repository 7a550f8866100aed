"""Contradictions: words of a text about a record that the record reader finds against its facts.

Of each sentence the fact that it contradicts most is a candidate, at the clause by which it does,
and so is the clause that the facts support least together. How likely a candidate is right is for
`Credibility` to say.
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
"""The name by which `Credibility` knows contradictions of a fact."""
UNSUPPORTED = "rule support"
"""The name by which it knows clauses that the facts do not support."""
RULES = (RULE, UNSUPPORTED)
_LEAST = -2.0
"""The log-odds from which on a sentence has a candidate; below it hardly one in fifty is right."""
_NEAR = 1.5
"""How much lower than the most doubtful word of a sentence another one may be to belong to it."""
_MOST = 6.0
"""The log-odds above which more of them say nothing."""
_MANY = 8
"""The words above which more of them say nothing."""


class Contradiction(NamedTuple):
    """A clause of a text that contradicts a fact, or that the facts do not support."""

    start: int
    end: int
    words: Span
    """The words of the clause that do."""
    fact: int | None
    """None where no single fact is contradicted."""
    features: Mapping[str, float]
    """What its credibility depends on."""

    @property
    def rule(self) -> str:
        """The rule by which `Credibility` knows it."""
        return UNSUPPORTED if self.fact is None else RULE

    def reason(self, item: Item) -> str:
        """What the text says, and what the data has."""
        said = item.text[slice(*self.words)]
        if self.fact is None:
            return f"{said!r}: nothing in the data says so"
        return f"{said!r}: {say_fact(item.triples[self.fact], said)}"


def find_contradictions(item: Item, readings: Sequence[SentenceReading]) -> list[Contradiction]:
    """The candidates of a text about a record, in order."""
    found = []
    for place, own in groupby(readings, key=lambda one: (one.start, one.end)):
        known = [*own]
        asked = [one for one in known if one.fact is not None]
        together = next((one for one in known if one.fact is None), None)
        worst = max(asked, key=lambda one: one.logit)
        if worst.logit >= _LEAST and worst.words:
            words = _words(worst)
            start, end = clauses_around(item.text, *words, place)
            features = _features(item, worst, asked)
            features |= _together(together, (start, end))
            found.append(Contradiction(start, end, words, worst.fact, features))
        if together is not None and together.logit >= _LEAST and together.words:
            words = _words(together)
            start, end = clauses_around(item.text, *words, place)
            features = _support_features(item, together, worst, words)
            found.append(Contradiction(start, end, words, None, features))
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
    fact = item.triples[worst.fact or 0]
    others = sorted((one.logit for one in asked if one is not worst), reverse=True)
    return {
        RULE: 1.0,
        "reader: contradicts": min(worst.logit, _MOST),
        "reader: wrong words": min(max(logit for _, _, logit in worst.words), _MOST),
        "reader: next fact": _bounded([*others, -_MOST][0]),
        "reader: stated": _bounded(worst.stated),
        "reader: opposite": 0.0 if worst.turned is None else min(worst.turned, _MOST),
        "reader: rank": float(asked.index(worst)),
        "reader: yes or no": float(truth_of(fact.predicate, fact.object) is not None),
        "reader: number": float(is_value(fact.object)),
    }


def _together(reading: SentenceReading | None, clause: Span) -> dict[str, float]:
    """What the reader says of a sentence and of one of its clauses beside several facts."""
    if reading is None:
        return {}
    inside = [logit for start, end, logit in reading.words if start < clause[1] and clause[0] < end]
    return {
        "reader: together": _bounded(reading.logit),
        "reader: together here": _bounded(max(inside, default=-_MOST)),
    }


def _support_features(
    item: Item, together: SentenceReading, worst: SentenceReading, words: Span
) -> dict[str, float]:
    said = item.text[slice(*words)]
    return {
        UNSUPPORTED: 1.0,
        "support: sentence": _bounded(together.logit),
        "support: words": _bounded(max(logit for _, _, logit in together.words)),
        "support: contradicts": _bounded(worst.logit),
        "support: count": float(min(len(said.split()), _MANY)),
        "support: figures": float(any(map(str.isdigit, said))),
        "support: end": float(words[1] >= together.end - 1),
    }


def _bounded(logit: float) -> float:
    return max(-_MOST, min(logit, _MOST))
