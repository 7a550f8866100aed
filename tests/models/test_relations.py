"""The relation reader: hidden names, one pass per fact, windows of long texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.errors import ModelError
from adequa.models.relations import (
    _MOST_WINDOWS,
    PLACEHOLDERS,
    NamedText,
    RelationReader,
    _windows,
    relation_words,
)
from adequa.models.wordpiece import WordPiece

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]", *PLACEHOLDERS)
WORDS += ("founded", "leads", "by", "was", ".", "and", "founder", "of", "anna", "bo", "acme")
WORDS += ("is", "not", "public", "price", "low", "'", "s")
FOUNDER = Triple("Acme", "founder of", "Anna")


class Recorded:
    """A network that keeps its inputs; it believes a fact whose first word the text has.

    `sure` is its logit for a fact that it believes, and less than none for one that it does not.
    """

    def __init__(self, reader: WordPiece, sure: float = 9.0) -> None:
        self.sure = sure
        self.words = {number: word for word, number in reader.ids.items()}
        self.seen: list[str] = []

    def __call__(
        self, sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> list[Mapping[str, Any]]:
        found = []
        for ids, kinds in zip(sequences, types, strict=True):
            self.seen.append(" ".join(self.words[number] for number in ids))
            mark = kinds.index(1)
            tokens = np.full((len(ids), 3), -9.0)
            tokens[mark, 0] = self.sure if ids[mark + 1] in ids[:mark] else -self.sure
            found.append({"tokens": tokens})
        return found


def read(text: str, *triples: Triple) -> tuple[list[float | None], list[str]]:
    reader = WordPiece(WORDS)
    run = Recorded(reader)
    names = []
    for entity in {end for triple in triples for end in (triple.subject, triple.object)}:
        start = text.find(entity)
        while start >= 0:
            names.append((start, start + len(entity), entity))
            start = text.find(entity, start + 1)
    (found,) = RelationReader(reader, run).read([NamedText(text, triples, {}, sorted(names))])
    return found, run.seen


def test_names_are_hidden_and_the_ends_of_the_fact_have_placeholders_of_their_own() -> None:
    leads = Triple("Bo", "leads", "Acme")
    found, seen = read("Acme was founded by Anna and Bo leads Acme.", FOUNDER, leads)
    subject, value, other = PLACEHOLDERS[:3]
    first, second = (one.split(" [SEP] ")[:2] for one in seen)
    assert first[0] == f"[CLS] {subject} was founded by {value} and {other} leads {subject} ."
    assert first[1].startswith(f"{subject} founder of {value}")
    assert second[0] == f"[CLS] {value} was founded by {other} and {subject} leads {value} ."
    assert second[1].startswith(f"{subject} leads {value}")
    assert found == [-9.0, 9.0]


class Directed(Recorded):
    """Believes a fact whose ends stand in the order of the text, with the logits given."""

    def __init__(self, reader: WordPiece, right: float, turned: float) -> None:
        super().__init__(reader)
        self.logits = {True: right, False: turned}

    def __call__(
        self, sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> list[Mapping[str, Any]]:
        found = super().__call__(sequences, types)
        for one, ids, kinds in zip(found, sequences, types, strict=True):
            mark = kinds.index(1)
            one["tokens"][mark, 0] = self.logits[ids[1] == ids[mark]]
        return found


@pytest.mark.parametrize(
    ("right", "turned", "expected"),
    [(3.0, -3.0, -3.0 - 0.3 * 4), (0.5, -1.0, -1.0), (-3.0, 3.0, 3.0), (3.0, -9.0, -9.0)],
)
def test_a_fact_in_doubt_falls_with_a_clearly_stated_inverse(
    right: float, turned: float, expected: float
) -> None:
    reader = WordPiece(WORDS)
    names = [(0, 4, "Acme"), (11, 15, "Anna")]
    text = NamedText("Acme leads Anna.", [Triple("Anna", "leads", "Acme")], {}, names)
    ((found,),) = RelationReader(reader, Directed(reader, right, turned)).read([text])
    assert found == pytest.approx(expected)


def test_the_inverse_of_a_symmetric_relation_is_not_asked_about() -> None:
    reader = WordPiece((*WORDS, "spouse", "'", "s", "is"))
    run = Recorded(reader, sure=1.0)
    names = [(0, 4, "Anna"), (9, 11, "Bo")]
    triples = [Triple("Anna", "spouse", "Bo")]
    RelationReader(reader, run).read([NamedText("Anna and Bo.", triples, {}, names)])
    assert len(run.seen) == 1


def test_a_place_that_names_two_entities_stands_for_the_one_that_is_asked_about() -> None:
    reader = WordPiece(WORDS)
    run = Recorded(reader)
    triples = [Triple("Acme", "founder of", "Anna"), Triple("Acme", "leads", "Bo")]
    text = "Acme founded Anna."
    both = [(0, 4, "Acme"), (13, 17, "Anna"), (13, 17, "Bo")]
    RelationReader(reader, run).read([NamedText(text, triples, {}, both)])
    subject, value = PLACEHOLDERS[:2]
    assert [one.split(" [SEP] ")[0] for one in run.seen] == [
        f"[CLS] {subject} founded {value} ."
    ] * 2
    same = [(13, 17, "Acme"), (13, 17, "Anna")]
    ((none, _),) = RelationReader(reader, run).read([NamedText(text, triples, {}, same)])
    assert none is None, "one place cannot be both ends"


def test_a_place_that_names_both_ends_is_for_the_one_named_less_often() -> None:
    reader = WordPiece(WORDS)
    run = Recorded(reader)
    names = [(0, 4, "Acme"), (11, 15, "Acme"), (11, 15, "Anna")]
    triples = [Triple("Acme", "founder of", "Anna")]
    RelationReader(reader, run).read([NamedText("Acme leads Anna.", triples, {}, names)])
    subject, value = PLACEHOLDERS[:2]
    assert run.seen[0].startswith(f"[CLS] {subject} leads {value} .")


def test_an_entity_that_the_data_writes_in_two_ways_is_one() -> None:
    reader = WordPiece((*WORDS, "hall"))
    run = Recorded(reader)
    triples = [Triple("Acme_Hall", "founder of", "Anna"), Triple('"Acme Hall"', "leads", "Bo")]
    names = [(0, 9, "Acme_Hall"), (18, 22, "Anna"), (24, 33, '"Acme Hall"'), (40, 42, "Bo")]
    text = "Acme Hall founded Anna. Acme Hall leads Bo."
    found = RelationReader(reader, run).inputs(NamedText(text, triples, {}, names))
    subject, value, other = PLACEHOLDERS[:3]
    words = [" ".join(run.words[one] for one in own[0][0]) for own in found]
    assert words[0].startswith(f"[CLS] {subject} founded {value} . {subject} leads {other} .")
    assert words[1].startswith(f"[CLS] {subject} founded {other} . {subject} leads {value} .")


def test_exchanged_names_give_another_input() -> None:
    _, one = read("Acme founded Anna.", FOUNDER)
    _, other = read("Anna founded Acme.", FOUNDER)
    assert one != other


def test_a_fact_whose_ends_are_not_both_named_is_not_judged() -> None:
    found, seen = read("Acme was founded.", FOUNDER)
    assert found == [None]
    assert seen == []


def test_a_long_text_is_read_around_the_names_and_the_best_window_counts() -> None:
    padding = "was was was was was was was was was was . " * 30
    text = f"{padding}Acme was founded by Anna. {padding}Acme leads Anna. {padding}"
    found, seen = read(text, Triple("Acme", "leads", "Anna"))
    assert found == [9.0]
    assert len(seen) == 2
    assert all(len(one.split()) <= 200 + 6 for one in seen)
    assert sum("leads" in one.split("[SEP]")[0] for one in seen) == 1


def slow_windows(
    places: Mapping[str, Sequence[int]], triple: Triple, count: int, breaks: Sequence[int]
) -> set[tuple[int, int]]:
    """Every naming of either end is looked at, and every piece of its window."""
    found = set()
    ends = [{*places.get(end, ())} for end in (triple.subject, triple.object)]
    for place in ends[0] | ends[1]:
        sentence = max(number for number, start in enumerate(breaks) if start <= place)
        end = next((one for one in breaks if one > place), count)
        start = max(breaks[max(0, sentence - 2)], end - 200)
        if all(own & {*range(start, end)} for own in ends):
            found.add((start, end))
    return found


PLACES = st.lists(st.integers(0, 999), unique=True, max_size=6).map(sorted)


@given(PLACES, PLACES, st.lists(st.integers(1, 999), unique=True, max_size=40))
def test_windows_are_those_found_by_looking_at_all_names(
    ones: list[int], others: list[int], breaks: list[int]
) -> None:
    taken = {*ones}
    places = {"Acme": ones, "Anna": [one for one in others if one not in taken]}
    fast = _windows(places, FOUNDER, 1000, [0, *sorted(breaks)])
    slow = slow_windows(places, FOUNDER, 1000, [0, *sorted(breaks)])
    assert {*fast} <= slow
    assert len(fast) == min(len(slow), _MOST_WINDOWS)


def test_a_fact_whose_ends_are_named_often_is_read_a_bounded_number_of_times() -> None:
    _, seen = read("Acme leads Anna. " * 400, FOUNDER)
    assert len(seen) == _MOST_WINDOWS


def test_more_names_than_placeholders_keep_their_own_words() -> None:
    names = [f"N{number:02}" for number in range(30)]
    triples = [Triple("Acme", "leads", name) for name in names]
    found, _ = read("Acme leads " + " and ".join(names) + ".", *triples)
    assert found == [9.0] * 30


def test_a_vocabulary_without_placeholders_is_refused() -> None:
    words = [word for word in WORDS if word not in PLACEHOLDERS]
    with pytest.raises(ModelError, match=r"without \[unused19\]"):
        RelationReader(WordPiece(words), Recorded(WordPiece(WORDS)))


@pytest.mark.parametrize(
    "relation",
    ["educated at", "has part", "founded", "replaces", "was built by", "older than", "", "Follows"],
)
def test_a_relation_that_is_a_clause_stays_as_it_is(relation: str) -> None:
    assert relation_words(relation) == relation


@pytest.mark.parametrize(
    "relation", ["employer", "native language", "number of students", "awards"]
)
def test_a_noun_says_whose_it_is(relation: str) -> None:
    assert relation_words(relation) == f"'s {relation} is"


SUBJECT, OBJECT = PLACEHOLDERS[:2]


@pytest.mark.parametrize(
    ("triple", "asked"),
    [
        (Triple("Acme", "price", "low"), f"{SUBJECT} ' s price is low [SEP]"),
        (Triple("Acme", "public", "no"), f"{SUBJECT} is not public [SEP]"),
    ],
)
def test_a_quality_that_the_text_does_not_name_is_asked_about_in_words(
    triple: Triple, asked: str
) -> None:
    (logit,), (seen,) = read("Acme was founded by Bo.", triple)
    assert logit is not None
    assert seen == f"[CLS] {SUBJECT} was founded by bo . [SEP] {asked}"


def test_names_numbers_and_long_values_must_be_named() -> None:
    values = ("Bo", "12", "low " * 40)
    logits, seen = read("Acme was founded.", *(Triple("Acme", "price", one) for one in values))
    assert logits == [None, None, None]
    assert seen == []


def test_without_its_subject_no_quality_is_read() -> None:
    assert read("It was founded.", Triple("Acme", "price", "low"))[0] == [None]


def test_a_yes_is_not_hidden_by_a_placeholder() -> None:
    reader = WordPiece(WORDS)
    run = Recorded(reader)
    names = [(0, 4, "Acme"), (8, 14, "yes")]
    text = NamedText("Acme is public.", [Triple("Acme", "public", "yes")], {}, names)
    RelationReader(reader, run).read([text])
    assert run.seen == [f"[CLS] {SUBJECT} is public . [SEP] {SUBJECT} is public [SEP]"]


def test_of_a_long_text_every_sentence_is_read_for_a_quality() -> None:
    text = "Acme was founded by Bo and Anna. " * 60
    logits, seen = read(text, Triple("Acme", "price", "low"))
    assert logits[0] is not None
    assert 2 <= len(seen) <= _MOST_WINDOWS
    assert all(len(one.split()) < 300 for one in seen)


def test_a_long_relation_is_cut() -> None:
    _, (seen,) = read("Acme and Bo.", Triple("Acme", "founder of " * 300, "Bo"))
    assert len(seen.split()) < 100


def test_a_quality_is_read_once_with_other_qualities_hidden() -> None:
    price = Triple("Acme", "price", "low")
    text, public = "Acme is a public founder.", Triple("Acme", "founder", "public")
    reader = WordPiece(WORDS)
    run = Recorded(reader)
    named = NamedText(text, [price, public], {}, [(0, 4, "Acme"), (10, 16, "public")])
    RelationReader(reader, run).read([named])
    asked = [one.split(" [SEP] ")[0] for one in run.seen if "price" in one]
    unknown = "[UNK]"  # the article
    hidden = f"[CLS] {SUBJECT} is {unknown} {PLACEHOLDERS[2]} founder ."
    assert asked == [hidden]
