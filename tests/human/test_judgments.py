"""Reading, averaging and standardising judgments; the scales and pages they belong to."""

from __future__ import annotations

import json
import random
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Rating
from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.judgments import (
    MOST_LABELS,
    Scale,
    averaged,
    by_criterion,
    by_page,
    gather,
    named_raters,
    once,
    one_each,
    preferences,
    rating_files,
    shell_command,
    standardised,
    without,
)


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


def test_a_rater_is_left_out_and_a_slip_in_the_name_is_reported():
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


def test_the_first_of_two_judgments_counts_and_averages_are_left_out():
    ratings = [rating("a", "ann", 1), rating("a", "ann", 2), rating("b", "", 1)]
    assert one_each(ratings) == ([ratings[0]], 1)


def test_standardised_values_have_no_mean_and_a_spread_of_one():
    ratings = [rating(str(n), "ann", value) for n, value in enumerate((1, 2, 3))]
    ratings += [rating(str(n), "bob", 3) for n in range(3)] + [rating("9", "", 1)]
    found = standardised(ratings)
    assert [one.value for one in found if one.rater == "ann"] == [-1, 0, 1]
    assert [one.value for one in found if one.rater == "bob"] == [0, 0, 0]
    assert len(found) == 6


values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def test_a_few_points_are_labels_and_many_are_cut_into_bins():
    assert Scale.of([1, 2, 3]).bins == 0
    assert Scale.of(range(MOST_LABELS)).bins == 0
    assert Scale.of(range(MOST_LABELS + 1)).bins == 5
    assert Scale.of([2.5, 1]).label(2.5) == "2.5"


def test_bins_are_equal_and_named_by_their_middle():
    scale = Scale.of(range(101), bins=4)
    assert scale.step == 25
    assert [scale.label(value) for value in (0, 24.9, 25, 99, 100)] == [
        "12.5",
        "12.5",
        "37.5",
        "87.5",
        "87.5",
    ]
    assert scale.label(-3) == "12.5"
    assert scale.label(300) == "87.5"


@given(values, st.integers(2, 9))
def test_no_more_labels_than_bins_and_their_order_is_kept(given_values, bins):
    scale = Scale.of(given_values, bins=bins)
    labels = [float(scale.label(value)) for value in sorted(given_values)]
    if scale.bins:
        assert len(set(labels)) <= bins
        assert labels == sorted(labels)
    assert all(scale.same(value, value) for value in given_values)


def test_near_enough_is_a_bins_width():
    assert Scale.of(range(101)).same(60, 80)
    assert not Scale.of(range(101)).same(60, 81)
    assert not Scale.of([1, 2, 3]).same(2, 3)


def test_a_single_bin_and_huge_values_are_refused():
    with pytest.raises(SettingError, match="two bins"):
        Scale.of([1, 2], bins=1)
    with pytest.raises(DataError, match="too large for a rating"):
        Scale.of([1, -1e300])


def on_page(text: str, rater: str, value: float, criterion: str = "fluency") -> Rating:
    return Rating(text, "T5", rater, criterion, value)


def test_the_same_judgment_twice_counts_once():
    found = once([on_page("a", "ann", 1), on_page("a", "ann", 1), on_page("a", "bob", 2)])
    assert [(one.rater, one.value) for one in found.ratings] == [("ann", 1), ("bob", 2)]
    assert found[1:] == (1, 0, 0)


def test_different_judgments_of_a_text_are_left_out_with_their_page():
    rows = [
        on_page("a", "ann", 1),
        on_page("a", "ann", 3),
        on_page("a", "ann", 2, "grammar"),
        on_page("b", "ann", 2),
        on_page("c", "", 2),
    ]
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        found = once(rows)
        assert [one.id for one in found.ratings] == ["b"]
        assert found[1:] == (0, 3, 1)


def test_nothing_left_is_an_error():
    with pytest.raises(DataError, match="names its rater"):
        once([on_page("a", "", 1)])
    with pytest.raises(DataError, match="names its rater"):
        once([])
    with pytest.raises(DataError, match="twice and differently"):
        once([on_page("a", "ann", 1), on_page("a", "ann", 2)])


def test_pages_are_by_rater_and_text():
    pages = by_page([on_page("a", "ann", 1), on_page("a", "ann", 3, "grammar")])
    page = pages["ann"]["T5", "a"]
    assert {name: one.value for name, one in page.items()} == {"fluency": 1, "grammar": 3}


def test_a_campaigns_folder_stands_for_its_ratings(tmp_path):
    folder = tmp_path / "campaign"
    folder.mkdir()
    with pytest.raises(DataError, match=r"is a folder without ratings\.jsonl"):
        rating_files([folder])
    (folder / "campaign.json").write_text("{}")
    with pytest.raises(DataError, match=r"is a campaign without ratings\.jsonl; export"):
        rating_files([folder])
    (folder / "ratings.jsonl").write_text("")
    other = tmp_path / "other.csv"
    assert rating_files([folder, other]) == [folder / "ratings.jsonl", other]


def test_names_and_files_of_names(tmp_path):
    path = tmp_path / "raters.txt"
    path.write_text("bob\r\n\nann of Aarhus\n", encoding="utf-8")
    assert named_raters(["cy", f"@{path}", "bob", "@@dee", "@"]) == [
        "@",
        "@dee",
        "ann of Aarhus",
        "bob",
        "cy",
    ]
    with pytest.raises(DataError):
        named_raters([f"@{tmp_path / 'absent.txt'}"])


def test_a_command_is_what_a_shell_reads():
    words = ["adequa", "a b", "it's", "$x", "@@ann"]
    assert shlex.split(shell_command(words)) == words
    assert shell_command(["a\tb\\'"]) == r"$'a\U00000009b\\\''"


def test_preferences_are_counted_by_text() -> None:
    def answer(text: str, rater: str, value: float, pair: tuple[str, str] = ("A", "B")) -> Rating:
        return Rating(text, " vs ".join(pair), rater, "preference", value, meta={"pair": [*pair]})

    ratings = [
        *(answer(f"win{n}", rater, 1) for n in range(8) for rater in "xy"),
        *(answer("tie", rater, value) for rater, value in (("x", 1), ("y", -1))),
        *(answer("loss", rater, value) for rater, value in (("x", -1), ("y", 0))),
        answer("other", "x", -1, ("A", "C")),
        Rating("1", "A", "x", "fluency", 3),
    ]
    ours, other = preferences(ratings)
    assert (ours.first, ours.second, ours.texts, ours.answers) == ("A", "B", 10, 20)
    assert (ours.wins, ours.ties, ours.losses) == (8, 1, 1)
    assert ours.mean == pytest.approx((8 + 0 - 0.5) / 10)
    assert ours.p == pytest.approx(2 * (1 + 9) / 2**9)
    assert (other.first, other.second, other.losses, other.p) == ("A", "C", 1, 1.0)
    assert preferences([Rating("1", "A", "x", "fluency", 3)]) == []
    assert preferences([answer("tie", "x", 0)])[0].p is None
