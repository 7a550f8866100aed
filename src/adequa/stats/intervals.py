"""Confidence intervals: Student's t of a stream or an array, bootstrap, Wilson's of a share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from adequa.stats.resampling import Aggregate

Interval = tuple[float, float]
Vector = npt.NDArray[np.float64]


@dataclass(slots=True)
class ExactSum:
    """A sum without rounding, so that it does not depend on the order or on how it was divided.

    >>> ExactSum.of([0.1] * 10).value, sum([0.1] * 10)
    (1.0, 0.9999999999999999)
    """

    units: int = 0
    bits: int = 0
    """The sum is `units` / 2 ** `bits`."""

    @classmethod
    def of(cls, values: Iterable[float]) -> ExactSum:
        """The sum of some numbers."""
        total = cls()
        for value in values:
            total.add(value)
        return total

    def add(self, value: float) -> None:
        """Add a number; one that is not finite is a ValueError or an OverflowError."""
        units, denominator = value.as_integer_ratio()  # of a float, a power of two
        self.add_units(units, denominator.bit_length() - 1)

    def add_units(self, units: int, bits: int) -> None:
        """Add `units` / 2 ** `bits`."""
        if bits > self.bits:
            self.units <<= bits - self.bits
            self.bits = bits
        self.units += units << (self.bits - bits)

    @property
    def value(self) -> float:
        """The nearest number; an integer if only integers were added."""
        return self.units / (1 << self.bits) if self.bits else self.units


@dataclass(slots=True)
class Moments:
    """Count, mean and spread of a stream of numbers, in constant memory.

    Sums are exact: no digit is lost if the mean is much larger than the spread, and merged moments
    are those of the whole.

    >>> moments = Moments.of([1.0, 2.0, 3.0])
    >>> moments.count, moments.mean
    (3, 2.0)
    """

    count: int = 0
    total: ExactSum = field(default_factory=ExactSum)
    squares: ExactSum = field(default_factory=ExactSum)

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
        units, denominator = value.as_integer_ratio()
        bits = denominator.bit_length() - 1
        self.total.add_units(units, bits)
        self.squares.add_units(units * units, 2 * bits)

    def merge(self, other: Moments) -> None:
        """Add all numbers of another accumulator."""
        self.count += other.count
        self.total.add_units(other.total.units, other.total.bits)
        self.squares.add_units(other.squares.units, other.squares.bits)

    @property
    def mean(self) -> float | None:
        """The arithmetic mean; None without numbers."""
        return self.total.units / (self.count << self.total.bits) if self.count else None

    @property
    def variance(self) -> float | None:
        """The sample variance (n - 1 in the denominator); None below two numbers."""
        if self.count < 2:
            return None
        total, squares = self.total, self.squares  # with twice the bits of the total, or fewer
        bits = 2 * total.bits
        distances = self.count * (squares.units << (bits - squares.bits)) - total.units**2
        try:
            return distances / ((self.count * (self.count - 1)) << bits)
        except OverflowError:
            return math.inf

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None below two numbers."""
        variance = self.variance
        return None if variance is None else math.sqrt(variance)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Student's t interval of the mean; None below two numbers, which have no spread."""
        deviation, mean = self.deviation, self.mean
        if deviation is None or mean is None:
            return None
        half = student_quantile(self.count - 1, level) * deviation / math.sqrt(self.count)
        if not math.isfinite(half):
            return None
        return mean - half, mean + half


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


def bounded(interval: Interval | None, scale: Interval) -> Interval | None:
    """The part of an interval that lies on the scale: no mean of scores can be beyond it.

    >>> bounded((-0.218, 2.04), (0.0, 1.0))
    (0.0, 1.0)
    """
    if interval is None:
        return None
    low, high = scale
    return min(max(interval[0], low), high), max(min(interval[1], high), low)


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
