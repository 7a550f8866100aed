"""The ESA paper's tables of correlations: as transcribed, and told again."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adequa.errors import DataError, SettingError
from research.papers.correlations.cells import Matrices, kind_of
from research.papers.correlations.data import (
    FILE,
    PAPER,
    CorrelationStudy,
    read_rated,
    score_study,
    without_references,
)
from research.papers.correlations.printed import CORRELATION_TABLES, ESA, NAMES
from research.papers.correlations.reproduction import reproduce_correlations
from research.papers.esa.printed import SUBSETS
from research.papers.section import counts


def test_every_table_is_whole() -> None:
    assert sorted(CORRELATION_TABLES) == [2, 3, *range(7, 23)]
    kinds = Counter((t.year, t.coefficient, t.subset) for t in CORRELATION_TABLES.values())
    assert len(kinds) == 18
    assert set(kinds.values()) == {1}
    for table in CORRELATION_TABLES.values():
        names = NAMES[table.year]
        assert len(table.cells) == len(names) * (len(names) - 1) / 2
        assert all(names.index(one) < names.index(other) for one, other in table.cells)
        assert table.subset in SUBSETS
        assert all(-1 < value < 1 for value in table.cells.values())
        # Only what TER is a side of is negative.
        assert {pair for pair, value in table.cells.items() if value < 0} == {
            pair for pair in table.cells if "TER" in pair
        }
    assert sum(len(table.cells) for table in CORRELATION_TABLES.values()) == 9 * 21 + 9 * 105


def test_single_cells_are_those_of_the_paper() -> None:
    for number, pair, value in (
        (2, ("BLEU", "METEOR"), 0.74),
        (2, ("Semantics", ESA), 0.66),
        (3, ("BERT-score P", "BLEURT"), 0.73),
        (11, ("METEOR", ESA), 0.58),
        (17, ("Fluency", "TextStructure"), 0.87),
        (22, ("TER", "DataCoverage"), -0.17),
    ):
        assert CORRELATION_TABLES[number].cells[pair] == value
    uncertain = {t.number: t.uncertain for t in CORRELATION_TABLES.values() if t.uncertain}
    assert uncertain == {
        20: {("TER", "TextStructure"), ("TER", ESA)},
        21: {("TER", "DataCoverage")},
        22: {("TER", "DataCoverage")},
    }


def test_tables_10_and_11_are_nearly_the_same() -> None:
    ten, eleven = CORRELATION_TABLES[10].cells, CORRELATION_TABLES[11].cells
    assert {pair for pair in ten if ten[pair] != eleven[pair]} == {("METEOR", ESA)}


def test_kinds_of_cells() -> None:
    assert kind_of(("Fluency", "Semantics")) == "human, human"
    assert kind_of(("BLEU", "TER")) == "metric, metric"
    assert kind_of(("Correctness", ESA)) == "with ESA"


def _study(**columns: list[float | None]) -> CorrelationStudy:
    every = {name: columns.get(name, [None] * 5) for name in NAMES[2017]}
    places = range(5)
    subsets = {name: places for one in SUBSETS for name in (one, without_references(one))}
    return CorrelationStudy(
        2017, {FILE: every}, subsets, 0, ["Id1", "Id1", "Id2", "Id3", "Id4"], [], {}, ""
    )


def test_cells_are_compared_and_what_has_no_values_is_n_a() -> None:
    study = _study(BLEU=[1, 2, 3, 4, None], METEOR=[1, 2, 3, 5, 1], TER=[1, 1, 1, 1, 1])
    cells = {cell.pair: cell for cell in Matrices(study, n=50).compare(CORRELATION_TABLES[9])}
    found = cells["BLEU", "METEOR"]
    assert found.ours is not None
    assert (found.ours.pairs, found.mark) == (4, "different")
    assert found.interval is not None
    assert found.inside == (found.interval[0] <= 0.845)
    assert {cell.mark for pair, cell in cells.items() if pair != ("BLEU", "METEOR")} == {"n/a"}
    assert cells["BLEU", "TER"].inside is None


def test_a_small_corpus(challenges: Path, tmp_path: Path) -> None:
    reproduction = reproduce_correlations(challenges)
    years: Any = reproduction.as_object()["years"]
    assert [row["table"] for row in years["2017"]["summary"]["rows"]] == [
        2, 7, 8, 9, 10, 10, 11, 12, 13, 14,
    ]  # fmt: skip
    assert "the paper's BLEU of 2017" in years["2017"]["absent"][-1]
    cells = years["2020"]["table17"]["rows"]
    assert len(cells) == 105
    marks = {(cell["first"], cell["second"]): cell["mark"] for cell in cells}
    assert marks["BERT-score P", "BERT-score R"] == "n/a"
    assert marks["Correctness", "Fluency"] == "different"  # the same ratings
    assert "Table 17, 2020: Pearson, all texts, 12 texts (paper 2,848)" in reproduction.text()
    written = reproduction.write(tmp_path / "pictures")
    assert len(written) == 18
    picture = written[0].read_text(encoding="utf-8")
    assert ET.fromstring(picture).tag.endswith("svg")
    assert reproduce_correlations(challenges).as_object() == reproduction.as_object()


def test_wrong_use(challenges: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        reproduce_correlations(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"has no rated texts: everything of 2020"):
        reproduce_correlations(tmp_path / "empty")
    with pytest.raises(SettingError, match="detector"):
        reproduce_correlations(challenges, detection={"detector": "magic"})
    names = tmp_path / "names.tsv"
    names.write_text("Elsewhere\tNowhere\n", encoding="utf-8")
    with pytest.raises(SettingError, match="has no alias for any of the"):
        reproduce_correlations(challenges, detection={"aliases": names})
    human = challenges / "webnlg2017" / "human"
    (human / "sample-ids.txt").write_text("1\n2\n3\n4\n", encoding="utf-8")
    (human / "gold-sample-reference0.lex").write_text("one\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 references for the 4 ids"):
        reproduce_correlations(challenges, [2017])


@pytest.mark.data
def test_tables_9_to_11_come_out(data_dir: Path) -> None:
    """Cells without ESA do not depend on the detector: all 15, and 14 of 15 twice, are equal."""
    study = score_study(read_rated(data_dir, 2017), {}, lambda *_: None)
    assert study.reading == PAPER
    matrices = Matrices(study)

    def marks(number: int, **how: str) -> dict[str, int]:
        cells = matrices.compare(CORRELATION_TABLES[number], **how)
        return counts(cell.mark for cell in cells if ESA not in cell.pair)

    assert marks(9) == {"equal": 15, "close": 0, "different": 0, "n/a": 0}
    assert marks(11) == marks(10, coefficient="kendall")
    assert marks(11) == {"equal": 14, "close": 1, "different": 0, "n/a": 0}
    assert marks(10)["different"] == 15
    assert marks(9, reading=FILE)["equal"] == 9
    assert marks(9, subset=without_references("all"))["equal"] == 0
    with_esa = matrices.compare(CORRELATION_TABLES[9])
    assert {cell.mark for cell in with_esa} == {"equal", "close"}
