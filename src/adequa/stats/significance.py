"""Adjusted p-values for many comparisons at once."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from adequa.errors import UnknownName


def _none(ranked: Sequence[float]) -> list[float]:
    return list(ranked)


def _bonferroni(ranked: Sequence[float]) -> list[float]:
    return [min(1.0, len(ranked) * p) for p in ranked]


def _holm(ranked: Sequence[float]) -> list[float]:
    # Step down: the smallest p is multiplied by all m, the next by m - 1, and none falls again.
    adjusted: list[float] = []
    highest = 0.0
    for rank, p in enumerate(ranked):
        highest = max(highest, min(1.0, (len(ranked) - rank) * p))
        adjusted.append(highest)
    return adjusted


def _benjamini_hochberg(ranked: Sequence[float]) -> list[float]:
    # Step up: from the largest p down, each multiplied by m / rank, and none rises again.
    adjusted: list[float] = []
    lowest = 1.0
    for rank in range(len(ranked), 0, -1):
        lowest = min(lowest, len(ranked) / rank * ranked[rank - 1])
        adjusted.append(lowest)
    return adjusted[::-1]


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "none": _none,
}
"""Holm (1979) and Bonferroni bound the chance of any false finding, Benjamini and Hochberg (1995)
the expected share of false ones among the findings."""
CORRECTION_NOTES: Mapping[str, str] = {
    "holm": "p corrected by Holm's method",
    "bonferroni": "p corrected by Bonferroni's method",
    "bh": "p corrected by Benjamini and Hochberg's method",
    "none": "p not corrected",
}
"""How a table describes each correction."""


def adjust(p_values: Sequence[float | None], correction: str = "holm") -> list[float | None]:
    """The p-values of one family, corrected, in their order; a None stays and is no comparison.

    >>> adjust([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    known = [(p, position) for position, p in enumerate(p_values) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise ValueError("a p-value lies between 0 and 1")
    known.sort()
    adjusted: list[float | None] = [None] * len(p_values)
    corrected = CORRECTIONS[correction]([p for p, _ in known])
    for (_, position), p in zip(known, corrected, strict=True):
        adjusted[position] = p
    return adjusted


# ---
# Significance letters: two systems that share one cannot be told apart.
# ---

_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_TOO_MANY = 500
"""Odd patterns of differences make very many groups; past this the display helps nobody."""


def significance_letters(count: int, different: Iterable[tuple[int, int]]) -> list[str] | None:
    """A string of letters for each of `count` systems, best first; `different` are index pairs.

    The compact letter display of Piepho (2004): start with one group of all, split every group that
    holds two different systems, and drop a group that lies within another. None where the letters
    do not suffice.

    >>> significance_letters(4, [(0, 2), (0, 3), (1, 3)])
    ['a', 'ab', 'bc', 'c']
    """
    groups = [frozenset(range(count))] if count else []
    for one, other in sorted({(min(pair), max(pair)) for pair in different}):
        if one == other:
            raise ValueError("a system does not differ from itself")
        split: list[frozenset[int]] = []
        for group in groups:
            if one in group and other in group:
                split += [group - {one}, group - {other}]
            else:
                split.append(group)
        groups = _without_parts(split)
        if len(groups) > _TOO_MANY:
            return None
    groups.sort(key=sorted)
    if len(groups) > len(_LETTERS):
        return None
    return [
        "".join(letter for letter, group in zip(_LETTERS, groups, strict=False) if system in group)
        for system in range(count)
    ]


def _without_parts(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    kept: list[frozenset[int]] = []
    for group in sorted(set(groups), key=len, reverse=True):
        if not any(group < larger for larger in kept):
            kept.append(group)
    return kept


# ---
# Wilcoxon's tests of two samples, as R's `wilcox.test` computes them, two-sided.
#
# Equal values share the mean of their ranks. Up to 49 values a sample, without ties (and, of pairs,
# without zeros), p is exact; else it is the normal distribution's, with the variance corrected for
# ties and the statistic moved half a step towards its mean (`continuity`).
#
# Values that differ by no more than rounding errors are equal here: 0.3 - 0.2 and 0.2 - 0.1 must
# tie. R ranks them apart unless it is given `digits.rank = 10`.
# ---

Vector = npt.NDArray[np.float64]

_EXACT_BELOW = 50
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class RankTest:
    """What a rank test says."""

    statistic: float
    """R's W: in how many pairs of values the first sample is above, a tie being half; or R's V:
    the sum of the ranks of the positive differences."""
    p: float
    exact: bool
    used: int
    """The values of both samples, or the pairs that differ."""


def rank_sum(
    first: npt.ArrayLike, second: npt.ArrayLike, *, continuity: bool = True
) -> RankTest | None:
    """Wilcoxon's rank-sum test (Mann and Whitney's U) of two independent samples.

    None where a sample is empty or all values are equal: nothing can be said then.

    >>> rank_sum([0.8, 0.83, 1.89, 1.04], [1.15, 0.88, 0.9]).p
    0.8571428571428571
    """
    one, other = _vector(first), _vector(second)
    if not len(one) or not len(other):
        return None
    values = _rounded(np.concatenate([one, other]))
    if values.min() == values.max():
        return None
    ranks, ties = _mid_ranks(values)
    statistic = float(ranks[: len(one)].sum()) - len(one) * (len(one) + 1) / 2
    used = len(values)
    if max(len(one), len(other)) < _EXACT_BELOW and not ties:
        tails = _rank_sum_tails(len(one), len(other))
        return RankTest(statistic, _two_sided(tails, round(statistic)), True, used)
    middle = len(one) * len(other) / 2
    variance = middle / 6 * (used + 1 - ties / (used * (used - 1)))
    return RankTest(statistic, _normal_p(statistic - middle, variance, continuity), False, used)


def signed_rank(
    first: npt.ArrayLike, second: npt.ArrayLike, *, continuity: bool = True
) -> RankTest | None:
    """Wilcoxon's signed-rank test of two samples that are paired by place.

    Pairs of equals are left out, as in R; None where no other is there.
    """
    one, other = _vector(first), _vector(second)
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} values cannot be paired with {len(other)}")
    if not len(one):
        return None
    # An error of the subtraction is one of the values, not of their difference.
    scale = max(float(np.abs(one).max()), float(np.abs(other).max()))
    differences = _rounded(one - other, scale)
    kept = differences[differences != 0]
    count = len(kept)
    if not count:
        return None
    ranks, ties = _mid_ranks(np.abs(kept))
    statistic = float(ranks[kept > 0].sum())
    if count < _EXACT_BELOW and not ties and count == len(differences):
        tails = _signed_rank_tails(count)
        return RankTest(statistic, _two_sided(tails, round(statistic)), True, count)
    middle = count * (count + 1) / 4
    variance = middle * (2 * count + 1) / 6 - ties / 48
    return RankTest(statistic, _normal_p(statistic - middle, variance, continuity), False, count)


def _vector(values: npt.ArrayLike) -> Vector:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise ValueError("a sample is a list of finite numbers")
    return vector


def _rounded(values: Vector, scale: float | None = None) -> Vector:
    """The values to ten digits of the largest."""
    largest = float(np.abs(values).max()) if scale is None else scale
    if largest == 0:
        return values
    step = 10.0 ** (math.floor(math.log10(largest)) + 1 - _DIGITS)
    return np.rint(values / step) if step else values


def _mid_ranks(values: Vector) -> tuple[Vector, float]:
    """The ranks from 1, equal values sharing their mean, and the sum of t³ - t over the ties."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]
    sizes = counts.astype(np.float64)
    return ranks, float((sizes**3 - sizes).sum())


def _normal_p(distance: float, variance: float, continuity: bool) -> float:
    if continuity:
        distance -= math.copysign(0.5, distance) if distance else 0.0
    return min(1.0, math.erfc(abs(distance) / math.sqrt(2 * variance)))


def _two_sided(tails: Vector, statistic: int) -> float:
    """Twice the smaller tail; the distribution is symmetric, so one tail serves for both."""
    return min(1.0, 2 * float(tails[min(statistic, len(tails) - 1 - statistic)]))


@lru_cache(maxsize=64)
def _rank_sum_tails(first: int, second: int) -> Vector:
    """How likely W is at most 0, 1, 2, …, by counting the sets of ranks with each sum."""
    total = first + second
    most = first * (2 * second + first + 1) // 2
    sums = np.zeros((first + 1, most + 1))
    sums[0, 0] = 1
    for rank in range(1, total + 1):
        # Larger sets first, so that no rank is taken twice.
        for size in range(min(rank, first), 0, -1):
            sums[size, rank:] += sums[size - 1, : most + 1 - rank]
    counts = sums[first, first * (first + 1) // 2 :]
    return np.asarray(np.cumsum(counts) / counts.sum(), dtype=np.float64)


@lru_cache(maxsize=64)
def _signed_rank_tails(count: int) -> Vector:
    """How likely V is at most 0, 1, 2, …, by counting the sets of ranks with each sum."""
    sums = np.zeros(count * (count + 1) // 2 + 1)
    sums[0] = 1
    for rank in range(1, count + 1):
        sums[rank:] += sums[:-rank].copy()
    return np.asarray(np.cumsum(sums) / sums.sum(), dtype=np.float64)
