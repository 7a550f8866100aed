"""The pictures of paper 003: what is drawn, and where."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from research.papers.joint.pictures import Bar, bars, histograms, scatter, violins

_NAME = "{http://www.w3.org/2000/svg}"


def _numbers(svg: str, element: str, attribute: str) -> list[float]:
    return [
        float(one.attrib[attribute])
        for one in ET.fromstring(svg).iter(_NAME + element)
        if attribute in one.attrib
    ]


def _words(svg: str) -> set[str]:
    return {one.text or "" for one in ET.fromstring(svg).iter(f"{_NAME}text")}


def test_histograms() -> None:
    svg = histograms({"A & B": [0.1] * 9 + [0.9], "other": [0.5]}, "title <1>", "cosine")
    heights = _numbers(svg, "rect", "height")[1:]
    assert len(heights) == 3
    assert heights[0] == pytest.approx(9 * heights[1], abs=0.5)
    assert {"A & B (10)", "other (1)", "title <1>", "cosine"} <= _words(svg)


def test_violins_say_how_many_are_not_above_zero() -> None:
    svg = violins({"one": [0.5, 0.6, 0.7, -0.2], "same": [0.0, 0.0]}, "t", "difference")
    assert {"25.0% not above 0", "100.0% not above 0"} <= _words(svg)
    assert len(list(ET.fromstring(svg).iter(f"{_NAME}polygon"))) == 2


def test_bars_are_as_long_as_their_values_and_go_both_ways() -> None:
    rows = [Bar("half", 0.5, (0.4, 0.6)), Bar("whole", 1.0), Bar("a long name " * 5, -0.5)]
    svg = bars({"Pearson": rows, "Spearman": []}, "t")
    widths = [
        float(one.attrib["width"])
        for one in ET.fromstring(svg).iter(f"{_NAME}rect")
        if one.attrib.get("class") == "bar"
    ]
    assert widths == pytest.approx([widths[1] / 2, widths[1], widths[1] / 2], abs=0.2)
    assert {"0.50", "1.00", "-0.50", "Pearson"} <= _words(svg)


@pytest.mark.parametrize("panels", [{}, {"one": [(1.0, 2.0)]}, {"a": [(0, 1), (1, 0)], "b": []}])
def test_scatter(panels: dict[str, list[tuple[float, float]]]) -> None:
    svg = scatter(panels, "t", "people")
    assert len(_numbers(svg, "circle", "cx")) == sum(map(len, panels.values()))
    assert set(panels) <= _words(svg)


def test_equal_values_have_a_scale_too() -> None:
    for svg in (
        histograms({"same": [1.0, 1.0]}, "t", "x"),
        bars({"none": []}, "t"),
    ):
        assert "nan" not in svg
        ET.fromstring(svg)
