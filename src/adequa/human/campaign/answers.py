"""Whether what a page sends is an answer: every question, each within its scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from adequa.codec.values import kind_of
from adequa.data import Item
from adequa.errors import DataError
from adequa.human.campaign.model import Question

__all__ = ["WrongAnswer", "checked", "checked_seconds", "spans_of", "value_of"]

_MOST = 2**53
LONGEST = 10 * 24 * 3600.0
"""Seconds on a page beyond which a clock is wrong."""


class WrongAnswer(DataError):
    """An answer that cannot be stored; `question` is the name of the one it fails at."""

    def __init__(self, question: str, problem: str, remedy: str) -> None:
        self.question = question
        super().__init__(f"{question!r} {problem}", remedy=remedy)

    def __reduce__(self) -> tuple[object, ...]:
        problem = self.problem.removeprefix(f"{self.question!r} ")
        return WrongAnswer, (self.question, problem, self.remedy)


def checked(questions: Sequence[Question], item: Item, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The answer in the form that is stored: by question a number, or marks and omitted facts."""
    names = [question.name for question in questions]
    for name in sorted(map(str, raw.keys() - set(names))):
        raise WrongAnswer(name, "is not asked", f"asked are {', '.join(names)}")
    values: dict[str, Any] = {}
    for question in questions:
        if question.name not in raw:
            raise WrongAnswer(question.name, "is not answered", "answer every question")
        value = raw[question.name]
        if question.kind == "spans":
            values[question.name] = _marked(question, item, value)
        else:
            values[question.name] = _number(question, value)
    return values


def checked_seconds(seconds: float) -> float:
    """Time on a page, or a DataError where it can be none."""
    if type(seconds) not in (int, float) or not 0 <= seconds <= LONGEST:
        raise DataError(f"{seconds!r} is no time on a page", remedy="send seconds from 0 up")
    return float(seconds)


def value_of(value: Any) -> float:
    """The number a stored answer to a question stands for."""
    if isinstance(value, Mapping):
        return float(len(value["marks"]) + len(value["omitted"]))
    return float(value)


def spans_of(value: Any, item: Item) -> tuple[Mapping[str, Any], ...]:
    """The marks of a stored answer, with the words they cover and the facts left out."""
    if not isinstance(value, Mapping):
        return ()
    marks = [{**mark, "text": item.text[mark["start"] : mark["end"]]} for mark in value["marks"]]
    omitted = [
        {"triple": list(item.triples[index]), "label": "omission"} for index in value["omitted"]
    ]
    return (*marks, *omitted)


def _number(question: Question, value: Any) -> float:
    # Of integers too long for a float, math.isfinite itself fails.
    is_long = type(value) is int and abs(value) > _MOST
    if type(value) not in (int, float) or is_long or not math.isfinite(value):
        raise WrongAnswer(question.name, f"is {kind_of(value)}", "send a finite number")
    if question.kind == "choice":
        choices = [choice.value for choice in question.choices]
        if value not in choices:
            offered = ", ".join(f"{choice:g}" for choice in choices)
            raise WrongAnswer(question.name, f"is {value:g}", f"choose one of {offered}")
    elif not question.low <= value <= question.high:
        raise WrongAnswer(
            question.name, f"is {value:g}", f"choose from {question.low:g} to {question.high:g}"
        )
    return float(value)


def _marked(question: Question, item: Item, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value.keys() <= {"marks", "omitted"}:
        raise WrongAnswer(question.name, "is not a list of marks", "send marks and omitted")
    marks = {
        _mark(question, len(item.text), mark) for mark in _list(question, value.get("marks", []))
    }
    omitted = _list(question, value.get("omitted", []))
    if omitted and not question.omissions:
        raise WrongAnswer(question.name, "does not ask for omissions", "leave 'omitted' empty")
    for index in omitted:
        if type(index) is not int or not 0 <= index < len(item.triples):
            raise WrongAnswer(
                question.name,
                f"leaves out a fact {index!r} that is not in the data",
                f"facts are counted from 0 to {len(item.triples) - 1}",
            )
    return {
        "marks": [
            {"start": start, "end": end, "label": label} for start, end, label in sorted(marks)
        ],
        "omitted": sorted(set(omitted)),
    }


def _mark(question: Question, length: int, mark: Any) -> tuple[int, int, str]:
    if not isinstance(mark, Mapping) or set(mark) != {"start", "end", "label"}:
        raise WrongAnswer(question.name, "has a mark that is none", "send start, end and label")
    start, end, label = mark["start"], mark["end"], mark["label"]
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        raise WrongAnswer(
            question.name,
            f"has a mark from {start!r} to {end!r}",
            f"the text goes from 0 to {length}",
        )
    if label not in question.labels:
        known = ", ".join(question.labels) or "none"
        raise WrongAnswer(question.name, f"has a mark {label!r}", f"known are {known}")
    return start, end, label


def _list(question: Question, value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise WrongAnswer(question.name, f"has {kind_of(value)} for a list", "send a list")
    return value
