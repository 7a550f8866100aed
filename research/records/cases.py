"""Sentences about records, each with one fact or with several: what the record reader learns from.

A wrong sentence of a written record contradicts the fact that its edit names; its faithful twin
does not. Where the record can be turned so that the wrong words are right, both are learned with
the fact of that record as well: then neither the words nor the fact alone tell the label. Other
facts, and those of the groups of the relation reader, are learned likewise. Beside the facts most
like it together, a wrong sentence is learned with its wrong words, whether any fact contradicts
them or none supports them.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Item, Triple
from adequa.entities import JudgmentSettings, find_mentions
from adequa.metrics.nli.signs import hidden_names
from adequa.models.records import RecordReader, RecordSentence, RecordText
from adequa.models.relations import NamedPiece, NamedText
from adequa.readers.records import read_record
from adequa.text import Span
from adequa.text.values import is_value
from research.records.written import (
    DATA,
    WrittenRecord,
    WrongText,
    overlap,
    read_parts,
    split,
    turn_record,
)
from research.relations.groups import WRITTEN
from research.relations.rows import stacked
from research.relations.sources import Entailment, read_entailments

_NOT_FAULTS = frozenset({"not_said"})
"""Kinds of wrong relation texts that say less than the data, and nothing wrong."""
_SEVERAL_FACTS = frozenset({
    "wrong_comparison", "wrong_aggregate", "quantifier", "wrong_rounding_or_range", "added",
})  # fmt: skip
"""Kinds of faults that no single fact contradicts."""
_FAR = 10
"""The rank from which on the facts of other objects have nothing to do with a wrong sentence."""
_NEAREST = 3
"""Facts of a sentence that are changed in it if it names their values."""
_COMMON = frozenset({"0", "1", "2", "yes", "no", "true", "false"})
"""Values that many sentences have by chance."""
_NUMBER_WORDS = (
    *("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("fifteen", "sixteen", "eighteen", "twenty", "thirty", "forty", "fifty", "sixty"),
)
_LONGEST_TEXT = 160
"""Word pieces of a text about a small graph."""
_LONGEST_PREMISE, _LONGEST_HYPOTHESIS = 96, 48
"""Word pieces of an entailment pair, as of a sentence and a fact."""
_THREE_LABELS = ("mnli", "mpe", "snli")
"""Corpora that tell a contradiction from what is not entailed, and may be used commercially."""
_HYPOTHESES = 3
"""Hypotheses of one premise that are learned together."""
_SETTINGS = JudgmentSettings()
_JOINED = re.compile(
    r"(?:[,;]|(?:after|because|since|as|for|by|with|together|thanks|due|and|which|who|where|while|to"
    r"|in|of|on|during|following|despite|from|at|through|via|under|over|into|but|so|that|whose)\b)"
)
"""The beginning of a phrase that needs no comma before it."""
_FEW = 3
"""The other facts beside the violated one."""
_KEPT = 100
"""The texts that are kept open, more than a record has."""
_FEWEST_WORDS = 3
"""The words of an addition that can stand elsewhere, too."""


class Row(NamedTuple):
    """A sentence and facts as word numbers, where the facts begin, and what is right."""

    ids: tuple[int, ...]
    mark: int
    wrong: bool
    """The sentence contradicts the fact, or is not supported by the facts."""
    stated: bool | None = None
    """It states the fact; None where that is not known."""
    words: tuple[int, ...] | None = ()
    """The places of the wrong words among the word numbers; None where they are not known."""


class Case(NamedTuple):
    """Rows that are learned together, and pairs of which the first is worse than the second."""

    rows: tuple[Row, ...]
    worse: tuple[tuple[int, int], ...] = ()

    @property
    def longest(self) -> int:
        """The word pieces of the longest row."""
        return max(len(row.ids) for row in self.rows)


def named_text(item: Item) -> NamedText:
    """An item as the record reader reads it."""
    return hidden_names(item, find_mentions(item, _SETTINGS))


class CaseMaker:
    """Makes cases with the inputs of a record reader; the same for a seed."""

    def __init__(self, reader: RecordReader, seed: int = 0) -> None:
        self.reader = reader
        self.chance = random.Random(seed)  # noqa: S311
        self._opened: dict[tuple[int, str], tuple[Any, RecordText, Sequence[str]]] = {}

    def true_cases(self, one: WrittenRecord) -> list[Case]:
        """The sentences of the faithful texts of a record, with the facts most like them."""
        texts = [(text, (0, len(text))) for text in one.faithful]
        texts += [(text, span) for _, text, span in one.same]
        cases = []
        for text, span in texts:
            opened, _ = self._open(one.record, text)
            for sentence in opened.sentences:
                if overlap(sentence.place, span):
                    near = opened.rank(sentence)
                    self.chance.shuffle(near)
                    rows = [_row(opened, sentence, number) for number in near]
                    cases += [Case(tuple(own)) for own in (rows[:3], rows[3:]) if own]
        return cases

    def changed_cases(self, one: WrittenRecord) -> list[Case]:
        """Sentences of the faithful texts with a number, a name or an owner changed.

        A value that only one fact has, in a sentence that this fact is most like, is taken for a
        statement of it.
        """
        cases = []
        for text in one.faithful:
            opened, _ = self._open(one.record, text)
            values = Counter(fact.object for fact in opened.facts if fact)
            for sentence in opened.sentences:
                for number in opened.rank(sentence, _NEAREST):
                    fact = opened.facts[number]
                    if fact is None or fact.object not in sentence.named or fact.object in _COMMON:
                        continue
                    if values[fact.object] == 1:
                        right = _row(opened, sentence, number, stated=True)
                        for made, own, place in self._changes(opened, sentence, number, text):
                            wrong = _row(opened, made, own, stated=False)
                            wrong = wrong._replace(wrong=True, words=place)
                            cases.append(Case((wrong, right), ((0, 1),)))
        return cases

    def together_cases(self, one: WrittenRecord) -> list[Case]:
        """The sentences of the true texts of a record, each with several facts."""
        texts = [(text, (0, len(text))) for text in one.faithful]
        texts += [(text, span) for _, text, span in one.same]
        return [
            Case((together_row(opened, sentence),))
            for text, span in texts
            for opened in [self._open(one.record, text)[0]]
            for sentence in opened.sentences
            if overlap(sentence.place, span) and opened.rank(sentence, 1)
        ]

    def wrong_together_cases(self, one: WrittenRecord) -> list[Case]:
        """The wrong sentences of a record beside their twins, each with several facts."""
        found = (self._wrong_together(one, wrong) for wrong in one.wrong)
        return [case for case in found if case is not None]

    def few_facts_cases(self, one: WrittenRecord) -> list[Case]:
        """The same, each with the violated fact and a few others: these are learned first."""
        found = (self._wrong_together(one, wrong, few=True) for wrong in one.wrong if wrong.path)
        return [case for case in found if case is not None]

    def _wrong_together(
        self, one: WrittenRecord, wrong: WrongText, *, few: bool = False
    ) -> Case | None:
        if len(wrong.spans) > 1:
            return None
        path = wrong.path if few else None
        right = one.faithful[wrong.of]
        start = _start_of(right, wrong)
        twins = [(wrong.text, wrong.spans[0]), (right, (start, start + max(1, len(wrong.old))))]
        rows = self._together_rows(one.record, twins, path)
        worse = [(0, 1)]
        record = turn_record(one.record, wrong)
        turned = self._together_rows(record, twins[::-1], path) if record and rows else None
        if rows and turned:
            rows += turned
            worse += [(2, 3), (0, 3), (2, 1)]
        return Case(tuple(rows), tuple(worse)) if rows else None

    def _together_rows(
        self, record: Any, twins: Sequence[tuple[str, Span]], path: str | None
    ) -> list[Row] | None:
        """A wrong sentence and its twin with several facts; None where one of them has none.

        With a path, the facts are the one there and a few of those most like the sentence.
        """
        rows = []
        for number, (text, span) in enumerate(twins):
            opened, paths = self._open(record, text)
            sentence = _sentence(opened, span)
            if sentence is None or not opened.rank(sentence, 1):
                return None
            near = None
            if path is not None:
                violated = _fact_at(opened, paths, path)
                if violated is None:
                    return None
                others = [one for one in opened.rank(sentence, 2 * _FEW) if one != violated]
                near = [violated, *self.chance.sample(others, min(len(others), _FEW))]
                self.chance.shuffle(near)
            rows.append(together_row(opened, sentence, span if number == 0 else None, near))
        return rows

    def added_cases(self, one: WrittenRecord, phrases: Sequence[str]) -> list[Case]:
        """Sentences of the faithful texts with the addition to another record at their end."""
        cases: list[Case] = []
        if not phrases:
            return cases
        for text in one.faithful:
            right, _ = self._open(one.record, text)
            for sentence in right.sentences:
                end = sentence.place[1]
                phrase = self.chance.choice(phrases)
                if not right.rank(sentence, 1) or text[end - 1 : end] != ".":
                    continue
                joined = f" {phrase}" if _JOINED.match(phrase) else f", {phrase}"
                made, _ = self._open(one.record, text[: end - 1] + joined + text[end - 1 :])
                place = (end - 1, end - 1 + len(joined))
                wrong = _sentence(made, place)
                if wrong is not None and made.rank(wrong, 1):
                    rows = (together_row(made, wrong, place), together_row(right, sentence))
                    cases.append(Case(rows, ((0, 1),)))
        return cases

    def _changes(
        self, opened: RecordText, sentence: RecordSentence, number: int, text: str
    ) -> Iterator[tuple[RecordSentence, int, tuple[int, ...]]]:
        """Changed sentences, the fact that each contradicts, and the places of the wrong words."""
        fact = opened.facts[number]
        if fact is None:
            return
        place = next(at for at, (*_, names) in enumerate(sentence.pieces) if fact.object in names)
        word, start, end, _ = sentence.pieces[place]
        if is_value(fact.object):
            said = _other_number(text[start:end], self.chance)
            if said:
                words = [(one, start, end, ()) for one in self.reader.reader.numbers(said)]
                yield _with_pieces(sentence, place, words), number, _span(place, len(words))
            known = {own.object for own in opened.facts if own and is_value(own.object)}
            others = sorted(known - {*sentence.named, *_COMMON} - {fact.object})
            if others:
                piece = (word, start, end, (self.chance.choice(others),))
                yield _with_pieces(sentence, place, [piece]), number, _span(place, 1)
        else:
            objects = (own.object for own in opened.facts if own)
            names = [one for one in objects if one != fact.object and not is_value(one)]
            other = self.chance.choice(names) if names else None
            if other is not None and other not in opened.heads:
                piece = (word, start, end, (other,))
                yield _with_pieces(sentence, place, [piece]), number, _span(place, 1)
        rows = [
            at
            for at, own in enumerate(opened.facts)
            if own and own.field == fact.field and own.subject != fact.subject
            if own.object not in (fact.object, *sentence.named) and own.within == fact.within
        ]
        owners = [at for at, (*_, names) in enumerate(sentence.pieces) if fact.subject in names]
        if rows and len(owners) == 1 and fact.within:
            at = self.chance.choice(rows)
            owner = opened.facts[at]
            if owner is not None and owner.subject not in sentence.named:
                word, start, end, _ = sentence.pieces[owners[0]]
                made = _with_pieces(sentence, owners[0], [(word, start, end, (owner.subject,))])
                yield made, at, _span(owners[0], 1)

    def wrong_cases(self, one: WrittenRecord) -> list[Case]:
        """The wrong sentences of a record beside their twins."""
        found = (self._wrong_case(one, wrong) for wrong in one.wrong)
        return [case for case in found if case is not None]

    def _wrong_case(self, one: WrittenRecord, wrong: WrongText) -> Case | None:
        """A wrong sentence and its twin; None where no single fact is contradicted."""
        if not wrong.path or wrong.kind in _SEVERAL_FACTS or len(wrong.spans) > 1:
            return None
        right = one.faithful[wrong.of]
        start = _start_of(right, wrong)
        place = (start, start + max(1, len(wrong.old)))
        twins = [(wrong.text, wrong.spans[0]), (right, place)]
        rows = self._rows(one.record, wrong.path, twins, (True, False))
        if rows is None:
            return None
        worse = [(0, 1)]
        record = turn_record(one.record, wrong)
        turned = record and self._rows(record, wrong.path, twins[::-1], (True, False))
        if turned:
            rows += turned
            worse += [(2, 3), (0, 3), (2, 1)]
        text, paths = self._open(one.record, wrong.text)
        fact = _fact_at(text, paths, wrong.path)
        bad = _sentence(text, wrong.spans[0])
        if fact is not None and bad is not None:
            far = [
                number
                for number in text.rank(bad, len(text.facts))[_FAR:]
                if _subject(text, number) != _subject(text, fact)
            ]
            if far:
                worse.append((0, len(rows)))
                own = _row(text, bad, self.chance.choice(far))
                rows.append(own._replace(stated=False, words=None))
        return Case(tuple(rows), tuple(worse))

    def _rows(
        self,
        record: Any,
        path: str,
        twins: Sequence[tuple[str, Span]],
        wrong: Sequence[bool],
    ) -> list[Row] | None:
        """Twins of a sentence with the fact at a path; None where one of them has none."""
        rows = []
        for (text, span), bad in zip(twins, wrong, strict=True):
            opened, paths = self._open(record, text)
            fact, sentence = _fact_at(opened, paths, path), _sentence(opened, span)
            if fact is None or sentence is None:
                return None
            rows.append(_row(opened, sentence, fact, span if bad else None, stated=not bad))
        return rows

    def relation_cases(self, raw: Mapping[str, Any]) -> list[Case]:
        """The cases of a small graph with faithful and wrong texts, each read as a whole."""
        triples = tuple(Triple(*map(str, one)) for one in raw["triples"])
        cases = []
        texts = []
        for text in raw["faithful"]:
            opened = self._open_graph(triples, text)
            texts.append(opened)
            known = [number for number, one in enumerate(opened.facts) if one]
            chosen = self.chance.sample(known, min(2, len(known)))
            whole = _whole(opened)
            if chosen:
                rows = [_row(opened, whole, number, stated=True) for number in chosen]
                cases.append(Case(tuple(rows)))
        for wrong in raw["wrong"]:
            opened = self._open_graph(triples, wrong["text"])
            violated = [one for one in wrong.get("facts", ()) if opened.facts[one]]
            if wrong["kind"] in _NOT_FAULTS or not violated:
                continue
            fact = self.chance.choice(violated)
            twin = texts[wrong["of"]]
            rows = [
                _row(opened, _whole(opened), fact, stated=False)._replace(wrong=True, words=None),
                _row(twin, _whole(twin), fact, stated=True),
            ]
            worse = [(0, 1)]
            known = [number for number, one in enumerate(opened.facts) if one]
            others = [number for number in known if number not in wrong["facts"]]
            if others:
                worse.append((0, 2))
                own = _row(opened, _whole(opened), self.chance.choice(others), stated=True)
                rows.append(own._replace(words=None))
            cases.append(Case(tuple(rows), tuple(worse)))
        return cases

    def entailment_cases(self, pairs: Iterable[Entailment]) -> list[Case]:
        """Pairs of premise and hypothesis, those with one premise together.

        A premise stands for the sentence, a hypothesis for the fact.
        """
        together: dict[str, list[Entailment]] = {}
        for pair in pairs:
            together.setdefault(pair.premise, []).append(pair)
        cases = []
        for premise, own in together.items():
            words = self.reader.reader.numbers(premise)[:_LONGEST_PREMISE]
            start = [self.reader.reader.start, *words, self.reader.reader.separator]
            chosen = self.chance.sample(own, min(_HYPOTHESES, len(own)))
            rows = [
                Row(
                    (
                        *start,
                        *self.reader.reader.numbers(one.hypothesis)[:_LONGEST_HYPOTHESIS],
                        self.reader.reader.separator,
                    ),
                    len(start),
                    wrong=one.label == "contradiction",
                    stated=one.entailed,
                    words=None,
                )
                for one in chosen
            ]
            worse = [
                (bad, good)
                for bad, one in enumerate(rows)
                for good, other in enumerate(rows)
                if one.wrong and other.stated
            ]
            cases.append(Case(tuple(rows), tuple(worse)))
        return cases

    def _open(self, record: Any, text: str) -> tuple[RecordText, Sequence[str]]:
        """A text about a record; the last ones are kept, since each is in several cases."""
        key = (id(record), text)
        if key not in self._opened:
            if len(self._opened) >= _KEPT:
                self._opened.clear()
            item = read_record(record, text, id="1").item
            self._opened[key] = (record, self.reader.open(named_text(item)), item.paths)
        _, opened, paths = self._opened[key]
        return opened, paths

    def _open_graph(self, triples: tuple[Triple, ...], text: str) -> RecordText:
        return self.reader.open(named_text(Item("1", triples, text)))


def together_row(
    text: RecordText,
    sentence: RecordSentence,
    wrong: Span | None = None,
    near: Sequence[int] | None = None,
) -> Row:
    """A sentence with the facts most like it; `wrong` is the place of its wrong words."""
    ids, mark = text.input_together(sentence, near)
    words = () if wrong is None else sentence.places(wrong)
    return Row(tuple(ids), mark, wrong is not None, None, words)


def _row(
    text: RecordText,
    sentence: RecordSentence,
    fact: int,
    wrong: Span | None = None,
    *,
    stated: bool | None = None,
) -> Row:
    ids, mark = text.input(sentence, fact)
    words = () if wrong is None else sentence.places(wrong)
    return Row(tuple(ids), mark, wrong is not None, stated, words)


def _with_pieces(
    sentence: RecordSentence, place: int, pieces: Sequence[NamedPiece]
) -> RecordSentence:
    """A sentence with other pieces in the place of one."""
    shown = [*sentence.pieces[:place], *pieces, *sentence.pieces[place + 1 :]]
    named = frozenset(name for *_, names in shown for name in names)
    return RecordSentence(sentence.place, shown, named)


def _span(place: int, count: int) -> tuple[int, ...]:
    """The places of pieces in an input, which has one word before them."""
    return tuple(range(place + 1, place + 1 + count))


def _other_number(said: str, chance: random.Random) -> str | None:
    """Another number, written like one; None where there is none to change."""
    words = said.lower().split()
    for place, word in enumerate(words):
        if word in _NUMBER_WORDS:
            other = chance.choice([one for one in _NUMBER_WORDS if one != word])
            return " ".join([*words[:place], other, *words[place + 1 :]])
    match = re.search(r"\d[\d,]*(?:\.\d+)?", said)
    if match is None:
        return None
    digits = [at for at in range(*match.span()) if said[at].isdigit()]
    at = chance.choice(digits)
    first = at == digits[0] and len(digits) > 1
    other = chance.choice([one for one in "0123456789"[first:] if one != said[at]])
    return f"{said[:at]}{other}{said[at + 1 :]}"


def _whole(text: RecordText) -> RecordSentence:
    """All sentences of a short text as one."""
    own = text.sentences
    pieces = {piece[1:3]: piece for one in own for piece in one.pieces}
    shown = [pieces[place] for place in sorted(pieces)][:_LONGEST_TEXT]
    named = frozenset(name for *_, names in shown for name in names)
    return RecordSentence((own[0].place[0], own[-1].place[1]) if own else (0, 0), shown, named)


def _sentence(text: RecordText, span: Span) -> RecordSentence | None:
    return next((one for one in text.sentences if overlap(one.place, span)), None)


def _subject(text: RecordText, number: int) -> str | None:
    fact = text.facts[number]
    return fact and fact.subject


def _fact_at(text: RecordText, paths: Sequence[str], path: str) -> int | None:
    """The first fact at a JSON pointer, below it, or of which it is a part."""
    for number, own in enumerate(paths):
        near = own == path or own.startswith(f"{path}/") or path.startswith(f"{own}/")
        if near and text.facts[number]:
            return number
    return None


def _start_of(text: str, wrong: WrongText) -> int:
    """Where a text has the words that are replaced in its wrong version."""
    first = 0
    while first < min(len(text), len(wrong.text)) and text[first] == wrong.text[first]:
        first += 1
    found = text.find(wrong.old, max(0, first - len(wrong.old)))
    return first if found < 0 else found


# All of them


class Source(NamedTuple):
    """Cases of one kind, and how often they are drawn."""

    name: str
    share: float
    items: int
    """The records or graphs that the cases are of."""
    cases: Sequence[Case]


def read_sources(
    reader: RecordReader,
    relations: float,
    seed: int = 0,
    *,
    entailment: float = 0.0,
    together: float = 0.0,
    data: Path | None = None,
) -> list[Source]:
    """The written records, the groups of the relation reader, and entailment pairs.

    `relations` and `entailment` are the shares of the latter two, `together` that of the cases
    about records which have several facts.
    """
    maker = CaseMaker(reader, seed)
    records = [one for path in sorted(DATA.glob("*.jsonl")) for one in read_parts(path)[0]]
    graphs = [
        json.loads(line)
        for path in sorted(WRITTEN.glob("*.jsonl"))
        for line in split(path.read_text(encoding="utf-8").splitlines())[0]
    ]
    phrases = sorted(
        {
            wrong.text[start:end].strip(" .")
            for one in records
            for wrong in one.wrong
            for start, end in wrong.spans
            if wrong.kind == "added" and len(wrong.text[start:end].split()) >= _FEWEST_WORDS
        }
    )
    small = [case for one in graphs for case in maker.relation_cases(one)] if relations else []
    pairs = read_entailments(data / "entailment", dev=False) if data and entailment else []
    pairs = [one for one in pairs if one.corpus.startswith(_THREE_LABELS)]
    own = 1 - relations - entailment
    alone, both = own * (1 - together), own * together

    kinds: dict[str, tuple[float, Callable[[WrittenRecord], list[Case]]]] = {
        "faithful texts": (0.42 * alone, maker.true_cases),
        "wrong texts": (0.41 * alone, maker.wrong_cases),
        "changed texts": (0.17 * alone, maker.changed_cases),
        "faithful texts, facts together": (0.25 * both, maker.together_cases),
        "wrong texts, facts together": (0.42 * both, maker.wrong_together_cases),
        "wrong texts, a few facts": (0.21 * both, maker.few_facts_cases),
        "additions, facts together": (0.12 * both, partial(maker.added_cases, phrases=phrases)),
    }
    cases: dict[str, list[Case]] = {name: [] for name in kinds}
    for one in records:
        for name, (share, make) in kinds.items():
            cases[name] += make(one) if share else ()
    return [
        *(
            Source(f"research/records/data: {name}", share, len(records), cases[name])
            for name, (share, _) in kinds.items()
        ),
        Source("research/relations/data/written", relations, len(graphs), small),
        Source(
            "entailment: MultiNLI, SNLI, MPE",
            entailment,
            len(pairs),
            maker.entailment_cases(pairs),
        ),
    ]


@dataclass(frozen=True)
class Batches:
    """Stacks of cases of nearly one length; they follow from the seed and the number of a pool."""

    sources: Sequence[Source]
    seed: int = 0
    pool: int = 512
    """Cases that are sorted by length together."""
    size: int = 1024
    """Word pieces of a stack, with padding."""
    stacks: int = 2

    def steps(self, pool: int) -> list[list[list[Case]]]:
        """The steps of a pool of cases drawn from all sources."""
        chance = random.Random(f"records:{self.seed}:{pool}")  # noqa: S311
        known = [one for one in self.sources if one.cases and one.share]
        drawn = [
            chance.choice(source.cases)
            for source in chance.choices(known, [one.share for one in known], k=self.pool)
        ]
        return stacked(drawn, self.size, self.stacks, chance)
