"""The transcribed tables of paper 004, and the means of the released judgments beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.human.judgments import averaged
from adequa.readers.ratings import read_ratings
from research.papers.human.printed import CRITERIA, HUMAN, METRICS, PARTS, SAMPLE, alike

SYSTEMS = {
    *("ADAPT", "Baseline", "Melbourne", "PKUWriter", "Tilburg-NMT", "Tilburg-Pipeline"),
    *("Tilburg-SMT", "UIT-VNU-HCM", "UPF-FORGe", "reference"),
}


def test_every_ranking_has_every_system_in_order() -> None:
    assert set(HUMAN) == {(criterion, part) for criterion in CRITERIA for part in PARTS}
    for rows in HUMAN.values():
        assert set(rows) == SYSTEMS
        means = [row.mean for row in rows.values()]
        assert means == sorted(means, reverse=True)
        letters = "".join("".join(sorted(row.group)) for row in rows.values())
        assert sorted(set(letters)) == list(dict.fromkeys(sorted(letters)))
        assert next(iter(rows.values())).group == "a"


def test_metrics_have_all_but_the_references() -> None:
    for name, rows in METRICS.items():
        assert set(rows) == SYSTEMS - {"reference"}
        values = [row.value for row in rows.values()]
        assert values == sorted(values, reverse=name != "ter")
        assert all(1 <= row.low <= row.high <= 9 for row in rows.values())


def test_pairs_that_share_a_letter() -> None:
    groups = {"A": "a", "B": "cb", "C": "c"}
    assert alike(groups) == {frozenset("BC")}


@pytest.mark.data
def test_all_90_means_are_the_papers(data_dir: Path) -> None:
    ratings = list(read_ratings(data_dir / "webnlg2017" / "human" / "all_data_final_averaged.csv"))
    kinds = {(one.system, one.id): one.meta["type"] for one in ratings}
    compared = 0
    for (criterion, part), rows in HUMAN.items():
        texts = averaged(ratings)[criterion]
        for system, row in rows.items():
            values = [
                value
                for key, value in texts.items()
                if key[0] == system and part in (None, kinds[key])
            ]
            assert len(values) == SAMPLE or part is not None
            # Half of a hundredth, and a little for a tie in rounding.
            assert abs(sum(values) / len(values) - row.mean) <= 0.005 + 1e-9, (criterion, system)
            compared += 1
    assert compared == 90
