"""Recall and mean reciprocal rank of retrieval in both directions, on the entries of any format.

A candidate with the same text, or the same set of triples, as the right one is right too. Ties
count against the encoder: candidates with the score of the right one rank before it, so an encoder
that gives equal scores finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.fields import grouped
from adequa.progress import Progress, silent
from adequa.readers import open_source
from adequa.retrieval.encoders import Encoder, Kind, Vectors, encode_items
from adequa.retrieval.index import read_graphs
from adequa.retrieval.search import Reranker, pair

DEPTHS = (1, 5, 10)

_TIE = 1e-6
"""Cosines closer than this are equal: rounding depends on the order of additions."""

_BATCH = 1024
_CELLS = 1 << 22
"""Cosines held at once: 16 MB."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The rank of the right candidate of each query, from 1, among `pool` candidates."""

    ranks: tuple[int, ...]
    pool: int

    def at(self, depth: int) -> float:
        """The share of queries whose right candidate is among the first `depth`."""
        return sum(rank <= depth for rank in self.ranks) / len(self.ranks)

    @property
    def mean_reciprocal_rank(self) -> float:
        """The mean of 1 / rank."""
        return sum(1 / rank for rank in self.ranks) / len(self.ranks)

    def figures(self) -> dict[str, float | int]:
        """The figures as printed by the command line."""
        return {
            **{f"r@{depth}": round(self.at(depth), 6) for depth in DEPTHS},
            "mrr": round(self.mean_reciprocal_rank, 6),
            "queries": len(self.ranks),
            "pool": self.pool,
        }


def evaluate(
    queries: Sequence[Item],
    pool: Sequence[Item],
    encoder: Encoder,
    *,
    rerank: Reranker | None = None,
    progress: Progress = silent,
) -> dict[str, Recall]:
    """The recall of each query's text by its graph among all texts, and the reverse.

    The candidates are the texts or graphs of the queries and of `pool`. The steps of `progress` are
    texts and graphs encoded and queries ranked.
    """
    if not queries:
        raise DataError("there are no queries", remedy="is it the right input?")
    candidates = [*queries, *pool]
    for item in candidates:
        if not (item.text.strip() and item.triples):
            problem = f"the item {item.id!r} has no {'triples' if item.text.strip() else 'text'}"
            raise DataError(problem, remedy="give items with a graph and a text")
    total = 2 * len(candidates) + 2 * len(queries)
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        progress(done, total)

    vectors: dict[Kind, Vectors] = {
        kind: _encode(encoder, candidates, kind, step) for kind in ("texts", "graphs")
    }
    texts, graphs = vectors["texts"], vectors["graphs"]
    rank = partial(ranks_of, candidates, len(queries), rerank=rerank, step=step)
    ranks = {
        "graph_to_text": rank(graphs, texts, "texts"),
        "text_to_graph": rank(texts, graphs, "graphs"),
    }
    return {name: Recall(tuple(own), len(candidates)) for name, own in ranks.items()}


def ranks_of(
    candidates: Sequence[Item],
    queries: int,
    asked: Vectors,
    found: Vectors,
    of: Kind,
    *,
    rerank: Reranker | None = None,
    step: Callable[[int], None] = lambda _count: None,
) -> list[int]:
    """The rank of the right candidate for each of the first `queries` of them.

    `asked` has the vectors of the queries, `found` those of the candidates.
    """
    if len(found) != len(candidates) or len(asked) < queries:
        raise SettingError("the number of vectors does not match the queries and candidates")
    alike = grouped(range(len(candidates)), lambda number: _content(candidates[number], of))
    ranks: list[int] = []
    size = max(1, _CELLS // len(candidates))
    for start in range(0, queries, size):
        some = range(start, min(start + size, queries))
        cosines = asked[some.start : some.stop] @ found.T
        right = [np.array(alike[_content(candidates[query], of)]) for query in some]
        rows = list(zip(some, cosines, right, strict=True))
        if rerank is None:
            ranks += [_rank(scores, own) for _, scores, own in rows]
        else:
            ranks += _reranked(candidates, rows, of, rerank)
        step(len(some))
    return ranks


def _content(item: Item, of: Kind) -> Hashable:
    return item.text if of == "texts" else frozenset(item.triples)


def _rank(scores: npt.NDArray[Any], right: npt.NDArray[np.int64]) -> int:
    as_high = scores >= scores[right].max() - _TIE
    return 1 + int(as_high.sum() - as_high[right].sum())


def _reranked(
    candidates: Sequence[Item],
    rows: Sequence[tuple[int, Vectors, npt.NDArray[np.int64]]],
    of: Kind,
    rerank: Reranker,
) -> list[int]:
    """The ranks after reranking the first candidates of each query."""
    firsts = [_first(scores, right, rerank.top) for _, scores, right in rows]
    pairs: list[Item] = []
    cosines: list[float] = []
    for (query, scores, _), first in zip(rows, firsts, strict=True):
        pairs += [pair(candidates[query], candidates[position], of) for position in first]
        cosines += scores[first].tolist()
    blended = np.array(rerank.blend(pairs, cosines))
    ranks, start = [], 0
    for (_, scores, right), first in zip(rows, firsts, strict=True):
        own = np.flatnonzero(np.isin(first, right))
        again = blended[start : start + len(first)]
        ranks.append(_rank(again, own) if len(own) else _rank(scores, right))
        start += len(first)
    return ranks


def _first(scores: Vectors, right: npt.NDArray[np.int64], top: int) -> npt.NDArray[np.int64]:
    """The positions of the highest scores; among equals the wrong candidates first."""
    top = min(top, len(scores))
    against = scores.copy()
    against[right] -= _TIE
    places = np.flatnonzero(against >= np.partition(against, -top)[-top])
    chosen: npt.NDArray[np.int64] = places[np.argsort(-against[places], kind="stable")[:top]]
    return chosen


def _encode(
    encoder: Encoder, items: Sequence[Item], kind: Kind, step: Callable[[int], None]
) -> Vectors:
    parts = []
    for start in range(0, len(items), _BATCH):
        parts.append(encode_items(encoder, items[start : start + _BATCH], kind))
        step(len(parts[-1]))
    return np.concatenate(parts)


_SEVERAL_TEXTS = {"webnlg", "enriched", "e2e"}
"""Formats in which a graph has several texts, each of them an item."""


def read_entries(path: Path | str, *, format: str | None = None) -> list[Item]:  # noqa: A002
    """Pairs of a graph and a text to measure recall on.

    In a format with several texts per graph (WebNLG, E2E) an entry is a graph with its first
    non-empty text; in other formats every item is an entry. Entries without a text are left out,
    since they cannot be found.
    """
    source = open_source(path, format=format)
    first = next(iter(source))
    if source.format in _SEVERAL_TEXTS and first.system == "reference":
        entries = [
            replace(item, text=text, references=())
            for item in read_graphs(source)
            if (text := next(filter(str.strip, item.references), ""))
        ]
    else:
        entries = [item for item in source if item.text.strip()]
    if not entries:
        raise DataError("has no texts", path=path, remedy="is it the right input?")
    return entries
