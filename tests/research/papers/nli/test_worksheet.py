"""Worksheets of errors: drawn, read with their texts, and summarised when filled."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.data import Finding, Item, Triple
from adequa.errors import DataError
from adequa.metrics import load_metric
from research.papers.nli.data import JudgedText, NliCorpus, Rule
from research.papers.nli.setups import Answer, ScoredSetup, Setup
from research.papers.nli.worksheet import (
    COLUMNS,
    JUDGMENTS,
    Sheet,
    read_cases,
    summarise_worksheet,
    worksheet,
)

TRIPLES = (Triple("The Reed", "eatType", "pub"), Triple("The Reed", "area", "riverside"))
TEXT = "The Reed is a bar."


def _judged(count: int) -> list[JudgedText]:
    errors = {"added": 0, "missing": 0, "valerr": 0, "repeated": 0}
    return [
        JudgedText(Item(str(number), TRIPLES, TEXT, "one"), errors=errors)
        for number in range(1, count + 1)
    ]


def _corpus(count: int) -> NliCorpus:
    return NliCorpus("e2e", "E2E", [Rule("no slot error")], _judged(count))


def _scored(*answers: Answer) -> ScoredSetup:
    return ScoredSetup(
        Setup("templates", "templates", load_metric("nli", templates="e2e")), answers
    )


FINE = Answer(0.9, "OK")
WRONG = Answer(
    0.25,
    "hallucination+omission",
    (
        Finding("nli", "omission", "missing", "why", TRIPLES[1], confidence=0.8),
        Finding("nli", "hallucination", "contradicted", "why", TRIPLES[0], None, 14, 17, 0.9),
    ),
)


def test_a_sheet_has_errors_and_no_texts() -> None:
    text = worksheet(_corpus(3), _scored(FINE, WRONG, Answer(None, None)), Sheet())
    header, row = [line.split("\t") for line in text.splitlines()]
    assert tuple(header) == COLUMNS
    cells = dict(zip(header, row, strict=True))
    assert (cells["system"], cells["id"], cells["dataset"]) == ("one", "2", "e2e")
    assert (cells["gold"], cells["gold says"]) == ("no slot errors", "OK")
    assert (cells["metric says"], cells["score"]) == ("hallucination+omission", "0.250")
    assert cells["findings"] == "fact 2 missing; 14-17 contradicted"
    assert cells["judgment"] == cells["why"] == ""
    assert "Reed" not in text
    assert "bar" not in text


def test_the_draw() -> None:
    corpus = _corpus(40)
    everything = worksheet(corpus, _scored(*[WRONG] * 40), Sheet(count=10))
    assert everything == worksheet(corpus, _scored(*[WRONG] * 40), Sheet(count=10))
    assert everything != worksheet(corpus, _scored(*[WRONG] * 40), Sheet(count=10, seed=1))
    drawn = everything.splitlines()[1:]
    assert len(drawn) == 10
    # With one error less, the others stay and the next one joins.
    gone = int(drawn[0].split("\t")[3])
    answers = [FINE if number == gone else WRONG for number in range(1, 41)]
    fewer = worksheet(corpus, _scored(*answers), Sheet(count=10)).splitlines()[1:]
    assert fewer[:9] == drawn[1:]


def _filled(path: Path, *rows: tuple[str, str, str, str, str, str]) -> Path:
    """A sheet of rows of dataset, id, gold says, metric says, judgment and why."""
    lines = ["\t".join(COLUMNS)]
    for dataset, identifier, gold, metric, judgment, why in rows:
        place = [dataset, "templates", "one", identifier, "no slot errors"]
        lines.append("\t".join([*place, gold, metric, "0.5", "14-17 unsupported", judgment, why]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_filled_sheet(tmp_path: Path) -> None:
    path = _filled(
        tmp_path / "filled.tsv",
        ("e2e", "1", "OK", "omission", "metric right", "script: it takes a bar for a pub"),
        ("e2e", "2", "OK", "omission", " People  right ", "value"),
        ("e2e", "3", "not_OK", "OK", "metric right", "script: another"),
        ("e2e", "4", "not_OK", "OK", "unclear", ""),
        ("e2e", "5", "not_OK", "OK", "", ""),
        ("webnlg", "Id1", "not_OK", "OK", "metric right", "grammar"),
    )
    section = summarise_worksheet(path)
    rows = {(row["data set"], row["errors"]): row for row in section.tables[0].json_rows()}
    all_ = rows["e2e", "all"]
    assert [all_[name] for name in (*JUDGMENTS, "not judged")] == [2, 1, 1, 1]
    assert all_["% metric right"] == pytest.approx(50)
    assert all_["paper's %"] == 45
    assert rows["e2e", "gold OK, metric omission"]["% metric right"] == pytest.approx(50)
    assert rows["webnlg", "all"]["paper's %"] == 42
    reasons = {row["why"]: row["metric right"] for row in section.tables[1].json_rows()}
    assert reasons == {"script": 2, "value": 0, "grammar": 1}
    assert "Summary of filled.tsv" in section.text()


def test_a_sheet_with_its_texts(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "e2e" / "systems"
    folder.mkdir(parents=True)
    (folder / "one.tsv").write_text(
        "MR\toutput\tadded\tmissing\tvalerr\trepeated\n"
        f"name[The Reed], eatType[pub], area[riverside]\t{TEXT}\t0\t0\t0\t0\n",
        encoding="utf-8",
    )
    path = _filled(
        tmp_path / "sheet.tsv", ("e2e", "1", "OK", "omission", "metric right", "value: a bar")
    )
    (case,) = read_cases(path, tmp_path / "data")
    assert case.words == ["bar"]
    shown = case.text()
    for part in ("e2e one 1", "1. The Reed | eatType | pub", TEXT, "metric right: value: a bar"):
        assert part in shown
    assert case.as_object()["text"] == TEXT
    _filled(path, ("e2e", "9", "OK", "omission", "", ""))
    with pytest.raises(DataError, match=r"sheet\.tsv:2: there is no text '9' of 'one'"):
        read_cases(path, tmp_path / "data")


def test_wrong_sheets(tmp_path: Path) -> None:
    path = _filled(tmp_path / "sheet.tsv", ("e2e", "1", "OK", "omission", "maybe", ""))
    with pytest.raises(DataError, match=r"sheet\.tsv:2: the judgment is 'maybe'"):
        summarise_worksheet(path)
    _filled(path, ("dart", "1", "OK", "omission", "", ""))
    with pytest.raises(DataError, match=r"sheet\.tsv:2: the data set is 'dart'"):
        summarise_worksheet(path)
    path.write_text("system\tid\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no column 'dataset'"):
        summarise_worksheet(path)
