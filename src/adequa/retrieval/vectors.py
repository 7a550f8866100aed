"""Many vectors, as 32-bit or 8-bit numbers, and the nearest of them, found exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.retrieval.encoding import Vectors

__all__ = ["Nearest", "Stored", "cosines", "nearest", "quantise"]

BLOCK = 8192
"""Rows compared at once: 12 MB of vectors with 384 numbers, whatever the size of the index."""

QUERIES = 256
"""Queries compared at once."""

_LARGEST = 127


class Nearest(NamedTuple):
    """For each query the positions of the nearest rows, nearest first, and their cosines."""

    positions: npt.NDArray[np.int64]
    scores: Vectors


@dataclass(frozen=True)
class Stored:
    """Unit vectors in memory or mapped from a file; 8-bit rows have a scale each."""

    rows: npt.NDArray[Any]
    scales: Vectors | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.rows.shape[1])

    def take(self, chosen: slice | npt.NDArray[np.int64]) -> Vectors:
        """Some rows as 32-bit numbers."""
        rows = self.rows[chosen].astype(np.float32, copy=False)
        return rows if self.scales is None else rows * self.scales[chosen][:, np.newaxis]

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[int, Vectors]]:
        """All rows, some at a time, with the position of the first."""
        for start in range(0, len(self), size):
            yield start, self.take(slice(start, start + size))


def quantise(vectors: Vectors) -> tuple[npt.NDArray[np.int8], Vectors]:
    """Rows of whole numbers from -127 to 127, and what to multiply each row with.

    >>> rows, scales = quantise(np.array([[0.6, -0.8]], dtype=np.float32))
    >>> rows.tolist(), round(float(scales[0]), 6)
    ([[95, -127]], 0.006299)
    """
    scales = np.abs(vectors).max(axis=1, initial=0) / _LARGEST
    scaled = vectors / np.where(scales > 0, scales, 1)[:, np.newaxis]
    return np.rint(scaled).astype(np.int8), scales.astype(np.float32)


def nearest(stored: Stored, queries: Vectors, k: int, *, block: int = BLOCK) -> Nearest:
    """The `k` nearest rows of each query, or all where there are fewer; of equals the first."""
    k = min(k, len(stored))
    scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
    positions = np.zeros((len(queries), k), dtype=np.int64)
    for first in range(0, len(queries) if k else 0, QUERIES):
        some = slice(first, first + QUERIES)
        for start, rows in stored.blocks(block):
            _merge(queries[some] @ rows.T, start, positions[some], scores[some])
    return Nearest(positions, scores)


def _merge(found: Vectors, start: int, positions: npt.NDArray[np.int64], scores: Vectors) -> None:
    """Put what a block has into the best so far, in place."""
    k = scores.shape[1]
    # A later row that is only as near as the last of the best does not displace it.
    better = found > scores[:, -1:]
    for query in np.flatnonzero(better.any(axis=1)):
        places = np.flatnonzero(better[query])
        if len(places) > k:
            values = found[query, places]
            places = places[values >= np.partition(values, -k)[-k]]
        together = np.concatenate([scores[query], found[query, places]])
        numbers = np.concatenate([positions[query], places + start])
        order = np.argsort(-together, kind="stable")[:k]
        scores[query] = together[order]
        positions[query] = numbers[order]


def cosines(stored: Stored, queries: Vectors, positions: npt.NDArray[np.int64]) -> Vectors:
    """The exact cosines of some rows for each query."""
    rows = stored.take(positions.ravel()).reshape(*positions.shape, stored.dimension)
    found: Vectors = np.einsum("qd,qkd->qk", queries, rows)
    return found
