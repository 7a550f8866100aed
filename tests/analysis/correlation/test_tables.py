"""A study as people and machines read it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from adequa.analysis.correlation import (
    FORMATS,
    Options,
    Study,
    correlate,
)
from adequa.analysis.correlation import draw_matrices as draw
from adequa.analysis.correlation import render_study as render
from adequa.analysis.correlation import study_to_object as to_object
from adequa.analysis.correlation.agreement import LEVELS
from adequa.errors import DataError, UnknownName

from .conftest import campaign


@pytest.fixture
def study(write: Callable[..., Path]) -> Study:
    ratings, scores = campaign()
    return correlate(
        [],
        [write("r.jsonl", ratings)],
        scores=[write("s.jsonl", scores)],
        options=Options(levels=LEVELS, n=100),
        against="bad",
        lower_is_better=["errors"],
        with_matrix=True,
        ranking=True,
    )


def test_criteria_across_and_metrics_down(study: Study) -> None:
    shown = render(study, "text").split("\n\n")
    title, heading, _, *rows = shown[0].splitlines()
    assert title == "Pearson, texts of all systems in one pool (n = 60; [95% interval])"
    assert heading.split() == ["metric", "fluency", "semantics"]
    assert [row.split()[0] for row in rows] == ["good", "bad", "errors", "one"]
    good = next(one for one in study.results if one.metric == "good")
    low, high = good.interval or (0.0, 0.0)
    assert f"{good.value:.3f}* [{low:.2f}, {high:.2f}]" in rows[0]
    assert "*" not in rows[1]
    assert "*" not in rows[3]


def test_every_part_is_shown(study: Study) -> None:
    shown = render(study, "text")
    for words in (
        "Spearman, over the systems of each input, then averaged",
        "Pairwise accuracy (acc_eq, ε calibrated on these ratings)",
        "Soft pairwise accuracy, systems by their means (n = 5)",
        "Pearson with the mean of all raters but one",
        "Against bad: Pearson",
        "p PERM-BOTH",
        "p Williams",
        "All pairs of metrics and criteria: Spearman, systems by their means",
        "Systems by good (mean): Kendall between both rankings",
        "note: one rater: one rater with the mean of the others, over 180 pairs",
        "note: errors: lower is better",
    ):
        assert words in shown
    assert " nan" not in shown
    assert "None" not in shown


@pytest.mark.parametrize("form", FORMATS)
def test_forms(study: Study, form: str) -> None:
    shown = render(study, form)
    assert shown == render(study, form)
    if form == "latex":
        assert shown.count(r"\begin{table}") == shown.count(r"\end{table}") > 5
    if form == "markdown":
        assert "| metric | fluency | semantics |" in shown
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(shown)))
        assert {row["part"] for row in rows} == {
            "result",
            "ceiling",
            "same_footing",
            "matrix",
            "comparison",
            "ranking",
        }
        assert float(rows[0]["value"]) == pytest.approx(study.results[0].value, abs=1e-6)
    with pytest.raises(UnknownName, match="markdown"):
        render(study, "html")


def test_json(study: Study) -> None:
    found = json.loads(json.dumps(to_object(study), allow_nan=False))
    assert found["n"] == 60
    first = found["results"][0]
    assert list(first)[:10] == [
        "metric",
        "criterion",
        "level",
        "coefficient",
        "subset",
        "value",
        "low",
        "high",
        "p",
        "n",
    ]
    assert 0 < first["p"] < 1e-6  # a tiny p is not zero
    assert {row["criterion"] for row in found["ceiling"]} == {"fluency", "semantics"}
    assert found["comparisons"][0]["against"] == "bad"
    assert found["ranking"][0]["systems"][0]["sample_rank"] == 1
    assert found["matrix"]
    assert found["notes"]


def test_heat_maps(study: Study, tmp_path: Path) -> None:
    written = draw(study, tmp_path / "new" / "pictures")
    assert len(written) == len(LEVELS) * 2
    assert written[0].name == "pearson-text-all.svg"
    picture = written[0].read_text(encoding="utf-8")
    assert ET.fromstring(picture).tag.endswith("svg")
    assert picture.count('class="cell"') == 5 * 6 // 2
    assert "good, bad" not in picture  # the lower triangle
    assert "bad, good" in picture
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be written"):
        draw(study, tmp_path / "file")
