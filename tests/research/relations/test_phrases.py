"""The data files of our own phrases, invented names, and manners of claiming."""

from __future__ import annotations

import random
import re

import pytest

from research.relations.phrases import (
    invent_name,
    read_forms,
    read_overlaps,
    read_phrases,
    read_types,
    say,
)


def test_every_phrase_can_be_told() -> None:
    phrases = read_phrases()
    assert len(phrases) > 1500
    assert len({one.id for one in phrases}) == len(phrases)
    for one in phrases:
        assert {one.subject, one.object} <= read_types().keys()
        assert one.names
        assert one.of_subject
        assert all(words.count("{o}") == 1 and "{s}" not in words for words in one.of_subject)
        assert all(words.count("{s}") == 1 and "{o}" not in words for words in one.of_object)


def test_overlaps_are_pairs_of_relations() -> None:
    known = {one.id for one in read_phrases()}
    assert all(len(pair) == 2 and pair <= known for pair in read_overlaps())


def test_forms_are_read() -> None:
    assert read_forms("verbs")["founded"] == "found"
    assert read_forms("verbs")["chairs"] == "chair"
    assert read_forms("participles")["wrote"] == "written"


@pytest.mark.parametrize("kind", sorted(read_types()))
def test_names_have_no_gaps_left(kind: str) -> None:
    chance = random.Random(kind)
    names = {invent_name(kind, chance) for _ in range(30)}
    assert len(names) > 3
    assert not any(re.search(r"[{}|;]", name) for name in names)


def test_symmetric_relations_are_known() -> None:
    phrases = {one.id: one for one in read_phrases()}
    assert phrases["friend"].symmetric
    assert not phrases["founder"].symmetric


@pytest.mark.parametrize("words", ["was founded by {o}", "founded {s}", "owns {s}", "xyzed {s}"])
@pytest.mark.parametrize("manner", ["denied", "doubted", "limited", "bounded"])
def test_another_manner_changes_the_phrase_and_keeps_its_gap(words: str, manner) -> None:
    gap = words[-3:]
    for seed in range(30):
        changed = say(words, manner, random.Random(seed))
        assert changed != words
        assert changed.count(gap) == 1
        assert changed.count("{") == 1


def test_a_stated_phrase_is_unchanged() -> None:
    assert say("founded {s}", "stated", random.Random(0)) == "founded {s}"


def test_a_participle_follows_may_have() -> None:
    said = {say("wrote {s}", "doubted", random.Random(seed)) for seed in range(60)}
    assert "may have written {s}" in said
