"""Every metric against every criterion, with intervals from resampled inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np

from adequa.correlate.filters import take_subset
from adequa.correlate.levels import Places, correlate_at, resample_at
from adequa.correlate.model import Agreement, Matrix, Options, Sample, Vector
from adequa.errors import DataError
from adequa.stats.clustered import cluster_draws
from adequa.stats.correlations import FEWEST_PAIRS
from adequa.stats.intervals import percentile_interval
from adequa.stats.pairwise import pairwise_accuracy, soft_pairwise_accuracy

__all__ = ["ACCURACY", "SOFT_ACCURACY", "Subset", "correlations", "matrix", "subset_of"]

ACCURACY, SOFT_ACCURACY = "acc_eq", "spa"
_OVER_SYSTEMS = ("item", "system")


class Subset:
    """The texts of a subset with the draws of their inputs, the same for every measure."""

    def __init__(self, name: str, sample: Sample, options: Options) -> None:
        self.name, self.sample, self.options = name, sample, options
        names, inputs = np.unique(sample.inputs, return_inverse=True)
        self.places = Places(inputs.astype(np.int64), sample.systems)
        self.draws: Matrix = cluster_draws(len(names), n=options.n, seed=options.seed)

    def complete(self, *columns: Vector) -> tuple[list[Vector], Places]:
        """The columns where all are finite, and the places of those texts."""
        there = np.isfinite(np.array(columns)).all(axis=0)
        places = Places(self.places.inputs[there], self.places.systems[there])
        return [column[there] for column in columns], places


def subset_of(sample: Sample, name: str, options: Options) -> Subset:
    """A subset of the sample; a DataError where a level has too few systems in it."""
    chosen = take_subset(sample, name)
    systems = len(np.unique(chosen.systems))
    for level in options.levels:
        if level in _OVER_SYSTEMS and systems < FEWEST_PAIRS:
            raise DataError(
                f"level {level} compares systems, and {systems} of the rated ones "
                f"{'is' if systems == 1 else 'are'} scored (subset {name})",
                remedy=f"score at least {FEWEST_PAIRS}, or ask for --level text",
            )
    return Subset(name, chosen, options)


def correlations(
    subset: Subset,
    higher_is_better: Mapping[str, bool],
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[Agreement], list[str]]:
    """All that is asked of a subset, and notes on what cannot be said."""
    found: list[Agreement] = []
    notes: dict[str, None] = {}
    for level in subset.options.levels:
        for metric, scores in subset.sample.metrics.items():
            for criterion, ratings in subset.sample.criteria.items():
                for coefficient in subset.options.coefficients:
                    one, note = _one(subset, level, coefficient, metric, scores, criterion, ratings)
                    found.append(one)
                    notes.update(dict.fromkeys(note))
                sign = 1.0 if higher_is_better[metric] else -1.0
                if level == "item":
                    found.append(_accuracy(subset, metric, sign * scores, criterion, ratings))
                if level == "system":
                    found.append(_soft(subset, metric, sign * scores, criterion, ratings))
                progress()
    return found, list(notes)


def _one(
    subset: Subset,
    level: str,
    coefficient: str,
    metric: str,
    scores: Vector,
    criterion: str,
    ratings: Vector,
) -> tuple[Agreement, list[str]]:
    (first, second), places = subset.complete(scores, ratings)
    found = correlate_at(level, coefficient, first, second, places)
    interval, notes = None, []
    if found.value is None:
        notes = [_reason(metric, first, criterion, second, level, subset.name)]
    else:
        replicates = resample_at(level, coefficient, first, second, places, subset.draws)
        if replicates is None:
            notes = [f"no intervals of {coefficient}: {len(first):,} texts would take too long"]
        else:
            interval = percentile_interval(replicates, subset.options.confidence)
    one = Agreement(
        metric,
        criterion,
        level,
        coefficient,
        subset.name,
        found.value,
        interval,
        found.p,
        found.pairs,
        found.groups,
    )
    return one, notes


def _reason(
    metric: str, scores: Vector, criterion: str, ratings: Vector, level: str, subset: str
) -> str:
    where = f"{metric} with {criterion}, subset {subset}: no correlation"
    if len(scores) < FEWEST_PAIRS:
        return f"{where}: {len(scores)} texts have both, and {FEWEST_PAIRS} are needed"
    for name, values in ((metric, scores), (criterion, ratings)):
        if np.ptp(values) == 0:
            return f"{where}: {name} is {values[0]:g} for every text"
    return f"{where} at level {level}: one of them does not vary, or there are too few to compare"


def _accuracy(
    subset: Subset, metric: str, scores: Vector, criterion: str, ratings: Vector
) -> Agreement:
    (first, second), places = subset.complete(scores, ratings)
    found = pairwise_accuracy(first, second, places.inputs)
    if found is None:
        return Agreement(metric, criterion, "item", ACCURACY, subset.name, None, n=0)
    inputs = np.unique(places.inputs)
    defined = np.isfinite(found.by_group)
    weights = subset.draws[:, inputs[defined]]
    total = weights.sum(axis=1)
    replicates: Vector = np.full(len(weights), np.nan)
    np.divide(weights @ found.by_group[defined], total, out=replicates, where=total > 0)
    return Agreement(
        metric,
        criterion,
        "item",
        ACCURACY,
        subset.name,
        found.value,
        percentile_interval(replicates, subset.options.confidence),
        n=len(first),
        groups=int(defined.sum()),
        epsilon=found.epsilon,
    )


def _soft(
    subset: Subset, metric: str, scores: Vector, criterion: str, ratings: Vector
) -> Agreement:
    (first, second), places = subset.complete(scores, ratings)
    tables = []
    for values in (first, second):
        table = np.full((len(subset.sample.system_names), subset.draws.shape[1]), np.nan)
        table[places.systems, places.inputs] = values
        tables.append(table)
    value = soft_pairwise_accuracy(*tables, n=subset.options.n, seed=subset.options.seed)
    systems = len(np.unique(places.systems))
    return Agreement(metric, criterion, "system", SOFT_ACCURACY, subset.name, value, n=systems)


def matrix(subset: Subset) -> list[Agreement]:
    """Every two of metrics and criteria, at each level and by each coefficient."""
    columns = dict(subset.sample.metrics)
    for name, values in subset.sample.criteria.items():
        columns[f"{name} (people)" if name in columns else name] = values
    found = []
    for level in subset.options.levels:
        for coefficient in subset.options.coefficients:
            for first, second in combinations(columns, 2):
                both, places = subset.complete(columns[first], columns[second])
                one = correlate_at(level, coefficient, both[0], both[1], places)
                found.append(
                    Agreement(
                        first,
                        second,
                        level,
                        coefficient,
                        subset.name,
                        one.value,
                        None,
                        one.p,
                        one.pairs,
                        one.groups,
                    )
                )
    return found
