"""Findings in texts about records: what the rules find and what the record reader doubts, weighed.

The rules of the entity detector compare names and values, and the record reader reads the words
around them. It is told what the rules say of each name and value (`read_marks`). A finding is a
clause that a rule complains of, or the words of a sentence that the reader doubts most; how likely
it is right follows from both (`Credibility`), and unlikely ones are dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from adequa.data import Item
from adequa.entities import read_findings
from adequa.entities.credibility import Credibility, FindingReader
from adequa.metrics.sources import read_calibration
from adequa.models.records import Mark, Marks, RecordReader, SentenceReading, load_record_reader
from adequa.text import Span, clauses_around

READER = "rule reader"
"""The feature of a finding of the record reader alone."""
_FALL = 1.5
"""By how much the doubt of a word may be lower than that of its neighbour, in log-odds, to be part
of the same words."""


class RecordFinding(NamedTuple):
    """A clause that may be wrong."""

    start: int
    end: int
    words: Span
    """The wrong words in it."""
    note: str
    features: Mapping[str, float]


class RatedFinding(NamedTuple):
    """A finding that is likely right, and how likely; None where its rule is not rated."""

    finding: RecordFinding
    chance: float | None


ReadRecords = Callable[[Sequence[Item]], "list[list[RatedFinding]]"]
"""The likely findings in texts about records."""


def read_marks(rules: FindingReader) -> Marks:
    """What the rules say of the names and values of a text, in order."""
    text, values = rules.text, rules.values
    covered = bytearray(len(text.string) + 1)
    found: dict[int, Mark] = {}

    def mark(start: int, end: int, what: Mark) -> None:
        found.setdefault(start, what)
        covered[start:end] = b"\1" * (end - start)

    for one in rules.found:
        mark(*one.place, Mark.DOUBTED)
    for mention in rules.mentions:
        if not any(covered[mention.start : mention.end]):
            mark(mention.start, mention.end, Mark.EXPLAINED)
    for span in text.values:
        if not any(covered[span.start : span.end]):
            explained = values.explain(span, text.string)
            mark(span.start, span.end, Mark.EXPLAINED if explained else Mark.UNKNOWN)
    return sorted(found.items())


def find_claims(
    item: Item, rules: FindingReader, marks: Marks, readings: Sequence[SentenceReading]
) -> list[RecordFinding]:
    """All findings in a text, whatever their credibility, in order."""
    found = []
    for one in rules.found:
        clause = rules.claim_at(one)
        features = {**rules.read(one), **_doubts(readings, clause)}
        note = one.reason(item.text)
        found.append(RecordFinding(*clause, one.place, note, features))
    told = dict(marks)
    for reading in readings:
        words = _worst_words(reading)
        clause = clauses_around(item.text, *words, (reading.offsets[0][0], reading.offsets[-1][1]))
        inside = [mark for place, mark in told.items() if words[0] <= place < words[1]]
        features = {
            READER: 1.0,
            **_doubts(readings, clause),
            "explained value": float(Mark.EXPLAINED in inside),
            "unknown value": float(Mark.UNKNOWN in inside),
            "doubted value": float(Mark.DOUBTED in inside),
        }
        note = f"{item.text[slice(*words)]!r} does not fit the data"
        found.append(RecordFinding(*clause, words, note, features))
    return sorted(found, key=lambda one: one[:3])


def _doubts(readings: Sequence[SentenceReading], place: Span) -> dict[str, float]:
    """What the reader says of the sentence of some words, and of the worst of them."""
    if not readings:
        return {}
    starts = [one.offsets[0][0] for one in readings]
    reading = readings[max(0, bisect_right(starts, place[0]) - 1)]
    inside = [
        logit
        for (start, end), logit in zip(reading.offsets, reading.words, strict=True)
        if start < place[1] and place[0] < end
    ]
    return {"fault": reading.fault, "worst word": max(inside, default=min(reading.words))}


def _worst_words(reading: SentenceReading) -> Span:
    """The words around the piece that is doubted most."""
    logits = reading.words
    first = last = max(range(len(logits)), key=logits.__getitem__)
    least = logits[first] - _FALL
    while first > 0 and logits[first - 1] >= least:
        first -= 1
    while last + 1 < len(logits) and logits[last + 1] >= least:
        last += 1
    return reading.offsets[first][0], reading.offsets[last][1]


def find_all(reader: RecordReader | None, items: Sequence[Item]) -> list[list[RecordFinding]]:
    """All findings in each text, whatever their credibility; without a reader, of the rules."""
    rules = [read_findings(item) for item in items]
    if reader is None:
        return [find_claims(*row, [], []) for row in zip(items, rules, strict=True)]
    marks = [read_marks(one) for one in rules]
    readings = reader.read(items, marks)
    return [find_claims(*row) for row in zip(items, rules, marks, readings, strict=True)]


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
