"""Templates by predicate and value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.errors import DataError
from adequa.metrics.nli.templates import Templates, read_templates
from adequa.text.values import word_triple

PLACE = "<subject> was born in <object>."
KNOWN = Templates.of(
    {
        "birthPlace": PLACE,
        "familyFriendly": {
            "yes": "<subject> is for families.",
            "no": "<subject> is not for families.",
            "*": "<subject> is for <object>.",
        },
        "stars": {"3": "<subject> has three stars."},
    }
)


@pytest.mark.parametrize(
    "predicate", ["birthPlace", "birth_place", "Birth Place", "dbo:birthPlace", "BIRTHPLACE"]
)
def test_the_spelling_of_a_predicate_does_not_matter(predicate: str) -> None:
    assert KNOWN.sentence(Triple("Ada_L.", predicate, "Bex")) == "Ada L. was born in Bex."


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("yes", "The Inn is for families."),
        ('"Yes"', "The Inn is for families."),
        ("true", "The Inn is for families."),
        ("False", "The Inn is not for families."),
        ("Adults", "The Inn is for Adults."),
    ],
)
def test_templates_by_value(value: str, sentence: str) -> None:
    assert KNOWN.sentence(Triple("The_Inn", "family_friendly", value)) == sentence


def test_a_value_without_template_has_none() -> None:
    assert KNOWN.for_triple(Triple("The_Inn", "stars", "4")) is None
    assert KNOWN.sentence(Triple("The_Inn", "stars", "4")) == "The stars of The Inn is 4."
    assert KNOWN.sentence(Triple("The_Inn", "stars", "3")) == "The Inn has three stars."


def test_labels_are_looked_up_where_the_name_is_not_known() -> None:
    terms = {"P19": Term(label="birth place"), "Q1": Term(label="Bex")}
    assert KNOWN.sentence(Triple("Ada", "P19", "Q1"), terms) == "Ada was born in Bex."
    assert KNOWN.wording(Triple("Ada", "P19", "Q1"), terms) == ("Ada", "was born in", "Bex")


def test_what_the_verifier_reads() -> None:
    assert KNOWN.wording(Triple("Ada", "birthPlace", "Bex")) == ("Ada", "was born in", "Bex")
    unknown = Triple("Ada", "birthDate", "1815-12-10")
    assert (
        KNOWN.wording(unknown) == word_triple(unknown) == ("Ada", "birth date", "10 December 1815")
    )


def test_the_backoff_and_what_replaces_it() -> None:
    triple = Triple("Ada", "birthDate", "1815-12-10")
    assert Templates().sentence(triple) == "The birth date of Ada is 10 December 1815."
    own = Templates.of({"*": "<subject> has the <predicate> <object>."})
    assert own.sentence(triple) == "Ada has the birth date 10 December 1815."
    assert own.for_triple(triple) is None
    assert own.wording(triple) == word_triple(triple)
    closed = Triple("The_Inn", "isOpen", "no")
    assert own.sentence(closed) == Templates().sentence(closed) == "The Inn is not open."


def test_missing_counts_the_facts_without_template() -> None:
    facts = [("birthPlace", "Bex"), ("stars", "4"), ("age", "3"), ("Age", "4"), ("stars", "3")]
    items = [Item(str(n), (Triple("Ada", *fact),), "") for n, fact in enumerate(facts)]
    assert KNOWN.missing(items) == {"age": 2, "stars": 1}
    assert KNOWN.missing([]) == {}


@pytest.mark.parametrize(
    ("templates", "said"),
    [
        ({"p": "<subject> is."}, "has no <object>, and so says the same of every value"),
        ({"p": {"*": "<subject> is."}}, "has no <object>"),
        ({"p": "<object> is."}, "needs <subject> once"),
        ({"p": "<subject> has the <predicate> <object>."}, "has a <predicate>"),
        ({"*": PLACE}, "has no <predicate>"),
        ({"*": {"yes": "<subject> <predicate>."}}, "any predicate and has the value 'yes'"),
        ({"a_b": PLACE, "aB": PLACE}, "has a second template of 'aB'"),
        ({"p": {"yes": PLACE, "TRUE": PLACE}}, "a second template of 'p' and the value 'TRUE'"),
        ({" ": PLACE}, "has an empty predicate"),
        ({"p": {"": PLACE}}, "has an empty value"),
        ({"p": PLACE + "x" * 1000}, "is longer than 1,000 characters"),
        ({"p": "<subject> is <obj>."}, "a place <obj>"),
    ],
)
def test_wrong_templates(templates: dict[str, str], said: str) -> None:
    with pytest.raises(DataError) as caught:
        Templates.of(templates)
    assert said in str(caught.value)
    assert caught.value.remedy


def test_the_digest_is_of_the_content() -> None:
    ordered = Templates.of(
        {"a": PLACE, "b": {"x": PLACE, "y": PLACE}, "*": "<subject>, <predicate>, <object>."}
    )
    turned = Templates.of(
        {"*": "<subject>, <predicate>, <object>.", "B": {"Y": PLACE, "x": PLACE}, "a": PLACE}
    )
    assert ordered.digest == turned.digest
    others = [Templates(), KNOWN, Templates.of({"a": PLACE}), Templates.of({"a": {"x": PLACE}})]
    assert len({one.digest for one in [ordered, *others]}) == 5
    assert len(ordered.digest) == 12


@given(st.text(min_size=1), st.text(), st.text())
def test_every_fact_is_said(predicate: str, subject: str, value: str) -> None:
    triple = Triple(subject, predicate, value)
    for templates in (KNOWN, Templates(), read_templates("e2e")):
        assert templates.sentence(triple)
        assert len(templates.wording(triple)) == 3


def test_e2e_says_every_attribute() -> None:
    known = read_templates("e2e")
    facts = {
        ("eatType", "pub"): "Blue Spice is a pub.",
        ("food", "Italian"): "Blue Spice serves Italian food.",
        ("food", "Fast food"): "Blue Spice serves Fast food.",
        ("priceRange", "less than £20"): "Blue Spice is cheap, with low prices of less than £20.",
        ("priceRange", "£20-25"): "Blue Spice is moderately priced, with prices of £20-25.",
        ("priceRange", "high"): "Blue Spice is expensive, with high prices.",
        ("customer rating", "average"): "Blue Spice has an average customer rating.",
        ("customerRating", "1 out of 5"): "Blue Spice has a low customer rating of 1 out of 5.",
        ("area", "riverside"): "Blue Spice is located in the riverside area.",
        ("familyFriendly", "yes"): "Blue Spice is family friendly and welcomes children.",
        ("familyFriendly", "no"): "Blue Spice is not family friendly and not for children.",
        ("near", "The Inn"): "Blue Spice is near The Inn.",
        ("name", "Blue Spice"): "Blue Spice is called Blue Spice.",
    }
    for fact, sentence in facts.items():
        assert known.sentence(Triple("Blue Spice", *fact)) == sentence
    assert len(known.entries) == 8
