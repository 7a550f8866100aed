"""Results and scores to and from JSON objects: the lines of a run, the rows of a cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from adequa.codec.items import item_from_object, item_to_object
from adequa.data import Fact, Finding, Mention, Result, Score, Triple
from adequa.errors import DataError

__all__ = ["result_from_object", "result_to_object", "score_from_object", "score_to_object"]

_RESULT_FIELDS = tuple(field.name for field in fields(Result) if field.name != "item")


def _number(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def result_to_object(result: Result) -> dict[str, Any]:
    """A line of `scores.jsonl`: the item's fields, then what the metrics said."""
    raw = item_to_object(result.item)
    raw["scores"] = {name: _number(value) for name, value in result.scores.items()}
    raw.update(_evidence_to_object(result))
    raw["verdicts"] = dict(result.verdicts)
    raw["verdict"] = result.verdict
    if result.statistics:
        raw["statistics"] = {name: list(row) for name, row in result.statistics.items()}
    if result.reasons:
        raw["reasons"] = dict(result.reasons)
    return raw


def _evidence_to_object(said: Result | Score) -> dict[str, Any]:
    return {
        "mentions": [
            {
                "entity": mention.entity,
                "start": mention.start,
                "end": mention.end,
                "method": mention.method,
                "distance": _number(mention.distance),
            }
            for mention in said.mentions
        ],
        "facts": [
            {
                "triple": fact.triple,
                "status": fact.status,
                "confidence": _number(fact.confidence),
                "start": fact.start,
                "end": fact.end,
            }
            for fact in said.facts
        ],
        "findings": [
            {
                "metric": finding.metric,
                "kind": finding.kind,
                "detail": finding.detail,
                "triple": finding.triple,
                "entity": finding.entity,
                "start": finding.start,
                "end": finding.end,
                "confidence": _number(finding.confidence),
                "why": finding.why,
            }
            for finding in said.findings
        ],
    }


def _evidence_from_object(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "mentions": tuple(Mention(**mention) for mention in raw["mentions"]),
        "facts": tuple(
            Fact(**{**fact, "triple": Triple(*fact["triple"])}) for fact in raw["facts"]
        ),
        "findings": tuple(
            Finding(**{**finding, "triple": finding["triple"] and Triple(*finding["triple"])})
            for finding in raw["findings"]
        ),
    }


def result_from_object(raw: Any) -> Result:
    """A Result from a line of `scores.jsonl`."""
    if type(raw) is not dict or type(raw.get("scores")) is not dict:
        raise DataError("is not a line of a run", remedy="was the file edited? score it again")
    said = {name: raw[name] for name in _RESULT_FIELDS if name in raw}
    item = item_from_object({name: raw[name] for name in raw if name not in said})
    try:
        return Result(
            item,
            scores=said["scores"],
            **_evidence_from_object(said),
            verdicts=said["verdicts"],
            verdict=said["verdict"],
            statistics={name: tuple(row) for name, row in said.get("statistics", {}).items()},
            reasons=said.get("reasons", {}),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"is not a line of a run ({error})", remedy="was the file edited? score it again"
        ) from None


def score_to_object(score: Score) -> dict[str, Any]:
    """One metric's word on one item, as the cache keeps it."""
    return {
        "value": _number(score.value),
        "statistics": list(score.statistics),
        **_evidence_to_object(score),
        "verdict": score.verdict,
        "reason": score.reason,
    }


def score_from_object(raw: Any) -> Score:
    """A Score from the cache's object."""
    try:
        return Score(
            value=raw["value"],
            statistics=tuple(raw["statistics"]),
            **_evidence_from_object(raw),
            verdict=raw["verdict"],
            reason=raw["reason"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"is not a score ({error})") from None
