"""Intervals of correlations by the bootstrap of clusters: texts on one graph are drawn together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "cluster_counts",
    "cluster_draws",
    "resampled_correlations",
    "resampled_kendall",
    "resampled_pearson",
]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

_ROUNDING, _ROUNDED_AWAY = 1e-24, 1e-13
_BLOCK = 2_000_000
"""So many pairs of items are looked at together."""


def cluster_counts(clusters: Sequence[Hashable], *, n: int, seed: int) -> Matrix:
    """How often each item is drawn in each of `n` resamples of the clusters, a row a resample.

    The draws depend on clusters, n and seed alone: measures resampled by the same matrix are
    paired.
    """
    numbers: dict[Hashable, int] = {}
    places = np.array([numbers.setdefault(one, len(numbers)) for one in clusters], dtype=np.int64)
    return cluster_draws(len(numbers), n=n, seed=seed)[:, places]


def cluster_draws(count: int, *, n: int, seed: int) -> Matrix:
    """How often each of `count` clusters is drawn in each of `n` resamples, a row a resample."""
    if not count:
        return np.zeros((n, 0))
    drawn = np.random.default_rng(seed).integers(0, count, size=(n, count))
    drawn += np.arange(n)[:, None] * count
    counted = np.bincount(drawn.ravel(), minlength=n * count).reshape(n, count)
    return counted.astype(np.float64)


def resampled_correlations(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    counts: Matrix,
    coefficient: Literal["pearson", "spearman"],
) -> Vector:
    """The coefficient in each resample, ranks taken anew; NaN where a side is constant."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if coefficient == "pearson":
        return _weighted(one - one.mean(), other - other.mean(), counts)
    return _weighted(_ranks(one, counts), _ranks(other, counts), counts)


def resampled_pearson(
    first: npt.ArrayLike, second: npt.ArrayLike, places: Codes, draws: Matrix
) -> Vector:
    """Pearson's coefficient in each resample, from sums by cluster; NaN where a side is constant.

    `places` has the cluster of each item, `draws` how often each cluster is drawn.
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    one, other = (side - side.mean() for side in sides)
    one, other = (side / (np.abs(side).max() or 1.0) for side in (one, other))
    columns = (np.ones(len(one)), one, other, one**2, other**2, one * other)
    sums = np.array([np.bincount(places, column, draws.shape[1]) for column in columns])
    count, ones, others, squares, squares_too, products = sums @ draws.T
    found: Vector = np.full(len(draws), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        varied = squares - ones**2 / count
        varied_too = squares_too - others**2 / count
        together = products - ones * others / count
        # What is left of equal values is rounding.
        defined = (varied > _ROUNDED_AWAY * count) & (varied_too > _ROUNDED_AWAY * count)
        np.divide(together, np.sqrt(varied * varied_too), out=found, where=defined)
    return np.clip(found, -1, 1)


def resampled_kendall(
    first: npt.ArrayLike, second: npt.ArrayLike, places: Codes, draws: Matrix
) -> Vector:
    """Kendall's tau-b in each resample; NaN where a side is constant.

    `places` has the cluster of each item, `draws` how often each cluster is drawn. Pairs of items
    are counted once by their two clusters; a resample only weighs the counts, for copies of an item
    are tied with each other.
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    count = draws.shape[1]
    members = np.eye(count)[places]
    agreeing, varied, varied_too = (np.zeros((count, count)) for _ in range(3))
    rows = max(1, _BLOCK // max(1, len(one)))
    for start in range(0, len(one), rows):
        block = slice(start, start + rows)
        ups = np.sign(one[block, None] - one[None, :])
        ups_too = np.sign(other[block, None] - other[None, :])
        for total, signs in (
            (agreeing, ups * ups_too),
            (varied, np.abs(ups)),
            (varied_too, np.abs(ups_too)),
        ):
            total += members[block].T @ (signs @ members)
    sums = [((draws @ total) * draws).sum(axis=1) for total in (agreeing, varied, varied_too)]
    found: Vector = np.full(len(draws), np.nan)
    np.divide(sums[0], np.sqrt(sums[1] * sums[2]), out=found, where=(sums[1] > 0) & (sums[2] > 0))
    return found


def _ranks(values: Vector, counts: Matrix) -> Matrix:
    """Mean ranks of the values in each resample, where a value stands as often as it was drawn."""
    unique, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(unique)))
    weights = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks: Matrix = (np.cumsum(weights, axis=1) - weights / 2)[:, group]
    return ranks


def _weighted(first: Matrix, second: Matrix, counts: Matrix) -> Vector:
    total = counts.sum(axis=1)
    one, other = (
        side - (np.einsum("ij,ij->i", counts, np.broadcast_to(side, counts.shape)) / total)[:, None]
        for side in (first, second)
    )
    together = np.einsum("ij,ij,ij->i", counts, one, other)
    squares = [np.einsum("ij,ij,ij->i", counts, side, side) for side in (one, other)]
    # Equal but for rounding is constant.
    least = [_ROUNDING * total * np.square(np.abs(side).max()) for side in (first, second)]
    found: Vector = np.full(len(counts), np.nan)
    varied = (squares[0] > least[0]) & (squares[1] > least[1])
    np.divide(together, np.sqrt(squares[0] * squares[1]), out=found, where=varied)
    return found
