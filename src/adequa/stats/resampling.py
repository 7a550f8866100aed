"""How certain a value or a difference is: intervals and tests, for means and corpus values alike.

Student's t interval is that of a stream or an array, Wilson's that of a share; the others and the
tests resample.

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

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from adequa.errors import SettingError

Interval = tuple[float, float]
Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Aggregate = Callable[[Matrix], Vector]
"""From totals, one row per resample, to values; NaN where a value is not defined."""

_CHUNK = 1 << 22
"""Numbers held at once for the draws of a chunk of resamples: 32 MB."""


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


def bootstrap_interval(
    sample: npt.ArrayLike,
    aggregate: Aggregate | None = None,
    *,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval | None:
    """The percentile interval of a sample's mean or corpus value; None below two items."""
    statistics = np.asarray(sample, dtype=np.float64)
    statistics = statistics[:, None] if statistics.ndim == 1 else statistics
    items = len(statistics)
    if items < 2:
        return None
    value = mean_of(items) if aggregate is None else aggregate
    return percentile_interval(value(bootstrap_totals(statistics, n=n, seed=seed)), level)


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
