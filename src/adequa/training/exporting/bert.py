"""BERT as an ONNX graph, written operation by operation.

Word vectors come from outside, since two models share their table. The rows of all items are one
matrix [items · tokens, hidden]; only attention knows which row belongs to which item.

In `int8` the linear layers, where nine tenths of the work are, multiply whole numbers. Each row has
a scale of its own, computed in the graph, so that an item's output depends neither on its batch nor
on padding. Attention, softmax, layer norm and gelu stay as they are.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Sequence

import numpy as np

from adequa.errors import UnknownName
from adequa.training.exporting.checkpoint import Array, Checkpoint
from adequa.training.exporting.graph import FUSED, Graph
from adequa.training.exporting.quantising import quantise_columns

__all__ = ["PRECISIONS", "build_encoder", "build_verifier", "kept_layers", "layer_names"]

PRECISIONS = ("int8", "fp32")
_PARTS = ("qkv", "mix", "up", "down")
"""The linear layers of a block: into attention, out of it, and the two after it."""
_TOP, _MIDDLE = 127, 128
_TINY = 1e-12
"""Less than any row's largest value: a row of noughts has a scale all the same."""


def layer_names(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The linear layers: `0.qkv`, `0.mix`, `0.up`, `0.down`, and so for each block."""
    return tuple(f"{layer}.{part}" for layer in range(checkpoint.layers) for part in _PARTS)


def kept_layers(checkpoint: Checkpoint, keep: Sequence[str]) -> frozenset[str]:
    """The layers that names or patterns such as `5.*` and `*.down` mean."""
    names = layer_names(checkpoint)
    kept: set[str] = set()
    for pattern in keep:
        found = fnmatch.filter(names, pattern)
        if not found:
            raise UnknownName("layer", pattern, names)
        kept.update(found)
    return frozenset(kept)


def build_encoder(checkpoint: Checkpoint, precision: str, keep: Sequence[str] = ()) -> bytes:
    """`words` and `mask` to `vector`: the mean over tokens, of length 1."""
    graph = Graph()
    block = _Blocks(graph, checkpoint, precision, keep)
    states = block.unpack(block.run())
    mask = graph.add("Unsqueeze", graph.cast("mask", "FLOAT"), graph.integers(1))
    total = graph.add("Squeeze", graph.add("MatMul", mask, states), graph.integers(1))
    mean = graph.add("Div", total, graph.add("ReduceSum", mask, graph.integers(2), keepdims=0))
    graph.add("LpNormalization", mean, axis=-1, p=2, name="vector")
    return graph.finish(
        "encoder", block.inputs(types=False), {"vector": ("items", checkpoint.hidden)}
    )


def build_verifier(checkpoint: Checkpoint, precision: str, keep: Sequence[str] = ()) -> bytes:
    """`words`, `mask` and `types` to `tokens`, `pair` and `state`."""
    graph = Graph()
    block = _Blocks(graph, checkpoint, precision, keep)
    states = block.unpack(block.run(types="types"))
    heads = {
        name: graph.constant(f"head.{name}", array.T if name.endswith("weight") else array)
        for name, array in checkpoint.heads.items()
    }
    tokens = graph.add("MatMul", states, heads["tokens.weight"])
    graph.add("Add", tokens, heads["tokens.bias"], name="tokens")
    graph.add("Gather", states, graph.constant("first", np.int64(0)), axis=1, name="state")
    pair = graph.add("MatMul", "state", heads["pair.weight"])
    graph.add("Add", pair, heads["pair.bias"], name="pair")
    labels = len(checkpoint.heads["tokens.bias"])
    return graph.finish(
        "verifier",
        block.inputs(types=True),
        {
            "tokens": ("items", "tokens", labels),
            "pair": ("items", 1),
            "state": ("items", checkpoint.hidden),
        },
    )


class _Blocks:
    """The part both models have: embeddings and the layers over them."""

    def __init__(
        self, graph: Graph, checkpoint: Checkpoint, precision: str, keep: Sequence[str]
    ) -> None:
        if precision not in PRECISIONS:
            raise UnknownName("precision", precision, PRECISIONS)
        names = layer_names(checkpoint)
        kept: Collection[str] = names if precision == "fp32" else kept_layers(checkpoint, keep)
        self._graph = graph
        self._model = checkpoint
        self._exact = kept
        shape = graph.add("Shape", "words")
        self._length = graph.add("Gather", shape, graph.integers(1))
        self._batch = graph.add("Gather", shape, graph.integers(0, 1))

    def inputs(self, *, types: bool) -> dict[str, tuple[str, Sequence[str | int]]]:
        """What the graph takes: the same for both models but for token types."""
        shape = ("items", "tokens")
        return {
            "words": ("FLOAT", (*shape, self._model.hidden)),
            "mask": ("INT64", shape),
            **({"types": ("INT64", shape)} if types else {}),
        }

    def run(self, types: str | None = None) -> str:
        """The last hidden states, a row a token."""
        rows = self._embed(types)
        mask = self._graph.cast("mask", "INT32")
        for layer in range(self._model.layers):
            rows = self._layer(layer, rows, mask)
        return rows

    def unpack(self, rows: str, width: int | None = None) -> str:
        """Rows as [items, tokens, width]."""
        width = self._model.hidden if width is None else width
        shape = self._graph.add("Concat", self._batch, self._graph.integers(width), axis=0)
        return self._graph.add("Reshape", rows, shape)

    def _embed(self, types: str | None) -> str:
        graph, model = self._graph, self._model
        kinds = model["embeddings.token_type_embeddings.weight"]
        places = model["embeddings.position_embeddings.weight"]
        if types is None:  # the only type there is joins the positions
            places = places + kinds[0]
        table = graph.constant("positions", places)
        zero = graph.integers(0)
        total = graph.add("Add", "words", graph.add("Slice", table, zero, self._length, zero))
        if types is not None:
            kind = graph.add("Gather", graph.constant("kinds", kinds), types, axis=0)
            total = graph.add("Add", total, kind)
        rows = graph.add("Reshape", total, graph.integers(-1, model.hidden))
        scale, shift = self._norm("embeddings.LayerNorm")
        return graph.add("LayerNormalization", rows, scale, shift, epsilon=model.epsilon, axis=-1)

    def _layer(self, layer: int, rows: str, mask: str) -> str:
        graph, model = self._graph, self._model
        prefix = f"encoder.layer.{layer}"
        inner = [f"{prefix}.attention.self.{name}" for name in ("query", "key", "value")]
        weight = np.concatenate([model[f"{name}.weight"] for name in inner])
        bias = np.concatenate([model[f"{name}.bias"] for name in inner])
        packed = self.unpack(self._linear(f"{layer}.qkv", rows, weight), 3 * model.hidden)
        query = graph.add("Split", packed, outputs=3, axis=2)
        context = graph.add(
            "MultiHeadAttention",
            *(query, f"{query}:1", f"{query}:2"),
            *(graph.constant(f"{layer}.qkv.bias", bias), mask),
            domain=FUSED,
            num_heads=model.attention_heads,
        )
        context = graph.add("Reshape", context, graph.integers(-1, model.hidden))
        mixed = self._linear(
            f"{layer}.mix", context, model[f"{prefix}.attention.output.dense.weight"]
        )
        rows = self._join(mixed, rows, f"{prefix}.attention.output")
        wide = self._linear(f"{layer}.up", rows, model[f"{prefix}.intermediate.dense.weight"])
        shift = graph.constant(f"{layer}.up.bias", model[f"{prefix}.intermediate.dense.bias"])
        wide = graph.add("BiasGelu", wide, shift, domain=FUSED)
        narrow = self._linear(f"{layer}.down", wide, model[f"{prefix}.output.dense.weight"])
        return self._join(narrow, rows, f"{prefix}.output")

    def _join(self, rows: str, before: str, prefix: str) -> str:
        """Bias, what was before, and layer norm, in one operation."""
        bias = self._graph.constant(f"{prefix}.bias", self._model[f"{prefix}.dense.bias"])
        return self._graph.add(
            "SkipLayerNormalization",
            *(rows, before, *self._norm(f"{prefix}.LayerNorm"), bias),
            domain=FUSED,
            epsilon=self._model.epsilon,
        )

    def _norm(self, prefix: str) -> tuple[str, str]:
        graph, model = self._graph, self._model
        return (
            graph.constant(f"{prefix}.weight", model[f"{prefix}.weight"]),
            graph.constant(f"{prefix}.bias", model[f"{prefix}.bias"]),
        )

    def _linear(self, name: str, rows: str, weight: Array) -> str:
        """A matrix [out, in] applied to rows, without its bias: what comes next adds that."""
        graph = self._graph
        matrix = np.ascontiguousarray(weight.T)
        if name in self._exact:
            return graph.add("MatMul", rows, graph.constant(f"{name}.weight", matrix))
        whole, columns = quantise_columns(matrix)
        small, scales = self._quantise(rows)
        # onnxruntime has one operation for the product and the scales of columns; a scale for each
        # row it does not take, so that this is multiplied afterwards.
        product = graph.add(
            "MatMulIntegerToFloat",
            *(small, graph.constant(f"{name}.weight", whole)),
            *(graph.floats(1.0), graph.constant(f"{name}.scales", columns)),
            graph.constant("middle", np.uint8(_MIDDLE)),
            domain=FUSED,
        )
        return graph.add("Mul", product, scales)

    def _quantise(self, rows: str) -> tuple[str, str]:
        """Rows as uint8 around 128, and the scale of each."""
        graph = self._graph
        largest = graph.add("ReduceMax", graph.add("Abs", rows), axes=[1], keepdims=0)
        largest = graph.add("Max", largest, graph.floats(_TINY))
        scales = graph.add("Mul", largest, graph.floats(1 / _TOP))
        middle = graph.add(
            "Expand",
            graph.constant("middles", np.asarray([_MIDDLE], dtype=np.uint8)),
            graph.add("Shape", scales),
        )
        small = graph.add("QuantizeLinear", rows, scales, middle, axis=0)
        return small, graph.add("Unsqueeze", scales, graph.integers(1))
