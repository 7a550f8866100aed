"""What a form or a page's script sends, turned into answers, with words for what is missing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from adequa.human.campaign.model import Question
from adequa.web.limits import CampaignRefusal

Fields = Mapping[str, Sequence[str]]
_MOST_FIELDS = 5000
_LONGEST_SECONDS = 24 * 3600.0
_UNREADABLE = CampaignRefusal(400, "The page sent something that cannot be read. Please reload it.")


def read_form(body: bytes) -> Fields:
    """The fields of a form, each with all its values."""
    try:
        return parse_qs(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise _UNREADABLE from None


def read_object(body: bytes) -> Mapping[str, Any]:
    """The JSON object that a page's script sends."""
    value = _loaded(body)
    if type(value) is not dict:
        raise _UNREADABLE
    return value


def answers_from_form(
    questions: Iterable[Question], fields: Fields
) -> tuple[dict[str, Any], dict[str, str]]:
    """By question what was answered, and words for each that was not."""
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
            problems[name] = "Please choose one." if kind == "choice" else "Please set a value."
    return raw, problems


def _marks(question: Question, fields: Fields, problems: dict[str, str]) -> Any:
    if not question.labels:
        return []
    # Left empty by the server and filled by the script: no marks is "[]", no script is "".
    given = (fields.get(f"marks:{question.name}") or [""])[-1]
    if not given:
        problems[question.name] = "Marking needs JavaScript: please turn it on and reload the page."
        return []
    return _loaded(given.encode("utf-8", "replace"))


def cleaned_draft(questions: Iterable[Question], raw: object) -> dict[str, Any]:
    """What of a draft can be shown again: anything else is dropped, for a draft is no answer."""
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
    """Time on a page as sent, held within a day: a clock that went astray is no reason to fail."""
    number = _number(given) if isinstance(given, str) else given
    if not isinstance(number, int | float) or isinstance(number, bool) or number != number:
        return 0.0
    return float(min(max(0.0, number), _LONGEST_SECONDS))


def seconds_in(fields: Fields, now: float) -> float:
    """Time on a page as its script counted it; without a script, since the page was made."""
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


def _loaded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise _UNREADABLE from None


def _number(given: str) -> float | None:
    try:
        number = float(given.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _whole(given: str) -> int:
    """A fact's place, or one that no data has."""
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else -1
