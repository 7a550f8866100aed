"""The record reader: which words of a text about a record does the record not support?

It reads one sentence at a time, after the end of the sentence before, beside the facts whose words
are most like its own. Facts of one object stand together under its name, as in the record, so that
rows can be told apart. For each word of the sentence it answers how likely the record does not
support it, and for the sentence as a whole whether it says anything that is wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adequa.data import Item, Triple
from adequa.models.relations import PLACEHOLDERS
from adequa.models.runtime import WordTable, breaks_of, windows
from adequa.models.shipped import DEFAULT, open_network, weights
from adequa.models.verifier import Run
from adequa.models.wordpiece import MARKERS, Piece, WordPiece
from adequa.text import label_of, split_camel, split_sentences, word_set
from adequa.text.values import say_date, say_number, say_unit, truth_of

ROOM = 80
"""Word pieces of facts beside a sentence. Of 462 wrong sentences about written records the violated
fact is among those chosen in .88 (64 pieces .84, 96 .89, 128 .95; by words in common with the
sentence .78). With 200 pieces, nearly the whole of most records, the reader learned far more
slowly: docs/training.md."""
_BEFORE = 16
"""Word pieces of the sentence before, of which the end is read."""
_SENTENCE = 96
"""Word pieces of a sentence; a longer one is read in windows."""
_OVERLAP = 16
_LEAST_FACT = 5
"""Word pieces of a short fact: with less room none fits."""
_FIELD, _VALUE, _HEAD = 2.0, 1.5, 1.0
"""How much the likeness of a field, a value and the name of an object count. Of seven settings the
best by the figures of `ROOM`, by about .01."""
_SMALL = word_set(
    "the a an of in on at to for and or is was are were be been it its this that with by as from "
    "has have had not no but than then he she they his her their who which there "
    ", . ; : - ' ! ? ( ) [UNK]"
)
"""Words that say nothing of what a sentence is about."""


class Mark(IntEnum):
    """What the rules say of a name or a value of a text; the reader sees it as a word before it."""

    EXPLAINED = 0
    """The data has it, or it follows from the data."""
    DOUBTED = 1
    """A rule finds that it contradicts the data."""
    UNKNOWN = 2
    """Nothing in the data explains it."""


Marks = Sequence[tuple[int, Mark]]
"""Places in a text, in order, and what the rules say of what begins there."""


class SentenceInput(NamedTuple):
    """A sentence with what is read beside it, as word numbers."""

    ids: list[int]
    types: list[int]
    places: list[int]
    """The positions of the pieces of the sentence."""
    offsets: list[tuple[int, int]]
    """Where these pieces stand in the text."""
    facts: tuple[int, ...]
    """The numbers of the facts beside it."""


class SentenceReading(NamedTuple):
    """What the reader says of a sentence, or of a window of a long one, as logits."""

    fault: float
    """That something in it is wrong."""
    offsets: list[tuple[int, int]]
    words: list[float]
    """For each piece, that the record does not support it."""
    facts: tuple[int, ...]


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

    def choose(self, sentence: Sequence[int], room: int, likeness: WordLikeness) -> list[int]:
        """The facts whose words are most like those of a sentence, as many as fit, in order."""
        scores = self._scores(sentence, likeness)
        chosen: list[int] = []
        heads: set[str] = set()
        for number in sorted(range(len(scores)), key=lambda one: (-scores[one], one)):
            cost = sum(map(len, self.facts[number]))
            subject = self.subjects[number]
            whole = cost + (0 if subject in heads else len(self.heads[subject]))
            if cost and whole <= room:
                chosen.append(number)
                heads.add(subject)
                room -= whole
            elif room < _LEAST_FACT:
                break
        return sorted(chosen)

    def _scores(self, sentence: Sequence[int], likeness: WordLikeness) -> list[float]:
        """How much the field, the value and the object of each fact are like a sentence."""
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

    def join(self, numbers: Sequence[int]) -> list[int]:
        """The word numbers of some facts, those of one object after its name."""
        of_subject: dict[str, list[int]] = {}
        for number in numbers:
            of_subject.setdefault(self.subjects[number], []).append(number)
        found: list[int] = []
        for subject, own in of_subject.items():
            found += self.heads[subject]
            for number in own:
                for part in self.facts[number]:
                    found += part
        return found


def word_field(triple: Triple) -> tuple[str, str]:
    """The field and the value of a fact in words.

    >>> word_field(Triple("Isnes", "hasRailway", "false"))
    ('has railway', 'no')
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
        self._marks = tuple(reader.ids[one] for one in PLACEHOLDERS[-len(Mark) :])

    def read(self, items: Sequence[Item], marks: Sequence[Marks]) -> list[list[SentenceReading]]:
        """The readings of each item's sentences, in order."""
        inputs = [self.inputs(*one) for one in zip(items, marks, strict=True)]
        rows = [one for own in inputs for one in own]
        outputs = iter(self.run([one.ids for one in rows], [one.types for one in rows]))
        found = []
        for own in inputs:
            readings = []
            for one in own:
                output = next(outputs)
                words = output["tokens"][one.places, 1].tolist()
                fault = float(output["pair"][0])
                readings.append(SentenceReading(fault, one.offsets, words, one.facts))
            found.append(readings)
        return found

    def inputs(self, item: Item, marks: Marks = ()) -> list[SentenceInput]:
        """The inputs for the sentences of a text."""
        words = RecordWords(self.reader, item.triples)
        before: list[Piece] = []
        found = []
        for start, end in split_sentences(item.text):
            pieces = [
                (number, first + start, last + start)
                for number, first, last in self.reader.pieces(item.text[start:end])
            ]
            stretches = filter(None, _cut(item.text, pieces))
            found += [self._input(words, before, own, marks) for own in stretches]
            before = pieces or before
        return found

    def _input(
        self,
        words: RecordWords,
        before: Sequence[Piece],
        pieces: Sequence[Piece],
        marks: Marks,
    ) -> SentenceInput:
        ids = [self.reader.start, *(one[0] for one in before[-_BEFORE:]), self.reader.separator]
        places = []
        waiting = bisect_left(marks, pieces[0][1], key=itemgetter(0))
        for number, start, _ in pieces:
            if waiting < len(marks) and marks[waiting][0] <= start:
                ids.append(self._marks[marks[waiting][1]])
                while waiting < len(marks) and marks[waiting][0] <= start:
                    waiting += 1
            places.append(len(ids))
            ids.append(number)
        ids.append(self.reader.separator)
        types = [0] * len(ids)
        chosen = words.choose([number for number, _, _ in pieces], ROOM, self._likeness)
        ids += [*words.join(chosen), self.reader.separator]
        types += [1] * (len(ids) - len(types))
        offsets = [(start, end) for _, start, end in pieces]
        return SentenceInput(ids, types, places, offsets, tuple(chosen))


def _cut(text: str, pieces: list[Piece]) -> list[list[Piece]]:
    """A sentence, or the windows of a long one."""
    if len(pieces) <= _SENTENCE:
        return [pieces]
    breaks = breaks_of(text, [(start, end) for _, start, end in pieces])
    places = windows(len(pieces), _SENTENCE, overlap=_OVERLAP, breaks=breaks)
    return [pieces[start:end] for start, end in places]


@lru_cache(maxsize=4)
def load_record_reader(name: str = DEFAULT, *, threads: int = 1) -> RecordReader | None:
    """The record reader of shipped weights or of a folder, or None where they have none."""
    if "records.onnx" not in weights(name).manifest["files"]:
        return None
    reader, network = open_network(name, "records", ("tokens", "pair"), threads=threads, typed=True)
    return RecordReader(reader, network.table, network.run)
