"""Texts of several runs and files joined by system and id."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.human.sampling import choose_score, pool_texts, with_references
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.readers.output import write_items
from adequa.run import score_run

ITEMS = [
    Item(f"Id{number}", (Triple("Alba", "port", "Oban"),), "Alba sails.", system, "Ship", "en", one)
    for number, one in enumerate([("Alba sails to Oban.",), ()])
    for system in ("B", "A")
]


@pytest.fixture
def runs(tmp_path):
    """Two runs of the same texts, and what changes the scores of the second."""
    write_items(ITEMS, tmp_path / "items.jsonl")
    source = open_source(tmp_path / "items.jsonl")
    for name, metric in (("one", "chrf"), ("two", "bleu")):
        score_run(source, resolve([metric]), tmp_path / name)

    def second(value):
        path = tmp_path / "two" / "scores.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            row["scores"] = {"chrf": value, "bleu": 1.0}
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return pool_texts([tmp_path / "one", tmp_path / "two"])

    return second


def test_a_text_of_two_runs_is_one_text_with_the_scores_of_both(runs):
    pool = runs(None)
    assert len(pool.items) == len(ITEMS)
    assert list(pool.scores) == ["chrf", "bleu"]
    chrf = pool.scores["chrf"]
    assert chrf["A", "Id0"] is not None
    assert chrf["A", "Id1"] is None  # without a reference there is no chrf
    # What the second could score counts where the first could not.
    with pytest.raises(DataError, match="another chrf than in"):
        runs(99.0)


def test_a_score_that_is_not_a_number_is_refused(runs):
    with pytest.raises(DataError, match="'chrf' that is not a number"):
        runs("high")


def test_nothing_is_no_pool_and_the_default_score_needs_no_reference(runs):
    with pytest.raises(SettingError, match="nothing to draw from"):
        pool_texts([])
    pool = runs(None)
    assert choose_score(pool, None) == "chrf"
    assert choose_score(pool, "bleu") == "bleu"
    more = replace(pool, scores={**pool.scores, "esa": {}, "nli": {}})
    assert choose_score(more, None) == "nli"


def test_the_first_reference_joins_whatever_the_order():
    joined = with_references(ITEMS)[len(ITEMS) :]
    assert joined == with_references(ITEMS[::-1])[len(ITEMS) :]
    assert [(one.key, one.text) for one in joined] == [
        (("reference", "Id0"), "Alba sails to Oban.")
    ]
