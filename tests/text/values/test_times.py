from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.languages import LANGUAGES
from adequa.text.values import times
from adequa.text.values.times import (
    Clock,
    clock_of,
    durations_of,
    find_times,
    is_same_time,
    moment_of,
)


@pytest.mark.parametrize(
    ("text", "time", "clocks"),
    [
        ("It left at 7:52 am.", "7:52 am", [(7, 52)]),
        ("It opens at 5:30 p.m. daily", "5:30 p.m.", [(17, 30)]),
        ("It opens at 5.30pm.", "5.30pm", [(17, 30)]),
        ("at 5 pm.", "5 pm", [(17, 0)]),
        ("at 12 am", "12 am", [(0, 0)]),
        ("at 17:34 UTC", "17:34 UTC", [(17, 34)]),
        ("around 3:45 in the afternoon", "3:45", [(15, 45)]),
        ("until midnight", "midnight", [(0, 0)]),
        ("from noon", "noon", [(12, 0)]),
        ("at half past five", "half past five", [(5, 30), (17, 30)]),
        ("at quarter to six", "quarter to six", [(5, 45), (17, 45)]),
        ("at six o'clock", "six o'clock", [(6, 0), (18, 0)]),
    ],
)
def test_times_in_text(text: str, time: str, clocks: list[tuple[int, int]]) -> None:
    (span,) = find_times(text)
    assert text[span.start : span.end] == time
    assert [(clock.hour, clock.minute) for clock in span.readings] == clocks


def test_the_first_of_two_times_shares_the_half_of_the_day() -> None:
    first, second = find_times("from 1:47 to 2:19 pm")
    assert {clock.hour for clock in first.readings} == {1, 13}
    assert [clock.hour for clock in second.readings] == [14]


@pytest.mark.parametrize(
    "text", ["a ratio of 18:9", "version 2.30", "10 km/h", "2:16.72", "am here"]
)
def test_other_figures_are_not_times(text: str) -> None:
    assert find_times(text) == []


def test_timestamps() -> None:
    moment = moment_of("2024-11-08T07:25:00+01:00")
    assert moment is not None
    assert moment.date == (2024, 11, 8)
    assert moment.clock == Clock(7, 25, 0, 60)
    assert moment_of("2024-11-08") is None
    assert moment_of("2024-13-08T07:25") is None
    assert moment_of("1731801600") is None
    epoch = moment_of("1731801600", epoch=True)
    assert epoch is not None
    assert epoch.date == (2024, 11, 17)


def test_clock_values() -> None:
    assert clock_of("07:05") == Clock(7, 5)
    assert clock_of("5:34 PM") == Clock(17, 34)
    assert clock_of("18:00-23:30") is None
    assert clock_of("noonday") is None


def test_zones_count_only_where_both_have_one() -> None:
    local = Clock(7, 25, 0, 60)
    assert is_same_time(local, Clock(7, 25))
    assert is_same_time(local, Clock(6, 25, None, 0))
    assert not is_same_time(local, Clock(7, 25, None, 0))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("PT90M", ["5400"]),
        ("P3DT4H", ["273600"]),
        ("1:45:30", ["6330"]),
        ("25:30", ["1530", "91800"]),
        ("2:14.08", ["134.08"]),
        ("2h 15m", ["8100"]),
        ("45 min 10 s", ["2710"]),
        ("3 days", ["259200"]),
        ("P", []),
        ("soon", []),
    ],
)
def test_durations(value: str, seconds: list[str]) -> None:
    assert [str(quantity.value) for quantity in durations_of(value)] == seconds


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("It ended at half past twelve.", {(0, 30), (12, 30)}),
        ("It peaks at six in the evening.", {(18, 0)}),
        ("They ran grades five to eight.", set()),
        ("It is open from ten to one.", set()),
    ],
)
def test_times_in_words(text: str, clocks: set[tuple[int, int]]) -> None:
    assert {(one.hour, one.minute) for span in find_times(text) for one in span.readings} == clocks


@pytest.mark.parametrize(
    ("code", "text", "clocks"),
    [
        ("de", "um 18 Uhr 45", [(18, 45)]),
        ("de", "um 18.45 Uhr", [(18, 45)]),
        ("de", "halb sechs", [(5, 30), (17, 30)]),
        ("fr", "à 18 h 45", [(18, 45)]),
        ("es", "a las seis y media de la tarde", [(18, 30)]),
        ("it", "alle 23.30", [(23, 30)]),
        ("it", "alle 19, e", [(19, 0)]),
        ("pt", "às 22h45", [(22, 45)]),
        ("nl", "om half zes 's middags", [(17, 30)]),
        ("nl", "kwart over acht", [(8, 15), (20, 15)]),
        ("cs", "ve 14.05 hodin", [(14, 5)]),
        ("ru", "в 14 часов 40 минут", [(14, 40)]),
    ],
)
def test_times_in_other_languages(code: str, text: str, clocks: list[tuple[int, int]]) -> None:
    (span,) = find_times(text, LANGUAGES[code])
    assert [(clock.hour, clock.minute) for clock in span.readings] == clocks


@pytest.mark.parametrize(
    ("code", "text"),
    [("pt", "dura 2 h 15 min"), ("fr", "dure 2 heures"), ("de", "kostet 16.20 Euro")],
)
def test_other_figures_are_not_times_in_other_languages(code: str, text: str) -> None:
    assert find_times(text, LANGUAGES[code]) == []


_PIECES = (
    *("5", "17", "05", ":30", ".30", "h30", ":59:01", "pm", "a.m.", "p. m.", "o'clock", "o’clock"),
    *(
        "hrs",
        "hours local",
        "half",
        "a quarter",
        "twenty-five",
        "ten",
        "past",
        "to",
        "nine",
        "noon",
    ),
    *("in the morning", "at night", "midnight", ",", "x"),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=7), st.sampled_from(["", " "]))
def test_the_quick_looks_miss_no_time(pieces: list[str], gap: str) -> None:
    lower = gap.join(pieces)
    assert times._AFTER_HOUR.search(lower) or not times._FIGURES.search(lower)
    assert times._IN_WORDS.search(lower) or not times._WORDED.search(lower)


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("At 6.52 that evening", 18, 52),
        ("a quarter to midnight", 23, 45),
        ("ten past noon", 12, 10),
        ("at 9.15 in the morning", 9, 15),
    ],
)
def test_a_time_with_a_full_stop_or_beside_midnight(text: str, hour: int, minute: int) -> None:
    (span,) = find_times(text)
    assert span.readings == (Clock(hour, minute),)
