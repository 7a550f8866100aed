"""Composed texts: their labels follow from the fault, and twins differ in one fact."""

from __future__ import annotations

import random

import pytest

from adequa.perturb import FALSE, TRUE
from research.relations.groups import Group
from research.relations.scenes import FAULTS, SceneMaker


@pytest.fixture(scope="module")
def groups() -> list[Group]:
    maker, chance = SceneMaker(), random.Random(3)
    made = (maker.make(chance) for _ in range(500))
    return [group for group in made if group is not None]


def test_every_fault_is_made(groups: list[Group]) -> None:
    assert {group.kind for group in groups} == {f"made_{fault}" for fault in FAULTS}


def test_texts_are_complete_and_their_names_are_where_they_say(groups: list[Group]) -> None:
    for group in groups:
        for text in group.texts:
            assert len(text.triples) == len(text.stated)
            assert "{" not in text.text
            for start, end, entity in text.names:
                assert text.text[start:end].lower() == entity.lower()
        first = group.texts[0]
        ends = {end for one in first.triples for end in (one.subject, one.object)}
        assert ends == {entity for *_, entity in first.names}


def test_the_first_of_each_pair_is_stated_and_the_second_is_not(groups: list[Group]) -> None:
    for group in groups:
        assert bool(group.above) == (group.kind != "made_same")
        for (one, fact), (other, same) in group.above:
            assert fact == same
            assert group.texts[one].stated[fact] == TRUE
            assert group.texts[other].stated[fact] == FALSE


def test_two_tellings_of_one_scene_are_both_faithful(groups: list[Group]) -> None:
    same = [group for group in groups if group.kind == "made_same"]
    assert all(set(text.stated) == {TRUE} for group in same for text in group.texts)
    assert any(group.texts[0].text != group.texts[1].text for group in same)


def test_a_changed_manner_is_in_the_text_alone(groups: list[Group]) -> None:
    for group in groups:
        if group.kind in {"made_denied", "made_doubted", "made_limited"}:
            right, wrong = group.texts
            assert right.triples == wrong.triples
            assert right.text != wrong.text
            assert wrong.stated.count(FALSE) == 1


def test_the_same_seed_gives_the_same_group() -> None:
    maker = SceneMaker()
    assert [maker.make(random.Random(7)) for _ in range(2)] == [maker.make(random.Random(7))] * 2
