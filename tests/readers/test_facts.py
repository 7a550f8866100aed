"""The facts of records: grouping, names, units, roles, pointers, and what is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import UNNAMED
from adequa.errors import DataError
from adequa.readers.facts import Number, key_words, pointer_of, read_facts, why_technical
from adequa.readers.mapping import RecordMapping


def triples(record: Any, **options: Any) -> list[str]:
    return [" | ".join(triple) for triple in read_facts(record, **options).triples]


def resolve(record: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        record = record[int(part)] if isinstance(record, list) else record[part]
    return record


def test_objects_of_a_list_stay_together() -> None:
    goals = [{"minute": 6, "scorer": "Ada"}, {"minute": 71, "scorer": "Bo"}]
    assert triples({"name": "Final", "goals": goals}) == [
        "Final | goals scorer | Ada",
        "Ada | minute | 6",
        "Final | goals scorer | Bo",
        "Bo | minute | 71",
    ]
    twice = [*goals, {"minute": 90, "scorer": "Ada"}]
    facts = read_facts({"name": "Final", "goals": twice})
    assert [" | ".join(triple) for triple in facts.triples[-3:]] == [
        "Final | goals | goals 90",
        "goals 90 | minute | 90",
        "goals 90 | scorer | Ada",
    ]
    assert facts.terms["goals 90"].datatype == UNNAMED
    assert facts.paths[-3:] == ("/goals/2", "/goals/2/minute", "/goals/2/scorer")


def test_a_thing_with_a_name_has_facts_of_its_own() -> None:
    record = {"title": "Bill 7", "seller": {"name": "Alba", "city": "Ely"}, "to": {"city": "Oban"}}
    facts = read_facts(record)
    assert [" | ".join(triple) for triple in facts.triples] == [
        "Bill 7 | seller | Alba",
        "Alba | city | Ely",
        "Bill 7 | to city | Oban",
    ]
    assert facts.paths == ("/seller/name", "/seller/city", "/to/city")


@pytest.mark.parametrize(
    ("field", "fact"),
    [
        ({"weight": {"value": 452, "unit": "g"}}, "weight | 452 g"),
        ({"price": {"amount": Number("3.50"), "currency": "EUR"}}, "price | 3.50 EUR"),
        (
            {"cost": {"value": 38.5, "unit": "million", "currency": "NOK"}},
            "cost | 38.5 million NOK",
        ),
        ({"specs": [{"name": "Weight", "value": "261 g"}]}, "Weight | 261 g"),
        ({"specs": [{"key": "Range", "value": 3, "unit": "km"}]}, "Range | 3 km"),
        ({"dimensions": {"height": 3}}, "dimensions height | 3"),
        ({"details": {"colour": "red"}}, "colour | red"),
        ({"open": True}, "open | true"),
    ],
)
def test_what_belongs_together_is_one_fact(field: dict[str, Any], fact: str) -> None:
    assert triples({"name": "A", **field}) == [f"A | {fact}"]


def test_pairs_under_a_heading_are_named_by_both() -> None:
    sections = [{"category": "Body", "specs": [{"name": "Weight", "value": "3 g"}]}]
    assert triples({"name": "A", "sheet": sections}) == ["A | Body Weight | 3 g"]


def test_a_currency_further_up_holds_for_amounts_of_money() -> None:
    lines = [{"item": "Lamp", "qty": 2, "price": 4}, {"item": "Desk", "qty": 1, "price": 9}]
    found = triples({"name": "A", "currency": "EUR", "lines": lines, "total": 17, "vatRate": 0.2})
    assert "Lamp | price | 4 EUR" in found
    assert "Lamp | qty | 2" in found
    assert found[-2:] == ["A | total | 17 EUR", "A | vatRate | 0.2"]


def test_sides_are_the_teams_that_play_them() -> None:
    teams = {"home": {"name": "Alba"}, "away": {"name": "Ross"}}
    record = {"name": "Final", "teams": teams, "goals": {"home": 3, "away": 1}}
    assert triples(record) == [
        "Final | teams home | Alba",
        "Final | teams away | Ross",
        "Alba | goals | 3",
        "Ross | goals | 1",
    ]
    flat = {"name": "Final", "home_team": "Alba", "away_team": "Ross", "home_score": 3}
    assert triples(flat)[-1] == "Alba | home_score | 3"


def test_columns_beside_their_times_are_rows() -> None:
    hourly = {"time": ["06:00", "07:00"], "temp": [3, 4]}
    units = {"temp": "°C"}
    facts = read_facts({"name": "Ely", "hourly": {**hourly, "units": units}})
    assert "hourly 07:00 | temp | 4 °C" in [" | ".join(triple) for triple in facts.triples]
    assert "/hourly/temp/1" in facts.paths
    series = [{"hour": "06:00", "value": 3}, {"hour": "07:00", "value": 4}]
    assert "days 06:00 | value | 3 kWh" in triples({"name": "A", "unit": "kWh", "days": series})


def test_days_are_not_named_after_their_weather() -> None:
    days = [
        {"day": "Monday", "wind": "NW", "sky": "clear", "high": 9},
        {"day": "Tuesday", "wind": "W", "sky": "cloudy", "high": 7},
    ]
    found = triples({"city": "Oban", "days": days})
    assert "days Monday | high | 9" in found
    departures = [
        {"time": "07:02", "train": "IC 6", "status": "ONTIME", "platform": 3},
        {"time": "07:15", "train": "RE 4", "status": "DELAYED", "platform": 6},
    ]
    assert "RE 4 | platform | 6" in triples({"station": "Brenz", "departures": departures})


def test_a_name_in_two_lists_keeps_its_facts_apart() -> None:
    record = {
        "race": "Tour",
        "stage": [{"rider": "Ada", "gap": 0}, {"rider": "Bo", "gap": 3}],
        "overall": [{"rider": "Bo", "gap": 0}, {"rider": "Cy", "gap": 9}],
    }
    found = triples(record)
    assert "Bo | stage gap | 3" in found
    assert "Bo | overall gap | 0" in found
    assert "Cy | overall gap | 9" in found


def test_a_name_twice_in_a_list_is_two_things() -> None:
    stops = [{"name": "Quay", "km": 0}, {"name": "Mill", "km": 3}, {"name": "Quay", "km": 6}]
    assert "Quay (stops 3) | km | 6" in triples({"name": "Loop", "stops": stops})


@pytest.mark.parametrize(
    ("record", "text", "subject"),
    [
        ({"kind": "inn", "name": "Mill"}, "", "Mill"),
        ({"id": 7, "wine": "Rosso", "year": 2019}, "", "Rosso"),
        ({"city": {"name": "Ely"}, "list": [1]}, "", "Ely"),
        ({"album": "Blue", "label": "Rook"}, "", "Blue"),
        ({"firstName": "Ada", "lastName": "Lovelace", "age": 3}, "", "Ada Lovelace"),
        ({"id": "w1", "temp": 3}, "", "record"),
        ({"orderId": "REQ-3391", "temp": 3}, "REQ-3391 is warm.", "REQ-3391"),
        ({"type": "FREEHOLD", "temp": 3}, "A freehold.", "record"),
        ([{"city": "Ely", "n": 1}, {"city": "Oban", "n": 2}], "", "record"),
    ],
)
def test_the_name_of_a_record(record: Any, text: str, subject: str) -> None:
    assert read_facts(record, text=text).subject == subject


def test_a_found_name_that_the_text_lacks_need_not_be_mentioned() -> None:
    record = {"wine": "Rosso", "year": 2019}
    assert "Rosso" in read_facts(record, text="A wine of 2019.").terms
    assert "Rosso" not in read_facts(record, text="Rosso is of 2019.").terms
    assert "Rosso" not in read_facts({"name": "Rosso", "year": 2019}, text="A wine.").terms


def test_the_name_can_be_told() -> None:
    record = {"name": "Code 7", "place": {"called": "Ely"}, "n": 3}
    told = RecordMapping(subject="place.called")
    assert triples(record, mapping=told) == ["Ely | name | Code 7", "Ely | n | 3"]
    with pytest.raises(DataError, match="has no 'nick' for its subject"):
        read_facts(record, mapping=RecordMapping(subject="nick"))


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("id", 7, "an id"),
        ("venueId", "A7", "an id"),
        ("logo", "https://e.org/a.png", "an address"),
        ("img", "a7.png", "a picture"),
        ("icon", "13n", "a picture"),
        ("sha256", "b1946ac92492d2347c6235b4d2611184", "a hash"),
        ("key", "0b6ad5fe-2f0c-4d0c-9d3f-6f3c2c3f2b11", "an id"),
        ("timestamp", 1731801600, "a Unix time"),
        ("lat", 52.4, "a coordinate"),
        ("_rev", "3", "internal"),
        ("theme", "#ffaa00", "a colour code"),
        ("population", 1731801600, None),
        ("image", "A red door in a wall", None),
        ("valid", True, None),
        ("bid", 7, None),
        ("name", "Ada", None),
    ],
)
def test_values_that_are_not_for_saying(key: str, value: Any, why: str | None) -> None:
    assert why_technical(key, value) == why


def test_what_is_left_out_is_listed_and_can_be_kept() -> None:
    record = {"name": "A", "orderId": "REQ-3391", "note": None, "n": 3}
    left = read_facts(record).left_out
    assert [(one.path, one.why) for one in left] == [("/orderId", "an id"), ("/note", "empty")]
    assert "A | orderId | REQ-3391" in triples(record, mapping=RecordMapping(keep=("orderId",)))
    assert "A | orderId | REQ-3391" in triples(record, text="Order REQ-3391 was sent.")
    assert triples(record, mapping=RecordMapping(ignore=("n",), keep=("*",))) == [
        "A | orderId | REQ-3391"
    ]


def test_times_near_a_unix_time_are_unix_times() -> None:
    record = {"name": "A", "timestamp": 1731801600, "periods": {"first": 1731805200}, "n": 1}
    assert triples(record) == ["A | n | 1"]


def test_thousands_of_facts_are_read() -> None:
    rows = [{"hour": f"{n}:00", "value": n, "gust": 2 * n} for n in range(2000)]
    facts = read_facts({"name": "A", "rows": rows})
    assert len(facts.triples) == 8000
    assert len(set(facts.paths)) == 8000


def test_pointers_are_escaped() -> None:
    facts = read_facts({"name": "A", "a/b": {"c~d": 1}})
    assert facts.paths == ("/a~1b/c~0d",)
    assert pointer_of(["a", 0]) == "/a/0"
    assert key_words("weight (g)") == ("weight", "g")


json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["Ada", "EUR", "06:00", "a b"]),
    lambda parts: (
        st.lists(parts, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "value", "unit", "time", "home", "away", "id", "a/b", "x"]),
            parts,
        )
    ),
    max_leaves=20,
)


@given(record=st.dictionaries(st.sampled_from(["name", "home", "goals", "list"]), json_value))
@settings(deadline=None, max_examples=200)
def test_every_pointer_leads_to_its_value(record: dict[str, Any]) -> None:
    facts = read_facts(record)
    assert len(facts.triples) == len(facts.paths) == len(set(facts.triples))
    for triple, path in zip(facts.triples, facts.paths, strict=True):
        value = resolve(record, path)
        assert all(triple)
        if not isinstance(value, dict | list):
            written = json.dumps(value) if isinstance(value, bool | int) else value
            assert triple.object.startswith(written)
    for one in facts.left_out:
        assert resolve(record, one.path) == one.value
