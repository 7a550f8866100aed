"""Questions to a classifier of pairs, however long: those that do not fit are asked in parts.

A text is split into halves that share a sentence, a long sentence into halves that share a clause
or words; a graph into halves of its facts. Nothing is cut off: what fits in no way is None.

    is the fact in the text?           in any part of the text: the highest value
    does the graph support the text?   every part of the text: the lowest value,
                                       each by the part of the graph that supports it best
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from adequa.entailment.segments import Span, clauses, sentences

__all__ = ["Asking", "Pair", "Reading", "Row", "Stated", "Supported", "any_of", "ask", "run"]

Pair = tuple[str, str]
"""Premise and hypothesis."""
Row = tuple[float, ...] | None
"""A probability a label; None for a pair that is too long."""
Answer = TypeVar("Answer")
Asking = Generator[list[Pair], Sequence[Row], Answer]
"""Yields pairs, is sent their rows, and returns what it made of them."""

_LEAST_WORDS = 16
"""A part of so few words is not split: what it says could not be told from it."""
_SHARED_WORDS = 16


class Reading(NamedTuple):
    """What a model says of a pair: above one half is a yes."""

    entailed: float
    contradicted: float | None


class Question(Protocol):
    """A pair, and what to ask instead where it is too long."""

    @property
    def pair(self) -> Pair:
        """Premise and hypothesis."""

    def parts(self) -> tuple[Pool, Sequence[Question]]:
        """Smaller questions, and how their answers make one; none where it is small already."""


Pool = Callable[[Sequence["Reading | None"]], "Reading | None"]


@dataclass(frozen=True, slots=True)
class Stated:
    """Does a stretch of the text say the fact?"""

    text: str
    span: Span
    fact: str

    @property
    def pair(self) -> Pair:
        """The text is the premise."""
        return self.text[slice(*self.span)], self.fact

    def parts(self) -> tuple[Pool, Sequence[Question]]:
        """In one half of the stretch or the other."""
        spans = _halves(self.text, self.span)
        return any_of, [Stated(self.text, span, self.fact) for span in spans]


@dataclass(frozen=True, slots=True)
class Supported:
    """Do the facts say what a stretch of the text says?"""

    text: str
    span: Span
    facts: tuple[str, ...]

    @property
    def pair(self) -> Pair:
        """The facts are the premise."""
        return " ".join(self.facts), self.text[slice(*self.span)]

    def parts(self) -> tuple[Pool, Sequence[Question]]:
        """Sentence by sentence first, then half of the facts each, then parts of the sentence."""
        spans = _sentences(self.text, self.span)
        if len(spans) < 2 and len(self.facts) > 1:
            middle = len(self.facts) // 2
            halves = self.facts[:middle], self.facts[middle:]
            return any_of, [Supported(self.text, self.span, half) for half in halves]
        if len(spans) != 2:  # two sentences stay whole: half of one claims little
            spans = _halves(self.text, self.span)
        return all_of, [Supported(self.text, span, self.facts) for span in spans]


def any_of(readings: Sequence[Reading | None]) -> Reading | None:
    """The highest; None where none is a yes and one could not be read."""
    return _pool(readings, max, settled=lambda entailed: entailed > 0.5)


def all_of(readings: Sequence[Reading | None]) -> Reading | None:
    """The lowest; None where all others are a yes and one could not be read."""
    return _pool(readings, min, settled=lambda entailed: entailed <= 0.5)


def _pool(
    readings: Sequence[Reading | None],
    choose: Callable[[Iterable[float]], float],
    settled: Callable[[float], bool],
) -> Reading | None:
    read = [reading for reading in readings if reading is not None]
    if not read:
        return None
    entailed = choose(reading.entailed for reading in read)
    if len(read) < len(readings) and not settled(entailed):
        return None
    against = [one.contradicted for one in read if one.contradicted is not None]
    return Reading(entailed, max(against, default=None))


def _halves(text: str, span: Span) -> list[Span]:
    """Two stretches that share what stands in the middle, if it is not too much.

    None, where there are so few words that it would tell nothing to read fewer.
    """
    start, end = span
    whole = _sentences(text, span)
    parts = [clause for sentence in whole for clause in clauses(text, *sentence)]
    units = whole if len(whole) > 2 else parts
    if len(units) > 2:
        middle = min(
            range(1, len(units) - 1), key=lambda number: abs(sum(units[number]) - start - end)
        )
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
    return [(start + first, start + last) for first, last in sentences(text[start:end])]


def _words(text: str, span: Span) -> list[Span]:
    found, place = [], span[0]
    for word in text[slice(*span)].split():
        place = text.index(word, place)
        found.append((place, place + len(word)))
        place += len(word)
    return found


@dataclass(slots=True)
class _Node:
    question: Question
    reading: Reading | None = None
    pool: Pool = any_of
    parts: list[_Node] = field(default_factory=list)

    def answer(self) -> Reading | None:
        return self.pool([part.answer() for part in self.parts]) if self.parts else self.reading


def ask(
    questions: Iterable[Question], read: Callable[[Sequence[float]], Reading]
) -> Asking[list[Reading | None]]:
    """The answers, in order; what is too long is asked again in parts, all of one size at once."""
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
    askings: Sequence[Asking[Answer]],
    probabilities: Callable[[Sequence[Pair]], Sequence[Row]],
) -> list[Answer]:
    """What each returns; all that ask at the same time go in one call, and no pair goes twice."""
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
        new = dict.fromkeys(
            pair for pairs in wanted.values() for pair in pairs if pair not in known
        )
        if new:
            known.update(zip(new, probabilities(list(new)), strict=True))
        for number, pairs in list(wanted.items()):
            resume(number, [known[pair] for pair in pairs])
    return [answers[number] for number in range(len(askings))]
