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
from adequa.human.criteria import agreement, table
from adequa.human.judgments import averaged, by_criterion
from adequa.human.pages import once
from adequa.human.scales import BINS, Scale
from adequa.stats.agreement import percent_agreement

__all__ = ["Figures", "changes", "figures", "moved"]


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
