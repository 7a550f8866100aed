"""From which score on texts may be accepted, so that few of the accepted are bad.

The thresholds that are tried are set by the scores alone: those that accept about a tenth of the
texts, two tenths, and so on. Each gets an exact upper bound of its risk (Clopper and Pearson 1934)
at a level divided by their number (Bonferroni), so that all bounds hold at once, and so does that
of the one that is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from adequa.doctor.examination import Share

__all__ = ["Accepting", "Advice", "advise"]

_STEPS = 10


@dataclass(frozen=True, slots=True)
class Accepting:
    """What happens when texts from a score on are accepted."""

    threshold: float
    coverage: Share
    """The accepted among all labelled texts; a text without a score is not accepted."""
    risk: Share
    """The bad among the accepted."""
    bound: float
    """What the risk is below, for all thresholds at once."""


@dataclass(frozen=True)
class Advice:
    """Thresholds of one metric, and the one to take, if any can be promised."""

    metric: str
    higher_is_better: bool
    curve: tuple[Accepting, ...]
    """From the strictest threshold to the loosest."""
    chosen: Accepting | None
    likely: Accepting | None
    """The loosest threshold whose risk as seen is low enough: no promise."""
    labelled: int
    bad: int
    target: float
    level: float
    needed: int
    """How many accepted texts, none of them bad, the promise takes."""

    @property
    def why(self) -> str:
        """What to do, in a sentence."""
        side = "≥" if self.higher_is_better else "≤"
        promise = f"a risk of at most {self.target:g} (at {self.level:.0%} confidence)"
        if self.chosen is not None:
            one = self.chosen
            return (
                f"accept where {self.metric} {side} {_plain(one.threshold)}: "
                f"{one.coverage.count:,} of {one.coverage.total:,} texts, of them "
                f"{one.risk.count:,} bad; the risk is below {one.bound:.3f}, so {promise} can be "
                "promised"
            )
        if self.likely is None:
            return (
                f"no threshold of {self.metric} keeps the risk at {self.target:g} on these labels"
            )
        one = self.likely
        most = max(step.risk.total for step in self.curve)
        reason = (
            f"it takes {self.needed:,} accepted texts without a bad one, and there are {most:,}"
            if most < self.needed
            else f"the risk may still be {one.bound:.3f}"
        )
        return (
            f"not enough labels to promise {promise} by {self.metric}: {reason}; as far as they "
            f"go, {self.metric} {side} {_plain(one.threshold)} accepts {one.coverage.count:,} of "
            f"{one.coverage.total:,} texts, of them {one.risk.count:,} bad"
        )


def advise(
    metric: str,
    scores: Sequence[float | None],
    bad: Sequence[bool],
    *,
    higher_is_better: bool = True,
    target: float = 0.05,
    level: float = 0.95,
) -> Advice:
    """The threshold with the greatest coverage whose bound of the risk is at most the target."""
    if len(scores) != len(bad):
        raise ValueError(f"{len(scores)} scores cannot be paired with {len(bad)} labels")
    known = [
        (score if higher_is_better else -score, fault)
        for score, fault in zip(scores, bad, strict=True)
        if score is not None
    ]
    steps = _steps([score for score, _ in known])
    curve = []
    for step in steps:
        faults = [fault for score, fault in known if score >= step]
        risk = Share(sum(faults), len(faults))
        bound = _upper(risk, 1 - (1 - level) / len(steps))
        threshold = step if higher_is_better else -step
        curve.append(Accepting(threshold, Share(len(faults), len(scores)), risk, bound))
    safe = [one for one in curve if one.bound <= target]
    likely = [one for one in curve if (one.risk.value or 0.0) <= target]
    alpha = (1 - level) / max(len(steps), 1)
    return Advice(
        metric,
        higher_is_better,
        tuple(curve),
        safe[-1] if safe else None,
        likely[-1] if likely else None,
        len(bad),
        sum(bad),
        target,
        level,
        math.ceil(math.log(alpha) / math.log1p(-target)),
    )


def _plain(threshold: float) -> str:
    """Not rounded: a text that is just good enough must stay so."""
    return f"{threshold:.6f}".rstrip("0").rstrip(".")


def _steps(scores: Sequence[float]) -> list[float]:
    """The scores that accept a tenth, two tenths, … of the texts; the strictest first."""
    ordered = sorted(scores, reverse=True)
    places = [math.ceil(len(ordered) * step / _STEPS) - 1 for step in range(1, _STEPS + 1)]
    return list(dict.fromkeys(ordered[place] for place in places if place >= 0))


def _upper(share: Share, level: float) -> float:
    """Clopper and Pearson's upper bound, of one side."""
    from scipy.special import betaincinv

    if share.count == share.total:
        return 1.0
    return float(betaincinv(share.count + 1, share.total - share.count, level))
