"""The paired tests of two samples, one call each: what `compare` does for many systems at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from adequa.stats import (
    Aggregate,
    Interval,
    bootstrap_p,
    bootstrap_totals,
    mean_of,
    percentile_interval,
    randomisation_p,
    swapped_totals,
    win_share,
)

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two samples, paired by item: their values, the difference and the result of a test.

    Undefined values are None: all values without items, interval and p with one item.
    """

    items: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None = None
    """Of the difference, from the bootstrap."""
    wins: float | None = None
    """The share of resamples in which the first is above the second, a tie counting half."""
    p: float | None = None


def paired_bootstrap(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    aggregate: Aggregate | None = None,
    *,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> PairedTest:
    """Compare two samples by the paired bootstrap; without an aggregate, their means."""
    one, other, aggregate, seen = _observe(first, second, aggregate, n)
    if seen.difference is None or seen.items < 2:
        return seen
    resampled = aggregate(bootstrap_totals(one, n=n, seed=seed))
    resampled = resampled - aggregate(bootstrap_totals(other, n=n, seed=seed))
    p = bootstrap_p(resampled, seen.difference)
    interval = percentile_interval(resampled, level)
    return replace(seen, interval=interval, wins=win_share(resampled), p=p)


def approximate_randomisation(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    aggregate: Aggregate | None = None,
    *,
    n: int = 10_000,
    seed: int = 0,
) -> PairedTest:
    """Compare two samples by approximate randomisation; without an aggregate, their means."""
    one, other, aggregate, seen = _observe(first, second, aggregate, n)
    if seen.difference is None or seen.items < 2:
        return seen
    swapped = swapped_totals(one - other, n=n, seed=seed)
    differences = aggregate(one.sum(axis=0) - swapped) - aggregate(other.sum(axis=0) + swapped)
    p = randomisation_p(differences, seen.difference, items=seen.items, n=n)
    return replace(seen, p=p)


def _observe(
    first: npt.ArrayLike, second: npt.ArrayLike, aggregate: Aggregate | None, n: int
) -> tuple[Matrix, Matrix, Aggregate, PairedTest]:
    one = np.asarray(first, dtype=np.float64)
    other = np.asarray(second, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError(f"samples of shape {one.shape} and {other.shape} are not paired")
    if n < 1:
        raise ValueError(f"the number of trials is at least 1, not {n}")
    if one.ndim == 1:
        one, other = one[:, None], other[:, None]
    items = len(one)
    if aggregate is None:
        if one.shape[1] != 1:
            raise ValueError("statistics of several columns need an aggregate")
        aggregate = mean_of(items)
    if not items:
        return one, other, aggregate, PairedTest(0, None, None, None)
    totals = np.vstack([one.sum(axis=0), other.sum(axis=0)])
    left, right = (float(value) if np.isfinite(value) else None for value in aggregate(totals))
    difference = None if left is None or right is None else left - right
    return one, other, aggregate, PairedTest(items, left, right, difference)
