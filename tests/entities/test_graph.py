"""The data of an item, compiled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Term, Triple
from adequa.entities.graph import Entity, Graph, compile_graph, predicate_words_of


def compiled(*triples: tuple[str, str, str], **terms: str) -> Graph:
    known = {name: Term(label=label) for name, label in terms.items()}
    return compile_graph([Triple(*triple) for triple in triples], known, {})


def object_of(predicate: str, value: str) -> Entity:
    return compiled(("Ann_Bell", predicate, value)).entities[1]


@pytest.mark.parametrize(
    ("predicate", "value", "kind"),
    [
        ("birthDate", "1957-05-03", "date"),
        ("birthDate", '"1957-05-03"^^xsd:date', "date"),
        ("birthYear", "1957", "date"),
        ("population", "1957", "number"),
        ("population", "16800", "number"),
        ("height", "1.78 (metres)", "number"),
        ("familyFriendly", "yes", "boolean"),
        ("familyFriendly", "no", "boolean"),
        ("ingredients", '"Celery, salt, pepper and cream"', "list"),
        ("location", "Abilene,_Texas", "name"),
        ("birthPlace", '"Abilene, Texas"', "name"),
        ("club", "FC_Terek_Grozny", "name"),
        ("mission", "Apollo_12", "name"),
    ],
)
def test_kinds(predicate: str, value: str, kind: str) -> None:
    assert object_of(predicate, value).kind == kind


def test_a_number_has_the_unit_of_its_predicate() -> None:
    quantity = object_of("elevationAboveTheSeaLevel_(in_metres)", "610").quantity
    assert quantity is not None
    assert quantity.unit == "metre"
    own = object_of("height", "1.78 (metres)").quantity
    assert own is not None
    assert own.unit == "metre"


def test_predicates_decide_who_is_a_person() -> None:
    graph = compiled(("Play", "author", "Ted_Willis"), ("Ted_Willis", "birthPlace", "Leeds"))
    assert [entity.person for entity in graph.entities] == [False, True, False]


def test_the_root_links_lists_and_values() -> None:
    graph = compiled(
        ("Leeds", "country", "England"),
        ("Blue_Spice", "area", "Leeds"),
        ("Blue_Spice", "serves", '"tea, cake, beer"'),
    )
    strings = [entity.string for entity in graph.entities]
    assert strings == ["Leeds", "England", "Blue_Spice", '"tea, cake, beer"']
    assert graph.root == 2
    assert graph.links == {(0, 1), (2, 0), (2, 3)}
    assert graph.lists == (3,)
    assert not graph.has_values
    assert compiled(("a", "b", "5")).has_values


def test_words_of_the_data() -> None:
    graph = compiled(("Blue_Spice", "hasFamilyArea", "River_(north)"))
    assert graph.predicate_words == {"has", "family", "area"}
    assert graph.data_words >= {"blue", "spice", "river", "north", "area"}
    assert graph.predicates_of(0, subject=True) == {"has", "family", "area"}
    assert graph.predicates_of(0, subject=False) == frozenset()


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("birthPlace", ["birth", "place"]),
        ("area_code", ["area", "code"]),
        ("http://dbpedia.org/ontology/birthPlace", ["birth", "place"]),
        ("http://example.org/x#isIn", ["is", "in"]),
        ("", []),
    ],
)
def test_words_of_a_predicate(predicate: str, words: list[str]) -> None:
    assert [*predicate_words_of(predicate)] == words


def test_nouns_for_an_entity() -> None:
    graph = compiled(("Aarhus_Airport", "cityServed", "Aarhus"), ("Mermaid_(song)", "x", "y"))
    assert "airport" in graph.entities[0].nouns
    assert "song" in graph.entities[2].nouns


def test_addresses_are_read_by_their_label_or_their_last_part() -> None:
    address = "http://www.wikidata.org/entity/Q64"
    graph = compile_graph([Triple("X", "p", address)], {address: Term(label="Berlin")}, {})
    assert graph.entities[1].label.base == "Berlin"
    bare = compiled(("X", "p", "http://dbpedia.org/resource/Ted_Willis"))
    assert bare.entities[1].label.base == "Ted Willis"


def test_derived_parts_are_made_once() -> None:
    graph = compiled(("a", "b", "c"))
    calls: list[Any] = []

    def make(given_graph: Graph) -> int:
        calls.append(given_graph)
        return len(calls)

    assert [graph.derive("count", make), graph.derive("count", make)] == [1, 1]
    assert calls == [graph]


def test_no_triples() -> None:
    graph = compiled()
    assert (graph.entities, graph.links) == ((), frozenset())


STRINGS = st.text(max_size=12) | st.sampled_from(["Ann_Bell", "1957-05-03", "16800", "a, b, c"])


@given(st.lists(st.tuples(STRINGS, STRINGS, STRINGS), max_size=4))
def test_any_triples_compile_and_each_entity_stands_once(
    triples: list[tuple[str, str, str]],
) -> None:
    graph = compiled(*triples)
    expected = list(dict.fromkeys(end for s, _, o in triples for end in (s, o)))
    assert [entity.string for entity in graph.entities] == expected
