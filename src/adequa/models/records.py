"""The record reader: does a sentence of a text about a record contradict one of its facts?

It is asked about one fact at a time: whose it is, the field and the value, in words; and once about
several facts together, whether they support all of the sentence. Placeholders stand for the names
and numbers of the data that the sentence has, so that it need not compare them. Of a record only
the facts are asked about that are most like the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from adequa.data import Triple
from adequa.models.relations import (
    PLACEHOLDERS,
    NamedPiece,
    NamedText,
    join_names,
    relation_words,
)
from adequa.models.runtime import WordTable, breaks_of, windows
from adequa.models.shipped import DEFAULT, open_network, weights
from adequa.models.summaries import Field, Part, Summaries, Value
from adequa.models.verifier import Run
from adequa.models.wordpiece import MARKERS, WordPiece
from adequa.text import Span, label_of, split_camel, split_sentences, word_set
from adequa.text.values import is_value, say_date, say_number, say_unit, truth_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ASKED = 6
"""The facts that a sentence is asked about one by one."""
TOGETHER = 12
"""The most facts that a sentence is asked about together. Not chosen by a comparison."""
_LONGEST_TOGETHER, _LONGEST_SUMMARY = 96, 60
"""The word pieces of these facts, and of what follows from several."""
_UNRANKED = 1000
"""The rank of a fact that is not among them."""
_SHORT_FACT = 24
"""The word pieces of one of them."""
_SENTENCE = 96
"""Word pieces of a sentence; a longer one is read in windows."""
_OVERLAP = 16
_LONGEST_FACT = 48
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
_REFERS = re.compile(
    r"\W*(?:it|its|he|his|she|her|they|their|this|that|these|those|both|there|here|the (?:former|"
    r"latter|other|two|same))(?!\w)",
    re.IGNORECASE,
)
"""The beginning of a sentence that refers to the one before it."""
_NAME = re.compile(r"^\W?\d|[^\W\d_a-z]\w*[^\WA-Z\d_]")
"""A number with its unit, or a capitalised word; codes such as IN_STOCK are words."""
_DOUBTFUL = -2.0
"""The log-odds of a contradiction from which on the opposite of a yes or no is asked about."""
_LONG_NUMBER = re.compile(r"[1-9]\d{4,11}")


class SentenceReading(NamedTuple):
    """What the reader says of a sentence, or of a window of a long one."""

    start: int
    end: int
    fact: int | None
    """The fact that it was asked about; None for the facts most like it, together."""
    logit: float
    """Log-odds that the sentence contradicts the fact, or that the facts do not support it."""
    stated: float
    """Log-odds that it states the fact; without a meaning for several."""
    turned: float | None
    """Log-odds that it contradicts the opposite, of a yes or no that it may contradict."""
    words: tuple[tuple[int, int, float], ...]
    """The places of its words, and the log-odds that each is wrong by what was asked about."""


FactInput = tuple[list[int], int]
"""The word numbers of a sentence and a fact, and where the fact begins."""


class WordLikeness:
    """How alike words are by the vectors of the models' word table, from 0 to 1."""

    def __init__(self, table: WordTable) -> None:
        import numpy as np

        self.rows = table.rows
        self.mean = table.rows.mean(axis=0, dtype=np.float32)

    def best(self, words: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.float32]:
        """For each word its likeness to the most similar of other words."""
        import numpy as np

        if not len(among):
            return np.zeros(len(words), np.float32)
        known, places = np.unique(words, return_inverse=True)
        alike = (self._unit(known) @ self._unit(np.unique(among)).T).max(axis=1)
        found: NDArray[np.float32] = np.maximum(alike, 0)[places]
        return found

    def _unit(self, words: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        vectors = self.rows[words].astype(np.float32) - self.mean
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, 1e-6), np.float32)


class _Fact(NamedTuple):
    """A fact as word numbers, and what it is about."""

    subject: str
    object: str
    within: list[int]
    """The list that its object is in."""
    field: list[int]
    key: list[int]
    """The field in its own words, without those that make a clause of it."""
    value: list[int]
    truth: bool | None


class RecordSentence(NamedTuple):
    """A sentence or a window of a long one: its place, its word pieces, what it names."""

    place: Span
    pieces: list[NamedPiece]
    named: frozenset[str]

    def places(self, span: Span) -> tuple[int, ...]:
        """Where the words of a span stand in an input."""
        return tuple(
            number
            for number, (_, start, end, _) in enumerate(self.pieces, start=1)
            if start < span[1] and span[0] < end
        )


class RecordText:
    """The facts of a record and the sentences of a text about it, as word numbers."""

    def __init__(self, reader: WordPiece, likeness: WordLikeness, text: NamedText) -> None:
        self.reader = reader
        self._likeness = likeness
        self._subject, self._object, *self._others = (reader.ids[word] for word in PLACEHOLDERS)
        self._all = [reader.ids[word] for word in PLACEHOLDERS]
        self._known = self._others.pop()
        """Stands for the numbers of other facts."""
        self._colon, self._comma, self._stop = (
            reader.ids.get(sign, reader.separator) for sign in ":,;"
        )
        subjects = {one.subject for one in text.triples}
        lists: dict[str, str] = {}
        for one in text.triples:
            if one.object in subjects and one.object != one.subject:
                lists.setdefault(one.object, one.predicate)
        self._root = text.triples[0].subject if text.triples else ""
        self.heads = {
            subject: reader.numbers(label_of(subject).string)
            for subject in dict.fromkeys(one.subject for one in text.triples)
        }
        within = {name: reader.numbers(_spaced(lists.get(name, ""))) for name in self.heads}
        self.facts = [
            None if one.object in lists else self._fact(one, within[one.subject])
            for one in text.triples
        ]
        """None for a fact that names an object of its own."""
        hidden = {
            name
            for one in text.triples
            for name in (one.subject, one.object)
            if name in self.heads or is_value(name) or _NAME.search(label_of(name).string)
        }
        known = [number for number, one in enumerate(self.facts) if one]
        self._summaries = Summaries(text.triples, known)
        self._by_value: dict[str, list[int]] = {}
        for number in known:
            self._by_value.setdefault(text.triples[number].object, []).append(number)
        names = [one for one in text.names if one[2] in hidden]
        self.sentences = [*self._cut(text.text, names)]
        self._compare()

    def _fact(self, triple: Triple, within: list[int]) -> _Fact:
        field, value = map(self.reader.numbers, word_field(triple))
        truth = truth_of(triple.predicate, triple.object)
        key = self.reader.numbers(_spaced(triple.predicate))
        return _Fact(triple.subject, triple.object, within, field, key, value, truth)

    def _cut(self, text: str, names: Sequence[tuple[int, int, str]]) -> Iterable[RecordSentence]:
        """The sentences of a text; one that refers to another follows on it."""
        starts = [start for start, _ in split_sentences(text)]
        cut: list[list[NamedPiece]] = [[] for _ in starts]
        number = 0
        for piece in join_names(self.reader.pieces(text), names):
            while number + 1 < len(starts) and piece[1] >= starts[number + 1]:
                number += 1
            cut[number].append(piece)
        before: list[NamedPiece] = []
        for own in filter(None, cut):
            for part in _windows(text, own):
                place = (part[0][1], part[-1][2])
                context = before if _REFERS.match(text, *place) else []
                shown = [*context, *part] if len(context) + len(part) <= _SENTENCE else part
                named = frozenset(name for *_, entities in shown for name in entities)
                yield RecordSentence(place, shown, named)
            before = own

    def _compare(self) -> None:
        """Prepare the parts of all facts that are compared with a sentence."""
        import numpy as np

        parts = [*self.heads.values()]
        for one in self.facts:
            parts += [one.within + one.field, one.value] if one else [[], []]
        small = [self.reader.ids[word] for word in (*_SMALL, *MARKERS) if word in self.reader.ids]
        self._small = frozenset(small)
        self._words = np.array([word for part in parts for word in part], np.int64)
        self._ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        self._counted = (~np.isin(self._words, small)).astype(np.float32)

    def rank(self, sentence: RecordSentence, count: int = ASKED) -> list[int]:
        """The facts that are most like a sentence, the best first."""
        scores = self._scores(sentence)
        known = (number for number, one in enumerate(self.facts) if one)
        return nlargest(count, known, key=lambda number: (scores[number], -number))

    def _scores(self, sentence: RecordSentence) -> list[float]:
        """How much the field, the value and the object of each fact are like a sentence."""
        import numpy as np

        words = (number for number, _, _, names in sentence.pieces if not names)
        among = np.array([one for one in words if one not in self._small], np.int64)
        alike = self._likeness.best(self._words, among) ** 2 * self._counted
        sums, counts = (
            np.diff(np.concatenate([[0.0], np.cumsum(one)])[self._ends], prepend=0.0)
            for one in (alike, self._counted)
        )
        means = sums / np.maximum(counts, 1)
        heads = dict(zip(self.heads, means, strict=False))
        fields, values = means[len(self.heads) :: 2], means[len(self.heads) + 1 :: 2]
        found = []
        for number, one in enumerate(self.facts):
            if one is None:
                found.append(0.0)
                continue
            value = 1.0 if one.object in sentence.named else values[number]
            head = 1.0 if one.subject in sentence.named else heads[one.subject]
            found.append(float(_FIELD * fields[number] + _VALUE * value + _HEAD * head))
        return found

    def input(self, sentence: RecordSentence, number: int, *, turned: bool = False) -> FactInput:
        """A sentence with one fact, in which each name or number is a placeholder.

        `turned` is for a yes or no, and asks about the opposite.
        """
        fact = self.facts[number]
        if fact is None:
            raise ValueError(f"fact {number} names an object of the record")
        holders = {fact.subject: self._subject, fact.object: self._object}
        free = iter(self._others)
        ids = [self.reader.start]
        for word, _, _, names in sentence.pieces:
            if not names:
                ids.append(word)
                continue
            own = next((name for name in holders if name in names), None)
            if own is None:
                own = names[0]
                holders[own] = self._known if is_value(own) else next(free, word)
            ids.append(holders[own])
        ids.append(self.reader.separator)
        holders = {name: own for name, own in holders.items() if name in sentence.named}
        value = self._value(fact, holders)
        if turned:
            value = self.reader.numbers("no" if fact.truth else "yes")
        words = [*self._owner(fact, holders), *fact.field, *value]
        return [*ids, *words[:_LONGEST_FACT], self.reader.separator], len(ids)

    def input_together(
        self, sentence: RecordSentence, near: Sequence[int] | None = None
    ) -> FactInput:
        """A sentence with several facts, in which each name has a placeholder.

        Without others, the facts are those that are most like it.
        """
        holders: dict[str, int] = {}
        free = iter(self._all)
        ids = [self.reader.start]
        for word, _, _, names in sentence.pieces:
            if not names:
                ids.append(word)
                continue
            own = next((holders[name] for name in names if name in holders), None)
            own = next(free, self._known) if own is None else own
            for name in names:
                holders.setdefault(name, own)
            ids.append(own)
        ids.append(self.reader.separator)
        near = self.rank(sentence, TOGETHER) if near is None else near
        shown = [*self._listed(near, holders), *self._summed(near, holders, sentence)]
        return [*ids, *shown, self.reader.separator], len(ids)

    def _listed(self, near: Sequence[int], holders: Mapping[str, int]) -> list[int]:
        """Some facts, those of each object together."""
        rows: dict[str, list[int]] = {}
        length = 0
        for number in near:
            fact = self.facts[number]
            if fact is None:
                continue
            own = rows.get(fact.subject) or [*self._owner(fact, holders), self._colon]
            said = [*fact.key, *self._plain_value(fact, holders)][:_SHORT_FACT]
            length += len(said) + (0 if fact.subject in rows else len(own)) + 1
            if length > _LONGEST_TOGETHER:
                break
            rows[fact.subject] = [*own, *said, self._comma]
        return [word for own in rows.values() for word in [*own[:-1], self._stop]]

    def _summed(
        self, near: Sequence[int], holders: Mapping[str, int], sentence: RecordSentence
    ) -> list[int]:
        """What follows from several facts of which a sentence speaks."""
        ranks = {number: rank for rank, number in enumerate(near)}
        named = [
            min(self._by_value[name], key=lambda number: ranks.get(number, _UNRANKED))
            for name in holders
            if name in self._by_value
        ]
        owners = [name for name in self.heads if name in sentence.named]
        found: list[int] = []
        for line in self._summaries.lines(named, owners, near):
            words = [word for part in line for word in self._part(part, holders)]
            if len(found) + len(words) < _LONGEST_SUMMARY:
                found += [*words, self._stop]
        return found

    def _part(self, part: Part, holders: Mapping[str, int]) -> list[int]:
        if isinstance(part, str):
            return self.reader.numbers(part)
        fact = self.facts[part.fact]
        if fact is None:
            return []
        if isinstance(part, Field):
            return fact.key
        if isinstance(part, Value):
            return self._plain_value(fact, holders)
        return self._owner(fact._replace(within=[]), holders)

    def _owner(self, fact: _Fact, holders: Mapping[str, int]) -> list[int]:
        """Whose fact it is."""
        if fact.subject in holders:
            return [*fact.within, holders[fact.subject]]
        if fact.subject == self._root:
            return [*fact.within, *self.reader.numbers("it")]
        return [*fact.within, *self.heads[fact.subject]]

    def _value(self, fact: _Fact, holders: Mapping[str, int]) -> list[int]:
        return [holders[fact.object]] if fact.object in holders else fact.value

    def _plain_value(self, fact: _Fact, holders: Mapping[str, int]) -> list[int]:
        """The value, but a yes or no for the 1 that a sentence may have for something else."""
        return fact.value if fact.truth is not None else self._value(fact, holders)


def word_field(triple: Triple) -> tuple[str, str]:
    """The field and the value of a fact in words.

    >>> word_field(Triple("Isnes", "hasRailway", "false"))
    ('has Railway', 'no')
    >>> word_field(Triple("Isnes", "mayor", "Ada Lind"))
    ("'s mayor is", 'Ada Lind')
    """
    key = relation_words(_spaced(triple.predicate))
    truth = truth_of(triple.predicate, triple.object)
    if truth is not None:
        return key, "yes" if truth else "no"
    value = say_unit(say_number(say_date(label_of(triple.object).string)))
    if _LONG_NUMBER.fullmatch(value):
        value = f"{int(value):,}"  # as texts write it
    return key, value.replace("_", " ")


def _spaced(key: str) -> str:
    return split_camel(key, acronyms=False).replace("_", " ")


def _windows(text: str, pieces: list[NamedPiece]) -> list[list[NamedPiece]]:
    """A sentence, or the windows of a long one."""
    if len(pieces) <= _SENTENCE:
        return [pieces]
    breaks = breaks_of(text, [(start, end) for _, start, end, _ in pieces])
    places = windows(len(pieces), _SENTENCE, overlap=_OVERLAP, breaks=breaks)
    return [pieces[start:end] for start, end in places]


class RecordReader:
    """Reads the sentences of texts about records."""

    def __init__(self, reader: WordPiece, table: WordTable, run: Run) -> None:
        self.reader = reader
        self.run = run
        self._likeness = WordLikeness(table)

    def open(self, text: NamedText) -> RecordText:
        """The facts and sentences of a text."""
        return RecordText(self.reader, self._likeness, text)

    def read(self, texts: Sequence[NamedText]) -> list[list[SentenceReading]]:
        """The readings of each text, by sentence.

        First of all facts together, then of single ones, those most like the sentence first.
        """
        asked: list[_Question] = []
        for number, text in enumerate(texts):
            opened = self.open(text)
            for sentence in opened.sentences:
                near = opened.rank(sentence, TOGETHER)
                facts = (None, *near[:ASKED]) if near else ()
                asked += (_Question(number, opened, sentence, near, fact) for fact in facts)
        outputs = self._answers([one.input() for one in asked])
        doubtful = [
            place
            for place, (one, (logits, mark)) in enumerate(zip(asked, outputs, strict=True))
            if one.is_yes_or_no and logits[mark, 1] > _DOUBTFUL
        ]
        opposites = self._answers([asked[place].input(turned=True) for place in doubtful])
        turned = dict(zip(doubtful, opposites, strict=True))
        found: list[list[SentenceReading]] = [[] for _ in texts]
        for place, (one, (logits, mark)) in enumerate(zip(asked, outputs, strict=True)):
            words = tuple(
                (start, end, float(logit))
                for (_, start, end, _), logit in zip(
                    one.sentence.pieces, logits[1:, 1], strict=False
                )
                if start >= one.sentence.place[0]
            )
            opposite = turned.get(place)
            found[one.number].append(
                SentenceReading(
                    *one.sentence.place,
                    one.fact,
                    float(logits[mark, 1]),
                    float(logits[mark, 0]),
                    None if opposite is None else float(opposite[0][opposite[1], 1]),
                    words,
                )
            )
        return found

    def _answers(self, rows: Sequence[FactInput]) -> list[tuple[NDArray[np.float32], int]]:
        """The logits of the words of each input, and where its fact begins."""
        outputs = self.run(
            [ids for ids, _ in rows],
            [[0] * mark + [1] * (len(ids) - mark) for ids, mark in rows],
        )
        return [(out["tokens"], mark) for out, (_, mark) in zip(outputs, rows, strict=True)]


class _Question(NamedTuple):
    """A sentence of a text and the fact that it is asked about; None for several together."""

    number: int
    text: RecordText
    sentence: RecordSentence
    near: Sequence[int]
    """The facts most like the sentence."""
    fact: int | None

    @property
    def is_yes_or_no(self) -> bool:
        fact = None if self.fact is None else self.text.facts[self.fact]
        return fact is not None and fact.truth is not None

    def input(self, *, turned: bool = False) -> FactInput:
        if self.fact is None:
            return self.text.input_together(self.sentence, self.near)
        return self.text.input(self.sentence, self.fact, turned=turned)


@lru_cache(maxsize=4)
def load_record_reader(name: str = DEFAULT, *, threads: int = 1) -> RecordReader | None:
    """The record reader of shipped weights or of a folder, or None where they have none."""
    folder = weights(name)
    if "records.onnx" not in folder.manifest["files"]:
        return None
    reader, network = open_network(name, "records", ("tokens",), threads=threads, typed=True)
    return RecordReader(reader, WordTable.read(folder.path("words.npz")), network.run)
