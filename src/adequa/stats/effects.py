"""Effect sizes: how large a difference between two samples is, independent of their size."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


def paired_d(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Cohen's d_z: the mean of the paired differences in their own standard deviations.

    None below two pairs, and where all differences are equal, so that they have no spread.
    """
    differences = _pairs(first, second)
    if len(differences) < 2:
        return None
    return _ratio(float(differences.mean()), _deviation(differences))


def cliffs_delta(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """The share of pairs in which the first sample is above the second, minus those below.

    Over all n × m pairs of values, from -1 to 1 (Cliff 1993); None if a sample is empty.
    """
    one, other = _vector(first), np.sort(_vector(second))
    if not len(one) or not len(other):
        return None
    below = np.searchsorted(other, one, side="left").sum()
    not_above = np.searchsorted(other, one, side="right").sum()
    # below counts other < one; n·m - not_above counts other > one.
    return float(int(below) + int(not_above) - len(one) * len(other)) / (len(one) * len(other))


def superiority(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """The chance that a value of the first sample is above one of the second; a tie counts half."""
    delta = cliffs_delta(first, second)
    return None if delta is None else (delta + 1) / 2


def area_under_curve(labels: npt.ArrayLike, scores: npt.ArrayLike) -> float | None:
    """The area under the ROC curve: the chance that a score of label 1 is above one of label 0.

    A tie counts half; None unless both labels occur.

    >>> area_under_curve([0, 1, 1], [0.1, 0.1, 0.7])
    0.75
    """
    positive, values = np.asarray(labels) == 1, _vector(scores)
    return superiority(values[positive], values[~positive])


def resampled_areas(labels: npt.ArrayLike, scores: npt.ArrayLike, counts: Matrix) -> Vector:
    """The area under the ROC curve in each resample; NaN where a label does not occur.

    `counts` says how often each item is drawn, one row per resample.
    """
    positive, values = np.asarray(labels) == 1, _vector(scores)
    areas: Vector = np.full(len(counts), np.nan)
    if not len(values):
        return areas
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=np.nan) != 0)
    drawn = counts[:, order]
    ones = np.add.reduceat(drawn * positive[order], starts, axis=1)
    zeros = np.add.reduceat(drawn * ~positive[order], starts, axis=1)
    # Per score: the zeros below it, and half of those that tie with it.
    above = np.einsum("ij,ij->i", ones, np.cumsum(zeros, axis=1) - zeros / 2)
    pairs = ones.sum(axis=1) * zeros.sum(axis=1)
    np.divide(above, pairs, out=areas, where=pairs > 0)
    return areas


def magnitude_of_d(effect: float | None) -> str | None:
    """The customary word for a Cohen's d (Cohen 1988: 0.2, 0.5, 0.8)."""
    if effect is None:
        return None
    words = ("negligible", "small", "medium", "large")
    return words[sum(abs(effect) >= bound for bound in (0.2, 0.5, 0.8))]


def _vector(values: npt.ArrayLike) -> Vector:
    return np.asarray(values, dtype=np.float64)


def _pairs(first: npt.ArrayLike, second: npt.ArrayLike) -> Vector:
    one, other = _vector(first), _vector(second)
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} values cannot be paired with {len(other)}")
    return one - other


def _deviation(values: Vector) -> float:
    # Rounding gives equal numbers a spread of about 1e-17, and thus a huge effect size.
    if np.ptp(values) <= 1e-12 * np.abs(values).max():
        return 0.0
    return float(values.std(ddof=1))


def _ratio(difference: float, unit: float) -> float | None:
    if unit == 0:
        return None
    effect = difference / unit
    return effect if math.isfinite(effect) else None
