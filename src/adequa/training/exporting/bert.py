"""BERT as an ONNX graph, written operation by operation.

Word vectors come from outside, since two models share their table. The rows of all items are one
matrix [items · tokens, hidden]; only attention knows which row belongs to which item.

In `int8` the linear layers, where nine tenths of the work are, multiply whole numbers. Each row has
a scale of its own, computed in the graph, so that an item's output depends neither on its batch nor
on padding. Attention, softmax, layer norm and gelu stay as they are.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

import numpy as np

from adequa.errors import UnknownName
from adequa.training.exporting.checkpoint import Checkpoint
from adequa.training.exporting.graph import FUSED, Graph
from adequa.training.exporting.linear import GELU, Linear

__all__ = ["PRECISIONS", "build_encoder", "build_verifier", "kept_layers", "layer_names"]

PRECISIONS = ("int8", "fp32")
_PARTS = ("qkv", "mix", "up", "down")
"""The linear layers of a block: into attention, out of it, and the two after it."""


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
    graph.add("LpNormalization", _mean(graph, states), axis=-1, p=2, name="vector")
    return graph.finish(
        "encoder", block.inputs(types=False), {"vector": ("items", checkpoint.hidden)}
    )


def build_verifier(checkpoint: Checkpoint, precision: str, keep: Sequence[str] = ()) -> bytes:
    """`words`, `mask` and `types` to `tokens`, `pair` and `state`, the mean of the last states."""
    graph = Graph()
    block = _Blocks(graph, checkpoint, precision, keep)
    states = block.unpack(block.run(types="types"))
    heads = {
        name: graph.constant(f"head.{name}", array.T if name.endswith("weight") else array)
        for name, array in checkpoint.heads.items()
    }
    tokens = graph.add("MatMul", states, heads["tokens.weight"])
    graph.add("Add", tokens, heads["tokens.bias"], name="tokens")
    first = graph.add("Gather", states, graph.constant("first", np.int64(0)), axis=1)
    graph.add(
        "Add", graph.add("MatMul", first, heads["pair.weight"]), heads["pair.bias"], name="pair"
    )
    _mean(graph, states, name="state")
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


def _mean(graph: Graph, states: str, name: str | None = None) -> str:
    """The mean over the tokens that are no padding."""
    mask = graph.add("Unsqueeze", graph.cast("mask", "FLOAT"), graph.integers(1))
    total = graph.add("Squeeze", graph.add("MatMul", mask, states), graph.integers(1))
    count = graph.add("ReduceSum", mask, graph.integers(2), keepdims=0)
    return graph.add("Div", total, count, name=name)


class _Blocks:
    """The part both models have: embeddings and the layers over them."""

    def __init__(
        self, graph: Graph, checkpoint: Checkpoint, precision: str, keep: Sequence[str]
    ) -> None:
        if precision not in PRECISIONS:
            raise UnknownName("precision", precision, PRECISIONS)
        self._graph = graph
        self._model = checkpoint
        exact = precision == "fp32"
        self._linear = Linear(graph, kept_layers(checkpoint, ("*",) if exact else keep))
        shape = graph.add("Shape", "words")
        self._length = graph.add("Gather", shape, graph.integers(1))
        self._shape = shape

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

    def unpack(self, rows: str) -> str:
        """Rows as [items, tokens, hidden]."""
        return self._graph.add("Reshape", rows, self._shape)

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
        return self._normalise(rows, "embeddings.LayerNorm")

    def _layer(self, layer: int, rows: str, mask: str) -> str:
        graph, model, linear = self._graph, self._model, self._linear
        prefix = f"encoder.layer.{layer}"
        context = self._attend(layer, rows, mask)
        weight = model[f"{prefix}.attention.output.dense.weight"]
        mixed = linear.add(f"{layer}.mix", context, weight)
        rows = self._join(mixed, rows, f"{prefix}.attention.output")
        weight = model[f"{prefix}.intermediate.dense.weight"]
        bias = graph.constant(f"{layer}.up.bias", model[f"{prefix}.intermediate.dense.bias"])
        wide = linear.add(f"{layer}.up", rows, weight)
        wide = graph.add("BiasGelu", wide, bias, domain=FUSED)
        weight = model[f"{prefix}.output.dense.weight"]
        narrow = linear.add(f"{layer}.down", wide, weight, within=GELU)
        return self._join(narrow, rows, f"{prefix}.output")

    def _attend(self, layer: int, rows: str, mask: str) -> str:
        """What each token gathers from the others of its item, a row a token."""
        graph, model = self._graph, self._model
        names = ("query", "key", "value")
        prefix = f"encoder.layer.{layer}.attention.self"
        # Three products of the same small rows: one product would have to be cut in three again.
        views = [
            self.unpack(
                self._linear.add(
                    f"{layer}.qkv", rows, model[f"{prefix}.{name}.weight"], part=f".{name}"
                )
            )
            for name in names
        ]
        bias = np.concatenate([model[f"{prefix}.{name}.bias"] for name in names])
        context = graph.add(
            "MultiHeadAttention",
            *(*views, graph.constant(f"{layer}.qkv.bias", bias), mask),
            domain=FUSED,
            num_heads=model.attention_heads,
        )
        return graph.add("Reshape", context, graph.integers(-1, model.hidden))

    def _join(self, rows: str, before: str, prefix: str) -> str:
        """Bias, what was before, and layer norm: faster in three steps than fused, as measured."""
        graph = self._graph
        bias = graph.constant(f"{prefix}.bias", self._model[f"{prefix}.dense.bias"])
        total = graph.add("Add", graph.add("Add", rows, bias), before)
        return self._normalise(total, f"{prefix}.LayerNorm")

    def _normalise(self, rows: str, prefix: str) -> str:
        graph, model = self._graph, self._model
        return graph.add(
            "LayerNormalization",
            rows,
            graph.constant(f"{prefix}.weight", model[f"{prefix}.weight"]),
            graph.constant(f"{prefix}.bias", model[f"{prefix}.bias"]),
            epsilon=model.epsilon,
            axis=-1,
        )
