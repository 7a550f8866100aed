"""Graphs and texts that belong together: an index on disk, search both ways, and recall.

>>> from adequa.retrieval import Recall
>>> Recall((1, 3, 12), pool=100).figures()["r@1"]
0.333333
"""

from __future__ import annotations

from adequa.retrieval.encoders import Encoder, load_encoder
from adequa.retrieval.evaluation import Recall, evaluate
from adequa.retrieval.index import Index, build_index, open_index
from adequa.retrieval.search import (
    Hit,
    Reranker,
    entity_evidence,
    load_scorer,
    metric_scorer,
    search,
)
from adequa.retrieval.sources import read_documents, read_entries

__all__ = [
    "Encoder",
    "Hit",
    "Index",
    "Recall",
    "Reranker",
    "build_index",
    "entity_evidence",
    "evaluate",
    "load_encoder",
    "load_scorer",
    "metric_scorer",
    "open_index",
    "read_documents",
    "read_entries",
    "search",
]
