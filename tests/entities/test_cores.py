"""The engine both modes share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.entities.detector import Search, find_cores
from adequa.entities.graph import compile_graph
from adequa.text.words import PreparedText

ADEQUACY = Search(0.25, 0.95, repeat_weak=False, conversions=True)
MENTIONS = Search(0.4, 0.6, repeat_weak=True, conversions=True)


def cores(
    triples: list[tuple[str, str, str]], string: str, search: Search = ADEQUACY
) -> set[tuple[str, str]]:
    graph = compile_graph([Triple(*triple) for triple in triples], {}, {})
    return {
        (graph.entities[one.entity].string, string[one.start : one.end])
        for one in find_cores(graph, PreparedText(string), search)
    }


@pytest.mark.parametrize(
    ("triples", "string", "found"),
    [
        (
            [("Abilene,_Texas", "isPartOf", "Texas")],
            "Abilene, Texas, is old.",
            {("Abilene,_Texas", "Abilene"), ("Texas", "Texas")},
        ),
        (
            [("Abilene,_Texas", "leader", "Ann_Bell")],
            "Abilene, Texas, is led by Ann Bell.",
            {("Abilene,_Texas", "Abilene, Texas"), ("Ann_Bell", "Ann Bell")},
        ),
        (
            [("FC_Terek_Grozny", "ground", "Grozny")],
            "FC Terek Grozny plays.",
            {("FC_Terek_Grozny", "FC Terek Grozny")},
        ),
        (
            [("Soup", "with", '"Celery, salt, cream"'), ("Soup", "has", "Celery")],
            "Soup has celery, salt and cream.",
            {
                ("Soup", "Soup"),
                ('"Celery, salt, cream"', "celery, salt and cream"),
                ("Celery", "celery"),
            },
        ),
        (
            [("Aurakles", "alternativeName", '"Aurakles"')],
            "Aurakles is there.",
            {("Aurakles", "Aurakles"), ('"Aurakles"', "Aurakles")},
        ),
        (
            [("Shenzhou_10", "with", "Shenzhou_6")],
            "These are Shenzhou 10 and 6.",
            {("Shenzhou_10", "Shenzhou 10"), ("Shenzhou_6", "6")},
        ),
        (
            [("Play", "author", "Ted_Willis")],
            "Ted Willis wrote the play. Willis was old.",
            {("Play", "play"), ("Ted_Willis", "Ted Willis")},  # weak names only where needed
        ),
    ],
)
def test_cores(
    triples: list[tuple[str, str, str]], string: str, found: set[tuple[str, str]]
) -> None:
    assert cores(triples, string) == found


def test_weak_names_again_for_mentions() -> None:
    text = "Ted Willis wrote the play. Willis was old."
    found = cores([("Play", "author", "Ted_Willis")], text, MENTIONS)
    assert ("Ted_Willis", "Willis") in found


def test_two_of_one_name_have_one_each_where_it_stands_twice() -> None:
    graph = compile_graph([Triple("Leeds", "p", "leeds")], {}, {})
    text = PreparedText("Leeds, then leeds.")
    found = {(one.entity, one.start) for one in find_cores(graph, text, ADEQUACY)}
    assert found == {(0, 0), (1, 12)}


TEXTS = st.lists(
    st.sampled_from(["Ann", "Bell", "Abilene", "Texas", ",", ".", "1957", "in", "celery", "salt"]),
    max_size=12,
).map(" ".join)
DATA = [("Ann_Bell", "birthPlace", "Abilene,_Texas"), ("Texas", "has", '"celery, salt, 1957"')]


@given(TEXTS)
def test_for_mentions_no_two_cores_share_a_place(string: str) -> None:
    graph = compile_graph([Triple(*triple) for triple in DATA], {}, {})
    found = sorted(find_cores(graph, PreparedText(string), MENTIONS))
    assert all(left.end <= right.start for left, right in pairwise(found))
