"""Findings in texts about records: what the rules find and what the record reader doubts, weighed.

The rules of the entity detector compare names and values; the record reader reads a sentence beside
single facts. A finding is a clause that a rule complains of, or one that contradicts a fact by the
reader. How likely it is right follows from both (`Credibility`), and unlikely ones are dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.entities import read_findings
from adequa.entities.credibility import Credibility, FindingReader
from adequa.entities.owners import say_fact
from adequa.metrics.sources import read_calibration
from adequa.models.records import RecordReader, SentenceReading, load_record_reader, word_field
from adequa.text import SMALL_WORDS, Span, fold, split_clauses
from adequa.text.values.terms import short_stem

READER = "rule reader"
"""The feature of a finding of the record reader alone."""
_WORD = re.compile(r"\w+")


class RecordFinding(NamedTuple):
    """A clause that may be wrong."""

    start: int
    end: int
    words: Span
    """The wrong words in it."""
    note: str
    features: Mapping[str, float]
    fact: int | None = None
    """The fact that it contradicts, where the reader has found it."""


class RatedFinding(NamedTuple):
    """A finding that is likely right, and how likely; None where its rule is not rated."""

    finding: RecordFinding
    chance: float | None


ReadRecords = Callable[[Sequence[Item]], "list[list[RatedFinding]]"]
"""The likely findings in texts about records."""


def find_claims(
    item: Item, rules: FindingReader, readings: Sequence[SentenceReading]
) -> list[RecordFinding]:
    """All findings in a text, whatever their credibility, in order."""
    found = []
    starts = [one.start for one in readings]
    for one in rules.found:
        clause = rules.claim_at(one)
        features = rules.read(one)
        if readings:
            reading = readings[max(0, bisect_right(starts, clause[0]) - 1)]
            features["sentence contradicts"] = max(reading.logits, default=0.0)
            for fact, logit in zip(reading.facts, reading.logits, strict=True):
                if item.triples[fact] == one.triple:
                    features |= {"counterpart read": 1.0, "counterpart contradicted": logit}
        found.append(RecordFinding(*clause, one.place, one.reason(item.text), features))
    for reading in readings:
        if not reading.logits:
            continue
        worst = max(range(len(reading.logits)), key=reading.logits.__getitem__)
        fact = reading.facts[worst]
        triple = item.triples[fact]
        start, end = _clause(item.text, reading, triple)
        others = sorted(reading.logits)[:-1]
        features = {
            READER: 1.0,
            "contradicts": reading.logits[worst],
            "contradicts others": others[-1] if others else reading.logits[worst],
            "rank of fact": float(worst),
        }
        words = item.text[start:end]
        note = f"{words!r}: {say_fact(triple, words)}"
        found.append(RecordFinding(start, end, (start, end), note, features, fact))
    return sorted(found, key=lambda one: one[:3])


def _clause(text: str, reading: SentenceReading, triple: Triple) -> Span:
    """The clause of a sentence with most words of a field and its value, or all of it."""
    wanted = _stems(" ".join(word_field(triple)))
    clauses = split_clauses(text, reading.start, reading.end)
    shared = [len(wanted & _stems(text[start:end])) for start, end in clauses]
    best = max(shared, default=0)
    if not best or shared.count(best) > 1:
        return reading.start, reading.end
    return clauses[shared.index(best)]


def _stems(words: str) -> set[str]:
    return {short_stem(one) for one in _WORD.findall(fold(words)) if one not in SMALL_WORDS}


def find_all(reader: RecordReader | None, items: Sequence[Item]) -> list[list[RecordFinding]]:
    """All findings in each text, whatever their credibility; without a reader, of the rules."""
    rules = [read_findings(item) for item in items]
    readings = [[] for _ in items] if reader is None else reader.read(items)
    return [find_claims(*row) for row in zip(items, rules, readings, strict=True)]


def rate(findings: Sequence[RecordFinding], model: Credibility) -> list[RatedFinding]:
    """The likely findings, of those that overlap the likeliest, in order."""
    rated = [RatedFinding(one, model.chance(one.features)) for one in findings]
    kept = [one for one in rated if model.keeps(one.chance)]
    kept.sort(key=lambda one: (-(1.0 if one.chance is None else one.chance), one.finding[:3]))
    found: list[RatedFinding] = []
    for one in kept:
        start, end = one.finding[:2]
        if all(end <= other.start or other.end <= start for other, _ in found):
            found.append(one)
    return sorted(found, key=lambda one: one.finding[:3])


@lru_cache(maxsize=4)
def _model(weights: str) -> Credibility | None:
    """How findings are weighed with the record reader of some weights."""
    raw, _ = read_calibration(weights, "nli")
    return Credibility.from_object(raw["records"]) if raw and "records" in raw else None


def record_source(weights: str, threads: int) -> ReadRecords | None:
    """The findings in texts about records by the reader of some weights; None without one."""
    reader, model = load_record_reader(weights, threads=threads), _model(weights)
    return None if reader is None or model is None else partial(_read, reader, model)


def _read(
    reader: RecordReader, model: Credibility, items: Sequence[Item]
) -> list[list[RatedFinding]]:
    return [rate(found, model) for found in find_all(reader, items)]
