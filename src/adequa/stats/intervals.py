"""Confidence intervals of arrays: Student's t, and the bootstrap."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from adequa.stats.means import Interval, check_level, student_quantile

if TYPE_CHECKING:
    from adequa.stats.resampling import Aggregate

__all__ = ["bca_interval", "bootstrap_interval", "percentile_interval", "student_interval"]

Vector = npt.NDArray[np.float64]


def student_interval(values: npt.ArrayLike, level: float = 0.95) -> Interval | None:
    """Student's t interval of a mean; None below two values. `Moments` gives it for a stream."""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return None
    mean = float(sample.mean())
    half = student_quantile(len(sample) - 1, level) * float(sample.std(ddof=1)) / len(sample) ** 0.5
    return (mean - half, mean + half) if np.isfinite(half) else None


def percentile_interval(replicates: Vector, level: float = 0.95) -> Interval | None:
    """The middle `level` of the replicates; None where none is defined."""
    check_level(level)
    return _quantiles(replicates, (1 - level) / 2, (1 + level) / 2)


def bca_interval(
    replicates: Vector, observed: float, jackknife: Vector, level: float = 0.95
) -> Interval | None:
    """The bias-corrected and accelerated interval of Efron (1987).

    `jackknife` has the value without each item in turn: their skewness is the acceleration.
    """
    check_level(level)
    defined = replicates[np.isfinite(replicates)]
    if not len(defined) or not np.isfinite(jackknife).all():
        return None
    normal = NormalDist()
    share = ((defined < observed).mean() + (defined <= observed).mean()) / 2
    # A replicate can always fall on the other side: half of one stands for it.
    bias = normal.inv_cdf(min(max(float(share), 0.5 / len(defined)), 1 - 0.5 / len(defined)))
    distances = jackknife.mean() - jackknife
    spread = float((distances**2).sum())
    acceleration = float((distances**3).sum()) / (6 * spread**1.5) if spread else 0.0

    def corrected(probability: float) -> float:
        z = bias + normal.inv_cdf(probability)
        return normal.cdf(bias + z / (1 - acceleration * z))

    return _quantiles(defined, corrected((1 - level) / 2), corrected((1 + level) / 2))


def bootstrap_interval(
    sample: npt.ArrayLike,
    aggregate: Aggregate | None = None,
    *,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    method: Literal["percentile", "bca"] = "percentile",
) -> Interval | None:
    """The interval of a sample's mean or corpus value; None below two items."""
    from adequa.stats.resampling import bootstrap_totals, mean_of

    statistics = np.asarray(sample, dtype=np.float64)
    statistics = statistics[:, None] if statistics.ndim == 1 else statistics
    items = len(statistics)
    if items < 2:
        return None
    value = mean_of(items) if aggregate is None else aggregate
    replicates = value(bootstrap_totals(statistics, n=n, seed=seed))
    if method == "percentile":
        return percentile_interval(replicates, level)
    total = statistics.sum(axis=0)
    without = mean_of(items - 1) if aggregate is None else aggregate
    observed = float(value(total[None])[0])
    return bca_interval(replicates, observed, without(total - statistics), level)


def _quantiles(replicates: Vector, low: float, high: float) -> Interval | None:
    defined = replicates[np.isfinite(replicates)]
    if not len(defined):
        return None
    ends = np.quantile(defined, [low, high])
    return float(ends[0]), float(ends[1])
