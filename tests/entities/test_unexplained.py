"""What a text has and nothing in its data explains."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.entities.detector import Detector
from adequa.entities.unexplained import find_unexplained

FACTS = (
    Triple("Ann_Bell", "birthPlace", "Abilene,_Texas"),
    Triple("Abilene,_Texas", "population", "16800"),
    Triple("Ann_Bell", "birthDate", "1957-05-03"),
    Triple("Ann_Bell", "height", "1.78 (metres)"),
    Triple("Ann_Bell", "nationality", "United_States"),
)


def unexplained(text: str, *allowed: str) -> list[tuple[str, str, str | None]]:
    detection = Detector().detect(Item("1", FACTS, text))
    found = find_unexplained(detection.graph, detection.text, detection.mentions, allowed)
    return [(text[one.start : one.end], one.kind, one.nearest) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It has 16,000 people.", [("16,000", "number", "16800")]),
        ("Ann Bell is from Norway.", [("Norway", "name", None)]),
        ("She met Zora Quist in Oslo.", [("Zora Quist", "name", None), ("Oslo", "name", None)]),
        ("Born on 4 June 1963.", [("4 June 1963", "date", "1957-05-03")]),
        ("Born on 5 March 1957.", [("5 March 1957", "date", "1957-05-03")]),
        ("She was born in 1988.", [("1988", "number", "1957-05-03")]),
        ("Ann Bell is 193 cm tall.", [("193 cm", "number", "1.78 (metres)")]),
        ("Ann Bell won 77% of it.", [("77%", "number", "1.78 (metres)")]),
        ("She likes the NATO.", [("NATO", "name", None)]),
        ("Quistberg is a friend.", [("Quistberg", "name", None)]),  # something is said of it
    ],
)
def test_spans_from_nowhere(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert [found[:2] for found in unexplained(text)] == [found[:2] for found in expected]
    for found, wanted in zip(unexplained(text), expected, strict=True):
        if wanted[2] is not None and wanted[1] != "number":
            assert found[2] == wanted[2]


def test_the_nearest_number_is_named() -> None:
    assert unexplained("It has 16,000 people.") == [("16,000", "number", "16800")]
    assert unexplained("Ann Bell is 1.9 m tall.") == [("1.9 m", "number", "1.78 (metres)")]


@pytest.mark.parametrize(
    "text",
    [
        "Ann Bell was born on 3 May 1957 in Abilene, Texas.",
        "Abilene has about 17,000 people.",  # rounded
        "Abilene has 16.8 thousand people.",
        "Ann Bell is 178 cm tall.",  # converted
        "In 1957, she was born.",
        "She was born in May 1957.",
        "Bell is an American.",
        "An American from the U.S. was Ann Bell.",
        "Located in Texas, it is old.",
        "However, She Was Born Here.",
        "He said so on a Sunday in June.",
        "Dr. Bell is the President.",
        "Anne Bell has two friends.",
        "Texans live in Abilene.",
        "Birth Place and Population",
        "She has four of them, and was the first.",
        "I am A. Bell.",
        "",
        "?! …",
    ],
)
def test_what_the_data_explains(text: str) -> None:
    assert unexplained(text) == []


def test_lower_cased_text_has_only_numbers_and_dates() -> None:
    text = "ann bell of norway was born on 4 june 1963 and has 23,456 friends."
    found = [(span, kind) for span, kind, _ in unexplained(text)]
    assert ("4 june 1963", "date") in found
    assert ("23,456", "number") in found
    assert unexplained("ann bell of abilene, texas, was born on 3 may 1957.") == []


def test_allowed_phrases() -> None:
    text = "Ann Bell met Zora Quist in Oslo."
    assert [span for span, *_ in unexplained(text, "zora quist")] == ["Oslo"]
    assert unexplained(text, "Zora Quist", "oslo", "", "…") == []
    assert [span for span, *_ in unexplained(text, "Os", "Quis")] == ["Zora Quist", "Oslo"]
    assert unexplained("It has 99 rooms.", "99") == []


PIECES = ["Ann Bell", "Zora", "4 June 1963", "99", "16,800", ".", " ", "\n", "é", "😀", "'s", "٣"]


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=15).map(" ".join))
def test_spans_stand_in_the_text_and_apart_from_mentions(text: str) -> None:
    detection = Detector().detect(Item("1", FACTS, text))
    found = find_unexplained(detection.graph, detection.text, detection.mentions)
    assert found == sorted(found)
    for span in found:
        assert 0 <= span.start < span.end <= len(text)
        assert span.kind in ("name", "number", "date")
        assert span.nearest is None or any(span.nearest in fact for fact in FACTS)
    for left, right in pairwise(found):
        assert left.end <= right.start
