"""Texts in pieces, and data in words and as a drawing."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.web.campaign.rater import Subject, drawing, facts_by_subject, pieces, shown


@given(st.text(st.characters(), max_size=80))
def test_pieces_cover_the_text(text: str) -> None:
    made = pieces(text)
    assert "".join(text[piece.start : piece.end] for piece in made) == text
    assert [piece.start for piece in made[1:]] == [piece.end for piece in made[:-1]]
    assert all(len(piece.text) == piece.end - piece.start for piece in made)
    assert all(piece.is_word is bool(text[piece.start : piece.end].strip()) for piece in made)
    "".join(piece.text for piece in made).encode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \r\n ", []),
        ("It's a well-known 3.14, or 1.", ["It's", "a", "well-known", "3.14", ",", "or", "1", "."]),
        ("e\u0301te\u0301-la\u0300 👩‍👩‍👧!", ["e\u0301te\u0301-la\u0300", "👩‍👩‍👧", "!"]),
        ("🇩🇪🇫🇷 👍🏽", ["🇩🇪", "🇫🇷", "👍🏽"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("東京 ไทย", ["東", "京", "ไ", "ท", "ย"]),
        ("a\x00b", ["a", "\ufffd", "b"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [piece.text for piece in pieces(text) if piece.is_word] == words


def test_what_a_page_cannot_hold_is_marked_and_as_long() -> None:
    assert shown("a\x00\ud800\x1bb\t\n") == "a\ufffd\ufffd\ufffdb\t\n"


def item(*triples: tuple[str, str, str], **terms: Term) -> Item:
    return Item("1", tuple(Triple(*triple) for triple in triples), "text", terms=terms)


def test_facts_stand_under_their_subjects_in_words() -> None:
    subjects = facts_by_subject(
        item(
            ("MV_Alba", "homePort", "Oban"),
            ("Oban", "is_part_of", "Q1"),
            ("MV_Alba", "http://x.org/o/builtIn", '"1974"'),
            Q1=Term(label="Argyll"),
        )
    )
    assert [subject.name for subject in subjects] == ["MV Alba", "Oban"]
    assert [(row.index, row.predicate, row.object) for row in subjects[0].rows] == [
        (0, "home port", "Oban"),
        (2, "built in", "1974"),
    ]
    assert subjects[1].rows[0].object == "Argyll"


def parsed(*triples: tuple[str, str, str]) -> ET.Element:
    return ET.fromstring(drawing(facts_by_subject(item(*triples)), 'The "data"'))


def boxes(svg: ET.Element, kind: str) -> list[ET.Element]:
    return svg.findall(f"rect[@class='{kind}']")


def test_the_drawing_has_a_box_a_thing_and_an_arrow_a_fact() -> None:
    svg = parsed(("A", "has", "B"), ("B", "has", "C & <D>"), ("A", "is", "E"), ("F", "is", "E"))
    assert [len(boxes(svg, kind)) for kind in ("root", "thing", "again")] == [2, 4, 0]
    assert len(svg.findall("path[@class='arrow']")) == 4
    assert "C & <D>" in [text.text for text in svg.findall("text")]


def test_no_two_boxes_meet() -> None:
    long = "A very long name of a thing that is written over several lines of its box indeed so"
    svg = parsed((long, "p", "B"), ("C", "p", long + "!"), *[("C", f"q{n}", "B") for n in range(9)])
    places = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in svg.findall("rect")
    ]
    for number, (x, y, width, height) in enumerate(places):
        assert x >= 0
        assert y >= 0
        for x2, y2, width2, height2 in places[:number]:
            apart = x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
            assert apart


def test_circles_loops_repeats_and_long_chains_are_drawn() -> None:
    assert len(boxes(parsed(("A", "p", "B"), ("B", "p", "A")), "again")) == 1
    assert len(boxes(parsed(("A", "p", "A")), "again")) == 1
    assert len(parsed(("A", "p", "B"), ("A", "p", "B")).findall("path")) == 2
    chain = parsed(*[(f"N{number}", "next", f"N{number + 1}") for number in range(1500)])
    assert len(chain.findall("rect")) == 1501
    assert drawing([Subject("", ())], "nothing")
