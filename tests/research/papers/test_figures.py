"""The figures of the papers: what is drawn, and where."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET

import pytest

from adequa.errors import MissingExtra
from research.papers.figures import Bar, bars, histograms, rank_plot, scatter, violins

_NAME = "{http://www.w3.org/2000/svg}"


def _groups(svg: str, name: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(svg).iter(f"{_NAME}g") if one.get("id", "") == name]


def _extents(svg: str, name: str) -> list[tuple[float, float]]:
    """The width and height of each shape of a name."""
    found = []
    for group in _groups(svg, name):
        (path,) = group.iter(f"{_NAME}path")
        numbers = [float(one) for one in re.findall(r"-?[\d.]+", path.attrib["d"])]
        xs, ys = numbers[::2], numbers[1::2]
        found.append((max(xs) - min(xs), max(ys) - min(ys)))
    return found


def _dots(svg: str, name: str) -> list[tuple[float, float]]:
    return [
        (float(one.attrib["x"]), float(one.attrib["y"]))
        for group in _groups(svg, name)
        for one in group.iter(f"{_NAME}use")
    ]


def _words(svg: str) -> set[str]:
    return {"".join(one.itertext()) for one in ET.fromstring(svg).iter(f"{_NAME}text")}


def test_histograms() -> None:
    svg = histograms({"A & B": [0.1] * 9 + [0.9], "other": [0.5]}, "title <1>", "cosine")
    heights = [height for _, height in _extents(svg, "histogram") if height > 0]
    assert len(heights) == 3
    assert heights[0] == pytest.approx(9 * heights[1], abs=0.5)
    assert {"A & B (10)", "other (1)", "title <1>", "cosine"} <= _words(svg)


def test_violins_say_how_many_are_not_above_zero() -> None:
    svg = violins({"one": [0.5, 0.6, 0.7, -0.2], "two": [0.0, 0.1, -0.1]}, "t", "difference")
    assert {"25.0% not above 0", "66.7% not above 0"} <= _words(svg)
    assert len(_groups(svg, "violin")) == 2
    assert "100.0% not above 0" in _words(violins({"same": [0.0, 0.0]}, "t", "difference"))


def test_bars_are_as_long_as_their_values_and_go_both_ways() -> None:
    rows = [Bar("half", 0.5, (0.4, 0.6)), Bar("whole", 1.0), Bar("a long name " * 5, -0.5)]
    svg = bars({"Pearson": rows, "Spearman": []}, "t")
    widths = [width for width, _ in _extents(svg, "bar")]
    assert widths == pytest.approx([widths[1] / 2, widths[1], widths[1] / 2], abs=0.2)
    words = _words(svg)
    assert {"half  0.50", "whole  1.00", "Pearson"} <= words
    assert any(one.endswith("…  -0.50") for one in words)


@pytest.mark.parametrize("panels", [{}, {"one": [(1.0, 2.0)]}, {"a": [(0, 1), (1, 0)], "b": []}])
def test_scatter(panels: dict[str, list[tuple[float, float]]]) -> None:
    svg = scatter(panels, "t", "people")
    for number, points in enumerate(panels.values()):
        assert len(_dots(svg, f"dots-{number}")) == len(points)
    assert set(panels) <= _words(svg)


def test_equal_values_have_a_scale_too() -> None:
    for svg in (histograms({"same": [1.0, 1.0]}, "t", "x"), bars({"none": []}, "t")):
        assert "nan" not in svg
        ET.fromstring(svg)


def test_the_best_by_both_ranks_is_at_the_top_right() -> None:
    names = {f"s{number}": f"<system> {number}" for number in range(1, 6)}
    places = {name: (number, number) for number, name in enumerate(names, 1)}
    backwards = {name: (6 - number, number) for number, name in enumerate(names, 1)}
    svg = rank_plot(places, backwards, names, "A & B")
    ours = _dots(svg, "ours")
    assert len(ours) == 5
    assert (max(x for x, _ in ours), min(y for _, y in ours)) == ours[0]
    assert "<system> 1" in _words(svg)
    # The legend hides nobody, the last by both ranks neither.
    assert min(y for _, y in _dots(svg, "legend_1")) > max(y for _, y in ours)


def test_the_same_values_give_the_same_bytes() -> None:
    first, second = (bars({"P": [Bar("one", 0.5)]}, "t") for _ in range(2))
    assert first == second


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"adequa\[papers\]"):
        bars({}, "t")
