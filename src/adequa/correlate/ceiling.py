"""How well one rater agrees with the others: a yardstick for metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from adequa.correlate.levels import Places, correlate_at, resample_at
from adequa.correlate.model import Agreement, Codes, Matrix, Options, Sample, Vector
from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.judgments import Key
from adequa.stats.clustered import cluster_draws
from adequa.stats.intervals import percentile_interval

__all__ = ["ONE_RATER", "ceiling", "has_single_judgments"]

ONE_RATER = "one rater"


def has_single_judgments(ratings: Sequence[Rating]) -> bool:
    """Whether some text has the values of two raters."""
    raters: dict[tuple[str, str, str], str] = {}
    return any(
        rating.rater
        and raters.setdefault((rating.criterion, rating.system, rating.id), rating.rater)
        != rating.rater
        for rating in ratings
    )


def ceiling(
    ratings: Sequence[Rating], sample: Sample, options: Options
) -> tuple[list[Agreement], list[Agreement]]:
    """One rater against the mean of the others, and each metric against that mean.

    A pair is a text and a rater of it, where somebody else rated it too; who judged a text twice
    counts once, with the mean. Both lists are over the same pairs, so a metric above the first is
    as good as a person. Inputs are resampled; the p-values take pairs for independent.
    """
    if not has_single_judgments(ratings):
        raise DataError(
            "the ceiling needs single judgments by several raters, and these are averages or of "
            "one rater a text",
            remedy="give the file of single judgments, or --no-ceiling",
        )
    draws = cluster_draws(int(sample.inputs.max()) + 1, n=options.n, seed=options.seed)
    people: list[Agreement] = []
    metrics: list[Agreement] = []
    for criterion in sample.criteria:
        rows, own, others = _pairs(ratings, sample, criterion)
        if not len(rows):
            continue
        for coefficient in options.coefficients:
            people.append(
                _agreement(
                    ONE_RATER, criterion, coefficient, own, others, rows, sample, draws, options
                )
            )
            for name, scores in sample.metrics.items():
                metrics.append(
                    _agreement(
                        name,
                        criterion,
                        coefficient,
                        scores[rows],
                        others,
                        rows,
                        sample,
                        draws,
                        options,
                    )
                )
    return people, metrics


def _pairs(
    ratings: Sequence[Rating], sample: Sample, criterion: str
) -> tuple[Codes, Vector, Vector]:
    """Of each pair: the place of its text, the rater's value, the mean of the others."""
    values: dict[Key, dict[str, list[float]]] = {}
    for rating in ratings:
        if rating.criterion == criterion and rating.rater:
            key = rating.system, rating.id
            values.setdefault(key, {}).setdefault(rating.rater, []).append(rating.value)
    rows, own, others = [], [], []
    for place, key in enumerate(sample.keys):
        by_rater = _means(values.get(key, {}))
        if len(by_rater) < 2:
            continue
        total = sum(by_rater.values())
        for value in by_rater.values():
            rows.append(place)
            own.append(value)
            others.append((total - value) / (len(by_rater) - 1))
    return np.array(rows, dtype=np.int64), np.array(own), np.array(others)


def _means(by_rater: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {rater: sum(values) / len(values) for rater, values in sorted(by_rater.items())}


def _agreement(
    name: str,
    criterion: str,
    coefficient: str,
    first: Vector,
    second: Vector,
    rows: Codes,
    sample: Sample,
    draws: Matrix,
    options: Options,
) -> Agreement:
    there = np.isfinite(first)
    places = Places(sample.inputs[rows[there]], sample.systems[rows[there]])
    found = correlate_at("text", coefficient, first[there], second[there], places)
    interval = None
    if found.value is not None:
        again = resample_at("text", coefficient, first[there], second[there], places, draws)
        interval = None if again is None else percentile_interval(again, options.confidence)
    return Agreement(
        name, criterion, "text", coefficient, "all", found.value, interval, found.p, found.pairs
    )
