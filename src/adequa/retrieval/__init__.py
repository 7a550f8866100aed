"""Retrieval between graphs and texts: an index on disk, search both ways, and recall.

>>> from adequa.retrieval import Recall
>>> Recall((1, 3, 12), pool=100).figures()["r@1"]
0.333333
"""

from __future__ import annotations

from adequa.retrieval.index import Index, build_index, open_index, read_documents
from adequa.retrieval.search import (
    TOP,
    WEIGHT,
    Hit,
    Query,
    Recall,
    Reranker,
    entity_evidence,
    evaluate,
    load_scorer,
    metric_scorer,
    read_entries,
    search,
)
from adequa.retrieval.vectors import Encoder, Graph, Vectors, encode_items, load_encoder

__all__ = [
    "TOP", "WEIGHT", "Encoder", "Graph", "Hit", "Index", "Query", "Recall", "Reranker", "Vectors",
    "build_index", "encode_items", "entity_evidence", "evaluate", "load_encoder", "load_scorer",
    "metric_scorer", "open_index", "read_documents", "read_entries", "search",
]  # fmt: skip
