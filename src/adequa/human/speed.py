"""Raters who are too fast to have read what they judge.

The seconds of a page stand on each of its ratings and count once. A rater whose median page takes
less than a floor, or than a share of the whole campaign's median page, is reported. Where a
campaign did not record its seconds a rater is neither fast nor slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from adequa.data import Rating
from adequa.errors import DataError, SettingError
from adequa.human.pages import by_page

__all__ = ["FEWEST_PAGES", "FLOOR", "SHARE", "Pace", "paces"]

FLOOR = 3.0
"""Seconds: nobody reads data and a text and answers in less."""
SHARE = 0.25
"""Of the campaign's median: four times as fast as the others."""
FEWEST_PAGES = 3
"""One page may have been opened, left and taken up again on another device."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a rater stays on a page."""

    pages: int
    """With recorded seconds."""
    median: float | None
    """Seconds of a page; None where none were recorded."""
    campaign: float | None
    """The same over the pages of all raters."""
    reason: str = ""
    """Why a person should look at this rater, in words; empty where nothing is odd."""


def paces(
    ratings: Sequence[Rating], *, floor: float = FLOOR, share: float = SHARE
) -> dict[str, Pace]:
    """The pace of each rater, by rater.

    >>> given = [Rating(f"Id{n}", "T5", "ann", "fluency", 2, seconds=1.5) for n in range(4)]
    >>> paces(given)["ann"].reason
    'a page in 1.5 s (median of 4), below 3 s'
    """
    if not (floor >= 0 and 0 <= share < 1):
        raise SettingError(
            "a floor of seconds is 0 or more, a share of the median from 0 to below 1"
        )
    for rating in ratings:
        if rating.seconds is not None and rating.seconds < 0:
            raise DataError(
                f"rater {rating.rater!r} took {rating.seconds:g} seconds for {rating.id!r} of"
                f" {rating.system!r}",
                remedy="leave out seconds that were not recorded",
            )
    seconds = {
        rater: [
            max(known)
            for page in texts.values()
            if (known := [one.seconds for one in page.values() if one.seconds is not None])
        ]
        for rater, texts in by_page(ratings).items()
    }
    every = sorted(value for values in seconds.values() for value in values)
    whole = median(every) if every else None
    return {rater: _pace(values, whole, floor, share) for rater, values in seconds.items()}


def _pace(values: Sequence[float], whole: float | None, floor: float, share: float) -> Pace:
    if not values or whole is None:
        return Pace(0, None, whole)
    middle = median(values)
    reason = ""
    if len(values) >= FEWEST_PAGES:
        said = f"a page in {middle:.3g} s (median of {len(values)})"
        if middle < floor:
            reason = f"{said}, below {floor:g} s"
        elif middle < share * whole:
            reason = f"{said}, the campaign's is {whole:.3g} s"
    return Pace(len(values), middle, whole, reason)
