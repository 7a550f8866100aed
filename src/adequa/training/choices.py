"""Learns the weights of `entities.linear`: conditional logit with an L2 penalty, by L-BFGS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Choice", "learn"]


class Choice(NamedTuple):
    """One decision seen in the data: the options, each a list of features, and which was right."""

    options: Sequence[Sequence[str]]
    right: int


def learn(choices: Sequence[Choice], *, penalty: float = 1.0, least: int = 5) -> dict[str, float]:
    """Weights that make the right options likely; rare features are left out.

    >>> weights = learn([Choice([["a"], ["b"]], 0)] * 20)
    >>> weights["a"] > weights["b"]
    True
    """
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    counts = Counter(
        feature for choice in choices for option in choice.options for feature in option
    )
    names = sorted(feature for feature, count in counts.items() if count >= least)
    number = {feature: place for place, feature in enumerate(names)}
    columns: list[int] = []
    ends: list[int] = [0]
    group: list[int] = []
    right: list[int] = []
    for place, choice in enumerate(choices):
        right.append(len(group) + choice.right)
        for option in choice.options:
            columns.extend(number[feature] for feature in option if feature in number)
            ends.append(len(columns))
            group.append(place)
    rows = len(group)
    matrix = csr_matrix((np.ones(len(columns)), columns, ends), shape=(rows, len(names)))
    groups = np.asarray(group)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    target = np.zeros(rows)
    target[right] = 1.0

    def loss(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        top = np.maximum.reduceat(scores, starts)[groups]
        powers = np.exp(scores - top)
        sums = np.add.reduceat(powers, starts)[groups]
        chances = powers / sums
        value = -np.log(np.maximum(chances[right], 1e-300)).sum()
        slope = matrix.T @ (chances - target)
        return value + 0.5 * penalty * (weights @ weights), slope + penalty * weights

    result = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return {name: round(float(weight), 4) for name, weight in zip(names, result.x, strict=True)}
