"""How two series of numbers go together: Pearson, Spearman and Kendall, each with its p-value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["COEFFICIENTS", "Correlation", "complete_pairs", "kendall", "pearson", "spearman"]

Vector = npt.NDArray[np.float64]

FEWEST_PAIRS = 3
"""Two points always lie on a line, which says nothing."""


class Correlation(NamedTuple):
    """A coefficient from -1 to 1, how likely one as great is by chance, and of how many pairs."""

    value: float
    p: float
    pairs: int


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    """How near the pairs lie to a line.

    None below three pairs, where a side is constant, and where a value is not finite; the same
    holds for the other two.

    >>> round(pearson([1, 2, 3, 4], [2, 4, 6, 8]).value, 9)
    1.0
    """

    def coefficient(one: Vector, other: Vector) -> Any:
        from scipy.stats import pearsonr

        return pearsonr(one, other)

    return _correlation(coefficient, first, second)


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    """Pearson's coefficient of the ranks, equal values sharing their mean rank.

    >>> round(spearman([1, 2, 3, 4], [1, 10, 100, 1000]).value, 9)
    1.0
    """

    def coefficient(one: Vector, other: Vector) -> Any:
        from scipy.stats import spearmanr

        return spearmanr(one, other)

    return _correlation(coefficient, first, second)


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    """Kendall's tau-b: pairs of pairs in the same order less those in the other, ties allowed for.

    >>> round(kendall([1, 2, 3, 4], [1, 2, 4, 3]).value, 3)
    0.667
    """

    def coefficient(one: Vector, other: Vector) -> Any:
        from scipy.stats import kendalltau

        return kendalltau(one, other)

    return _correlation(coefficient, first, second)


COEFFICIENTS: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], Correlation | None]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
"""The three by name."""


def complete_pairs(
    first: Sequence[float | None], second: Sequence[float | None]
) -> tuple[Vector, Vector]:
    """The pairs of which both sides are finite numbers; None is a value that is not there."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values cannot be paired with {len(second)}")
    pairs = [
        (one, other)
        for one, other in zip(first, second, strict=True)
        if one is not None and other is not None and math.isfinite(one) and math.isfinite(other)
    ]
    array = np.asarray(pairs, dtype=np.float64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _correlation(
    coefficient: Callable[[Vector, Vector], Any], first: npt.ArrayLike, second: npt.ArrayLike
) -> Correlation | None:
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"values of shape {one.shape} cannot be paired with {other.shape}")
    if len(one) < FEWEST_PAIRS or _is_constant(one) or _is_constant(other):
        return None
    found = coefficient(_scaled(one), _scaled(other))
    value, p = float(found.statistic), float(found.pvalue)
    # Rounding takes a perfect correlation a hair past one.
    return Correlation(max(-1.0, min(1.0, value)), p, len(one)) if math.isfinite(value) else None


def _is_constant(values: Vector) -> bool:
    """Equal but for rounding, or not all finite: there is no correlation either way."""
    if not np.isfinite(values).all():
        return True
    greatest = np.abs(values).max()
    # Divided first, for the spread of huge values overflows.
    return bool(greatest == 0 or np.ptp(values / greatest) <= 1e-12)


def _scaled(values: Vector) -> Vector:
    """Values of at most one: no coefficient changes, and squares neither overflow nor vanish."""
    scaled: Vector = values / np.abs(values).max()
    return scaled
