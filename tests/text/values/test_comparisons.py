from __future__ import annotations

import pytest

from adequa.text.values import find_reversals, find_values


def words(text: str) -> list[str]:
    return [text[one.start : one.end] for one in find_reversals(text, find_values(text))]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The coefficient falls from 109 in the morning to 112.", "falls"),
        ("The stay lengthened from 6.3 to 5.6 days.", "lengthened"),
        ("Turnout was 58%, down from 54.3%.", "down"),
        ("The bill is €1,132, more than the €1,140 paid.", "more"),
    ],
)
def test_a_reversed_comparison_is_found(text: str, word: str) -> None:
    assert words(text) == [word]


@pytest.mark.parametrize(
    "text",
    [
        "The coefficient rises from 109 in the morning to 112.",
        "Turnout was 58%, up from 54.3%.",
        "It fell at 2,250 francs, 18% more than the estimate of 1,900.",
        "Temperatures drop, ranging from -1 to 2 °C.",
        "It is 5 km long and has 20 seats.",
        "It grew from 2011 to 2021.",
    ],
)
def test_other_texts_have_none(text: str) -> None:
    assert words(text) == []
