"""Search in an index by texts or graphs, and the reranking of the first hits.

A reranker adds the score of a pair of graph and text, such as the entity evidence, to the cosine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np

from adequa.data import Item, Triple
from adequa.errors import SettingError, UnknownName
from adequa.metrics import Metric
from adequa.retrieval.encoders import Encoder, Kind, Vectors, encode_items, import_object
from adequa.retrieval.index import Index

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
