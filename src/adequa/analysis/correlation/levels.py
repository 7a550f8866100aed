"""The levels at which metrics and people are compared: coefficients, p-values and resamples.

text          all texts of all systems in one pool
item          over the systems of each input, then the mean over inputs
system-mean   over the texts of each system, then the mean over systems
system        over systems, each by its means
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.errors import UnknownName
from adequa.stats import (
    COEFFICIENTS,
    resampled_correlations,
    resampled_kendall,
    resampled_pearson,
    rowwise_correlations,
)

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

LEVELS = ("text", "item", "system-mean", "system")
MOST_KENDALL = 30_000
"""Kendall's coefficient is resampled over pairs of texts; with more texts it takes minutes."""


class Places(NamedTuple):
    """The number of each text's input and of its system."""

    inputs: Codes
    systems: Codes


class Coefficient(NamedTuple):
    """A coefficient, its p-value where defined, its pairs, and the groups it is averaged over."""

    value: float | None
    p: float | None
    pairs: int
    groups: int | None = None


def correlate_at(
    level: str, coefficient: str, first: Vector, second: Vector, places: Places
) -> Coefficient:
    """The coefficient at a level; all values are finite.

    The p-value at text level treats texts as independent, which those on one input are not. At item
    level it is Student's t test of the inputs' coefficients against 0. Systems share their inputs,
    so the mean over systems has no p-value.
    """
    _validate(level)
    if level == "system":
        first, second = (system_means(side, places.systems) for side in (first, second))
    if level in ("text", "system"):
        found = COEFFICIENTS[coefficient](first, second)
        if found is None:
            return Coefficient(None, None, len(first))
        return Coefficient(found.value, found.p, found.pairs)
    values = _by_group(coefficient, first, second, _groups(level, places))
    defined = values[np.isfinite(values)]
    if not len(defined):
        return Coefficient(None, None, len(first), 0)
    p = _student_p(defined) if level == "item" else None
    return Coefficient(float(defined.mean()), p, len(first), len(defined))


def agreement_of(
    level: str, coefficient: str, target: Vector, places: Places
) -> Callable[[Matrix], Vector]:
    """A function from rows of scores, one column per text, to coefficients with the target."""
    _validate(level)
    if level == "text":
        return lambda rows: rowwise_correlations(rows, target, coefficient)
    if level == "system":
        names, codes = np.unique(places.systems, return_inverse=True)
        share = np.eye(len(names))[codes] / np.bincount(codes)
        goal = _tied(target @ share)
        return lambda rows: rowwise_correlations(_tied(rows @ share), goal, coefficient)
    groups = _members(_groups(level, places))

    def mean(rows: Matrix) -> Vector:
        found = np.array(
            [rowwise_correlations(rows[:, one], target[one], coefficient) for one in groups]
        )
        return _mean_of_defined(found)

    return mean


def resample_at(
    level: str,
    coefficient: str,
    first: Vector,
    second: Vector,
    places: Places,
    draws: Matrix,
) -> Vector | None:
    """The coefficient in each resample of the inputs; None where that would take too long.

    `draws` has one row per resample: how often each input is drawn.
    """
    _validate(level)
    if level == "text":
        return _resample(coefficient, first, second, places.inputs, draws)
    if level == "item":
        groups = _members(places.inputs)
        values = _by_group(coefficient, first, second, places.inputs)
        inputs = np.array([places.inputs[one[0]] for one in groups], dtype=np.int64)
        defined = np.isfinite(values)
        weights = draws[:, inputs[defined]]
        total = weights.sum(axis=1)
        found: Vector = np.full(len(draws), np.nan)
        np.divide(weights @ values[defined], total, out=found, where=total > 0)
        return found
    if level == "system":
        sides = [_resampled_means(side, places, draws) for side in (first, second)]
        values = rowwise_correlations(sides[0], sides[1], coefficient)
        # Where a system was not drawn, only the others are compared.
        for row in np.flatnonzero(np.isnan(sides[0]).any(axis=1)):
            there = np.isfinite(sides[0][row])
            one = COEFFICIENTS[coefficient](sides[0][row, there], sides[1][row, there])
            values[row] = np.nan if one is None else one.value
        return values
    each = [
        _resample(coefficient, first[one], second[one], places.inputs[one], draws)
        for one in _members(places.systems)
    ]
    defined_in = [values for values in each if values is not None]
    return _mean_of_defined(np.array(defined_in)) if len(defined_in) == len(each) else None


def _validate(level: str) -> None:
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS)


def _groups(level: str, places: Places) -> Codes:
    return places.inputs if level == "item" else places.systems


def _members(groups: Codes) -> list[Codes]:
    """The rows of the texts of each group, groups in order."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(groups) else []


def _by_group(coefficient: str, first: Vector, second: Vector, groups: Codes) -> Vector:
    found = [COEFFICIENTS[coefficient](first[one], second[one]) for one in _members(groups)]
    return np.array([np.nan if one is None else one.value for one in found])


def _student_p(values: Vector) -> float | None:
    if len(values) < 2 or np.ptp(values) <= 1e-12:
        return None
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(values, 0).pvalue)


def system_means(values: Vector, systems: Codes) -> Vector:
    """The mean of each system's values, systems in order."""
    return _tied(np.array([values[one].mean() for one in _members(systems)]))


def _tied(means: Matrix) -> Matrix:
    """Means rounded so that ties are not broken by the order of summation."""
    greatest = np.nanmax(np.abs(means), initial=0.0)
    if not np.isfinite(greatest) or greatest == 0:
        return means
    tied: Matrix = np.round(means / greatest, 12) * greatest
    return tied


def _resampled_means(values: Vector, places: Places, draws: Matrix) -> Matrix:
    names, codes = np.unique(places.systems, return_inverse=True)
    sums, counts = (np.zeros((draws.shape[1], len(names))) for _ in range(2))
    np.add.at(sums, (places.inputs, codes), values)
    np.add.at(counts, (places.inputs, codes), 1.0)
    drawn = draws @ counts
    means: Matrix = np.full(drawn.shape, np.nan)
    np.divide(draws @ sums, drawn, out=means, where=drawn > 0)
    return _tied(means)


def _resample(
    coefficient: str, first: Vector, second: Vector, inputs: Codes, draws: Matrix
) -> Vector | None:
    if coefficient == "kendall":
        if len(first) > MOST_KENDALL:
            return None
        return resampled_kendall(first, second, inputs, draws)
    if coefficient == "pearson":
        return resampled_pearson(first, second, inputs, draws)
    counts = draws[:, inputs]
    drawn = counts.sum(axis=1) > 0
    found: Vector = np.full(len(draws), np.nan)
    found[drawn] = resampled_correlations(first, second, counts[drawn], "spearman")
    return found


def _mean_of_defined(values: Matrix) -> Vector:
    """The mean of the finite values of each column; NaN where there are none."""
    defined = np.isfinite(values)
    count = defined.sum(axis=0)
    found: Vector = np.full(values.shape[1], np.nan)
    np.divide(np.where(defined, values, 0.0).sum(axis=0), count, out=found, where=count > 0)
    return found
