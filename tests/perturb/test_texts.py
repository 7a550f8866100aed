"""Each perturbation on small examples: what it changes, where, and what it leaves alone."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Finding, Item, Mention, Term, Triple
from adequa.perturb import (
    FALSE,
    TRUE,
    UNKNOWN,
    Change,
    Document,
    Knowledge,
    LabelledDocument,
    PerturbedCase,
    draw,
    read_documents,
)
from adequa.perturb.documents import Edit, rewrite, share_words, stems, words
from adequa.perturb.graphs import add_triple, drop_triple, invert_triple
from adequa.perturb.texts import (
    add_background,
    add_fluff,
    add_sentence,
    change_date,
    change_number,
    change_relation,
    change_value,
    cut_short,
    drop_sentence,
    negate,
    remove_relation,
    rename_entity,
    swap_entities,
)
from adequa.text import label_of, split_sentences

from ..training import corpora
from .towns import BRUMA, DORN, QUILL, TOWNS, VEXLA

HARBOUR, MAYOR, PEOPLE, FOUNDED = VEXLA.triples


def cases(make, item, others=TOWNS, seed=0) -> list[PerturbedCase]:
    """What a perturbation makes of an item among others."""
    items = [*(one for one in others if one.id != item.id), item]
    documents = list(read_documents(items))
    knowledge = Knowledge.of(sorted(documents, key=lambda one: one.item.key))
    changes = list(make(documents[-1], knowledge, random.Random(seed)))
    assert (draw(make, documents[-1], knowledge, random.Random(seed)) in changes) == bool(changes)
    return [PerturbedCase(item, change.apply(item), change) for change in changes]


def town(text: str, *triples: Triple, **fields) -> Item:
    return Item("Id9", triples, text, category="City", **fields)


def marked(case: PerturbedCase) -> list[str]:
    return [case.changed.text[start:end] for start, end in case.change.after]


# A sentence or a triple less


def test_a_sentence_goes_with_its_facts() -> None:
    found = {case.changed.text: case for case in cases(drop_sentence, VEXLA)}
    assert set(found) == {
        "The harbour of Vexla is Ostrik. It was founded on May 3, 1990.",
        "The harbour of Vexla is Ostrik. Runa Teel is mayor of its 4,310 people.",
    }
    middle = found["The harbour of Vexla is Ostrik. It was founded on May 3, 1990."]
    assert middle.change.facts == {MAYOR, PEOPLE}
    assert middle.change.entities == {"Runa_Teel", "4310"}
    [(start, end)] = middle.change.before
    assert VEXLA.text[start:end] == "Runa Teel is mayor of its 4,310 people."
    assert middle.change.after == ()


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
    item = town("", HARBOUR, MAYOR, terms=terms)
    assert Change("", triples=(MAYOR,)).apply(item).terms == {"Vexla": terms["Vexla"]}


# Arguments


def test_two_names_change_places() -> None:
    found = {case.changed.text: case for case in cases(swap_entities, QUILL)}
    case = found["Marta Oden was founded by Quill Press."]
    assert len(found) == 1
    assert marked(case) == ["Marta Oden", "Quill Press"]
    assert case.change.facts == frozenset(QUILL.triples)
    assert case.change.entities == {"Marta_Oden", "Quill_Press"}


def test_two_objects_change_places_and_only_their_facts_are_wrong() -> None:
    found = {case.changed.text: case for case in cases(swap_entities, VEXLA)}
    text = (
        VEXLA.text.replace("Ostrik", "#").replace("Runa Teel", "Ostrik").replace("#", "Runa Teel")
    )
    assert found[text].change.facts == {HARBOUR, MAYOR}


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
    assert case.change.facts == {new, *QUILL.triples}


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
        assert case.change.facts == {PEOPLE}
        assert case.change.entities == {"4310"}


def test_each_part_of_a_date_becomes_another() -> None:
    found = cases(change_date, VEXLA)
    assert len(found) == 3
    for case in found:
        assert case.change.facts == {FOUNDED}
        (start, end), (new,) = case.change.before[0], marked(case)
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
    found = [
        case for case in cases(rename_entity, item, [BRUMA]) if case.change.entities == {"Jo_Vike"}
    ]
    assert [case.changed.text for case in found] == [
        "The mayor of Dorn is Sif Ander. Sif Ander is old."
    ]
    assert marked(found[0]) == ["Sif Ander", "Sif Ander"]


def test_a_new_name_needs_another_of_its_kind() -> None:
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
    assert case.change.facts == {new}
    assert case.change.entities == {"Kelda"}


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
    assert case.change.facts == {FOUNDED}


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
    text, spans = rewrite("a b c", [Edit(4, 5, "long"), Edit(0, 1, "")])
    assert text == " b long"
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
    change = Change(
        "",
        before=((0, 2),),
        after=((5, 9),),
        facts=frozenset({PEOPLE}),
        entities=frozenset({"4310"}),
    )
    case = PerturbedCase(VEXLA, BRUMA, change)
    assert case.points_at(finding) is at_new
    assert case.points_at(finding, original=True) is at_old


# Labels of the changes, on a corpus of towns

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
NUMBERS = st.integers(min_value=0, max_value=100_000)
COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")


def knowing(**middles: str) -> Knowledge:
    """What is known of the towns, with words that state a relation."""
    known = corpora.knowledge()
    known.__dict__["middles"] = {(name, True): [words] for name, words in middles.items()}
    return known


def with_text(document: Document, text: str) -> Document:
    return replace(
        document, item=replace(document.item, text=text), sentences=tuple(split_sentences(text))
    )


def wrong_words(found: LabelledDocument) -> list[str]:
    return [found.text[one.start : one.end] for one in found.unsupported]


def labelled(operator, pair: Document, known: Knowledge, seed: int) -> LabelledDocument | None:
    """The pair with one change and its labels."""
    change = draw(operator, pair, known, random.Random(seed))
    found = LabelledDocument.of(pair)
    if change is None:
        return None
    found.apply(change)
    assert found.text == change.apply(pair.item).text
    return found


def made(operator, pair: Document, known: Knowledge, seeds: int = 30) -> list[LabelledDocument]:
    """The labelled documents in which the change was made."""
    found = [labelled(operator, pair, known, seed) for seed in range(seeds)]
    return [one for one in found if one is not None]


@given(NUMBERS)
def test_another_name_is_new_to_text_and_graph(number: int) -> None:
    pair = random.Random(number).choice(PAIRS)
    found = labelled(rename_entity, pair, KNOWN, number)
    if found is None:
        return
    labels = {label_of(entity).base for entity in found.entities()}
    for written in wrong_words(found):
        assert written not in pair.text
        assert written not in labels
    assert found.unsupported
    assert FALSE in found.stated
    assert found.supported == FALSE


@given(NUMBERS)
def test_a_wrong_value_differs_in_one_place(number: int) -> None:
    pair = PAIRS[4 * random.Random(number).randrange(5) + 2]
    found = labelled(change_value, pair, KNOWN, number)
    assert found is not None
    (place,) = found.unsupported
    shift = len(found.text) - len(pair.text)
    assert found.text[: place.start] == pair.text[: place.start]
    assert found.text[place.end :] == pair.text[place.end - shift :]
    assert found.text != pair.text
    assert FALSE in found.stated or UNKNOWN in found.stated


def test_names_that_change_places() -> None:
    found = labelled(swap_entities, PAIRS[0], KNOWN, 0)
    assert found is not None
    assert found.text == "Sarn is in Velmora."
    assert (found.stated, found.supported) == ([FALSE], FALSE)
    assert labelled(swap_entities, PAIRS[3], KNOWN, 0) is None


def test_a_value_and_a_name_change_places_if_asked() -> None:
    texts = {found.text for found in made(partial(swap_entities, named=False), PAIRS[2], KNOWN)}
    assert any(text.startswith("1200 has Velmora inhabitants") for text in texts)
    named = {found.text for found in made(swap_entities, PAIRS[2], KNOWN)}
    assert not any(text.startswith("1200") for text in named)


def test_a_sentence_less_and_a_sentence_more() -> None:
    texts = set()
    for found in made(partial(drop_sentence, certain=False), PAIRS[1], KNOWN, 8):
        texts.add(found.text)
        stated = dict(zip(found.triples, found.stated, strict=True))
        if found.text == "Velmora is a town in Sarn.":
            assert stated[LEADER] == FALSE
        else:
            assert stated[COUNTRY] == FALSE
    assert texts == {"Velmora is a town in Sarn.", "The leader of Velmora is Ida Thorvald."}
    oskel = read_documents([Item("1", (Triple("Oskel", "in", "Bexhal"),), "Oskel is in Bexhal.")])
    known = Knowledge.of([replace(one, item=replace(one.item, category="Town")) for one in oskel])
    seen = set()
    for found in made(partial(add_sentence, anywhere=True), PAIRS[1], known):
        seen.add(found.text)
        assert wrong_words(found) == ["Oskel is in Bexhal."]
        assert (found.stated, found.supported) == ([TRUE, TRUE], FALSE)
    assert len(seen) == 2
    assert made(add_sentence, PAIRS[0], Knowledge.of([PAIRS[0]])) == []


def test_a_marked_sentence_takes_its_own_facts_with_it() -> None:
    text = "Velmora is a town in Sarn. Ida Thorvald leads it. Velmora lies in Sarn."
    facts = (frozenset({COUNTRY}), frozenset({LEADER}), frozenset({COUNTRY}))
    item = Item("1", (COUNTRY, LEADER), text, category="Town")
    mentions = (Mention("Velmora", 0, 7, "name"),)
    pair = Document(item, mentions, tuple(split_sentences(text)), facts)
    operator = partial(drop_sentence, certain=False)
    seen = {}
    for found in made(operator, pair, knowing()):
        seen[found.text] = found.stated
        assert found.supported == TRUE
    first, second, third = re.findall(r"[^.]+\.", text)
    assert seen == {
        f"{first}{second}": [TRUE, TRUE],  # stated twice
        f"{first}{third}": [TRUE, FALSE],
        f"{second.strip()}{third}": [TRUE, TRUE],
    }
    # Marks that do not fit the sentences are ignored.
    odd = replace(pair, facts=(frozenset({COUNTRY, LEADER}),))
    assert any(UNKNOWN in found.stated for found in made(operator, odd, knowing()))


def test_a_text_that_breaks_off() -> None:
    for found in made(cut_short, PAIRS[1], KNOWN, 20):
        assert PAIRS[1].text.startswith(found.text)
        (place,) = found.disfluent
        assert place.end == len(found.text)
        assert TRUE not in [
            stated
            for triple, stated in zip(found.triples, found.stated, strict=True)
            if label_of(triple.object).base not in found.text
        ]
    assert made(cut_short, with_text(PAIRS[0], "Too short to cut."), KNOWN) == []


def test_a_denied_fact_is_not_stated() -> None:
    adverbs = ("not", "never", "no longer")
    seen = set()
    for found in made(partial(negate, adverbs=adverbs), PAIRS[0], KNOWN):
        seen |= {*wrong_words(found)}
        assert (found.stated, found.supported) == ([FALSE], FALSE)
    assert seen == {f"is {adverb}" for adverb in adverbs}


def test_background_is_unsupported() -> None:
    for found in made(add_background, PAIRS[3], KNOWN, 6):  # Velmora and Limdal have a country
        (written,) = wrong_words(found)
        assert written in {"Sarn", "Aldwick"}
        assert f", {written}" in found.text
        assert (found.stated, found.supported) == ([TRUE], FALSE)


def test_a_wrong_relation_between_the_right_names() -> None:
    documents = made(change_relation, PAIRS[0], knowing(leader=" is ruled by "))
    assert documents
    for found in documents:
        assert found.text == "Velmora is ruled by Sarn."
        assert wrong_words(found) == ["is ruled by"]
        assert (found.stated, found.supported) == ([FALSE], FALSE)
        assert found.triples == [COUNTRY]
        assert [found.text[one.start : one.end] for one in found.spans] == ["Velmora", "Sarn"]


@pytest.mark.parametrize(
    ("pair", "known"),
    [
        (PAIRS[0], knowing()),  # no words for another relation
        (PAIRS[0], knowing(country=" lies in ")),  # only words for this one
        (PAIRS[0], knowing(leader=" IS IN ")),  # the same words
        (with_text(PAIRS[0], "Velmora. So is Sarn."), knowing(leader=" is ruled by ")),
        (PAIRS[3], Knowledge([])),
    ],
)
def test_where_no_other_relation_can_be_stated(pair: Document, known: Knowledge) -> None:
    assert made(change_relation, pair, known) == []


def test_two_relations_of_the_same_names_are_left_alone() -> None:
    triples = (COUNTRY, COUNTRY._replace(predicate="state"))
    double = replace(PAIRS[0], item=replace(PAIRS[0].item, triples=triples))
    assert made(change_relation, double, knowing(leader=" is ruled by ")) == []
    assert made(remove_relation, double, knowing()) == []


def test_names_side_by_side_state_nothing() -> None:
    documents = made(remove_relation, PAIRS[0], knowing())
    assert {found.text for found in documents} <= {
        f"Velmora{words}Sarn." for words in (" country ", " ", ", ", " the ", " is ")
    }
    assert "Velmora country Sarn." in {found.text for found in documents}
    assert len(documents) == 30
    for found in documents:
        assert (found.stated, found.supported, found.unsupported) == ([FALSE], TRUE, [])
        assert len(found.unclear) == len(found.disfluent) == 1
        for place in found.places():
            assert 0 <= place.start < place.end <= len(found.text)
        assert [found.text[one.start : one.end] for one in found.spans] == ["Velmora", "Sarn"]


def with_fluff(pair: Document, phrase: str, seed: int, *, sentence: bool) -> LabelledDocument:
    found = LabelledDocument.of(pair)
    chance = random.Random(seed)
    found.apply(add_fluff(pair, phrase, sentence=sentence, chance=chance))
    return found


def test_fluff_behind_a_sentence() -> None:
    seen = set()
    for seed in range(20):
        found = with_fluff(PAIRS[1], "it is a gem.", seed, sentence=True)
        seen.add(found.text)
        assert wrong_words(found) == ["It is a gem."]
        assert (found.stated, found.supported) == ([TRUE, TRUE], FALSE)
    one, two = "Velmora is a town in Sarn.", "The leader of Velmora is Ida Thorvald."
    assert seen == {f"{one} It is a gem. {two}", f"{one} {two} It is a gem."}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Velmora is in Sarn.", "Velmora is in Sarn, a gem."),
        ("Velmora is in Sarn!", "Velmora is in Sarn, a gem!"),
        ("Velmora is in Sarn", "Velmora is in Sarn, a gem"),
    ],
)
def test_fluff_behind_a_comma(text: str, expected: str) -> None:
    found = with_fluff(with_text(PAIRS[0], text), "a gem", 0, sentence=False)
    assert found.text == expected
    assert wrong_words(found) == ["a gem"]
    assert [found.text[one.start : one.end] for one in found.spans] == ["Velmora", "Sarn"]
