"""Equal, close, different."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.papers.section import MARKS, counts, mark, shown_pair, without_zero


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [
        (0.7349, 0.73, "equal"),
        (-0.8251, -0.83, "equal"),
        (0.6549, 0.66, "close"),
        (0.75, 0.73, "close"),
        (0.7501, 0.73, "different"),
        (None, 0.73, "n/a"),
        (0.73, None, "n/a"),
        (math.nan, 0.73, "n/a"),
    ],
)
def test_mark(ours: float | None, printed: float | None, expected: str) -> None:
    assert mark(ours, printed) == expected


@given(st.integers(-100, 100), st.floats(-1, 1))
def test_what_rounds_to_the_printed_number_is_equal(hundredths: int, value: float) -> None:
    printed = hundredths / 100
    if round(value, 2) == printed:
        assert mark(value, printed) == "equal"


def test_other_scales_have_other_digits() -> None:
    assert mark(48.3, 48.05, digits=2, close=0.5) == "close"
    assert mark(7, 7, digits=0) == "equal"


def test_counts_have_every_mark() -> None:
    assert counts([]) == dict.fromkeys(MARKS, 0)
    assert counts(["equal", "n/a", "equal"])["equal"] == 2


def test_cells() -> None:
    assert shown_pair(1.0, 1.0) == "1.00="
    assert shown_pair(0.5, None) == ".50"
    assert without_zero(-0.123, 1) == "-.1"
