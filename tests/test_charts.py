"""What pictures are made of: well-formed, and the same bytes wherever they are drawn."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from adequa.charts import INK, document, line, text

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


def test_a_document_of_other_sizes() -> None:
    root = ET.fromstring(document(10, 10, "t", (), size=12, title_size=17, title_y=26))
    (title,) = root.iter(f"{SVG}text")
    assert root.attrib["font-size"] == "12"
    assert (title.attrib["font-size"], title.attrib["y"]) == ("17", "26.0")


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
