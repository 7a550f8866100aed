"""The report on raters as plain objects for JSON; `adequa.human.quality` says what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from adequa.human.criteria import Criterion
from adequa.human.quality import Quality, RaterQuality, Settings

__all__ = ["MOST_CONTESTED", "to_object"]

MOST_CONTESTED = 20


def to_object(
    quality: Quality,
    *,
    excluded: Iterable[str] = (),
    change: Mapping[str, Any] | None = None,
    details: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The report; what was excluded and what that changed only the caller knows."""
    return {
        "raters": {one.name: _rater_object(one, quality.criteria) for one in quality.raters},
        "criteria": {
            one.name: _criterion_object(one, quality.settings) for one in quality.criteria
        },
        "flagged": {
            rater.name: {
                "extent": rater.extent,
                "criteria": list(rater.doubted),
                "reasons": list(rater.reasons),
            }
            for rater in quality.flagged
        },
        "excluded": sorted(excluded),
        "notes": list(quality.notes),
        "settings": asdict(quality.settings),
        "change": change,
        "details": details,
    }


def _rater_object(rater: RaterQuality, criteria: Sequence[Criterion]) -> dict[str, Any]:
    seen = rater.checked
    return {
        "texts": rater.pattern.texts,
        "flags": [asdict(flag) for flag in rater.flags],
        "pattern": {
            name: getattr(rater.pattern, name) for name in ("common", "share", "others", "spread")
        },
        "speed": {name: getattr(rater.pace, name) for name in ("pages", "median", "campaign")},
        "controls": None
        if seen is None
        else {"answers": seen.answers, "right": seen.right, "accuracy": seen.accuracy},
        "criteria": {
            one.name: {
                "competence": rater.competence.get(one.name),
                **asdict(rater.standings[one.name]),
            }
            for one in criteria
            if one.name in rater.standings
        },
    }


def _criterion_object(one: Criterion, settings: Settings) -> dict[str, Any]:
    return {
        "texts": one.texts,
        "raters": one.raters,
        "ratings": one.ratings,
        "scale": asdict(one.scale),
        "alpha": {name: found.value for name, found in one.alpha.items()},
        "fleiss": one.fleiss.value,
        "cohen": {"mean": one.cohen, "pairs": one.pairs[0], "of": one.pairs[1]},
        "percent": one.percent,
        "competence": {
            "below": one.doubted(settings.below),
            "median": median(one.competence.values()) if one.competence else None,
            "converged": one.converged,
            "reason": one.reason or None,
        },
        "contested": [
            {
                "system": text.key[0],
                "id": text.key[1],
                "entropy": text.entropy,
                "values": list(text.values),
            }
            for text in one.contested[:MOST_CONTESTED]
        ],
    }
