"""Texts composed of phrases: every phrase fills, and labels are true word by word."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.perturb import FALSE, TRUE, Knowledge, LabelledDocument
from research.recipe.composer import (
    Composer,
    Domain,
    Phrases,
    Slot,
    _near,
    _spoken,
    read_domains,
)

from ...training import corpora

DOMAINS = read_domains()
COMPOSER = Composer(corpora.knowledge())
SEEDS = st.integers(min_value=0, max_value=10**9)
POOLS = {"person", "city", "country", "year", "date", "number"}
WORDS = {"s": "Old Mill", "it": "it", "its": "its"}
_PLACE = re.compile(r"\{([^{}]*)\}")


def phrases_of(slot: Slot) -> Iterator[tuple[str, str]]:
    """Each phrase with the value that it is of; "" where it says any."""
    for value, phrases in slot.phrases.items():
        for kind in phrases:
            for phrase in kind:
                yield value, phrase


def all_phrases() -> Iterator[str]:
    for domain in DOMAINS:
        yield from (phrase for kind in domain.fluff.values() for phrase in kind)
        for slot in domain.slots:
            yield from (phrase for _, phrase in phrases_of(slot))


def marked(labelled: LabelledDocument) -> list[str]:
    return [labelled.text[one.start : one.end] for one in labelled.unsupported]


def spoken(value: str, tries: int = 40) -> set[str]:
    """The ways in which a text has a value."""
    return {value, *(_spoken(value, random.Random(seed)) for seed in range(tries))}


def test_domains_are_whole() -> None:
    assert len(DOMAINS) > 20
    for domain in DOMAINS:
        assert len(domain.subjects) == len(set(domain.subjects)) > 1
        assert len(domain.slots) > 8
        assert set(domain.fluff) == {"vp", "s", "tail"}
        assert domain.fluff["s"]
        assert domain.fluff["tail"]
        for slot in domain.slots:
            assert slot.names
            assert len(slot.values) == len(set(slot.values)) > 0
            for value in slot.values:
                assert value.strip() == value != ""
                assert value[:1] != "@" or value[1:] in POOLS
                assert any(slot.of(value))  # somehow it can be said
    assert any(domain.person for domain in DOMAINS)


def test_every_phrase_fills() -> None:
    chance = random.Random(0)
    for phrase in all_phrases():
        assert set(_PLACE.findall(phrase)) <= {*POOLS, *WORDS, "o"}, phrase
        filled = COMPOSER.filled(phrase.replace("{o}", "red"), WORDS, chance)
        assert filled.strip() == filled != ""
        assert not re.search(r"[{}@]|\s\s|\.\.$", filled), phrase


def test_a_phrase_of_any_value_has_its_place_and_one_of_a_value_has_none() -> None:
    for domain in DOMAINS:
        for slot in domain.slots:
            for value, phrase in phrases_of(slot):
                assert phrase.count("{o}") == (0 if value else 1), phrase
        for kind in domain.fluff.values():
            assert not any("{o}" in phrase for phrase in kind)
        assert not any(phrase.endswith(".") for phrase in domain.fluff["tail"])


def test_every_value_can_be_spoken() -> None:
    for domain in DOMAINS:
        for slot in domain.slots:
            for value in slot.values:
                assert all(spoken(value))
    assert spoken("1815-12-10", 400) == {"10 December 1815", "December 10, 1815", "1815-12-10"}
    assert spoken("12 metres") == {"12 metres"}


@settings(max_examples=300)
@given(SEEDS)
def test_a_document_is_labelled_where_it_is_wrong(seed: int) -> None:
    labelled = COMPOSER.compose(random.Random(seed))
    assert labelled == COMPOSER.compose(random.Random(seed))
    assert labelled.text.strip() == labelled.text != ""
    assert not re.search(r"[{}@]|\s\s|\.\.", labelled.text)
    assert labelled.triples
    assert len(labelled.stated) == len(labelled.triples) == len(set(labelled.triples))
    assert {*labelled.stated} <= {TRUE, FALSE}
    for place in labelled.places():
        assert 0 <= place.start < place.end <= len(labelled.text)
    for words in marked(labelled):
        assert re.search(r"\w", words)
        assert words.strip() == words
    assert labelled.supported == (FALSE if labelled.unsupported else TRUE)
    for place in labelled.spans:
        assert place.entity is not None
        said = labelled.text[place.start : place.end]
        assert said.casefold() in {way.casefold() for way in spoken(place.entity)}


def open_values() -> set[tuple[str, str]]:
    """Names of predicates with values that have no phrases of their own."""
    return {
        (name, value)
        for domain in DOMAINS
        for slot in domain.slots
        for name in slot.names
        for value in slot.phrases
    }


MAPPED = open_values()


@settings(max_examples=300)
@given(SEEDS)
def test_what_is_stated_is_in_the_text_and_supported(seed: int) -> None:
    labelled = COMPOSER.compose(random.Random(seed))
    wrong = {at for one in labelled.unsupported for at in range(one.start, one.end)}
    for triple, stated in zip(labelled.triples, labelled.stated, strict=True):
        if stated != TRUE or (triple.predicate, triple.object) in MAPPED:
            continue
        found = [
            match.start()
            for way in spoken(triple.object)
            for match in re.finditer(re.escape(way), labelled.text, re.IGNORECASE)
        ]
        assert any(at not in wrong for at in found), (triple, labelled.text)


def test_another_seed_another_document() -> None:
    texts = {COMPOSER.compose(random.Random(seed)).text for seed in range(50)}
    assert len(texts) == 50


def test_all_kinds_of_labels_are_there() -> None:
    documents = [COMPOSER.compose(random.Random(seed)) for seed in range(200)]
    right = [
        labelled
        for labelled in documents
        if labelled.supported == TRUE and FALSE not in labelled.stated
    ]
    assert len(right) > 40
    assert any(labelled.supported == TRUE and FALSE in labelled.stated for labelled in documents)
    assert any(
        labelled.supported == FALSE and FALSE not in labelled.stated for labelled in documents
    )
    assert any(len(labelled.triples) > 6 for labelled in documents)


def domain_of(*slots: Slot, fluff: bool = False) -> Domain:
    own = (
        {"vp": (), "s": ("it rains",), "tail": ()} if fluff else dict.fromkeys(("vp", "s", "tail"))
    )
    return Domain(("Old Mill",), False, slots, {kind: own[kind] or () for kind in own})


COLOUR = Slot(("colour",), ("red",), {"": Phrases((), ("has the colour {o}",), ())})


@pytest.mark.parametrize("fluff", [True, False])
@given(seed=SEEDS)
def test_a_text_that_says_a_fact_states_it(fluff: bool, seed: int) -> None:
    composer = Composer(Knowledge([]), [domain_of(COLOUR, fluff=fluff)])
    labelled = composer.compose(random.Random(seed))
    (triple,) = labelled.triples
    assert (triple.predicate, triple.object) == ("colour", "red")
    assert labelled.stated == [TRUE if "red" in labelled.text else FALSE]
    assert all(words.startswith("It rains") for words in marked(labelled))


@given(SEEDS)
def test_slots_with_any_phrases_make_sentences(seed: int) -> None:
    bare = Slot(("kind",), ("pub",), {"": Phrases(("a {o}",), (), ())})
    told = Slot(("owner",), ("Ida",), {"": Phrases((), (), ("{o} owns {s}",))})
    composer = Composer(Knowledge([]), [domain_of(bare, told, COLOUR)])
    labelled = composer.compose(random.Random(seed))
    assert labelled.text.endswith(".")


@given(SEEDS)
def test_a_name_that_ends_in_a_full_stop_ends_the_sentence(seed: int) -> None:
    ways = Phrases((), ("is made by {o}",), ("{s} is made by {o}.", "Ask {o}, who made {s}"))
    maker = Slot(("maker",), ("Bex Inc.",), {"": ways})
    own = Domain(("Old Mill",), False, (maker, COLOUR), {"s": ("it rains",), "tail": ("as said",)})
    labelled = Composer(Knowledge([]), [own]).compose(random.Random(seed))
    assert ".." not in labelled.text
    assert labelled.text.endswith(".")
    assert "Bex Inc" not in labelled.text.replace("Bex Inc.", "")
    assert all(labelled.text[one.start : one.end].strip() for one in labelled.places())


def test_a_mark_does_not_reach_over_the_comma_of_a_tail() -> None:
    said = {kind: Phrases((), (), (f"{{s}} is of {kind}.",)) for kind in ("stone", "wood")}
    walls = Slot(("walls",), ("stone", "wood"), said)
    own = Domain(("Old Mill",), False, (walls,), {"s": ("it rains",), "tail": ("as said",)})
    composer = Composer(Knowledge([]), [own])
    seen = {
        words for seed in range(2000) for words in marked(composer.compose(random.Random(seed)))
    }
    assert {"as said", "Old Mill is of stone"} <= seen
    assert not any(words.endswith(",") for words in seen)


@given(SEEDS)
def test_a_contradicted_value_is_marked_and_another_is_in_the_data(seed: int) -> None:
    sizes = Slot(("size",), ("small", "large"), {"": Phrases((), ("is {o}",), ())})
    labelled = Composer(Knowledge([]), [domain_of(sizes)]).compose(random.Random(seed))
    for triple, stated in zip(labelled.triples, labelled.stated, strict=True):
        if stated == FALSE and marked(labelled):
            # In place of the value, or the fact left out and another one made up.
            other = {"small": "large", "large": "small"}[triple.object]
            assert marked(labelled) in ([other], [f"is {other}"])
            assert triple.object not in labelled.text


def test_names_come_from_the_corpus_or_are_called_what_they_are() -> None:
    person = {COMPOSER.filled("{person}", {}, random.Random(seed)) for seed in range(30)}
    assert person <= {*corpora.PEOPLE}
    assert len(person) > 1
    land = {COMPOSER.filled("{country}", {}, random.Random(seed)) for seed in range(30)}
    assert land <= {*corpora.LANDS}
    nobody = Composer(Knowledge([]))
    assert nobody.filled("{person} of {city}", {}, random.Random(0)) == "Person of City"
    assert re.fullmatch(r"\d+ \w+ \d{4}", COMPOSER.filled("{date}", {}, random.Random(0)))


@given(SEEDS)
def test_fluff_is_a_sentence_or_a_tail(seed: int) -> None:
    phrase, sentence = COMPOSER.fluff(random.Random(seed))
    assert phrase
    assert not re.search(r"[{}@]", phrase)
    kind = "s" if sentence else "tail"
    starts = {one.split("{")[0] for domain in DOMAINS for one in domain.fluff[kind]}
    assert any(phrase.startswith(start) for start in starts)


def test_values_that_imply_each_other_are_near() -> None:
    assert _near("film", "Short film")
    assert _near("Short film", "film")
    assert not _near("film", "book")
