"""One rater's judgments beside the others', so that a person can decide.

As JSON: `{"rater", "reasons": ["…"], "judgments": [{"system", "id", "values": {criterion: value},
"others": [{criterion: value}…], "apart", "seconds", "text"}]}`; `apart` is the mean distance from
the others' means as a share of the scale, the largest first, null where nobody else judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adequa.errors import UnknownName
from adequa.human.judgments import Key
from adequa.human.pages import Page, by_page
from adequa.human.quality import Quality, RaterQuality

__all__ = ["Details", "Judged", "details"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One text as the rater and as the others judged it."""

    key: Key
    values: Mapping[str, float]
    others: tuple[Mapping[str, float], ...]
    apart: float | None
    seconds: float | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Details:
    """A rater's judgments, those furthest from the others' first."""

    rater: RaterQuality
    judged: tuple[Judged, ...]

    def to_object(self) -> dict[str, Any]:
        """As the module says."""
        return {
            "rater": self.rater.name,
            "reasons": list(self.rater.reasons),
            "judgments": [
                {
                    "system": one.key[0],
                    "id": one.key[1],
                    "values": dict(one.values),
                    "others": [dict(values) for values in one.others],
                    "apart": one.apart,
                    "seconds": one.seconds,
                    "text": one.text,
                }
                for one in self.judged
            ],
        }


def details(quality: Quality, rater: str, texts: Mapping[Key, str] | None = None) -> Details:
    """What a rater said of each text; `texts` are the texts themselves, where they are known."""
    pages = by_page(quality.ratings)
    if rater not in pages:
        raise UnknownName("rater", rater, pages)
    who = next(one for one in quality.raters if one.name == rater)
    ranges = {one.name: one.scale.high - one.scale.low or 1.0 for one in quality.criteria}
    judged = []
    for key, page in pages[rater].items():
        others = [other[key] for name, other in pages.items() if name != rater and key in other]
        seconds = [one.seconds for one in page.values() if one.seconds is not None]
        judged.append(
            Judged(
                key=key,
                values=_values(page),
                others=tuple(_values(other) for other in others),
                apart=_apart(page, others, ranges),
                seconds=max(seconds) if seconds else None,
                text=(texts or {}).get(key) or _told_text(page),
            )
        )
    judged.sort(key=lambda one: (-1.0 if one.apart is None else one.apart, one.key), reverse=True)
    return Details(who, tuple(judged))


def _values(page: Page) -> dict[str, float]:
    return {criterion: rating.value for criterion, rating in page.items()}


def _apart(page: Page, others: list[Page], ranges: Mapping[str, float]) -> float | None:
    distances = []
    for criterion, rating in page.items():
        values = [other[criterion].value for other in others if criterion in other]
        if values:
            mean = sum(values) / len(values)
            distances.append(abs(rating.value - mean) / ranges[criterion])
    return sum(distances) / len(distances) if distances else None


def _told_text(page: Page) -> str | None:
    """Some campaigns write the text beside its judgments."""
    for rating in page.values():
        text = rating.meta.get("text")
        if isinstance(text, str):
            return text
    return None
