"""Other names and other words for the same facts: labels stay what they are."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Triple
from adequa.errors import DataError
from adequa.metrics.nli.templates import Template
from adequa.perturb import FALSE, TRUE, Document, Knowledge, LabelledDocument
from adequa.perturb.knowledge import middles_of, phrases_of
from adequa.perturb.paraphrases import Property, read_properties, rename, reword, shipped_properties
from adequa.text import folded, label_of, split_sentences

from ..training import corpora

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()
SEEDS = st.integers(min_value=0, max_value=100_000)
COUNTRY = Triple("Velmora", "country", "Sarn")


def pair_of(text: str, triple: Triple = COUNTRY, *names: str) -> Document:
    """A pair whose names stand where they are first found."""
    found = []
    for entity in names or (triple.subject, triple.object):
        start = text.index(label_of(entity).base)
        found.append((entity, start, start + len(label_of(entity).base)))
    return marked(text, (triple,), *sorted(found, key=lambda one: one[1]))


def marked(text: str, triples: tuple[Triple, ...], *spans: tuple[str, int, int]) -> Document:
    mentions = tuple(Mention(*span, "name") for span in spans)
    item = Item("1", triples, text, category="Town")
    return Document(item, mentions, tuple(split_sentences(text)))


def said(document: Document) -> dict[str, set[str]]:
    """How each entity is named in the text."""
    found: dict[str, set[str]] = {}
    for one in document.mentions:
        found.setdefault(one.entity, set()).add(document.text[one.start : one.end])
    return found


def entities(document: Document) -> set[str]:
    return LabelledDocument.of(document).entities()


@given(SEEDS)
def test_a_new_name_is_in_text_and_graph(seed: int) -> None:
    chance = random.Random(seed)
    before = chance.choice(PAIRS)
    after = rename(before, KNOWN, chance)
    if after == before:
        return
    (old,) = entities(before) - entities(after)
    (new,) = entities(after) - entities(before)
    assert label_of(old).base not in after.text
    assert said(after)[new] == {label_of(new).base}
    assert len(after.mentions) == len(before.mentions)
    assert {one: said(after)[one] for one in said(after) if one != new} == {
        one: said(before)[one] for one in said(before) if one != old
    }
    assert after.text.replace(label_of(new).base, label_of(old).base) == before.text
    swapped = [
        Triple(*(new if part == old else part for part in triple)) for triple in before.triples
    ]
    assert list(after.triples) == swapped
    assert list(after.sentences) == split_sentences(after.text)


def test_every_mention_and_the_facts_of_each_sentence_are_renamed() -> None:
    base = PAIRS[1]  # two sentences, the town in both
    pair = replace(base, facts=tuple(frozenset({triple}) for triple in base.triples))
    renamed = 0
    for seed in range(40):
        document = rename(pair, KNOWN, random.Random(seed))
        if document != pair:
            renamed += 1
            assert document.facts == tuple(frozenset({triple}) for triple in document.triples)
            assert document.text.count(label_of(document.triples[0].subject).base) == 2
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
        document = rename(pair_of(text), KNOWN, random.Random(seed))
        assert document.triples[0].subject == "Velmora"
        assert text.split("Sarn")[0] in document.text


def test_without_another_name_nothing_is_renamed() -> None:
    alone = Knowledge([(COUNTRY,)])
    pair = pair_of("Velmora is in Sarn.")
    assert all(rename(pair, alone, random.Random(seed)) == pair for seed in range(10))


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
        marked("Velmora Sarn", (COUNTRY,), ("Velmora", 0, 9), ("Sarn", 8, 12)),
        replace(PAIRS[0], item=replace(PAIRS[0].item, triples=(COUNTRY, COUNTRY))),
    ],
)
def test_other_texts_are_not_phrases(pair: Document) -> None:
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


def graph(*triples: Triple) -> LabelledDocument:
    stated = [TRUE if number % 2 == 0 else FALSE for number in range(len(triples))]
    return LabelledDocument("Velmora is in Sarn.", list(triples), stated, [])


def test_predicates_get_other_words() -> None:
    phrases = {"country": [Template("<object> is home to <subject>.")]}
    seen = set()
    for seed in range(40):
        labelled = graph(Triple("Old_Velmora", "country", "Sarn"))
        reword(labelled, phrases, random.Random(seed))
        seen |= {*labelled.triples}
        assert (labelled.text, labelled.stated) == ("Velmora is in Sarn.", [TRUE])
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
    labelled = graph(*triples)
    before = list(labelled.stated)
    reword(labelled, phrases_of(PAIRS), chance)
    assert labelled.stated == before
    assert len(set(labelled.triples)) == len(triples)
    for old, new in zip(triples, labelled.triples, strict=True):
        assert {old.subject, old.object} == {new.subject, new.object}
        assert new.predicate == old.predicate or old.predicate != "shoeSize"


def test_two_facts_never_become_one() -> None:
    """One is stated and the other not: as one triple they would be both."""
    same = {name: [Template("<subject> is led by <object>.")] for name in ("leaderX", "headX")}
    for seed in range(40):
        labelled = graph(Triple("Velmora", "leaderX", "Ida"), Triple("Velmora", "headX", "Ida"))
        reword(labelled, same, random.Random(seed))
        assert len(set(labelled.triples)) == 2


# Properties of Wikidata


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_shipped_is_sound() -> None:
    shipped = shipped_properties()
    assert len(shipped) > 100
    assert all(one.id.startswith("P") and one.id[1:].isdigit() for one in shipped.values())
    labels: dict[str, str] = {}
    for one in shipped.values():
        assert labels.setdefault(one.id, one.label) == one.label
    assert len(set(labels.values())) == len(labels)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.tsv",
            "label\tdbpedia\tinverse\twikidata\nsize\tshoeSize\t\tP1\npart of\thasPart\tyes\t\n",
        ),
        (
            "a.json",
            """{"shoeSize": {"label": "size", "wikidata": "P1"},
                "hasPart": {"label": "part of", "inverse": true}}""",
        ),
    ],
)
def test_a_mapping_of_ones_own(name: str, content: str, tmp_path: Path) -> None:
    assert read_properties(write(tmp_path / name, content)) == {
        folded("shoeSize"): Property("size", "P1"),
        folded("hasPart"): Property("part of", inverse=True),
    }


def test_the_shortest_mappings(tmp_path: Path) -> None:
    wanted = {"shoesize": Property("size")}
    assert read_properties(write(tmp_path / "a.tsv", "dbpedia\tlabel\nshoeSize\tsize\n")) == wanted
    assert read_properties(write(tmp_path / "a.json", '{"shoeSize": "size"}')) == wanted


@pytest.mark.parametrize(
    ("name", "content", "says", "line"),
    [
        ("a.tsv", "dbpedia\twikidata\nx\tP1\n", "has no column 'label'", 1),
        ("a.tsv", "dbpedia\tlabel\nx\ty\nz\t\n", "has no label", 3),
        ("a.tsv", "dbpedia\tlabel\n-\ty\n", "has no name", 2),
        ("a.tsv", "dbpedia\tlabel\nx\ty\nX\tz\n", "maps 'X' a second time", 3),
        ("a.tsv", "dbpedia\tlabel\tinverse\nx\ty\tmaybe\n", "has 'maybe' for 'inverse'", 2),
        ("a.json", "[]", "is not an object", None),
        ("a.json", '{"x": 1}', "has no label", None),
        ("a.json", '{"x": {"label": "y", "inverse": 1}}', "for 'inverse'", None),
        ("a.json", "{", "is not JSON", None),
    ],
)  # fmt: skip
def test_a_wrong_mapping_is_reported(
    name: str, content: str, says: str, line: int | None, tmp_path: Path
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(DataError, match=says) as caught:
        read_properties(path)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert caught.value.remedy
