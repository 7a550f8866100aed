"""Raters who always answer the same."""

from __future__ import annotations

import pytest

from adequa.data import Rating
from adequa.errors import SettingError
from adequa.human.judgments import Scale
from adequa.human.quality.raters import AnswerPattern, patterns

SHORT = {name: Scale(1, 3) for name in ("fluency", "grammar", "semantics")}
SLIDER = {"fluency": Scale(0, 100, 5)}


def judged(rater: str, *answers: str) -> list[Rating]:
    """Each text as "fluency-grammar-semantics"."""
    return [
        Rating(f"Id{number}", "T5", rater, name, float(value))
        for number, answer in enumerate(answers)
        for name, value in zip(SHORT, answer.split("-"), strict=True)
        if value != "x"
    ]


def slid(rater: str, *values: float) -> list[Rating]:
    return [Rating(f"Id{n}", "T5", rater, "fluency", value) for n, value in enumerate(values)]


def test_always_the_same_pattern_needs_more_than_ten_texts():
    for count, reason in ((10, ""), (11, "always 2-3-3 (11 texts; nobody else judged them)")):
        found = patterns(judged("ann", *["2-3-3"] * count), SHORT)["ann"]
        assert found.reason == reason
        assert found.constant == bool(reason)
    assert patterns(judged("ann", *["2-3-3"] * 3), SHORT, least=2)["ann"].constant


def test_a_share_of_one_pattern_stands_beside_that_of_the_others():
    ann = judged("ann", *["3-3-3"] * 19, "1-1-1")
    bob = judged("bob", *["3-3-3"] * 5, *["1-2-3"] * 15)
    found = patterns([*ann, *bob], SHORT)
    assert found["ann"] == AnswerPattern(20, "3-3-3", 0.95, 0.25, 1.0, True)
    assert found["ann"].reason == "3-3-3 in 95% of 20 texts; others: 25%"
    assert not found["ann"].constant
    assert found["bob"].reason == ""


def test_who_answers_as_all_others_do_is_not_reported():
    both = [*judged("ann", *["3-3-3"] * 20), *judged("bob", *["3-3-3"] * 20)]
    assert [one.reason for one in patterns(both, SHORT).values()] == ["", ""]


def test_an_answer_that_was_not_given_is_shown():
    found = patterns(judged("ann", "1-x-3"), SHORT)["ann"]
    assert found.common == "1-·-3"


def test_of_equally_common_patterns_the_first_by_the_alphabet():
    assert patterns(judged("ann", "2-2-2", "1-1-1"), SHORT)["ann"].common == "1-1-1"


def test_near_constant_sliders():
    close = slid("ann", *[50 + number % 5 for number in range(20)])
    found = patterns(close, SLIDER)["ann"]
    assert found.constant
    assert found.reason == "nearly always 50: within 4% of the scale"
    wide = slid("ann", *[41, *[50] * 19])
    assert not patterns(wide, SLIDER)["ann"].constant
    assert "50 in 100% of 20 texts" in patterns(wide, SLIDER)["ann"].reason


def test_wrong_use_is_said():
    with pytest.raises(SettingError, match="0 or more"):
        patterns(judged("ann", "1-1-1"), SHORT, least=-1)
