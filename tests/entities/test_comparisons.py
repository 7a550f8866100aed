"""Comparisons, rows and trends of a record, and comparisons that need no data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities import JudgmentSettings, credibility, judge
from adequa.entities.comparisons import find_reversals, find_wrong_shares, may_reverse
from adequa.readers.records import read_record
from adequa.text.values import find_values


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
        "The stock is at 49, twelve below the ten-year mean.",
        "The rolls earn 326.60, one euro more than the buns' 325.60.",
        "It turns on 15.4 metres, longer than the Carver's but under the 21 metres of the Elk.",
    ],
)
def test_other_texts_have_none(text: str) -> None:
    assert words(text) == []


POOL = {
    "pool": "Ellern",
    "samples": [
        {"time": "08:00", "visitors": 12, "chlorine": 0.45},
        {"time": "12:00", "visitors": 410, "chlorine": 0.36},
        {"time": "14:00", "visitors": 655, "chlorine": 0.28},
        {"time": "18:00", "visitors": 220, "chlorine": 0.47},
    ],
}
SKI = {
    "resort": "Gletsch",
    "days": [
        {"date": "2025-01-24", "avalanche": 2, "snow_cm": 18},
        {"date": "2025-01-25", "avalanche": 3, "snow_cm": 27},
        {"date": "2025-01-26", "avalanche": 4, "snow_cm": 12},
    ],
}


MENU = {
    "menu": "Summer",
    "dishes": [
        {"dish": "Gazpacho", "price_eur": 7.5, "sold": 31},
        {"dish": "Paella", "price_eur": 16, "sold": 12},
        {"dish": "Flan", "price_eur": 5.5, "sold": 44},
    ],
}
HEAT = {
    "city": "Graz",
    "days": [
        {"day": "Monday", "temp_max_c": 21, "temp_min_c": 9},
        {"day": "Tuesday", "temp_max_c": 17, "temp_min_c": 11},
        {"day": "Wednesday", "temp_max_c": 24, "temp_min_c": 12},
    ],
}


def found(record: Any, text: str) -> list[str]:
    judgment = judge(read_record(record, text, id="1").item, JudgmentSettings())
    return [text[slice(*one.place)] for one in judgment.unexplained]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (POOL, "At noon there were 410 visitors."),
        (POOL, "The last sample counted 220 visitors."),
        (POOL, "Chlorine fell from 0.45 to 0.28."),
        (POOL, "The busiest sample had 655 visitors."),
        (SKI, "The avalanche danger is at level 4 on Sunday."),
        (SKI, "Between Friday and Sunday 57 cm of snow fall."),
        (MENU, "The most expensive dish of Summer is the Paella, and the Flan sells best."),
        (MENU, "The cheapest dish is the Flan."),
        (MENU, "The second most expensive dish is the Gazpacho."),
        (HEAT, "Wednesday is the warmest day in Graz, Monday has the coldest night."),
    ],
)
def test_right_rows_and_trends_pass(record: Any, text: str) -> None:
    assert found(record, text) == []


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (POOL, "At noon there were 655 visitors."),
        (POOL, "The first sample counted 220 visitors."),
        (POOL, "Chlorine rose from 0.28 to 0.36."),
        (POOL, "The busiest sample had 410 visitors."),
        (SKI, "The avalanche danger is at level 4 on Saturday."),
        (MENU, "The most expensive dish of Summer is the Gazpacho."),
        (MENU, "The cheapest dish is the Paella."),
        (HEAT, "The warmest day in Graz is Monday."),
        (HEAT, "The warmest day in Graz is Monday with 21 °C."),
    ],
)
def test_another_row_and_the_other_way_are_found(
    record: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credibility, "read_credibility", lambda: None)  # nothing is dropped
    assert found(record, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "It sold for 2,250 francs, around 40% more than the estimate of 1,900.",
            "around 40% more",
        ),
        ("There were 22 units, just under three quarters of the target of 45.", "just under three"),
        ("It sold for 2,250 francs, 18% more than the estimate of 1,900.", None),
        ("There were 22 units, about half of the target of 45.", None),
        ("It has five garages, a quarter of their 2,400 spaces free.", None),
        ("It had 1,160 backers, 45% more than its goal of $60,000.", None),
    ],
)
def test_a_share_must_fit_the_numbers_beside_it(text: str, words: str | None) -> None:
    found = find_wrong_shares(text, find_values(text))
    assert [text[one.start : one.end].startswith(words or "?") for one in found] == [True] * len(
        found
    )
    assert bool(found) == (words is not None)


_PIECES = (
    *("It fell", "rose", "Sales went down", "from", "From", "to", "up from", ", down from", "nine"),
    *(
        "12",
        "11.5 km",
        "two",
        "in all",
        ", which is lower than the",
        ", more than the",
        "above the",
    ),
    *("mean of", "of the", "about", ",", "(", "."),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=9), st.sampled_from([" ", "\n"]))
def test_the_quick_look_misses_no_reversal(pieces: list[str], gap: str) -> None:
    text = gap.join(pieces).replace(" ,", ",")
    assert may_reverse(text) or not find_reversals(text, find_values(text))
