"""Changes of claims: which facts become wrong or doubtful, and what stays as it is."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from adequa.data import Item, Mention, Triple
from adequa.perturb import FALSE, TRUE, UNKNOWN, Change, Document, Knowledge, LabelledDocument, draw
from adequa.perturb.claims import (
    OPPOSITES,
    affirm,
    bound_number,
    count_exactly,
    deny,
    doubt,
    restrict,
    state_opposite,
    stress,
)
from adequa.text import split_sentences

CITY = Triple("Acme", "city", "Oslo")
FOUNDER = Triple("Acme", "founder", "Ann")
STAFF = Triple("Acme", "staff", "40")
OWNER = Triple("Acme", "owner", "Bob")
OWNS = Triple("Ann", "owns", "Acme")


def document(text: str, *triples: Triple, **fields: str) -> Document:
    """A document in which every entity is named wherever its string stands."""
    mentions = tuple(
        Mention(entity, start, start + len(entity), "name")
        for entity in dict.fromkeys(end for one in triples for end in (one.subject, one.object))
        for start in range(len(text))
        if text.startswith(entity, start)
    )
    return Document(Item("1", triples, text, **fields), mentions, tuple(split_sentences(text)))


def changes(operator, own: Document, seeds: int = 20) -> list[tuple[str, Change]]:
    """All changes of an operator with several seeds, and the changed texts."""
    found = {}
    for seed in range(seeds):
        for change in operator(own, Knowledge.of([own]), random.Random(seed)):
            found[change.apply(own.item).text] = change
    return list(found.items())


FOUNDED = document("Acme was founded in Oslo.", CITY)
TWO = document("Ann founded Acme. Acme moved and was based in Oslo.", FOUNDER, CITY)
NUMBER = document("Acme has 40 people.", STAFF)


@pytest.mark.parametrize("operator", [deny, doubt])
def test_a_denied_or_doubted_fact_is_not_stated_and_its_words_are_marked(operator) -> None:
    found = changes(operator, FOUNDED)
    assert len(found) > 4
    for text, change in found:
        labelled = LabelledDocument.of(FOUNDED)
        labelled.apply(change)
        assert labelled.stated == [FALSE]
        assert labelled.supported == FALSE
        ((start, end),) = change.unsupported
        assert text[start:end] not in FOUNDED.text
        ((first, last),) = change.after
        assert first <= start < end <= last


def test_verbs_are_denied_in_their_form() -> None:
    found = {text for text, _ in changes(deny, document("Ann founded Acme.", FOUNDER), 60)}
    assert {
        "Ann did not found Acme.",
        "Ann never founded Acme.",
        "Ann failed to found Acme.",
    } <= found
    found = {text for text, _ in changes(deny, document("Ann leads Acme.", FOUNDER), 60)}
    assert {"Ann does not lead Acme.", "Ann no longer leads Acme."} <= found


def test_only_the_fact_behind_the_verb_is_wrong() -> None:
    own = document("Ann founded Acme, which is in Oslo.", FOUNDER, CITY)
    for text, change in changes(deny, own):
        wrong = FOUNDER if not text.startswith("Ann founded") else CITY
        assert change.facts == {wrong}
        labelled = LabelledDocument.of(own)
        labelled.apply(change)
        assert sorted(labelled.stated) == [UNKNOWN, FALSE]


def test_facts_of_other_sentences_stay_stated() -> None:
    for text, change in changes(doubt, TWO):
        labelled = LabelledDocument.of(TWO)
        labelled.apply(change)
        kept = 1 if text.endswith("was based in Oslo.") else 0
        assert labelled.stated[kept] in {TRUE, UNKNOWN}
        assert labelled.stated[1 - kept] == FALSE


def test_a_rumour_stands_before_a_single_sentence() -> None:
    found = dict(changes(doubt, document("It is in Oslo.", CITY), 60))
    text = "It is rumoured that it is in Oslo."
    assert found[text].facts == {CITY}
    ((start, end),) = found[text].unsupported
    assert text[start:end] == "It is rumoured that"
    assert "Perhaps Acme was founded in Oslo." in dict(changes(doubt, FOUNDED, 60))


@pytest.mark.parametrize(
    "text",
    ["Acme was not founded in Oslo.", "Acme may be in Oslo.", "Is Acme in Oslo?", "Acme, Oslo."],
)
def test_a_sentence_that_is_not_a_plain_statement_is_not_denied(text: str) -> None:
    assert changes(deny, document(text, CITY)) == []


def test_words_inside_names_stay() -> None:
    was = Triple("Acme", "motto", "It was won")
    assert changes(deny, document("Acme has It was won as its motto.", was))
    assert all(
        "It was won" in text for text, _ in changes(deny, document("Acme has It was won.", was))
    )


@pytest.mark.parametrize(
    "operator",
    [deny, doubt, state_opposite, bound_number, restrict, affirm, count_exactly, stress],
)
def test_other_languages_are_left_alone(operator) -> None:
    for own in (FOUNDED, NUMBER):
        german = replace(own, item=replace(own.item, lang="de"))
        assert changes(operator, german) == []


def test_a_word_becomes_its_opposite() -> None:
    found = dict(changes(state_opposite, FOUNDED))
    assert found["Acme was dissolved in Oslo."].facts == {CITY}
    assert "before" in OPPOSITES["after"]
    assert "avoided" not in OPPOSITES


def test_a_number_is_bounded_or_counted() -> None:
    for text, change in changes(bound_number, NUMBER):
        assert change.facts == {STAFF}
        ((start, end),) = change.unsupported
        assert text == f"Acme has {text[start:end]} 40 people."
    found = dict(changes(count_exactly, NUMBER))
    assert "Acme has exactly 40 people." in found
    assert all(not change.facts and change.supported == TRUE for change in found.values())


def test_a_fact_is_restricted_where_its_name_stands() -> None:
    own = document("Ann is a founder of Acme. It is owned by Bob.", FOUNDER, OWNER)
    found = dict(changes(restrict, own, 60))
    for text, fact, words in (
        ("Only Ann is a founder of Acme. It is owned by Bob.", FOUNDER, "Only "),
        ("Ann is the sole founder of Acme. It is owned by Bob.", FOUNDER, "the sole"),
        ("Ann is a founder of Acme. It is owned partly by Bob.", OWNER, "partly "),
        ("Ann is a founder of Acme. It is owned by Bob, among others.", OWNER, ", among others"),
    ):
        assert found[text].facts == {fact}
        ((start, end),) = found[text].unsupported
        assert text[start:end] == words


def test_a_verb_and_its_object_are_restricted() -> None:
    found = dict(changes(restrict, document("Ann owns Acme.", OWNS), 60))
    assert {"Ann owns only Acme.", "Ann owns part of Acme.", "Ann alone owns Acme."} <= {*found}
    assert all(change.facts == {OWNS} for change in found.values())


@pytest.mark.parametrize(
    "text", ["Ann and Bob own it.", "It belongs to Bob and Ann.", "Ann's firm."]
)
def test_one_of_several_names_and_owners_are_not_restricted(text: str) -> None:
    own = document(text, Triple("It", "owner", "Ann"), Triple("It", "owner", "Bob"))
    assert not [t for t in dict(changes(restrict, own)) if "Ann alone" in t or "only Ann" in t]


def test_stressed_facts_stay_stated() -> None:
    own = document("Ann is a founder of Acme, owned by Bob.", FOUNDER, OWNER)
    found = dict(changes(stress, own, 60))
    assert "Ann is indeed a founder of Acme, owned by Bob." in found
    assert "In fact, Ann is a founder of Acme, owned by Bob." in found
    for change in found.values():
        labelled = LabelledDocument.of(own)
        labelled.apply(change)
        assert set(labelled.stated) == {TRUE} == {labelled.supported}


@pytest.mark.parametrize("value", ["1990", "3 May 1990", "1990-05-03", "many"])
def test_dates_and_words_are_not_bounded(value: str) -> None:
    own = document(f"Acme has {value} people.", Triple("Acme", "staff", value))
    assert changes(bound_number, own) == []


def test_a_number_that_stands_twice_is_not_bounded() -> None:
    assert changes(bound_number, document("Acme has 40 people, 40 in all.", STAFF)) == []


def test_affirmed_facts_stay_stated_and_names_keep_their_places() -> None:
    for own in (FOUNDED, TWO, document("It is in Oslo.", CITY)):
        found = changes(affirm, own)
        assert len(found) > 3
        for text, change in found:
            labelled = LabelledDocument.of(own)
            labelled.apply(change)
            assert labelled.text == text
            assert set(labelled.stated) == {TRUE}
            assert labelled.supported == TRUE
            assert not labelled.unsupported
            assert all(text[one.start : one.end] == one.entity for one in labelled.spans)


def test_a_pronoun_keeps_its_place_behind_an_opening() -> None:
    own = document("It is in Oslo.", CITY)
    own = replace(own, mentions=(*own.mentions, Mention("Acme", 0, 2, "pronoun")))
    change = dict(changes(affirm, own, 60))["In fact, it is in Oslo."]
    labelled = LabelledDocument.of(own)
    labelled.apply(change)
    assert {labelled.text[one.start : one.end] for one in labelled.spans} == {"it", "Oslo"}


def test_operators_can_be_drawn_from() -> None:
    assert draw(deny, FOUNDED, Knowledge.of([FOUNDED]), random.Random(0)) is not None
    assert draw(bound_number, FOUNDED, Knowledge.of([FOUNDED]), random.Random(0)) is None
