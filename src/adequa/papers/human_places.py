"""Systems ranked with the ranks they may have, as Table 1 of paper 004 ranks them.

A rank range runs from one more than the systems that are better with significance to all but those
that are worse. Two systems are compared by the paired bootstrap over the entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from adequa.stats.letters import significance_letters
from adequa.stats.resampling import Aggregate, bootstrap_p, bootstrap_totals

__all__ = ["Place", "rank_systems"]

Matrix = npt.NDArray[np.float64]

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Place:
    """A system's value, the first and last rank it may have, and its groups."""

    value: float
    low: int
    high: int
    group: str


def rank_systems(
    samples: Mapping[str, Matrix],
    aggregate: Aggregate,
    *,
    lower_is_better: bool = False,
    n: int = 1000,
    seed: int = 0,
) -> dict[str, Place]:
    """The systems by their value, best first; rows of the samples are the same entries.

    >>> from adequa.stats.resampling import mean_of
    >>> few = {"good": np.ones((9, 1)), "bad": np.arange(9.0)[:, None] / 9}
    >>> {name: (place.low, place.group) for name, place in rank_systems(few, mean_of(9)).items()}
    {'good': (1, 'a'), 'bad': (2, 'b')}
    """
    values = {name: float(aggregate(rows.sum(axis=0)[None])[0]) for name, rows in samples.items()}
    sign = -1.0 if lower_is_better else 1.0
    order = sorted(values, key=lambda name: (-sign * values[name], name))
    drawn = {name: aggregate(bootstrap_totals(samples[name], n=n, seed=seed)) for name in order}
    different = []
    for one, other in combinations(range(len(order)), 2):
        first, second = order[one], order[other]
        p = bootstrap_p(drawn[first] - drawn[second], values[first] - values[second])
        if p is not None and p < ALPHA:
            different.append((one, other))
    letters = significance_letters(len(order), different) or [""] * len(order)
    return {
        name: Place(
            values[name],
            1 + sum(worse == place for _, worse in different),
            len(order) - sum(better == place for better, _ in different),
            letters[place],
        )
        for place, name in enumerate(order)
    }
