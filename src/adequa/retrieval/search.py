"""Search in an index by texts or graphs, the reranking of the first hits, and its evaluation.

A reranker adds the score of a pair of graph and text, such as the entity evidence, to the cosine.
The evaluation gives recall and mean reciprocal rank in both directions, on the entries of any
format. A candidate with the same text, or the same set of triples, as the right one is right too.
Ties count against the encoder: candidates with the score of the right one rank before it, so an
encoder that gives equal scores finds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.fields import grouped
from adequa.metrics import Metric
from adequa.progress import Progress, silent
from adequa.readers import open_source
from adequa.retrieval.index import Index, read_graphs
from adequa.retrieval.vectors import Encoder, Kind, Vectors, encode_items, import_object

PairScorer: TypeAlias = Callable[[Sequence[Item]], Sequence[float]]
"""Scores pairs of a graph and a text, given as items; higher is better."""

WEIGHT = 1.0
"""The weight of the entity evidence, chosen on WebNLG dev among dev and train: twice as much
changes little, half as much loses a point of R@1."""

TOP = 50
"""The number of hits to rerank: enough for the misses of the encoder, 25 ms per query."""


@dataclass(frozen=True)
class Reranker:
    """Scores the first `top` hits as `cosine + weight * scorer(pair)`; the rest stay behind."""

    scorer: PairScorer
    top: int = TOP
    weight: float = WEIGHT

    def __post_init__(self) -> None:
        if self.top < 1:
            raise SettingError(f"the number of hits to rerank is at least 1, not {self.top}")
        if not math.isfinite(self.weight):
            raise SettingError(f"the weight of a scorer is a number, not {self.weight}")

    def blend(self, pairs: Sequence[Item], cosines: Sequence[float]) -> list[float]:
        """The new scores of pairs."""
        scored = zip(cosines, self.scorer(pairs), strict=True)
        return [float(cosine) + self.weight * float(score) for cosine, score in scored]


def pair(query: Item, candidate: Item, of: Kind) -> Item:
    """The graph of one and the text of the other; `of` is what the candidate contributes."""
    graph, text = (query, candidate) if of == "texts" else (candidate, query)
    return Item("1", graph.triples, text.text, lang=text.lang or graph.lang, terms=graph.terms)


def entity_evidence(pairs: Sequence[Item]) -> list[float]:
    """The entity detector as a scorer: 1 if every entity is found and every name explained.

    The share of missing entities is subtracted, and the share of unexplained names and values among
    all mentions of the text.
    """
    from adequa.entities import JudgmentSettings, judge

    settings = JudgmentSettings()
    scores = []
    for item in pairs:
        judgment = judge(item, settings)
        missing = len(judgment.missing) / max(1, len(judgment.entities))
        foreign = len(judgment.unexplained)
        surplus = foreign / max(1, foreign + len(judgment.mentions))
        scores.append(1 - missing - surplus)
    return scores


def metric_scorer(metric: Metric) -> PairScorer:
    """A metric as a scorer of pairs, from 1 for its best value to 0 for its worst or none."""
    if metric.needs_references:
        raise SettingError(f"{metric.name} needs references, so it cannot rank pairs")
    span = metric.best - metric.worst
    if not math.isfinite(span) or span == 0:
        raise SettingError(f"{metric.name} has no best and worst value, so it cannot rank pairs")

    def score(pairs: Sequence[Item]) -> list[float]:
        values = (one.value for one in metric.score(pairs))
        return [0.0 if value is None else (value - metric.worst) / span for value in values]

    return score


def load_scorer(name: str) -> PairScorer:
    """`entities`, a metric with its settings, or a function as `package.module:function`."""
    from adequa.metrics import names, resolve

    if name == "entities":
        return entity_evidence
    if name.partition(":")[0] in names():
        (metric,) = resolve([name]).values()
        return metric_scorer(metric)
    if ":" in name:
        return cast(PairScorer, import_object(name, "scorer"))
    raise UnknownName("scorer", name, ["entities", *names()])


Query = str | Item | Sequence[Triple]
"""A text is a string; a graph is a sequence of triples, or an item with triples."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An item found, its cosine, and its score after reranking."""

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

    An index of texts or graphs can be searched by either. With `rerank` the first `rerank.top` hits
    are sorted by their new scores; the others keep their cosine as score. `exact` does not use the
    graph of neighbours.
    """
    index.require_encoder(encoder)
    if k < 1:
        raise SettingError(f"the number of hits is at least 1, not {k}")
    if isinstance(queries, str):
        raise SettingError("queries are a sequence; put a single text into a list")
    asked = [_item(query) for query in queries]
    if not asked:
        return []
    if rerank is not None and any(kind == index.of for _, kind in asked):
        raise SettingError(
            f"an index of {index.of} can be reranked only for queries that are"
            f" {'graphs' if index.of == 'texts' else 'texts'}"
        )
    vectors = _vectors(asked, encoder)
    wanted = k if rerank is None else max(k, rerank.top)
    positions, scores = index.nearest(vectors, wanted, exact=exact)
    found = []
    for (query, _), row, cosines in zip(asked, positions.tolist(), scores.tolist(), strict=True):
        near = zip(row, cosines, strict=True)
        hits = [Hit(index.item(position), cosine, cosine) for position, cosine in near]
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
