"""What a text says of one of several things that stand side by side in a record."""

from __future__ import annotations

from typing import Any

import pytest

from adequa.entities import JudgmentSettings, judge
from adequa.readers.records import read_record

LIBRARY = {
    "library": "Hill Lane Library",
    "loans": {"adult_fiction": 4120, "children": 5380, "non_fiction": 2215},
    "events": [
        {"name": "Story Hour", "attendance": 148},
        {"name": "Poetry Night", "attendance": 37},
    ],
}
SALES = {
    "company": "Bright Tools",
    "quarters": [
        {"q": "Q1", "revenue_keur": 820, "costs_keur": 610},
        {"q": "Q2", "revenue_keur": 905, "costs_keur": 640},
        {"q": "Q3", "revenue_keur": 760, "costs_keur": 655},
    ],
}
STOPS = {
    "train": "IC 7",
    "stops": [
        {"station": "Vestby", "dep": "06:10", "platform": 2},
        {"station": "Holm", "dep": "06:50", "platform": 1},
        {"station": "Aarsund", "dep": "07:42", "platform": 5},
    ],
}
STEW = {
    "title": "Lentil Stew",
    "ingredients": [
        {"item": "brown lentils", "qty": 350, "unit": "g"},
        {"item": "fresh spinach", "qty": 200, "unit": "g"},
    ],
}
GAME = {"game": "Hawks vs Bears", "final": {"Hawks": 91, "Bears": 85}}
CAST = {
    "film": "Harbour",
    "cast": [
        {"actor": "Saoirse Dunne", "role": "Maeve"},
        {"actor": "Idris Cole", "role": "Captain Roe"},
    ],
}
TRAINS = {
    "line": "S4",
    "trains": [
        {"no": 1, "status": "CANCELLED"},
        {"no": 2, "status": "DELAYED"},
        {"no": 3, "status": "DELAYED"},
    ],
}
VISITS = {"museum": "Clock House", "visitors": {"2022": 38100, "2023": 44750, "2024": 41200}}
GAUGE = {
    "river": "Ouse",
    "readings": [
        {"time": "06:00", "level_cm": 388},
        {"time": "12:00", "level_cm": 431},
        {"time": "15:00", "level_cm": 447},
    ],
}


def found(record: Any, text: str) -> list[str]:
    item = read_record(record, text, id="1").item
    return [text[one.start : one.end] for one in judge(item, JudgmentSettings()).unexplained]


OFFICES = {
    "company": "Norvik",
    "offices": [{"city": "Bergen", "staff": 800}, {"city": "Gdansk", "staff": 440}],
}


@pytest.mark.parametrize(
    ("record", "text", "reason"),
    [
        (
            *(GAUGE, "At noon it was at 447 cm."),
            "'447 cm': the data has level_cm '431' for readings 12:00",
        ),
        (
            *(OFFICES, "Gdansk has more staff than Bergen."),
            "'more staff than': the data has staff '440' for Gdansk and '800' for Bergen",
        ),
    ],
)
def test_a_reason_says_whose_the_right_value_is(record: Any, text: str, reason: str) -> None:
    judgment = judge(read_record(record, text).item, JudgmentSettings())
    assert [one.reason(text).partition(";")[0] for one in judgment.unexplained] == [reason]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (LIBRARY, "Nearly 150 people came to Poetry Night."),
        (STOPS, "It leaves Vestby from platform 5."),
        (STEW, "You need 200 g of brown lentils."),
        (CAST, "Saoirse Dunne plays Captain Roe."),
        (TRAINS, "Two of the trains were cancelled."),
        (GAUGE, "The river stood at 474 cm at 15:00."),
    ],
)
def test_what_does_not_hold_for_an_entry_is_found(record: Any, text: str) -> None:
    assert len(found(record, text)) == 1


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (LIBRARY, "Children's books were borrowed most, with 5,380 loans."),
        (LIBRARY, "Nearly 150 people came to Story Hour and 37 to Poetry Night."),
        (SALES, "The second quarter was by far the strongest."),
        (SALES, "Costs rose in every quarter."),
        (STOPS, "It leaves Vestby from platform 2 at 6:10."),
        (STEW, "You need 350 g of brown lentils and 200 g of spinach."),
        (GAME, "The Hawks beat the Bears."),
        (CAST, "Saoirse Dunne plays Maeve and Idris Cole Captain Roe."),
        (TRAINS, "Two of the trains were delayed."),
        (VISITS, "Visitors fell back to 41,200 in 2024."),
        (GAUGE, "The river stood at 447 cm at 15:00."),
    ],
)
def test_what_holds_is_not(record: Any, text: str) -> None:
    assert found(record, text) == []


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"dish": "Stew", "prep_min": 15, "cook_min": 40}, "Stew is ready in 55 minutes."),
        (
            {
                "guest": "Ann",
                "check_in": "2025-03-14",
                "check_out": "2025-03-18",
                "rate_per_night": 90,
            },
            "Ann stays for four nights.",
        ),
        (
            {"patient": "R.T.", "visit": "2025-01-22", "follow_up_weeks": 6},
            "R.T. should come back in six weeks, in March.",
        ),
        ({"car": "E3", "dc_10_80_min": 29}, "The E3 charges from 10 to 80 per cent in 29 minutes."),
        (
            {"invoice": "A7", "gross_eur": 564.06, "vat_eur": 90.06},
            "A7 comes to €564.06 including VAT.",
        ),
        ({"talk": "Forum", "format": "in person"}, "The Forum cannot be followed online."),
        (
            {"lot": "Pears", "hammer_eur": 52000, "premium_pct": 25},
            "With the premium of 25% the buyer of Pears pays €65,000.",
        ),
        (
            {"gym": "Pulse", "visits": {"jan": 11, "feb": 14, "mar": 9, "apr": 16}},
            "Between January and April there were 50 visits to Pulse.",
        ),
        (
            {
                "panda": "Tambo",
                "diet": [
                    {"food": "bamboo", "g_per_day": 1200},
                    {"food": "apples", "g_per_day": 150},
                ],
            },
            "Tambo eats 1.2 kg of bamboo a day.",
        ),
        ({"firm": "Nimbly", "cash_keur": 640}, "Nimbly has €640,000 in the bank."),
        ({"firm": "Nimbly", "staff": 19}, "So each of the 19 people at Nimbly owes €104.40."),
        ({"plan": "Flex M", "speed_mbps": 150}, "Flex M reaches 150 Mbit/s."),
        (
            {"survey": "Delm", "modes": {"car": 47.5, "bus": 18.2, "bike": 31.0, "other": 3.3}},
            "Just under half of Delm go by car.",
        ),
    ],
)
def test_what_follows_from_the_data_is_explained(record: Any, text: str) -> None:
    assert found(record, text) == []


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"class": "5B", "girls": 14, "subjects": [{"grade": 1.7}]}, "In 5B there are 16 girls."),
        ({"city": "Mere", "tax_change_pct": 3.5}, "In Mere the tax goes down by 3.5 per cent."),
        ({"panel": "Boy", "height_cm": 118.2}, "The panel Boy is almost two metres high."),
        ({"station": "Ridge", "wind_direction": "W"}, "At Ridge the wind came from the north."),
    ],
)
def test_what_the_data_has_otherwise_is_found(record: Any, text: str) -> None:
    assert found(record, text)
