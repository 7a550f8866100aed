"""Other names and other words for the same facts: labels stay what they are."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.metrics.nli.templates import Template
from adequa.perturb.drafts import FALSE, TRUE, Draft, start_draft
from adequa.perturb.pairs import GraphTextPair, Knowledge
from adequa.perturb.rewording import middles_of, phrases_of, rename, reword, shipped_properties
from adequa.text.labels import label_of

from ..training import corpora

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
SEEDS = st.integers(min_value=0, max_value=100_000)
COUNTRY = Triple("Velmora", "country", "Sarn")


def pair_of(text: str, triple: Triple = COUNTRY, *names: str) -> GraphTextPair:
    """A pair whose names stand where they are first found."""
    spans = []
    for entity in names or (triple.subject, triple.object):
        start = text.index(label_of(entity).base)
        spans.append((entity, start, start + len(label_of(entity).base)))
    return GraphTextPair((triple,), text, "Town", tuple(sorted(spans, key=lambda one: one[1])), "1")


def said(draft: Draft) -> dict[str, set[str]]:
    """How each entity is named in the text."""
    found: dict[str, set[str]] = {}
    for place in draft.spans:
        found.setdefault(place.entity or "", set()).add(draft.text[place.start : place.end])
    return found


@given(SEEDS)
def test_a_new_name_is_in_text_and_graph(seed: int) -> None:
    chance = random.Random(seed)
    pair = chance.choice(PAIRS)
    draft, before = start_draft(pair), start_draft(pair)
    if not rename(draft, KNOWN, chance):
        assert (draft.text, draft.triples) == (before.text, before.triples)
        return
    (old,) = before.entities() - draft.entities()
    (new,) = draft.entities() - before.entities()
    assert label_of(old).base not in draft.text
    assert said(draft)[new] == {label_of(new).base}
    assert len(draft.spans) == len(before.spans)
    assert draft.text.replace(label_of(new).base, label_of(old).base) == before.text
    swapped = [
        Triple(*(new if part == old else part for part in triple)) for triple in before.triples
    ]
    assert draft.triples == swapped
    assert draft.stated == before.stated == [TRUE] * len(swapped)
    assert (draft.supported, draft.unsupported) == (TRUE, [])


def test_every_mention_and_what_each_sentence_says_is_renamed() -> None:
    base = PAIRS[1]  # two sentences, the town in both
    pair = replace(base, said=tuple(frozenset({triple}) for triple in base.triples))
    renamed = 0
    for seed in range(40):
        draft = start_draft(pair)
        if rename(draft, KNOWN, random.Random(seed)):
            renamed += 1
            assert draft.said == tuple(frozenset({triple}) for triple in draft.triples)
            assert draft.text.count(label_of(draft.triples[0].subject).base) == 2
    assert renamed > 10


@pytest.mark.parametrize(
    "text",
    [
        "Velmora is in Sarn, and Velmoras are many.",  # the name in another word
        "Velmora, that is Velmora, is in Sarn.",  # a mention nobody marked
    ],
)
def test_a_name_that_stands_elsewhere_too_stays(text: str) -> None:
    for seed in range(20):
        draft = start_draft(pair_of(text))
        rename(draft, KNOWN, random.Random(seed))
        assert draft.triples[0].subject == "Velmora"
        assert text.split("Sarn")[0] in draft.text


def test_without_another_name_nothing_is_renamed() -> None:
    alone = Knowledge([(COUNTRY,)])
    draft = start_draft(pair_of("Velmora is in Sarn."))
    assert not any(rename(draft, alone, random.Random(seed)) for seed in range(10))
    assert draft.text == "Velmora is in Sarn."


def test_sentences_of_one_fact_are_phrases() -> None:
    found = phrases_of(PAIRS)
    assert [one.string for one in found["country"]] == ["<subject> is in <object>."]
    assert [one.string for one in found["twinTown"]] == ["<subject> and <object> are twin towns."]
    assert set(found) == {"country", "twinTown"}  # others are only in longer texts
    turned = phrases_of([pair_of("Sarn is the country of Velmora.")])
    assert [one.string for one in turned["country"]] == ["<object> is the country of <subject>."]


@pytest.mark.parametrize(
    "pair",
    [
        pair_of(f"Velmora is {'very ' * 20}much in Sarn."),
        pair_of("Velmora is <b> in Sarn."),
        pair_of("Velmora is in Sarn.", COUNTRY, "Velmora"),
        pair_of("Velmora is in Velmora.", Triple("Velmora", "country", "Velmora")),
        GraphTextPair((COUNTRY,), "Velmora Sarn", "", (("Velmora", 0, 9), ("Sarn", 8, 12)), "1"),
        GraphTextPair((COUNTRY, COUNTRY), "Velmora is in Sarn.", "", PAIRS[0].spans, "1"),
    ],
)
def test_what_is_no_phrase(pair: GraphTextPair) -> None:
    assert phrases_of([pair]) == {}


def test_the_words_between_by_direction() -> None:
    found = middles_of(
        {
            "country": [
                Template("<subject> is a town in <object>."),
                Template("The <object> is home to <subject>"),
                Template("In the <object> <subject> is old."),
                Template("<subject>, <object>."),
            ]
        }
    )
    assert found == {("country", True): [" is a town in "], ("country", False): [" is home to "]}


def graph(*triples: Triple) -> Draft:
    stated = [TRUE if number % 2 == 0 else FALSE for number in range(len(triples))]
    return Draft("Velmora is in Sarn.", list(triples), stated, [])


def test_predicates_get_other_words() -> None:
    phrases = {"country": [Template("<object> is home to <subject>.")]}
    seen = set()
    for seed in range(40):
        draft = graph(Triple("Old_Velmora", "country", "Sarn"))
        reword(draft, phrases, random.Random(seed))
        seen |= {*draft.triples}
        assert (draft.text, draft.stated) == ("Velmora is in Sarn.", [TRUE])
    label = shipped_properties()["country"].label
    assert {
        Triple("Old_Velmora", "country", "Sarn"),
        Triple("Old_Velmora", label, "Sarn"),
        Triple("Sarn", "is home to", "Old Velmora"),
    } == seen


@given(SEEDS)
def test_labels_stay_with_their_triples(seed: int) -> None:
    chance = random.Random(seed)
    triples = tuple(
        Triple(town, predicate, land)
        for town, land in zip(corpora.TOWNS, corpora.LANDS, strict=True)
        for predicate in ("country", "twinTown", "shoeSize")
    )
    draft = graph(*triples)
    before = list(draft.stated)
    reword(draft, phrases_of(PAIRS), chance)
    assert draft.stated == before
    assert len(set(draft.triples)) == len(triples)
    for old, new in zip(triples, draft.triples, strict=True):
        assert {old.subject, old.object} == {new.subject, new.object}
        assert new.predicate == old.predicate or old.predicate != "shoeSize"


def test_two_facts_never_become_one() -> None:
    """One is stated and the other not: as one triple they would be both."""
    same = {name: [Template("<subject> is led by <object>.")] for name in ("leaderX", "headX")}
    for seed in range(40):
        draft = graph(Triple("Velmora", "leaderX", "Ida"), Triple("Velmora", "headX", "Ida"))
        reword(draft, same, random.Random(seed))
        assert len(set(draft.triples)) == 2
