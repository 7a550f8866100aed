"""Plain fields of small records: each text that contradicts one is noticed, no true text is."""

from __future__ import annotations

from typing import Any

import pytest

import adequa
from adequa.entities.fields import noun_of

COMPANY = {"company": "Lumen Air", "employees": 1240, "founded": 1998, "headquarters": "Oslo"}
HOTEL = {"hotel": "Seeblick", "stars": 4, "rooms": 80, "pool": True, "price_eur": 120}
WET = {"city": "Oban", "temp_max_c": 9, "rain_mm": 6.4, "wind_direction": "NW", "wind_kmh": 31}
DRY = {"city": "Oban", "temp_max_c": 9, "rain_mm": 0, "wind_direction": "W", "snow_cm": 0}
MATCH = {
    "match": "Oban - Ullapool",
    "goals": [{"player": name, "minute": 6 * len(name)} for name in ("Ada", "Boris", "Cy", "Dido")],
    "cards": 3,
}
PUMP = {"product": "HydroPump 2", "color": "red", "size": "large", "in_stock": 12, "noise": "low"}
COURSE = {
    "course": "Pottery", "weekday": "Tuesday", "season": "autumn", "places": 12, "places_left": 0,
}  # fmt: skip
SURVEY = {"survey": "Commuting", "respondents": 400, "cyclists": 124, "drivers": 200, "walkers": 76}
MUSEUM = {"museum": "Kelvin", "floors": 3, "closed_on": "Monday", "location": "Glasgow"}
RUN = {"run": "A-17", "errors": 0, "warnings": 3, "free_seats": 0, "deaths": 2, "injured": 0}
FLAT = {"apartment": "Lindenweg 4", "rooms": 3, "balconies": 1, "parking_spaces": 0, "rent_eur": 98}
FLIGHT = {"flight": "LX 318", "delay_min": 35, "free_seats": 8, "weekday": "Friday"}
PATIENT = {"patient": "Case 12", "allergies": 0, "previous_surgeries": 2, "pain_level": "high"}
STAY = {"stay": "Alba", "guests": 2, "nights": 3, "parking_fee_eur": 15, "wifi_fee_eur": 0}
SHIFT = {"machine": "Press 7", "stops": 4, "shift": "night", "room_type": "double"}
RECIPE = {"recipe": "Lentil soup", "ingredients": ["lentils", "carrots", "onion", "cumin", "salt"]}
OFFICES = {
    "company": "Tideway",
    "offices": [
        {"city": "Leeds", "staff": 42, "opened": 2004},
        {"city": "Bath", "staff": 17, "opened": 2015},
        {"city": "Hull", "staff": 28, "opened": 2011},
    ],
}
MENU = {
    "menu": "Summer",
    "dishes": [
        {"dish": "Gazpacho", "price_eur": 7.5, "sold": 31, "returned": 2},
        {"dish": "Paella", "price_eur": 16, "sold": 12, "returned": 0},
        {"dish": "Flan", "price_eur": 5.5, "sold": 44, "returned": 1},
    ],
}
PHONE = {"phone": "Nova 5", "storage_gb": 256, "sim_slots": 2, "colors": ["black", "blue"]}

FORECAST = {
    "city": "Graz",
    "forecast": [
        {"day": "Monday", "temp_max_c": 21, "rain_mm": 0, "wind": "NW"},
        {"day": "Tuesday", "temp_max_c": 17, "rain_mm": 6.4, "wind": "W"},
        {"day": "Wednesday", "temp_max_c": 24, "rain_mm": 0, "wind": "S"},
    ],
}
PACK = {"product": "Trail 40", "price_eur": 149, "warranty_years": 3, "release_year": 2022}

WRONG = [
    (FORECAST, "Tuesday stays dry in Graz."),
    (PACK, "The Trail 40 has a two-year warranty."),
    (PACK, "The Trail 40 sells for €129."),
    (COMPANY, "Lumen Air employs 1,420 people."),
    (COMPANY, "Lumen Air was founded in 1989."),
    (HOTEL, "The Seeblick is a five-star hotel with 80 rooms."),
    (HOTEL, "The Seeblick has three stars."),
    (HOTEL, "The Seeblick has ninety rooms."),
    (WET, "It stays dry in Oban."),
    (WET, "No rain falls in Oban."),
    (WET, "The wind comes from the south-west."),
    (WET, "A south-westerly wind blows at 31 km/h."),
    (DRY, "It rains in Oban."),
    (DRY, "It is wet in Oban."),
    (DRY, "A south-westerly wind blows."),
    (MATCH, "The match saw five goals."),
    (MATCH, "There were three goals."),
    (MATCH, "The referee showed four cards."),
    (PUMP, "The blue HydroPump 2 is large."),
    (PUMP, "The HydroPump 2 is small."),
    (PUMP, "The HydroPump 2 is sold out."),
    (PUMP, "Its noise is high."),
    (COURSE, "The pottery course takes place on Thursdays."),
    (COURSE, "The course runs in spring."),
    (COURSE, "There are places left."),
    (SURVEY, "About 75 % of the respondents cycle."),
    (SURVEY, "Three quarters of the respondents drive."),
    (SURVEY, "Cyclists make up about 45 %."),
    (MUSEUM, "The Kelvin museum has four floors."),
    (MUSEUM, "It is closed on Tuesdays."),
    (RUN, "There were no warnings."),
    (RUN, "Nobody died."),
    (RUN, "Some seats are free."),
    (FLAT, "The apartment has four rooms."),
    (FLAT, "It comes with two parking spaces."),
    (FLIGHT, "Flight LX 318 left on time."),
    (FLIGHT, "There were no free seats."),
    (PATIENT, "The patient has several allergies."),
    (PATIENT, "The patient has had no previous surgeries."),
    (PATIENT, "The pain level is low."),
    (STAY, "Three guests stay for three nights."),
    (STAY, "Parking is free of charge."),
    (SHIFT, "It ran on the day shift."),
    (SHIFT, "They booked a single room."),
    (RECIPE, "It has six ingredients."),
    (OFFICES, "Tideway has four offices."),
    (MENU, "The paella costs 15 euros."),
    (MENU, "Of the gazpacho nothing was returned, none was returned."),
    (PHONE, "It offers 512 GB of storage."),
    (PHONE, "It is available in red."),
]
RIGHT = [
    (COMPANY, "Founded in 1998, Lumen Air employs some 1,200 people."),
    (HOTEL, "The Seeblick is a four-star hotel with eighty rooms."),
    (WET, "A north-westerly wind brings rain to Oban."),
    (WET, "The wind comes from the west."),
    (DRY, "It stays dry in Oban, and there is no snow."),
    (MATCH, "There were four goals and three cards."),
    (MATCH, "Ada and Boris scored two goals in the first half."),
    (PUMP, "The large red HydroPump 2 is in stock."),
    (PUMP, "Its noise is low."),
    (COURSE, "No places are left on the Tuesday course in autumn."),
    (COURSE, "The course is full."),
    (SURVEY, "About 31 % of the respondents cycle."),
    (SURVEY, "Cyclists and walkers together make up half of the respondents."),
    (MUSEUM, "It has three floors and is closed on Mondays."),
    (RUN, "Two people died, but nobody was injured."),
    (RUN, "It ran without errors."),
    (FLAT, "The three-room apartment has one balcony and no parking space."),
    (FLAT, "It has three rooms, of which two face the garden."),
    (FLIGHT, "The Friday flight left late, with eight free seats."),
    (PATIENT, "The patient has no allergies."),
    (STAY, "Wifi is free of charge."),
    (SHIFT, "Two of the four stops in the night shift were short."),
    (RECIPE, "It has five ingredients."),
    (OFFICES, "Of the three offices Leeds has the most staff."),
    (MENU, "The paella, at €16, is the most expensive dish."),
    (MENU, "Nothing was returned of the paella."),
    (PHONE, "It offers 256 GB of storage and comes in black and blue."),
]


def verdict(record: dict[str, Any], text: str) -> str:
    return adequa.score(record, text, metrics=["esa"]).verdict


@pytest.mark.parametrize(("record", "text"), WRONG)
def test_what_contradicts_a_plain_field_is_noticed(record: dict[str, Any], text: str) -> None:
    assert verdict(record, text) == "hallucination"


@pytest.mark.parametrize(("record", "text"), RIGHT)
def test_what_a_plain_field_says_is_not(record: dict[str, Any], text: str) -> None:
    assert verdict(record, text) == "OK"


def test_a_field_of_several_rows_is_spoken_of_by_the_name_of_its_row() -> None:
    huts = [{"hut": "Aldo", "beds": 12}, {"hut": "Brenta", "beds": 9}]
    record = {"valley": "Rendena", "huts": huts}
    assert verdict(record, "Brenta has eleven beds.") == "hallucination"
    assert verdict(record, "Some huts have eleven beds.") == "OK"


def test_the_reason_of_a_share_names_both_fields() -> None:
    result = adequa.score(SURVEY, "Half of the respondents walk.", metrics=["esa"])
    (finding,) = result.unsupported
    assert finding.why == "'Half': walkers 76 of respondents 400 is 19 %"


@pytest.mark.parametrize(
    ("key", "head", "states"),
    [
        ("numberOfRooms", "room", set()),
        ("seats_left", "seat", {"left"}),
        ("rain_mm", "rain", set()),
        ("stats.free_seats", "seat", {"free"}),
    ],
)
def test_the_noun_of_a_key(key: str, head: str, states: set[str]) -> None:
    noun = noun_of(key)
    assert noun is not None
    assert (noun.head, noun.states) == (head, states)


def test_a_rate_has_no_noun() -> None:
    assert noun_of("litres_per_day") is None
