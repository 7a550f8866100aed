"""Coded values as words: compass points, days of the week, months and codes in capitals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from adequa.text.sentences import word_set
from adequa.text.values.units import lowered, unit_of_key, words_of_key

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
    for point in _POINTS:
        if word == _name(point, ""):
            return point
    degrees = _DEGREES.fullmatch(word) and unit_of_key(key) in (None, "degree")
    if directed and degrees and float(word) <= _CIRCLE:
        return _POINTS[round(float(word) / 22.5) % 16]
    return None


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


class Sibling(NamedTuple):
    """A word of a text that stands for another kind than the data has."""

    start: int
    end: int
    fact: int


@lru_cache(maxsize=1)
def _families() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The families of kinds: of each its members, of each member its spellings."""
    table = (files("adequa.text") / "resources" / "kinds.txt").read_text(encoding="utf-8")
    rows = [line for line in table.splitlines() if line.strip() and not line.startswith("#")]
    return tuple(
        tuple(tuple(one.strip() for one in member.split("/")) for member in row.split("|"))
        for row in rows
    )


def find_siblings(facts: Sequence[tuple[str, str]], text: str) -> list[Sibling]:
    """Where a text gives another kind of a family than the data, which has one of its kinds.

    A code stands for the kinds that begin with it. Kinds that any value or key of the data has
    are not wrong, and a kind after a negation is not said. `facts` are keys and values.

    >>> find_siblings([("format", "PAPERBACK")], "It is a hardback.")
    [Sibling(start=8, end=16, fact=0)]
    """
    values = [re.sub(r"[\s_-]+", " ", value).strip().lower() for _, value in facts]
    everything = " ".join((*values, *(" ".join(words_of_key(key)) for key, _ in facts)))
    lower = lowered(text)
    found: list[Sibling] = []
    for family in _families():
        known = {
            number: place
            for place, value in enumerate(values)
            for number, member in enumerate(family)
            if len(value) < 40 and any(_is_kind(value, facts[place][1], one) for one in member)
        }
        if not known:
            continue
        for number, member in enumerate(family):
            if number in known or any(
                re.search(rf"\b{re.escape(one.replace('-', ' '))}", everything) for one in member
            ):
                continue
            for one in member:
                for match in re.finditer(rf"(?<![\w-]){re.escape(one)}(?:s|es)?(?![\w-])", lower):
                    before = lower[max(0, match.start() - 24) : match.start()]
                    if not re.search(r"\b(?:not|no|non|than|never|nor|without|neither)\b", before):
                        place = next(iter(known.values()))
                        found.append(Sibling(match.start(), match.end(), place))
    return sorted({one.start: one for one in reversed(found)}.values())


def _is_kind(value: str, written: str, name: str) -> bool:
    """Whether a value of the data is a kind: its words, or a code that its words begin with."""
    plain = name.replace("-", " ")
    if value == plain or re.fullmatch(rf"(?:\w+ )?{re.escape(plain)}(?: \w+)?", value):
        return True
    code = written.strip()
    if not code.isupper() or not 2 <= len(code) <= 8:
        return False
    parts = re.split(r"[\s_-]+", code.lower())
    words = plain.split()
    return len(parts) == len(words) and all(
        len(part) >= 2 and word.startswith(part) for part, word in zip(parts, words, strict=True)
    )
