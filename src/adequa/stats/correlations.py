"""Correlations of two series of numbers, their resamples and tests, and pairwise accuracy.

Pearson, Spearman and Kendall come from SciPy, each with its p-value. The versions for many rows at
once are our own: SciPy has none, and permutations and resamples need thousands of coefficients.
Texts on one graph are resampled together (the bootstrap of clusters). Williams' test and PERM-BOTH
compare two measures by their correlation with a third; pairwise accuracy is the share of pairs of
texts or systems that a metric and people order alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.errors import require_known
from adequa.stats.resampling import draw_counts

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

FEWEST_PAIRS = 3
"""Two points always lie on a line, so their correlation is meaningless."""


class Correlation(NamedTuple):
    """A coefficient from -1 to 1, its p-value, and the number of pairs."""

    value: float
    p: float
    pairs: int


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    """Pearson's coefficient: how close the pairs are to a line.

    None below three pairs, where a side is constant, and where a value is not finite; the same
    holds for the other two.

    >>> round(pearson([1, 2, 3, 4], [2, 4, 6, 8]).value, 9)
    1.0
    """
    return _correlation("pearsonr", first, second)


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    """Pearson's coefficient of the ranks, equal values sharing their mean rank.

    >>> round(spearman([1, 2, 3, 4], [1, 10, 100, 1000]).value, 9)
    1.0
    """
    return _correlation("spearmanr", first, second)


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    """Kendall's tau-b, which allows for ties.

    >>> round(kendall([1, 2, 3, 4], [1, 2, 4, 3]).value, 3)
    0.667
    """
    return _correlation("kendalltau", first, second)


COEFFICIENTS: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], Correlation | None]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
"""The three by name."""


def complete_pairs(
    first: Sequence[float | None], second: Sequence[float | None]
) -> tuple[Vector, Vector]:
    """The pairs of which both sides are finite numbers; None is a missing value."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values cannot be paired with {len(second)}")
    pairs = [
        (one, other)
        for one, other in zip(first, second, strict=True)
        if one is not None and other is not None and math.isfinite(one) and math.isfinite(other)
    ]
    array = np.asarray(pairs, dtype=np.float64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _correlation(function: str, first: npt.ArrayLike, second: npt.ArrayLike) -> Correlation | None:
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"values of shape {one.shape} cannot be paired with {other.shape}")
    if len(one) < FEWEST_PAIRS or _is_constant(one) or _is_constant(other):
        return None
    import scipy.stats

    # Values of at most one: no coefficient changes, and squares neither overflow nor vanish.
    one, other = one / np.abs(one).max(), other / np.abs(other).max()
    found = getattr(scipy.stats, function)(one, other)
    value, p = float(found.statistic), float(found.pvalue)
    # Rounding can take a perfect correlation slightly beyond one.
    return Correlation(max(-1.0, min(1.0, value)), p, len(one)) if math.isfinite(value) else None


def _is_constant(values: Vector) -> bool:
    """Whether there is no correlation: values equal up to rounding, or not all finite."""
    if not np.isfinite(values).all():
        return True
    greatest = np.abs(values).max()
    # Divided first, because the spread of huge values overflows.
    return bool(greatest == 0 or np.ptp(values / greatest) <= 1e-12)


_ROUNDING = 1e-24
"""Squares below this share of the largest are rounding errors of doubles (1e-12 squared)."""
_SHORT_ROWS = 60
"""Up to this many columns all pairs are compared at once; longer rows go to SciPy one by one."""


def rowwise_correlations(first: npt.ArrayLike, second: npt.ArrayLike, coefficient: str) -> Vector:
    """The coefficient of each row of one with the same row of the other; one row may serve all.

    NaN where `COEFFICIENTS` has None: below three columns, and where a row is constant or has a
    value that is not finite.
    """
    require_known("coefficient", [coefficient], COEFFICIENTS)
    one, other = (np.atleast_2d(np.asarray(side, dtype=np.float64)) for side in (first, second))
    if one.shape[1] != other.shape[1] or (
        len(one) != len(other) and 1 not in (len(one), len(other))
    ):
        raise ValueError(f"rows of shape {one.shape} cannot be paired with {other.shape}")
    count = max(len(one), len(other))
    if one.shape[1] < FEWEST_PAIRS:
        return np.full(count, np.nan)
    usable = np.broadcast_to(_usable(one) & _usable(other), count)
    one, other = (np.where(np.isfinite(side), side, 0.0) for side in (one, other))
    if coefficient == "kendall":
        found = _kendall(one, other, count)
    elif coefficient == "spearman":
        from scipy.stats import rankdata

        found = _pearson(rankdata(one, axis=1), rankdata(other, axis=1))
    else:
        found = _pearson(one, other)
    return np.where(usable, np.clip(found, -1, 1), np.nan)


def _usable(rows: Matrix) -> npt.NDArray[np.bool_]:
    with np.errstate(invalid="ignore", over="ignore"):
        spread = np.ptp(rows, axis=1)
        greatest = np.abs(rows).max(axis=1)
        usable: npt.NDArray[np.bool_] = np.isfinite(rows).all(axis=1) & (spread > 1e-12 * greatest)
    return usable


def _pearson(one: Matrix, other: Matrix) -> Vector:
    one, other = (side - side.mean(axis=1, keepdims=True) for side in (one, other))
    one, other = (
        side / np.maximum(np.abs(side).max(axis=1, keepdims=True), 1e-300) for side in (one, other)
    )
    together = np.einsum("ij,ij->i", *np.broadcast_arrays(one, other))
    squares = (one**2).sum(axis=1) * (other**2).sum(axis=1)
    found: Vector = together / np.sqrt(np.maximum(squares, _ROUNDING))
    return found


def _kendall(one: Matrix, other: Matrix, count: int) -> Vector:
    columns = one.shape[1]
    if columns > _SHORT_ROWS:
        rows = [np.broadcast_to(side, (count, columns)) for side in (one, other)]
        each = (kendall(*pair) for pair in zip(*rows, strict=True))
        return np.array([np.nan if value is None else value.value for value in each])
    agreeing = np.zeros(count)
    varied, varied_too = np.zeros(len(one)), np.zeros(len(other))
    for apart in range(1, columns):
        ups, ups_too = (np.sign(side[:, apart:] - side[:, :-apart]) for side in (one, other))
        agreeing += (ups * ups_too).sum(axis=1)
        varied += np.abs(ups).sum(axis=1)
        varied_too += np.abs(ups_too).sum(axis=1)
    found: Vector = agreeing / np.sqrt(np.maximum(varied * varied_too, 1))
    return found


_ROUNDED_AWAY = 1e-13
"""A smaller variance per item, of values scaled to 1, is a rounding error of doubles."""
_BLOCK = 2_000_000
"""Pairs of items that are compared at once: 16 MB."""


def cluster_counts(clusters: Sequence[Hashable], *, n: int, seed: int) -> Matrix:
    """How often each item is drawn in each of `n` resamples of the clusters, one row per resample.

    The draws depend on clusters, n and seed alone: measures resampled by the same matrix are
    paired.
    """
    numbers: dict[Hashable, int] = {}
    places = np.array([numbers.setdefault(one, len(numbers)) for one in clusters], dtype=np.int64)
    return cluster_draws(len(numbers), n=n, seed=seed)[:, places]


def cluster_draws(count: int, *, n: int, seed: int) -> Matrix:
    """How often each of `count` clusters is drawn, one row for each of `n` resamples."""
    return draw_counts(np.random.default_rng(seed), n, count) if count else np.zeros((n, 0))


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
        # The remaining variance of equal values is a rounding error.
        defined = (varied > _ROUNDED_AWAY * count) & (varied_too > _ROUNDED_AWAY * count)
        np.divide(together, np.sqrt(varied * varied_too), out=found, where=defined)
    return np.clip(found, -1, 1)


def resampled_kendall(
    first: npt.ArrayLike, second: npt.ArrayLike, places: Codes, draws: Matrix
) -> Vector:
    """Kendall's tau-b in each resample; NaN where a side is constant.

    `places` has the cluster of each item, `draws` how often each cluster is drawn. Pairs of items
    are counted once by their two clusters; a resample only weights the counts, because copies of an
    item are tied with each other.
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
    """Mean ranks of the values in each resample, each value repeated as often as it was drawn."""
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
    # Values that are equal up to rounding are constant.
    least = [_ROUNDING * total * np.square(np.abs(side).max()) for side in (first, second)]
    found: Vector = np.full(len(counts), np.nan)
    varied = (squares[0] > least[0]) & (squares[1] > least[1])
    np.divide(together, np.sqrt(squares[0] * squares[1]), out=found, where=varied)
    return found


_ROWS = 250
"""Permutations that are computed at once."""
_TIE = 1e-12
"""Differences up to here are rounding errors."""
_SIGN_ROWS = 500
"""Draws of signs that are computed at once."""


class Williams(NamedTuple):
    """Student's t with `df` degrees of freedom, and its two-sided p."""

    t: float
    df: int
    p: float


class CorrelationDifference(NamedTuple):
    """The first correlation minus the second, and the p-value of the difference."""

    value: float
    p: float


def williams(first: float, second: float, between: float, n: int) -> Williams | None:
    """Williams' test (1959, after Steiger 1980) of two Pearson correlations with one variable.

    `first` and `second` are the correlations of two measures with it, `between` that of the
    measures with each other, over `n` independent items. None below four items, and if the two
    measures are the same.

    >>> round(williams(0.3, 0.4, 0.5, 100).t, 4)  # Silver, Hittner and May (2006)
    -1.0767
    """
    if any(not -1 <= one <= 1 for one in (first, second, between)):
        raise ValueError("a correlation is from -1 to 1")
    if n < 4:
        return None
    from scipy.stats import t as student

    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    spread = 2 * (n - 1) / (n - 3) * max(0.0, determinant) + mean**2 * (1 - between) ** 3
    if spread <= _TIE:
        return None
    value = (first - second) * math.sqrt((n - 1) * (1 + between) / spread)
    return Williams(value, n - 3, float(2 * student.sf(abs(value), n - 3)))


def permute_both(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    agreement: Callable[[Matrix], Vector],
    *,
    n: int = 1000,
    seed: int = 0,
) -> CorrelationDifference | None:
    """PERM-BOTH of Deutsch et al. (2021): the scores of single texts are swapped at random.

    `agreement` gives the correlation of each row of scores, one column per text, with the third
    variable. Scores are standardised first, because their scales differ. The p-value is two-sided.
    None if a side is constant or an agreement is not defined.
    """
    sides = [_standardised(np.asarray(side, dtype=np.float64)) for side in (first, second)]
    if sides[0] is None or sides[1] is None:
        return None
    one, other = sides[0], sides[1]
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} scores cannot change sides with {len(other)}")
    observed = float(agreement(one[None])[0] - agreement(other[None])[0])
    if not math.isfinite(observed):
        return None
    random = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, n, _ROWS):
        change = random.random((min(_ROWS, n - start), len(one))) < 0.5
        drawn = agreement(np.where(change, other, one)) - agreement(np.where(change, one, other))
        # A permutation whose agreement is not defined counts as extreme.
        extreme += int((~(np.abs(drawn) < abs(observed) - _TIE)).sum())
    return CorrelationDifference(observed, (1 + extreme) / (n + 1))


def _standardised(values: Vector) -> Vector | None:
    if values.ndim != 1:
        raise ValueError(f"scores are one per text, not of shape {values.shape}")
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    deviation = float(values.std())
    if deviation <= _TIE * float(np.abs(values).max()):
        return None
    standard: Vector = (values - values.mean()) / deviation
    return standard


class Accuracy(NamedTuple):
    """The share of pairs on which a metric and people agree, averaged over groups."""

    value: float
    epsilon: float
    """Two scores that differ by no more are tied."""
    pairs: int
    by_group: Vector
    """The share in each group, groups in order; NaN where a group has no pair."""


def pairwise_accuracy(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    groups: npt.ArrayLike,
    *,
    epsilon: float | None = None,
) -> Accuracy | None:
    """acc_eq of Deutsch, Foster and Freitag (2023, "Ties Matter"), pairs taken within groups.

    A pair counts if both order it alike or both tie it. People tie where their values are equal,
    the metric where its scores differ by at most `epsilon`. By default epsilon is the smallest one
    with the best accuracy over all groups, which is the paper's tie calibration and an optimistic
    choice, because it depends on the ratings. None without a pair.

    >>> pairwise_accuracy([0.1, 0.9, 0.5, 0.6], [1, 2, 3, 3], [0, 0, 0, 0], epsilon=0).value
    0.5
    """
    scores, values = (np.asarray(side, dtype=np.float64) for side in (metric, human))
    _, places = np.unique(np.asarray(groups), return_inverse=True)
    if not len(scores) == len(values) == len(places):
        raise ValueError("a pairwise accuracy needs a score, a rating and a group for each text")
    if not (np.isfinite(scores).all() and np.isfinite(values).all()):
        raise ValueError("scores and ratings are finite numbers")
    if epsilon is not None and not epsilon >= 0:
        raise ValueError(f"a tie is a difference from 0 on, not {epsilon}")
    count = int(places.max()) + 1 if len(places) else 0
    pairs = _pairs(scores, values, places, count)
    if not len(pairs.group):
        return None
    each = np.bincount(pairs.group, minlength=count)
    weights = 1 / (each[pairs.group] * np.count_nonzero(each))
    bound = _best_epsilon(pairs, weights) if epsilon is None else epsilon
    right = np.where(pairs.apart <= bound, pairs.tied, pairs.ordered)
    sums = np.bincount(pairs.group, weights=right, minlength=count)
    by_group = np.full(count, np.nan)
    np.divide(sums, each, out=by_group, where=each > 0)
    return Accuracy(float(np.nanmean(by_group)), bound, len(pairs.group), by_group)


class _Pairs(NamedTuple):
    """The distance of two scores, whether people tie the texts, and whether both order them so."""

    group: npt.NDArray[np.int64]
    apart: Vector
    tied: npt.NDArray[np.bool_]
    ordered: npt.NDArray[np.bool_]


def _pairs(scores: Vector, values: Vector, places: npt.NDArray[np.int64], count: int) -> _Pairs:
    columns: list[list[npt.NDArray[np.float64]]] = [[], [], []]
    for group in range(count):
        inside = np.flatnonzero(places == group)
        left, right = np.triu_indices(len(inside), 1)
        columns[0].append(np.full(len(left), group, dtype=np.float64))
        columns[1].append(scores[inside[left]] - scores[inside[right]])
        columns[2].append(values[inside[left]] - values[inside[right]])
    group_of, by_metric, by_people = (
        np.concatenate(column) if column else np.zeros(0) for column in columns
    )
    ordered = (np.sign(by_metric) == np.sign(by_people)) & (by_people != 0)
    return _Pairs(group_of.astype(np.int64), np.abs(by_metric), by_people == 0, ordered)


def _best_epsilon(pairs: _Pairs, weights: Vector) -> float:
    """The smallest of the best epsilons: 0, or a distance that occurs."""
    candidates, place = np.unique(np.append(pairs.apart, 0.0), return_inverse=True)
    gained = np.bincount(place[:-1], weights=weights * pairs.tied, minlength=len(candidates))
    lost = np.bincount(place[:-1], weights=weights * pairs.ordered, minlength=len(candidates))
    accuracy = np.cumsum(gained - lost)
    return float(candidates[np.flatnonzero(accuracy >= accuracy.max() - _TIE)[0]])


def soft_pairwise_accuracy(
    metric: npt.ArrayLike, human: npt.ArrayLike, *, n: int = 1000, seed: int = 0
) -> float | None:
    """SPA of Thompson et al. (2024): the confidence of a metric and of people in pairs of systems.

    Matrices have one row per system and one column per input, NaN where a text is missing. Each
    pair of systems has two p-values of a permutation test of its paired differences, by the metric
    and by people; the accuracy of a pair is one minus their distance. Draws equal to the observed
    difference count half, so that the order of systems does not matter. None without two systems
    that share an input.
    """
    scores, values = (np.asarray(side, dtype=np.float64) for side in (metric, human))
    if scores.ndim != 2 or scores.shape != values.shape:
        raise ValueError("scores and ratings are matrices of one shape, systems by inputs")
    if n < 1:
        raise ValueError(f"a permutation test draws at least once, not {n} times")
    missing = ~(np.isfinite(scores) & np.isfinite(values))
    left, right = np.triu_indices(len(scores), 1)
    apart = missing[left] | missing[right]
    shared = ~apart.all(axis=1)
    if not shared.any():
        return None
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, scores.shape[1]))
    chances = []
    for table in (scores, values):
        filled = np.where(missing, 0.0, table)
        # A text that one of the two lacks adds nothing.
        differences = np.where(apart, 0.0, filled[left] - filled[right])[shared]
        chances.append(_chance(differences, signs))
    return float(np.mean(1 - np.abs(chances[0] - chances[1])))


def _chance(differences: Matrix, signs: Matrix) -> Vector:
    observed = differences.sum(axis=1)
    tolerance = _TIE * np.abs(differences).sum(axis=1)
    found = np.zeros(len(differences))
    for start in range(0, len(signs), _SIGN_ROWS):
        beyond = differences @ signs[start : start + _SIGN_ROWS].T - observed[:, None]
        equal = np.abs(beyond) <= tolerance[:, None]
        found += ((beyond > 0) & ~equal).sum(axis=1) + 0.5 * equal.sum(axis=1)
    chance: Vector = found / len(signs)
    return chance
