"""Linear layers in an ONNX graph: exact, or in whole numbers with a scale for each row.

A scale over a whole batch, as onnxruntime's own dynamic quantisation takes it, would let an item's
score depend on its neighbours. QuantizeLinear takes a scale for each row of a matrix, and
MatMulIntegerToFloat multiplies and applies the scales of columns; both are much faster than the
same in single steps.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from adequa.training.exporting.checkpoint import Array
from adequa.training.exporting.graph import FUSED, Graph
from adequa.training.exporting.quantising import quantise_columns

__all__ = ["GELU", "ROWS", "Linear", "Range"]


@dataclass(frozen=True)
class Range:
    """Where values lie, and so which whole number stands for nought."""

    middle: int
    lowest: float | None = None
    """The least value there can be; without it, values go as far down as up."""


ROWS = Range(middle=128)
GELU = Range(middle=16, lowest=-0.17)
"""What comes out of gelu is hardly negative: nearly all numbers are left for what is above 0."""
_LARGEST = 255
_TINY = 1e-12
"""A row of noughts has a scale all the same."""


class Linear:
    """Writes products of rows and weights; rows that several layers share are quantised once."""

    def __init__(self, graph: Graph, exact: Collection[str]) -> None:
        self._graph = graph
        self._exact = exact
        self._small: dict[str, tuple[str, str]] = {}

    def add(
        self, layer: str, rows: str, weight: Array, *, within: Range = ROWS, part: str = ""
    ) -> str:
        """A matrix [out, in] applied to rows, without its bias: what comes next adds that.

        `layer` decides whether it is exact; `part` tells apart matrices of one layer.
        """
        graph = self._graph
        name = layer + part
        matrix = np.ascontiguousarray(weight.T)
        if layer in self._exact:
            return graph.add("MatMul", rows, graph.constant(f"{name}.weight", matrix))
        if rows not in self._small:
            self._small[rows] = self._quantise(rows, within)
        small, scales = self._small[rows]
        whole, columns = quantise_columns(matrix)
        product = graph.add(
            "MatMulIntegerToFloat",
            *(small, graph.constant(f"{name}.weight", whole)),
            *(graph.floats(1.0), graph.constant(f"{name}.scales", columns)),
            graph.constant(f"middle:{within.middle}", np.uint8(within.middle)),
            domain=FUSED,
        )
        return graph.add("Mul", product, scales)

    def _quantise(self, rows: str, within: Range) -> tuple[str, str]:
        """Rows as uint8, and the scale of each."""
        graph = self._graph
        if within.lowest is None:
            largest = graph.add("ReduceMax", graph.add("Abs", rows), axes=[1], keepdims=0)
            least = _TINY
        else:
            largest = graph.add("ReduceMax", rows, axes=[1], keepdims=0)
            least = -within.lowest / within.middle
        scales = graph.add("Mul", largest, graph.floats(1 / (_LARGEST - within.middle)))
        scales = graph.add("Max", scales, graph.floats(least))
        middles = graph.add(
            "Expand",
            graph.constant(f"middles:{within.middle}", np.asarray([within.middle], np.uint8)),
            graph.add("Shape", scales),
        )
        small = graph.add("QuantizeLinear", rows, scales, middles, axis=0)
        return small, graph.add("Unsqueeze", scales, graph.integers(1))
