"""Coded values as words: compass points, days of the week, months and codes in capitals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
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


class Sibling(NamedTuple):
    """A word of a text that stands for another kind than the data has."""

    start: int
    end: int
    fact: int


class _Kinds(NamedTuple):
    """The families of kinds: where each spelling belongs, and a pattern of all of them."""

    places: Mapping[str, frozenset[tuple[int, int]]]
    """Of each spelling the numbers of its families and of its members there."""
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def _kinds() -> _Kinds:
    table = (files("adequa.text") / "resources" / "kinds.txt").read_text(encoding="utf-8")
    rows = [line for line in table.splitlines() if line.strip() and not line.startswith("#")]
    places: dict[str, set[tuple[int, int]]] = {}
    for family, row in enumerate(rows):
        for member, spellings in enumerate(row.split("|")):
            for one in spellings.split("/"):
                places.setdefault(one.strip().replace("-", " "), set()).add((family, member))
    longest = sorted(places, key=len, reverse=True)
    names = "|".join(re.escape(one).replace("\\ ", "[ -]") for one in longest)
    pattern = re.compile(rf"(?<![\w-])(?P<kind>{names})(?:s|es)?(?![\w-])")
    return _Kinds({one: frozenset(found) for one, found in places.items()}, pattern)


@lru_cache(maxsize=4096)
def _kinds_of(written: str) -> frozenset[tuple[int, int]]:
    """The kinds that a value of the data is: by its words, or as a code that theirs begin with."""
    if len(written) > _LONGEST_KIND:
        return frozenset()
    kinds = _kinds().places
    words = re.sub(r"[\s_-]+", " ", written).strip().lower().split()
    parts: tuple[list[str], ...] = (words, words[1:], words[:-1], words[1:-1])
    if {"semi", "non", "half", "part"} & {*words}:
        parts = (words,)
    found = {kind for part in parts for kind in kinds.get(" ".join(part), ())}
    if written.isupper() and len(written) <= _LONGEST_CODE and min(map(len, words), default=0) > 1:
        for name, places in kinds.items():
            full = name.split()
            if len(full) == len(words) and all(map(str.startswith, full, words)):
                found |= places
    return frozenset(found)


_LONGEST_KIND, _LONGEST_CODE = 40, 8
_DENIED = re.compile(r"\b(?:not|no|non|than|never|nor|without|neither)\b")


def find_siblings(facts: Sequence[tuple[str, str]], text: str) -> list[Sibling]:
    """Where a text gives another kind of a family than the data, which has one of its kinds.

    A code stands for the kinds that begin with it. Kinds that any value or key of the data has
    are not wrong, and a kind after a negation is not said. `facts` are keys and values.

    >>> find_siblings([("format", "PAPERBACK")], "It is a hardback.")
    [Sibling(start=8, end=16, fact=0)]
    """
    lower = lowered(text)
    said = [
        (match, _kinds().places[match["kind"].replace("-", " ")])
        for match in _kinds().pattern.finditer(lower)
        if not _DENIED.search(lower, max(0, match.start() - 24), match.start())
    ]
    if not said:
        return []
    known: dict[tuple[int, int], int] = {}
    for place, (_, value) in enumerate(facts):
        for kind in _kinds_of(value.strip()):
            known.setdefault(kind, place)
    families = {family: place for (family, _), place in reversed(known.items())}
    fields: dict[str, list[frozenset[tuple[int, int]]]] = {}
    for key, value in facts:
        fields.setdefault(key, []).append(_kinds_of(value.strip()))
    for family, place in [*families.items()]:
        # Other objects may have a kind that the table does not know: it may be a synonym.
        if any(all(one != family for one, _ in kinds) for kinds in fields[facts[place][0]]):
            del families[family]
    everything = " ".join(
        " ".join(re.split(r"[\s_-]+", part.lower())) for fact in facts for part in fact
    )
    return [
        Sibling(match.start(), match.end(), families[family])
        for match, kinds in said
        for family, member in sorted(kinds)[:1]
        if family in families and not any(kind in known for kind in kinds)
        if not re.search(rf"\b{re.escape(match['kind'].replace('-', ' '))}", everything)
        and (family, member) not in known
    ]
