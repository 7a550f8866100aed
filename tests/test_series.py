"""Line charts: well formed, complete, told apart without colour."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.charts import _apart, series_chart

SVG = "{http://www.w3.org/2000/svg}"
Lines = Mapping[str, Sequence[tuple[str, float | None]]]
LINES: Lines = {
    "good": [("1", 2.8), ("2", 2.7), ("3", 2.6)],
    "fair": [("1", 2.5), ("2", None), ("3", 2.59)],
    "none": [("1", None), ("2", None), ("3", None)],
    "late": [("3", 1.1)],
}


def chart(lines: Lines, **more: float) -> ET.Element:
    drawn = series_chart(lines, title="Fluency", x_label="triples", y_label="mean", **more)
    return ET.fromstring(drawn)


def texts(picture: ET.Element) -> list[str]:
    return [one.text or "" for one in picture.iter(f"{SVG}text")]


def test_every_line_has_a_name_and_every_place_a_tick() -> None:
    said = texts(chart(LINES))
    assert {"Fluency", "triples", "mean", "1", "2", "3"} <= set(said)
    assert {"good 2.60", "fair 2.59", "late 1.10"} <= set(said)
    assert not any(one.startswith("none") for one in said), "a line without a value is not drawn"


def test_a_gap_stays_a_gap() -> None:
    # Of `fair` the two values are not joined over the missing one; `late` is a point.
    assert len(list(chart(LINES).iter(f"{SVG}polyline"))) == 1


def test_lines_differ_in_more_than_colour() -> None:
    many = {f"system {number}": [("1", 1.0 + number), ("2", 2.0)] for number in range(12)}
    groups = [one for one in chart(many).iter(f"{SVG}g") if one.find(f"{SVG}title") is not None]
    looks = set()
    for group in groups:
        path = group.find(f"{SVG}path")
        assert path is not None
        looks.add((path.get("d"), path.get("fill") in ("white", "none")))
    assert len(looks) == len(groups) == 12


def test_the_axis_holds_what_is_asked_and_what_is_there() -> None:
    said = texts(chart(LINES, low=1, high=3))
    assert {"1.0", "3.0"} <= set(said)
    flat = chart({"A": [("1", 2.0)]})
    assert "A 2.00" in texts(flat)


@given(st.lists(st.floats(60, 440), max_size=12))
def test_names_never_overlap(heights: list[float]) -> None:
    placed = _apart(sorted(heights))
    assert len(placed) == len(heights)
    assert all(after - before >= 18 - 1e-6 for before, after in pairwise(placed))


def test_the_same_numbers_give_the_same_bytes() -> None:
    first = series_chart(LINES, title="t", x_label="x", y_label="y")
    assert first == series_chart(LINES, title="t", x_label="x", y_label="y")


def test_names_are_escaped() -> None:
    drawn = series_chart(
        {
            "<script>alert(1)</script>": [("<b>", 1.0), ("&\x00\ud800", 2.0)],
            "\x1b[2J": [("1", 1.0)],
        },
        title="<i>\x07",
        x_label="&",
        y_label='"',
    )
    ET.fromstring(drawn)
    assert not re.search("<(script|b|i)>", drawn)


@pytest.mark.parametrize("lines", [{}, {"A": []}, {"A": [("1", None)]}])
def test_nothing_to_draw_is_refused(lines: Lines) -> None:
    with pytest.raises(ValueError, match="at least one value"):
        series_chart(lines, title="", x_label="", y_label="")


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        series_chart({"A": [("1", float("nan"))]}, title="", x_label="", y_label="")
