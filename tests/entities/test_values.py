from __future__ import annotations

from adequa.data import Item, Triple
from adequa.entities import JudgmentSettings, is_counterpart, judge, values_of

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


def test_hours_are_mentioned_by_their_two_ends() -> None:
    item = Item(id="1", triples=(Triple("Lund Café", "openingHours", "07:30–16:00"),), text="")
    found, unexplained = judged("Lund Café is open from 7:30 a.m. to 4 p.m.", item)
    assert "07:30–16:00" in found
    assert unexplained == []
    assert "07:30–16:00" not in judged("Lund Café is open from 7:30 a.m. to 5 p.m.", item)[0]


def test_wrong_values_are_pointed_at() -> None:
    assert judged("The Packlite 28 weighs 7.8 kg.")[1] == [("number", "7.8 kg")]
    assert judged("The Packlite 28 opens at 6:34 pm.")[1] == [("time", "6:34 pm")]
    assert judged("The Packlite 28 is not waterproof.")[1] == [("truth", "not waterproof")]
    assert judged("The share rose from 20 % to 20.0 %, or fell from 5 to 7.")[1]


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
