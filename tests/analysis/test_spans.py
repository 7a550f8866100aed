"""Error spans against people's: figures of small cases by hand, and the public data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adequa.analysis import compare_spans, render_spans
from adequa.analysis.spans import EVERYTHING, NOTHING, PEOPLE, marking_of, spans_to_object
from adequa.data import Finding, Item, Result, Triple
from adequa.errors import DataError, SettingError, UnknownName

TEXTS = {"1": "abcdefghij", "2": "klmnopqrst", "3": "uvwxyz"}
Spans = Sequence[tuple[int, int]]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(identifier: str, spans: Spans, **more: Any) -> dict[str, Any]:
    marks = [{"start": start, "end": end, "type": "t"} for start, end in spans]
    return {"id": identifier, "system": "S", "spans": marks, **more}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Two people: the first text is wrong for both, the second for one, the third for none."""
    marked: dict[str, dict[str, Spans]] = {
        "ann": {"1": [(0, 4)], "2": [(0, 2), (8, 10)], "3": []},
        "bob": {"1": [(2, 6)], "2": []},
    }
    rows = [
        row(identifier, spans, annotator=person, text=TEXTS[identifier], domain=f"d{identifier}")
        for person, texts in marked.items()
        for identifier, spans in texts.items()
    ]
    return write(tmp_path / "gold.jsonl", rows)


@pytest.fixture
def detector(tmp_path: Path) -> Path:
    return write(tmp_path / "found.jsonl", [row("1", [(3, 5)]), row("2", []), row("3", [(0, 1)])])


def test_figures_by_hand(gold: Path, detector: Path) -> None:
    study = compare_spans([detector], [gold], n=50)
    found = {one.detector: one for one in study.overall}
    ours = found["found"]
    assert (ours.pairs, ours.texts, ours.records) == (5, 3, 3)
    assert (ours.spans, ours.marked) == (3, 4)
    values = {name: estimate.value for name, estimate in ours.figures.items()}
    # Pairs: 1/ann 1 of 2 and 4, 1/bob 2 of 2 and 4, 2/ann 0 of 0 and 4, 2/bob none, 3/ann 0 of 1.
    assert values["precision"] == pytest.approx(3 / 5)
    assert values["recall"] == pytest.approx(3 / 12)
    assert values["f1"] == pytest.approx(6 / 17)
    assert values["mean_f1"] == pytest.approx((2 / 6 + 4 / 6 + 0 + 1 + 0) / 5)
    assert values["span_precision"] == pytest.approx(2 / 3)
    assert values["span_recall"] == pytest.approx(2 / 4)
    assert values["accuracy"] == pytest.approx(3 / 5)
    # Scores 1, 1, 0 where people marked something; 0 and 1 where not.
    assert values["auc"] == pytest.approx((2 * (1 + 0.5) + 0.5) / 6)
    assert values["kappa"] == pytest.approx((3 / 5 - 13 / 25) / (1 - 13 / 25))


def test_people_are_compared_in_both_directions(gold: Path) -> None:
    (people, everything, nothing) = compare_spans([], [gold], n=50).overall
    assert (people.detector, people.pairs, people.texts) == (PEOPLE, 4, 2)
    assert people.figures["f1"].value == pytest.approx(2 * 2 / 12)
    assert people.figures["precision"].value == people.figures["recall"].value
    assert people.figures["accuracy"].value == 0.5
    assert everything.detector == EVERYTHING
    assert everything.figures["recall"].value == 1
    assert everything.figures["kappa"].value == 0
    assert nothing.detector == NOTHING
    assert nothing.figures["precision"].value is None
    assert nothing.figures["recall"].value == 0


def test_groups_and_types(gold: Path, detector: Path) -> None:
    raw = spans_to_object(compare_spans([detector], [gold], n=50))
    assert set(raw["by"]) == {"annotator", "domain"}  # one system: nothing to compare
    assert raw["by"]["annotator"]["found"]["bob"]["recall"]["value"] == 0.5
    assert raw["by"]["domain"]["found"]["d3"]["accuracy"]["value"] == 0
    assert raw["types"]["found"]["found"]["t"] == {
        "spans": 4,
        "characters": 12,
        "by_span": 0.5,
        "by_character": 0.25,
    }
    assert raw["types"]["right"]["found"]["t"]["by_span"] == pytest.approx(2 / 3)
    assert json.dumps(raw, allow_nan=False)


def test_all_detectors_are_compared_on_the_same_texts(
    gold: Path, detector: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other.jsonl", [row("1", []), row("9", [])])
    study = compare_spans([detector, other], [gold], n=20)
    assert {one.texts for one in study.overall} == {1}
    assert study.notes == (
        "other: texts that no person marked are left out: 1",
        "texts of people that a detector did not read are left out: 2",
    )


def test_texts_without_ids_are_found_by_their_text(gold: Path, tmp_path: Path) -> None:
    rows = [{"answer": text, "predictions": [{"start": 0, "end": 1}]} for text in TEXTS.values()]
    study = compare_spans([write(tmp_path / "lettuce.jsonl", rows)], [gold], n=20)
    assert study.overall[0].texts == 3


def test_texts_with_other_ids_are_found_by_their_text(gold: Path, tmp_path: Path) -> None:
    rows = [{"id": f"x{key}", "text": text, "spans": []} for key, text in TEXTS.items()]
    study = compare_spans([write(tmp_path / "other.jsonl", rows)], [gold], n=20)
    assert study.overall[0].texts == 3


def test_what_does_not_fit_is_reported(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it has '9' of 'S', the people '1' of 'S'"):
        compare_spans([write(tmp_path / "a.jsonl", [row("9", [])])], [gold])
    changed = write(tmp_path / "b.jsonl", [row("1", [], text="other words")])
    with pytest.raises(DataError, match="the text '1' of 'S' differs between two files"):
        compare_spans([changed], [gold])
    beyond = write(tmp_path / "c.jsonl", [row("1", [(8, 11)])])
    with pytest.raises(DataError, match="a span of a detector ends after the 10 characters"):
        compare_spans([beyond], [gold])
    with pytest.raises(SettingError, match="name their file with gold="):
        compare_spans([changed], [])
    with pytest.raises(UnknownName, match="unknown group"):
        compare_spans([], [gold], by=["colour"])


def test_errors_name_every_span(gold: Path, detector: Path) -> None:
    errors = compare_spans([detector], [gold], with_errors=True, n=20).errors
    outcomes = [(one.id, one.annotator, one.outcome, one.words) for one in errors]
    assert ("1", "ann", "right", "de") in outcomes
    assert ("1", "bob", "found", "cdef") in outcomes
    assert ("2", "ann", "miss", "kl") in outcomes
    assert ("3", "ann", "false alarm", "u") in outcomes
    assert len(outcomes) == 3 + 4


def test_intervals_are_over_records(gold: Path, detector: Path) -> None:
    first, again = (compare_spans([detector], [gold], n=200, seed=3) for _ in range(2))
    assert first == again
    low, high = first.overall[0].figures["f1"].interval or (1, 0)
    assert 0 <= low < 6 / 17 < high <= 1
    assert "F1 [95 %]" in render_spans(first)


def finding(kind: Any, detail: str, start: int | None = None, **more: Any) -> Finding:
    end = None if start is None else start + 2
    return Finding("esa", kind, detail, "why", start=start, end=end, **more)


def result(verdict: Any, *findings: Finding) -> Result:
    item = Item("1", (Triple("s", "p", "o"),), "abcdef", "S")
    return Result(item, {}, findings=findings, verdicts={"esa": verdict}, verdict=verdict)


def test_findings_of_a_run_as_spans() -> None:
    placed = finding("hallucination", "contradicted", 1, confidence=0.5)
    nowhere = finding("hallucination", "unsupported")
    left_out = finding("omission", "missing", 3)
    one = marking_of(result("hallucination+omission", placed, nowhere, left_out))
    assert [(span.start, span.end, span.type) for span in one.spans] == [(1, 3, "contradicted")]
    assert one.is_flagged
    assert one.signal == 1.5


def test_a_finding_without_a_place_flags_the_text() -> None:
    one = marking_of(result("hallucination", finding("hallucination", "unsupported")))
    assert one.spans == ()
    assert one.is_flagged


def test_omissions_never_mark_a_span() -> None:
    only = result("omission", finding("omission", "missing", 3))
    assert not marking_of(only).is_flagged
    chosen = marking_of(only, kinds=("hallucination", "omission"))
    assert chosen.is_flagged
    assert chosen.spans == ()


def test_kinds_and_metrics_choose_findings() -> None:
    two = result(
        "hallucination",
        finding("hallucination", "contradicted", 0),
        finding("hallucination", "unsupported", 3),
    )
    assert len(marking_of(two, kinds=("contradicted",)).spans) == 1
    assert len(marking_of(two, metric="esa").spans) == 2
    assert not marking_of(two, metric="nli").is_flagged


def test_one_person_against_another_on_the_public_half(data_dir: Path) -> None:
    """The figures of docs/spans.md; the kept half has .638 and .367."""
    people = compare_spans([], [data_dir / "d2t-eval"], by=["domain"], n=100).overall[0]
    assert (people.texts, people.pairs) == (237, 474)
    assert people.figures["accuracy"].value == pytest.approx(0.637, abs=5e-4)
    assert people.figures["f1"].value == pytest.approx(0.409, abs=5e-4)
    assert people.figures["mean_f1"].value == pytest.approx(0.358, abs=5e-4)
