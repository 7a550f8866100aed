"""Thresholds on labels whose truth is known, and labels that are wrong."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from adequa.analysis.doctor import Share, advise, read_labels
from adequa.analysis.doctor.examination import _upper
from adequa.data import Item
from adequa.errors import DataError

from ...perturb.towns import BRUMA, VEXLA


def test_all_good_above_a_score_and_all_bad_below() -> None:
    scores = [place / 1000 for place in range(1000)]
    advice = advise("m", scores, [score < 0.4 for score in scores])
    assert advice.chosen is not None
    assert advice.chosen.threshold == 0.4
    assert advice.chosen.coverage == Share(600, 1000)
    assert advice.chosen.risk == Share(0, 600)
    assert advice.chosen == advice.likely
    assert "accept where m ≥ 0.4: 600 of 1,000 texts, of them 0 bad" in advice.why
    assert [one.coverage.count for one in advice.curve] == list(range(100, 1001, 100))
    assert advice.curve[-1].risk == Share(400, 1000)


def test_the_same_with_the_lower_the_better() -> None:
    scores = [place / 1000 for place in range(1000)]
    advice = advise("m", scores, [score > 0.5 for score in scores], higher_is_better=False)
    assert advice.chosen is not None
    assert advice.chosen.threshold == 0.499
    assert "accept where m ≤ 0.499" in advice.why


def test_few_labels_promise_nothing_and_the_number_needed_is_reported() -> None:
    advice = advise("m", [place / 20 for place in range(20)], [False] * 20)
    assert advice.chosen is None
    assert advice.likely is not None
    assert advice.likely.coverage == Share(20, 20)
    assert advice.needed == 104
    assert advice.why.startswith("not enough labels to promise a risk of at most 0.05 (at 95%")
    assert "it takes 104 accepted texts without a bad one, and there are 20" in advice.why


def test_barely_enough_labels_promise_nothing() -> None:
    scores = [place / 400 for place in range(400)]
    bad = [place % 25 == 0 for place in range(400)]  # 0.04, anywhere
    advice = advise("m", scores, bad)
    assert advice.chosen is None
    assert "the risk may still be" in advice.why


def test_only_bad_texts_give_no_threshold() -> None:
    advice = advise("m", [0.1, 0.9], [True, True])
    assert advice.chosen is None
    assert advice.likely is None
    assert advice.why == "no threshold of m keeps the risk at 0.05 on these labels"


def test_what_has_no_score_is_not_accepted() -> None:
    advice = advise("m", [None, *[1.0] * 300], [False] * 301)
    assert advice.chosen is not None
    assert advice.chosen.coverage == Share(300, 301)
    assert len(advice.curve) == 1  # one score is one threshold, and no price for more
    nothing = advise("m", [None, None], [False, True])
    assert nothing.curve == ()
    assert nothing.chosen is None
    assert "no threshold of m" in nothing.why
    with pytest.raises(ValueError, match="cannot be paired"):
        advise("m", [1.0], [])


def test_the_promise_is_kept() -> None:
    """Over many samples of a known truth, the chosen threshold's real risk breaks it seldom."""
    chance = random.Random(5)
    broken = chosen = 0
    for _ in range(300):
        scores = [chance.random() for _ in range(800)]
        bad = [chance.random() < 0.2 * (1 - score) for score in scores]
        advice = advise("m", scores, bad, target=0.08)
        if advice.chosen is not None:
            chosen += 1
            # The mean of 0.2 · (1 - score) over scores from the threshold to 1.
            broken += 0.2 * (1 - advice.chosen.threshold) / 2 > 0.08
    assert chosen > 200
    assert broken <= 0.05 * 300


def test_random_scores_rarely_give_a_promise() -> None:
    """Where every threshold breaks it by a little, the best of all seldom seems to keep it."""
    chance = random.Random(6)
    chosen = 0
    for _ in range(300):
        scores = [chance.random() for _ in range(800)]
        bad = [chance.random() < 0.055 for _ in scores]
        chosen += advise("m", scores, bad).chosen is not None
    assert chosen <= 0.05 * 300


def test_the_bound_is_clopper_and_pearson_s() -> None:
    assert _upper(Share(0, 59), 0.95) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert _upper(Share(3, 3), 0.95) == 1.0
    # The largest chance with which 2 or fewer of 10 are as likely as 0.05.
    high = _upper(Share(2, 10), 0.95)
    below = sum(
        ways * high**count * (1 - high) ** (10 - count) for count, ways in enumerate((1, 10, 45))
    )
    assert below == pytest.approx(0.05)


# The file


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


ITEMS = [VEXLA, BRUMA, replace(VEXLA, system="other")]


def test_labels_find_their_items(tmp_path: Path) -> None:
    path = write(
        tmp_path / "labels.jsonl",
        {"id": "Id1", "system": "other", "label": "hallucination+omission"},
        {"id": "Id2", "label": "OK"},
        {"id": "Id1", "system": "T5", "label": 1},
    )
    assert [(one.item.key, one.bad) for one in read_labels(path, ITEMS)] == [
        (("other", "Id1"), True),
        (("T5", "Id2"), False),
        (("T5", "Id1"), False),
    ]


@pytest.mark.parametrize(
    ("label", "bad"),
    [
        *[(one, False) for one in ("ok", "OK", "good", "1", "True")],
        *[(one, True) for one in ("omission", "hallucination", "bad", "0", "false", "Omission")],
    ],
)
def test_labels_in_a_table(tmp_path: Path, label: str, bad: bool) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"id,label\nId2,{label}\n")
    assert [one.bad for one in read_labels(path, ITEMS)] == [bad]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "has no labels"),
        ([{"id": "Id2"}], r"labels.jsonl:1: has no label"),
        ([{"label": "ok"}], "has no id"),
        ([{"id": "Id2", "label": "fine"}], "'fine' is not a label; a label is ok, omission"),
        ([{"id": "Id2", "label": None}], "'none' is not a label"),
        ([{"id": 2, "label": "ok"}], "id and system must be strings"),
        ([{"id": "Id2", "label": "ok"}] * 2, r"labels.jsonl:2: labels 'Id2' again .*line 1"),
        ([{"id": "Id1", "label": "ok"}], "which 2 systems have; add the field system"),
        ([{"id": "Id7", "label": "ok"}], "'Id7', which the input does not have"),
        ([{"id": "Id2", "system": "x", "label": "ok"}], "of the system 'x', which the input"),
        ([["Id2", "ok"]], "is not an object"),
    ],
)
def test_wrong_labels_are_an_error_with_its_place(
    tmp_path: Path, rows: list[object], message: str
) -> None:
    path = write(tmp_path / "labels.jsonl", *rows)
    with pytest.raises(DataError, match=message):
        read_labels(path, ITEMS)


def test_a_file_that_is_not_json_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("id label\n")
    with pytest.raises(DataError, match=r"labels\.jsonl:1"):
        read_labels(path, [Item("a", (), "")])
