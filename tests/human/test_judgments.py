"""Judgments gathered, averaged and standardised."""

from __future__ import annotations

import json

import pytest

from adequa.data import Rating
from adequa.errors import DataError, UnknownName
from adequa.human.judgments import averaged, by_criterion, gather, one_each, standardised, without


def rating(text: str, rater: str, value: float, criterion: str = "semantics") -> Rating:
    return Rating(text, "T5", rater, criterion, value)


def test_files_are_gathered_in_order(tmp_path):
    for name, value in (("one", 1), ("two", 2)):
        row = {"id": "a", "system": "T5", "rater": name, "criterion": "fluency", "value": value}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    found = gather([tmp_path / "two.jsonl", tmp_path / "one.jsonl"])
    assert [one.value for one in found] == [2, 1]
    assert [one.rater for one in gather([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])] == [
        "one",
        "two",
    ]


def test_a_rater_is_left_out_and_a_slip_in_the_name_is_told():
    ratings = [rating("a", "ann", 1), rating("a", "bob", 3), rating("b", "", 1)]
    assert [one.rater for one in without(ratings, ["bob"])] == ["ann", ""]
    with pytest.raises(UnknownName, match="bop"):
        without(ratings, ["bop"])
    with pytest.raises(DataError, match="no rating is left"):
        without(ratings[:2], ["ann", "bob"])


def test_averages_are_per_text_and_criterion():
    ratings = [
        rating("a", "ann", 1),
        rating("a", "bob", 2),
        rating("b", "ann", 3),
        rating("a", "ann", 3, "fluency"),
    ]
    assert averaged(ratings) == {
        "semantics": {("T5", "a"): 1.5, ("T5", "b"): 3},
        "fluency": {("T5", "a"): 3},
    }
    assert list(by_criterion(ratings)) == ["semantics", "fluency"]


def test_the_first_of_two_judgments_counts_and_averages_are_no_judgments():
    ratings = [rating("a", "ann", 1), rating("a", "ann", 2), rating("b", "", 1)]
    assert one_each(ratings) == ([ratings[0]], 1)


def test_standardised_values_have_no_mean_and_a_spread_of_one():
    ratings = [rating(str(n), "ann", value) for n, value in enumerate((1, 2, 3))]
    ratings += [rating(str(n), "bob", 3) for n in range(3)] + [rating("9", "", 1)]
    found = standardised(ratings)
    assert [one.value for one in found if one.rater == "ann"] == [-1, 0, 1]
    assert [one.value for one in found if one.rater == "bob"] == [0, 0, 0]
    assert len(found) == 6
