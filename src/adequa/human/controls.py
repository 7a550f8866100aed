"""Control items: texts of which the right answer is known, and who found it.

They come in a file of their own, in the long form of ratings, whose raters do not matter; or from a
campaign, as ratings with the right value in `meta` under `control`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.judgments import Key
from adequa.human.scales import Scale

__all__ = ["FEWEST", "Checked", "Controls", "checked", "known_values"]

Controls = dict[str, dict[Key, float]]
"""The right value by criterion and text."""

FEWEST = 3
"""Answers to control items below which nobody is reported for them."""


@dataclass(frozen=True, slots=True)
class Checked:
    """How a rater answered control items; on a slider right is what lies within a bin's width."""

    answers: int
    right: int

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.answers

    @property
    def reason(self) -> str:
        """Why a person should look at this rater, in words; empty where nothing is odd."""
        if self.answers < FEWEST or 2 * self.right >= self.answers:
            return ""
        return f"{self.right} of {self.answers} control items right"


def known_values(ratings: Iterable[Rating], given: Iterable[Rating] = ()) -> Controls:
    """The right values: those that ratings carry, and those of a file of control items.

    Two different values of one text, or a file of which no item was judged, are a DataError.
    """
    found: Controls = {}
    judged: set[tuple[str, Key]] = set()
    for rating in ratings:
        judged.add((rating.criterion, (rating.system, rating.id)))
        if rating.meta.get("control") is not None:
            _add(found, rating, rating.meta["control"])
    known = list(given)
    for rating in known:
        _add(found, rating, rating.value)
    if known and not any((one.criterion, (one.system, one.id)) in judged for one in known):
        raise DataError(
            "no control item is among the rated texts",
            remedy="its system, id and criterion are written as in the ratings",
        )
    return found


def checked(
    ratings: Iterable[Rating], controls: Controls, scales: Mapping[str, Scale]
) -> dict[str, Checked]:
    """How each rater who met a control item answered them."""
    found: dict[str, list[bool]] = {}
    for rating in ratings:
        right = controls.get(rating.criterion, {}).get((rating.system, rating.id))
        if right is not None:
            met = scales[rating.criterion].same(rating.value, right)
            found.setdefault(rating.rater, []).append(met)
    return {rater: Checked(len(answers), sum(answers)) for rater, answers in found.items()}


def _add(found: Controls, rating: Rating, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
        raise DataError(
            f"the control value of {rating.id!r} of {rating.system!r} is {value!r:.80}",
            remedy="write a number",
        )
    texts = found.setdefault(rating.criterion, {})
    if texts.setdefault((rating.system, rating.id), float(value)) != value:
        raise DataError(
            f"the control item {rating.id!r} of {rating.system!r} has two right values for"
            f" {rating.criterion!r}",
            remedy="keep one",
        )
