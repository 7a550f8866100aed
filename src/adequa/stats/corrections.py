"""Adjusted p-values for many comparisons at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from adequa.errors import UnknownName

__all__ = ["CORRECTIONS", "adjust"]


def _none(ranked: Sequence[float]) -> list[float]:
    return list(ranked)


def _bonferroni(ranked: Sequence[float]) -> list[float]:
    return [min(1.0, len(ranked) * p) for p in ranked]


def _holm(ranked: Sequence[float]) -> list[float]:
    # Step down: the smallest p is multiplied by all m, the next by m - 1, and none falls again.
    adjusted: list[float] = []
    highest = 0.0
    for rank, p in enumerate(ranked):
        highest = max(highest, min(1.0, (len(ranked) - rank) * p))
        adjusted.append(highest)
    return adjusted


def _benjamini_hochberg(ranked: Sequence[float]) -> list[float]:
    # Step up: from the largest p down, each multiplied by m / rank, and none rises again.
    adjusted: list[float] = []
    lowest = 1.0
    for rank in range(len(ranked), 0, -1):
        lowest = min(lowest, len(ranked) / rank * ranked[rank - 1])
        adjusted.append(lowest)
    return adjusted[::-1]


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "none": _none,
}
"""Holm (1979) and Bonferroni bound the chance of any false finding, Benjamini and Hochberg (1995)
the expected share of false ones among the findings."""


def adjust(p_values: Sequence[float | None], correction: str = "holm") -> list[float | None]:
    """The p-values of one family, corrected, in their order; a None stays and is no comparison.

    >>> adjust([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    known = [(p, position) for position, p in enumerate(p_values) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise ValueError("a p-value lies between 0 and 1")
    known.sort()
    adjusted: list[float | None] = [None] * len(p_values)
    corrected = CORRECTIONS[correction]([p for p, _ in known])
    for (_, position), p in zip(known, corrected, strict=True):
        adjusted[position] = p
    return adjusted
