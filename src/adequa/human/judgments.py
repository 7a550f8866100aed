"""Judgments as every later step needs them: gathered, averaged, standardised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from adequa.data import Item, Rating
from adequa.errors import DataError, UnknownName
from adequa.readers.ratings import read_ratings

__all__ = ["Key", "averaged", "by_criterion", "gather", "one_each", "standardised", "without"]

Key = tuple[str, str]
"""Whose text of which entry: system and id, as `Item.key`."""


def gather(
    paths: Iterable[Path | str],
    *,
    format: str | None = None,  # noqa: A002
    items: Iterable[Item] | None = None,
    exclude: Iterable[str] = (),
) -> list[Rating]:
    """The ratings of some files, in their order, without those of the raters in `exclude`."""
    known = None if items is None else list(items)
    ratings = [
        rating for path in paths for rating in read_ratings(path, format=format, items=known)
    ]
    return without(ratings, exclude)


def without(ratings: Sequence[Rating], raters: Iterable[str]) -> list[Rating]:
    """The ratings of all others; a rater who gave none is an UnknownName, for it is a slip."""
    there = {rating.rater for rating in ratings if rating.rater}
    excluded = set(raters)
    for name in sorted(excluded - there):
        raise UnknownName("rater", name, sorted(there))
    left = [rating for rating in ratings if rating.rater not in excluded]
    if not left:
        raise DataError("no rating is left", remedy="exclude fewer raters")
    return left


def by_criterion(ratings: Iterable[Rating]) -> dict[str, list[Rating]]:
    """The ratings of each criterion, criteria in the order of their first rating."""
    found: dict[str, list[Rating]] = {}
    for rating in ratings:
        found.setdefault(rating.criterion, []).append(rating)
    return found


def averaged(ratings: Iterable[Rating]) -> dict[str, dict[Key, float]]:
    """The mean rating of each text by criterion, whoever gave how many.

    >>> averaged([Rating("Id1", "T5", rater, "fluency", n) for rater, n in (("a", 1), ("b", 2))])
    {'fluency': {('T5', 'Id1'): 1.5}}
    """
    sums: dict[str, dict[Key, list[float]]] = {}
    for rating in ratings:
        texts = sums.setdefault(rating.criterion, {})
        texts.setdefault((rating.system, rating.id), []).append(rating.value)
    return {
        criterion: {key: sum(values) / len(values) for key, values in texts.items()}
        for criterion, texts in sums.items()
    }


def one_each(ratings: Iterable[Rating]) -> tuple[list[Rating], int]:
    """Single judgments, the first where a rater judged a text twice, and how many were dropped.

    Averages and texts that nobody was shown have no rater and are left out without being counted.
    """
    seen: set[tuple[str, str, str, str]] = set()
    kept, dropped = [], 0
    for rating in ratings:
        if not rating.rater:
            continue
        key = rating.criterion, rating.rater, rating.system, rating.id
        if key in seen:
            dropped += 1
        else:
            seen.add(key)
            kept.append(rating)
    return kept, dropped


def standardised(ratings: Iterable[Rating]) -> list[Rating]:
    """Each value as its distance from its rater's mean of the criterion in standard deviations.

    A rater who always answers the same tells no texts apart: zero. What has no rater, averages and
    texts that nobody was shown, cannot be standardised and is left out.
    """
    kept = [rating for rating in ratings if rating.rater]
    values: dict[tuple[str, str], list[float]] = {}
    for rating in kept:
        values.setdefault((rating.rater, rating.criterion), []).append(rating.value)
    scales = {key: _scale(found) for key, found in values.items()}
    standard = []
    for rating in kept:
        mean, deviation = scales[rating.rater, rating.criterion]
        distance = rating.value - mean
        standard.append(replace(rating, value=distance / deviation if deviation else 0.0))
    return standard


def _scale(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    if max(values) == min(values):
        return mean, 0.0
    return mean, (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
