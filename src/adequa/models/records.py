"""The record reader: which words of a text about a record does the record not support?

It reads one sentence at a time, after the sentence before it, beside the part of the record that
could bear on it. Facts of one object stand together under its name, as in the record, so that rows
can be told apart and counted. For each word of the sentence it answers how likely the record does
not support it, and for the sentence as a whole whether it says anything that is wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.models.relations import PLACEHOLDERS
from adequa.models.runtime import breaks_of, windows
from adequa.models.shipped import DEFAULT, open_network, weights
from adequa.models.verifier import Ranking, Run
from adequa.models.wordpiece import Piece, WordPiece
from adequa.text import label_of, split_camel, split_sentences
from adequa.text.values import say_date, say_number, say_unit, truth_of

LONGEST = 256
"""Word pieces of an input; the reader was trained on as many."""
_BEFORE = 32
"""Word pieces of the sentence before, of which the end is read."""
_SENTENCE = 96
"""Word pieces of a sentence; a longer one is read in windows."""
_OVERLAP = 16
_SPECIAL = 4
"""The markers of start and end around the sentence before, the sentence and the record."""
_BEST = 12
"""The best facts, whose object and whose field in other objects are read with them first."""


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


class RecordWords:
    """The facts of a record as word numbers, by object."""

    def __init__(self, reader: WordPiece, triples: Sequence[Triple]) -> None:
        subject, field, value = reader.markers
        self.subjects = [one.subject for one in triples]
        self.fields = [one.predicate for one in triples]
        self.heads: dict[str, list[int]] = {}
        self.facts: list[list[int]] = []
        objects = {*self.subjects}
        lists: dict[str, str] = {}
        for one in triples:
            if one.object in objects and one.object != one.subject:
                lists.setdefault(one.object, one.predicate)
        for one in triples:
            if one.subject not in self.heads:
                name = label_of(one.subject).string
                within = _spaced(lists.get(one.subject, ""))
                words = name if name.startswith(within) else f"{within} {name}"
                self.heads[one.subject] = [subject, *reader.numbers(words)]
            if one.object in lists:  # its name is said where its own facts are
                self.facts.append([])
                continue
            key, said = word_field(one)
            self.facts.append([field, *reader.numbers(key), value, *reader.numbers(said)])

    def choose(self, ranked: Sequence[int], room: int) -> list[int]:
        """The facts that fit, those first that could bear on a sentence, with their neighbours.

        In the order of the record.
        """
        chosen: dict[int, None] = {}
        heads: set[str] = set()
        for number in self._order(ranked):
            if number in chosen:
                continue
            subject = self.subjects[number]
            cost = len(self.facts[number])
            if not cost:
                continue
            cost += 0 if subject in heads else len(self.heads[subject])
            if cost <= room:
                chosen[number] = None
                heads.add(subject)
                room -= cost
            elif room < _SPECIAL:
                break
        return sorted(chosen)

    def _order(self, ranked: Sequence[int]) -> list[int]:
        best = ranked[:_BEST]
        rows = {self.subjects[number] for number in best}
        columns = {self.fields[number] for number in best}
        everything = range(len(self.facts))
        return [
            *best,
            *(number for number in everything if self.subjects[number] in rows),
            *(number for number in everything if self.fields[number] in columns),
            *ranked,
            *everything,
        ]

    def join(self, numbers: Sequence[int]) -> list[int]:
        """The word numbers of some facts, those of one object after its name."""
        found: list[int] = []
        of_subject: dict[str, list[int]] = {}
        for number in numbers:
            of_subject.setdefault(self.subjects[number], []).append(number)
        for subject, own in of_subject.items():
            found += self.heads[subject]
            for number in own:
                found += self.facts[number]
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

    def __init__(self, reader: WordPiece, run: Run) -> None:
        self.reader = reader
        self.run = run
        self._marks = tuple(reader.ids[one] for one in PLACEHOLDERS[-len(Mark) :])

    def read(
        self, items: Sequence[Item], ranks: Sequence[Ranking], marks: Sequence[Marks]
    ) -> list[list[SentenceReading]]:
        """The readings of each item's sentences, in order; `ranks` say which facts bear on what."""
        inputs = [self.inputs(*one) for one in zip(items, ranks, marks, strict=True)]
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

    def inputs(self, item: Item, rank: Ranking, marks: Marks = ()) -> list[SentenceInput]:
        """The inputs for the sentences of a text."""
        words = RecordWords(self.reader, item.triples)
        before: list[Piece] = []
        found = []
        for start, end in split_sentences(item.text):
            pieces = [
                (number, first + start, last + start)
                for number, first, last in self.reader.pieces(item.text[start:end])
            ]
            for own in _cut(item.text, pieces):
                if own:
                    ranked = rank(own[0][1], own[-1][2])
                    found.append(self._input(words, before, own, ranked, marks))
            before = pieces or before
        return found

    def _input(
        self,
        words: RecordWords,
        before: Sequence[Piece],
        pieces: Sequence[Piece],
        ranked: Sequence[int],
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
        chosen = words.choose(ranked, LONGEST - len(ids) - 1)
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
    return RecordReader(reader, network.run)
