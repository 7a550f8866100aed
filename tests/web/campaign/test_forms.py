"""Forms and drafts become answers, or a message for each question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.human.campaign.settings import PRESETS, SPANS
from adequa.web.bodies import parse_form
from adequa.web.campaign.rater import (
    answers_from_form,
    cleaned_draft,
    seconds_in,
    seconds_of,
)

QUESTIONS = (PRESETS["webnlg2017"][0], PRESETS["webnlg2020"][0], SPANS)


def test_a_whole_form() -> None:
    marks = "%5B%7B%22start%22%3A0%7D%5D"
    body = (
        f"q:semantics=3&q:DataCoverage=41,5&marks:errors={marks}&omitted:errors=0&omitted:errors=2"
    )
    raw, problems = answers_from_form(QUESTIONS, parse_form(body.encode()))
    assert problems == {}
    assert raw == {
        "semantics": 3.0,
        "DataCoverage": 41.5,
        "errors": {"marks": [{"start": 0}], "omitted": [0, 2]},
    }


def test_each_unanswered_question_gets_a_message() -> None:
    raw, problems = answers_from_form(QUESTIONS, parse_form(b"q:semantics=&q:DataCoverage=much"))
    assert raw == {"errors": {"marks": [], "omitted": []}}
    assert list(problems) == ["semantics", "DataCoverage", "errors"]
    assert "JavaScript" in problems["errors"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "0x10", "1 2"])
def test_an_answer_must_be_a_number(number: str) -> None:
    raw, problems = answers_from_form(QUESTIONS[:1], {"q:semantics": [number]})
    assert raw == {}
    assert problems


def test_a_fact_that_is_none_is_none_of_the_data() -> None:
    fields = {"marks:errors": ["[]"], "omitted:errors": ["x", "-1", "٣", "9" * 30]}
    assert answers_from_form([SPANS], fields)[0]["errors"]["omitted"] == [-1] * 4


def test_a_draft_keeps_what_can_be_shown() -> None:
    mark = {"start": 1, "end": 4, "label": "not in the data"}
    wrong = [{**mark, "label": "bad"}, {**mark, "end": 1}, {**mark, "start": True}, {"start": 1}, 7]
    raw = {
        "semantics": 2,
        "DataCoverage": "50",
        "errors": {"marks": [mark, *wrong], "omitted": [1, -1, True, "2"]},
        "other": 1,
    }
    assert cleaned_draft(QUESTIONS, raw) == {
        "semantics": 2,
        "errors": {"marks": [mark], "omitted": [1]},
    }
    assert cleaned_draft(QUESTIONS, None) == {}


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


@given(st.dictionaries(st.sampled_from(["semantics", "DataCoverage", "errors"]), _JSON))
def test_no_draft_breaks_a_page(raw: dict[str, object]) -> None:
    draft = cleaned_draft(QUESTIONS, raw)
    assert cleaned_draft(QUESTIONS, draft) == draft


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(3, 3), (2.5, 2.5), ("7.5", 7.5), (-1, 0), ("x", 0), (None, 0), (True, 0), ([], 0),
     (float("nan"), 0), (1e300, 86400), (10**400, 86400)],
)  # fmt: skip
def test_seconds(given: object, seconds: float) -> None:
    assert seconds_of(given) == seconds


def test_without_a_script_seconds_count_from_rendering() -> None:
    made = {"seconds": [""], "shown": ["100.0"], "before": ["5.0"]}
    assert seconds_in(made, 112.0) == 17
    assert seconds_in({**made, "seconds": ["3"]}, 112.0) == 3
    assert seconds_in({}, 112.0) == 0
