"""How often a metric puts two texts, or two systems, in the order people put them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

_ROUNDING = 1e-12
_ROWS = 500


class Accuracy(NamedTuple):
    """The share of pairs on which a metric and people say the same, in the mean over groups."""

    value: float
    epsilon: float
    """Two scores that differ by no more are tied."""
    pairs: int
    by_group: Vector
    """The share in each group, groups in order; NaN where a group has no pair."""


def pairwise_accuracy(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    groups: npt.ArrayLike,
    *,
    epsilon: float | None = None,
) -> Accuracy | None:
    """acc_eq of Deutsch, Foster and Freitag (2023, "Ties Matter"), pairs taken within groups.

    A pair counts when both put it in the same order, or both call it a tie. People tie where their
    values are equal, the metric where its scores differ by at most `epsilon`. Without one, the
    smallest that gives the best accuracy is taken, the same in all groups, which is the paper's tie
    calibration and an optimistic choice: it has seen the ratings. None without a pair.

    >>> pairwise_accuracy([0.1, 0.9, 0.5, 0.6], [1, 2, 3, 3], [0, 0, 0, 0], epsilon=0).value
    0.5
    """
    scores, values = (np.asarray(side, dtype=np.float64) for side in (metric, human))
    _, places = np.unique(np.asarray(groups), return_inverse=True)
    if not len(scores) == len(values) == len(places):
        raise ValueError("a pairwise accuracy needs a score, a rating and a group for each text")
    if not (np.isfinite(scores).all() and np.isfinite(values).all()):
        raise ValueError("scores and ratings are finite numbers")
    if epsilon is not None and not epsilon >= 0:
        raise ValueError(f"a tie is a difference from 0 on, not {epsilon}")
    count = int(places.max()) + 1 if len(places) else 0
    pairs = _pairs(scores, values, places, count)
    if not len(pairs.group):
        return None
    each = np.bincount(pairs.group, minlength=count)
    weights = 1 / (each[pairs.group] * np.count_nonzero(each))
    bound = _best_epsilon(pairs, weights) if epsilon is None else epsilon
    right = np.where(pairs.apart <= bound, pairs.tied, pairs.ordered)
    sums = np.bincount(pairs.group, weights=right, minlength=count)
    by_group = np.full(count, np.nan)
    np.divide(sums, each, out=by_group, where=each > 0)
    return Accuracy(float(np.nanmean(by_group)), bound, len(pairs.group), by_group)


class _Pairs(NamedTuple):
    group: npt.NDArray[np.int64]
    apart: Vector
    """How far apart the metric puts the two."""
    tied: npt.NDArray[np.bool_]
    """Whether people tie them."""
    ordered: npt.NDArray[np.bool_]
    """Whether both put them in the same order."""


def _pairs(scores: Vector, values: Vector, places: npt.NDArray[np.int64], count: int) -> _Pairs:
    columns: list[list[npt.NDArray[np.float64]]] = [[], [], []]
    for group in range(count):
        inside = np.flatnonzero(places == group)
        left, right = np.triu_indices(len(inside), 1)
        columns[0].append(np.full(len(left), group, dtype=np.float64))
        columns[1].append(scores[inside[left]] - scores[inside[right]])
        columns[2].append(values[inside[left]] - values[inside[right]])
    group_of, by_metric, by_people = (
        np.concatenate(column) if column else np.zeros(0) for column in columns
    )
    ordered = (np.sign(by_metric) == np.sign(by_people)) & (by_people != 0)
    return _Pairs(group_of.astype(np.int64), np.abs(by_metric), by_people == 0, ordered)


def _best_epsilon(pairs: _Pairs, weights: Vector) -> float:
    """The smallest of the best: 0, or a distance that occurs."""
    candidates, place = np.unique(np.append(pairs.apart, 0.0), return_inverse=True)
    gained = np.bincount(place[:-1], weights=weights * pairs.tied, minlength=len(candidates))
    lost = np.bincount(place[:-1], weights=weights * pairs.ordered, minlength=len(candidates))
    accuracy = np.cumsum(gained - lost)
    return float(candidates[np.flatnonzero(accuracy >= accuracy.max() - _ROUNDING)[0]])


def soft_pairwise_accuracy(
    metric: npt.ArrayLike, human: npt.ArrayLike, *, n: int = 1000, seed: int = 0
) -> float | None:
    """SPA of Thompson et al. (2024): how sure a metric is of a pair of systems, against people.

    Matrices have a row a system and a column an input, NaN where a text is missing. For each pair
    of systems a permutation test of the paired differences says how likely the first is no better,
    once by the metric and once by people; the accuracy of a pair is one less the difference of
    the two p-values. Draws as great as the observed count half, so that the order of systems does
    not matter. None without two systems that share an input.
    """
    scores, values = (np.asarray(side, dtype=np.float64) for side in (metric, human))
    if scores.ndim != 2 or scores.shape != values.shape:
        raise ValueError("scores and ratings are matrices of one shape, systems by inputs")
    if n < 1:
        raise ValueError(f"a permutation test draws at least once, not {n} times")
    missing = ~(np.isfinite(scores) & np.isfinite(values))
    left, right = np.triu_indices(len(scores), 1)
    apart = missing[left] | missing[right]
    shared = ~apart.all(axis=1)
    if not shared.any():
        return None
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, scores.shape[1]))
    chances = []
    for table in (scores, values):
        filled = np.where(missing, 0.0, table)
        # A text that one of the two lacks adds nothing, whatever its sign.
        differences = np.where(apart, 0.0, filled[left] - filled[right])[shared]
        chances.append(_chance(differences, signs))
    return float(np.mean(1 - np.abs(chances[0] - chances[1])))


def _chance(differences: Matrix, signs: Matrix) -> Vector:
    observed = differences.sum(axis=1)
    tolerance = _ROUNDING * np.abs(differences).sum(axis=1)
    found = np.zeros(len(differences))
    for start in range(0, len(signs), _ROWS):
        beyond = differences @ signs[start : start + _ROWS].T - observed[:, None]
        equal = np.abs(beyond) <= tolerance[:, None]
        found += ((beyond > 0) & ~equal).sum(axis=1) + 0.5 * equal.sum(axis=1)
    chance: Vector = found / len(signs)
    return chance
