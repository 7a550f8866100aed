"""The linearised forms: examples of each, what is refused, and the way there and back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.errors import DataError, UnknownName
from adequa.text.linearised import (
    FORMS,
    attributes_to_triples,
    linearise,
    parse_attributes,
    parse_triples,
)

TWO = (Triple("Mill_Inn", "eatType", "pub"), Triple("Mill_Inn", "near", "River_Cam"))


@pytest.mark.parametrize(
    "text",
    [
        "Mill_Inn | eatType | pub<br>Mill_Inn | near | River_Cam",
        "Mill_Inn | eatType | pub <br/> Mill_Inn | near | River_Cam",
        "Mill_Inn | eatType | pub<BR />Mill_Inn | near | River_Cam<br>",
        "Mill_Inn | eatType | pub && Mill_Inn | near | River_Cam",
        "\nMill_Inn | eatType | pub\r\n\nMill_Inn | near | River_Cam\n",
        "Mill_Inn|eatType|pub\nMill_Inn |near| River_Cam",
        "[S] Mill_Inn [P] eatType [O] pub [S] Mill_Inn [P] near [O] River_Cam",
        "[s]Mill_Inn[p]eatType[o]pub[s]Mill_Inn[p]near[o]River_Cam",
        "[S] Mill_Inn [P] eatType [O] pub [P] near [O] River_Cam",
        "[S] Mill_Inn [P] eatType [O] pub && [S] Mill_Inn [P] near [O] River_Cam",
        "[S] Mill_Inn [P] eatType [O] pub <br> [S] Mill_Inn [P] near [O] River_Cam",
        "<S> Mill_Inn <P> eatType <O> pub\n<S> Mill_Inn <P> near <O> River_Cam",
        "<H> Mill_Inn <R> eatType <T> pub <H> Mill_Inn <R> near <T> River_Cam",
        "<subject> Mill_Inn <predicate> eatType <object> pub <predicate> near <object> River_Cam",
        "[HEAD] Mill_Inn [RELATION] eatType [TAIL] pub [RELATION] near [TAIL] River_Cam",
        '[["Mill_Inn", "eatType", "pub"], ["Mill_Inn", "near", "River_Cam"]]',
        ' [ [ "Mill_Inn", "eatType", "pub"],\n["Mill_Inn", "near", "River_Cam"]]\n',
        "name[Mill_Inn], eatType[pub], near[River_Cam]",
        "eatType[pub],name[Mill_Inn] ,  near[River_Cam]",
    ],
)
def test_every_form_gives_the_same_triples(text: str) -> None:
    assert parse_triples(text) == TWO


def test_an_object_may_repeat_subject_and_predicate() -> None:
    assert parse_triples("[S] A [P] b [O] c [O] d") == (
        Triple("A", "b", "c"),
        Triple("A", "b", "d"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A | p | b[c]", Triple("A", "p", "b[c]")),
        ("A[1] | p | b[2]", Triple("A[1]", "p", "b[2]")),
        ("A | p|q | B", Triple("A", "p|q", "B")),
        ('A | p | "B, C"@en', Triple("A", "p", '"B, C"@en')),
        ("A | p | <T> B", Triple("A", "p", "<T> B")),
        ("A&&B | p | C", Triple("A&&B", "p", "C")),
        ("[S] A [P] p [O] B <T> C", Triple("A", "p", "B <T> C")),
        ("[S] A | B [P] p [O] [x]", Triple("A | B", "p", "[x]")),
        ("A | p | B\u2028C", Triple("A", "p", "B\u2028C")),
        ("name[A | B], p[C]", Triple("A | B", "p", "C")),
    ],
)
def test_a_part_keeps_signs_that_are_not_separators(text: str, expected: Triple) -> None:
    assert parse_triples(text) == (expected,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no triples"),
        (" \n ", "no triples"),
        ("just words", "not a known form of triples"),
        ("A | p", "triple 1 ('A | p') has 2 parts"),
        ("A | p | B | C | q | D", "has 6 parts"),
        ("A | p | B && C | q", "triple 2 ('C | q')"),
        ("A |  | B", "triple 1 has no predicate"),
        ("|||", "has 4 parts"),
        ("||", "no subject"),
        ("| <br> |", "has 2 parts"),
        ("[S] A [O] B", "[O] where [P] should come"),
        ("[S] A [S] B", "[S] where [P] should come"),
        ("[S] A [P] p", "triple 1 is cut off"),
        ("[S] A [P] p [O]", "triple 1 has no object"),
        ("[S] A [P] p [O] B [S] C", "triple 2 is cut off"),
        ("[]", "understood as a JSON list, but 'triples' is empty"),
        ('["A", "p", "B"]', "triple 1 is not [subject, predicate, object]"),
        ('[["A", "p"]]', "triple 1 is not [subject, predicate, object]"),
        ('[["A", "p", 5]]', "not a string"),
        ('[["A", "p", "B"]', "is not JSON"),
        ('[["A", "p", NaN]]', "NaN is not a JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ("[['A', 'p', 'B']]", "Python's notation"),
        ("[('A', 'p', 'B')]", "Python's notation"),
        ("name[A], near[", "understood as an attribute list, but the bracket"),
        ("[A] and [B]", "not a known form of triples"),
        ("name[A], near[[B]", "'near' is never closed"),
        ("name[A] near[B]", "instead of a comma"),
        ("name[A], [B]", "attribute 2 has no name"),
        ("name[A], near[ ]", "'near' has no value"),
        ("name[A], near, area[B]", "('near, area') has no value in brackets"),
    ],
)
def test_anything_else_says_what_was_understood(text: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_triples(text)
    assert problem in str(caught.value)
    assert caught.value.path is None
    assert caught.value.line is None
    assert caught.value.remedy


def test_attribute_values_keep_commas_and_brackets() -> None:
    assert parse_attributes("near[Café Sicilia], note[a, b [c]]") == [
        ("near", "Café Sicilia"),
        ("note", "a, b [c]"),
    ]


def test_a_list_without_a_name_is_about_its_first_attribute() -> None:
    pairs = [("eatType", "pub"), ("area", "riverside")]
    assert attributes_to_triples(pairs) == (Triple("pub", "area", "riverside"),)
    assert attributes_to_triples(pairs, "area") == (Triple("riverside", "eatType", "pub"),)
    assert attributes_to_triples(pairs[:1]) == (Triple("pub", "eatType", "pub"),)


def test_a_second_name_is_a_fact() -> None:
    assert parse_triples("name[A], name[B]") == (Triple("A", "name", "B"),)


def test_linearise_names_its_forms() -> None:
    with pytest.raises(UnknownName, match="did you mean 'json'"):
        linearise(TWO, "jsno")
    with pytest.raises(DataError, match="no triples"):
        linearise((), "br")


def test_linearise_refuses_what_it_could_not_read_back() -> None:
    with pytest.raises(DataError, match="'br' cannot hold"):
        linearise([Triple("A | B", "p", "C")], "br")
    with pytest.raises(DataError, match="'attributes' cannot hold"):
        linearise([Triple("A", "p", "B"), Triple("C", "p", "D")], "attributes")


part = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)
triples = st.lists(st.builds(Triple, part, part, part), min_size=1, max_size=4)
word = st.from_regex(r"[A-Za-z0-9_(),.'é\"-]{1,8}( [a-z0-9_.]{1,4})?", fullmatch=True)
plain = st.lists(st.builds(Triple, word, word, word), min_size=1, max_size=4)


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"attributes"}))
@given(graph=plain)
@settings(deadline=None, max_examples=40)
def test_ordinary_triples_round_trip_in_every_form(form: str, graph: list[Triple]) -> None:
    assert parse_triples(linearise(graph, form)) == tuple(graph)


@given(graph=triples, form=st.sampled_from(sorted(FORMS)))
@settings(deadline=None)
@example(graph=[Triple("[S]", "p", "o")], form="br")
@example(graph=[Triple("a", "p", "b &&")], form="square")
@example(graph=[Triple("name[a", "b", "c]")], form="and")
def test_any_triples_round_trip_or_are_refused(graph: list[Triple], form: str) -> None:
    try:
        text = linearise(graph, form)
    except DataError:
        assert form != "json"
    else:
        assert parse_triples(text) == tuple(graph)


@given(pairs=st.lists(st.tuples(st.sampled_from("pqr"), word), min_size=1))
def test_attribute_lists_round_trip(pairs: list[tuple[str, str]]) -> None:
    graph = tuple(Triple("A", *pair) for pair in pairs)
    assert parse_triples(linearise(graph, "attributes")) == graph


@example("<S]")  # a marker opened one way and closed another
@given(st.text(st.sampled_from("AB|<>[]SPOspo&br/ ,\n\"'{}")))
@settings(deadline=None, max_examples=300)
def test_any_string_parses_or_is_a_data_error(text: str) -> None:
    try:
        graph = parse_triples(text)
    except DataError:
        return
    assert graph
    assert all(all(triple) for triple in graph)
