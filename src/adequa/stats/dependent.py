"""Whether one measure agrees better with a third than another does, all three on the same items."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Difference", "Williams", "permute_both", "williams"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

_ROWS = 250
"""So many permutations are looked at together."""
_ROUNDING = 1e-12


class Williams(NamedTuple):
    """Student's t with `df` degrees of freedom, and its two-sided p."""

    t: float
    df: int
    p: float


class Difference(NamedTuple):
    """What the first has over the second, and how likely a difference as great is by chance."""

    value: float
    p: float


def williams(first: float, second: float, between: float, n: int) -> Williams | None:
    """Williams' test (1959, after Steiger 1980) of two Pearson correlations with one variable.

    `first` and `second` are the correlations of two measures with it, `between` that of the
    measures with each other, over `n` independent items. None below four items, and where the two
    measures are one and the same, so that there is nothing to tell apart.

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
    if spread <= _ROUNDING:
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
) -> Difference | None:
    """PERM-BOTH of Deutsch et al. (2021): scores of single texts change sides at random.

    `agreement` says of rows of scores, one a text, how well each agrees with what both are held
    against. Scores are standardised first, for they are of different scales. The p-value is
    two-sided. None where a side is constant or an agreement is not defined.
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
        # A permutation whose agreement is not defined speaks for chance.
        extreme += int((~(np.abs(drawn) < abs(observed) - _ROUNDING)).sum())
    return Difference(observed, (1 + extreme) / (n + 1))


def _standardised(values: Vector) -> Vector | None:
    if values.ndim != 1:
        raise ValueError(f"scores are one a text, not of shape {values.shape}")
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    deviation = float(values.std())
    if deviation <= _ROUNDING * float(np.abs(values).max()):
        return None
    standard: Vector = (values - values.mean()) / deviation
    return standard
