"""Means and how far they can be trusted: Student's t over a stream, the bootstrap over an array."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Interval", "Moments"]

Interval = tuple[float, float]


@dataclass(slots=True)
class Moments:
    """Count, mean and spread of a stream of numbers, in constant memory.

    Welford's recurrence, and Chan's for merging: a plain sum of squares loses all digits when the
    mean is large against the spread.

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
        """Take one more number in; what is not finite is a ValueError, for it would spoil all."""
        if not math.isfinite(value):
            raise ValueError(f"{value} has no place in a mean")
        self.count += 1
        distance = value - self._mean
        self._mean += distance / self.count
        self._squares += distance * (value - self._mean)

    def merge(self, other: Moments) -> None:
        """Take in all that another accumulator has seen."""
        if not other.count:
            return
        total = self.count + other.count
        distance = other._mean - self._mean
        self._mean += distance * other.count / total
        self._squares += other._squares + distance * distance * self.count * other.count / total
        self.count = total

    @property
    def mean(self) -> float | None:
        """The arithmetic mean; None of nothing."""
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
        """Student's t interval of the mean; None below two numbers, which say nothing of spread."""
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

    check_level(level)
    return float(stdtrit(freedom, (1 + level) / 2))


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1): a caller's mistake, not a user's."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
