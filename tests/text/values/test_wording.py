"""Values as a person would say them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Term, Triple
from adequa.text.values.wording import (
    find_siblings,
    say_address,
    say_date,
    say_number,
    say_unit,
    spellings_of,
    word_parts,
    word_triple,
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("1987-08-27", "27 August 1987"),
        ('"1987-08-27"^^xsd:date', "27 August 1987"),
        ("1987-08-27T00:00:00Z", "27 August 1987"),
        ("-0044-03-15", "15 March 44 BC"),
        ("1987-02", "February 1987"),
        ("--07-04", "4 July"),
        ("1987-13-01", "1987-13-01"),
        ("1.2E7", "12000000"),
        ("3.9 (metres)", "3.9 metres"),
        ('"52.0"(minutes)', "52.0 minutes"),
        ("837.5 (squareKilometres)", "837.5 square kilometres"),
        ("2.0 (gramPerCubicCentimetres)", "2.0 grams per cubic centimetre"),
        ("914.8 (inhabitants per square kilometre)", "914.8 inhabitants per square kilometre"),
        ("110 million (dollars)", "110 million dollars"),
        ("265.0 (K)", "265.0 K"),
        ("2014 (film)", "2014 (film)"),
        ("23rd_Street_(Old_Town)", "23rd Street (Old Town)"),
        ("<http://dbpedia.org/resource/Blue_Spice>", "Blue Spice"),
        ("http://www.wikidata.org/entity/Q42", "Q42"),
        ("http://dbpedia.org/resource/Caf%C3%A9_Bex", "Café Bex"),
        ("http://www.bluespice.example/", "http://www.bluespice.example/"),
    ],
)
def test_values(value: str, words: str) -> None:
    assert word_parts(Triple("Blue_Spice", "kind", value)) == ("Blue Spice", "kind", words)


@pytest.mark.parametrize(
    ("predicate", "value", "words"),
    [
        ("familyFriendly", "yes", ("is", "family friendly")),
        ("familyFriendly", "no", ("is not", "family friendly")),
        ("hasParking", "false", ("does not have", "parking")),
        ("has_parking", "True", ("has", "parking")),
        ("open", "No", ("is not", "open")),
    ],
)
def test_booleans(predicate: str, value: str, words: tuple[str, str]) -> None:
    assert word_triple(Triple("Blue_Spice", predicate, value)) == ("Blue Spice", *words)


def test_a_label_is_said_in_place_of_an_address() -> None:
    address = "http://www.wikidata.org/entity/Q42"
    triple = Triple(address, "P31", '"1.5"')
    terms = {address: Term(label="Blue Spice"), "P31": Term(label="instance of")}
    assert word_triple(triple, terms) == ("Blue Spice", "instance of", "1.5")


@given(st.text())
def test_any_value_can_be_said(value: str) -> None:
    for say in (say_date, say_number, say_unit, say_address):
        assert isinstance(say(value), str)
    assert len(word_triple(Triple("s", "p", value))) == 3


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


def test_a_field_with_an_unknown_kind_is_not_judged() -> None:
    facts = [("result", "CARRIED"), ("result", "REJECTED")]
    assert find_siblings(facts, "The motion was approved.") == []
    assert find_siblings(facts[1:], "The motion was approved.") != []


def test_half_a_kind_is_not_the_kind() -> None:
    assert find_siblings([("type", "semi-automatic")], "It is run by hand.") == []
