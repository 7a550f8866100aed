"""Exact search against sorting everything, and 8-bit vectors against 32-bit ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adequa.retrieval.vectors import StoredVectors, nearest, quantise

# Few values, so that there are many ties.
_ROWS = st.integers(1, 30).flatmap(
    lambda count: arrays(np.float32, (count, 2), elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0]))
)
_QUERIES = arrays(np.float32, (3, 2), elements=st.sampled_from([-1.0, 0.0, 1.0]))


@given(_ROWS, _QUERIES, st.integers(1, 12), st.integers(1, 9))
def test_nearest_is_what_sorting_everything_gives(
    rows: np.ndarray, queries: np.ndarray, k: int, block: int
) -> None:
    found = nearest(StoredVectors(rows), queries, k, block=block)
    scores = queries @ rows.T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]  # of equals the first
    assert found.positions.tolist() == order.tolist()
    assert found.scores.tolist() == np.take_along_axis(scores, order, axis=1).tolist()


def test_more_queries_than_are_compared_at_once() -> None:
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(50, 4)).astype(np.float32)
    queries = generator.normal(size=(600, 4)).astype(np.float32)
    found = nearest(StoredVectors(rows), queries, 1)
    assert found.positions[:, 0].tolist() == (queries @ rows.T).argmax(axis=1).tolist()


@given(arrays(np.float32, (4, 8), elements=st.floats(-1, 1, width=32)))
def test_quantised_rows_are_near_the_rows(vectors: np.ndarray) -> None:
    rows, scales = quantise(vectors)
    assert rows.dtype == np.int8
    assert np.abs(rows.astype(int)).max(initial=0) <= 127
    error = np.abs(StoredVectors(rows, scales).take(slice(None)) - vectors)
    assert (error <= scales[:, np.newaxis] * 0.5001 + 1e-30).all()


def test_the_smallest_numbers_stay_within_a_byte() -> None:
    tiny = np.full((1, 2), -190 * np.finfo(np.float32).smallest_subnormal, dtype=np.float32)
    assert quantise(tiny)[0].tolist() == [[-127, -127]]


def test_a_row_of_zeros_stays_one() -> None:
    rows, scales = quantise(np.zeros((1, 3), dtype=np.float32))
    assert StoredVectors(rows, scales).take(slice(None)).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("bits", [32, 8])
def test_both_kinds_of_numbers_find_the_same(bits: int) -> None:
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=(200, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    stored = StoredVectors(vectors) if bits == 32 else StoredVectors(*quantise(vectors))
    found = nearest(stored, vectors[:20], 3, block=64)
    assert found.positions[:, 0].tolist() == list(range(20))
    assert found.scores[:, 0] == pytest.approx(np.ones(20), abs=0.01)
