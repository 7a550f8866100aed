"""Documents know where their entities stand; labels stay with their words, whatever is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.perturb import (
    FALSE,
    TRUE,
    UNKNOWN,
    Change,
    Edit,
    LabelledDocument,
    LabelledSpan,
    read_documents,
    read_marks,
)
from adequa.perturb.documents import join_documents
from adequa.text import label_of
from adequa.training.setup import read_pairs

from ..training import corpora

PAIRS = corpora.pairs()
COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")


def slow_write(
    text: str, places: list[tuple[int, int]], start: int, end: int, new: str
) -> tuple[str, list[str]]:
    """Every place as the set of its letters, which have names; new letters belong to a place that
    had the whole stretch. A place that was inside the stretch is gone."""
    letters: list[object] = list(range(len(text)))
    fresh = [object() for _ in new]
    written = [*letters[:start], *fresh, *letters[end:]]
    after = text[:start] + new + text[end:]
    said = []
    for first, last in places:
        if start <= first and last <= end:
            continue
        whole = first <= start and last >= end and not (start == end and start in (first, last))
        kept = {*range(first, last)} - {*range(start, end)} | ({*fresh} if whole else set())
        said.append(
            "".join(sign for sign, name in zip(after, written, strict=True) if name in kept)
        )
    return after, said


@given(st.data())
def test_places_move_with_their_words(data: st.DataObject) -> None:
    text = data.draw(st.text("abcdefgh ", min_size=1, max_size=20))
    bound = st.integers(0, len(text))
    stretch = st.tuples(bound, bound).map(sorted)
    places = data.draw(st.lists(stretch.filter(lambda one: one[0] < one[1]).map(tuple), max_size=5))
    start, end = data.draw(stretch)
    new = data.draw(st.text("XYZ", max_size=6))
    labelled = LabelledDocument(text, [], [], [LabelledSpan(*place) for place in places])
    put = labelled.write(start, end, new)
    after, said = slow_write(text, places, start, end, new)
    assert labelled.text == after
    assert labelled.text[put.start : put.end] == new
    assert [labelled.text[one.start : one.end] for one in labelled.spans] == said


def test_a_change_becomes_labels() -> None:
    labelled = LabelledDocument.of(PAIRS[1])
    text = labelled.text
    new = Triple("Velmora", "river", "Kelda")
    labelled.apply(
        Change(
            "",
            edits=(Edit(0, 7, "Oskel"), Edit(len(text) - 1, len(text), "!")),
            triples=(LEADER, new),
            doubtful=frozenset({LEADER}),
            unsupported=((0, 5),),
        )
    )
    assert labelled.text == "Oskel" + text[7:-1] + "!"
    assert (labelled.triples, labelled.stated) == ([LEADER, new], [UNKNOWN, FALSE])
    assert labelled.gone == {COUNTRY}
    assert [labelled.text[one.start : one.end] for one in labelled.spans] == [
        "Sarn",
        "Velmora",
        "Ida Thorvald",
    ]
    assert labelled.unsupported == [LabelledSpan(0, 5)]
    assert labelled.supported == FALSE


def test_a_faithful_change_leaves_all_labels() -> None:
    labelled = LabelledDocument.of(PAIRS[0])
    labelled.apply(Change("", edits=(Edit(10, 10, " indeed"),), supported=TRUE))
    assert labelled.text == "Velmora is indeed in Sarn."
    assert (labelled.stated, labelled.supported, labelled.unsupported) == ([TRUE], TRUE, [])


@pytest.mark.parametrize("number", range(3))
def test_the_words_of_a_pair_are_its_own(number: int) -> None:
    pair = PAIRS[number]
    for one in pair.mentions:
        written = pair.text[one.start : one.end]
        entity = one.entity
        assert written == label_of(entity).base or entity[:2].isdigit() or written[:3] == "May"


def test_documents_know_where_their_entities_stand() -> None:
    item = corpora.items()[1]
    (pair,) = read_pairs([item])
    assert [(one.entity, item.text[one.start : one.end]) for one in pair.mentions] == [
        ("Velmora", "Velmora"),
        ("Sarn", "Sarn"),
        ("Velmora", "Velmora"),
        ("Ida_Thorvald", "Ida Thorvald"),
    ]
    (bare,) = read_pairs([item], locate=False)
    assert bare.mentions == ()
    assert (bare.triples, bare.text, bare.entry) == (pair.triples, pair.text, pair.entry)


def test_marked_places_come_first_and_empty_items_are_left_out() -> None:
    text = "It is in Sarn."
    mentions = [
        {"entity": "Velmora", "start": 0, "end": 2},
        {"entity": "Sarn", "start": None, "end": None},
        {"entity": "Elsewhere", "start": 3, "end": 5},
    ]
    marked = Item("1/x", (COUNTRY,), text, system="reference", meta={"mentions": mentions})
    empty = [Item("2", (COUNTRY,), " "), Item("3", (), text)]
    told: list[int] = []
    (pair,) = read_pairs(
        [marked, *empty],
        marked={text: read_marks(marked)},
        progress=lambda _what, done, _total: told.append(done),
    )
    assert [(one.entity, one.start, one.end) for one in pair.mentions] == [("Velmora", 0, 2)]
    assert (pair.entry, told) == ("1", [1, 2, 3])


def test_the_corpus_tells_names_from_pronouns_and_nouns() -> None:
    text = "The Grand Hotel is old. The hotel is big, and it is in Sarn."
    places = {"The Grand Hotel": "description", "The hotel": "description", "it": "pronoun"}
    mentions = [
        {"entity": "Grand_Inn", "type": kind, "start": text.index(name), "end": text.index(name)}
        | {"end": text.index(name) + len(name)}
        for name, kind in places.items()
    ]
    item = Item("1", (Triple("Grand_Inn", "country", "Sarn"),), text, meta={"mentions": mentions})
    assert [one.method for one in read_marks(item).mentions] == ["description", "noun", "pronoun"]


def test_two_documents_as_one() -> None:
    (plain,) = read_documents([Item("2", (COUNTRY, LEADER), PAIRS[1].text)], mode="adequacy")
    rows = [["Velmora | country | Sarn"]]
    item = Item("1", (COUNTRY,), PAIRS[0].text, meta={"sortedtripleset": rows, "mentions": []})
    one = PAIRS[0].__class__(item, PAIRS[0].mentions, PAIRS[0].sentences, (frozenset({COUNTRY}),))
    facts = (frozenset({COUNTRY}), frozenset({LEADER}))
    other = plain.__class__(plain.item, plain.mentions, plain.sentences, facts)
    both = join_documents(one, other)
    assert both.text == f"{one.text} {other.text}"
    assert both.triples == (COUNTRY, LEADER)  # the country is in both
    assert both.facts == one.facts + other.facts
    assert [both.text[mention.start : mention.end] for mention in both.mentions] == [
        pair.text[mention.start : mention.end] for pair in (one, other) for mention in pair.mentions
    ]
    assert [both.text[start:end] for start, end in both.sentences] == [
        pair.text[start:end] for pair in (one, other) for start, end in pair.sentences
    ]
    assert join_documents(one, plain).facts == ()
