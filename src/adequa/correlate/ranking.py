"""Systems ranked on the rated sample and on all texts: Table 1 of paper 004."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from adequa.correlate.model import Measured, Rank, Ranking, Sample, Text
from adequa.errors import AdequaError
from adequa.human.judgments import Key
from adequa.metrics import load_metric
from adequa.stats.correlations import kendall

__all__ = ["rank_systems"]

Corpus = Callable[[Sequence[float]], float | None]


def rank_systems(
    texts: Mapping[Key, Text], measured: Sequence[Measured], sample: Sample
) -> tuple[list[Ranking], list[str]]:
    """Each metric's ranking of the rated systems, and notes on what has none.

    A metric whose corpus value is one number ranks by it, as BLEU does; the others by their mean.
    """
    rated = set(sample.keys)
    by_system: dict[str, list[Key]] = {name: [] for name in sample.system_names}
    for key in sorted(texts, key=lambda key: (key[1], key[0])):
        if key[0] in by_system:
            by_system[key[0]].append(key)
    rankings, notes = [], []
    if not any(key not in rated for keys in by_system.values() for key in keys):
        notes.append("ranking: every scored text of the systems is rated, so nothing can change")
    for one in measured:
        corpus = _corpus(one, texts)
        rows = []
        for system, keys in by_system.items():
            chosen = [key for key in keys if key in rated]
            part, whole = (_value(one.name, texts, some, corpus) for some in (chosen, keys))
            if part is None or whole is None:
                notes.append(f"ranking: {one.name} has no value for {system}, which is left out")
            else:
                rows.append((system, part, whole, len(chosen), len(keys)))
        if not rows:
            continue
        sign = 1.0 if one.higher_is_better else -1.0
        parts, wholes = (
            _ranks([sign * row[1] for row in rows]),
            _ranks([sign * row[2] for row in rows]),
        )
        ranks = [
            Rank(system, part, place, whole, whole_place, few, many)
            for (system, part, whole, few, many), place, whole_place in zip(
                rows, parts, wholes, strict=True
            )
        ]
        ranks.sort(key=lambda rank: (rank.sample_rank, rank.system))
        together = kendall([row[1] for row in rows], [row[2] for row in rows])
        kind = "mean" if corpus is None else "corpus"
        value = None if together is None else together.value
        rankings.append(Ranking(one.name, kind, tuple(ranks), value))
    return rankings, notes


def _ranks(values: Sequence[float]) -> list[int]:
    """1 is the highest; equal values share the better place."""
    return [1 + sum(other > value for other in values) for value in values]


def _value(
    name: str, texts: Mapping[Key, Text], keys: Sequence[Key], corpus: Corpus | None
) -> float | None:
    if corpus is not None:
        rows = [texts[key].statistics[name] for key in keys if name in texts[key].statistics]
        return corpus([math.fsum(column) for column in zip(*rows, strict=True)]) if rows else None
    scores = [texts[key].scores.get(name) for key in keys]
    values = [score for score in scores if score is not None]
    return math.fsum(values) / len(values) if values else None


def _corpus(one: Measured, texts: Mapping[Key, Text]) -> Corpus | None:
    """How a metric makes one number of all texts; None where it is the mean."""
    row = next(
        (text.statistics[one.name] for text in texts.values() if one.name in text.statistics), None
    )
    if one.builder is None or row is None:
        return None
    name, settings = one.builder
    try:
        metric = load_metric(name, **settings)
    except AdequaError:  # a metric of somebody's own that is not installed here
        return None
    if not isinstance(metric.corpus(row), float | int):
        return None

    def value(totals: Sequence[float]) -> float | None:
        found = metric.corpus(totals)
        return float(found) if isinstance(found, float | int) else None

    return value
