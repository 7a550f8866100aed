"""The shipped agreement with people equals that in docs/results.md."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest

from adequa.errors import DataError
from adequa.report.summary import read_people, unsure_words

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results.md"
ROWS = {
    ("esa", "WebNLG 2020"): "Pearson of `esa` with the ratings of 2020",
    ("esa_strict", "WebNLG 2020"): "The same for `esa_strict`",
    ("esa", "WebNLG 2017"): "Pearson of `esa` and `esa_strict` with Semantics, 2017",
    ("esa_strict", "WebNLG 2017"): "Pearson of `esa` and `esa_strict` with Semantics, 2017",
    ("similarity", "WebNLG 2020"): "`similarity` with the ratings of 2020",
    ("similarity", "WebNLG 2017"): "`similarity` with Semantics of 2017",
    ("nli", "WebNLG 2017"): "Spearman of the score with semantics",
}
MEAN = "Mean Spearman of `esa_strict` with the three"


@pytest.mark.parametrize("one", read_people(), ids=lambda one: f"{one.metric}-{one.criterion}")
def test_the_shipped_figures_are_those_of_the_results(one):
    start = MEAN if one.criterion == "mean of the three" else ROWS[one.metric, one.data]
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    (number,) = [place for place, line in enumerate(lines) if line.startswith(f"| {start}")]
    cells = [cell.strip() for cell in lines[number].strip("|").split("|")]
    printed = re.findall(r"(?<![\w.])0?(\.\d{3})\b", cells[2])
    for value in (one.pearson, one.spearman):
        assert value is None or f"{value:.3f}".lstrip("0") in printed, cells[2]
    if one.metric == "esa" and one.data == "WebNLG 2020":
        order = ["Correctness", "DataCoverage", "Relevance"]
        assert f"{one.pearson:.3f}".lstrip("0") == printed[order.index(one.criterion)]
    counts = re.findall(r"([\d,]+) (?:system )?texts", cells[0])
    assert one.texts is None or not counts or f"{one.texts:,}" in counts
    while cells[3] == "same":  # as in the row above
        number -= 1
        cells = [cell.strip() for cell in lines[number].strip("|").split("|")]
    assert one.command in cells[3]


def test_verdicts_without_a_confidence_are_counted_apart():
    def words(confidences, passed):
        system = SimpleNamespace(confidences=confidences, verdicts=Counter(OK=passed))
        return unsure_words(SimpleNamespace(shown=lambda: [(0, system)]))

    assert words([], 3) is None
    assert words([0.5, 0.9], 2) == "Of the OK verdicts, 50 % have a confidence below 0.8"
    told = "3 of 5 OK verdicts have no confidence; of the others, 50 % are below 0.8"
    assert words([0.5, 0.9], 5) == told


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "people.json"
    row = {"metric": "esa", "data": "ours", "criterion": "c", "texts": 9, "command": "adequa x"}
    path.write_text(json.dumps({"agreement": [{**row, "pearson": 0.5}]}))
    (one,) = read_people(path)
    assert (one.pearson, one.spearman, one.texts) == (0.5, None, 9)


@pytest.mark.parametrize(
    "written",
    ["[]", "{", '{"agreement": [3]}', '{"agreement": [{"metric": "esa"}]}', "\xff"],
)
def test_a_wrong_file_is_an_error_that_names_it(tmp_path, written):
    path = tmp_path / "people.json"
    path.write_bytes(written.encode("latin-1"))
    with pytest.raises(DataError, match=r"people\.json"):
        read_people(path)
    with pytest.raises(DataError, match="cannot be read"):
        read_people(tmp_path / "absent.json")


def test_no_correlation_is_beyond_one(tmp_path):
    shipped = json.loads((files("adequa.report") / "assets" / "people.json").read_text())
    shipped["agreement"][0]["pearson"] = 1.5
    path = tmp_path / "people.json"
    path.write_text(json.dumps(shipped))
    with pytest.raises(DataError, match="not a correlation"):
        read_people(path)
