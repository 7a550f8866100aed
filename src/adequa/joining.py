"""How several metrics' words on one item become one result: the only place that knows the rule.

- *Verdict*: an item has every fault that any metric with a verdict sees; it is OK when at least one
  metric gives a verdict and none sees a fault; it has no verdict when no metric gives one.
- *Findings*: two metrics that point at the same thing (kind, triple, entity and span) make one
  finding; it names both metrics (`esa+nli`), and keeps the first one's words and the higher
  confidence.
- *Facts*: a triple keeps its first status that is not `unchecked`.
- *Mentions*: one a span and entity, the first metric's.

Joining is associative: adding a metric to a result gives what scoring with both would have given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from adequa.data import Fact, Finding, Mention, Result, Score, Verdict

__all__ = ["join", "join_verdicts"]


def join(result: Result, scores: Mapping[str, Score]) -> Result:
    """The result with further metrics' scores added to it, by label."""
    verdicts: dict[str, Verdict] = dict(result.verdicts)
    verdicts.update((label, score.verdict) for label, score in scores.items() if score.verdict)
    said = scores.values()
    return replace(
        result,
        scores={**result.scores, **{label: score.value for label, score in scores.items()}},
        mentions=_join_mentions(result.mentions, said),
        facts=_join_facts(result.facts, said),
        findings=_join_findings(result.findings, said),
        verdicts=verdicts,
        verdict=join_verdicts(verdicts.values()),
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


def join_verdicts(verdicts: Iterable[Verdict]) -> Verdict | None:
    """One verdict of several: every fault that one of them names.

    >>> join_verdicts(["OK", "omission", "hallucination"])
    'hallucination+omission'
    """
    seen = set(verdicts)
    if not seen:
        return None
    faults = {fault for verdict in seen for fault in verdict.split("+")} - {"OK"}
    if faults == {"omission"}:
        return "omission"
    if faults == {"hallucination"}:
        return "hallucination"
    return "hallucination+omission" if faults else "OK"


def _join_mentions(first: tuple[Mention, ...], said: Iterable[Score]) -> tuple[Mention, ...]:
    joined = {(mention.entity, mention.start, mention.end): mention for mention in first}
    for score in said:
        for mention in score.mentions:
            joined.setdefault((mention.entity, mention.start, mention.end), mention)
    return tuple(joined.values())


def _join_facts(first: tuple[Fact, ...], said: Iterable[Score]) -> tuple[Fact, ...]:
    joined = {fact.triple: fact for fact in first}
    for score in said:
        for fact in score.facts:
            known = joined.get(fact.triple)
            if known is None or (known.status == "unchecked" and fact.status != "unchecked"):
                joined[fact.triple] = fact
    return tuple(joined.values())


def _join_findings(first: tuple[Finding, ...], said: Iterable[Score]) -> tuple[Finding, ...]:
    joined: dict[object, Finding] = {_thing(finding): finding for finding in first}
    for score in said:
        for finding in score.findings:
            known = joined.get(_thing(finding))
            joined[_thing(finding)] = finding if known is None else _agree(known, finding)
    return tuple(joined.values())


def _thing(finding: Finding) -> object:
    return finding.kind, finding.triple, finding.entity, finding.start, finding.end


def _agree(known: Finding, other: Finding) -> Finding:
    metrics = known.metric.split("+")
    if other.metric in metrics:
        return known
    confidences = [one for one in (known.confidence, other.confidence) if one is not None]
    return replace(
        known,
        metric="+".join([*metrics, other.metric]),
        confidence=max(confidences, default=None),
    )
