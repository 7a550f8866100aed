"""The JSON contract: lossless both ways, and strict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.codec import (
    item_from_object,
    item_to_object,
    rating_from_object,
    rating_to_object,
    result_from_object,
    result_to_object,
    score_from_object,
    score_to_object,
)
from adequa.data import Fact, Finding, Item, Mention, Rating, Result, Score, Term, Triple
from adequa.errors import DataError
from adequa.files import dump_line, load_object

BASE: dict[str, Any] = {"id": "1", "triples": [["a", "b", "c"]], "text": "a text"}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = texts.filter(bool)
numbers = st.floats(0, 1).map(lambda value: round(value, 6))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
triples = st.builds(Triple, words, words, words)
items = st.builds(
    Item,
    id=words,
    triples=st.lists(triples, min_size=1, max_size=4).map(tuple),
    text=texts,
    system=texts,
    category=st.none() | texts,
    lang=st.none() | texts,
    references=st.lists(texts, max_size=3).map(tuple),
    terms=st.dictionaries(
        texts,
        st.builds(Term, label=words, iri=st.none() | words, datatype=st.none() | words),
        max_size=2,
    ),
    meta=st.dictionaries(texts, json_values, max_size=3),
)
spans = st.none() | st.integers(0, 100)
scores = st.builds(
    Score,
    value=st.none() | numbers,
    statistics=st.lists(st.floats(-1e9, 1e9), max_size=3).map(tuple),
    mentions=st.lists(
        st.builds(Mention, words, st.integers(0, 9), st.integers(0, 9), words, numbers), max_size=2
    ).map(tuple),
    facts=st.lists(
        st.builds(Fact, triples, st.sampled_from(["stated", "missing"]), numbers, spans, spans),
        max_size=2,
    ).map(tuple),
    findings=st.lists(
        st.builds(
            Finding,
            words,
            st.sampled_from(["omission", "hallucination"]),
            words,
            words,
            triple=st.none() | triples,
            entity=st.none() | words,
            start=spans,
            end=spans,
            confidence=st.none() | numbers,
        ),
        max_size=2,
    ).map(tuple),
    verdict=st.sampled_from([None, "OK", "omission"]),
    confidence=st.none() | st.sampled_from([0.0, 0.25, 0.987654]),
    reason=st.none() | words,
)


@given(items)
def test_an_item_survives_its_line(item: Item) -> None:
    line = dump_line(item_to_object(item))
    assert line.count("\n") == 1
    assert item_from_object(load_object(line)) == item


@given(items, scores)
def test_a_result_survives_its_line(item: Item, score: Score) -> None:
    result = Result(
        item,
        scores={"m": score.value},
        mentions=score.mentions,
        facts=score.facts,
        findings=score.findings,
        verdicts={"m": score.verdict} if score.verdict else {},
        verdict=score.verdict,
        confidence=score.confidence,
        statistics={"m": score.statistics} if score.statistics else {},
        reasons={"m": "why"} if score.value is None else {},
    )
    assert result_from_object(load_object(dump_line(result_to_object(result)))) == result


def test_a_line_of_an_older_run_has_no_confidence() -> None:
    raw = result_to_object(Result(item_from_object(BASE), {"m": 1.0}, verdict="OK", confidence=0.9))
    assert raw["confidence"] == 0.9
    del raw["confidence"]
    old = result_from_object(load_object(dump_line(raw)))
    assert (old.verdict, old.confidence) == ("OK", None)


@given(scores)
def test_a_score_survives_the_cache(score: Score) -> None:
    assert score_from_object(load_object(dump_line(score_to_object(score)))) == score


@given(
    st.builds(
        Rating,
        words,
        texts,
        texts,
        words,
        st.floats(-1e6, 1e6),
        seconds=st.none() | st.floats(0, 1e4),
        round=st.none() | texts,
        spans=st.lists(st.dictionaries(texts, json_values, max_size=2), max_size=2).map(tuple),
        meta=st.dictionaries(texts, json_values, max_size=2),
    )
)
def test_a_rating_survives_its_line(rating: Rating) -> None:
    assert rating_from_object(load_object(dump_line(rating_to_object(rating)))) == rating


def test_unknown_fields_go_to_meta() -> None:
    item = item_from_object({**BASE, "colour": "red", "meta": {"seen": False}})
    assert item.meta == {"seen": False, "colour": "red"}


def test_a_whole_number_is_an_id() -> None:
    assert item_from_object({**BASE, "id": 29}).id == "29"


def test_linearised_triples_are_triples() -> None:
    item = item_from_object({**BASE, "triples": "a | b | c && d | e | f"})
    assert item.triples == (Triple("a", "b", "c"), Triple("d", "e", "f"))


def test_a_null_text_is_an_empty_one_and_is_remembered() -> None:
    item = item_from_object({**BASE, "text": None})
    assert (item.text, item.meta) == ("", {"text": None})


def test_a_bare_item_needs_no_text() -> None:
    raw = {"id": "1", "triples": [["a", "b", "c"]]}
    assert item_from_object(raw, bare=True).text == ""
    with pytest.raises(DataError, match="has no 'text'"):
        item_from_object(raw)


def test_the_kept_numbers_have_six_decimals() -> None:
    result = Result(item_from_object(BASE), {"m": 1 / 3})
    assert result_to_object(result)["scores"] == {"m": 0.333333}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, "'id' is null"),
        ({"id": ""}, "'id' is empty"),
        ({"id": True}, "'id' is true or false"),
        ({"text": ["a"]}, "'text' is a list"),
        ({"triples": []}, "'triples' is empty"),
        ({"triples": {}}, "'triples' is an object"),
        ({"triples": [["a", "b"]]}, "triple 1 is not"),
        ({"triples": [["a", "b", "c"], ["a", "b", 3]]}, "triple 2 has a part that is not a string"),
        ({"triples": [["a", "", "c"]]}, "triple 1 has an empty part"),
        ({"triples": "nonsense"}, "."),
        ({"system": 3}, "'system' is a number"),
        ({"references": "one text"}, "'references' is not a list of strings"),
        ({"references": [["transposed"]]}, "'references' is not a list of strings"),
        ({"terms": [1]}, "'terms' is a list"),
        ({"terms": {"a": "b"}}, "the term 'a'"),
        ({"terms": {"a": {"name": "b"}}}, "the term 'a'"),
        ({"terms": {"a": {"label": 3}}}, "the term 'a' has a part"),
        ({"meta": [1]}, "'meta' is a list"),
        ({"meta": {"x": 1}, "x": 2}, "'x' is both"),
    ],
)
def test_what_breaks_the_contract_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        item_from_object({**BASE, **change})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": -Infinity}', "-Infinity is not"),
        ("{", "is not JSON"),
        ("", "is not JSON"),
        ("\ufeff{}", "byte order mark"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 10_000, "number that cannot be read"),
        (r'{"a": "\ud800"}', "surrogate"),
        ('{"a": "\0"}', "is not JSON"),
    ],
)
def test_a_line_that_is_not_strict_json_is_refused(line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_object(line)


def test_a_surrogate_pair_is_a_character() -> None:
    assert load_object(r'"\ud83d\ude00"') == "😀"


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"scores": {}},
        {**BASE, "scores": {}},
        {**BASE, "scores": {}, "mentions": [{}], "facts": [], "findings": []},
    ],
)
def test_a_line_that_is_not_a_result_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(DataError):
        result_from_object(json.loads(json.dumps(raw)))


@pytest.mark.parametrize(
    "change",
    [{"value": "3"}, {"value": None}, {"id": None}, {"rater": 1.5}, {"spans": "a"}, {"meta": 1}],
)
def test_a_broken_rating_is_refused(change: dict[str, Any]) -> None:
    raw = {"id": "1", "system": "S", "rater": "r", "criterion": "c", "value": 1}
    assert rating_from_object(raw).value == 1.0
    with pytest.raises(DataError):
        rating_from_object({**raw, **change})


def test_labels_by_language_are_kept() -> None:
    terms = {"Vienna": Term(labels={"de": "Wien"}), "Bex": Term("Bex")}
    item = Item("1", (Triple("Vienna", "near", "Bex"),), "Wien.", terms=terms)
    raw = item_to_object(item)
    assert raw["terms"] == {"Vienna": {"labels": {"de": "Wien"}}, "Bex": {"label": "Bex"}}
    assert item_from_object(raw) == item
    assert hash(terms["Vienna"]) == hash(Term())


@pytest.mark.parametrize("labels", ["Wien", {"de": 3}])
def test_labels_are_strings_by_language(labels: Any) -> None:
    raw = {"id": "1", "triples": [["a", "b", "c"]], "text": "", "terms": {"a": {"labels": labels}}}
    with pytest.raises(DataError, match="the labels of the term 'a' are not an object of strings"):
        item_from_object(raw)
