"""Texts of which the right answer is known."""

from __future__ import annotations

import math

import pytest

from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.judgments import Scale
from adequa.human.quality.raters import ControlResult, control_results, known_values


def rating(text: str, rater: str, value: float, control: object = None) -> Rating:
    meta = {} if control is None else {"control": control}
    return Rating(text, "T5", rater, "fluency", value, meta=meta)


def test_from_the_ratings_themselves_and_from_a_file():
    rows = [rating("a", "ann", 1, 3), rating("b", "ann", 2)]
    known = known_values(rows, [rating("b", "anyone", 2)])
    assert known == {"fluency": {("T5", "a"): 3, ("T5", "b"): 2}}
    assert control_results(rows, known, {"fluency": Scale(1, 3)}) == {"ann": ControlResult(2, 1)}
    assert known_values([rating("b", "ann", 2)]) == {}


def test_on_a_slider_a_bins_width_is_near_enough():
    rows = [rating("a", "ann", 61, 80), rating("b", "ann", 59, 80)]
    found = control_results(rows, known_values(rows), {"fluency": Scale(0, 100, 5)})["ann"]
    assert (found.right, found.accuracy) == (1, 0.5)


def test_more_wrong_than_right_is_reported_from_three_answers_on():
    assert ControlResult(2, 0).reason == ""
    assert ControlResult(4, 2).reason == ""
    assert ControlResult(3, 1).reason == "1 of 3 control items right"


def test_wrong_input_is_said():
    with pytest.raises(DataError, match="two right values"):
        known_values([rating("a", "ann", 1, 3), rating("a", "bob", 1, 2)])
    with pytest.raises(DataError, match="among the rated texts"):
        known_values([rating("a", "ann", 1)], [rating("b", "", 1)])
    for value in ("3", True, math.nan, math.inf):
        with pytest.raises(DataError, match="control value"):
            known_values([rating("a", "ann", 1, value)])
