"""The scale of a criterion, and its values as labels for what compares labels alone.

MACE, the kappas, nominal alpha and patterns know only whether two answers are equal. On a scale of
a few points the values themselves are the labels. On a slider two people hardly ever give the same
number, so its range is cut into equal bins, and a value's label is the middle of its bin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adequa.errors import DataError, SettingError

__all__ = ["BINS", "MOST_LABELS", "Scale"]

BINS = 5
MOST_LABELS = 10
"""A criterion with more different values than this is a slider."""
_LARGEST = 1e100
"""Squares of what is larger are infinite."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and highest value given, and how many bins they are cut into; 0 is none.

    >>> slider = Scale.of(range(101), bins=5)
    >>> slider.label(0), slider.label(20), slider.label(100)
    ('10', '30', '90')
    >>> Scale.of([1, 2, 3, 2]).label(2.0)
    '2'
    """

    low: float
    high: float
    bins: int = 0

    @classmethod
    def of(cls, values: Iterable[float], *, bins: int = BINS) -> Scale:
        """The scale on which these values were given."""
        if bins < 2:
            raise SettingError("a slider is cut into at least two bins; below that all is equal")
        different = set(values)
        if any(abs(value) > _LARGEST for value in different):
            raise DataError(
                f"the value {max(different, key=abs):g} is on no scale that people are asked for",
                remedy="correct it, or leave it out",
            )
        slides = len(different) > MOST_LABELS
        return cls(min(different), max(different), bins if slides else 0)

    @property
    def step(self) -> float:
        """How wide a bin is; 0 where values are labels."""
        return (self.high - self.low) / self.bins if self.bins else 0.0

    def label(self, value: float) -> str:
        """The value, or the middle of its bin; what lies outside belongs to the outermost bin."""
        if not self.bins:
            return f"{value:.6g}"
        place = min(max(int((value - self.low) / self.step), 0), self.bins - 1)
        return f"{self.low + (place + 0.5) * self.step:.6g}"

    def same(self, one: float, other: float) -> bool:
        """Whether two values are equal, or on a slider no further apart than a bin is wide."""
        return abs(one - other) <= self.step
