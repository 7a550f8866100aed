"""Omissions and hallucinations by any model for natural language inference, after paper 002.

Omission: the whole text is the premise, the sentence of a triple the hypothesis. Hallucination: the
sentences of all triples are the premise, the whole text the hypothesis. A check passes where
entailment is the most likely label; the probabilities here are that of entailment against its
strongest rival, so that above one half is passed.

*Where* a text fails is looked for only if it does, for that costs as much again: each sentence, and
each clause of a sentence that fails, against the whole graph and against its own facts alone (those
that share a word with it that not all facts have). A model is easily blind to one wrong fact among
many, so the value is the mean of the two. What is reported is the finest part that fails: clauses,
else the sentence, else the text. Where the model says contradiction, the facts are asked one by one
for the one that says otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from adequa.data import Item, Term, Triple
from adequa.entailment.asking import Asking, Reading, Stated, Supported, any_of, ask, run
from adequa.entailment.evidence import Checker, Evidence, Level, Stretch
from adequa.entailment.segments import Span, clauses, sentences
from adequa.errors import SettingError
from adequa.models.entailment_model import Labels, Pairs

__all__ = ["Sentence", "own_facts", "pair_checker"]

Sentence = Callable[[Triple, Mapping[str, Term]], str]
"""How a triple is said: a template, or the backoff."""
Read = Callable[[Sequence[float]], Reading]

_FLOOR = 1e-4
"""One missing fact among many must not make all texts equal."""
_WORD = re.compile(r"\w+")
_NO_CONTENT = frozenset(("a", "an", "and", "by", "in", "is", "of", "s", "the", "to", "was"))


def pair_checker(
    pairs: Pairs,
    labels: Labels,
    sentence: Sentence,
    *,
    threshold: float | None = None,
    doubt: float = 0.5,
) -> Checker:
    """Asks a classifier of pairs, in both directions.

    With a `threshold`, a check passes where the probability of entailment is above it, whatever
    the rivals; probabilities are then bent so that the threshold is one half. `doubt` is the
    probability from which on a stretch fails.
    """
    for name, value in (("threshold", threshold), ("doubt", doubt)):
        if value is not None and not 0 < value < 1:
            raise SettingError(f"{name} is {value}: give a number between 0 and 1")

    def read(row: Sequence[float]) -> Reading:
        entailed = labels.entailed(row) if threshold is None else _bent(row, labels, threshold)
        return Reading(entailed, labels.contradicted(row))

    def check(items: Sequence[Item]) -> list[Evidence]:
        askings = []
        for item in items:
            facts = tuple(sentence(triple, item.terms) for triple in item.triples)
            askings.append(_Check(item.text, facts, read, doubt).evidence())
        return run(askings, pairs.probabilities)

    return check


def _bent(row: Sequence[float], labels: Labels, threshold: float) -> float:
    own = row[labels.entailment]
    passed, failed = own * (1 - threshold), (1 - own) * threshold
    return passed / (passed + failed)


@dataclass(frozen=True, slots=True)
class _Check:
    """One item, and what is asked about it."""

    text: str
    facts: tuple[str, ...]
    read: Read
    doubt: float

    def evidence(self) -> Asking[Evidence]:
        start = len(self.text) - len(self.text.lstrip())
        whole = start, start + len(self.text.strip())
        questions = [Stated(self.text, whole, fact) for fact in self.facts]
        *stated, supported = yield from ask([*questions, self._of(whole)], self.read)
        stretches: list[Stretch] = []
        if self._fails(supported):
            stretches = yield from self._failing()
            stretches = stretches or [_stretch(whole, "text", supported)]
            stretches = yield from self._denying(stretches)
        probabilities = [None if reading is None else reading.entailed for reading in stated]
        total = None if supported is None else supported.entailed
        complete = all(stretch.unsupported is not None for stretch in stretches)
        value = _value(probabilities, total) if complete else None
        return Evidence(tuple(probabilities), tuple(stretches), total, value)

    def _of(self, span: Span, facts: tuple[str, ...] | None = None) -> Supported:
        return Supported(self.text, span, self.facts if facts is None else facts)

    def _fails(self, reading: Reading | None) -> bool:
        return reading is None or 1 - reading.entailed >= self.doubt

    def _failing(self) -> Asking[list[Stretch]]:
        """The clauses that fail, or the sentence where none of its clauses does."""
        spans = sentences(self.text)
        readings = yield from self._support(spans)
        failing = {
            span: reading
            for span, reading in zip(spans, readings, strict=True)
            if self._fails(reading)
        }
        inner = {span: clauses(self.text, *span) for span in failing}
        parts = [part for own in inner.values() if len(own) > 1 for part in own]
        smaller = yield from self._support(parts)
        by_part = dict(zip(parts, smaller, strict=True))
        found: list[Stretch] = []
        for span, reading in failing.items():
            finer = [
                _stretch(part, "clause", by_part[part])
                for part in inner[span]
                if part in by_part and self._fails(by_part[part])
            ]
            found += finer or [_stretch(span, "sentence", reading)]
        return found

    def _support(self, spans: Sequence[Span]) -> Asking[list[Reading | None]]:
        """How far the graph supports each stretch, and its own facts do."""
        own = [self._own(span) for span in spans]
        narrow = [number for number, some in enumerate(own) if 0 < len(some) < len(self.facts)]
        questions = [self._of(span) for span in spans]
        questions += [
            self._of(spans[number], tuple(self.facts[fact] for fact in own[number]))
            for number in narrow
        ]
        readings = yield from ask(questions, self.read)
        found = readings[: len(spans)]
        for number, reading in zip(narrow, readings[len(spans) :], strict=True):
            found[number] = _together(found[number], reading)
        return found

    def _own(self, span: Span) -> list[int]:
        return own_facts(self.text[slice(*span)], self.facts)

    def _denying(self, stretches: Sequence[Stretch]) -> Asking[list[Stretch]]:
        """With the fact that contradicts a stretch most, where one alone does."""
        asked = [
            (number, fact)
            for number, one in enumerate(stretches)
            if one.contradicted is not None and one.contradicted > 0.5
            for fact in self._own((one.start, one.end)) or range(len(self.facts))
        ]
        questions = [
            self._of((stretches[number].start, stretches[number].end), (self.facts[fact],))
            for number, fact in asked
        ]
        readings = yield from ask(questions, self.read)
        most: dict[int, tuple[float, int]] = {}
        for (number, fact), reading in zip(asked, readings, strict=True):
            against = reading and reading.contradicted
            if against is not None and against > most.get(number, (0.5, 0))[0]:
                most[number] = against, fact
        return [
            replace(one, fact=most[number][1]) if number in most else one
            for number, one in enumerate(stretches)
        ]


def _together(graph: Reading | None, own: Reading | None) -> Reading | None:
    """The mean of two readings; what only one could read is settled by its yes alone."""
    if graph is None or own is None:
        return any_of([graph, own])
    against = [one.contradicted for one in (graph, own) if one.contradicted is not None]
    return Reading((graph.entailed + own.entailed) / 2, max(against, default=None))


def own_facts(stretch: str, facts: Sequence[str]) -> list[int]:
    """The numbers of the facts that share a word with a stretch, one that not all of them have.

    >>> own_facts("It was built in 1990.", ["The inn is in Rome.", "The inn opened in 1990."])
    [1]
    """
    words = [_content(fact) for fact in facts]
    common = frozenset.intersection(*words) if len(words) > 1 else frozenset()
    telling = _content(stretch) - common
    return [number for number, own in enumerate(words) if own & telling]


def _content(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _NO_CONTENT


def _stretch(span: Span, level: Level, reading: Reading | None) -> Stretch:
    if reading is None:
        return Stretch(*span, level, None)
    return Stretch(*span, level, 1 - reading.entailed, reading.contradicted)


def _value(stated: Iterable[float | None], supported: float | None) -> float | None:
    """The geometric mean of what is stated, times what is supported."""
    logarithms = [None if one is None else math.log(max(one, _FLOOR)) for one in stated]
    known = [one for one in logarithms if one is not None]
    if supported is None or len(known) < len(logarithms):
        return None
    mean = sum(known) / len(known) if known else 0.0
    return math.exp(mean) * max(supported, _FLOOR)
