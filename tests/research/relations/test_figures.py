"""Figures on held-out data, with readers whose answers are known."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.models import NamedText
from adequa.perturb import FALSE, TRUE
from research.relations.figures import (
    ChallengeText,
    HeldOut,
    claim_twins,
    crowd_figures,
    doctor_twins,
    names_only,
    read_challenge,
    read_held_out,
    written_texts,
)
from research.relations.groups import RelationText, read_written
from research.relations.sources import CrowdAnswer

from ...perturb.towns import TOWNS
from .tiny import documents

RIVER = Triple("Vexla", "river", "Kelda")
RIGHT = ("The river Kelda crosses Vexla.", (RIVER,))
WRONG = ("The river Kelda avoids Vexla.", (RIVER,))
SILENT = ("Nothing.", (RIVER,))


def read(texts: Sequence[NamedText]) -> list[list[float | None]]:
    """Believes texts that cross something; says nothing of texts without names."""
    return [
        [(1.0 if "crosses" in one.text else -1.0) if one.names else None for _ in one.triples]
        for one in texts
    ]


def test_twins_count_when_the_right_text_scores_higher_and_half_when_equal() -> None:
    held_out = HeldOut(
        twins={"x": [(RIGHT, WRONG), (WRONG, RIGHT), (RIGHT, RIGHT), (RIGHT, WRONG)]}
    )
    assert held_out.measure(read) == {"x": 0.625}


def test_doctor_figures_have_area_and_share_found() -> None:
    figures = HeldOut(twins={"same": [(RIGHT, WRONG)]}).measure(read)
    assert figures == {"same": 1.0, "same_auc": 1.0, "same_at5": 1.0}


def test_a_text_that_cannot_be_read_counts_as_right() -> None:
    assert HeldOut(twins={"x": [(SILENT, RIGHT)]}).measure(read) == {"x": 1.0}


def test_labels_give_an_area() -> None:
    assert HeldOut(labelled={"x": [(RIGHT, 1), (WRONG, 0)]}).measure(read) == {"x_auc": 1.0}
    assert HeldOut(labelled={"x": [(RIGHT, 1)]}).measure(read) == {}


def test_premises_are_decided_at_0() -> None:
    texts = [RelationText("a", (RIVER,), (TRUE,)), RelationText("b", (RIVER,), (FALSE,))]
    figures = HeldOut(entailments=texts).measure(read, lambda asked: [1.0 for _ in asked])
    assert figures == {"entailment": 0.5}


def test_challenges_are_compared_with_their_originals_by_kind() -> None:
    texts = [
        ChallengeText("1", "faithful", "plain", RIGHT),
        ChallengeText("1", "roles", "plain", WRONG),
        ChallengeText("1", "negation", "plain", RIGHT),
    ]
    figures = HeldOut(challenges={"open": texts}).measure(read)
    assert figures["open_roles"] == 1.0
    assert figures["open_negation"] == 0.0
    assert figures["open"] == 0.5
    assert figures["open_at10"] == 0.5


def test_doctor_twins_are_exchanges_within_and_between_facts() -> None:
    twins = doctor_twins(TOWNS, 20)
    assert all(right[0] != wrong[0] for name in ("same", "two") for right, wrong in twins[name])
    assert twins["inverted"]
    assert all(right[0] == wrong[0] for right, wrong in twins["inverted"])


def test_names_alone_say_nothing() -> None:
    items = [Item("1", (RIVER,), "x"), Item("2", (Triple("Vexla", "population", "4310"),), "x")]
    ((right, wrong),) = names_only(items)
    assert right[0] in {"Vexla, Kelda.", "Kelda, Vexla."}
    assert wrong == (right[0], (Triple("Kelda", "river", "Vexla"),))


def test_claims_are_changed_in_the_text() -> None:
    twins = claim_twins(documents() * 8, random.Random(0), 2)
    assert all(len(own) <= 2 for own in twins.values())
    assert twins["claims_deny"]
    assert all(right[1] == wrong[1] for own in twins.values() for right, wrong in own)


def test_written_groups_become_challenge_texts() -> None:
    group = read_written(dev=True)[0]
    texts = written_texts([group])
    assert len(texts) == len(group.faithful) + len(group.wrong)
    assert {one.original for one in texts} <= {"0", "1", "2"}


def test_a_challenge_file_is_read(tmp_path: Path) -> None:
    raw = {
        "triples": [list(RIVER)],
        "faithful": [{"style": "plain", "text": RIGHT[0]}],
        "wrong": [{"kind": "negation", "of": "plain", "text": WRONG[0]}],
    }
    path = tmp_path / "open.jsonl"
    path.write_text(json.dumps(raw) + "\n", encoding="utf-8")
    right, wrong = read_challenge(path)
    assert right == ChallengeText("0", "faithful", "plain", RIGHT)
    assert wrong == ChallengeText("0", "negation", "plain", WRONG)


@pytest.mark.data
def test_the_real_held_out_data_gives_every_figure(data_dir: Path) -> None:
    held_out = read_held_out(data_dir, count=6)
    figures = held_out.measure(read, lambda asked: [1.0 for _ in asked])
    assert figures.keys() >= {
        "same", "two", "inverted", "names_only", "fewrel", "fewrel_text", "fewrel_near",
        "rel2text_swap", "rel2text_real_auc", "claims_deny", "entailment", "written",
    }  # fmt: skip


def answer(text: str, *, right: bool) -> CrowdAnswer:
    return CrowdAnswer(text, "Emma", "author", "Jane", "", right=right, description="")


def test_crowd_answers_are_compared_with_their_triple_turned_round() -> None:
    texts = ["Jane wrote Emma.", "The author of Emma is Jane.", "Emma has the author Jane."]
    answers = [answer(text, right=True) for text in texts] + [answer("Emma wrote.", right=False)]

    def by_order(items: Sequence[Item]) -> list[float]:
        """Believes triples whose object is named first."""
        return [
            float(item.text.find(item.triples[0].object) < item.text.find(item.triples[0].subject))
            for item in items
        ]

    expected = {"sentences": 3, "wrong answers": 1}
    assert crowd_figures(by_order, answers) == {**expected, "exchanged": 0.3333, "mistakes": 0.1667}
    ties = {**expected, "exchanged": 0.5, "mistakes": 0.5}
    assert crowd_figures(lambda items: [None] * len(items), answers) == ties
