"""The table of ratings: what it keeps, pairs and refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adequa.stats.agreement import Ratings


def test_gaps_are_no_ratings_but_their_items_and_raters_stay() -> None:
    ratings = Ratings.of("aabbc", ["x", "y", "x", "y", "z"], [2, 1, None, 1.5, math.nan])
    assert ratings.items == ("a", "b", "c")
    assert ratings.raters == ("x", "y", "z")
    assert ratings.categories == (1, 1.5, 2)
    assert ratings.item.tolist() == [0, 0, 1]
    assert ratings.rater.tolist() == [0, 1, 1]
    assert ratings.category.tolist() == [2, 0, 1]
    assert ratings.pairable().tolist() == [True, True, False]


def test_a_matrix_of_lists_and_of_numpy_are_the_same() -> None:
    listed = Ratings.from_matrix([[1, None], [3, 2]])
    array = Ratings.from_matrix(np.array([[1, np.nan], [3, 2]]))
    assert listed.categories == array.categories == (1, 2, 3)
    for one, other in zip(
        (listed.item, listed.rater, listed.category),
        (array.item, array.rater, array.category),
        strict=True,
    ):
        assert one.tolist() == other.tolist()


def test_numbers_come_before_labels() -> None:
    assert Ratings.from_matrix([["b", 10, "a", 9]]).categories == (9, 10, "a", "b")


def test_pairs_and_shared_items() -> None:
    ratings = Ratings.from_matrix([[1, 2, 3], [4, None, 5], [None, 6, None]])
    left, right = ratings.pairs()
    pairs = {
        (ratings.category[one] + 1, ratings.category[other] + 1)
        for one, other in zip(left, right, strict=True)
    }
    assert pairs == {(1, 2), (1, 3), (2, 3), (4, 5)}
    left, right = ratings.shared(2, 0)
    assert (ratings.category[left] + 1).tolist() == [3, 5]
    assert (ratings.category[right] + 1).tolist() == [1, 4]
    assert [pair for pair, _, _ in ratings.by_raters()] == [(0, 1), (0, 2), (1, 2)]
    assert list(Ratings.from_matrix([]).by_raters()) == []


def test_what_is_no_rating_is_refused() -> None:
    with pytest.raises(ValueError, match="rater 'ann' has two ratings of item 'a'"):
        Ratings.of(["a", "a"], ["ann", "ann"], [1, 2])
    with pytest.raises(ValueError, match="zip"):
        Ratings.of(["a", "a"], ["ann"], [1, 2])
    with pytest.raises(ValueError, match="column for each rater"):
        Ratings.from_matrix([[1, 2], [1]])
    with pytest.raises(ValueError, match="infinite"):
        Ratings.from_matrix([[1, math.inf]])
    with pytest.raises(TypeError, match="number or a label"):
        Ratings.from_matrix([[1, (2,)]])  # type: ignore[list-item]
