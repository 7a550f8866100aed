"""Omissions and hallucinations by any model for natural language inference, after paper 002.

Omission: the whole text is the premise, the sentence of a triple the hypothesis. Hallucination: the
sentences of all triples are the premise, the whole text the hypothesis. A check passes where
entailment is the most likely label; the probabilities here are that of entailment against its
strongest rival, so that above one half is passed.

*Where* a text fails is searched only if it does, which costs as much again: each sentence, and
each clause of a sentence that fails, against the whole graph and against its own facts alone (those
that share a word with it that not all facts have). A model often overlooks one wrong fact among
many, so the value is the mean of the two. The finest part that fails is reported: clauses, else the
sentence, else the text. Where the model finds a contradiction, each fact is asked alone.

A pair that is too long is asked in parts. A text is split into halves that share a sentence, a long
sentence into halves that share a clause or words; a graph into halves of its facts. A fact is in
the text if it is in any part (the highest value); the graph supports the text if it supports every
part (the lowest value). Nothing is cut off: a pair that fits in no way has the value None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeVar

from adequa.data import Item, Term, Triple
from adequa.metrics.nli.evidence import Evidence, EvidenceSource, Level, Stretch
from adequa.metrics.sources import FLOOR, geometric_mean
from adequa.models import NliLabels, Pairs
from adequa.text import Span, split_clauses, split_sentences

Pair = tuple[str, str]
"""Premise and hypothesis."""
Row = tuple[float, ...] | None
"""One probability per label; None for a pair that is too long."""
Answer = TypeVar("Answer")
Asking = Generator[list[Pair], Sequence[Row], Answer]
"""Yields pairs, is sent their rows, and returns an answer."""

# No record of the data these two were chosen on; kept for stable scores.
_LEAST_WORDS = 16
"""A part with at most this many words is not split: fewer words would not show what it says."""
_SHARED_WORDS = 16
"""The most words that two halves of a long sentence share."""


class PairReading(NamedTuple):
    """The probabilities of a pair; above one half, it is entailed."""

    entailed: float
    contradicted: float | None


class PairQuestion(Protocol):
    """A pair, and the smaller questions to ask if it is too long."""

    @property
    def pair(self) -> Pair:
        """Premise and hypothesis."""

    def parts(self) -> tuple[Pool, Sequence[PairQuestion]]:
        """Smaller questions, and how to join their answers; none if it cannot be split."""


Pool = Callable[[Sequence["PairReading | None"]], "PairReading | None"]


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """Does a stretch of the text say the fact?"""

    text: str
    span: Span
    fact: str

    @property
    def pair(self) -> Pair:
        """The text is the premise."""
        return self.text[slice(*self.span)], self.fact

    def parts(self) -> tuple[Pool, Sequence[PairQuestion]]:
        """In one half of the stretch or the other."""
        spans = _halves(self.text, self.span)
        return any_of, [StatedAnswer(self.text, span, self.fact) for span in spans]


@dataclass(frozen=True, slots=True)
class SupportedAnswer:
    """Do the facts say what a stretch of the text says?"""

    text: str
    span: Span
    facts: tuple[str, ...]

    @property
    def pair(self) -> Pair:
        """The facts are the premise."""
        return " ".join(self.facts), self.text[slice(*self.span)]

    def parts(self) -> tuple[Pool, Sequence[PairQuestion]]:
        """Sentence by sentence first, then half of the facts each, then parts of the sentence."""
        spans = _sentences(self.text, self.span)
        if len(spans) < 2 and len(self.facts) > 1:
            middle = len(self.facts) // 2
            halves = self.facts[:middle], self.facts[middle:]
            return any_of, [SupportedAnswer(self.text, self.span, half) for half in halves]
        if len(spans) != 2:  # two sentences stay whole: half of one claims little
            spans = _halves(self.text, self.span)
        return all_of, [SupportedAnswer(self.text, span, self.facts) for span in spans]


def any_of(readings: Sequence[PairReading | None]) -> PairReading | None:
    """The highest; None where none is a yes and one could not be read."""
    return _pool(readings, max, settled=lambda entailed: entailed > 0.5)


def all_of(readings: Sequence[PairReading | None]) -> PairReading | None:
    """The lowest; None where all others are a yes and one could not be read."""
    return _pool(readings, min, settled=lambda entailed: entailed <= 0.5)


def _pool(
    readings: Sequence[PairReading | None],
    choose: Callable[[Iterable[float]], float],
    settled: Callable[[float], bool],
) -> PairReading | None:
    read = [reading for reading in readings if reading is not None]
    if not read:
        return None
    entailed = choose(reading.entailed for reading in read)
    if len(read) < len(readings) and not settled(entailed):
        return None
    against = [one.contradicted for one in read if one.contradicted is not None]
    return PairReading(entailed, max(against, default=None))


def _halves(text: str, span: Span) -> list[Span]:
    """Two stretches that share the middle, unless it is too long; none for very few words."""
    start, end = span
    whole = _sentences(text, span)
    parts = [clause for sentence in whole for clause in split_clauses(text, *sentence)]
    units = whole if len(whole) > 2 else parts
    if len(units) > 2:
        inner = range(1, len(units) - 1)
        middle = min(inner, key=lambda number: abs(sum(units[number]) - start - end))
        first, last = units[middle]
        if (last - first) * 5 <= (end - start) * 2:
            return [(start, last), (first, end)]
        return [(start, units[middle - 1][1]), (first, end)]  # too much to be read twice
    if len(whole) == 2:
        return whole
    words = _words(text, span)
    if len(words) <= _LEAST_WORDS:
        return []
    half, shared = len(words) // 2, min(_SHARED_WORDS, len(words) // 4) // 2
    return [(start, words[half + shared - 1][1]), (words[half - shared][0], end)]


def _sentences(text: str, span: Span) -> list[Span]:
    start, end = span
    return [(start + first, start + last) for first, last in split_sentences(text[start:end])]


def _words(text: str, span: Span) -> list[Span]:
    found, place = [], span[0]
    for word in text[slice(*span)].split():
        place = text.index(word, place)
        found.append((place, place + len(word)))
        place += len(word)
    return found


@dataclass(slots=True)
class _Node:
    question: PairQuestion
    reading: PairReading | None = None
    pool: Pool = any_of
    parts: list[_Node] = field(default_factory=list)

    def answer(self) -> PairReading | None:
        return self.pool([part.answer() for part in self.parts]) if self.parts else self.reading


def ask(
    questions: Iterable[PairQuestion], read: Callable[[Sequence[float]], PairReading]
) -> Asking[list[PairReading | None]]:
    """The answers in order; pairs that are too long are asked in parts, each level at once."""
    nodes = [_Node(question) for question in questions]
    waiting = nodes
    while waiting:
        rows = yield [node.question.pair for node in waiting]
        smaller: list[_Node] = []
        for node, row in zip(waiting, rows, strict=True):
            if row is not None:
                node.reading = read(row)
            else:
                node.pool, parts = node.question.parts()
                node.parts = [_Node(part) for part in parts]
                smaller += node.parts
        waiting = smaller
    return [node.answer() for node in nodes]


def run(
    askings: Sequence[Asking[Answer]], probabilities: Callable[[Sequence[Pair]], Sequence[Row]]
) -> list[Answer]:
    """The answer of each; the pairs of all go to the model in one call, each pair once."""
    known: dict[Pair, Row] = {}
    answers: dict[int, Answer] = {}
    wanted: dict[int, list[Pair]] = {}

    def resume(number: int, rows: Sequence[Row] | None) -> None:
        try:
            asking = askings[number]
            wanted[number] = next(asking) if rows is None else asking.send(rows)
        except StopIteration as stop:
            answers[number] = stop.value
            wanted.pop(number, None)

    for number in range(len(askings)):
        resume(number, None)
    while wanted:
        asked = (pair for pairs in wanted.values() for pair in pairs)
        new = dict.fromkeys(pair for pair in asked if pair not in known)
        if new:
            known.update(zip(new, probabilities(list(new)), strict=True))
        for number, pairs in list(wanted.items()):
            resume(number, [known[pair] for pair in pairs])
    return [answers[number] for number in range(len(askings))]


Sentence = Callable[[Triple, Mapping[str, Term]], str]
"""The sentence of a triple: by a template, or by the backoff."""
Read = Callable[[Sequence[float]], PairReading]

_WORD = re.compile(r"\w+")
_NO_CONTENT = frozenset(("a", "an", "and", "by", "in", "is", "of", "s", "the", "to", "was"))


def pair_evidence(pairs: Pairs, labels: NliLabels, sentence: Sentence) -> EvidenceSource:
    """A source that asks a classifier of pairs, in both directions."""

    def read(row: Sequence[float]) -> PairReading:
        return PairReading(labels.entailed(row), labels.contradicted(row))

    def gather(items: Sequence[Item]) -> list[Evidence]:
        askings = []
        for item in items:
            facts = tuple(sentence(triple, item.terms) for triple in item.triples)
            askings.append(_Inquiry(item.text, facts, read).evidence())
        return run(askings, pairs.probabilities)

    return gather


@dataclass(frozen=True, slots=True)
class _Inquiry:
    """The questions about one item."""

    text: str
    facts: tuple[str, ...]
    read: Read

    def evidence(self) -> Asking[Evidence]:
        start = len(self.text) - len(self.text.lstrip())
        whole = start, start + len(self.text.strip())
        questions = [StatedAnswer(self.text, whole, fact) for fact in self.facts]
        *stated, supported = yield from ask([*questions, self._of(whole)], self.read)
        stretches: list[Stretch] = []
        if _fails(supported):
            stretches = yield from self._failing()
            stretches = stretches or [_stretch(whole, "text", supported)]
            stretches = yield from self._denying(stretches)
        probabilities = [None if reading is None else reading.entailed for reading in stated]
        total = None if supported is None else supported.entailed
        complete = all(stretch.unsupported is not None for stretch in stretches)
        value = _value(probabilities, total) if complete else None
        return Evidence(tuple(probabilities), tuple(stretches), total, value)

    def _of(self, span: Span, facts: tuple[str, ...] | None = None) -> SupportedAnswer:
        return SupportedAnswer(self.text, span, self.facts if facts is None else facts)

    def _failing(self) -> Asking[list[Stretch]]:
        """The clauses that fail, or the sentence where none of its clauses does."""
        spans = split_sentences(self.text)
        readings = yield from self._support(spans)
        read = zip(spans, readings, strict=True)
        failing = {span: reading for span, reading in read if _fails(reading)}
        inner = {span: split_clauses(self.text, *span) for span in failing}
        parts = [part for own in inner.values() if len(own) > 1 for part in own]
        smaller = yield from self._support(parts)
        by_part = dict(zip(parts, smaller, strict=True))
        found: list[Stretch] = []
        for span, reading in failing.items():
            finer = [
                _stretch(part, "clause", by_part[part])
                for part in inner[span]
                if part in by_part and _fails(by_part[part])
            ]
            found += finer or [_stretch(span, "sentence", reading)]
        return found

    def _support(self, spans: Sequence[Span]) -> Asking[list[PairReading | None]]:
        """The support of each stretch by the graph and by the stretch's own facts."""
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


def _fails(reading: PairReading | None) -> bool:
    """Whether another label is as likely as entailment, or the pair could not be read."""
    return reading is None or reading.entailed <= 0.5


def _together(graph: PairReading | None, own: PairReading | None) -> PairReading | None:
    """The mean of two readings; if one could not be read, the other counts only if entailed."""
    if graph is None or own is None:
        return any_of([graph, own])
    against = [one.contradicted for one in (graph, own) if one.contradicted is not None]
    return PairReading((graph.entailed + own.entailed) / 2, max(against, default=None))


def own_facts(stretch: str, facts: Sequence[str]) -> list[int]:
    """The numbers of the facts that share a word with a stretch that not all facts have.

    >>> own_facts("It was built in 1990.", ["The inn is in Rome.", "The inn opened in 1990."])
    [1]
    """
    words = [_content(fact) for fact in facts]
    common = frozenset.intersection(*words) if len(words) > 1 else frozenset()
    telling = _content(stretch) - common
    return [number for number, own in enumerate(words) if own & telling]


def _content(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _NO_CONTENT


def _stretch(span: Span, level: Level, reading: PairReading | None) -> Stretch:
    if reading is None:
        return Stretch(*span, level, None)
    return Stretch(*span, level, 1 - reading.entailed, reading.contradicted)


def _value(stated: Sequence[float | None], supported: float | None) -> float | None:
    """The geometric mean of the stated facts, times the support of the text."""
    facts = geometric_mean(stated) if stated else 1.0
    return None if facts is None or supported is None else facts * max(supported, FLOOR)
