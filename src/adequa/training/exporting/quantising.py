"""Numbers as small whole ones: weights by output column, word vectors by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["quantise_columns", "quantise_rows"]

Floats = npt.NDArray[np.float32]
Small = npt.NDArray[np.int8]

_TOP = 127
_PAIR_TOP = 128
"""Without VNNI a processor adds the products of two neighbours in sixteen bits, and cuts what does
not fit: 255 · 127 · 2 does not, 255 · 128 does. The same score on every machine is worth a bit less
precision in a column where two large weights are neighbours.
"""


def quantise_columns(weight: Floats) -> tuple[Small, Floats]:
    """A matrix [in, out] as whole numbers up to 127, and the scale of each column.

    Of rows 0 and 1, 2 and 3, … no two of one sign add up to more than 128 in a column.

    >>> quantise_columns(np.float32([[1.0, 1.0, 0.0], [1.0, -0.5, 0.0]]))[0]
    array([[ 64, 127,   0],
           [ 64, -64,   0]], dtype=int8)
    """
    padded = np.concatenate([weight, np.zeros_like(weight[: len(weight) % 2])])
    first, second = padded[0::2], padded[1::2]
    scales = np.abs(weight).max(axis=0) / _TOP
    sums = np.where(np.sign(first) == np.sign(second), np.abs(first + second), 0.0)
    # Rounding may add a half to each of two, and so one to their sum.
    scales = np.maximum(scales, sums.max(axis=0) / (_PAIR_TOP - 1))
    return _rounded(weight, np.where(scales > 0, scales, 1.0).astype(np.float32))


def quantise_rows(table: Floats) -> tuple[Small, Floats]:
    """A table of vectors as whole numbers up to 127, and the scale of each row."""
    scales = np.abs(table).max(axis=1) / _TOP
    scales = np.where(scales > 0, scales, 1.0).astype(np.float32)
    rows, _ = _rounded(table, scales[:, None])
    return rows, scales


def _rounded(values: Floats, scales: Floats) -> tuple[Small, Floats]:
    return np.clip(np.rint(values / scales), -_TOP, _TOP).astype(np.int8), scales
