"""A record reader: does a sentence of a text about a record contradict one of its facts?

It does not ship: docs/training.md has its figures. It is asked about one fact at a time: the name
of an object, a field and its value, in words. Of a record only the facts are asked about whose
words are most like those of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import nlargest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adequa.data import Item, Triple
from adequa.models.runtime import WordTable, breaks_of, windows
from adequa.models.verifier import Run
from adequa.models.wordpiece import MARKERS, Piece, WordPiece
from adequa.text import Span, label_of, split_camel, split_sentences, word_set
from adequa.text.values import say_date, say_number, say_unit, truth_of

ASKED = 6
"""The facts that a sentence is asked about."""
_SENTENCE = 96
"""Word pieces of a sentence; a longer one is read in windows."""
_OVERLAP = 16
_LONGEST_FACT = 60
"""Word pieces of a fact that are read."""
_FIELD, _VALUE, _HEAD = 2.0, 1.5, 1.0
"""How much the likeness of a field, a value and the name of an object count. Of seven settings the
one by which the violated fact was found most often among as many facts as 80 word pieces hold: .88
of 462 wrong sentences about written records (the others .85 to .88; words in common .78)."""
_SMALL = word_set(
    "the a an of in on at to for and or is was are were be been it its this that with by as from "
    "has have had not no but than then he she they his her their who which there "
    ", . ; : - ' ! ? ( ) [UNK]"
)
"""Words that say nothing of what a sentence is about."""


class SentenceReading(NamedTuple):
    """What the reader says of a sentence, or of a window of a long one."""

    start: int
    end: int
    facts: tuple[int, ...]
    """The facts that were asked about."""
    logits: tuple[float, ...]
    """For each of them, that the sentence contradicts it."""


FactInput = tuple[list[int], int]
"""The word numbers of a sentence and a fact, and where the fact begins."""


class WordLikeness:
    """How alike words are by the vectors of the models' word table, from 0 to 1."""

    def __init__(self, table: WordTable) -> None:
        self.rows = table.rows
        self.mean = table.rows.mean(axis=0, dtype=np.float32)

    def best(self, words: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.float32]:
        """For each word its likeness to the most similar of other words."""
        if not len(among):
            return np.zeros(len(words), np.float32)
        known, places = np.unique(words, return_inverse=True)
        alike = (self._unit(known) @ self._unit(np.unique(among)).T).max(axis=1)
        found: NDArray[np.float32] = np.maximum(alike, 0)[places]
        return found

    def _unit(self, words: NDArray[np.int64]) -> NDArray[np.float32]:
        vectors = self.rows[words].astype(np.float32) - self.mean
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, 1e-6), np.float32)


class RecordWords:
    """The facts of a record as word numbers, by object."""

    def __init__(self, reader: WordPiece, triples: Sequence[Triple]) -> None:
        subject, field, value = reader.markers
        self.subjects: list[str] = []
        self.heads: dict[str, list[int]] = {}
        self.facts: list[tuple[list[int], list[int]]] = []
        """The words of each field and value; empty for a fact that names an object of its own."""
        objects = {one.subject for one in triples}
        lists: dict[str, str] = {}
        for one in triples:
            if one.object in objects and one.object != one.subject:
                lists.setdefault(one.object, one.predicate)
        for one in triples:
            self.subjects.append(one.subject)
            if one.subject not in self.heads:
                name = label_of(one.subject).string
                within = _spaced(lists.get(one.subject, ""))
                words = name if name.startswith(within) else f"{within} {name}"
                self.heads[one.subject] = [subject, *reader.numbers(words)]
            if one.object in lists:
                self.facts.append(([], []))
                continue
            key, said = word_field(one)
            numbers = [field, *reader.numbers(key)], [value, *reader.numbers(said)]
            self.facts.append(numbers)
        self._small = frozenset(
            reader.ids[word] for word in (*_SMALL, *MARKERS) if word in reader.ids
        )
        self._parts = [
            *self.heads.values(),
            *(part for fact in self.facts for part in fact),
        ]
        """All parts that are compared with a sentence."""
        self._words = np.array([word for part in self._parts for word in part], np.int64)
        self._ends = np.cumsum([len(part) for part in self._parts])
        counted = ~np.isin(self._words, [*self._small])
        self._counted = counted.astype(np.float32)

    def choose(self, sentence: Sequence[int], count: int, likeness: WordLikeness) -> list[int]:
        """The facts whose words are most like those of a sentence, the best first."""
        scores = self._scores(sentence, likeness)
        known = (number for number, (field, _) in enumerate(self.facts) if field)
        return nlargest(count, known, key=lambda number: (scores[number], -number))

    def _scores(self, sentence: Sequence[int], likeness: WordLikeness) -> list[float]:
        """How much the field, the value and the object of each fact are like a sentence."""
        if not self.facts:
            return []
        among = np.array([one for one in sentence if one not in self._small], np.int64)
        alike = likeness.best(self._words, among) ** 2 * self._counted
        sums, counts = (
            np.diff(np.concatenate([[0.0], np.cumsum(one)[self._ends - 1]]))
            for one in (alike, self._counted)
        )
        means = sums / np.maximum(counts, 1)
        heads = dict(zip(self.heads, means, strict=False))
        fields, values = means[len(self.heads) :: 2], means[len(self.heads) + 1 :: 2]
        return [
            float(_FIELD * fields[number] + _VALUE * values[number] + _HEAD * heads[subject])
            for number, subject in enumerate(self.subjects)
        ]

    def words(self, number: int) -> list[int]:
        """The word numbers of a fact: of its object, its field and its value."""
        field, value = self.facts[number]
        return [*self.heads[self.subjects[number]], *field, *value][:_LONGEST_FACT]


def word_field(triple: Triple) -> tuple[str, str]:
    """The field and the value of a fact in words.

    >>> word_field(Triple("Isnes", "hasRailway", "false"))
    ('has Railway', 'no')
    """
    key = _spaced(triple.predicate)
    truth = truth_of(triple.predicate, triple.object)
    if truth is not None:
        return key, "yes" if truth else "no"
    value = say_unit(say_number(say_date(label_of(triple.object).string)))
    if _LONG_NUMBER.fullmatch(value):
        value = f"{int(value):,}"  # as texts write it
    return key, value.replace("_", " ")


def _spaced(key: str) -> str:
    return split_camel(key, acronyms=False).replace("_", " ")


_LONG_NUMBER = re.compile(r"[1-9]\d{4,11}")


class RecordReader:
    """Reads the sentences of texts about records."""

    def __init__(self, reader: WordPiece, table: WordTable, run: Run) -> None:
        self.reader = reader
        self.run = run
        self._likeness = WordLikeness(table)

    def read(self, items: Sequence[Item]) -> list[list[SentenceReading]]:
        """The readings of each item's sentences, in order."""
        asked = [self._asked(item) for item in items]
        rows = [row for own in asked for _, _, inputs in own for row in inputs]
        outputs = iter(
            self.run(
                [ids for ids, _ in rows],
                [[0] * mark + [1] * (len(ids) - mark) for ids, mark in rows],
            )
        )
        return [
            [
                SentenceReading(
                    *place,
                    tuple(facts),
                    tuple(float(next(outputs)["tokens"][mark, 1]) for _, mark in inputs),
                )
                for place, facts, inputs in own
            ]
            for own in asked
        ]

    def _asked(self, item: Item) -> list[tuple[Span, list[int], list[FactInput]]]:
        """The sentences of a text, the facts that each is asked about, and the inputs."""
        words = RecordWords(self.reader, item.triples)
        found = []
        for place, pieces in self.sentences(item.text):
            facts = words.choose(pieces, ASKED, self._likeness)
            found.append((place, facts, [self.input(pieces, words, one) for one in facts]))
        return found

    def sentences(self, text: str) -> list[tuple[Span, list[int]]]:
        """The sentences of a text, or windows of long ones, with their word numbers."""
        found = []
        for start, end in split_sentences(text):
            pieces = [
                (number, first + start, last + start)
                for number, first, last in self.reader.pieces(text[start:end])
            ]
            found += [
                ((own[0][1], own[-1][2]), [number for number, _, _ in own])
                for own in _cut(text, pieces)
                if own
            ]
        return found

    def input(self, sentence: Sequence[int], words: RecordWords, fact: int) -> FactInput:
        """A sentence with one fact."""
        ids = [self.reader.start, *sentence, self.reader.separator]
        return [*ids, *words.words(fact), self.reader.separator], len(ids)

    def rank(self, sentence: Sequence[int], words: RecordWords, count: int) -> list[int]:
        """The facts whose words are most like those of a sentence, the best first."""
        return words.choose(sentence, count, self._likeness)


def _cut(text: str, pieces: list[Piece]) -> list[list[Piece]]:
    """A sentence, or the windows of a long one."""
    if len(pieces) <= _SENTENCE:
        return [pieces]
    breaks = breaks_of(text, [(start, end) for _, start, end in pieces])
    places = windows(len(pieces), _SENTENCE, overlap=_OVERLAP, breaks=breaks)
    return [pieces[start:end] for start, end in places]
