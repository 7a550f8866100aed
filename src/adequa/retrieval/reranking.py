"""A second look at the first few: what a scorer of pairs says, blended with the cosine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from adequa.data import Item
from adequa.errors import SettingError, UnknownName
from adequa.metrics.base import Metric
from adequa.retrieval.encoding import Kind, load_object

__all__ = [
    "PairScorer",
    "Reranker",
    "entity_evidence",
    "load_scorer",
    "metric_scorer",
    "pair",
]

PairScorer: TypeAlias = Callable[[Sequence[Item]], Sequence[float]]
"""Graphs with the text that may belong to them, as items, to scores: higher is better."""

WEIGHT = 1.0
"""Of the entity evidence beside the cosine, chosen on WebNLG dev among dev and train, where twice
as much changes little and half as much loses a point of R@1."""

TOP = 50
"""How many are looked at again: enough for the encoder's misses, a fortieth of a second a query."""


@dataclass(frozen=True)
class Reranker:
    """Scores the first `top` again: `cosine + weight * scorer(pair)`; the rest stay behind them."""

    scorer: PairScorer
    top: int = TOP
    weight: float = WEIGHT

    def __post_init__(self) -> None:
        if self.top < 1:
            raise SettingError(f"one or more are ranked again, not {self.top}")
        if not math.isfinite(self.weight):
            raise SettingError(f"the weight of a scorer is a number, not {self.weight}")

    def blend(self, pairs: Sequence[Item], cosines: Sequence[float]) -> list[float]:
        """The new scores of pairs."""
        scores = self.scorer(pairs)
        return [
            float(cosine) + self.weight * float(score)
            for cosine, score in zip(cosines, scores, strict=True)
        ]


def pair(query: Item, candidate: Item, of: Kind) -> Item:
    """The graph of one and the text of the other; `of` says which the candidate gives."""
    graph, text = (query, candidate) if of == "texts" else (candidate, query)
    return Item("1", graph.triples, text.text, lang=text.lang or graph.lang, terms=graph.terms)


def entity_evidence(pairs: Sequence[Item]) -> list[float]:
    """What the entity detector sees: 1 where every entity is found and every name explained.

    The share of missing entities is taken off, and the share of unexplained names and values among
    all that the text mentions.
    """
    from adequa.entities.judging import Settings, judge

    settings = Settings()
    scores = []
    for item in pairs:
        judgment = judge(item, settings)
        missing = len(judgment.missing) / max(1, len(judgment.entities))
        foreign = len(judgment.unexplained)
        surplus = foreign / max(1, foreign + len(judgment.mentions))
        scores.append(1 - missing - surplus)
    return scores


def metric_scorer(metric: Metric) -> PairScorer:
    """A metric as a scorer of pairs: its best value is 1; its worst, and no value, is 0."""
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
        return cast(PairScorer, load_object(name, "scorer"))
    raise UnknownName("scorer", name, ["entities", *names()])
