"""Judgments made ready for an analysis: checked, completed, standardised where that is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from adequa.data import Item, Rating
from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.fields import entries
from adequa.human.judgments import one_each, standardised

__all__ = ["chosen", "is_not_shown", "prepared"]

_LISTED = 5


def is_not_shown(rating: Rating) -> bool:
    """Whether nobody judged the text, and it has the lowest score for being empty."""
    return not rating.rater and bool(rating.meta.get("not_shown"))


def chosen(ratings: Iterable[Rating], criteria: Sequence[str] = ()) -> list[Rating]:
    """The ratings of some criteria, or of all, in an order that does not depend on the rows'."""
    kept = sorted(
        ratings, key=lambda one: (one.criterion, one.system, one.id, one.rater, one.value)
    )
    if not kept:
        raise DataError("there are no ratings", remedy="is it the right file?")
    there = {rating.criterion for rating in kept}
    for name in criteria:
        if name not in there:
            raise UnknownName("criterion", name, there)
    return [rating for rating in kept if not criteria or rating.criterion in criteria]


def prepared(
    ratings: Sequence[Rating],
    *,
    items: Iterable[Item] = (),
    lowest: float | None = None,
    data: str = "averaged",
    z: bool = False,
) -> tuple[list[Rating], list[str]]:
    """The ratings to compute with, and what a reader should know of them.

    `lowest` is the score of empty texts that nobody rated; which texts are empty say the items.
    """
    kept, notes = _without_controls(ratings)
    notes += _check_doubles(kept)
    if lowest is not None:
        filled = _filled(kept, items, lowest)
        notes.append(
            f"ratings of empty texts, which nobody gave, set to {lowest:g}: {len(filled):,}"
        )
        kept = sorted(
            [*kept, *filled], key=lambda one: (one.criterion, one.system, one.id, one.rater)
        )
    notes += _missing(kept)
    judged = any(rating.rater for rating in kept)
    if z and not all(rating.rater or is_not_shown(rating) for rating in kept):
        raise SettingError("--z standardises each rater's judgments; these are averages without")
    if data == "single" and not judged:
        raise SettingError("these are averages; single judgments have raters: use --data averaged")
    if data == "single" and any(map(is_not_shown, kept)):
        notes.append("a text that nobody was shown counts as one judgment, others as theirs")
    return (_standard(kept, notes) if z else kept), notes


def _without_controls(ratings: Sequence[Rating]) -> tuple[list[Rating], list[str]]:
    kept = [rating for rating in ratings if rating.meta.get("control") is None]
    if not kept:
        raise DataError("all ratings are of control items", remedy="give those of systems' texts")
    left_out = len(ratings) - len(kept)
    return kept, [f"ratings of control items, left out: {left_out:,}"] if left_out else []


def _check_doubles(ratings: Sequence[Rating]) -> list[str]:
    """Refuse averages beside what they may be the average of; tell of raters who judge twice."""
    keys = Counter((one.criterion, one.system, one.id) for one in ratings)
    for rating in ratings:
        if not rating.rater and keys[rating.criterion, rating.system, rating.id] > 1:
            raise DataError(
                f"the {rating.criterion} of {rating.system!r} on {rating.id!r} has several ratings "
                "and one of them names no rater",
                remedy="give averages or single judgments, not both, and each file once",
            )
    twice = one_each(ratings)[1]
    judgments = sum(bool(rating.rater) for rating in ratings)
    if twice and 2 * twice >= judgments:
        raise DataError(
            f"{twice:,} of {judgments:,} judgments repeat one of the same rater on the same text",
            remedy="give each file once",
        )
    said = "judgments that are a rater's second of the same text and criterion, and count"
    return [f"{said}: {twice:,}"] if twice else []


def _filled(ratings: Sequence[Rating], items: Iterable[Item], lowest: float) -> list[Rating]:
    known = list(items)
    if not known:
        raise SettingError("--lowest scores empty texts; --items must say which are empty")
    for rating in ratings:
        if rating.value < lowest:
            raise SettingError(
                f"--lowest {lowest:g} is not the lowest: {rating.criterion} of {rating.system!r} "
                f"on {rating.id!r} is {rating.value:g}"
            )
    there = {(one.criterion, one.system, one.id) for one in ratings}
    systems = {one.system for one in ratings}
    inputs = {one.id for one in ratings}
    empty = sorted(
        item.key
        for item in known
        if not item.text.strip() and item.system in systems and item.id in inputs
    )
    return [
        Rating(identifier, system, "", criterion, lowest, meta={"not_shown": "empty"})
        for criterion in sorted({one.criterion for one in ratings})
        for system, identifier in empty
        if (criterion, system, identifier) not in there
    ]


def _missing(ratings: Sequence[Rating]) -> list[str]:
    """Which systems have no rating of texts that others have one of."""
    inputs = entries(ratings)
    rated: dict[str, set[str]] = {}
    for (system, _), entry in inputs.items():
        rated.setdefault(system, set()).add(entry)
    every = set().union(*rated.values())
    lacking = [
        f"{system} {len(every) - len(texts):,}"
        for system, texts in sorted(rated.items())
        if len(texts) < len(every)
    ]
    if not lacking:
        return []
    more = f", and {len(lacking) - _LISTED} more systems" if len(lacking) > _LISTED else ""
    said = f"of {len(every):,} inputs these have no rating: {', '.join(lacking[:_LISTED])}{more}"
    return [f"{said}; means are of the others (--items and --lowest score empty texts)"]


def _standard(ratings: Sequence[Rating], notes: list[str]) -> list[Rating]:
    """Standardised by rater; what nobody was shown is worth what the lowest answers are."""
    given = [rating for rating in ratings if rating.rater]
    if not given:
        raise SettingError("--z standardises each rater's judgments; nobody was shown a text here")
    scaled = standardised(given)
    lowest: dict[str, float] = {}
    for rating in ratings:
        lowest[rating.criterion] = min(rating.value, lowest.get(rating.criterion, rating.value))
    worth: dict[str, list[float]] = {}
    for raw, standard in zip(given, scaled, strict=True):
        if raw.value == lowest[raw.criterion]:
            worth.setdefault(raw.criterion, []).append(standard.value)
    unseen = [rating for rating in ratings if not rating.rater]
    if unseen:
        notes.append("texts that nobody was shown have the mean z of the lowest answers")
    for rating in unseen:
        values = worth.get(rating.criterion)
        if values is None:
            raise SettingError(
                f"no judgment of {rating.criterion} is as low as the texts that nobody was shown: "
                "what they are worth in z is not known; leave --z"
            )
        scaled.append(replace(rating, value=sum(values) / len(values)))
    return sorted(scaled, key=lambda one: (one.criterion, one.system, one.id, one.rater))
