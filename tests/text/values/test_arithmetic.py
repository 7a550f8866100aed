"""Arithmetic between numbers whose fields a text calls by other words, and misprints."""

from __future__ import annotations

import pytest

from adequa.text.values import Explainer, ValueFact, find_values
from adequa.text.values.arithmetic import digits_of, is_misprint

GRANT = [
    ValueFact("awarded", "1980000 EUR"),
    ValueFact("requested", "2250000"),
    ValueFact("budget.personnel", "1240000", None, "/budget"),
    ValueFact("budget.travel", "740000", None, "/budget"),
]
FERRY = [
    ValueFact("route.nm", "172", None, "/route"),
    ValueFact("route.crossing_h", "9.5", None, "/route"),
    ValueFact("fuel_l", "61.3"),
    ValueFact("km", "87"),
    ValueFact("pages", "384"),
    ValueFact("weight_g", "780"),
]


def explained(facts: list[ValueFact], text: str) -> bool:
    """Whether the first value of a text follows from some facts."""
    return bool(Explainer(facts).explain(find_values(text)[0], text))


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (GRANT, "That is €270,000 less than she had asked for."),
        (GRANT, "The staff takes up around 63 percent of it, personnel that is."),
        (FERRY, "On average she makes 18.1 knots."),
        (FERRY, "It burned 70.5 litres per 100 km."),
    ],
)
def test_calculated_numbers_are_explained(facts: list[ValueFact], text: str) -> None:
    assert explained(facts, text)


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (GRANT, "That is €370,000 less than she had asked for."),
        (FERRY, "On average she makes 15.1 knots."),
        (FERRY, "The book has 348 pages."),
        (FERRY, "It weighs 780 kg."),
    ],
)
def test_wrong_numbers_are_not(facts: list[ValueFact], text: str) -> None:
    assert not explained(facts, text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The book has 348 pages.", True),  # two digits exchanged
        ("The book has 394 pages.", True),  # one other digit
        ("It weighs 780 kg.", True),  # another unit
        ("It weighs 700 g.", True),  # the only weight
        ("He paid 41 visits.", False),
    ],
)
def test_misquoted_numbers(text: str, wrong: bool) -> None:
    assert Explainer(FERRY).is_misquoted(find_values(text)[0], text) is wrong


def test_digits() -> None:
    assert digits_of(0.780) == digits_of(7800) == "78"
    assert is_misprint("13,328".replace(",", ""), 13238.0)
    assert not is_misprint("97", 112.0)
