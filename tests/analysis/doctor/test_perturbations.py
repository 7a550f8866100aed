"""Each perturbation on small examples: what it changes, where, and what it leaves alone."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from adequa.data import Finding, Item, Term, Triple
from adequa.perturb.cases import (
    add_sentence,
    add_triple,
    change_date,
    change_number,
    drop_sentence,
    drop_triple,
    invert_triple,
    negate,
    rename_entity,
    swap_entities,
)
from adequa.perturb.items import (
    PerturbationSource,
    PerturbedCase,
    read_items,
    rewritten,
    share_words,
    stems,
    with_triples,
    words,
)

from .towns import BRUMA, DORN, QUILL, TOWNS, VEXLA

HARBOUR, MAYOR, PEOPLE, FOUNDED = VEXLA.triples


def cases(make, item, others=TOWNS, seed=0) -> list[PerturbedCase]:
    """What a perturbation makes of an item among others."""
    items = [*(one for one in others if one.id != item.id), item]
    readings = list(read_items(items))
    corpus = PerturbationSource(sorted(readings, key=lambda one: one.item.key))
    return make(readings[-1], corpus, random.Random(seed))


def town(text: str, *triples: Triple, **fields) -> Item:
    return Item("Id9", triples, text, category="City", **fields)


def marked(case: PerturbedCase) -> list[str]:
    return [case.changed.text[start:end] for start, end in case.after]


# A sentence or a triple less


def test_a_sentence_goes_with_its_facts() -> None:
    found = {case.changed.text: case for case in cases(drop_sentence, VEXLA)}
    assert set(found) == {
        "The harbour of Vexla is Ostrik. It was founded on May 3, 1990.",
        "The harbour of Vexla is Ostrik. Runa Teel is mayor of its 4,310 people.",
    }
    middle = found["The harbour of Vexla is Ostrik. It was founded on May 3, 1990."]
    assert middle.triples == {MAYOR, PEOPLE}
    assert middle.entities == {"Runa_Teel", "4310"}
    [(start, end)] = middle.before
    assert VEXLA.text[start:end] == "Runa Teel is mayor of its 4,310 people."
    assert middle.after == ()


def test_the_first_sentence_stays_where_the_rest_says_it() -> None:
    assert all(case.changed.text.startswith("The harbour") for case in cases(drop_sentence, VEXLA))


@pytest.mark.parametrize(
    "text",
    [
        "The harbour of Vexla is Ostrik.",
        "The harbour of Vexla is Ostrik. Ostrik is the harbour of Vexla.",
        "Vexla has a harbour. It is big.",
        "",
        "   ",
    ],
)
def test_no_sentence_is_dropped_that_is_not_the_only_one_with_a_fact(text: str) -> None:
    assert cases(drop_sentence, town(text, HARBOUR)) == []


def test_a_triple_goes_from_the_data_and_the_text_points_at_its_object() -> None:
    item = town("The harbour of Vexla is Ostrik, and Runa Teel is its mayor.", HARBOUR, MAYOR)
    found = {case.changed.triples: marked(case) for case in cases(drop_triple, item)}
    assert found == {(HARBOUR,): ["Runa Teel"], (MAYOR,): ["Ostrik"]}


def test_a_triple_whose_object_the_data_still_has_stays() -> None:
    port = Triple("Port_of_Ostrik", "town", "Vexla")
    item = town("The Port of Ostrik, the harbour of Vexla, is Ostrik.", HARBOUR, port)
    assert cases(drop_triple, item) == []
    assert cases(drop_triple, town("Ostrik is the harbour of Vexla.", HARBOUR)) == []
    assert cases(drop_triple, town("Vexla is old.", HARBOUR, MAYOR)) == []


def test_what_is_known_of_a_lost_entity_goes_with_it() -> None:
    terms = {"Ostrik": Term(label="Ostrik"), "Vexla": Term(label="Vexla")}
    assert with_triples(town("", HARBOUR, MAYOR, terms=terms), (MAYOR,)).terms == {
        "Vexla": terms["Vexla"]
    }


# Arguments


def test_two_names_change_places() -> None:
    found = {case.changed.text: case for case in cases(swap_entities, QUILL)}
    case = found["Marta Oden was founded by Quill Press."]
    assert len(found) == 1
    assert marked(case) == ["Marta Oden", "Quill Press"]
    assert case.triples == frozenset(QUILL.triples)
    assert case.entities == {"Marta_Oden", "Quill_Press"}


def test_two_objects_change_places_and_only_their_facts_are_wrong() -> None:
    found = {case.changed.text: case for case in cases(swap_entities, VEXLA)}
    text = (
        VEXLA.text.replace("Ostrik", "#").replace("Runa Teel", "Ostrik").replace("#", "Runa Teel")
    )
    assert found[text].triples == {HARBOUR, MAYOR}


@pytest.mark.parametrize(
    "item",
    [
        town("Ann Orl is married to Bo Quist.", Triple("Ann_Orl", "spouse", "Bo_Quist")),
        town(
            "Ann Orl and Bo Quist live there.",
            Triple("Ann_Orl", "home", "there"),
            Triple("Bo_Quist", "home", "there"),
        ),
        town("New Vexla is near Vexla.", Triple("New_Vexla", "near", "Vexla")),
        town("Ostrik is Vexla's. Ostrik is old.", HARBOUR),
        town("The town has a harbour.", HARBOUR),
    ],
    ids=["symmetric", "the same of both", "a word in common", "named twice", "not named"],
)
def test_names_stay_where_an_exchange_says_the_same_or_is_not_clean(item: Item) -> None:
    assert cases(swap_entities, item) == []


def test_articles_go_with_their_names() -> None:
    item = town("The Orsa Club is in Dorn.", Triple("Orsa_Club", "city", "Dorn"))
    (case,) = cases(swap_entities, item)
    assert case.changed.text == "Dorn is in the Orsa Club."
    assert marked(case) == ["Dorn", "the Orsa Club"]


def test_a_triple_is_turned_round() -> None:
    (case,) = cases(invert_triple, QUILL)
    new = Triple("Marta_Oden", "founder", "Quill_Press")
    assert case.changed.triples == (new,)
    assert case.changed.text == QUILL.text
    assert case.triples == {new, *QUILL.triples}


@pytest.mark.parametrize(
    "item",
    [
        town("Ann Orl is married to Bo Quist.", Triple("Ann_Orl", "spouse", "Bo_Quist")),
        town("Vexla has 4,310 people.", PEOPLE),
        town("Vexla was founded on May 3, 1990.", FOUNDED),
        town("Vexla is called Old Salt.", Triple("Vexla", "nickname", '"Old Salt"')),
        town("Ostrik is Vexla's.", HARBOUR, Triple("Ostrik", "town", "Vexla")),
        town("Vexla is old.", HARBOUR),
        town("Vexla is Vexla.", Triple("Vexla", "same", "Vexla")),
    ],
    ids=["symmetric", "number", "date", "literal", "another way round", "not named", "itself"],
)
def test_a_triple_stays_that_cannot_be_turned_round(item: Item) -> None:
    assert cases(invert_triple, item) == []


# Values and names


def test_a_number_becomes_one_that_the_data_does_not_have() -> None:
    for seed in range(20):
        (case,) = cases(change_number, VEXLA, seed=seed)
        (new,) = marked(case)
        assert new != "4,310"
        assert case.changed.text == VEXLA.text.replace("4,310", new)
        assert case.triples == {PEOPLE}
        assert case.entities == {"4310"}


def test_each_part_of_a_date_becomes_another() -> None:
    found = cases(change_date, VEXLA)
    assert len(found) == 3
    for case in found:
        assert case.triples == {FOUNDED}
        (start, end), (new,) = case.before[0], marked(case)
        assert case.changed.text == VEXLA.text[:start] + new + VEXLA.text[end:]


@pytest.mark.parametrize(
    "text", ["Founded on 1990-99-99.", "Founded on 0001-01-01.", "It is 1990-00-00 now."]
)
def test_dates_that_are_none_do_no_harm(text: str) -> None:
    for value in ("1990-99-99", "0001-01-01", "1990-00-00"):
        for seed in range(5):
            for case in cases(
                change_date, town(text, Triple("Vexla", "founded", value)), seed=seed
            ):
                assert case.changed.text != text


def test_an_entity_gets_the_name_of_its_like() -> None:
    found = {case.changed.text: case for case in cases(rename_entity, BRUMA)}
    texts = {
        f"{mayor} is the mayor of {place}. The river Kelda flows through it."
        for mayor, place in [
            *(("Sif Ander", place) for place in ("Dorn", "Vexla")),
            *((mayor, "Bruma") for mayor in ("Runa Teel", "Jorun Vike")),
        ]
    }
    assert set(found) <= texts
    assert len(found) == 2
    assert all(len(marked(case)) == 1 for case in found.values())


def test_a_name_changes_wherever_it_stands() -> None:
    item = town("The mayor of Dorn is Jo Vike. Jo Vike is old.", Triple("Dorn", "mayor", "Jo_Vike"))
    found = [case for case in cases(rename_entity, item, [BRUMA]) if case.entities == {"Jo_Vike"}]
    assert [case.changed.text for case in found] == [
        "The mayor of Dorn is Sif Ander. Sif Ander is old."
    ]
    assert marked(found[0]) == ["Sif Ander", "Sif Ander"]


def test_there_is_no_new_name_without_another_of_its_kind() -> None:
    assert cases(rename_entity, QUILL) == []


# Additions and negation


def test_a_sentence_of_another_text_comes_last() -> None:
    (case,) = cases(add_sentence, BRUMA, [VEXLA])
    assert case.changed.text == f"{BRUMA.text} The harbour of Vexla is Ostrik."
    assert marked(case) == ["The harbour of Vexla is Ostrik."]


@pytest.mark.parametrize(
    ("item", "others"),
    [(BRUMA, [QUILL]), (VEXLA, [replace(VEXLA, id="Id8")]), (BRUMA, [])],
    ids=["another category", "the same things", "alone"],
)
def test_no_sentence_is_added_that_is_not_foreign(item: Item, others: list[Item]) -> None:
    assert cases(add_sentence, item, others) == []


def test_a_text_that_does_not_end_gets_no_sentence() -> None:
    assert cases(add_sentence, replace(BRUMA, text="Sif Ander is mayor of Bruma"), [VEXLA]) == []


def test_a_triple_of_its_like_is_added() -> None:
    (case,) = cases(add_triple, DORN, [BRUMA])
    new = Triple("Dorn", "river", "Kelda")
    assert case.changed.triples == (*DORN.triples, new)
    assert case.triples == {new}
    assert case.entities == {"Kelda"}


def test_no_triple_is_added_that_the_text_may_say() -> None:
    item = replace(DORN, text=f"{DORN.text} The Kelda is wide.")
    assert cases(add_triple, item, [BRUMA]) == []
    assert cases(add_triple, QUILL) == []


def test_a_sentence_is_denied() -> None:
    found = {case.changed.text: case for case in cases(negate, VEXLA)}
    assert set(found) == {
        VEXLA.text.replace("Vexla is", "Vexla is not"),
        VEXLA.text.replace("Teel is", "Teel is not"),
        VEXLA.text.replace("was", "was not"),
    }
    case = found[VEXLA.text.replace("was", "was not")]
    assert marked(case) == ["was not"]
    assert case.triples == {FOUNDED}


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The harbour of Vexla is not Ostrik.", "en"),
        ("Is Ostrik the harbour of Vexla?", "en"),
        ("Ostrik is old, says Vexla.", "en"),
        ("The harbour of Vexla is Ostrik.", "de"),
        ("Vexla: Ostrik", None),
    ],
)
def test_what_cannot_be_denied_stays(text: str, lang: str | None) -> None:
    assert cases(negate, town(text, HARBOUR, lang=lang)) == []


# What all stand on


def test_words_are_compared_by_their_beginnings_and_numbers_by_their_value() -> None:
    assert share_words("Italy", words("an Italian town"))
    assert share_words("3500.0", words("a runway of 3,500 m"))
    assert share_words("–", words("nothing to compare"))
    assert not share_words("Dorn", words("Bruma 12"))
    assert stems("The Port of Ostrik") == {"port", "ostr"}


def test_changes_of_a_text_are_made_at_once() -> None:
    item, spans = rewritten(town("a b c"), [(4, 5, "long"), (0, 1, "")])
    assert item.text == " b long"
    assert spans == ((0, 0), (3, 7))


@pytest.mark.parametrize(
    ("finding", "at_new", "at_old"),
    [
        (Finding("m", "omission", "missing", "", triple=PEOPLE), True, True),
        (Finding("m", "omission", "missing", "", entity="4310"), True, True),
        (Finding("m", "omission", "missing", "", triple=MAYOR, entity="Vexla"), False, False),
        (Finding("m", "hallucination", "unsupported", "", start=0, end=3), False, True),
        (Finding("m", "hallucination", "unsupported", "", start=4, end=9), True, False),
        (Finding("m", "hallucination", "unsupported", "", start=3, end=5), False, False),
    ],
)
def test_a_finding_is_at_the_place_or_not(finding, at_new, at_old) -> None:
    case = PerturbedCase(
        VEXLA, BRUMA, "", ((0, 2),), ((5, 9),), frozenset({PEOPLE}), frozenset({"4310"})
    )
    assert case.points_at(finding) is at_new
    assert case.points_at(finding, original=True) is at_old
