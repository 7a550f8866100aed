from __future__ import annotations

from pathlib import Path

import pytest

from adequa.data import Finding, Item, Result, Triple
from adequa.errors import DataError
from adequa.readers import open_source
from bench.nli_quintd import READING, agree, everything, judged, read_marks

ITEM = Item("1", (Triple("Vexla", "harbour", "Ostrik"),), "Vexla is old.", "good")
OTHER = Item("2", ITEM.triples, "Its harbour is Ostrik.", "good")
MARKS = {ITEM.key: [(9, 12)], OTHER.key: []}


def result(item: Item, *findings: Finding) -> Result:
    verdict = "hallucination" if findings else "OK"
    return Result(item, {}, findings=findings, verdict=verdict)  # type: ignore[arg-type]


def test_findings_against_marks() -> None:
    sure = Finding("nli", "hallucination", "unsupported", "", start=6, end=12, confidence=0.7)
    bare = Finding("esa", "hallucination", "unexplained name", "", start=0, end=5)
    missing = Finding("nli", "omission", "missing", "", ITEM.triples[0], confidence=0.9)
    texts = [judged(result(ITEM, sure, bare, missing)), judged(result(OTHER))]
    assert texts[0].signal == pytest.approx(1.7)
    assert texts[0].spans == ((6, 12), (0, 5))
    found = agree(texts, MARKS)
    assert (found.accuracy, found.area, found.recall) == (1.0, 1.0, 1.0)
    assert found.precision == pytest.approx(3 / 11)
    assert found.f1 == pytest.approx(6 / 14)


def test_an_omission_alone_flags_nothing() -> None:
    one = Result(ITEM, {}, verdict="omission")
    assert not judged(one).flagged


def test_every_character_is_the_baseline() -> None:
    found = agree([everything(ITEM), everything(OTHER)], MARKS)
    assert (found.accuracy, found.area, found.recall) == (0.5, 0.5, 1.0)
    assert found.precision == pytest.approx(3 / (len(ITEM.text) + len(OTHER.text)))


def test_a_text_that_nobody_read_is_an_error() -> None:
    with pytest.raises(KeyError):
        agree([everything(ITEM)], {})


def test_a_wrong_mark_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "marks.tsv"
    path.write_text("system\tid\tstart\tend\tkind\ngood\t1\t\t\t\ngood\t2\t3\t9\todd\n")
    with pytest.raises(DataError, match=r"marks\.tsv.*3.*odd"):
        read_marks(path)


def test_the_reading_fits_the_texts(data_dir: Path) -> None:
    texts = {item.key: item.text for item in open_source(data_dir / "quintd/wikidata-dev.jsonl")}
    marks = read_marks(READING)
    assert marks.keys() == texts.keys()
    for key, spans in marks.items():
        assert spans == sorted(spans)
        for start, end in spans:
            assert 0 <= start < end <= len(texts[key])
            assert texts[key][start:end] == texts[key][start:end].strip()
