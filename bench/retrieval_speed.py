"""Search by a graph of neighbours, and in 8-bit vectors, against comparing with all of 32 bits.

A query at a time, as a user's comes; the ways take turns. The vectors are random points around
random centres, which is harder for a graph than texts are: neighbours differ by little.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from adequa.retrieval import Vectors
from adequa.retrieval.vectors import Nearest, StoredVectors, nearest, quantise
from bench.clock import ratio

COUNT = 40_000
CENTRES = 400
DIMENSION = 384
QUERIES = 50
K = 10
TIMES_EXACT = 3.0
RECALL_GRAPH = 0.95
RECALL_INT8 = 0.95


def measure(data: Path) -> list[dict[str, object]]:
    """Queries per second as ratios within this run, and the share of the true ten found."""
    del data
    vectors, queries = _vectors(COUNT, 1), _vectors(QUERIES, 2)
    stored, small = StoredVectors(vectors), StoredVectors(*quantise(vectors))
    exact = nearest(stored, queries, K)
    rows = [
        _recall(
            f"R@{K} of int8 vectors, exact search", nearest(small, queries, K), exact, RECALL_INT8
        )
    ]
    if importlib.util.find_spec("usearch") is None:
        return rows
    from adequa.retrieval.vectors import build_graph, nearest_in_graph, open_graph

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.usearch"
        build_graph(small, path)
        graph = open_graph(path, small)
    found = nearest_in_graph(graph, small, queries, K)
    ours, plain = ratio(
        _each(queries, lambda query: nearest_in_graph(graph, small, query, K)),
        _each(queries, lambda query: nearest(stored, query, K)),
        repeats=3,
    )
    rows.append(_recall(f"R@{K} of the graph of neighbours, int8", found, exact, RECALL_GRAPH))
    rows.append(
        {
            "figure": f"graph {QUERIES / ours:.0f} queries/s / exact {QUERIES / plain:.0f},"
            f" {COUNT:,} vectors",
            "value": plain / ours,
            "target": f"≥ {TIMES_EXACT:g}",
            "reached": plain / ours >= TIMES_EXACT,
        }
    )
    return rows


def _each(queries: Vectors, work: Callable[[Vectors], Nearest]) -> Callable[[], object]:
    return lambda: [work(queries[place : place + 1]) for place in range(len(queries))]


def _recall(figure: str, found: Nearest, exact: Nearest, target: float) -> dict[str, object]:
    shares = [
        len(set(ours) & set(theirs)) / K
        for ours, theirs in zip(found.positions.tolist(), exact.positions.tolist(), strict=True)
    ]
    value = float(np.mean(shares))
    return {
        "figure": f"{figure}, {COUNT:,} vectors",
        "value": value,
        "target": f"≥ {target:g}",
        "reached": value >= target,
    }


def _vectors(count: int, seed: int) -> Vectors:
    centres = np.random.default_rng(0).normal(size=(CENTRES, DIMENSION))
    generator = np.random.default_rng(seed)
    points = centres[generator.integers(CENTRES, size=count)]
    points = points + generator.normal(size=points.shape) * 0.7
    units: Vectors = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    return units
