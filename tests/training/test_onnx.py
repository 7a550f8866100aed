"""Whole-number products against plain arithmetic on whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.training.onnx import (
    GELU,
    ROWS,
    Linear,
    OnnxGraph,
    Range,
    quantise_columns,
    quantise_rows,
)


def product(weight: Any, rows: Any, within: Range) -> Any:
    """What onnxruntime makes of a graph with one quantised layer."""
    pytest.importorskip("onnx", reason="the extra train is not installed")
    import onnxruntime as runtime

    graph = OnnxGraph()
    found = Linear(graph, exact=()).add("layer", "rows", weight, within=within)
    graph.add("Identity", found, name="product")
    shape = ("n", weight.shape[1])
    file = graph.finish("one", {"rows": ("FLOAT", shape)}, {"product": ("n", len(weight))})
    session = runtime.InferenceSession(file, providers=["CPUExecutionProvider"])
    return session.run(None, {"rows": rows})[0]


def oracle(weight: Any, rows: Any, within: Range) -> Any:
    """The same by the book: no sum of whole numbers is ever cut."""
    whole, columns = quantise_columns(np.ascontiguousarray(weight.T))
    if within.lowest is None:
        scales = np.maximum(np.abs(rows).max(axis=1) / np.float32(127), np.float32(1e-12))
    else:
        least = np.float32(-within.lowest / within.middle)
        scales = np.maximum(rows.max(axis=1) / np.float32(255 - within.middle), least)
    small = np.clip(np.rint(rows / scales[:, None]) + within.middle, 0, 255).astype(np.int64)
    sums = (small - within.middle) @ whole.astype(np.int64)
    return sums * scales[:, None] * columns


@pytest.mark.parametrize("within", [ROWS, GELU])
def test_a_layer_is_what_arithmetic_says(within: Range) -> None:
    numbers = np.random.default_rng(2)
    weight = numbers.normal(0, 0.1, (48, 64)).astype(np.float32)
    rows = numbers.normal(0, 1, (10, 64)).astype(np.float32)
    rows[1] *= 1000
    rows[2] /= 1000
    rows[3] = 0
    if within is GELU:
        rows = np.maximum(rows, -0.17)
    found, exact = product(weight, rows, within), rows @ weight.T
    expected = oracle(weight, rows, within)
    # A number may lie so near the middle of two that the last bit of a division decides.
    np.testing.assert_allclose(found, expected, atol=2e-2 * np.abs(exact).max(axis=1).max())
    close = np.isclose(found, expected, rtol=1e-4, atol=1e-4 * np.abs(exact).max(axis=1)[:, None])
    assert close.mean() > 0.85
    assert (found[3] == 0).all()
    for row in (0, 1, 4):
        assert np.abs(found[row] - exact[row]).max() < 0.03 * np.abs(exact[row]).max()


def test_no_sum_is_cut_where_all_are_largest() -> None:
    """Sixteen bits hold the products of two neighbours, whatever rows and weights are."""
    numbers = np.random.default_rng(3)
    weight = numbers.choice([-1.0, 1.0], (64, 256)) * numbers.choice([0.4, 1.0], (64, 256))
    weight = weight.astype(np.float32)
    rows = np.concatenate([np.sign(weight), np.ones((1, 256)), -np.ones((1, 256))])
    rows = rows.astype(np.float32)
    found, expected = product(weight, rows, ROWS), oracle(weight, rows, ROWS)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-3)


def test_after_gelu_small_rows_are_not_cut() -> None:
    weight = np.eye(8, dtype=np.float32)
    rows = np.full((2, 8), -0.17, dtype=np.float32)
    rows[1, 0] = 5.0
    np.testing.assert_allclose(product(weight, rows, GELU), rows, atol=5.0 / 239 / 2 + 1e-3)


Matrix = st.integers(1, 9).flatmap(
    lambda height: st.lists(
        st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3),
        min_size=height,
        max_size=height,
    )
)


@given(Matrix)
def test_columns_keep_their_bounds(raw: list[list[float]]) -> None:
    matrix = np.asarray(raw, dtype=np.float32)
    matrix[np.abs(matrix) < 1e-20] = 0
    whole, scales = quantise_columns(matrix)
    assert np.abs(whole.astype(int)).max() <= 127
    assert (np.abs(whole * scales - matrix) <= scales * 0.501).all()
    even = np.concatenate([whole, np.zeros((len(whole) % 2, 3), np.int8)]).astype(int)
    first, second = even[0::2], even[1::2]
    assert (np.abs(first + second)[first * second > 0] <= 128).all()


@given(Matrix)
def test_rows_come_back(raw: list[list[float]]) -> None:
    table = np.asarray(raw, dtype=np.float32)
    table[np.abs(table) < 1e-20] = 0
    rows, scales = quantise_rows(table)
    assert rows.dtype == np.int8
    assert (np.abs(rows * scales[:, None] - table) <= scales[:, None] * 0.501).all()
