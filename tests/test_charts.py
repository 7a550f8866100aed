"""Charts: heat maps, series, curves, reliability diagrams, and how they are saved."""

from __future__ import annotations

import math
import re
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import resvg_py
from hypothesis import given
from hypothesis import strategies as st

from adequa.charts import (
    INK,
    MissingFont,
    _apart,
    _colour,
    _hex,
    _ink,
    curves_picture,
    document,
    heat_map,
    line,
    reliability_picture,
    sans_serif,
    save_picture,
    series_chart,
    text,
)
from adequa.errors import DataError, MissingExtra, SettingError
from adequa.stats.reliability import reliability

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = """<b> & "it's" ä →"""


def test_a_document_to_the_letter() -> None:
    assert document(100, 50.4, "a < b", [line(1, 2, 3, 4)]) == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" '
        'font-family="sans-serif" font-size="13" fill="#222222">\n'
        "<title>a &lt; b</title>\n"
        '<rect width="100" height="50" fill="white"/>\n'
        '<text x="50.0" y="28.0" text-anchor="middle" font-size="16">a &lt; b</text>\n'
        '<line x1="1.0" y1="2.0" x2="3.0" y2="4.0" stroke="#222222"/>\n'
        "</svg>\n"
    )


def test_the_size_of_a_document_is_not_that_of_its_title() -> None:
    root = ET.fromstring(document(10, 10, "t", (), size=12))
    (title,) = root.iter(f"{SVG}text")
    assert root.attrib["font-size"] == "12"
    assert (title.attrib["font-size"], title.attrib["y"]) == ("16", "28.0")


def test_words_are_kept_as_they_are() -> None:
    root = ET.fromstring(document(10, 10, AWKWARD, [text(1, 1, AWKWARD)]))
    said = [one.text for name in ("title", "text") for one in root.iter(SVG + name)]
    assert said == [AWKWARD] * 3


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
def test_text_has_a_size_only_where_it_is_given(anchor: str) -> None:
    plain, large = ET.fromstring(text(1, 2.26, "a", anchor)), ET.fromstring(text(1, 2, "a", size=9))
    assert plain.attrib == {"x": "1.0", "y": "2.3", "text-anchor": anchor}
    assert large.attrib == {"x": "1.0", "y": "2.0", "text-anchor": "middle", "font-size": "9"}


def test_a_line_is_of_ink_or_of_a_colour() -> None:
    assert ET.fromstring(line(0, 0, 1, 1)).attrib["stroke"] == INK
    assert ET.fromstring(line(0, 0, 1, 1, "red")).attrib["stroke"] == "red"


def words(picture: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(picture).iter(f"{SVG}text")]


def test_every_number_stands_in_its_cell() -> None:
    picture = heat_map(["a", "b"], ["x", "y"], [[0.25, None], [-1, 1]], title="two & two")
    assert {"0.25", "-1.00", "1.00", "two & two", "a", "b", "x", "y"} <= set(words(picture))
    assert len(re.findall('class="cell"', picture)) == 3
    assert "b, x: -1.00" in picture
    assert 'class="cross"' not in picture
    assert "not significant" not in picture


def test_insignificant_cells_are_crossed_out_and_explained() -> None:
    picture = heat_map(["a"], ["x", "y"], [[0.1, 0.9]], title="t", crossed={(0, 0)}, digits=3)
    assert len(re.findall('class="cross"', picture)) == 1
    assert {"0.100", "0.900", "crossed out: not significant"} <= set(words(picture))


def test_no_minus_zero_and_awkward_names() -> None:
    name = """<b> & "it's" ä →"""
    picture = heat_map([name], [name * 3], [[-0.0001]], title=name)
    assert "0.00" in words(picture)
    assert name in words(picture)
    assert picture == heat_map([name], [name * 3], [[-0.0001]], title=name)


@pytest.mark.parametrize(
    ("rows", "columns", "values", "crossed"),
    [
        ([], ["x"], [], ()),
        (["a"], [], [[]], ()),
        (["a"], ["x"], [[0.1, 0.2]], ()),
        (["a", "b"], ["x"], [[0.1]], ()),
        (["a"], ["x"], [[math.nan]], ()),
        (["a"], ["x"], [[1.1]], ()),
        (["a"], ["x"], [[0.1]], {(0, 1)}),
    ],
)
def test_wrong_cells_are_refused(rows, columns, values, crossed) -> None:
    with pytest.raises(ValueError, match=r"row|cell|values"):
        heat_map(rows, columns, values, title="t", crossed=crossed)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@given(st.floats(-1, 1))
def test_numbers_are_readable_on_every_colour(value: float) -> None:
    shades = sorted([luminance(_ink(_colour(value))), luminance(_hex(_colour(value)))])
    assert (shades[1] + 0.05) / (shades[0] + 0.05) >= 4.5  # what WCAG asks of text


def test_shares_are_from_white_to_blue_and_so_is_their_bar() -> None:
    picture = heat_map(["a"], ["x", "y"], [[0.0, 1.0]], title="t", low=0.0)
    assert {"0", "0.5", "1"} <= set(words(picture))
    assert not {"-0.5", "-1"} & set(words(picture))
    assert _hex(_colour(-0.5)) not in picture
    with pytest.raises(ValueError, match="from 0 to 1"):
        heat_map(["a"], ["x"], [[-0.1]], title="t", low=0.0)


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


def test_the_axis_covers_the_given_range_and_the_values() -> None:
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


def test_values_must_be_finite_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        series_chart({"A": [("1", float("nan"))]}, title="", x_label="", y_label="")


LOG = [
    {"loss": 2.0, "grad_norm": 1.0, "learning_rate": 1e-4, "epoch": 0.1, "step": 10, "hits": 0.2},
    {"dev_r@1": 0.4, "step": 15, "epoch": 0.15},
    {"loss": 1.0, "learning_rate": 5e-5, "epoch": 0.2, "step": 20, "hits": 0.8},
    {"dev_r@1": 0.6, "step": 30, "epoch": 0.3},
    {"train_runtime": 9.0, "train_loss": 1.5, "step": 30},
]


def curves(picture: str) -> dict[str, list[tuple[float, float]]]:
    found = {}
    for curve in ET.fromstring(picture).iter(f"{SVG}polyline"):
        title = curve.find(f"{SVG}title")
        points = [tuple(map(float, point.split(","))) for point in curve.attrib["points"].split()]
        found[title.text if title is not None else ""] = points
    return found


def test_curves_are_the_log() -> None:
    found = curves(curves_picture(LOG, "encoder & co"))
    assert set(found) == {"loss", "hits", "r@1"}
    (x1, y1), (x2, y2) = found["loss"]
    assert x1 < x2
    assert y1 < y2  # less is further down
    (_, low), (_, high) = found["r@1"]
    assert low > high
    assert curves_picture(LOG, "encoder & co") == curves_picture(LOG, "encoder & co")


@pytest.mark.parametrize("log", [[], LOG[1:2], [{"loss": float("nan"), "step": 10}]])
def test_a_log_that_has_hardly_begun_is_drawn(log: list[dict[str, float]]) -> None:
    picture = curves_picture(log, "begun")
    assert ET.fromstring(picture).tag == f"{SVG}svg"
    assert "nan" not in picture


def test_a_reliability_diagram() -> None:
    before = reliability([0.05, 0.95, 0.95, 0.55], [0, 1, 0, 1])
    after = reliability([0.1, 0.6, 0.6, 0.6], [0, 1, 0, 1])
    picture = reliability_picture(
        {"before": before.bins, "calibrated": after.bins}, "stated <b>", "4 cases"
    )
    assert ET.fromstring(picture).tag == f"{SVG}svg"
    assert len(re.findall('class="before"', picture)) == 3
    assert len(re.findall('class="calibrated"', picture)) == 2


PICTURE = document(100, 60, "ä → <b>", [text(50, 50, "words")])
EMPTY = document(100, 60, "", [])


def test_svg_is_written_as_it_is(tmp_path: Path) -> None:
    save_picture(PICTURE, tmp_path / "a.SVG")
    assert (tmp_path / "a.SVG").read_bytes() == PICTURE.encode()


needs_font = pytest.mark.skipif(
    sans_serif() is None, reason="no font on this machine: install fonts-dejavu-core"
)


def test_png_without_a_font(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendering = partial(resvg_py.svg_to_bytes, skip_system_fonts=True)
    monkeypatch.setattr(resvg_py, "svg_to_bytes", rendering)
    monkeypatch.setattr("adequa.charts.sans_serif", sans_serif.__wrapped__)
    with pytest.raises(MissingFont, match="apt install fonts-dejavu-core"):
        save_picture(PICTURE, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


@needs_font
def test_png_is_rendered_with_its_text(tmp_path: Path) -> None:
    save_picture(PICTURE, tmp_path / "a.png")
    save_picture(EMPTY, tmp_path / "b.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (200, 120)
    assert len(content) > len((tmp_path / "b.png").read_bytes()) + 200  # the letters are there


def test_png_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtra, match=r"adequa\[png\]"):
        save_picture(PICTURE, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.jpg", "a", "png"])
def test_other_endings(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingError, match=r"\.svg or \.png"):
        save_picture(PICTURE, tmp_path / name)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        save_picture(PICTURE, tmp_path / "none" / "a.svg")
