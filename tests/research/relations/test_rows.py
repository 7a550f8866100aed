"""Rows as the reader gets them, and batches that are always the same."""

from __future__ import annotations

import random

from adequa.data import Triple
from adequa.models import RelationReader, WordPiece
from adequa.models.relations import PLACEHOLDERS
from adequa.perturb import FALSE, TRUE, UNKNOWN
from research.relations.groups import Group, RelationText, make_quad
from research.relations.rows import Batches, encode_group, encode_premise
from research.relations.scenes import SceneMaker

from .tiny import ANN, BO, COMPANY

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,;'&-"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]", *PLACEHOLDERS]
WORDS += [
    "founded",
    "leads",
    "founder",
    "is",
    "'",
    "leader",
    "and",
    *LETTERS,
    *(f"##{one}" for one in LETTERS),
]
SUBJECT, VALUE, OTHER = PLACEHOLDERS[:3]
NAMES = ((0, 7, "Ann_Lee"), (16, 20, "Acme"), (26, 32, "Bo_Ray"), (39, 43, "Acme"))


def reader() -> RelationReader:
    return RelationReader(WordPiece(WORDS), lambda *_: [])


def spelled(ids: tuple[int, ...]) -> str:
    return " ".join(WORDS[number] for number in ids)


def encoded(group: Group, longest: int = 256):
    return encode_group(group, reader(), longest, random.Random(0))


def test_the_two_right_texts_of_a_quad_are_one_row_and_so_are_the_wrong_ones() -> None:
    called = {"Ann_Lee": "Ann Lee", "Bo_Ray": "Bo Ray"}
    quad = make_quad("x", COMPANY.text, NAMES, [ANN, BO], called)
    assert quad is not None
    group = encoded(quad)
    assert [row.label for row in group.rows] == [TRUE, FALSE, TRUE, FALSE]
    assert group.above == ((0, 1), (2, 3))
    first, second = (spelled(row.ids).split(" [SEP]") for row in group.rows[:2])
    assert first[0] == f"[CLS] {VALUE} founded {SUBJECT} , and {OTHER} leads {SUBJECT} ."
    assert second[0] == f"[CLS] {OTHER} founded {SUBJECT} , and {VALUE} leads {SUBJECT} ."
    assert first[1] == second[1] == f" {SUBJECT} ' s founder is {VALUE}"
    row = group.rows[0]
    assert spelled(row.ids[row.mark :]) == f"{SUBJECT} ' s founder is {VALUE} [SEP]"
    assert row.types == [0] * row.mark + [1] * 7


def test_unknown_facts_and_unnamed_ends_have_no_row() -> None:
    text = RelationText("Ann Lee founded Acme.", (ANN, BO, ANN), (UNKNOWN, TRUE, TRUE))
    group = encoded(Group("x", (text,)))
    assert [row.label for row in group.rows] == [TRUE]


def test_rows_that_are_too_long_are_left_out() -> None:
    text = RelationText(COMPANY.text, (ANN,), (TRUE,), NAMES)
    assert encoded(Group("x", (text,)), longest=8).rows == ()


def test_a_premise_keeps_its_words() -> None:
    text = RelationText("a b", (Triple("c", "d", "e"),), (FALSE,))
    row = encode_premise(WordPiece(WORDS), text)
    assert spelled(row.ids) == "[CLS] a b [SEP] [unused1] c [unused2] d [unused3] e [SEP]"
    assert spelled(row.ids[row.mark :]).startswith("[unused1]")
    assert encoded(Group("x", (text,), hidden=False)).rows == (row,)


def scenes(number: int) -> Group:
    chance = random.Random(number)
    while True:
        made = SceneMaker().make(chance)
        if made is not None:
            return made


def test_steps_are_the_same_whenever_they_are_asked_for() -> None:
    batches = Batches(scenes, reader(), pool=40, size=512, stacks=2)
    steps = batches.steps(1)
    assert steps == batches.steps(1)
    assert steps != batches.steps(0)
    assert all(len(stacks) == 2 for stacks in steps)


def test_stacks_have_at_most_their_size_unless_one_group_is_larger() -> None:
    for stacks in Batches(scenes, reader(), pool=40, size=512).steps(0):
        for stack in stacks:
            rows = sum(len(group.rows) for group in stack)
            assert len(stack) == 1 or rows * max(group.longest for group in stack) <= 512
