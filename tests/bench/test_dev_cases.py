from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adequa.data import Item, Triple
from bench.dev_cases import KINDS, change_texts, drop_sentences, half_of, spread

HARBOUR = Triple("Vexla", "harbour", "Ostrik")
MAYOR = Triple("Vexla", "mayor", "Runa_Teel")
PEOPLE = Triple("Vexla", "population", "4310")


def enriched(**changes: Any) -> Item:
    item = Item(
        "3triples/City/Id7/Id1",
        (HARBOUR, MAYOR, PEOPLE),
        "The harbour of Vexla is Ostrik. Runa Teel is mayor of its 4,310 people.",
        category="City",
        meta={
            "sortedtripleset": [
                ["Vexla | harbour | Ostrik"],
                ["Vexla | mayor | Runa_Teel", "Vexla | population | 4310"],
            ],
            "mentions": [
                {"entity": "Vexla", "type": "name", "start": 15, "end": 20},
                {"entity": "Ostrik", "type": "name", "start": 24, "end": 30},
                {"entity": "Runa_Teel", "type": "name", "start": 32, "end": 41},
                {"entity": "Vexla", "type": "pronoun", "start": 54, "end": 57},
            ],
        },
    )
    return replace(item, **changes)


def dated(text: str, value: str) -> Item:
    return Item("1triples/City/Id1/Id1", (Triple("Vexla", "founded", value),), text)


def words(cases: list[Any]) -> set[str]:
    return {case.item.text[case.start : case.end] for case in cases}


def test_a_dropped_sentence_takes_its_facts_with_it() -> None:
    cases = drop_sentences([enriched()], 9, seed=1)
    assert {(case.item.text, case.gone, case.nameless) for case in cases} == {
        (
            "Runa Teel is mayor of its 4,310 people.",
            frozenset({HARBOUR}),
            frozenset({MAYOR, PEOPLE}),
        ),
        ("The harbour of Vexla is Ostrik.", frozenset({MAYOR, PEOPLE}), frozenset()),
    }
    assert all(case.item.triples == enriched().triples for case in cases)


def test_a_fact_of_two_sentences_is_not_dropped() -> None:
    rows = [["Vexla | harbour | Ostrik"], [" | ".join(one) for one in enriched().triples]]
    assert drop_sentences([enriched(meta={"sortedtripleset": rows})], 9, seed=1) == []


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [["Vexla | harbour | Ostrik"]],
        [["Vexla | harbour | Ostrik"], ["Vexla | mayor | Runa_Teel"]],
    ],
    ids=["no alignment", "fewer sentences", "a fact left out"],
)
def test_a_text_that_is_not_aligned_is_left_alone(rows: list[list[str]]) -> None:
    assert drop_sentences([enriched(meta={"sortedtripleset": rows})], 9, seed=1) == []


def test_the_texts_of_an_entry_are_in_one_half() -> None:
    entries = [f"2triples/City/Id{number}" for number in range(200)]
    assert all(half_of(f"{one}/Id1") == half_of(f"{one}/Id2-14") for one in entries)
    assert 70 < sum(half_of(f"{one}/Id1") == "a" for one in entries) < 130


def test_every_text_comes_once_before_one_comes_twice() -> None:
    drawn = spread([[("a", 1), ("a", 2)], [("b", 1)], [("c", 1), ("c", 2)]], 4, seed=3)
    assert {name for name, _ in drawn[:3]} == {"a", "b", "c"}
    assert len(drawn) == len(set(drawn)) == 4


def test_a_number_keeps_its_shape_and_is_none_of_the_data() -> None:
    for seed in range(40):
        (case,) = change_texts("number", [enriched()], 9, seed)
        new = case.item.text[case.start : case.end]
        assert len(new) == 5
        assert new[1] == ","
        assert new != "4,310"
        assert case.item.text == enriched().text.replace("4,310", new)


def test_a_number_of_the_text_alone_stays() -> None:
    item = enriched(text="Vexla has 12 inns and 4 310 people, since 1990.")
    assert change_texts("number", [item], 9, 1) == []


def test_a_rounded_value_is_no_change() -> None:
    item = dated("It is 5 km long.", "5")
    near = replace(item, triples=(*item.triples, Triple("Vexla", "length", "6.4")))
    assert "6" not in {
        next(iter(words(change_texts("number", [near], 1, seed)))) for seed in range(80)
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Founded on 1990-05-03.", 3),
        ("Founded on May 3rd, 1990.", 3),
        ("Founded on the 3rd of May 1990.", 3),
        ("Founded in May 1990.", 2),
        ("Founded in 1990.", 1),
        ("Founded on May 4, 1990.", 0),
        ("It has 1990 inns.", 0),
    ],
)
def test_each_part_of_a_date_is_changed(text: str, parts: int) -> None:
    for seed in range(10):
        cases = change_texts("date", [dated(text, '"1990-05-03"')], 9, seed)
        assert len(cases) == parts
        for case in cases:
            new = case.item.text[case.start : case.end]
            assert text[: case.start] + new == case.item.text[: case.end]
            assert case.item.text != text


def test_a_date_of_two_digits_keeps_them() -> None:
    for seed in range(20):
        for case in change_texts("date", [dated("Founded on 1990-05-03.", "1990-05-03")], 9, seed):
            assert len(case.item.text) == len("Founded on 1990-05-03.")


def test_a_name_is_changed_whole_and_to_one_of_its_kind() -> None:
    other = Item(
        "1triples/City/Id9/Id1",
        (Triple("Bruma", "mayor", "Sif_Ander"),),
        "Sif Ander is mayor of Bruma.",
        category="City",
        meta={
            "mentions": [
                {"entity": "Sif_Ander", "type": "name", "start": 0, "end": 9},
                {"entity": "Bruma", "type": "name", "start": 22, "end": 27},
            ]
        },
    )
    for seed in range(10):
        texts = {case.item.text for case in change_texts("name", [enriched(), other], 99, seed)}
        assert "The harbour of Vexla is Ostrik. Sif Ander is mayor of its 4,310 people." in texts
        assert "The harbour of Bruma is Ostrik. Runa Teel is mayor of its 4,310 people." in texts
        assert "Runa Teel is mayor of Bruma." in texts


def test_names_that_the_data_has_in_another_form_are_not_taken() -> None:
    mentions = [{"entity": "Ostrika", "type": "name", "start": 0, "end": 7}]
    other = Item(
        "1triples/City/Id9/Id1",
        (Triple("Ostrika", "type", "harbour"),),
        "Ostrika is a harbour.",
        category="City",
        meta={"mentions": mentions},
    )
    assert "Ostrika" not in words(change_texts("name", [enriched(), other], 99, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same(kind: str) -> None:
    items = [enriched(), enriched(id="3triples/City/Id8/Id1")]
    assert change_texts(kind, items, 9, 5) == change_texts(kind, items, 9, 5)
