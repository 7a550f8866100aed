"""What a page may send, and what it may not."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import pytest

from adequa.data import Item, Triple
from adequa.human.campaign.answers import (
    WrongAnswer,
    spans_of,
    validated,
    validated_seconds,
    value_of,
)
from adequa.human.campaign.settings import PRESETS, SPANS

TRIPLES = (Triple("Alba", "port", "Oban"), Triple("Alba", "length", "40"))
ITEM = Item("1", TRIPLES, "The Alba 🚢 sails.", "A")
QUESTIONS = (PRESETS["webnlg2017"][0], PRESETS["webnlg2020"][0], SPANS)
NONE = {"marks": [], "omitted": []}
GOOD = {"semantics": 3, "DataCoverage": 37.5, "errors": NONE}


def test_an_answer_is_kept_in_one_form():
    marks = [
        {"start": 9, "end": 10, "label": "not in the data"},
        {"start": 0, "end": 3, "label": "contradicts the data"},
        {"start": 9, "end": 10, "label": "not in the data"},
    ]
    raw = GOOD | {"errors": {"marks": marks, "omitted": [1, 1]}}
    values = validated(QUESTIONS, ITEM, raw)
    assert values["semantics"] == 3.0
    assert values["errors"] == {"marks": [marks[1], marks[0]], "omitted": [1]}
    assert validated(QUESTIONS, ITEM, values) == values
    assert [value_of(value) for value in values.values()] == [3.0, 37.5, 3.0]
    assert spans_of(values["errors"], ITEM) == (
        marks[1] | {"text": "The"},
        marks[0] | {"text": "🚢"},
        {"triple": ["Alba", "length", "40"], "label": "omission"},
    )
    assert spans_of(values["semantics"], ITEM) == ()


def mark(**change: object) -> dict[str, object]:
    one = {"start": 0, "end": 3, "label": "not in the data"} | change
    return {"marks": [one], "omitted": []}


@pytest.mark.parametrize(
    ("change", "question"),
    [
        ({"semantics": 4}, "semantics"),
        ({"semantics": 2.5}, "semantics"),
        ({"semantics": "3"}, "semantics"),
        ({"semantics": True}, "semantics"),
        ({"semantics": None}, "semantics"),
        ({"DataCoverage": math.nan}, "DataCoverage"),
        ({"DataCoverage": math.inf}, "DataCoverage"),
        ({"DataCoverage": -1}, "DataCoverage"),
        ({"DataCoverage": 10**400}, "DataCoverage"),
        ({"beauty": 1}, "beauty"),
        ({"errors": 3}, "errors"),
        ({"errors": {"spans": []}}, "errors"),
        ({"errors": {"marks": {}}}, "errors"),
        ({"errors": {"marks": [3]}}, "errors"),
        ({"errors": mark(start=-1)}, "errors"),
        ({"errors": mark(start=3)}, "errors"),
        ({"errors": mark(end=99)}, "errors"),
        ({"errors": mark(end=2.0)}, "errors"),
        ({"errors": mark(end=True)}, "errors"),
        ({"errors": mark(label="ugly")}, "errors"),
        ({"errors": mark(label=["not in the data"])}, "errors"),
        ({"errors": mark(more=1)}, "errors"),
        ({"errors": {"omitted": [2]}}, "errors"),
        ({"errors": {"omitted": [True]}}, "errors"),
        ({"errors": {"omitted": "0"}}, "errors"),
    ],
)
def test_a_wrong_answer_names_its_question(change, question):
    with pytest.raises(WrongAnswer) as caught:
        validated(QUESTIONS, ITEM, GOOD | change)
    assert caught.value.question == question
    assert question in str(caught.value)
    assert caught.value.remedy
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_every_question_is_to_be_answered():
    for name in GOOD:
        with pytest.raises(WrongAnswer, match="not answered") as caught:
            validated(QUESTIONS, ITEM, {key: value for key, value in GOOD.items() if key != name})
        assert caught.value.question == name


def test_omissions_are_accepted_only_where_they_are_asked_for():
    question = replace(SPANS, omissions=False)
    with pytest.raises(WrongAnswer, match="omissions"):
        validated((question,), ITEM, {"errors": {"marks": [], "omitted": [0]}})


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, "3", True, 1e9])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(Exception, match="time on a page"):
        validated_seconds(seconds)


def test_marks_may_have_a_severity() -> None:
    (question,) = PRESETS["error-types"]
    one = {"start": 0, "end": 3, "label": "misleading", "severity": "major"}
    kept = validated((question,), ITEM, {"errors": {"marks": [one], "omitted": []}})
    assert kept["errors"]["marks"] == [one]
    assert spans_of(kept["errors"], ITEM) == (one | {"text": "The"},)
    for wrong in ({"severity": ""}, {"severity": "fatal"}, {"severity": None}):
        with pytest.raises(WrongAnswer, match="mark without a severity; choose one of minor"):
            validated((question,), ITEM, {"errors": {"marks": [one | wrong], "omitted": []}})
    without = {name: one[name] for name in ("start", "end", "label")}
    with pytest.raises(WrongAnswer, match="incomplete mark; send end, label, severity, start"):
        validated((question,), ITEM, {"errors": {"marks": [without], "omitted": []}})
    with pytest.raises(WrongAnswer, match="incomplete mark"):
        validated((SPANS,), ITEM, {"errors": {"marks": [one | {"label": SPANS.labels[0]}]}})
