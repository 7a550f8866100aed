"""Answers: validated against the questions, stored once, and corrected by their rater alone.

A stored answer has one entry per question: a number, or marks and omitted facts. The functions with
a connection or an assignment work within its transaction.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from adequa.data import Item
from adequa.errors import DataError
from adequa.files import kind_of
from adequa.human.campaign.assignment import Assignment, is_number
from adequa.human.campaign.database import answers, history, slots, sql, visits
from adequa.human.campaign.model import Outcome, OwnSlot, Question

_MOST = 2**53
"""The largest integer up to which a float represents every integer."""
LONGEST = 10 * 24 * 3600.0
"""More seconds than this on a page mean that a clock is wrong; no record of data."""


class WrongAnswer(DataError):
    """An answer that cannot be stored; `question` is the name of the wrong one."""

    def __init__(self, question: str, problem: str, remedy: str) -> None:
        self.question = question
        super().__init__(f"{question!r} {problem}", remedy=remedy)

    def __reduce__(self) -> tuple[object, ...]:
        problem = self.problem.removeprefix(f"{self.question!r} ")
        return WrongAnswer, (self.question, problem, self.remedy)


def validated(questions: Sequence[Question], item: Item, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The answer in stored form; a WrongAnswer unless every question has a value on its scale."""
    names = [question.name for question in questions]
    for name in sorted(map(str, raw.keys() - set(names))):
        raise WrongAnswer(name, "is not asked", f"the questions are {', '.join(names)}")
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


def validated_seconds(seconds: float) -> float:
    """The time on a page, or a DataError for an impossible value."""
    if type(seconds) not in (int, float) or not 0 <= seconds <= LONGEST:
        raise DataError(f"{seconds!r} is not a time on a page", remedy="send seconds from 0 up")
    return float(seconds)


def value_of(value: Any) -> float:
    """A stored answer to a question as a number: the value, or the number of marks."""
    if isinstance(value, Mapping):
        return float(len(value["marks"]) + len(value["omitted"]))
    return float(value)


def spans_of(value: Any, item: Item) -> tuple[Mapping[str, Any], ...]:
    """The marks of a stored answer with the words they cover, and the omitted facts."""
    if not isinstance(value, Mapping):
        return ()
    marks = [{**mark, "text": item.text[mark["start"] : mark["end"]]} for mark in value["marks"]]
    omitted = [
        {"triple": list(item.triples[index]), "label": "omission"} for index in value["omitted"]
    ]
    return (*marks, *omitted)


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold; true and false are not numbers."""
    if type(value) is int:  # math.isfinite fails on integers that are too long for a float
        return abs(value) <= _MOST
    return type(value) is float and math.isfinite(value)


def _number(question: Question, value: Any) -> float:
    if not is_finite(value):
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
                f"has an omitted fact {index!r} that is not in the data",
                f"facts are numbered from 0 to {len(item.triples) - 1}",
            )
    return {
        "marks": [
            {"start": start, "end": end, "label": label} | ({"severity": bad} if bad else {})
            for start, end, label, bad in sorted(marks)
        ],
        "omitted": sorted(set(omitted)),
    }


def mark_fields(question: Question) -> set[str]:
    """What a mark of a question has."""
    return {"start", "end", "label", *(["severity"] if question.severities else [])}


def _mark(question: Question, length: int, mark: Any) -> tuple[int, int, str, str]:
    fields = mark_fields(question)
    if not isinstance(mark, Mapping) or set(mark) != fields:
        named = ", ".join(sorted(fields))
        raise WrongAnswer(question.name, "has an incomplete mark", f"send {named}")
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
    bad = mark.get("severity", "")
    if question.severities and bad not in question.severities:
        known = ", ".join(question.severities)
        raise WrongAnswer(question.name, "has a mark without a severity", f"choose one of {known}")
    return start, end, label, bad


def _list(question: Question, value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise WrongAnswer(question.name, f"has {kind_of(value)} instead of a list", "send a list")
    return value


_TEXT = sql.select(slots.c.text).where(slots.c.number == sql.bindparam("slot_"))
_OWN = (
    sql.select(slots.c.number, slots.c.text, slots.c.task, slots.c.state)
    .where(slots.c.text == sql.bindparam("text_"), slots.c.rater == sql.bindparam("rater_"))
    .with_for_update()
)
_ANSWERED = (
    sql.update(slots).where(slots.c.number == sql.bindparam("slot_")).values(state="answered")
)
_ALIVE = sql.update(slots).where(slots.c.number == sql.bindparam("slot_"))
_NEW_ANSWER = sql.insert(answers)
_KEEP = sql.update(visits).where(
    visits.c.rater == sql.bindparam("rater_"), visits.c.text == sql.bindparam("text_")
)


def text_of(connection: sql.Connection, slot: int) -> int | None:
    """The position of a slot's text, which never changes."""
    if not is_number(slot):
        return None
    return connection.execute(_TEXT, {"slot_": slot}).scalar()


def own_slot_of(connection: sql.Connection, rater: int, text: int) -> OwnSlot | None:
    """The rater's slot of a text, whichever of its slots they were assigned first."""
    row = connection.execute(_OWN, {"text_": text, "rater_": rater}).one_or_none()
    return None if row is None else OwnSlot(*row)


def store_answer(
    desk: Assignment, number: int, text: int, values: Mapping[str, Any], seconds: float
) -> Outcome:
    """Store a validated answer to a text that the rater holds, or held or answered before."""
    rater, connection = desk.rater(number), desk.connection
    if rater is None or rater.status != "eligible":
        return "gone"
    own = own_slot_of(connection, number, text)
    if own is not None and own.state == "answered":
        return _correct(desk, own.number, json.dumps(values), seconds)
    slot = desk.reclaim(rater, text) if own is None else own.number
    if slot is None:
        return "gone"
    longest = max(seconds, _seconds_so_far(desk, number, text))
    row = {"slot": slot, "text": text, "rater": number, "given": json.dumps(values)}
    connection.execute(_NEW_ANSWER, row | {"seconds": longest, "at": desk.now})
    connection.execute(_ANSWERED, {"slot_": slot, "rater": number, "seen": desk.now})
    desk.mark_seen(number)
    return "stored"


def keep_draft(desk: Assignment, number: int, slot: int, draft: str, seconds: float) -> bool:
    """Keep what a rater has entered so far, as a sign of activity; False if the text is gone."""
    rater, connection = desk.rater(number), desk.connection
    text = text_of(connection, slot)
    if rater is None or rater.status != "eligible" or text is None:
        return False
    own = own_slot_of(connection, number, text)
    desk.mark_seen(number)
    if own is not None and own.state == "answered":
        return True
    if own is None:
        holds = sql.select(slots.c.number).where(slots.c.rater == number, slots.c.state == "held")
        if connection.execute(holds).first() is not None:
            return False
        if desk.reclaim(rater, text) is None:
            return False
    else:
        connection.execute(_ALIVE, {"slot_": own.number, "seen": desk.now})
    longest = max(seconds, _seconds_so_far(desk, number, text))
    connection.execute(_KEEP, {"rater_": number, "text_": text, "draft": draft, "seconds": longest})
    return True


def _correct(desk: Assignment, slot: int, given: str, seconds: float) -> Outcome:
    connection = desk.connection
    was = connection.execute(sql.select(answers).where(answers.c.slot == slot)).one()
    if was.given == given:
        return "already"
    row = {"slot": slot, "given": was.given, "seconds": was.seconds, "at": was.at}
    connection.execute(sql.insert(history), row)
    connection.execute(
        sql.update(answers)
        .where(answers.c.slot == slot)
        .values(given=given, seconds=max(seconds, was.seconds), at=desk.now)
    )
    return "stored"


def _seconds_so_far(desk: Assignment, rater: int, text: int) -> float:
    visit = desk.visit(rater, text)
    return 0.0 if visit is None else float(visit.seconds)
