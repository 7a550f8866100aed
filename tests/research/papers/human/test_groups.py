"""The groups of paper 004 under many settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adequa.data import Rating
from adequa.errors import DataError
from adequa.readers.ratings import read_ratings
from adequa.stats import CORRECTIONS
from research.papers.human.groups import (
    PAPER,
    SETTINGS,
    GroupAgreement,
    best,
    best_table,
    group_agreements,
    settings_table,
)
from research.papers.human.printed import HUMAN, alike


def made(raters: int) -> list[Rating]:
    """Ratings of six texts, seen and unseen, that follow the paper's means; 0: averages."""
    return [
        Rating(
            f"{kind} {number}",
            system,
            f"rater {rater}" if raters else "",
            criterion,
            row.mean + number / 10,
            meta={"type": kind},
        )
        for (criterion, kind), rows in HUMAN.items()
        if kind is not None
        for system, row in rows.items()
        for number in range(3)
        for rater in range(max(1, raters))
    ]


def test_every_correction_is_tried() -> None:
    assert {setting.correction for setting in SETTINGS} == set(CORRECTIONS)
    assert (PAPER.data, PAPER.test, PAPER.correction) == ("averaged", "rank-sum", "none")


def test_the_number_of_values_is_what_the_data_say() -> None:
    few = [setting for setting in SETTINGS if setting.correction == "none"]
    found = {
        one.setting.data + one.setting.test: one
        for one in group_agreements(made(0), made(2), few)
        if one.part == ("grammar", "seen")
    }
    # The same values, twice and three times: the more, the fewer pairs are alike.
    shared = {name: len(alike(one.letters)) for name, one in found.items()}
    assert shared["averagedrank-sum"] >= shared["repeatedrank-sum"] >= shared["thricerank-sum"]
    assert found["singlerank-sum"].letters == found["repeatedrank-sum"].letters


def test_wrong_files_are_refused() -> None:
    with pytest.raises(DataError, match="no ratings of grammar"):
        group_agreements([], made(1))
    with pytest.raises(DataError, match="not of the paper's ten systems"):
        group_agreements([replace(one, system="T5") for one in made(0)], made(1))


@pytest.fixture(scope="module")
def found(data_dir: Path) -> list[GroupAgreement]:
    folder = data_dir / "webnlg2017" / "human"
    return group_agreements(
        read_ratings(folder / "all_data_final_averaged.csv"),
        read_ratings(folder / "all_data_final_scores_anonymised.csv"),
    )


@pytest.mark.data
def test_what_comes_out_of_the_released_judgments(found: list[GroupAgreement]) -> None:
    literal = {one.part: one.equal_pairs for one in found if one.setting == PAPER}
    assert sum(literal.values()) == 351
    assert [part for part, equal in literal.items() if equal == 45] == [("semantics", "seen")]
    nearest = best(found)
    assert {part for part, some in nearest.items() if some[0].equal} == {
        ("grammar", None),
        ("semantics", "seen"),
        ("fluency", "seen"),
    }
    assert {one.setting.data for one in nearest["grammar", None]} == {"repeated"}
    assert all(some[0].equal_pairs >= 42 for some in nearest.values())


@pytest.mark.data
def test_tables(found: list[GroupAgreement]) -> None:
    settings = settings_table(found)
    assert len(settings.rows) == len(SETTINGS) == 24
    assert settings.rows[0][-2:] == [351, 1]
    assert "of 24 settings" in best_table(found).title
    assert len(best_table(found).rows) == 9
