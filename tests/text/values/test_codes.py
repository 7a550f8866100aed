from __future__ import annotations

import pytest

from adequa.text.values import find_siblings, spellings_of


@pytest.mark.parametrize(
    ("key", "value", "wording"),
    [
        ("wind_dir", "NW", "north-westerly"),
        ("wind.deg", "315", "northwest"),
        ("wind.deg", "0", "north"),
        ("wind.deg", "338", "north"),
        ("heading", "SSE", "south-east"),
        ("status", "IN_STOCK", "in stock"),
        ("payment", "credit_card", "credit card"),
        ("day", "tue", "tuesday"),
        ("month", "Sept", "september"),
    ],
)
def test_codes_as_words(key: str, value: str, wording: str) -> None:
    assert wording in spellings_of(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [("grade", "E"), ("deg", "400"), ("name", "Nora"), ("size", "M"), ("wind_speed_kmh", "30")],
)
def test_other_values_have_no_other_spelling(key: str, value: str) -> None:
    assert spellings_of(key, value) == ()


@pytest.mark.parametrize(
    ("value", "text", "wrong"),
    [
        ("PAPERBACK", "It is a hardback of 300 pages.", ["hardback"]),
        ("PER", "An annual for sunny places.", ["annual"]),
        ("PER", "A perennial for sunny places.", []),
        ("DIESEL", "It is not electric.", []),
        ("diesel", "The electric van is new.", ["electric"]),
        ("blue", "The electric van is new.", []),
    ],
)
def test_a_kind_that_the_data_excludes(value: str, text: str, wrong: list[str]) -> None:
    found = find_siblings([("kind", value)], text)
    assert [text[one.start : one.end] for one in found] == wrong


def test_a_kind_that_another_field_has_is_right() -> None:
    facts = [("engine", "DIESEL"), ("auxiliary", "electric")]
    assert find_siblings(facts, "A diesel engine and an electric one.") == []
