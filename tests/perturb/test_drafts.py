"""A draft's places stay with their words, whatever is written; faults label what they do."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.perturb.drafts import FALSE, TRUE, UNKNOWN, Draft, DraftSpan, start_draft
from adequa.perturb.graphs import add_triples, drop_triple, invert_triple, replace_triple
from adequa.perturb.pairs import Knowledge
from adequa.perturb.texts import (
    add_background,
    add_sentence,
    cut_short,
    drop_sentence,
    exchange_names,
    negate,
    swap_name,
    wrong_value,
)
from adequa.text.labels import label_of
from adequa.text.predicates import is_symmetric
from adequa.training.cases import FAULTS, Cases

from ..training import corpora

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
NUMBERS = st.integers(min_value=0, max_value=100_000)


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
    draft = Draft(text, [], [], [DraftSpan(*place) for place in places])
    put = draft.write(start, end, new)
    after, said = slow_write(text, places, start, end, new)
    assert draft.text == after
    assert draft.text[put.start : put.end] == new
    assert [draft.text[one.start : one.end] for one in draft.spans] == said


@given(NUMBERS)
def test_a_case_is_always_the_same_and_its_labels_lie_in_the_text(number: int) -> None:
    case = Cases(PAIRS, KNOWN).case(number)
    assert case == Cases(PAIRS, KNOWN).case(number)
    draft = case.draft
    assert case.fault in FAULTS
    assert len(draft.stated) == len(draft.triples) == len(set(draft.triples))
    assert set(draft.stated) <= {TRUE, FALSE, UNKNOWN}
    for place in draft.places():
        assert 0 <= place.start < place.end <= len(draft.text)
    for place in [*draft.unsupported, *draft.disfluent]:
        assert draft.text[place.start : place.end].strip()
    if case.fault == "none":
        assert (draft.supported, draft.unsupported) == (TRUE, [])


def test_another_seed_gives_other_cases_and_each_fault_is_made() -> None:
    made, other = Cases(PAIRS, KNOWN), Cases(PAIRS, KNOWN, seed=1)
    cases = [made.case(number) for number in range(600)]
    others = [other.case(number) for number in range(20)]
    assert cases[:20] != others
    assert {case.fault for case in cases} == FAULTS.keys()


@given(NUMBERS)
def test_an_inverted_triple_is_never_symmetric_and_never_true(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    draft = start_draft(pair)
    if not invert_triple(draft, KNOWN, chance):
        assert all(is_symmetric(triple.predicate) for triple in pair.triples)
        return
    (turned,) = set(draft.triples) - set(pair.triples)
    assert not is_symmetric(turned.predicate)
    assert turned._replace(subject=turned.object, object=turned.subject) in pair.triples
    assert draft.stated[draft.triples.index(turned)] == FALSE
    assert (draft.supported, draft.text) == (FALSE, pair.text)


@given(NUMBERS)
def test_a_swapped_name_is_new_to_text_and_graph(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    draft = start_draft(pair)
    if not swap_name(draft, KNOWN, chance):
        return
    labels = {label_of(entity).base for entity in draft.entities()}
    for place in draft.unsupported:
        written = draft.text[place.start : place.end]
        assert written not in pair.text
        assert written not in labels
    assert draft.unsupported
    assert FALSE in draft.stated
    assert draft.supported == FALSE


@given(NUMBERS)
def test_a_replaced_triple_is_not_known_to_be_true(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    draft = start_draft(pair)
    if replace_triple(draft, KNOWN, chance):
        (new,) = set(draft.triples) - set(pair.triples)
        assert new not in KNOWN.known.get(new.subject, [])
        assert draft.stated[draft.triples.index(new)] == FALSE
        assert len(draft.triples) == len(pair.triples)


@given(NUMBERS)
def test_what_lost_its_triple_is_not_supported(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    draft = start_draft(pair)
    if drop_triple(draft, KNOWN, chance):
        (gone,) = set(pair.triples) - set(draft.triples)
        lost = {gone.subject, gone.object} - draft.entities()
        marked = {draft.text[place.start : place.end] for place in draft.unsupported}
        for entity, start, end in pair.spans:
            assert (pair.text[start:end] in marked) == (entity in lost)
        assert set(draft.stated) == {TRUE}
    else:
        assert len(pair.triples) == 1


@given(NUMBERS)
def test_added_triples_are_not_stated(number: int) -> None:
    chance = random.Random(number)
    pair = chance.choice(PAIRS)
    draft = start_draft(pair)
    add_triples(draft, KNOWN, chance)
    for triple, stated in zip(draft.triples, draft.stated, strict=True):
        assert stated == (TRUE if triple in pair.triples else FALSE)
    assert draft.supported == TRUE


@given(NUMBERS)
def test_a_wrong_value_differs_in_one_place(number: int) -> None:
    chance = random.Random(number)
    pair = PAIRS[4 * chance.randrange(5) + 2]
    draft = start_draft(pair)
    assert wrong_value(draft, KNOWN, chance)
    (place,) = draft.unsupported
    shift = len(draft.text) - len(pair.text)
    assert draft.text[: place.start] == pair.text[: place.start]
    assert draft.text[place.end :] == pair.text[place.end - shift :]
    assert draft.text != pair.text
    assert FALSE in draft.stated or UNKNOWN in draft.stated


def test_names_that_change_places() -> None:
    draft = start_draft(PAIRS[0])
    assert exchange_names(draft, KNOWN, random.Random(0))
    assert draft.text == "Sarn is in Velmora."
    assert (draft.stated, draft.supported) == ([FALSE], FALSE)
    twins = start_draft(PAIRS[3])
    assert not exchange_names(twins, KNOWN, random.Random(0))


def test_a_sentence_less_and_a_sentence_more() -> None:
    texts = set()
    for seed in range(8):
        draft = start_draft(PAIRS[1])
        assert drop_sentence(draft, KNOWN, random.Random(seed))
        texts.add(draft.text)
        stated = dict(zip(draft.triples, draft.stated, strict=True))
        kept = Triple("Velmora", "country", "Sarn")
        if draft.text == "Velmora is a town in Sarn.":
            assert stated[Triple("Velmora", "leader", "Ida_Thorvald")] == FALSE
        else:
            assert stated[kept] == FALSE
    assert texts == {"Velmora is a town in Sarn.", "The leader of Velmora is Ida Thorvald."}
    draft = start_draft(PAIRS[0])
    sentence = ("Oskel is in Bexhal.", frozenset({"Oskel", "Bexhal"}))
    assert add_sentence(draft, [sentence], random.Random(0))
    assert draft.text == "Velmora is in Sarn. Oskel is in Bexhal."
    (place,) = draft.unsupported
    assert draft.text[place.start : place.end] == sentence[0]
    own = ("Velmora is Sarn's.", frozenset({"Velmora", "Sarn"}))
    assert not add_sentence(draft, [own], random.Random(0))


def test_a_text_that_breaks_off() -> None:
    for seed in range(20):
        draft = start_draft(PAIRS[1])
        assert cut_short(draft, KNOWN, random.Random(seed))
        assert PAIRS[1].text.startswith(draft.text)
        (place,) = draft.disfluent
        assert place.end == len(draft.text)
        assert TRUE not in [
            stated
            for triple, stated in zip(draft.triples, draft.stated, strict=True)
            if label_of(triple.object).base not in draft.text
        ]


def test_what_is_denied() -> None:
    draft = start_draft(PAIRS[0])
    assert negate(draft, KNOWN, random.Random(0))
    (place,) = draft.unsupported
    assert draft.text[place.start : place.end].startswith("is n")
    assert (draft.stated, draft.supported) == ([FALSE], FALSE)


def test_background_is_unsupported() -> None:
    known = Knowledge([item.triples for item in corpora.items()])
    pair = PAIRS[3]  # Velmora and Limdal; both have a country
    for seed in range(6):
        draft = start_draft(pair)
        assert add_background(draft, known, random.Random(seed))
        (place,) = draft.unsupported
        assert draft.text[place.start : place.end] in {"Sarn", "Aldwick"}
        assert draft.text[: place.start].endswith(", ")
        assert (draft.stated, draft.supported) == ([TRUE], FALSE)


@pytest.mark.parametrize("number", range(3))
def test_the_words_of_a_pair_are_its_own(number: int) -> None:
    pair = PAIRS[number]
    for entity, start, end in pair.spans:
        said = pair.text[start:end]
        assert said == label_of(entity).base or entity[:2].isdigit() or said.startswith("May")
