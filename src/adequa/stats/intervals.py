"""Confidence intervals: Student's t of a stream or an array, bootstrap, Wilson's of a share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from adequa.stats.resampling import Aggregate

Interval = tuple[float, float]
Vector = npt.NDArray[np.float64]


@dataclass(slots=True)
class Moments:
    """Count, mean and spread of a stream of numbers, in constant memory.

    Welford's recurrence, and Chan's for merging: a plain sum of squares loses its digits if the
    mean is much larger than the spread.

    >>> moments = Moments.of([1.0, 2.0, 3.0])
    >>> moments.count, moments.mean
    (3, 2.0)
    """

    count: int = 0
    _mean: float = 0.0
    _squares: float = 0.0
    """The sum of squared distances from the mean."""

    @classmethod
    def of(cls, values: Iterable[float]) -> Moments:
        """The moments of some numbers."""
        moments = cls()
        for value in values:
            moments.add(value)
        return moments

    def add(self, value: float) -> None:
        """Add a number; one that is not finite is a ValueError."""
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        self.count += 1
        distance = value - self._mean
        self._mean += distance / self.count
        self._squares += distance * (value - self._mean)

    def merge(self, other: Moments) -> None:
        """Add all numbers of another accumulator."""
        if not other.count:
            return
        total = self.count + other.count
        distance = other._mean - self._mean
        self._mean += distance * other.count / total
        self._squares += other._squares + distance * distance * self.count * other.count / total
        self.count = total

    @property
    def mean(self) -> float | None:
        """The arithmetic mean; None without numbers."""
        return self._mean if self.count else None

    @property
    def variance(self) -> float | None:
        """The sample variance (n - 1 in the denominator); None below two numbers."""
        return self._squares / (self.count - 1) if self.count > 1 else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None below two numbers."""
        variance = self.variance
        return None if variance is None else math.sqrt(variance)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Student's t interval of the mean; None below two numbers, which have no spread."""
        deviation = self.deviation
        if deviation is None:
            return None
        half = student_quantile(self.count - 1, level) * deviation / math.sqrt(self.count)
        if not math.isfinite(half):
            return None
        return self._mean - half, self._mean + half


def student_quantile(freedom: int, level: float) -> float:
    """The t that encloses `level` of Student's distribution between -t and t."""
    # scipy.special, not scipy.stats: the same number at a tenth of the import time.
    from scipy.special import stdtrit

    require_level(level)
    return float(stdtrit(freedom, (1 + level) / 2))


def require_level(level: float) -> None:
    """Raise a ValueError for a confidence level outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")


def student_interval(values: npt.ArrayLike, level: float = 0.95) -> Interval | None:
    """Student's t interval of a mean; None below two values. `Moments` gives it for a stream."""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return None
    mean = float(sample.mean())
    half = student_quantile(len(sample) - 1, level) * float(sample.std(ddof=1)) / len(sample) ** 0.5
    return (mean - half, mean + half) if np.isfinite(half) else None


def percentile_interval(replicates: Vector, level: float = 0.95) -> Interval | None:
    """The middle `level` of the replicates; None if none is defined."""
    require_level(level)
    return _quantiles(replicates, (1 - level) / 2, (1 + level) / 2)


def bca_interval(
    replicates: Vector, observed: float, jackknife: Vector, level: float = 0.95
) -> Interval | None:
    """The bias-corrected and accelerated interval of Efron (1987).

    `jackknife` has the value without each item in turn: their skewness is the acceleration.
    """
    require_level(level)
    defined = replicates[np.isfinite(replicates)]
    if not len(defined) or not np.isfinite(jackknife).all():
        return None
    normal = NormalDist()
    share = ((defined < observed).mean() + (defined <= observed).mean()) / 2
    # At least half a replicate is assumed on either side, so that the quantile stays finite.
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


def wilson_interval(count: int, total: int, level: float = 0.95) -> Interval | None:
    """Wilson's score interval (1927) of `count` out of `total`; None if the total is 0.

    Unlike the mean plus or minus some deviations it is never empty, not even for 0 out of 5.

    >>> low, high = wilson_interval(0, 20)
    >>> low, round(high, 3)
    (0.0, 0.161)
    """
    require_level(level)
    if not 0 <= count <= total:
        raise ValueError(f"{count} out of {total} is not a share")
    if not total:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    low = 0.0 if count == 0 else (middle - half) / scale
    high = 1.0 if count == total else (middle + half) / scale
    return low, high
