"""Cases for the verifier, and the faults that language models taught us to make."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.perturb.drafts import FALSE, TRUE, UNKNOWN, Draft, start_draft
from adequa.perturb.graphs import add_triples, drop_triple, invert_triple, replace_triple
from adequa.perturb.pairs import GraphTextPair, Knowledge
from adequa.perturb.texts import add_fluff, drop_sentence, unsay, wrong_relation
from adequa.training.cases import Cases, _joined

from . import corpora

PAIRS = corpora.pairs()
SEEDS = st.integers(min_value=0, max_value=100_000)
COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")


def knowing(**middles: str) -> Knowledge:
    """What is known of the towns, with words that say a relation."""
    known = corpora.knowledge()
    known.middles = {(name, True): [words] for name, words in middles.items()}
    return known


def marked(draft: Draft) -> list[str]:
    return [draft.text[one.start : one.end] for one in draft.unsupported]


def made(pair: GraphTextPair, fault: object, known: Knowledge, seeds: int = 30) -> list[Draft]:
    """The drafts in which the fault was made."""
    drafts = []
    for seed in range(seeds):
        draft = start_draft(pair)
        if fault(draft, known, random.Random(seed)):  # type: ignore[operator]
            drafts.append(draft)
        else:
            assert draft == start_draft(pair)
    return drafts


def test_a_wrong_relation_between_the_right_names() -> None:
    drafts = made(PAIRS[0], wrong_relation, knowing(leader=" is ruled by "))
    assert drafts
    for draft in drafts:
        assert draft.text == "Velmora is ruled by Sarn."
        assert marked(draft) == ["is ruled by"]
        assert (draft.stated, draft.supported) == ([FALSE], FALSE)
        assert draft.triples == [COUNTRY]
        assert [draft.text[one.start : one.end] for one in draft.spans] == ["Velmora", "Sarn"]


@pytest.mark.parametrize(
    ("pair", "known"),
    [
        (PAIRS[0], knowing()),  # no words for another relation
        (PAIRS[0], knowing(country=" lies in ")),  # only words for this one
        (PAIRS[0], knowing(leader=" IS IN ")),  # the same words
        (replace(PAIRS[0], text="Velmora. So is Sarn."), knowing(leader=" is ruled by ")),
        (PAIRS[3], Knowledge([])),
    ],
)
def test_where_no_other_relation_can_be_said(pair: GraphTextPair, known: Knowledge) -> None:
    assert made(pair, wrong_relation, known) == []


def test_two_relations_of_the_same_names_are_left_alone() -> None:
    double = replace(PAIRS[0], triples=(COUNTRY, COUNTRY._replace(predicate="state")))
    assert made(double, wrong_relation, knowing(leader=" is ruled by ")) == []
    assert made(double, unsay, knowing()) == []


def test_names_side_by_side_say_nothing() -> None:
    drafts = made(PAIRS[0], unsay, knowing())
    assert {draft.text for draft in drafts} <= {
        f"Velmora{words}Sarn." for words in (" country ", " ", ", ", " the ", " is ")
    }
    assert "Velmora country Sarn." in {draft.text for draft in drafts}
    assert len(drafts) == 30
    for draft in drafts:
        assert (draft.stated, draft.supported, draft.unsupported) == ([FALSE], TRUE, [])
        assert len(draft.unclear) == len(draft.disfluent) == 1
        for place in draft.places():
            assert 0 <= place.start < place.end <= len(draft.text)
        assert [draft.text[one.start : one.end] for one in draft.spans] == ["Velmora", "Sarn"]


def test_fluff_behind_a_sentence() -> None:
    seen = set()
    for seed in range(20):
        draft = start_draft(PAIRS[1])
        add_fluff(draft, "it is a gem.", True, random.Random(seed))
        seen.add(draft.text)
        assert marked(draft) == ["It is a gem."]
        assert (draft.stated, draft.supported) == ([TRUE, TRUE], FALSE)
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
    draft = start_draft(replace(PAIRS[0], text=text))
    add_fluff(draft, "a gem", False, random.Random(0))
    assert draft.text == expected
    assert marked(draft) == ["a gem"]
    assert [draft.text[one.start : one.end] for one in draft.spans] == ["Velmora", "Sarn"]


def test_a_marked_sentence_takes_its_own_facts_with_it() -> None:
    text = "Velmora is a town in Sarn. Ida Thorvald leads it. Velmora lies in Sarn."
    said = (frozenset({COUNTRY}), frozenset({LEADER}), frozenset({COUNTRY}))
    pair = GraphTextPair((COUNTRY, LEADER), text, "Town", (("Velmora", 0, 7),), "1", said)
    seen = {}
    for draft in made(pair, drop_sentence, knowing()):
        seen[draft.text] = draft.stated
        assert len(draft.said) == 2
        assert draft.supported == TRUE
    first, second, third = re.findall(r"[^.]+\.", text)
    assert seen == {
        f"{first}{second}": [TRUE, TRUE],  # said twice
        f"{first}{third}": [TRUE, FALSE],
        f"{second.strip()}{third}": [TRUE, TRUE],
    }
    # Marks that do not fit the sentences are not gone by.
    odd = replace(pair, said=(frozenset({COUNTRY, LEADER}),))
    assert any(UNKNOWN in draft.stated for draft in made(odd, drop_sentence, knowing()))


@given(SEEDS)
def test_what_the_graph_has_lost_is_never_added_as_not_stated(seed: int) -> None:
    chance = random.Random(seed)
    pair = chance.choice(PAIRS)
    draft = start_draft(pair)
    nothing = Knowledge([])  # so that nothing is known to be true
    fault = chance.choice((invert_triple, drop_triple, replace_triple))
    known = nothing if fault is not replace_triple else corpora.knowledge()
    if not fault(draft, known, chance):
        assert draft.gone == set()
        return
    (gone,) = draft.gone
    assert gone in pair.triples
    assert gone not in draft.triples
    for _ in range(20):
        add_triples(draft, nothing, chance)
    assert gone not in draft.triples
    assert len(set(draft.triples)) == len(draft.triples) == len(draft.stated)


def test_an_inverted_triple_would_come_back_by_turning() -> None:
    draft = start_draft(PAIRS[0])
    assert invert_triple(draft, Knowledge([]), random.Random(0))
    lost = replace(draft, gone=set(), triples=list(draft.triples), stated=list(draft.stated))
    for seed in range(20):
        add_triples(lost, Knowledge([]), random.Random(seed))
        add_triples(draft, Knowledge([]), random.Random(seed))
    assert COUNTRY in lost.triples  # what `gone` is for
    assert COUNTRY not in draft.triples


def test_composed_cases_have_their_share() -> None:
    def faults(share: float) -> list[str]:
        cases = Cases(PAIRS, corpora.knowledge(), composed=share)
        return [cases.case(number).fault for number in range(60)]

    assert "composed" not in faults(0.0)
    assert set(faults(1.0)) == {"composed"}
    assert 5 < faults(0.3).count("composed") < 35


@settings(max_examples=150)
@given(SEEDS, st.sampled_from([0.0, 0.5]))
def test_labels_lie_in_the_text(number: int, share: float) -> None:
    cases = Cases(PAIRS, corpora.knowledge(), composed=share)
    draft = cases.case(number).draft
    assert draft == cases.case(number).draft
    assert len(draft.stated) == len(draft.triples) == len(set(draft.triples)) > 0
    assert {*draft.stated} <= {TRUE, FALSE, UNKNOWN}
    for place in draft.places():
        assert 0 <= place.start < place.end <= len(draft.text)
    assert all(words.strip() for words in marked(draft))
    if draft.unsupported:
        assert draft.supported != TRUE


def test_two_pairs_as_one() -> None:
    one, other = (replace(pair, said=(frozenset(pair.triples),)) for pair in (PAIRS[0], PAIRS[1]))
    both = _joined(one, other)
    assert both.text == f"{one.text} {other.text}"
    assert both.triples == (COUNTRY, LEADER)  # the country is in both
    assert both.said == one.said + other.said
    assert [both.text[start:end] for _, start, end in both.spans] == [
        pair.text[start:end] for pair in (one, other) for _, start, end in pair.spans
    ]
    assert _joined(one, PAIRS[1]).said == ()
