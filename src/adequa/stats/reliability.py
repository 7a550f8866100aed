"""The reliability of probabilities: claimed against true, bin by bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Bin:
    """The cases whose probability lies between two bounds; the means of an empty bin are 0."""

    low: float
    high: float
    count: int
    claimed: float
    """The mean probability."""
    true: float
    """The share of label 1."""


@dataclass(frozen=True)
class Reliability:
    """All bins, with their calibration error and Brier score."""

    bins: Sequence[Bin]
    error: float
    """The expected calibration error: the distance of claimed and true, weighted by count."""
    brier: float
    """The mean squared distance of probability and label."""

    def as_object(self) -> dict[str, Any]:
        """The result as a JSON object."""
        rows = [{name: round(value, 6) for name, value in asdict(one).items()} for one in self.bins]
        return {"error": round(self.error, 6), "brier": round(self.brier, 6), "bins": rows}


def reliability(
    probabilities: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    bins: int = 10,
    shares: npt.ArrayLike | None = None,
) -> Reliability:
    """Bins of equal width; a probability on a bound belongs to the bin above it, 1 to the last.

    `shares` says how much each case counts, 1 unless given; the counts of bins are of cases.

    >>> reliability([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 0], bins=2).error
    0.25
    """
    values = np.asarray(probabilities, dtype=np.float64)
    known = np.asarray(labels, dtype=np.float64)
    if values.shape != known.shape or values.ndim != 1 or not len(values):
        raise ValueError(
            f"{values.shape} probabilities and {known.shape} labels cannot be compared"
        )
    count = np.ones(len(values)) if shares is None else np.asarray(shares, dtype=np.float64)
    bounds = np.linspace(0, 1, bins + 1)
    places = np.clip(np.searchsorted(bounds, values, side="right") - 1, 0, bins - 1)
    edges = [float(round(bound, 6)) for bound in bounds]
    found = []
    error = 0.0
    for number, (low, high) in enumerate(pairwise(edges)):
        inside = places == number
        own = count[inside]
        sides = [
            float(np.average(one[inside], weights=own)) if own.any() else 0.0
            for one in (values, known)
        ]
        found.append(Bin(low, high, int(inside.sum()), *sides))
        error += float(own.sum()) * abs(sides[0] - sides[1])
    brier = float(np.average((values - known) ** 2, weights=count))
    return Reliability(found, error / float(count.sum()), brier)
