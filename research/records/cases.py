"""Sentences about records, each with one fact: what the record reader learns from.

The records are written by hand (`research/records/data`): two faithful texts, edits that make one
of them wrong, and edits that leave it true. A wrong sentence contradicts the fact that its edit
names; its faithful twin does not. Where the record itself can be changed so that the wrong words
become right (a yes turned, a value replaced, two rows exchanged), both are learned with the fact of
that record as well: then neither the words nor the fact alone tell the label. Other facts, and
those of the groups of the relation reader, are learned likewise.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from adequa.data import Triple
from adequa.readers.records import read_record
from adequa.text import fold
from adequa.text.values import truth_of
from research.records.reader import RecordReader, RecordWords
from research.relations.groups import WRITTEN

DATA = Path(__file__).parent / "data"
HELD_OUT = 8
"""Every eighth record of a file is held out, for figures and thresholds."""
_LONGEST_VALUE = 5
"""Words of a wrong value that may stand in the record in place of the right one."""
_NOT_FAULTS = frozenset({"not_said"})
"""Kinds of wrong relation texts that say less than the data, and nothing wrong."""
_SEVERAL_FACTS = frozenset({
    "wrong_comparison", "wrong_aggregate", "quantifier", "wrong_rounding_or_range", "added",
})  # fmt: skip
"""Kinds of faults that no single fact contradicts."""
_NEAR, _FAR = 6, 10
"""The facts most like a true sentence, of which some are learned; and the rank from which on the
facts of other objects have nothing to do with a wrong one."""

Span = tuple[int, int]
_Any = TypeVar("_Any")


class Row(NamedTuple):
    """A sentence and a fact as word numbers, where the fact begins, and if it is contradicted."""

    ids: tuple[int, ...]
    mark: int
    wrong: bool


class Case(NamedTuple):
    """Rows that are learned together, and pairs of which the first is worse than the second."""

    rows: tuple[Row, ...]
    worse: tuple[tuple[int, int], ...] = ()


class WrongText(NamedTuple):
    """A text with the places of its faults."""

    text: str
    of: int
    spans: tuple[Span, ...]
    kind: str
    path: str | None = None
    old: str = ""
    new: str = ""


class WrittenRecord(NamedTuple):
    """A record with its texts."""

    id: str
    record: Any
    faithful: tuple[str, ...]
    wrong: tuple[WrongText, ...]
    same: tuple[tuple[int, str, Span], ...]
    """True texts that were edited: which text, and what place of it."""


def read_written(path: Path) -> list[WrittenRecord]:
    """The records of a file; wrong texts are whole (`text`, `start`, `end`) or edits."""
    return [_written(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line]


def _written(raw: dict[str, Any]) -> WrittenRecord:
    faithful = tuple(raw["faithful"])
    wrong = []
    for one in raw["wrong"]:
        if "text" in one:
            spans = tuple((own["start"], own["end"]) for own in one.get("spans", [one]))
            text, old, new = one["text"], "", ""
            if len(spans) == 1:
                old, new = _replaced(faithful[one["of"]], text)
        else:
            text, (start, _) = _edited(faithful[one["of"]], one["old"], one["new"])
            begin = start + (one["new"].find(one["span"]) if "span" in one else 0)
            spans = ((begin, begin + len(one.get("span", one["new"]))),)
            old, new = one["old"], one["new"]
        path = one.get("path")
        wrong.append(WrongText(text, one["of"], spans, one["kind"], path, old, new))
    same = tuple(
        (one["of"], *_edited(faithful[one["of"]], one["old"], one["new"]))
        for one in raw.get("same", ())
    )
    return WrittenRecord(raw["id"], raw["record"], faithful, tuple(wrong), same)


def _edited(text: str, old: str, new: str) -> tuple[str, Span]:
    start = text.index(old)
    return text[:start] + new + text[start + len(old) :], (start, start + len(new))


def _replaced(before: str, after: str) -> tuple[str, str]:
    """What differs between two texts, in one piece of each."""
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return before[first : len(before) - last], after[first : len(after) - last]


# Records in which the wrong words are right


def turn_record(record: Any, wrong: WrongText) -> Any | None:
    """The record with the value that the wrong words claim; None where that is not plain."""
    if not wrong.path or not wrong.old:
        return None
    changed = copy.deepcopy(record)
    try:
        parent, key = _parent(changed, wrong.path)
        value = parent[key]
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    if isinstance(value, (dict, list)) or value is None:
        return None
    truth = truth_of(str(key), str(value))
    if truth is not None:
        if wrong.kind not in ("polarity", "wrong_category", "wrong_relation"):
            return None
        parent[key] = _turned(value)
        return changed if parent[key] != value else None
    new, old = (fold(one).strip(" .,;:") for one in (wrong.new, wrong.old))
    if wrong.kind not in ("wrong_value", "wrong_owner", "wrong_category", "wrong_relation"):
        return None
    if fold(str(value)) not in old and fold(str(value)) != old:
        return None
    other = _row_with(changed, wrong.path, new)
    if other is not None:  # two rows exchange their values
        other[key], parent[key] = parent[key], other[key]
        return changed
    said = new if fold(str(value)) == old else ""
    if not said or len(said.split()) > _LONGEST_VALUE:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not re.fullmatch(r"\d+(?:\.\d+)?", said):
            return None
        parent[key] = type(value)(float(said))
    else:
        parent[key] = wrong.new.strip(" .,;:")
    return changed


def _turned(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    pairs = {"yes": "no", "true": "false", "y": "n", "1": "0", "on": "off"}
    both = pairs | {no: yes for yes, no in pairs.items()}
    other = both.get(str(value).lower(), str(value))
    return other.upper() if str(value).isupper() else other


def _parent(record: Any, path: str) -> tuple[Any, Any]:
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))
    at = record
    for part in way:
        at = at[int(part)] if isinstance(at, list) else at[part]
    return at, int(last) if isinstance(at, list) else last


def _row_with(record: Any, path: str, said: str) -> Any | None:
    """Another row of the same list that has a value in the same field that is said."""
    parts = path[1:].split("/")
    if len(parts) < 3 or not parts[-2].isdigit():
        return None
    rows, number = _parent(record, "/" + "/".join(parts[:-1]))
    for place, row in enumerate(rows):
        if place != number and isinstance(row, dict):
            value = row.get(parts[-1])
            if isinstance(value, str) and value and fold(value) in said:
                return row
    return None


# Cases


class CaseMaker:
    """Makes cases with the inputs of a record reader; the same for a seed."""

    def __init__(self, reader: RecordReader, seed: int = 0) -> None:
        self.reader = reader
        self.chance = random.Random(seed)  # noqa: S311

    def record_cases(self, one: WrittenRecord) -> list[Case]:
        """All cases of a written record."""
        texts = [(text, (0, len(text))) for text in one.faithful]
        texts += [(text, span) for _, text, span in one.same]
        cases = []
        for text, span in texts:
            words = self._words(one.record, text).words
            for place, sentence in self.reader.sentences(text):
                near = self.reader.rank(sentence, words, _NEAR) if overlap(place, span) else []
                if near:
                    chosen = self.chance.sample(near, min(3, len(near)))
                    cases.append(Case(tuple(self._row(sentence, words, n) for n in chosen)))
        found = (self._wrong_case(one, wrong) for wrong in one.wrong)
        return cases + [case for case in found if case is not None]

    def _wrong_case(self, one: WrittenRecord, wrong: WrongText) -> Case | None:
        """A wrong sentence and its twin; None where no single fact is contradicted."""
        if not wrong.path or wrong.kind in _SEVERAL_FACTS or len(wrong.spans) > 1:
            return None
        right = one.faithful[wrong.of]
        start = _start_of(right, wrong)
        bad = self._sentence(wrong.text, wrong.spans[0])
        good = self._sentence(right, (start, start + max(1, len(wrong.old))))
        facts = self._words(one.record, wrong.text)
        fact = facts.at(wrong.path)
        if bad is None or good is None or fact is None:
            return None
        words = facts.words
        rows = [self._row(bad, words, fact, wrong=True), self._row(good, words, fact)]
        worse = [(0, 1)]
        record = turn_record(one.record, wrong)
        turned = None if record is None else self._words(record, wrong.text)
        other = None if turned is None else turned.at(wrong.path)
        if turned is not None and other is not None:
            rows.append(self._row(good, turned.words, other, wrong=True))
            rows.append(self._row(bad, turned.words, other))
            worse += [(2, 3), (0, 3), (2, 1)]
        far = [
            number
            for number in self.reader.rank(bad, words, len(words.facts))[_FAR:]
            if words.subjects[number] != words.subjects[fact]
        ]
        if far:
            worse.append((0, len(rows)))
            rows.append(self._row(bad, words, self.chance.choice(far)))
        return Case(tuple(rows), tuple(worse))

    def relation_cases(self, raw: Mapping[str, Any]) -> list[Case]:
        """The cases of a small graph with faithful and wrong texts, each read as a whole."""
        words = RecordWords(self.reader.reader, [Triple(*map(str, one)) for one in raw["triples"]])
        known = [number for number, (field, _) in enumerate(words.facts) if field]
        if not known:
            return []
        cases = []
        texts = [self.reader.reader.numbers(text) for text in raw["faithful"]]
        for text in texts:
            chosen = self.chance.sample(known, min(2, len(known)))
            cases.append(Case(tuple(self._row(text, words, number) for number in chosen)))
        for wrong in raw["wrong"]:
            violated = [number for number in wrong.get("facts", ()) if number in known]
            if wrong["kind"] in _NOT_FAULTS or not violated:
                continue
            fact = self.chance.choice(violated)
            bad = self.reader.reader.numbers(wrong["text"])
            rows = [self._row(bad, words, fact, wrong=True)]
            rows.append(self._row(texts[wrong["of"]], words, fact))
            worse = [(0, 1)]
            others = [number for number in known if number not in wrong["facts"]]
            if others:
                worse.append((0, 2))
                rows.append(self._row(bad, words, self.chance.choice(others)))
            cases.append(Case(tuple(rows), tuple(worse)))
        return cases

    def _words(self, record: Any, text: str) -> _FactsOfRecord:
        item = read_record(record, text, id="1").item
        return _FactsOfRecord(RecordWords(self.reader.reader, item.triples), item.paths)

    def _sentence(self, text: str, span: Span) -> list[int] | None:
        found = (own for place, own in self.reader.sentences(text) if overlap(place, span))
        return next(found, None)

    def _row(
        self, sentence: Sequence[int], words: RecordWords, fact: int, *, wrong: bool = False
    ) -> Row:
        ids, mark = self.reader.input(sentence, words, fact)
        return Row(tuple(ids), mark, wrong)


class _FactsOfRecord(NamedTuple):
    words: RecordWords
    paths: Sequence[str]

    def at(self, path: str) -> int | None:
        """The first fact at a JSON pointer, below it, or of which it is a part."""
        for number, own in enumerate(self.paths):
            near = own == path or own.startswith(f"{path}/") or path.startswith(f"{own}/")
            if near and self.words.facts[number][0]:
                return number
        return None


def overlap(one: Span, other: Span) -> bool:
    """Whether two places have a letter in common."""
    return one[0] < other[1] and other[0] < one[1]


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


def split(records: Sequence[_Any]) -> tuple[list[_Any], list[_Any]]:
    """What is trained on, and every eighth, which is held out."""
    learned = [one for number, one in enumerate(records) if number % HELD_OUT != HELD_OUT - 1]
    return learned, [*records[HELD_OUT - 1 :: HELD_OUT]]


def read_sources(reader: RecordReader, relations: float, seed: int = 0) -> list[Source]:
    """The written records and the groups of the relation reader, with a share for the latter."""
    maker = CaseMaker(reader, seed)
    records = [one for path in sorted(DATA.glob("*.jsonl")) for one in split(read_written(path))[0]]
    graphs = [
        json.loads(line)
        for path in sorted(WRITTEN.glob("*.jsonl"))
        for line in split(path.read_text(encoding="utf-8").splitlines())[0]
    ]
    return [
        Source(
            "research/records/data",
            1 - relations,
            len(records),
            [case for one in records for case in maker.record_cases(one)],
        ),
        Source(
            "research/relations/data/written",
            relations,
            len(graphs),
            [case for one in graphs for case in maker.relation_cases(one)],
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
        drawn.sort(key=_longest)
        stacks: list[list[Case]] = [[]]
        rows = 0
        for case in drawn:
            if stacks[-1] and (rows + len(case.rows)) * _longest(case) > self.size:
                stacks.append([])
                rows = 0
            stacks[-1].append(case)
            rows += len(case.rows)
        chance.shuffle(stacks)
        firsts = range(0, len(stacks) - self.stacks + 1, self.stacks)
        return [stacks[first : first + self.stacks] for first in firsts]


def _longest(case: Case) -> int:
    return max(len(row.ids) for row in case.rows)
