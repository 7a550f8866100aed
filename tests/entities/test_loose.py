"""Misspelt names, and words in any order."""

from __future__ import annotations

from adequa.data import Triple
from adequa.entities.candidates import Candidate, bag_candidates, fuzzy_candidates
from adequa.entities.graph import Graph, compile_graph
from adequa.text.words import PreparedText


def graph_of(*objects: str, predicate: str = "about") -> Graph:
    """The objects are the entities from number 1 on."""
    return compile_graph([Triple("Qqq", predicate, value) for value in objects], {}, {})


def spans(text: PreparedText, found: list[Candidate]) -> list[tuple[str, str]]:
    return [(text.string[one.start : one.end], one.method) for one in found]


def fuzzy(name: str, string: str, threshold: float = 0.25, *, strict: bool = True) -> list[str]:
    text, graph = PreparedText(string), graph_of(name)
    free = bytearray(len(string) + 1)
    found = fuzzy_candidates(1, graph.entities[1], text, threshold, free, strict=strict)
    assert all(0 < one.distance <= threshold for one in found)
    return [string[one.start : one.end] for one in found]


def test_misspelt_names() -> None:
    assert "Ted Wilis" in fuzzy("Ted_Willis", "By Ted Wilis.")
    assert fuzzy("Ted_Willis", "By Taylor Willis.") == []
    assert fuzzy("Ted_Willis", "By Taylor Willis.", 0.4) == []
    assert "Taylor Willis" in fuzzy("Ted_Willis", "By Taylor Willis.", 0.5, strict=False)
    assert fuzzy("Kent_1", "Kant") == []
    assert fuzzy("Apollo_Norn_12", "Apollo Norn 13") == []


def test_what_is_taken_is_not_misspelt() -> None:
    text, graph = PreparedText("Ted Wilis"), graph_of("Ted_Willis")
    taken = bytearray(b"\1" * 10)
    assert fuzzy_candidates(1, graph.entities[1], text, 0.25, taken) == []


def test_words_in_any_order() -> None:
    graph = graph_of('"Celery, salt, pepper and cream"')
    text = PreparedText("It has cream, pepper, salt and some celery in it.")
    (found,) = bag_candidates(1, graph, text, 0.95)
    assert text.string[found.start : found.end] == "cream, pepper, salt and some celery"
    assert bag_candidates(1, graph, PreparedText("It has cream and salt."), 0.95) == []
    far = PreparedText("celery, salt" + " and so on and on" * 9 + " pepper, cream")
    assert bag_candidates(1, graph, far, 0.95) == []
