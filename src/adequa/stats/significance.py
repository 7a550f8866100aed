"""Differences of samples: rank tests, corrected p-values, letters of groups, effect sizes.

The rank tests are SciPy's, called so that they give the two-sided p of R's `wilcox.test`: exact up
to 49 values per sample without ties (and, of pairs, without zeros), otherwise by the normal
distribution with the variance corrected for ties and the statistic moved half a step towards its
mean (`continuity`). Two things are added: values that differ only by rounding errors are equal
(0.3 - 0.2 and 0.2 - 0.1 must tie; R needs `digits.rank = 10` for that), and a statistic at its mean
is not moved.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adequa.errors import require_known

Vector = npt.NDArray[np.float64]

CORRECTIONS: Mapping[str, Callable[[Vector], Vector]] = {
    # Step down: the smallest p is multiplied by m, the next by m - 1, and none decreases.
    "holm": lambda p: np.maximum.accumulate(np.minimum(1.0, np.arange(len(p), 0, -1) * p)),
    "bonferroni": lambda p: np.minimum(1.0, len(p) * p),
    # Step up: from the largest p down, each is multiplied by m / rank, and none increases.
    "bh": lambda p: np.minimum.accumulate(
        np.minimum(1.0, len(p) / np.arange(len(p), 0, -1) * p[::-1])
    )[::-1],
    "none": lambda p: p,
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
    """The p-values of one family, corrected, in their order; a None stays and does not count.

    >>> adjust([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    require_known("correction", [correction], CORRECTIONS)
    known = sorted((p, position) for position, p in enumerate(p_values) if p is not None)
    if any(not 0 <= p <= 1 for p, _ in known):
        raise ValueError("a p-value lies between 0 and 1")
    adjusted: list[float | None] = [None] * len(p_values)
    corrected = CORRECTIONS[correction](np.array([p for p, _ in known]))
    for (_, position), p in zip(known, corrected.tolist(), strict=True):
        adjusted[position] = p
    return adjusted


_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_TOO_MANY = 500
"""Unusual patterns of differences make very many groups, which do not help a reader;
no record of the data the limit was chosen on."""


def significance_letters(count: int, different: Iterable[tuple[int, int]]) -> list[str] | None:
    """A string of letters for each of `count` systems, best first; `different` are index pairs.

    The compact letter display of Piepho (2004): start with one group of all, split every group that
    has two different systems, and drop groups within others. None if the letters do not suffice.

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


_EXACT_BELOW = 50
"""Values per sample: R's limit for an exact p if no values are equal."""
_DIGITS = 10
"""Significant digits by which values are compared, as with R's `digits.rank = 10`."""


@dataclass(frozen=True, slots=True)
class RankTest:
    """The result of a rank test."""

    statistic: float
    """R's W: in how many pairs of values the first sample is above, a tie counting half; or R's V:
    the sum of the ranks of the positive differences."""
    p: float
    exact: bool
    used: int
    """The values of both samples, or the pairs that differ."""


def rank_sum(
    first: npt.ArrayLike, second: npt.ArrayLike, *, continuity: bool = True
) -> RankTest | None:
    """Wilcoxon's rank-sum test (Mann and Whitney's U) of two independent samples.

    None if a sample is empty or all values are equal.

    >>> rank_sum([0.8, 0.83, 1.89, 1.04], [1.15, 0.88, 0.9]).p
    0.8571428571428571
    """
    one, other = _vector(first), _vector(second)
    if not len(one) or not len(other):
        return None
    values = _rounded(np.concatenate([one, other]))
    if values.min() == values.max():
        return None
    from scipy.stats import mannwhitneyu

    exact = max(len(one), len(other)) < _EXACT_BELOW and len(np.unique(values)) == len(values)
    found = mannwhitneyu(
        values[: len(one)],
        values[len(one) :],
        use_continuity=continuity,
        method="exact" if exact else "asymptotic",
    )
    statistic, p = float(found.statistic), float(found.pvalue)
    if continuity and not exact and statistic == len(one) * len(other) / 2:
        p = 1.0  # SciPy moves even a statistic at its mean
    return RankTest(statistic, p, exact, len(values))


def signed_rank(
    first: npt.ArrayLike, second: npt.ArrayLike, *, continuity: bool = True
) -> RankTest | None:
    """Wilcoxon's signed-rank test of two samples that are paired by place.

    Pairs of equal values are left out, as in R; None if there is no other pair.
    """
    one, other = _vector(first), _vector(second)
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} values cannot be paired with {len(other)}")
    if not len(one):
        return None
    # The rounding error of a subtraction depends on the values, not on their difference.
    scale = max(float(np.abs(one).max()), float(np.abs(other).max()))
    differences = _rounded(one - other, scale)
    kept = differences[differences != 0]
    if not len(kept):
        return None
    from scipy.stats import rankdata, wilcoxon

    sizes = np.abs(kept)
    untied = len(np.unique(sizes)) == len(kept) == len(differences)
    exact = len(kept) < _EXACT_BELOW and untied
    found = wilcoxon(kept, correction=continuity, method="exact" if exact else "approx")
    statistic = float(rankdata(sizes)[kept > 0].sum())
    return RankTest(statistic, float(found.pvalue), exact, len(kept))


def _vector(values: npt.ArrayLike) -> Vector:
    vector = _array(values)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise ValueError("a sample is a list of finite numbers")
    return vector


def _rounded(values: Vector, scale: float | None = None) -> Vector:
    """The values to ten digits of the largest, in units of the last digit."""
    largest = float(np.abs(values).max()) if scale is None else scale
    if largest == 0:
        return values
    step = 10.0 ** (math.floor(math.log10(largest)) + 1 - _DIGITS)
    return np.rint(values / step) if step else values


def paired_d(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Cohen's d_z: the mean of the paired differences in their own standard deviations.

    None below two pairs, and where all differences are equal, so that they have no spread.
    """
    one, other = _array(first), _array(second)
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} values cannot be paired with {len(other)}")
    differences = one - other
    # Rounding gives equal numbers a spread of about 1e-17, and thus a huge effect size.
    if len(one) < 2 or np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        return None
    spread = float(differences.std(ddof=1))
    effect = float(differences.mean()) / spread if spread else math.inf
    return effect if math.isfinite(effect) else None


def cliffs_delta(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """The share of pairs in which the first sample is above the second, minus those below.

    Over all n × m pairs of values, from -1 to 1 (Cliff 1993); None if a sample is empty.
    """
    one, other = _array(first), np.sort(_array(second))
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
    positive, values = np.asarray(labels) == 1, _array(scores)
    return superiority(values[positive], values[~positive])


def resampled_areas(labels: npt.ArrayLike, scores: npt.ArrayLike, counts: Vector) -> Vector:
    """The area under the ROC curve in each resample; NaN where a label does not occur.

    `counts` says how often each item is drawn, one row per resample.
    """
    positive, values = np.asarray(labels) == 1, _array(scores)
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


def _array(values: npt.ArrayLike) -> Vector:
    return np.asarray(values, dtype=np.float64)
