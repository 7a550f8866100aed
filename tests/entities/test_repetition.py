"""Text that says the same over and over."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities.judgment import find_repetitions
from adequa.text.words import PreparedText


def said_again(string: str) -> list[str]:
    text = PreparedText(string)
    return [string[found.start : found.end] for found in find_repetitions(text)]


@pytest.mark.parametrize(
    ("string", "found"),
    [
        ("the dish of the dish of the dish of rice", ["the dish of the dish of the dish of"]),
        ("It is very very very old.", ["very very very"]),
        ("It is very very old.", []),
        ("Ann came. Bell saw the old house. Bell saw the old house.", ["Bell saw the old house"]),
        ("Bell saw the old house. bell saw, the old house!", ["bell saw, the old house"]),
        ("Yes it is. No. Yes it is.", []),
        ("1 000 000 000", []),
        ("J. J. J. Smith", []),
        ("", []),
        ("😀 😀 😀", []),
    ],
)
def test_repetitions(string: str, found: list[str]) -> None:
    assert said_again(string) == found


def test_the_reason_says_what_and_how_often() -> None:
    (found,) = find_repetitions(PreparedText("in Leeds in Leeds in Leeds in Leeds"))
    assert found.why == "'in leeds' is said 4 times in a row"
    (found,) = find_repetitions(PreparedText("Bell saw the house. Bell saw the house."))
    assert "twice" in found.why


@given(st.lists(st.sampled_from(["ab", "cd", "ef"]), max_size=14))
def test_a_loop_is_found_where_a_plain_search_finds_one(words: list[str]) -> None:
    def is_loop(start: int, length: int) -> bool:
        unit = words[start : start + length]
        return len(unit) == length and words[start : start + 3 * length] == unit * 3

    expected = any(is_loop(start, length) for start in range(len(words)) for length in range(1, 9))
    found = find_repetitions(PreparedText(" ".join(words)))
    assert bool(found) == expected
    assert all(left.end <= right.start for left, right in pairwise(found))
