"""Properties of everything that parses what a client sent: a value within bounds, or a refusal."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Item
from adequa.human.campaign.settings import PRESETS, SPANS
from adequa.web.api.app import ScoreEndpoints, chosen_labels, parse_format, server_bodies
from adequa.web.api.engine import ScoringEngine
from adequa.web.campaign.rater import answers_from_form, cleaned_draft, seconds_of
from adequa.web.errors import Refusal
from adequa.web.limits import (
    RequestLimits,
    bytes_of,
    parse_form,
    parse_json,
    parse_json_value,
    whole_number,
)
from adequa.web.security import Sessions, SignedTokens
from adequa.web.workbench.index import TextSelection

from .conftest import SMALL

QUESTIONS = (*PRESETS["webnlg2017"], *PRESETS["webnlg2020"], SPANS)
text = st.text(st.characters(exclude_categories=["Cs"]))
number = st.integers(-(10**400), 10**400) | st.floats()
finite = st.integers(-(10**200), 10**200) | st.floats(allow_nan=False, allow_infinity=False)
value = st.recursive(
    st.none() | st.booleans() | finite | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


def refused_or(parse: Callable[[Any], Any], given_: Any) -> Any:
    """What a parser makes of something; None if it refuses it with a status of the client's."""
    try:
        return parse(given_)
    except Refusal as error:
        refusal = error
    assert 400 <= refusal.status < 500
    assert len(refusal.message) < 1000
    return None


@given(st.dictionaries(text, value, max_size=5))
def test_an_object_is_parsed_as_it_was_written(raw: dict[str, Any]) -> None:
    for ascii_ in (True, False):
        body = json.dumps(raw, ensure_ascii=ascii_).encode()
        assert parse_json(body) == raw


@given(
    st.binary(max_size=300) | text.map(str.encode) | value.map(lambda one: json.dumps(one).encode())
)
def test_any_bytes_are_an_object_or_refused(body: bytes) -> None:
    found = refused_or(parse_json, body)
    assert found is None or type(found) is dict
    if found is not None:
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()


@given(st.dictionaries(text, finite, min_size=1, max_size=8), st.data())
def test_a_name_that_occurs_twice_is_always_refused(raw: dict[str, Any], data: Any) -> None:
    twice = data.draw(st.sampled_from(sorted(raw)))
    pairs = data.draw(st.permutations([*raw.items(), (twice, 0)]))
    body = "{" + ",".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in pairs) + "}"
    with pytest.raises(Refusal, match="twice"):
        parse_json(body.encode())


@given(value, st.integers(1, 6), st.integers(0, 12), st.integers(0, 12))
def test_no_value_beyond_a_bound_is_let_through(
    raw: Any, depth: int, keys: int, values: int
) -> None:
    limits = RequestLimits(max_depth=depth, max_keys=keys, max_values=values)
    found = refused_or(lambda body: [parse_json_value(body, limits)], json.dumps(raw).encode())
    if found is not None:
        levels, names, count = _size(raw)
        assert levels <= depth
        assert names <= keys
        assert count - 1 <= values


def _size(raw: Any) -> tuple[int, int, int]:
    inner = list(raw.values()) if type(raw) is dict else raw if type(raw) is list else []
    sizes = [_size(one) for one in inner]
    levels = (type(raw) in (dict, list)) + max((size[0] for size in sizes), default=0)
    names = (len(raw) if type(raw) is dict else 0) + sum(size[1] for size in sizes)
    return levels, names, 1 + sum(size[2] for size in sizes)


@given(st.lists(st.tuples(text, text), max_size=8))
def test_a_form_is_parsed_as_it_was_sent(pairs: list[tuple[str, str]]) -> None:
    fields = parse_form(urlencode(pairs).encode())
    sent: dict[str, list[str]] = {}
    for name, one in pairs:
        sent.setdefault(name, []).append(one)
    assert fields == sent


@given(st.binary(max_size=300))
def test_any_bytes_are_a_form_or_refused(body: bytes) -> None:
    refused_or(parse_form, body)


@pytest.fixture(scope="module")
def endpoints(engine: ScoringEngine) -> ScoreEndpoints:
    return ScoreEndpoints(engine, SMALL, server_bodies(SMALL))


items = st.fixed_dictionaries(
    {},
    optional={
        "id": value,
        "triples": st.lists(st.lists(text, max_size=4), max_size=4) | text | value,
        "text": text | value,
        "references": st.lists(text, max_size=3) | value,
        "lang": value,
        "meta": value,
        "terms": value,
        "metrics": st.lists(st.sampled_from(["esa", "chrf", "x", "esa:a=1"]), max_size=3) | value,
        "items": value,
        "record": value,
        "other": value,
    },
)


@settings(max_examples=300)
@given(raw=items | st.fixed_dictionaries({"items": st.lists(items, max_size=3)}))
def test_a_request_to_score_is_items_within_bounds_or_refused(
    endpoints: ScoreEndpoints, raw: dict[str, Any]
) -> None:
    found = refused_or(endpoints.read, raw)
    if found is None:
        return
    scored, labels, is_single = found
    assert labels
    assert set(labels) <= set(endpoints.engine.metrics)
    assert is_single is (len(scored) == 1 and "items" not in raw)
    for item in scored:
        assert isinstance(item, Item)
        assert len(item.triples) <= SMALL.max_triples
        assert len(item.text) <= SMALL.max_text


@given(given_=value)
def test_metrics_are_those_of_the_server_or_refused(engine: ScoringEngine, given_: Any) -> None:
    found = refused_or(lambda one: chosen_labels(one, engine), given_)
    assert found is None or set(found) <= set(engine.metrics)


formats = st.sampled_from(["csv", "jsonl", "records", "webnlg", "rdf", "tsv", "x", ""])
options = st.sampled_from(["mapping", "delimiter", "instance_types", "base", "lang", "quotes", ""])


@settings(max_examples=300)
@given(
    formats,
    st.lists(st.tuples(options, text), max_size=4),
    st.sampled_from([",", ",,", ", ", "\\,", "," * 1000]),
)
def test_no_format_names_a_file_of_the_server(
    name: str, pairs: list[tuple[str, str]], comma: str
) -> None:
    from adequa.readers import load_reader
    from adequa.settings import Spec

    written = f"{name}:" + comma.join(f"{key}={one}" for key, one in pairs)
    accepted = refused_or(parse_format, written)
    if accepted is not None:
        spec = Spec.parse(accepted)  # as the process that scores will parse it
        reader = load_reader(spec.name, **spec.settings)
        for path in ("mapping", "instance_types"):
            assert getattr(reader, path, None) is None


@given(
    st.dictionaries(st.sampled_from([one.name for one in QUESTIONS]), value | number, max_size=5)
)
def test_a_draft_is_what_a_page_can_show_again(raw: dict[str, Any]) -> None:
    draft = cleaned_draft(QUESTIONS, raw)
    json.dumps(draft, allow_nan=False)
    assert cleaned_draft(QUESTIONS, draft) == draft


@given(st.dictionaries(text, st.lists(text, min_size=1, max_size=2), max_size=5), text)
def test_any_form_is_answers_and_problems(fields: dict[str, list[str]], marks: str) -> None:
    sent = {**fields, "marks:errors": [marks], "q:grammar": [marks]}
    found = refused_or(lambda one: answers_from_form(QUESTIONS, one), sent)
    if found is not None:
        raw, problems = found
        assert {one.name for one in QUESTIONS} == raw.keys() | problems.keys()


@given(value | number | text)
def test_seconds_are_within_a_day(given_: Any) -> None:
    assert 0 <= seconds_of(given_) <= 24 * 3600


@given(text | st.integers().map(str))
def test_numbers_and_sizes_are_bounded(given_: str) -> None:
    from adequa.errors import SettingError

    found = whole_number(given_)
    assert found is None or (0 <= found < 10**12 and int(given_) == found)
    with contextlib.suppress(SettingError):
        assert bytes_of(given_) >= 0


@given(text)
def test_any_cookie_and_token_of_a_stranger_is_nobody(given_: str) -> None:
    tokens = SignedTokens(b"k" * 32)
    for sessions in (Sessions(tokens, "rater", is_numbered=True), Sessions(tokens, "organiser")):
        own = sessions.new(7 if sessions.is_numbered else 0)
        assert sessions.find({sessions.cookie_name: own.cookie}) == own
        assert sessions.find({sessions.cookie_name: given_}) is None
        assert sessions.find({sessions.cookie_name: own.cookie + given_ + "x"}) is None
        assert not sessions.is_form_token(own, given_)
    assert tokens.number("rater", given_) is None


@given(st.dictionaries(st.sampled_from(["search", "system", "size", "sort"]), text))
def test_the_query_of_a_page_is_read_and_written_again(query: dict[str, str]) -> None:
    choice = TextSelection.read(query)
    assert TextSelection.read(
        {k: v[-1] for k, v in parse_form(choice.query().encode()).items()}
    ) == (choice)
