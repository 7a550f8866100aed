"""Correlations of many rows at once: what permutations and resamples are made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adequa.errors import UnknownName
from adequa.stats.correlations import COEFFICIENTS, FEWEST_PAIRS

__all__ = ["rowwise_correlations"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

_ROUNDING = 1e-24
_SHORT_ROWS = 60
"""Up to here every two columns are compared; longer rows are sorted one by one."""


def rowwise_correlations(first: npt.ArrayLike, second: npt.ArrayLike, coefficient: str) -> Vector:
    """The coefficient of each row of one with the same row of the other; one row may serve all.

    NaN where `COEFFICIENTS` has None: below three columns, and where a row is constant or has a
    value that is not finite.
    """
    if coefficient not in COEFFICIENTS:
        raise UnknownName("coefficient", coefficient, COEFFICIENTS)
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
        return _kendall_by_row(*(np.broadcast_to(side, (count, columns)) for side in (one, other)))
    agreeing = np.zeros(count)
    varied, varied_too = np.zeros(len(one)), np.zeros(len(other))
    for apart in range(1, columns):
        ups, ups_too = (np.sign(side[:, apart:] - side[:, :-apart]) for side in (one, other))
        agreeing += (ups * ups_too).sum(axis=1)
        varied += np.abs(ups).sum(axis=1)
        varied_too += np.abs(ups_too).sum(axis=1)
    found: Vector = agreeing / np.sqrt(np.maximum(varied * varied_too, 1))
    return found


def _kendall_by_row(one: Matrix, other: Matrix) -> Vector:
    from adequa.stats.correlations import kendall

    found = (kendall(row, row_too) for row, row_too in zip(one, other, strict=True))
    return np.array([np.nan if value is None else value.value for value in found])
