"""Significance by resampling, for means and for corpus values alike.

A sample is an array of item values, or a matrix of *sufficient statistics*: one row per item,
additive over items, such as the n-gram counts behind BLEU. An `Aggregate` turns totals, one row per
resample, into values; so a resample costs one row of a matrix product, and no item is scored again.

Two tests of "both systems are equally good", both paired by item, two-sided, and with the
observation itself counted among the trials, so that no p is zero: p = (c + 1) / (n + 1).

- *Paired bootstrap* (Koehn 2004, with the shift of Riezler & Maxwell 2005): items are drawn with
  replacement, the same for both systems. c counts the resamples whose difference is at least as far
  from the mean of all resampled differences as the observed difference is from zero. It assumes
  that the items represent the domain; with a handful of items its p is too small. (sacreBLEU, like
  the Moses script it follows, counts one side only: its p is smaller, down to half.)
- *Approximate randomisation* (Noreen 1989, Riezler & Maxwell 2005): the two outputs of an item are
  swapped with probability one half, as they might be if the systems were the same. c counts the
  trials whose difference is at least as far from zero as the observed one. If there are at most n
  ways of swapping (2^items), each is tried once, and p = c / 2^items is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from adequa.errors import SettingError
from adequa.stats.intervals import Interval, percentile_interval

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Aggregate = Callable[[Matrix], Vector]
"""From totals, one row per resample, to values; NaN where a value is not defined."""

_CHUNK = 1 << 22
"""Numbers held at once for the draws of a chunk of resamples: 32 MB."""


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


def require_draws(
    n: int | None, seed: int, level: float = 0.95, *, what: str = "resamples"
) -> None:
    """Raise a SettingError for an impossible number of draws, seed or confidence level."""
    if n is not None and n < 1:
        raise SettingError(f"the number of {what} must be at least 1, not {n}")
    if seed < 0:
        raise SettingError(f"the seed must not be negative, as {seed} is")
    if not 0 < level < 1:
        raise SettingError(f"the confidence level must lie between 0 and 1 (0.95), not {level}")


def mean_of(items: int) -> Aggregate:
    """The aggregate of plain item values: the total over the number of items."""
    return lambda totals: totals[:, 0] / items


def rowwise(corpus: Callable[[Sequence[float]], float | None]) -> Aggregate:
    """The aggregate of a corpus value that takes one list of totals at a time."""

    def aggregate(totals: Matrix) -> Vector:
        values = map(corpus, totals.tolist())
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return aggregate


def bootstrap_totals(statistics: Matrix, *, n: int, seed: int) -> Matrix:
    """The totals of `n` resamples of the rows, drawn with replacement, one row per resample.

    The draws depend only on the number of rows, n and the seed: matrices with equally many rows are
    resampled alike and thereby paired, so columns of several systems may be side by side.
    """
    items = len(statistics)
    generator = np.random.default_rng(seed)

    def counts() -> Iterator[Matrix]:
        for size in _chunks(n, items):
            yield draw_counts(generator, size, items)

    return _products(counts(), statistics, n)


def draw_counts(generator: np.random.Generator, rows: int, count: int) -> Matrix:
    """How often each of `count` things is drawn with replacement, in each of some resamples."""
    drawn = generator.integers(0, count, size=(rows, count))
    drawn += np.arange(rows)[:, None] * count
    counted = np.bincount(drawn.ravel(), minlength=rows * count)
    return counted.reshape(rows, count).astype(np.float64)


def swapped_totals(differences: Matrix, *, n: int, seed: int) -> Matrix:
    """The sum of a random half of the rows, `n` times, or of each subset if there are fewer.

    The rows are first minus second: a trial takes the sum from the first's totals and adds it to
    the second's. The draws depend only on the number of rows, n and the seed.
    """
    items = len(differences)
    every = _is_enumerable(items, n)
    trials = 2**items if every else n
    generator = np.random.default_rng(seed)

    def masks() -> Iterator[Matrix]:
        start = 0
        for size in _chunks(trials, items):
            if every:
                subsets = np.arange(start, start + size, dtype=np.int64)[:, None]
                mask: npt.NDArray[np.integer] = (subsets >> np.arange(items)) & 1
            else:
                mask = _coins(generator, size, items)
            yield mask.astype(np.float64)
            start += size

    return _products(masks(), differences, trials)


def bootstrap_p(resampled: Vector, observed: float) -> float | None:
    """The p of an observed difference among the resampled ones, shifted to a mean of zero."""
    defined = resampled[np.isfinite(resampled)]
    if not len(defined):
        return None
    return _p(defined - defined.mean(), observed, exact=False)


def randomisation_p(swapped: Vector, observed: float, *, items: int, n: int) -> float | None:
    """The p of an observed difference among those of `n` randomly swapped trials."""
    defined = swapped[np.isfinite(swapped)]
    if not len(defined):
        return None
    return _p(defined, observed, exact=_is_enumerable(items, n))


def win_share(differences: Vector) -> float | None:
    """The share of differences above zero, a tie counting half; None without differences."""
    defined = differences[np.isfinite(differences)]
    return float((np.sign(defined).mean() + 1) / 2) if len(defined) else None


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


def _coins(generator: np.random.Generator, rows: int, columns: int) -> npt.NDArray[np.integer]:
    """Zeros and ones from single random bits, ten times as fast as the generator's integers."""
    width = 4 * -(-columns // 32)  # the generator gives four bytes at a time
    drawn = np.frombuffer(generator.bytes(rows * width), dtype=np.uint8)
    return np.unpackbits(drawn.reshape(rows, width), axis=1, count=columns)


def _is_enumerable(items: int, n: int) -> bool:
    return items < 63 and 2**items <= n


def _chunks(n: int, items: int) -> Iterator[int]:
    size = max(1, _CHUNK // max(1, items))
    for start in range(0, n, size):
        yield min(size, n - start)


def _products(weights: Iterator[Matrix], statistics: Matrix, n: int) -> Matrix:
    totals = np.empty((n, statistics.shape[1]))
    row = 0
    for chunk in weights:
        totals[row : row + len(chunk)] = chunk @ statistics
        row += len(chunk)
    return totals


def _p(differences: Vector, observed: float, *, exact: bool) -> float:
    distances = np.abs(differences)
    # Sums in another order differ in their last digits, and ties must remain ties.
    slack = 1e-10 * max(float(distances.max()), abs(observed))
    count = int((distances >= abs(observed) - slack).sum())
    return count / len(distances) if exact else (count + 1) / (len(distances) + 1)
