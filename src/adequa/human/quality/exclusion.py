"""What becomes of the figures without some raters.

As JSON, by criterion: `{"ratings": [before, after], "texts": […], "alone": […], "alpha":
{"nominal": […], "ordinal": […], "interval": […]}, "percent": […], "means": {system: […]},
"order": {"before": [system…], "after": [system…]}}`; `texts` have an answer, `alone` is how many of
them have no more than one, and both say whether another round of collecting is due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adequa.data import Rating
from adequa.errors import UnknownName
from adequa.human.judgments import BINS, Key, Page, Scale, averaged, by_criterion, by_page, once
from adequa.human.quality.criteria import agreement, table
from adequa.human.quality.raters import Quality, RaterQuality
from adequa.stats import percent_agreement


@dataclass(frozen=True, slots=True)
class Figures:
    """One criterion in short."""

    ratings: int
    texts: int
    alone: int
    """Texts with one answer only."""
    alpha: Mapping[str, float | None]
    percent: float | None
    means: Mapping[str, float]
    """Of each system's texts, each the mean of its answers; the best system first."""


def figures(
    ratings: Sequence[Rating], scales: Mapping[str, Scale] | None = None, *, bins: int = BINS
) -> dict[str, Figures]:
    """By criterion; where `scales` are not given they are those of the ratings themselves."""
    single = once(ratings).ratings
    means = averaged(single)
    found = {}
    for name, part in sorted(by_criterion(single).items()):
        scale = scales[name] if scales else Scale.of((one.value for one in part), bins=bins)
        each = Counter((one.system, one.id) for one in part)
        coded = table(part, scale)
        found[name] = Figures(
            ratings=len(part),
            texts=len(each),
            alone=sum(count == 1 for count in each.values()),
            alpha={key: one.value for key, one in agreement(coded, table(part, None)).items()},
            percent=percent_agreement(coded),
            means=_system_means(means[name]),
        )
    return found


def changes(
    before: Mapping[str, Figures], after: Mapping[str, Figures]
) -> dict[str, dict[str, Any]]:
    """Both side by side, by criterion; None after where a criterion or a system is left without."""
    return {name: _change(one, after.get(name)) for name, one in before.items()}


def moved(change: Mapping[str, Any]) -> list[str]:
    """The systems whose place changed, in words, in their new order.

    >>> moved({"order": {"before": ["a", "b", "c"], "after": ["b", "a", "c"]}})
    ['b 2 → 1', 'a 1 → 2']
    """
    before, after = change["order"]["before"], change["order"]["after"]
    said = [
        f"{system} {before.index(system) + 1} → {place}"
        for place, system in enumerate(after, start=1)
        if before.index(system) + 1 != place
    ]
    return said + [f"{system} has no answer left" for system in before if system not in after]


def _change(one: Figures, other: Figures | None) -> dict[str, Any]:
    def both(name: str) -> list[Any]:
        return [getattr(one, name), getattr(other, name) if other else None]

    return {
        **{name: both(name) for name in ("ratings", "texts", "alone", "percent")},
        "alpha": {
            scale: [value, other.alpha[scale] if other else None]
            for scale, value in one.alpha.items()
        },
        "means": {
            system: [value, other.means.get(system) if other else None]
            for system, value in one.means.items()
        },
        "order": {"before": list(one.means), "after": list(other.means) if other else []},
    }


def _system_means(texts: Mapping[tuple[str, str], float]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for (system, _), value in texts.items():
        values.setdefault(system, []).append(value)
    means = {system: sum(given) / len(given) for system, given in values.items()}
    return dict(sorted(means.items(), key=lambda pair: (-pair[1], pair[0])))


# ---
# One rater's judgments beside the others', so that a person can decide.
#
# As JSON: `{"rater", "reasons": ["…"], "judgments": [{"system", "id", "values": {criterion: value},
# "others": [{criterion: value}…], "apart", "seconds", "text"}]}`; `apart` is the mean distance from
# the others' means as a share of the scale, the largest first, null where nobody else judged.
# ---


@dataclass(frozen=True, slots=True)
class JudgmentDetail:
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
    judged: tuple[JudgmentDetail, ...]

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
            JudgmentDetail(
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
