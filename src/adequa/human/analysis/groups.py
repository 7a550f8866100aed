"""Significance groups: systems that share a letter do not differ by a rank test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from adequa.errors import DataError, SettingError, UnknownName
from adequa.stats import (
    CORRECTIONS,
    RankTest,
    adjust,
    rank_sum,
    signed_rank,
    significance_letters,
)

Sample = Sequence[float] | Mapping[str, float]
"""A system's values: a list, or by the id of the text."""

TESTS: Mapping[str, Callable[[Sequence[float], Sequence[float]], RankTest | None]] = {
    "rank-sum": rank_sum,
    "signed-rank": signed_rank,
}


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """Two systems, the one with the better mean first, and the result of their test."""

    first: str
    second: str
    p: float | None
    """None where the test is not defined, as for equal values."""
    corrected: float | None
    significant: bool
    values: int
    """Pairs of values for the signed-rank test, values of both for the rank-sum test."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Systems by their mean, the best first, with the tests of all pairs."""

    order: tuple[str, ...]
    means: Mapping[str, float]
    letters: Mapping[str, str]
    """Empty where there are more groups than letters."""
    differences: tuple[GroupDifference, ...]

    @property
    def alike(self) -> frozenset[frozenset[str]]:
        """The pairs of systems that do not differ significantly, as the letters show."""
        return frozenset(
            frozenset((pair.first, pair.second))
            for pair in self.differences
            if not pair.significant
        )


def significance_groups(
    samples: Mapping[str, Sample],
    *,
    test: str = "rank-sum",
    correction: str = "none",
    alpha: float = 0.05,
    lower_is_better: bool = False,
) -> Grouping:
    """Compare all pairs of systems, and give a common letter to those that do not differ.

    The signed-rank test takes values by the id of the text and pairs the texts of both systems;
    lists are paired by position. Equal means are ordered by name.

    >>> few = {"good": [3, 3, 2, 3, 3], "fair": [3, 2, 3, 3, 2], "bad": [1, 1, 2, 1, 1]}
    >>> significance_groups(few).letters
    {'good': 'a', 'fair': 'a', 'bad': 'b'}
    """
    if test not in TESTS:
        raise UnknownName("test", test, TESTS)
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    if not 0 < alpha < 1:
        raise SettingError(f"alpha must lie between 0 and 1 (0.05), not {alpha}")
    if not samples:
        raise DataError("there is no system to compare", remedy="give the values of some systems")
    means = {name: _mean(name, sample) for name, sample in samples.items()}
    sign = 1 if lower_is_better else -1
    order = tuple(sorted(means, key=lambda name: (sign * means[name], name)))
    pairs = list(combinations(order, 2))
    sides = [_sides(samples[first], samples[second], test) for first, second in pairs]
    found = [TESTS[test](*side) if side[0] and side[1] else None for side in sides]
    p_values = [None if one is None else one.p for one in found]
    corrected = adjust(p_values, correction)
    differences = tuple(
        GroupDifference(
            first, second, p, fair, fair is not None and fair < alpha, _count(side, test)
        )
        for (first, second), p, fair, side in zip(pairs, p_values, corrected, sides, strict=True)
    )
    places = {name: place for place, name in enumerate(order)}
    letters = significance_letters(
        len(order),
        [(places[one.first], places[one.second]) for one in differences if one.significant],
    )
    return Grouping(
        order,
        {name: means[name] for name in order},
        {} if letters is None else dict(zip(order, letters, strict=True)),
        differences,
    )


def _values(sample: Sample) -> list[float]:
    return list(sample.values()) if isinstance(sample, Mapping) else list(sample)


def _mean(name: str, sample: Sample) -> float:
    values = _values(sample)
    if not values:
        raise DataError(f"the system {name!r} has no values", remedy="leave it out")
    if not all(math.isfinite(value) for value in values):
        raise DataError(f"a value of {name!r} is not a finite number", remedy="leave it out")
    # math.fsum does not depend on the order of the values, so ranks do not either.
    return math.fsum(values) / len(values)


def _sides(first: Sample, second: Sample, test: str) -> tuple[list[float], list[float]]:
    if test == "rank-sum":
        return _values(first), _values(second)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        shared = [text for text in first if text in second]
        return [first[text] for text in shared], [second[text] for text in shared]
    one, other = _values(first), _values(second)
    if len(one) != len(other):
        raise DataError(
            f"{len(one)} values cannot be paired with {len(other)}",
            remedy="give the values by the id of the text, or use the rank-sum test",
        )
    return one, other


def _count(side: tuple[list[float], list[float]], test: str) -> int:
    return len(side[0]) + (len(side[1]) if test == "rank-sum" else 0)
