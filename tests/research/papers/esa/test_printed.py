"""The transcription of the paper's numbers, by what must add up in them."""

from __future__ import annotations

import pytest

from research.papers.esa.printed import (
    CHECKED_SYSTEMS,
    CORRELATIONS,
    HALLUCINATIONS,
    SUBSETS,
    SYSTEMS,
    TABLE_NUMBERS,
    TEXTS,
)


@pytest.mark.parametrize("year", [2020, 2017])
def test_table_1_adds_up(year: int) -> None:
    for system, row in SYSTEMS[year].items():
        assert sum(row.counts) == row.at_least_one, system
        assert 100 * row.at_least_one / TEXTS[year] == pytest.approx(row.percent, abs=0.6), system
    order = [row.at_least_one for row in SYSTEMS[year].values()]
    assert order == sorted(order)
    ranks = sorted(row.bleu_rank for row in SYSTEMS[year].values())
    assert ranks == list(range(1, len(ranks) + 1))


def test_what_the_text_says_of_table_1() -> None:
    shares = [row.at_least_one / TEXTS[2020] for row in SYSTEMS[2020].values()]
    assert sum(shares) / len(shares) == pytest.approx(0.17, abs=0.005)
    assert (len(SYSTEMS[2020]), len(SYSTEMS[2017])) == (16, 9)


@pytest.mark.parametrize("year", [2020, 2017])
def test_table_4_adds_up(year: int) -> None:
    assert HALLUCINATIONS[year].keys() == SYSTEMS[year].keys()
    order = [row.texts for row in HALLUCINATIONS[year].values()]
    assert order == sorted(order)
    for system, row in HALLUCINATIONS[year].items():
        assert row.checked <= row.texts, system
        assert row.distinct <= row.texts, system
        assert 100 * row.texts / TEXTS[year] == pytest.approx(row.percent, abs=0.6), system


def test_the_correlations_are_all_there() -> None:
    numbers: list[int] = []
    for year, tables in CORRELATIONS.items():
        assert len(tables) == 3 * len(SUBSETS)
        assert {len(rows) for rows in tables.values()} == {14 if year == 2020 else 6}
        numbers += TABLE_NUMBERS[year].values()
        for rows in tables.values():
            assert all((value < 0) == (name == "TER") for name, value in rows.items())
    assert sorted(numbers) == [2, 3, *range(7, 23)]


def test_figures_of_the_running_text() -> None:
    printed = CORRELATIONS[2020]["pearson", "all"]
    assert [printed[name] for name in ("Correctness", "DataCoverage", "Relevance")] == [
        0.46,
        0.52,
        0.41,
    ]
    assert set(CHECKED_SYSTEMS) <= set(SYSTEMS[2020])
