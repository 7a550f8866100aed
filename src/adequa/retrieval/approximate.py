"""A graph of neighbours (HNSW, by usearch) for indexes of millions: near the best, in no time."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.errors import DataError, MissingExtra
from adequa.retrieval.encoding import Vectors
from adequa.retrieval.vectors import Nearest, Stored, cosines, nearest

__all__ = ["build_graph", "check_installed", "nearest_in_graph", "open_graph"]

CONNECTIVITY = 16
EXPANSION_BUILD = 128
EXPANSION_SEARCH = 128
"""How many candidates a build and a search keep open: the defaults of most HNSW libraries."""

_OVERSAMPLE = 4
"""Neighbours asked for each one wanted: the graph has 8-bit vectors, the last word has ours."""


def check_installed() -> Any:
    """The module usearch, or an error that says how to get it."""
    try:
        return importlib.import_module("usearch.index")
    except ImportError:
        raise MissingExtra("retrieval", "usearch") from None


def build_graph(stored: Stored, path: Path) -> None:
    """Write the graph of all rows to `path`, whole or not at all.

    One thread: with several, the same rows would give another graph each time.
    """
    graph = check_installed().Index(
        ndim=stored.dimension,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_BUILD,
        expansion_search=EXPANSION_SEARCH,
    )
    for start, rows in stored.blocks(1024):
        graph.add(np.arange(start, start + len(rows), dtype=np.uint64), rows, threads=1)
    temporary = path.with_name(path.name + ".new")
    graph.save(str(temporary))
    temporary.replace(path)


def open_graph(path: Path, stored: Stored) -> Any:
    """The graph, mapped from its file."""
    module = check_installed()
    try:
        graph = module.Index.restore(str(path), view=True)
    except Exception as error:  # noqa: BLE001  # usearch raises whatever C++ threw
        graph, why = None, str(error)
    else:
        why = "no graph in it" if graph is None else "of other vectors"
    if graph is None or len(graph) != len(stored) or graph.ndim != stored.dimension:
        raise DataError(
            f"is not the graph of this index ({why})", path=path, remedy="build the index again"
        )
    graph.expansion_search = EXPANSION_SEARCH
    return graph


def nearest_in_graph(graph: Any, stored: Stored, queries: Vectors, k: int) -> Nearest:
    """The nearest rows as far as the graph finds them, with exact cosines."""
    k = min(k, len(stored))
    wanted = min(_OVERSAMPLE * k, len(stored))
    graph.expansion_search = max(EXPANSION_SEARCH, wanted)
    positions = np.zeros((len(queries), k), dtype=np.int64)
    scores = np.zeros((len(queries), k), dtype=np.float32)
    for number, query in enumerate(queries):
        near: npt.NDArray[np.int64] = graph.search(query, wanted, threads=1).keys.astype(np.int64)
        if len(near) < k:  # rows that no way leads to; seldom, and then all are compared
            positions[number], scores[number] = (one[0] for one in nearest(stored, query[None], k))
            continue
        near.sort()
        exact = cosines(stored, query[np.newaxis], near[np.newaxis])[0]
        order = np.argsort(-exact, kind="stable")[:k]
        positions[number], scores[number] = near[order], exact[order]
    return Nearest(positions, scores)
