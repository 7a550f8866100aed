"""The rule that joins the scores of several metrics for one item into one result.

- *Verdict*: an item has every fault that any metric with a verdict sees; it is OK when at least one
  metric gives a verdict and none sees a fault; it has no verdict when no metric gives one.
- *Entities against facts*: a missing entity is not an omission if every fact about it is stated
  with a confidence of at least `SURE`, since a text can state a fact in other words; for a quality
  such as *yes* or *moderate*, which is seldom named, `SURE_OF_QUALITY` is enough. The finding
  stays, with the detail `overruled`, and does not count for the verdict.
- *Findings*: findings of two metrics about the same thing (a span of the text; else kind, triple
  and entity) become one; it names both metrics by their labels (`esa+nli`) and keeps the reason of
  the first and the higher confidence.
- *Confidence*: each confidence says how likely the text has no fault at all; the lowest of these
  counts. For an OK this is the confidence of the least sure metric, for a fault that of the surest.
- *Facts*: a contradicted triple stays so; else it keeps its first status with a confidence, else
  its first that is not `unchecked`.
- *Mentions*: one per span and entity, that of the first metric.

Joining is associative: adding a metric to a result equals scoring with both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from adequa.data import Fact, Finding, Item, Mention, Result, Score, Triple, Verdict
from adequa.text.values import is_quality

OVERRULED = "overruled"
SURE = 0.9
"""The confidence from which stated facts overrule a missing entity.

No record of the data it was chosen on; kept for stable scores.
"""

SURE_OF_QUALITY = 0.5
"""The same for a quality."""


def join(result: Result, scores: Mapping[str, Score]) -> Result:
    """The result with the scores of further metrics, by label."""
    verdicts: dict[str, Verdict] = dict(result.verdicts)
    verdicts.update((label, score.verdict) for label, score in scores.items() if score.verdict)
    labelled = [_located(_labelled(label, score), result.item) for label, score in scores.items()]
    facts = _join_facts(result.facts, labelled)
    findings = _overrule(_join_findings(result.findings, labelled), facts, result.item.triples)
    verdict = join_verdicts(_counting(verdicts, findings))
    return replace(
        result,
        scores={**result.scores, **{label: score.value for label, score in scores.items()}},
        mentions=_join_mentions(result.mentions, labelled),
        facts=facts,
        findings=findings,
        verdicts=verdicts,
        verdict=verdict,
        confidence=_join_confidences(verdict, [result, *scores.values()]),
        statistics={
            **result.statistics,
            **{label: score.statistics for label, score in scores.items() if score.statistics},
        },
        reasons={
            **result.reasons,
            **{
                label: score.reason or "not scorable"
                for label, score in scores.items()
                if score.value is None
            },
        },
    )


def _labelled(label: str, score: Score) -> Score:
    """The score with the label of the metric in its findings."""
    if all(finding.metric == label for finding in score.findings):
        return score
    findings = tuple(replace(finding, metric=label) for finding in score.findings)
    return replace(score, findings=findings)


def _located(score: Score, item: Item) -> Score:
    """The score with the JSON pointers of its facts and findings, if the item is a record."""
    if not item.paths:
        return score
    paths: dict[object, str] = {}
    for triple, path in zip(item.triples, item.paths, strict=True):
        for thing in (triple, triple.object):
            paths.setdefault(thing, path)
    for triple, path in zip(item.triples, item.paths, strict=True):
        paths.setdefault(triple.subject, path)
    things = [one.triple or one.entity for one in score.findings]
    return replace(
        score,
        facts=tuple(replace(fact, path=paths.get(fact.triple)) for fact in score.facts),
        findings=tuple(
            replace(one, path=paths.get(thing))
            for one, thing in zip(score.findings, things, strict=True)
        ),
    )


def join_verdicts(verdicts: Iterable[Verdict]) -> Verdict | None:
    """One verdict of several, with every fault that any of them has.

    >>> join_verdicts(["OK", "omission", "hallucination"])
    'hallucination+omission'
    """
    seen = set(verdicts)
    if not seen:
        return None
    faults = {fault for verdict in seen for fault in verdict.split("+")} - {"OK"}
    return cast("Verdict", "+".join(sorted(faults)) or "OK")


def _join_confidences(verdict: Verdict | None, parts: Iterable[Result | Score]) -> float | None:
    """The confidence in a joined verdict, from the parts that have one."""
    chances = [
        one.confidence if one.verdict == "OK" else 1 - one.confidence
        for one in parts
        if one.verdict is not None and one.confidence is not None
    ]
    if verdict is None or not chances:
        return None
    return round(min(chances) if verdict == "OK" else 1 - min(chances), 6)


def _counting(verdicts: Mapping[str, Verdict], findings: tuple[Finding, ...]) -> list[Verdict]:
    """The verdicts, without an omission if all findings for it are overruled."""
    counts: dict[str, bool] = {}  # whether a metric has an omission that is not overruled
    for finding in findings:
        if finding.kind == "omission":
            for name in finding.metric.split("+"):
                counts[name] = counts.get(name, False) or finding.detail != OVERRULED
    without: Mapping[str, Verdict] = {"hallucination+omission": "hallucination", "omission": "OK"}
    return [
        verdict if counts.get(label, True) else without.get(verdict, verdict)
        for label, verdict in verdicts.items()
    ]


def _overrule(
    findings: tuple[Finding, ...], facts: tuple[Fact, ...], triples: Iterable[Triple]
) -> tuple[Finding, ...]:
    """Mark findings of missing entities as overruled if all facts about the entity are stated.

    A fact without a status is not stated; a metric added later may state it, but never the reverse,
    so the order of metrics does not matter.
    """
    if not any(one.kind == "omission" and one.entity is not None for one in findings):
        return findings
    sure: dict[str, float] = {}
    stated = {fact.triple: fact.confidence for fact in facts if fact.status == "stated"}
    for triple in triples:
        for entity in {triple.subject, triple.object}:
            sure[entity] = min(sure.get(entity, 1.0), stated.get(triple) or 0.0)
    return tuple(
        replace(one, detail=OVERRULED, confidence=round(1 - sure[one.entity], 6))
        if one.kind == "omission"
        and one.entity
        and sure.get(one.entity, 0.0) >= (SURE_OF_QUALITY if is_quality(one.entity) else SURE)
        else one
        for one in findings
    )


def _join_mentions(first: tuple[Mention, ...], scores: Iterable[Score]) -> tuple[Mention, ...]:
    joined = {(mention.entity, mention.start, mention.end): mention for mention in first}
    for score in scores:
        for mention in score.mentions:
            joined.setdefault((mention.entity, mention.start, mention.end), mention)
    return tuple(joined.values())


def _join_facts(first: tuple[Fact, ...], scores: Iterable[Score]) -> tuple[Fact, ...]:
    joined = {fact.triple: fact for fact in first}
    for score in scores:
        for fact in score.facts:
            known = joined.get(fact.triple)
            if known is None or _rank(fact) > _rank(known):
                joined[fact.triple] = fact
    return tuple(joined.values())


def _rank(fact: Fact) -> int:
    """The priority of a status: `contradicted`, then with a confidence, without, `unchecked`.

    A value or a yes that the text contradicts stays so, however sure another metric is.
    """
    if fact.status == "contradicted":
        return 3
    if fact.confidence is not None:
        return 2
    return 0 if fact.status == "unchecked" else 1


def _join_findings(first: tuple[Finding, ...], scores: Iterable[Score]) -> tuple[Finding, ...]:
    joined: dict[object, Finding] = {_thing(finding): finding for finding in first}
    for score in scores:
        for finding in score.findings:
            known = joined.get(_thing(finding))
            joined[_thing(finding)] = finding if known is None else _agree(known, finding)
    return tuple(joined.values())


def _thing(finding: Finding) -> object:
    """The identity of a finding: a span of the text, or a fact or entity."""
    if finding.kind == "hallucination" and finding.start is not None:
        return finding.kind, finding.start, finding.end
    return finding.kind, finding.triple, finding.entity, finding.start, finding.end


def _agree(known: Finding, other: Finding) -> Finding:
    metrics = known.metric.split("+")
    if other.metric in metrics:
        return known
    confidences = [one for one in (known.confidence, other.confidence) if one is not None]
    return replace(
        known,
        metric="+".join([*metrics, other.metric]),
        triple=known.triple or other.triple,
        entity=known.entity or other.entity,
        path=known.path or other.path,
        confidence=max(confidences, default=None),
    )
