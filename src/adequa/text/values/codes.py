"""Coded values as words: compass points, days of the week, months and codes in capitals."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from adequa.text.sentences import word_set
from adequa.text.values.units import unit_of_key, words_of_key

_POINTS = (
    "n", "nne", "ne", "ene", "e", "ese", "se", "sse", "s", "ssw", "sw", "wsw", "w", "wnw", "nw",
    "nnw",
)  # fmt: skip
_SIDES = {"n": "north", "e": "east", "s": "south", "w": "west"}
_WIND_WORDS = word_set(
    "wind direction dir deg heading bearing drift toward towards orientation facing aspect course"
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_DEGREES = re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?")
_CODE = re.compile(r"[A-Z]+(?:[_-][A-Z]+)+|[a-z]+(?:[_][a-z]+)+")
_CIRCLE = 360.0


def compass_point(value: str, key: str) -> str | None:
    """The compass point of a value (`NW`, `north-west`, or degrees), as letters.

    Letters and degrees count only where the key speaks of a direction.

    >>> compass_point("NW", "wind_dir"), compass_point("315", "wind.deg"), compass_point("E", "x")
    ('nw', 'nw', None)
    """
    word = re.sub(r"[\s_-]", "", value.strip().lower())
    directed = bool(_WIND_WORDS.intersection(words_of_key(key)))
    if word in _POINTS:
        return word if directed else None
    if word in _points_by_name():
        return _points_by_name()[word]
    degrees = _DEGREES.fullmatch(word) and unit_of_key(key) in (None, "degree")
    if directed and degrees and float(word) <= _CIRCLE:
        return _POINTS[round(float(word) / 22.5) % 16]
    return None


@cache
def _points_by_name() -> dict[str, str]:
    return {_name(point, ""): point for point in _POINTS}


def _name(point: str, glue: str) -> str:
    """`nnw` is north-north-west."""
    sides = [_SIDES[letter] for letter in point]
    return glue.join(sides)


@lru_cache(maxsize=1024)
def compass_words(point: str) -> tuple[str, ...]:
    """The ways to write a compass point: "north-west", "northwesterly", "NW".

    A text may give a finer point by the nearest coarser ones: "north" or "north-west" for NNW.

    >>> compass_words("nw")[:3]
    ('northwest', 'north-west', 'north west')
    """
    near = [point] if len(point) < 3 else [point, point[0], point[1:]]
    names: list[str] = []
    for one in near:
        for glue in ("", "-", " "):
            name = _name(one, glue)
            names += [name, f"{name}erly", f"{name}ern", f"{name}erlies"]
    return tuple(
        dict.fromkeys(
            [*sorted(names, key=lambda name: name.endswith(("y", "n", "s"))), point.upper()]
        )
    )


@lru_cache(maxsize=4096)
def spellings_of(key: str, value: str) -> tuple[str, ...]:
    """Other ways in which a text may write a coded value; empty for a value that is not a code.

    >>> spellings_of("status", "IN_STOCK"), spellings_of("day", "tue")
    (('in stock',), ('tuesday',))
    """
    if point := compass_point(value, key):
        return compass_words(point)
    word = value.strip().lower()
    for names in (_DAYS, _MONTHS):
        found = [name for name in names if word in (name[:3], name[:4]) and word != name]
        if found:
            return tuple(found)
    return (word.replace("_", " ").replace("-", " "),) if _CODE.fullmatch(value.strip()) else ()
