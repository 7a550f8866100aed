"""Templates and the files beside them, read once; every page is made here, its values escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from adequa.human.campaign.model import Question
from adequa.web.templates import page_environment, version_of

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC: Mapping[str, str] = {
    "campaign.css": "text/css; charset=utf-8",
    "campaign.js": "text/javascript; charset=utf-8",
    "marks.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def rendered(template: str, **values: Any) -> bytes:
    """A page; what UTF-8 cannot hold is shown as a question mark."""
    return _environment().get_template(template).render(**values).encode("utf-8", "replace")


@cache
def static_file(name: str) -> bytes:
    """A file that the pages load."""
    return (files("adequa.web.campaign") / "static" / name).read_bytes()


@cache
def _environment() -> Environment:
    made = page_environment("adequa.web.campaign")
    made.filters |= {"number": _number, "duration": _duration, "ago": _ago, "percent": _percent}
    made.globals |= {"version": version_of(STATIC, static_file), "step": _step}
    return made


def _number(value: float) -> str:
    """As people write it: 3, not 3.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _step(question: Question) -> str:
    """Of a slider: whole numbers where there are enough of them, else a hundredth of the way."""
    whole = question.low.is_integer() and question.high.is_integer()
    distance = question.high - question.low
    return "1" if whole and distance >= 10 else repr(distance / 100)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _ago(seconds: float | None) -> str:
    """How long ago, in the largest unit that fits."""
    if seconds is None:
        return "never"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = math.floor(seconds / size)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "now"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"
