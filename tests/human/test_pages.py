"""One judgment of a rater and text."""

from __future__ import annotations

import random

import pytest

from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.judgments import by_page, once


def rating(text: str, rater: str, value: float, criterion: str = "fluency") -> Rating:
    return Rating(text, "T5", rater, criterion, value)


def test_the_same_judgment_twice_counts_once():
    found = once([rating("a", "ann", 1), rating("a", "ann", 1), rating("a", "bob", 2)])
    assert [(one.rater, one.value) for one in found.ratings] == [("ann", 1), ("bob", 2)]
    assert found[1:] == (1, 0, 0)


def test_different_judgments_of_a_text_are_left_out_with_their_page():
    rows = [
        rating("a", "ann", 1),
        rating("a", "ann", 3),
        rating("a", "ann", 2, "grammar"),
        rating("b", "ann", 2),
        rating("c", "", 2),
    ]
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        found = once(rows)
        assert [one.id for one in found.ratings] == ["b"]
        assert found[1:] == (0, 3, 1)


def test_nothing_left_is_said():
    with pytest.raises(DataError, match="names its rater"):
        once([rating("a", "", 1)])
    with pytest.raises(DataError, match="names its rater"):
        once([])
    with pytest.raises(DataError, match="twice and differently"):
        once([rating("a", "ann", 1), rating("a", "ann", 2)])


def test_pages_are_by_rater_and_text():
    pages = by_page([rating("a", "ann", 1), rating("a", "ann", 3, "grammar")])
    page = pages["ann"]["T5", "a"]
    assert {name: one.value for name, one in page.items()} == {"fluency": 1, "grammar": 3}
