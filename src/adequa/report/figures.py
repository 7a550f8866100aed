"""Figures of the page: axes, histograms, and numbers as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

BINS = 20
"""Bars of a histogram; no record of the data it was chosen on."""
WIDTH = 120
"""The width of a picture in a table cell."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of an axis, which maps numbers to positions."""

    low: float
    high: float

    def place(self, value: float, width: float = WIDTH) -> float:
        """The position of a number, from 0 to `width`."""
        share = (value - self.low) / (self.high - self.low)
        return round(width * min(1.0, max(0.0, share)), 1)


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of scores, one bar per bin."""

    counts: tuple[int, ...]
    edges: tuple[float, float]
    median: float

    @property
    def heights(self) -> tuple[float, ...]:
        """The heights of the bars; square roots keep bins with few texts visible."""
        most = max(self.counts)
        return tuple(round(math.sqrt(count / most), 3) for count in self.counts)


def axis(values: Iterable[float | None]) -> Axis:
    """An axis that covers all values, with a margin."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.5
    return Axis(low - margin, high + margin)


def range_of(entry: Mapping[str, Any], values: Iterable[Sequence[float]]) -> tuple[float, float]:
    """From a metric's worst to its best value, or the range of the scores if it has none."""
    ends = [entry.get("worst"), entry.get("best")]
    known = [float(end) for end in ends if isinstance(end, (int, float))]
    seen = [one for some in values if len(some) for one in (min(some), max(some))]
    low, high = min([*known, *seen], default=0.0), max([*known, *seen], default=1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def histogram(values: Sequence[float], ends: tuple[float, float]) -> Histogram | None:
    """The histogram of a system's scores; None without scores."""
    if not len(values):
        return None
    scores = np.asarray(values, dtype=np.float64)
    counts, _ = np.histogram(scores, bins=BINS, range=ends)
    return Histogram(tuple(int(count) for count in counts), ends, float(np.median(scores)))


def digits_for(values: Iterable[float | None]) -> int:
    """Three decimals for values between 0 and 1, one for values up to 100."""
    return 3 if max((abs(value) for value in values if value is not None), default=0) <= 1.5 else 1


def written(value: float | None, digits: int) -> str:
    """A number as text; a dash for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int) -> str:
    """A difference as text; one that rounds to zero has no sign.

    >>> signed(-0.25, 2), signed(-0.0001, 2), signed(None, 2)
    ('−0.25', '0.00', '–')
    """
    if value is None or not float(f"{value:.{digits}f}"):
        return "–" if value is None else f"{0:.{digits}f}"
    return f"{value:+.{digits}f}".replace("-", "−")


def percent(part: int, whole: int) -> str:
    """A share as text.

    >>> percent(1, 3), percent(1, 3000), percent(0, 5), percent(1, 0)
    ('33 %', '0.03 %', '0 %', '–')
    """
    if not whole:
        return "–"
    share = 100 * part / whole
    if 0 < share < 0.995 or 99 < share < 100:
        return f"{share:.1g} %" if share < 1 else f"{math.floor(10 * share) / 10:g} %"
    return f"{share:.0f} %"
