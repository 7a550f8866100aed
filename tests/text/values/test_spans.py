from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.values import Quantity, find_values, spans


def read(text: str) -> list[tuple[str, str, str, str | None, str]]:
    """Each value: its words, kind, first number and unit, and hedge."""
    return [
        (
            text[span.start : span.end],
            span.kind,
            str(span.quantities[0].value) if span.quantities else "",
            span.quantities[0].unit if span.quantities else None,
            span.hedge,
        )
        for span in find_values(text)
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nearly half of it", ("half", "share", "50", "percent", "just under")),
        ("about two thirds", ("two thirds", "share", "66.667", "percent", "about")),
        ("a third of them", ("a third", "share", "33.333", "percent", "none")),
        ("one resident in three", ("one resident in three", "share", "33.333", "percent", "none")),
        ("1 minute 45 seconds", ("1 minute 45 seconds", "number", "105", "second", "none")),
        ("an hour and a half", ("an hour and a half", "number", "1.5", "hour", "none")),
        ("29 and a half minutes", ("29 and a half minutes", "number", "29.5", "minute", "none")),
        ("just over half an hour", ("half an hour", "number", "0.5", "hour", "just over")),
        ("half a million", ("half a million", "number", "500000", None, "none")),
        ("a quarter-kilo bag", ("a quarter-kilo", "number", "0.25", "kilogram", "none")),
        ("2½ hours", ("2½ hours", "number", "2.5", "hour", "none")),
        ("eleven pounds fifty", ("eleven pounds fifty", "number", "11.5", "pound", "none")),
        ("5 feet 11 inches", ("5 feet 11 inches", "number", "71", "inch", "none")),
        ("a full week", ("a full week", "number", "1", "week", "none")),
        ("almost a metre", ("a metre", "number", "1", "metre", "just under")),
        ("twice as many", ("twice", "ratio", "2", None, "none")),
        ("three times the price", ("three times", "ratio", "3", None, "none")),
        ("won 3-1", ("3-1", "score", "3", None, "none")),
        ("in 2:16.72", ("2:16.72", "number", "136.72", "second", "none")),
        ("the 13th", ("13th", "ordinal", "13", None, "none")),
        ("it adds up to 68.5 m", ("68.5 m", "number", "68.5", "metre", "none")),
        ("up to 68.5 m", ("68.5 m", "number", "68.5", "metre", "at most")),
        ("nobody has more than six", ("six", "number", "6", None, "at most")),
        ("20 people or so", ("20", "number", "20", None, "none")),
        ("the 1990s", ("1990s", "date", "", None, "none")),
        ("in May", ("May", "date", "", None, "none")),
    ],
)
def test_one_value(text: str, value: tuple[str, str, str, str | None, str]) -> None:
    assert read(text) == [value]


@pytest.mark.parametrize(
    "text",
    ["twice a day", "the first half", "a third attempt", "half past", "they may go", "a week ago"],
)
def test_no_value(text: str) -> None:
    assert [value for value in read(text) if value[1] in ("share", "ratio", "number")] == []


def test_the_first_number_of_a_range_has_the_unit_of_the_second() -> None:
    spans = find_values("from 8 to 10 km")
    assert [span.quantities[0].unit for span in spans] == ["kilometre", "kilometre"]
    assert all(span.range for span in spans)


def test_a_day_before_a_date_is_a_date() -> None:
    first, second = find_values("from 18 to 24 December 2023")
    assert first.dates == ((2023, 12, 18),)
    assert second.dates == ((2023, 12, 24),)


@given(st.text(alphabet="0123456789.,:-–/ %€$aehlfimnopt½\n", max_size=60))
def test_values_are_in_order_and_do_not_overlap(text: str) -> None:
    spans = find_values(text)
    end = 0
    for span in spans:
        assert end <= span.start < span.end <= len(text)
        end = span.end


def test_long_texts_take_linear_time() -> None:
    def seconds(text: str) -> float:
        begin = time.process_time()
        find_values(text)
        return time.process_time() - begin

    for part in ("1-", "half a ", "1:", "a hundred and ", "one in ", "5 to ", "€1 "):
        short, long = part * 500, part * 4000
        seconds(short)
        # The best of three: a garbage collection among all other tests takes a second.
        best = min(seconds(long) for _ in range(3))
        assert best < 30 * max(seconds(short), 0.003), part


_PIECES = (
    *(
        "one",
        "two",
        "5",
        "child",
        "in",
        "every",
        "ten",
        "100",
        "twice",
        "double",
        "tenfold",
        "four",
    ),
    *("times", "-fold", "as", "the", "more", "1990", "2010", "s", "'s", "’s", "3", "-", " – ", ":"),
    *(".", ","),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=8), st.sampled_from(["", " "]))
def test_the_quick_looks_miss_no_value(pieces: list[str], gap: str) -> None:
    lower = gap.join(pieces)
    for quick, pattern in (
        (spans._IN_SOME, spans._ONE_IN),
        (spans._TIMES, spans._RATIO),
        (spans._DECADE_END, spans._DECADE),
        (spans._JOINED, spans._SCORE),
    ):
        assert quick.search(lower) or not pattern.search(lower)


def test_one_in_a_larger_number_is_a_share_and_more_of_them_are_not() -> None:
    assert [one.kind for one in find_values("About one dollar in 24 was lost.")] == ["share"]
    assert "share" not in [one.kind for one in find_values("They scored 3 goals in 24 games.")]


def test_a_currency_code_may_stand_before_the_number() -> None:
    (span,) = find_values("It earned NOK 36,000.")
    assert span.quantities[0].unit == "Norwegian krone"


def test_the_first_end_of_a_range_has_the_scale_of_the_second() -> None:
    first, _ = find_values("between 39 and 53 million euros")
    assert first.quantities[0] == Quantity(Decimal(39_000_000), "euro")


def test_decimals_are_not_continued_by_a_smaller_unit() -> None:
    assert len(find_values("at least 0.9 m, 10 cm less than")) == 2
