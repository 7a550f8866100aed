"""A heat map shows each number once, readable, and nothing where there is none."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.charts import _colour, _hex, _ink, heat_map

SVG = "{http://www.w3.org/2000/svg}"


def words(picture: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(picture).iter(f"{SVG}text")]


def test_every_number_stands_in_its_cell() -> None:
    picture = heat_map(["a", "b"], ["x", "y"], [[0.25, None], [-1, 1]], title="two & two")
    assert {"0.25", "-1.00", "1.00", "two & two", "a", "b", "x", "y"} <= set(words(picture))
    assert len(re.findall('class="cell"', picture)) == 3
    assert "b, x: -1.00" in picture
    assert 'class="cross"' not in picture
    assert "not significant" not in picture


def test_what_is_not_significant_is_crossed_out_and_said() -> None:
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
def test_what_is_no_table_of_correlations(rows, columns, values, crossed) -> None:
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
