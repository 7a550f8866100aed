"""Claims about the rows of a record: series with a time, and objects with names."""

from __future__ import annotations

from typing import Any

import pytest

from adequa.entities import JudgmentSettings, judge
from adequa.entities.owners import read_rows
from adequa.entities.values import values_of
from adequa.readers.records import read_record

DAYS = ("2025-03-03", "2025-03-04", "2025-03-05")  # Monday to Wednesday
HOURS = ("06:00", "12:00", "18:00")
TEMPERATURES = (2.1, 9.4, 5.0, 3.2, 12.6, 7.7, -1.3, 4.4, 0.8)
CONDITIONS = (
    *("clear sky", "clear sky", "few clouds"),
    *("overcast clouds", "light rain", "light rain"),
    *("overcast clouds", "overcast clouds", "overcast clouds"),
)
FORECAST = {
    "city": "Nordvik",
    "list": [
        {"time": f"{DAYS[n // 3]} {HOURS[n % 3]}:00", "temp": temp, "weather": sky}
        for n, (temp, sky) in enumerate(zip(TEMPERATURES, CONDITIONS, strict=True))
    ],
}
MATCH: dict[str, Any] = {
    "name": "Highland derby",
    "home": "Oban",
    "away": "Ullapool",
    "events": [
        {"minute": 6, "team": "Oban", "player": "Ada Reid", "assist": "Eve Law", "type": "Goal"},
        {"minute": 31, "team": "Ullapool", "player": "Bo Munro", "assist": None, "type": "Card"},
        {"minute": 58, "team": "Ullapool", "player": "Bo Munro", "assist": None, "type": "Goal"},
        {"minute": 71, "team": "Oban", "player": "Cal Orr", "assist": None, "type": "Goal"},
        {"minute": 80, "team": "Oban", "player": "Dee Fry", "assist": "Fay Kerr", "type": "subst"},
        {"minute": 85, "team": "Ullapool", "player": "Gil Hay", "assist": None, "type": "Card"},
    ],
}


def faults(record: Any, text: str) -> list[tuple[str, str]]:
    """What a text says wrongly, each with its kind."""
    item = read_record(record, text, id="1").item
    found = judge(item, JudgmentSettings()).unexplained
    return [(one.kind, text[one.start : one.end]) for one in found]


def test_the_rows_of_a_list_have_a_time_and_columns() -> None:
    values = values_of(read_record(FORECAST, "", id="1").item)
    (rows,) = read_rows(values.facts, values.paths)
    assert rows.is_timed
    assert (rows.rows[0].day, rows.rows[0].date, rows.rows[0].hour) == (0, (3, 3), 6.0)
    (column,) = rows.columns
    assert column.dimension == "temperature"
    assert [column.values[row][0] for row in range(9)] == list(TEMPERATURES)


@pytest.mark.parametrize(
    "text",
    [
        "Temperatures in Nordvik range from -1.3°C to 12.6°C.",
        "Temperatures range from -1 to 13 °C.",
        "On Monday, temperatures range from 2 to 9 °C.",
        "On Tuesday it reaches a high of 12.6°C.",
        "Wednesday morning is cold, with lows of -1.3°C.",
        "Monday has clear skies, and Tuesday brings rain in the afternoon.",
        "It stays dry on Monday with no rain.",
        "Apart from Wednesday, temperatures range from 2 to 13 °C.",
    ],
)
def test_right_claims_about_a_series(text: str) -> None:
    assert faults(FORECAST, text) == []


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (
            "In Nordvik, temperatures range from 4 to 12 °C.",
            "range",
            "temperatures range from 4 to 12 °C",
        ),
        (
            "On Monday it reaches a high of 12.6°C.",
            "extreme",
            "On Monday it reaches a high of 12.6°C",
        ),
        ("Tuesday is mild, with lows of -1.3°C.", "extreme", "with lows of -1.3°C"),
        ("Wednesday brings rain.", "category", "Wednesday brings rain"),
        ("There will be no rain on Tuesday.", "category", "There will be no rain on Tuesday"),
        ("Expect snow this week.", "category", "Expect snow this week"),
    ],
)
def test_wrong_claims_about_a_series(text: str, kind: str, words: str) -> None:
    assert faults(FORECAST, text) == [(kind, words)]


def test_the_reason_says_what_the_data_has() -> None:
    text = "On Monday it reaches a high of 12.6°C."
    item = read_record(FORECAST, text, id="1").item
    (one,) = judge(item, JudgmentSettings()).unexplained
    assert one.reason(text).endswith("temp (Monday): the data has 2.1 to 9.4")
    assert one.triple is not None
    assert one.triple.object == "9.4"


@pytest.mark.parametrize(
    "text",
    [
        "Ada Reid scored in the 6th minute, assisted by Eve Law.",
        "Oban's Cal Orr scored in the second half.",
        "Bo Munro was booked in the 31st minute and scored in the 58th minute.",
        "The match saw two yellow cards and three goals.",
        "Oban scored two goals and Ullapool one.",
        "There were two goals for Oban and one for Ullapool.",
        "Ullapool received two cards, including one in the 31st minute.",
        "Ullapool received one card in the second half.",
        "Oban went ahead with a goal in the 71st minute.",
        "With a goal between the 60th and 75th minute, Oban won.",
        "Three goals from Ada Reid, Bo Munro and Cal Orr were all it took.",
        "The second half ended 1-1.",
    ],
)
def test_right_claims_about_events(text: str) -> None:
    assert faults(MATCH, text) == []


def test_an_event_of_an_unknown_kind_may_be_any() -> None:
    header = {**MATCH["events"][-1], "type": "HD"}
    assert faults({**MATCH, "events": [*MATCH["events"][:-1], header]}, "Gil Hay scored.") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ada Reid scored in the 71st minute.", "owner"),  # another row's minute
        ("Gil Hay scored a goal.", "owner"),  # another row's act
        ("A goal by Eve Law decided it.", "owner"),  # another column's name
        ("Ullapool's Cal Orr scored.", "owner"),  # another row's side
        ("Cal Orr scored in the first half.", "owner"),
        ("There were five goals.", "count"),
        ("Ullapool scored two goals.", "count"),  # those of the other side
        ("There were two goals for Oban and two for Ullapool.", "count"),
        ("Oban received two cards and Ullapool two as well.", "count"),
        ("Several cards were shown, including one to Ullapool.", "count"),
        ("Cal Orr scored two goals.", "count"),  # those of his side
        ("Oban went ahead with a goal in the 66th minute.", "owner"),
        ("The first half ended goalless.", "outcome"),
    ],
)
def test_wrong_claims_about_events(text: str, kind: str) -> None:
    assert [one for one, _ in faults(MATCH, text)] == [kind]


WEEK = {
    "city": "Porto Vento",
    "days": [
        {"day": "Monday", "sky": "mostly sunny", "hi": 24, "lo": 13, "rain_mm": 0, "wind_kmh": 18},
        {"day": "Tuesday", "sky": "partly cloudy", "hi": 22, "lo": 12, "rain_mm": 0, "wind_kmh": 9},
        {"day": "Wednesday", "sky": "thunderstorms", "hi": 18, "lo": 11, "rain_mm": 14,
         "wind_kmh": 31},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Monday is mostly sunny.",
        "The week begins sunny.",
        "Wednesday brings thunderstorms with 14 mm of rain.",
        "Rain falls on Wednesday.",
        "Tuesday has the lowest chance of rain.",
        "Wednesday is the coolest day, with a high of only 18 °C.",
        "The low on Tuesday is 12 °C.",
    ],
)
def test_a_week_of_weather_in_other_words(text: str) -> None:
    assert faults(WEEK, text) == []


@pytest.mark.parametrize("text", ["Rain falls on Tuesday.", "Wednesday is sunny."])
def test_other_weather_than_that_of_the_day(text: str) -> None:
    assert [words for _, words in faults(WEEK, text)] == [text.rstrip(".")]
