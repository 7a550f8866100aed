"""Metrics on items, in memory: what runs, the Python API and every later surface stand on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from adequa.data import Item, Result, Score
from adequa.errors import ModelError
from adequa.joining import join
from adequa.metrics.base import Scorer

__all__ = ["extend_results", "score_items"]


def score_items(items: Iterable[Item], metrics: Mapping[str, Scorer]) -> list[Result]:
    """One result an item, in order."""
    return extend_results([Result(item, {}) for item in items], metrics)


def extend_results(results: Sequence[Result], metrics: Mapping[str, Scorer]) -> list[Result]:
    """The results with what further metrics say added to each."""
    if not results:
        return []
    items = [result.item for result in results]
    columns = {label: _checked(label, metric, items) for label, metric in metrics.items()}
    return [
        join(result, {label: scores[position] for label, scores in columns.items()})
        for position, result in enumerate(results)
    ]


def _checked(label: str, metric: Scorer, items: Sequence[Item]) -> list[Score]:
    """The metric's scores, if they keep what the interface promises: a plug-in may not."""
    scores = metric.score(items)
    if len(scores) != len(items):
        raise ModelError(
            f"the metric {label!r} gave {len(scores)} scores for {len(items)} items; "
            "it must give one for each, in order"
        )
    for item, score in zip(items, scores, strict=True):
        if score.value is not None and not math.isfinite(score.value):
            raise ModelError(
                f"the metric {label!r} gave {score.value} for the item {item.id!r}; "
                "a metric that cannot score an item must give None and a reason"
            )
    return scores
