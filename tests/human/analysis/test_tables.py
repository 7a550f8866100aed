"""An analysis as people and machines read it, and its pictures."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree as ET

import pytest

from adequa.data import Rating
from adequa.errors import UnknownName
from adequa.human.analysis import (
    FORMATS,
    Analysis,
    AnalysisSettings,
    analyse,
    analysis_pictures,
    analysis_tables,
    analysis_to_object,
    render_analysis,
)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    ratings = [
        Rating(f"Id{n}", system, rater, criterion, value + n % 2, meta={"size": n % 8})
        for system, value in (("good", 2), ("bad", 0))
        for n in range(16)
        for rater in ("ann", "bob")
        for criterion in ("fluency", "grammar/style")
        if not (criterion == "grammar/style" and n % 8 == 7)
    ]
    return analyse(ratings, by=["size"], settings=AnalysisSettings(n=40), excluded=["eve"])


def test_text(analysis: Analysis) -> None:
    said = render_analysis(analysis)
    first = said.splitlines()[:5]
    assert first[0] == "fluency"
    assert " ".join(first[1].split()) == (
        "system mean 95% interval median texts judgments rank group"
    )
    cells = first[3].split()
    assert (cells[:2], cells[5:]) == (["good", "2.50"], ["2.50", "16", "32", "1", "a"])
    assert "Without the raters eve." in said
    assert "p not corrected" in said


def test_many_values_stand_in_several_tables(analysis: Analysis) -> None:
    titles = [table.title for table in analysis_tables(analysis)]
    # Eight sizes are two tables; of the other criterion seven are.
    assert titles == [
        *("fluency", "grammar/style", "fluency by size", "fluency by size"),
        *("grammar/style by size", "grammar/style by size"),
    ]
    assert "7 (2)" in render_analysis(analysis)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_every_system(analysis: Analysis, form: str) -> None:
    said = render_analysis(analysis, form)
    assert "good" in said
    assert "bad" in said
    assert said == render_analysis(analysis, form)


def test_the_contract_of_json(analysis: Analysis) -> None:
    said = json.loads(render_analysis(analysis, "json"))
    assert said["means"]["fluency"] == {"good": 2.5, "bad": 0.5}
    assert said["groups"]["fluency"] == {"good": "a", "bad": "b"}
    assert set(said["by"]) == {"size"}
    assert list(said["by"]["size"]) == [str(size) for size in range(8)]
    assert said["by"]["size"]["1"]["means"]["fluency"] == {"good": 3, "bad": 1}
    assert set(said["by"]["size"]["1"]["groups"]["fluency"]) == {"good", "bad"}
    assert "grammar/style" not in said["by"]["size"]["7"]["means"], "nobody rated it"
    assert said["ranks"]["fluency"]["bad"] == {"rank": 2, "range": [2, 2]}
    assert said["counts"]["fluency"]["bad"] == {"texts": 16, "judgments": 32, "not_shown": 0}
    assert said["excluded"] == ["eve"]
    pair = said["pairs"]["fluency"][0]
    assert (pair["first"], pair["second"], pair["significant"]) == ("good", "bad", True)
    assert 0 < pair["p"] < 1e-4


def test_csv_has_one_row_per_system_criterion_and_part(analysis: Analysis) -> None:
    rows = list(csv.DictReader(io.StringIO(render_analysis(analysis, "csv"))))
    assert len(rows) == 2 * (2 + 8 + 7)
    assert (rows[0]["by"], rows[0]["value"], rows[0]["group"]) == ("", "", "a")
    assert (rows[-1]["by"], rows[-1]["value"], rows[-1]["system"]) == ("size", "7", "bad")


def test_an_unknown_format_is_an_error(analysis: Analysis) -> None:
    with pytest.raises(UnknownName, match="did you mean 'text'"):
        render_analysis(analysis, "tex")


def test_nothing_rounds_to_minus_zero() -> None:
    ratings = [Rating(str(n), "A", "ann", "z", value) for n, value in enumerate((-0.001, -0.002))]
    assert "-0.00" not in render_analysis(analyse(ratings))


def test_names_move_no_cursor() -> None:
    ratings = [
        Rating(str(n), "A\x1b[2J\n", "ann", "flu\tency", n, meta={"k": "x\x07"}) for n in (1, 2)
    ]
    found = analyse(ratings, by=["k"])
    said = render_analysis(found)
    assert all(line.isprintable() for line in said.splitlines())
    assert analysis_to_object(found)["systems"] == ["A\x1b[2J\n"]
    for picture in analysis_pictures(found).values():
        ET.fromstring(picture)


def test_a_picture_a_criterion_and_field(analysis: Analysis) -> None:
    pictures = analysis_pictures(analysis)
    assert list(pictures) == ["fluency-by-size", "grammar-style-by-size"]
    for picture in pictures.values():
        ET.fromstring(picture)
