"""Numbers and dates of a text that say a value."""

from __future__ import annotations

from adequa.data import Triple
from adequa.entities.candidates import Candidate, value_candidates
from adequa.entities.graph import Graph, compile_graph
from adequa.text.words import PreparedText


def graph_of(*objects: str, predicate: str = "about") -> Graph:
    """The objects are the entities from number 1 on."""
    return compile_graph([Triple("Qqq", predicate, value) for value in objects], {}, {})


def spans(text: PreparedText, found: list[Candidate]) -> list[tuple[str, str]]:
    return [(text.string[one.start : one.end], one.method) for one in found]


def test_values() -> None:
    text = PreparedText("On 3 May 1957, about 16,800 of 17 thousand came 1 km.")
    graph = graph_of("1957-05-03", "16800", "1000 (metres)")
    assert spans(text, value_candidates(graph, text)) == [
        ("3 May 1957", "date"),
        ("16,800", "number"),
        ("17 thousand", "rounded number"),
    ]
    converted = value_candidates(graph, text, conversions=True)
    assert ("1", "converted number") in spans(text, converted)
    (kilometre,) = [one for one in converted if one.method == "converted number"]
    assert text.string[kilometre.start : kilometre.reach] == "1 km"


def test_a_decimal_that_a_tokeniser_took_apart() -> None:
    text = PreparedText("It is 3. 04 long.")
    assert ("3. 04", "number") in spans(text, value_candidates(graph_of("3.04"), text))
