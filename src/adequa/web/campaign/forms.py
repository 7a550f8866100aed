"""Form fields and drafts turned into answers, with a message for each that is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adequa.human.campaign.model import Question
from adequa.web.bodies import Fields, parse_json_value

_LONGEST_SECONDS = 24 * 3600.0


def answers_from_form(
    questions: Iterable[Question], fields: Fields
) -> tuple[dict[str, Any], dict[str, str]]:
    """The answers by question, and a message for each question that lacks one."""
    raw: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for question in questions:
        name = question.name
        if question.kind == "spans":
            marks = _marks(question, fields, problems)
            omitted = [_whole(one) for one in fields.get(f"omitted:{name}", ())]
            raw[name] = {"marks": marks, "omitted": omitted}
            continue
        given = (fields.get(f"q:{name}") or [""])[-1].strip()
        number = _number(given)
        if number is not None:
            raw[name] = number
        elif given:
            problems[name] = "This is not a number."
        else:
            kind = question.kind
            problems[name] = "Choose one." if kind == "choice" else "Set a value."
    return raw, problems


def _marks(question: Question, fields: Fields, problems: dict[str, str]) -> Any:
    if not question.labels:
        return []
    # Left empty by the server and filled by the script: "[]" means no marks, "" no script.
    given = (fields.get(f"marks:{question.name}") or [""])[-1]
    if not given:
        problems[question.name] = "Marking needs JavaScript: turn it on and reload the page."
        return []
    return parse_json_value(given.encode("utf-8", "replace"))


def cleaned_draft(questions: Iterable[Question], raw: object) -> dict[str, Any]:
    """The parts of a draft that can be shown again; the rest is dropped."""
    given: Mapping[Any, Any] = raw if isinstance(raw, Mapping) else {}
    draft: dict[str, Any] = {}
    for question in questions:
        value: Any = given.get(question.name)
        if question.kind != "spans":
            if type(value) in (int, float) and math.isfinite(value):
                draft[question.name] = value
        elif isinstance(value, Mapping):
            marks, omitted = value.get("marks"), value.get("omitted")
            draft[question.name] = {
                "marks": [one for one in _list(marks) if _is_mark(question, one)],
                "omitted": [one for one in _list(omitted) if type(one) is int and one >= 0],
            }
    return draft


def seconds_of(given: object) -> float:
    """Seconds on a page as sent, limited to a day: a wrong clock is no reason to fail."""
    number = _number(given) if isinstance(given, str) else given
    if not isinstance(number, int | float) or isinstance(number, bool) or number != number:
        return 0.0
    return float(min(max(0.0, number), _LONGEST_SECONDS))


def seconds_in(fields: Fields, now: float) -> float:
    """Seconds on a page as its script counted them; without a script, since it was rendered."""
    given, made, before = (
        (fields.get(name) or [""])[-1] for name in ("seconds", "shown", "before")
    )
    if given:
        return seconds_of(given)
    since = _number(made)
    return seconds_of(seconds_of(before) + (seconds_of(now - since) if since else 0.0))


def _is_mark(question: Question, mark: object) -> bool:
    return (
        isinstance(mark, Mapping)
        and set(mark) == {"start", "end", "label"}
        and type(mark["start"]) is int
        and type(mark["end"]) is int
        and 0 <= mark["start"] < mark["end"]
        and mark["label"] in question.labels
    )


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _number(given: str) -> float | None:
    try:
        number = float(given.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _whole(given: str) -> int:
    """The place of a fact; -1, which no data has, if it is not a number."""
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else -1
