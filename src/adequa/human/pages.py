"""What a rater answered about a text on one page: a value for each criterion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.judgments import Key

__all__ = ["Once", "Page", "by_page", "once"]

Page = dict[str, Rating]
"""By criterion, in the order of the alphabet."""


class Once(NamedTuple):
    """Ratings by people, sorted, one of each rater, text and criterion; and what was left out."""

    ratings: list[Rating]
    repeated: int
    """Ratings given twice with the same value; one of the two stays."""
    contradicted: int
    """Ratings of pages that a rater filled twice and differently: none of them stays."""
    nameless: int
    """Averages, and texts that nobody was shown: they have no rater."""


def once(ratings: Iterable[Rating]) -> Once:
    """Single judgments, whatever the order of the rows.

    Where a rater judged a text twice and differently, which of the two counts is not ours to say,
    and the first of a file is no better than the second: both pages are left out.
    """
    every = sorted(ratings, key=_order)
    people = [rating for rating in every if rating.rater]
    if not people:
        raise DataError(
            "no rating names its rater",
            remedy="give the single judgments; averages say nothing about raters",
        )
    kept: dict[tuple[str, str, str, str], Rating] = {}
    torn: set[tuple[str, str, str]] = set()
    for rating in people:
        page = rating.rater, rating.system, rating.id
        first = kept.setdefault((*page, rating.criterion), rating)
        if first.value != rating.value:
            torn.add(page)
    whole = [
        rating for rating in kept.values() if (rating.rater, rating.system, rating.id) not in torn
    ]
    if not whole:
        raise DataError(
            "every text was judged twice and differently by its rater",
            remedy="keep one judgment of a rater, text and criterion",
        )
    dropped = sum((one.rater, one.system, one.id) in torn for one in people)
    return Once(whole, len(people) - len(whole) - dropped, dropped, len(every) - len(people))


def by_page(ratings: Iterable[Rating]) -> dict[str, dict[Key, Page]]:
    """By rater and text, in the order of the ratings."""
    found: dict[str, dict[Key, Page]] = {}
    for rating in ratings:
        texts = found.setdefault(rating.rater, {})
        texts.setdefault((rating.system, rating.id), {})[rating.criterion] = rating
    return found


def _order(rating: Rating) -> tuple[str, str, str, str, float, float]:
    seconds = -1.0 if rating.seconds is None else rating.seconds
    return rating.rater, rating.system, rating.id, rating.criterion, rating.value, seconds
