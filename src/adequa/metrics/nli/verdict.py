"""The score of an item from its evidence: facts, findings with reasons, and the verdict."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from adequa.data import UNNAMED, Fact, FactStatus, Finding, Item, Mention, Score, Triple, Verdict
from adequa.metrics.base import EMPTY_TEXT
from adequa.metrics.nli.evidence import Evidence, Stretch
from adequa.metrics.nli.signs import Sentence, read_sentences, sentence_of
from adequa.models.relations import relation_words
from adequa.text.values import show_value, word_triple

_LONGEST = 80
_ADDED = re.compile(r"^(?:,|\s\()\s*(?:in\s+)?$")
_NAME = re.compile(r"^[^\W\d_a-z]")
_WHOLE = re.compile(r"^(-?\d[\d,]*)\.0(?= |$)")
"""A whole number as data has it, and a sentence does not: "118.0 minutes"."""


def why_missing(item: Item, triple: Triple, stretch: Stretch | None = None) -> str:
    """The reason for a fact that the text does not state."""
    said = f"the text does not say that {_fact(item, triple)}"
    if stretch is None:
        return said
    if stretch.level == "clause":  # the two names, and the words between them
        return f"{said}: {_quoted(item, stretch)} says something else"
    return f"{said}: it has {_quoted(item, stretch)} instead"


def why_contradicted(item: Item, stretch: Stretch, triple: Triple | None) -> str:
    """The reason for words that the data contradicts."""
    if triple is None:
        return f"the data says otherwise than {_quoted(item, stretch)}"
    if stretch.level == "clause":
        return f"{_quoted(item, stretch)} does not say that {_fact(item, triple)}"
    return f"{_quoted(item, stretch)}: the data says that {_fact(item, triple)}"


def why_unsupported(item: Item, stretch: Stretch, mentions: Sequence[Mention]) -> str:
    """The reason for words that the data does not support; mentions are in order of their ends."""
    words = _quoted(item, stretch)
    before = bisect_right(mentions, stretch.start, key=_end)
    near = None
    if before:  # of those that end together, the first
        near = mentions[bisect_left(mentions, mentions[before - 1].end, key=_end)]
    if (
        near is not None
        and _ADDED.match(item.text[near.end : stretch.start])
        and _NAME.match(item.text[stretch.start : stretch.end])
    ):
        name = item.text[near.start : near.end]
        return f"{words} is added to {name!r}: true or not, the data does not say it"
    return f"nothing in the data supports {words}"


def _end(mention: Mention) -> int:
    return mention.end


def why_garbled(item: Item, stretch: Stretch) -> str:
    """The reason for words that are not well formed."""
    return f"{_quoted(item, stretch)} is garbled: what the text says there cannot be told"


def why_unread_fact(item: Item, triple: Triple) -> str:
    """The reason for a fact that could not be read."""
    return f"not checked: {_fact(item, triple)} is longer than the model can read"


def why_unread_text(item: Item, stretch: Stretch) -> str:
    """The reason for words that could not be read."""
    return f"not checked: {_quoted(item, stretch)} and its data are longer than the model can read"


def _fact(item: Item, triple: Triple) -> str:
    subject, predicate, value = (_short(part) for part in word_triple(triple, item.terms))
    value = _WHOLE.sub(r"\1", show_value(value, item.text))
    if relation_words(predicate) == predicate:
        return f"{subject} {predicate} {value}"
    return f"the {predicate} of {subject} is {value}"


def _quoted(item: Item, stretch: Stretch) -> str:
    return repr(_short(item.text[stretch.start : stretch.end]))


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


CLASSES: tuple[Verdict, ...] = ("OK", "omission", "hallucination", "hallucination+omission")
"""The paper's four results, in the order of the statistics."""
_CONTRADICTED = 0.5
"""The probability from which a stretch counts as contradicted: more likely than not."""


@dataclass(frozen=True, slots=True)
class VerdictLimits:
    """The probabilities from which a fact is stated, and a stretch is not supported.

    By default the rule of paper 002: what is more likely than not passes, an even chance does not.
    """

    stated: float = math.nextafter(0.5, 1)
    unsupported: float = 0.5
    optional: frozenset[str] = frozenset()
    """Predicates whose facts may be left out."""
    allowed: tuple[str, ...] = ()
    """Phrases that a text may add."""
    checked: float = 0.0
    """The probability below which a stated fact is in doubt: its status is `unchecked`."""


def judge_evidence(
    metric: str, item: Item, evidence: Evidence, mentions: Sequence[Mention], limits: VerdictLimits
) -> Score:
    """The score of an item; parts that could not be read are findings without confidence."""
    free = allowed_places(item.text, limits.allowed)
    wrong = [
        one
        for one in evidence.stretches
        if (one.unsupported is None or one.unsupported >= limits.unsupported)
        and not free.issuperset(range(one.start, one.end))
    ]
    against = (one for one in wrong if (one.contradicted or 0) >= _CONTRADICTED)
    denied = {one.fact: one for one in against if one.fact is not None}
    sentences = read_sentences(item.text, mentions)
    links = unstatable(item)
    facts = tuple(
        Fact(triple, "unchecked")
        if triple in links
        else _judged_fact(triple, evidence.stated[number], denied.get(number), sentences, limits)
        for number, triple in enumerate(item.triples)
    )
    findings = [
        finding
        for number, fact in enumerate(facts if item.coverage == "all" else ())
        if fact.triple not in links
        if fact.status != "missing" or fact.triple.predicate not in limits.optional
        if (finding := _omission(metric, item, fact, denied.get(number))) is not None
    ]
    omitted = any(finding.detail != "unchecked" for finding in findings)
    by_end = sorted(mentions, key=_end)
    findings += [_hallucination(metric, item, one, by_end) for one in wrong]
    added = any(one.unsupported is not None for one in wrong)
    verdict = CLASSES[omitted + 2 * added]
    unread = evidence.value is None or any(one.detail == "unchecked" for one in findings)
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


def unstatable(item: Item) -> frozenset[Triple]:
    """The triples that say where a thing without a name belongs: no text can state these."""
    unnamed = {name for name, term in item.terms.items() if term.datatype == UNNAMED}
    return frozenset(triple for triple in item.triples if triple.object in unnamed)


_UNREAD = "part of it is longer than the model can read"


def nothing_said(metric: str, item: Item) -> Score:
    """The score of an empty text: it states nothing, and adds nothing."""
    facts = tuple(Fact(triple, "missing", 1.0) for triple in item.triples)
    findings = tuple(
        Finding(metric, "omission", "missing", why_missing(item, triple), triple, confidence=1.0)
        for triple in item.triples
    )
    if item.coverage == "selected":
        findings = (Finding(metric, "omission", "missing", EMPTY_TEXT, confidence=1.0),)
    statistics = _statistics(item, facts, (), "omission")
    return Score(
        0.0, statistics, facts=facts, findings=findings, verdict="omission", confidence=1.0
    )


def allowed_places(text: str, phrases: Sequence[str]) -> frozenset[int]:
    """The places of letters in phrases that a text may add."""
    return frozenset(
        place
        for phrase in phrases
        for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
        for place in range(*match.span())
    )


def _judged_fact(
    triple: Triple,
    chance: float | None,
    denied: Stretch | None,
    sentences: Sequence[Sentence],
    limits: VerdictLimits,
) -> Fact:
    if chance is None:
        return Fact(triple, "unchecked")
    if chance < limits.stated:
        if denied is not None:
            return Fact(triple, "contradicted", _round(1 - chance), denied.start, denied.end)
        return Fact(triple, "missing", _round(1 - chance))
    start, end = sentence_of(triple, sentences) or (None, None)
    status: FactStatus = "unchecked" if chance < limits.checked else "stated"
    return Fact(triple, status, _round(chance), start, end)


def _omission(metric: str, item: Item, fact: Fact, stretch: Stretch | None) -> Finding | None:
    if fact.status == "stated" or (fact.status == "unchecked" and fact.confidence is not None):
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
    doubt = _round(stretch.unsupported if stretch.credible is None else stretch.credible)
    triple: Triple | None
    if stretch.note:
        triple, detail, why = None, "unsupported", stretch.note
    elif (stretch.contradicted or 0) >= _CONTRADICTED:
        triple = None if stretch.fact is None else item.triples[stretch.fact]
        detail, why = "contradicted", why_contradicted(item, stretch, triple)
    elif stretch.garbled:
        triple, detail, why = None, "garbled", why_garbled(item, stretch)
    else:
        triple, detail, why = None, "unsupported", why_unsupported(item, stretch, mentions)
    return Finding(
        metric, "hallucination", detail, why, triple, start=start, end=end, confidence=doubt
    )


def _round(chance: float) -> float:
    return round(chance, 6)


def _statistics(
    item: Item, facts: Sequence[Fact], wrong: Sequence[Stretch], verdict: Verdict
) -> tuple[float, ...]:
    """Texts by result; facts, omitted and contradicted ones; unsupported letters, all letters."""
    counted = [fact.status for fact in facts]
    return (
        *(float(verdict == name) for name in CLASSES),
        float(sum(fact.confidence is not None for fact in facts)),
        float(counted.count("missing")),
        float(counted.count("contradicted")),
        float(sum(one.end - one.start for one in wrong if one.unsupported is not None)),
        float(len(item.text)),
    )
