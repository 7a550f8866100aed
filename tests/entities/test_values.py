from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.entities import JudgmentSettings, is_counterpart, judge, values_of
from adequa.readers.records import read_record
from adequa.text import PreparedText

RECORD = Item(
    "1",
    (
        Triple("Packlite 28", "weight_g", "780"),
        Triple("Packlite 28", "waterproof", "true"),
        Triple("Packlite 28", "status", "IN_STOCK"),
        Triple("Packlite 28", "opens", "17:34"),
        Triple("Packlite 28", "share", "0.2"),
        Triple("Packlite 28", "rain_mm", "0"),
        Triple("Packlite 28", "wind_dir", "NW"),
        Triple("Packlite 28", "population 2021", "161775"),
    ),
    "",
    record={},
    paths=(
        *("/weight_g", "/waterproof", "/status", "/opens", "/share", "/rain_mm", "/wind_dir"),
        "/population/2021",
    ),
    coverage="selected",
)


def judged(text: str, item: Item = RECORD) -> tuple[set[str], list[tuple[str, str]]]:
    """The entities that a text mentions, and the words that are unexplained."""
    from dataclasses import replace

    judgment = judge(replace(item, text=text), JudgmentSettings())
    found = {mention.entity for mention in judgment.mentions}
    return found, [(one.kind, text[slice(*one.place)]) for one in judgment.unexplained]


def test_everyday_forms_are_mentions() -> None:
    text = (
        "The Packlite 28 weighs 0.78 kg, is waterproof and in stock. It opens at 5:34 pm with a "
        "share of 20 %, in north-westerly wind and with no rain."
    )
    found, unexplained = judged(text)
    assert unexplained == []
    assert found >= {"780", "true", "IN_STOCK", "17:34", "0.2", "NW", "0"}


_VALUES = [
    "0",
    "1",
    "yes",
    "N",
    "IN_STOCK",
    "NW",
    "tue",
    "8:00-17:30",
    "5 to 7",
    "Oslo",
    "780",
    "0.0",
]
_WORDS = ["no", "rain", "not", "open", "north-west", "Tuesday", "in stock", "5", "to", "7", "8:00"]


@given(
    st.lists(st.sampled_from(_VALUES), min_size=1, max_size=4),
    st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join),
)
def test_only_some_facts_are_looked_for_as_words(values: list[str], text: str) -> None:
    data = values_of(Item("1", tuple(Triple("Qqq", "is_rain", one) for one in values), ""))
    for place in range(len(values)):
        found = data._worded(place, PreparedText(text))
        assert found is None or place in data._wordable


def test_wrong_values_are_pointed_at() -> None:
    assert judged("The Packlite 28 weighs 7.8 kg.")[1] == [("number", "7.8 kg")]
    assert judged("The Packlite 28 opens at 6:34 pm.")[1] == [("time", "6:34 pm")]
    assert judged("The Packlite 28 is not waterproof.")[1] == [("truth", "not waterproof")]
    assert judged("The share fell from 20 % to 27 %.")[1]


def test_the_span_of_a_wrong_value_is_the_clause_that_claims_it() -> None:
    from dataclasses import replace

    text = "It is blue, weighs 7.8 kg, and is in stock."
    (one,) = judge(replace(RECORD, text=text), JudgmentSettings()).unexplained
    assert text[one.start : one.end] == "weighs 7.8 kg"
    assert text[slice(*one.place)] == "7.8 kg"


def test_two_wrong_values_of_a_clause_are_one_span_with_both_reasons() -> None:
    from dataclasses import replace

    item = replace(RECORD, text="It weighs 7.8 kg and opens at 6:34 pm.")
    (one,) = judge(item, JudgmentSettings()).unexplained
    assert one.reason(item.text) == (
        "'7.8 kg': the data has weight_g '780'; '6:34 pm': the data has opens '17:34'"
    )


def test_a_reason_is_given_once_and_long_numbers_have_commas() -> None:
    record = {
        "company": "Norvik",
        "revenue_eur": 98500000.0,
        "profit": {"value": 1200000.0, "unit": "euros"},
    }
    text = "Norvik had revenue of 95.8 million euros and a profit of 1.4 million euros."
    (one,) = judge(read_record(record, text).item, JudgmentSettings()).unexplained
    assert one.reason(text) == (
        "'95.8 million euros': the data has revenue_eur '98,500,000'; "
        "'1.4 million euros': the data has profit '1,200,000 euros'"
    )


def test_a_verb_names_the_field_of_its_noun() -> None:
    record = {"company": "Nordwerk", "employees": 1240, "founded": 1987}
    text = "Nordwerk, founded in 1987, employs 1,420 people."
    (one,) = judge(read_record(record, text).item, JudgmentSettings()).unexplained
    assert one.reason(text) == "'1,420': the data has employees '1240'"


def test_a_year_that_is_a_key_is_known() -> None:
    assert judged("In 2021 the Packlite 28 had 161,775 people.")[1] == []


def test_the_counterpart_of_a_wrong_value_is_its_triple() -> None:
    from dataclasses import replace

    judgment = judge(replace(RECORD, text="Its weight is 870 g."), JudgmentSettings())
    (span,) = [one for one in judgment.unexplained if one.kind == "number"]
    assert span.triple == RECORD.triples[0]
    assert [why for _, why in judgment.surplus()] == ["'870 g': the data has weight_g '780'"]


def test_only_values_of_one_kind_stand_for_one_another() -> None:
    assert not is_counterpart(Triple("w1", "sunset", "17:34"), "20")
    assert is_counterpart(Triple("w1", "sunset", "17:34"), "5:43 pm")
    assert not is_counterpart(Triple("w1", "weight_g", "780"), "20 km")
    assert is_counterpart(Triple("w1", "weight_g", "780"), "0.87 kg")
    assert is_counterpart(Triple("w1", "colour", "red"), "blue")


def test_values_are_kept_for_all_texts_of_an_item() -> None:
    assert values_of(RECORD) is values_of(RECORD)
    assert values_of(RECORD).is_record
    assert not values_of(Item("2", (Triple("a", "b", "5"),), "")).is_record


def test_a_record_and_the_same_triples_are_judged_apart() -> None:
    from dataclasses import replace

    text = "It is blue, weighs 7.8 kg, and is in stock."
    plain = replace(RECORD, text=text, paths=(), coverage="all")
    for item, words in ((plain, "7.8 kg"), (replace(RECORD, text=text), "weighs 7.8 kg")):
        (one,) = judge(item, JudgmentSettings()).unexplained
        assert text[one.start : one.end] == words


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        ("07:30–16:00", "Lumen is open from 7:30 a.m. to 4 p.m.", "7:30 a.m. to 4 p.m."),
        ("07:30-16:00", "Lumen opens 7:30 – 16:00.", "7:30 – 16:00"),
        ("£10-20", "Lumen asks for ten to twenty pounds.", "ten to twenty pounds"),
        ("5-12 years", "Lumen is for children from 5 until 12.", "5 until 12"),
        ("07:30–16:00", "Lumen is open from 7:30 a.m. to 5 p.m.", None),
        ("£10-20", "Lumen asks for ten pounds, or twenty.", None),
        ("£10-20", "Lumen asks for twenty to ten pounds.", None),
    ],
)
def test_a_range_is_named_by_both_of_its_ends(value: str, text: str, said: str | None) -> None:
    item = Item("1", (Triple("Lumen", "range", value),), text)
    found = [one for one in judge(item, JudgmentSettings()).mentions if one.method == "range"]
    assert [text[one.start : one.end] for one in found] == ([] if said is None else [said])


@pytest.mark.parametrize(
    ("text", "denied"),
    [("Tarn has a population of 0.", False), ("Tarn has a population.", True)],
)
def test_a_zero_that_is_said_is_not_denied(text: str, denied: bool) -> None:
    item = Item("1", (Triple("Tarn", "population", "0"),), text)
    found = judge(item, JudgmentSettings()).unexplained
    assert any(one.kind == "truth" for one in found) == denied
