"""Queries in, hits out: the same for texts and graphs, from Python and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adequa.data import Item, Triple
from adequa.errors import SettingError
from adequa.retrieval.encoding import Encoder, Kind, Vectors, encode_items
from adequa.retrieval.folder import Index
from adequa.retrieval.reranking import Reranker, pair

__all__ = ["Hit", "Query", "search"]

Query = str | Item | Sequence[Triple]
"""A text is a string; a graph is its triples, or an item whose triples are meant."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found: what it is, how near, and its score after a second look at it."""

    item: Item
    cosine: float
    score: float


def search(
    index: Index,
    queries: Sequence[Query],
    encoder: Encoder,
    *,
    k: int = 10,
    rerank: Reranker | None = None,
    exact: bool | None = None,
) -> list[list[Hit]]:
    """The `k` nearest for each query, best first.

    Texts find graphs and graphs find texts, depending on what the index is of; like finds like as
    well. With `rerank` the first `rerank.top` are put in the order of their new scores; what stands
    behind them keeps its cosine as its score. `exact` passes by the graph of neighbours.
    """
    index.check(encoder)
    if k < 1:
        raise SettingError(f"one or more are looked for, not {k}")
    if isinstance(queries, str):
        raise SettingError("queries are a sequence; put a single text into a list")
    asked = [_item(query) for query in queries]
    if not asked:
        return []
    if rerank is not None and any(kind == index.of for _, kind in asked):
        raise SettingError(
            f"an index of {index.of} can be ranked again for queries that are"
            f" {'graphs' if index.of == 'texts' else 'texts'} alone"
        )
    vectors = _vectors(asked, encoder)
    wanted = k if rerank is None else max(k, rerank.top)
    positions, scores = index.nearest(vectors, wanted, exact=exact)
    found = []
    for (query, _), row, cosines in zip(asked, positions.tolist(), scores.tolist(), strict=True):
        hits = [
            Hit(index.item(position), cosine, cosine)
            for position, cosine in zip(row, cosines, strict=True)
        ]
        found.append((hits if rerank is None else _again(query, hits, index.of, rerank))[:k])
    return found


def _item(query: Query) -> tuple[Item, Kind]:
    if isinstance(query, str):
        return Item("1", (), query), "texts"
    if isinstance(query, Item):
        return query, "graphs"
    triples = tuple(Triple(*triple) for triple in query)
    if not triples:
        raise SettingError("a query has no triples; give one or more, or a text")
    return Item("1", triples, ""), "graphs"


def _vectors(asked: Sequence[tuple[Item, Kind]], encoder: Encoder) -> Vectors:
    rows: dict[int, Vectors] = {}
    kinds: tuple[Kind, ...] = ("texts", "graphs")
    for kind in kinds:
        places = [place for place, (_, own) in enumerate(asked) if own == kind]
        if places:
            vectors = encode_items(encoder, [asked[place][0] for place in places], kind)
            rows.update(zip(places, vectors, strict=True))
    return np.stack([rows[place] for place in range(len(asked))])


def _again(query: Item, hits: list[Hit], of: Kind, rerank: Reranker) -> list[Hit]:
    first, rest = hits[: rerank.top], hits[rerank.top :]
    pairs = [pair(query, hit.item, of) for hit in first]
    scores = rerank.blend(pairs, [hit.cosine for hit in first])
    scored = [replace(hit, score=score) for hit, score in zip(first, scores, strict=True)]
    return sorted(scored, key=lambda hit: -hit.score) + rest
