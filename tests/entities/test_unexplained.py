"""What a text has and nothing in its data explains."""

from __future__ import annotations

import re
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from adequa.data import Item, Triple
from adequa.entities import JudgmentSettings, judge
from adequa.entities.detector import Detector
from adequa.entities.graph import Graph, compile_graph
from adequa.entities.unexplained import (
    _FAR,
    _explained,
    _known_words,
    _nearest_name,
    find_unexplained,
)
from adequa.readers.records import read_record
from adequa.text import CALENDAR, GENERIC, fold

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
        "Don't forget it. Won't you come?",
        "",
        "?! …",
    ],
)
def test_what_the_data_explains(text: str) -> None:
    assert unexplained(text) == []


def test_a_code_explains_the_name_of_its_language() -> None:
    facts = (Triple("audio guide", "languages", "de"), Triple("audio guide", "team", "GER"))
    text = "The audio guide speaks German, not Danish."
    detection = Detector().detect(Item("1", facts, text))
    found = find_unexplained(detection.graph, detection.text, detection.mentions)
    assert [text[one.start : one.end] for one in found] == ["Danish"]


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
    with patch("adequa.entities.unexplained._says_nothing_else", return_value=False):
        slowly = find_unexplained(detection.graph, detection.text, detection.mentions)
    assert slowly == found


GRAPH = compile_graph(FACTS, {}, {})


def slowly_explained(word: str, graph: Graph) -> bool:
    """The slow way: each word of the data is compared with the word."""
    known = _known_words(graph).known
    if word in known or word in CALENDAR or word in GENERIC or len(word) == 1:
        return True
    if re.search(r"\d", word):
        return any(word in other for other in known if re.search(r"\d", other))
    for ending in ("s", "es", "n", "an", "ian", "ese", "ish", "i"):
        if word.endswith(ending) and word.removesuffix(ending) in known:
            return True
    if len(word) > 3 and any(word in other or other in word for other in known if len(other) > 3):
        return True
    near = (Levenshtein.normalized_distance(word, other) for other in known)
    return len(word) >= 5 and min(near) <= 0.2


PARTS = st.sampled_from(
    ["abil", "ene", "texas", "a", "bell", "1957", "8", "ann", "us", "place", "x"]
)


@given(st.lists(PARTS, min_size=1, max_size=4).map("".join))
def test_words_are_explained_as_by_comparing_with_each_word_of_the_data(word: str) -> None:
    assert _explained(word, GRAPH) == slowly_explained(word, GRAPH)


@given(st.lists(PARTS, min_size=1, max_size=4).map(" ".join))
def test_the_nearest_name_is_the_first_of_the_most_similar(string: str) -> None:
    names = [one for one in GRAPH.entities if one.kind in ("name", "list")]
    gaps = [Levenshtein.normalized_distance(fold(string), fold(one.label.base)) for one in names]
    nearest = names[gaps.index(min(gaps))].string if min(gaps) <= _FAR else None
    assert _nearest_name(string, GRAPH) == nearest


@pytest.mark.parametrize(
    "text",
    [
        "No song of the chart reaches even 100,000 streams.",
        "Half of the songs came out before midnight.",
    ],
)
def test_a_limit_that_the_writer_chose_needs_no_value(text: str) -> None:
    record = {"chart": "Aria", "streams": 91200, "out_at": "2025-03-04T21:30"}
    judgment = judge(read_record(record, text, id="1").item, JudgmentSettings())
    assert list(judgment.surplus()) == []


@pytest.mark.parametrize(
    "text",
    [
        "Pim is charging, and so is Otto.",
        "The manual was translated from Dutch and sent to Nairobi.",
        "Dear Mr Reid, this robot is the first in Europe.",
    ],
)
def test_names_that_ids_and_codes_of_a_record_explain(text: str) -> None:
    robots = [{"id": "Otto", "battery_pct": 18}, {"id": "Pim", "battery_pct": 77}]
    record = {"owner": "Ada Reid", "robots": robots, "manual": "nl>en", "dest": "NBO"}
    item = read_record(record, text, id="1").item
    assert [one for one in judge(item, JudgmentSettings()).unexplained if one.kind == "name"] == []


def test_a_name_stands_for_that_of_the_field_that_is_spoken_of() -> None:
    record = {"museum": "Kelvin", "location": "Glasgow", "opened": 1901}
    text = "The museum, located in Edinburgh, opened in 1901."
    item = read_record(record, text, id="1").item
    (span,) = judge(item, JudgmentSettings()).unexplained
    assert span.triple == Triple("Kelvin", "location", "Glasgow")
    reason = "'Edinburgh' comes from nothing in the data: it has location 'Glasgow'"
    assert span.reason(text) == reason
