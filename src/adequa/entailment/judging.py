"""From evidence to a score: which facts are stated, what is unsupported, and the verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adequa.data import Fact, Finding, Item, Mention, Score, Triple, Verdict
from adequa.entailment.evidence import Evidence, Stretch
from adequa.entailment.explaining import (
    why_contradicted,
    why_garbled,
    why_missing,
    why_unread_fact,
    why_unread_text,
    why_unsupported,
)
from adequa.entailment.signs import Sentence, read_sentences, sentence_of

__all__ = ["CLASSES", "Limits", "judge_evidence", "nothing_said"]

CLASSES: tuple[Verdict, ...] = ("OK", "omission", "hallucination", "hallucination+omission")
"""The paper's four results, in the order of the statistics."""
_CONTRADICTED = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """From which probability on a fact is stated, and a stretch is not supported."""

    stated: float = 0.5
    unsupported: float = 0.5
    optional: frozenset[str] = frozenset()
    """Predicates whose facts may be left out."""
    allowed: tuple[str, ...] = ()
    """Phrases that a text may add."""


def judge_evidence(
    metric: str, item: Item, evidence: Evidence, mentions: Sequence[Mention], limits: Limits
) -> Score:
    """The score of an item; what could not be read is a finding of its own, without confidence."""
    free = _allowed(item.text, limits.allowed)
    wrong = [
        one
        for one in evidence.stretches
        if _flagged(one, limits) and not free.issuperset(range(one.start, one.end))
    ]
    denied = {
        one.fact: one
        for one in wrong
        if one.fact is not None and (one.contradicted or 0) >= _CONTRADICTED
    }
    told = read_sentences(item.text, mentions)
    facts = tuple(
        _fact(triple, evidence.stated[number], denied.get(number), told, limits)
        for number, triple in enumerate(item.triples)
    )
    findings = [
        finding
        for number, fact in enumerate(facts)
        if fact.status != "missing" or fact.triple.predicate not in limits.optional
        if (finding := _omission(metric, item, fact, denied.get(number))) is not None
    ]
    omitted = any(finding.detail != "unchecked" for finding in findings)
    findings += [_hallucination(metric, item, one, mentions) for one in wrong]
    added = any(one.unsupported is not None for one in wrong)
    verdict = _verdict(omitted=omitted, added=added)
    unread = any(fact.status == "unchecked" for fact in facts) or evidence.value is None
    if unread and verdict == "OK":
        return Score(None, facts=facts, findings=tuple(findings), reason=_UNREAD)
    return Score(
        evidence.value,
        _statistics(item, facts, wrong, verdict),
        facts=facts,
        findings=tuple(findings),
        verdict=verdict,
        reason=_UNREAD if evidence.value is None else None,
    )


_UNREAD = "part of it is longer than the model can read"


def nothing_said(metric: str, item: Item) -> Score:
    """The score of an empty text: it states nothing, and adds nothing."""
    facts = tuple(Fact(triple, "missing", 1.0) for triple in item.triples)
    findings = tuple(
        Finding(metric, "omission", "missing", why_missing(item, triple), triple, confidence=1.0)
        for triple in item.triples
    )
    statistics = _statistics(item, facts, (), "omission")
    return Score(0.0, statistics, facts=facts, findings=findings, verdict="omission")


def _allowed(text: str, phrases: Sequence[str]) -> frozenset[int]:
    """The places of letters in phrases that a text may add."""
    return frozenset(
        place
        for phrase in phrases
        for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
        for place in range(*match.span())
    )


def _flagged(stretch: Stretch, limits: Limits) -> bool:
    return stretch.unsupported is None or stretch.unsupported >= limits.unsupported


def _verdict(*, omitted: bool, added: bool) -> Verdict:
    if omitted and added:
        return "hallucination+omission"
    if omitted:
        return "omission"
    return "hallucination" if added else "OK"


def _fact(
    triple: Triple,
    chance: float | None,
    denied: Stretch | None,
    told: Sequence[Sentence],
    limits: Limits,
) -> Fact:
    if chance is None:
        return Fact(triple, "unchecked")
    if chance < limits.stated:
        if denied is not None:
            return Fact(triple, "contradicted", _round(1 - chance), denied.start, denied.end)
        return Fact(triple, "missing", _round(1 - chance))
    start, end = sentence_of(triple, told) or (None, None)
    return Fact(triple, "stated", _round(chance), start, end)


def _omission(metric: str, item: Item, fact: Fact, stretch: Stretch | None) -> Finding | None:
    if fact.status == "stated":
        return None
    if fact.status == "unchecked":
        why = why_unread_fact(item, fact.triple)
        return Finding(metric, "omission", "unchecked", why, fact.triple)
    detail = "contradicted" if stretch is not None else "missing"
    why = why_missing(item, fact.triple, stretch)
    return Finding(metric, "omission", detail, why, fact.triple, confidence=fact.confidence)


def _hallucination(
    metric: str, item: Item, stretch: Stretch, mentions: Sequence[Mention]
) -> Finding:
    start, end = stretch.start, stretch.end
    if stretch.unsupported is None:
        why = why_unread_text(item, stretch)
        return Finding(metric, "hallucination", "unchecked", why, start=start, end=end)
    doubt = _round(stretch.unsupported)
    if (stretch.contradicted or 0) >= _CONTRADICTED:
        triple = None if stretch.fact is None else item.triples[stretch.fact]
        why = why_contradicted(item, stretch, triple)
        return Finding(
            metric, "hallucination", "contradicted", why, triple, None, start, end, doubt
        )
    detail = "garbled" if stretch.garbled else "unsupported"
    why = (
        why_garbled(item, stretch) if stretch.garbled else why_unsupported(item, stretch, mentions)
    )
    return Finding(metric, "hallucination", detail, why, start=start, end=end, confidence=doubt)


def _round(chance: float) -> float:
    return round(chance, 6)


def _statistics(
    item: Item, facts: Sequence[Fact], wrong: Sequence[Stretch], verdict: Verdict
) -> tuple[float, ...]:
    """Texts by result; facts, omitted and contradicted ones; unsupported letters, all letters."""
    counted = [fact.status for fact in facts]
    return (
        *(float(verdict == name) for name in CLASSES),
        float(len(facts) - counted.count("unchecked")),
        float(counted.count("missing")),
        float(counted.count("contradicted")),
        float(sum(one.end - one.start for one in wrong if one.unsupported is not None)),
        float(len(item.text)),
    )
