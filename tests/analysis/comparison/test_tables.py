"""What people and machines read of a comparison."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from adequa.analysis.comparison import FORMATS, Comparison, compare, comparison_tables
from adequa.analysis.comparison import render_comparison as render
from adequa.errors import UnknownName

from .conftest import EDITS, PLAIN, WriteRun, result


@pytest.fixture
def run(write_run: WriteRun) -> Path:
    results = [
        result(
            system,
            number,
            {"good": (number % 7 + better) / 20, "ter": 10.0 * errors + number % 3},
            {"ter": (errors + number % 3, 10.0)},
            category=["Airport", "City"][number % 2],
        )
        for system, better, errors in (("worse_one", 0, 5.0), ("a&b|c", 6, 2.0), ("twin", 6, 2.0))
        for number in range(21)
    ]
    return write_run(results, metrics={"good": PLAIN, "ter": EDITS})


@pytest.fixture
def found(run: Path) -> Comparison:
    return compare([run], by="category")


def test_text_has_systems_best_first_with_letters(found: Comparison) -> None:
    lines = render(found).split("\n")
    assert lines[0] == "3 systems, value and its 95 % interval"
    assert lines[1].split() == ["system", "good", "↑", "ter", "↓"]
    assert lines[3].split()[:5] == ["a&b|c", "0.450", "±", "0.047", "a"]
    assert lines[5].split()[:5] == ["worse_one", "0.150", "±", "0.047", "b"]
    assert lines[5].split()[-1] == "b"
    assert "Systems that share a letter do not differ (p < 0.05): paired bootstrap" in lines[-1]


def test_text_has_the_pairs_with_the_better_system(found: Comparison) -> None:
    text = render(found)
    row = next(line for line in text.split("\n") if line.startswith("good    worse_one  a&b|c"))
    assert "-0.300" in row
    assert row.endswith("a&b|c")
    assert "Pairs by category" in text


def test_a_baseline_marks_what_differs(run: Path) -> None:
    text = render(compare([run], baseline="twin"))
    assert "A star marks systems that differ from twin" in text
    rows = text.split("\n")[3:6]
    assert [row.count("*") for row in rows] == [0, 0, 2]


def test_many_pairs_are_shown_when_asked_for(write_run: WriteRun) -> None:
    results = [
        result(f"S{system}", number, {"good": number / 10})
        for system in range(10)
        for number in range(3)
    ]
    found = compare([write_run(results)])
    assert [table.title for table in comparison_tables(found)] == [
        "10 systems, value and its 95 % interval"
    ]
    assert "45 pairs are not shown" in render(found)
    assert len(comparison_tables(found, every_pair=True)[1].rows) == 45
    assert "not shown" not in render(found, every_pair=True)


def test_texts_that_are_not_scorable_are_noted(write_run: WriteRun) -> None:
    scores = [0.1, 0.2, None, None]
    results = [result("A", number, {"good": score}) for number, score in enumerate(scores)]
    assert "Not scorable, and in no value: 2 texts of A by good." in render(
        compare([write_run(results)])
    )


def test_what_was_left_out_is_noted(write_run: WriteRun) -> None:
    results = [
        *(result("one", number, {"good": 0.5}) for number in range(6)),
        *(result("two", number, {"good": None if number == 3 else 0.5}) for number in range(4)),
    ]
    text = render(compare([write_run(results)]))
    assert "Left out of one against two by good: 2 items that are in one only." in text
    assert "Left out of one against two by good: 1 item that could not be scored in both." in text


def test_systems_without_a_common_item_have_no_empty_rows_but_a_remedy(
    write_run: WriteRun,
) -> None:
    results = [result(name, number, {"good": 0.5}) for number, name in enumerate("abab")]
    text = render(compare([write_run(results)]))
    assert "Pairs" not in text
    assert "Left out of" not in text
    assert "give the texts of both systems about the same data the same id." in text


@pytest.mark.parametrize(
    ("systems", "note"),
    [
        ("aabbcc", "a and b are not compared (nor are 2 more pairs): they have no item in common"),
        ("aabb", "a and b are not compared: they have no item in common"),
    ],
)
def test_pairs_that_are_not_compared_are_counted(
    write_run: WriteRun, systems: str, note: str
) -> None:
    results = [result(name, number, {"good": 0.5}) for number, name in enumerate(systems)]
    assert note in render(compare([write_run(results)]))


def test_one_more_pair_is_not_compared(write_run: WriteRun) -> None:
    places = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("c", 2), ("c", 3)]
    results = [result(name, number, {"good": 0.5}) for name, number in places]
    assert "are not compared (nor is 1 more pair): they" in render(compare([write_run(results)]))


def test_markdown_and_latex_escape_names(found: Comparison) -> None:
    markdown = render(found, "markdown")
    assert "| a&b\\|c | 0.450 ± 0.047 a" in markdown
    latex = render(found, "latex")
    assert r"a\&b\textbar{}c & 0.450 $\pm$ 0.047 a" in latex
    assert r"worse\_one" in latex
    assert latex.count(r"\toprule") == 4
    assert latex.split("\n")[-1].startswith("% Systems that share a letter")


def test_csv_holds_everything(found: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(render(found, "csv"))))
    assert len(rows) == 3 * (2 * 3 + 2 * 3), "overall and two slices, two metrics, three of each"
    values = [row for row in rows if not row["against"] and not row["slice"]]
    assert [row["system"] for row in values[:3]] == ["worse_one", "a&b|c", "twin"]
    assert float(values[0]["value"]) == pytest.approx(0.15)
    pair = next(row for row in rows if row["against"] == "twin" and row["metric"] == "ter")
    assert pair["system"] == "worse_one"
    assert float(pair["difference"]) == pytest.approx(30)
    assert pair["better"] == "twin"
    assert float(pair["corrected_p_bootstrap"]) <= 0.05


def test_json_holds_everything(found: Comparison) -> None:
    said = json.loads(render(found, "json"))
    assert said["values"]["good"]["worse_one"]["value"] == pytest.approx(0.15)
    assert said["groups"]["ter"] == {"worse_one": "b", "a&b|c": "a", "twin": "a"}
    assert said["metrics"]["ter"]["kind"] == "corpus"
    assert said["tests"] == {"bootstrap": {"n": 1000}}
    assert set(said["by"]["category"]) == {"Airport", "City"}
    assert len(said["by"]["category"]["City"]["pairs"]) == 6
    tie = next(
        pair for pair in said["pairs"] if (pair["system"], pair["against"]) == ("a&b|c", "twin")
    )
    assert tie["tests"]["bootstrap"]["p"] == 1
    assert tie["better"] is None
    assert tie["paired_d"] is None


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_takes_what_has_no_value(write_run: WriteRun, form: str) -> None:
    results = [result("one", 1, {"good": None}), result("two", 2, {"good": 0.5})]
    written = render(compare([write_run(results)], test="both"), form)
    assert "nan" not in written.lower().replace("nano", "")


def test_unknown_format(found: Comparison) -> None:
    with pytest.raises(UnknownName, match="markdown"):
        render(found, "html")
