"""Raters who are too fast."""

from __future__ import annotations

import math

import pytest

from adequa.data import Rating
from adequa.errors import DataError, SettingError
from adequa.human.quality.raters import Pace, paces


def timed(rater: str, *seconds: float | None) -> list[Rating]:
    """A page of two questions for each."""
    return [
        Rating(f"Id{number}", "T5", rater, name, 2, seconds=value)
        for number, value in enumerate(seconds)
        for name in ("fluency", "grammar")
    ]


def test_a_page_counts_once_and_the_median_tells():
    found = paces([*timed("ann", 1, 2, 2.5), *timed("bob", 20, 30, 40, 50)])
    assert found["ann"] == Pace(3, 2, 20, "2 s per page (median of 3), below 3 s")
    assert found["bob"] == Pace(4, 35, 20)


def test_a_share_of_the_campaigns_median():
    rows = [*timed("ann", 5, 6, 7), *timed("bob", *[40] * 9)]
    assert paces(rows)["ann"].reason == "6 s per page (median of 3), the campaign's median is 40 s"
    assert paces(rows, share=0.1)["ann"].reason == ""


def test_two_pages_tell_nothing():
    assert paces(timed("ann", 0.1, 0.2))["ann"].reason == ""


def test_not_recorded_is_not_fast():
    found = paces([*timed("ann", None, None, None), *timed("bob", None, 4, 5, 6)])
    assert found["ann"] == Pace(0, None, 5)
    assert found["bob"] == Pace(3, 5, 5)
    assert paces(timed("ann", None))["ann"] == Pace(0, None, None)


def test_wrong_use_is_said():
    with pytest.raises(DataError, match="'ann' took -1 seconds"):
        paces(timed("ann", -1))
    for wrong in ({"floor": -1}, {"floor": math.nan}, {"share": 1}, {"share": -0.1}):
        with pytest.raises(SettingError, match="floor"):
            paces(timed("ann", 1), **wrong)
