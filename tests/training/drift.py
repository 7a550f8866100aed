"""Two models compared on batches of inputs: the drift of an export, without tokens and items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from adequa.errors import DataError
from adequa.training.export import Drift, compare_outputs
from adequa.training.onnx import Array

Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
"""A model: a function from named inputs to named outputs."""


def drift(exact: Run, smaller: Run, inputs: Iterable[Mapping[str, Array]]) -> dict[str, Drift]:
    """Compare two models on batches, by the outputs that are used.

    Of an encoder `similarity`: the products of all pairs of vectors of a batch. Of a verifier
    `stated`, `unsupported`, `disfluent` and `pair`. A batch may mark where facts are read: `facts`,
    true at each [S]; without it all tokens of the graph count.
    """
    seen: dict[str, list[tuple[Array, Array]]] = {}
    for batch in inputs:
        given = {name: array for name, array in batch.items() if name != "facts"}
        before, after = _read(batch, exact(given)), _read(batch, smaller(given))
        for name, values in before.items():
            seen.setdefault(name, []).append((values, after[name]))
    if not seen:
        raise DataError("there are no inputs to compare two models on", remedy="give some batches")
    return {
        name: compare_outputs(
            name,
            np.concatenate([first for first, _ in pairs]),
            np.concatenate([second for _, second in pairs]),
        )
        for name, pairs in seen.items()
    }


def _read(batch: Mapping[str, Array], outputs: Mapping[str, Array]) -> dict[str, Array]:
    if "vector" in outputs:
        vectors = np.asarray(outputs["vector"], dtype=np.float64)
        pairs = np.triu_indices(len(vectors), k=1)
        return {"similarity": (vectors @ vectors.T)[pairs]}
    mask = np.asarray(batch["mask"], dtype=bool)
    graph = np.asarray(batch["types"]) == 1
    tokens = np.asarray(outputs["tokens"], dtype=np.float64)
    facts = np.asarray(batch.get("facts", graph), dtype=bool)
    return {
        "stated": tokens[mask & facts, 0],
        "unsupported": tokens[mask & ~graph, 1],
        "disfluent": tokens[mask & ~graph, 2],
        "pair": np.asarray(outputs["pair"], dtype=np.float64)[:, 0],
    }
