"""Numbers as small whole ones: weights by output column, word vectors by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["WEIGHT_TOP", "WORD_TOP", "quantise_columns", "quantise_rows"]

Floats = npt.NDArray[np.float32]
Small = npt.NDArray[np.int8]

WEIGHT_TOP = 63
"""Seven bits: without VNNI a processor adds two products of uint8 and int8 in sixteen bits, and
2 · 255 · 127 does not fit where 2 · 255 · 63 does. The same score on every machine is worth a bit.
"""
WORD_TOP = 127


def quantise_columns(weight: Floats, top: int = WEIGHT_TOP) -> tuple[Small, Floats]:
    """A matrix [in, out] as whole numbers up to `top`, and the scale of each column.

    >>> quantise_columns(np.float32([[1.0, 0.0], [-0.5, 0.0]]), top=4)
    (array([[ 4,  0],
           [-2,  0]], dtype=int8), array([0.25, 1.  ], dtype=float32))
    """
    largest = np.abs(weight).max(axis=0)
    scales = np.where(largest > 0, largest / top, 1.0).astype(np.float32)
    return np.clip(np.rint(weight / scales), -top, top).astype(np.int8), scales


def quantise_rows(table: Floats, top: int = WORD_TOP) -> tuple[Small, Floats]:
    """A table of vectors as whole numbers up to `top`, and the scale of each row."""
    rows, scales = quantise_columns(np.ascontiguousarray(table.T), top)
    return np.ascontiguousarray(rows.T), scales
