"""Why something is a finding, in a sentence for a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Term, Triple
from adequa.metrics.nli.evidence import Stretch
from adequa.metrics.nli.verdict import (
    why_contradicted,
    why_missing,
    why_unread_fact,
    why_unread_text,
    why_unsupported,
)

COUNTRY = Triple("Velmora_(town)", "countryName", "Sarn")


def item_of(text: str, triple: Triple = COUNTRY) -> Item:
    return Item("1", (triple,), text)


def stretch_of(text: str, words: str) -> Stretch:
    start = text.index(words)
    return Stretch(start, start + len(words), "span", 0.9)


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        (Triple("Velmora", "countryName", "Sarn"), "the country name of Velmora is Sarn"),
        (Triple("Velmora", "birthDate", "1733-05-04"), "the birth date of Velmora is 4 May 1733"),
        (Triple("Velmora", "isPartOf", "Sarn"), "Velmora is part of Sarn"),
        (Triple("Old_Inn", "familyFriendly", "no"), "Old Inn is not family friendly"),
        (Triple("Old_Inn", "hasParking", "yes"), "Old Inn has parking"),
        (Triple("Old_Inn", "hasParking", "no"), "Old Inn does not have parking"),
        (Triple("Old_Inn", "servesBeer", "true"), "Old Inn serves beer"),
        (Triple("Old_Inn", "supportsCards", "yes"), "Old Inn supports cards"),
        (Triple("Old_Inn", "includesBreakfast", "yes"), "Old Inn includes breakfast"),
        (Triple("Old_Inn", "canSwim", "false"), "Old Inn cannot swim"),
    ],
)
def test_a_fact_in_words(triple: Triple, expected: str) -> None:
    item = item_of("", triple)
    assert why_missing(item, triple) == f"the text does not say that {expected}"


def test_labels_stand_for_names() -> None:
    triple = Triple("Q1", "P2", "Q3")
    terms = {"Q1": Term("Velmora"), "P2": Term("country"), "Q3": Term("Sarn")}
    said = why_missing(Item("1", (triple,), "", terms=terms), triple)
    assert said == "the text does not say that the country of Velmora is Sarn"


def test_what_the_text_has_instead() -> None:
    text = "Velmora is in Bexhal."
    stretch = stretch_of(text, "Bexhal")
    triple = Triple("Velmora", "country", "Sarn")
    item = item_of(text, triple)
    assert why_missing(item, triple, stretch).endswith("is Sarn: it has 'Bexhal' instead")
    assert why_contradicted(item, stretch, triple) == (
        "'Bexhal': the data says that the country of Velmora is Sarn"
    )
    assert why_contradicted(item, stretch, None) == "the data says otherwise than 'Bexhal'"


@pytest.mark.parametrize(
    ("text", "words", "added"),
    [
        ("Velmora, Sarn", "Sarn", True),
        ("Velmora, in Sarn", "Sarn", True),
        ("Velmora (Sarn)", "Sarn", True),
        ("Velmora, Österland", "Österland", True),
        ("Velmora in Sarn", "Sarn", False),
        ("Velmora, old", "old", False),
        ("Velmora, 1733", "1733", False),
        ("Velmora is old. Sarn", "Sarn", False),
    ],
)
def test_common_knowledge_is_called_so(text: str, words: str, added: bool) -> None:
    mentions = [Mention("Velmora", 0, 7, "exact")]
    said = why_unsupported(item_of(text), stretch_of(text, words), mentions)
    if added:
        assert said == f"{words!r} is added to 'Velmora': true or not, the data does not say it"
    else:
        assert said == f"nothing in the data supports {words!r}"
    bare = why_unsupported(item_of(text), stretch_of(text, words), [])
    assert bare == f"nothing in the data supports {words!r}"


def test_only_what_stands_before_counts() -> None:
    text = "Sarn, Velmora"
    mention = Mention("Velmora", 6, 13, "exact")
    said = why_unsupported(item_of(text), stretch_of(text, "Sarn"), [mention])
    assert said == "nothing in the data supports 'Sarn'"
    text = "Velmora, Sarn, is near Tarnova"
    mentions = [Mention("Velmora", 0, 7, "exact"), Mention("Tarnova", 23, 30, "exact")]
    said = why_unsupported(item_of(text), stretch_of(text, "Sarn"), mentions)
    assert said.startswith("'Sarn' is added to 'Velmora'")


def test_what_could_not_be_read() -> None:
    item = item_of("Velmora is old.", Triple("Velmora", "country", "Sarn"))
    assert why_unread_fact(item, item.triples[0]) == (
        "not checked: the country of Velmora is Sarn is longer than the model can read"
    )
    assert why_unread_text(item, Stretch(0, 15, "text", None)) == (
        "not checked: 'Velmora is old.' and its data are longer than the model can read"
    )


@given(st.text(min_size=1))
def test_words_of_the_text_are_quoted_in_one_line(text: str) -> None:
    item, stretch = item_of(text * 100), Stretch(0, 100 * len(text), "text", 0.9)
    for why in (
        why_unsupported(item, stretch, []),
        why_unread_text(item, stretch),
        why_contradicted(item, stretch, None),
        why_missing(item, COUNTRY, stretch),
    ):
        assert why.isprintable()
        assert len(why) < 1200  # an escape may take ten letters


def test_long_values_are_shortened() -> None:
    long = Triple("Velmora", "motto", "word " * 400)
    assert len(why_missing(item_of("", long), long)) < 200
    assert "…" in why_unread_fact(item_of("", long), long)
