"""Triples in one string: the linearised forms people have, read and written.

A | p | B <br> C | q | D      bars; triples separated by `<br>`, ` && ` or a newline
[S] A [P] p [O] B [S] C …     markers, in square or angle brackets, also H R T and whole words
[["A", "p", "B"], …]          JSON
name[A], p[B], …              an attribute list, as E2E writes it

Anything else is a DataError that says how it was understood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from adequa.data import Triple
from adequa.errors import DataError, UnknownName
from adequa.files import kind_of, load_object

DEFAULT_SUBJECT = "name"
_REMEDY = "write name[Blue Spice], eatType[pub]"


def parse_attributes(text: str) -> list[tuple[str, str]]:
    """The pairs of a list; a value keeps its commas, and its brackets where they are balanced.

    >>> parse_attributes("near[Café Sicilia], note[a, b [c]]")
    [('near', 'Café Sicilia'), ('note', 'a, b [c]')]
    """
    pairs: list[tuple[str, str]] = []
    position = 0
    while True:
        opening = text.find("[", position)
        name = text[position : None if opening < 0 else opening].strip()
        if opening < 0 or any(mark in name for mark in ",]|"):
            problem = f"attribute {len(pairs) + 1} ({shorten(name)}) has no value in brackets"
            raise DataError(problem, remedy=_REMEDY)
        if not name:
            raise DataError(f"attribute {len(pairs) + 1} has no name", remedy=_REMEDY)
        closing = _closing(text, opening)
        named = f"the attribute {shorten(name)}"
        if closing < 0:
            raise DataError(f"the bracket of {named} is never closed", remedy=_REMEDY)
        value = text[opening + 1 : closing]
        if not value or value.isspace():
            raise DataError(f"{named} has no value", remedy="fill it or leave it out")
        pairs.append((name, value))
        position = closing + 1
        while position < len(text) and text[position].isspace():
            position += 1
        if position == len(text):
            return pairs
        if text[position] != ",":
            problem = f"after {named} comes {shorten(text[position:])} instead of a comma"
            raise DataError(problem, remedy=_REMEDY)
        position += 1


def _closing(text: str, opening: int) -> int:
    depth = 0
    for position in range(opening, len(text)):
        if text[position] == "[":
            depth += 1
        elif text[position] == "]":
            depth -= 1
            if not depth:
                return position
    return -1


def shorten(text: str, width: int = 40) -> str:
    """The text in quotes, cut where it would make a message unreadable."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def attributes_to_triples(
    pairs: Sequence[tuple[str, str]], subject: str = DEFAULT_SUBJECT
) -> tuple[Triple, ...]:
    """The triples of a list: the value of `subject` is the subject of all the others.

    A list without that attribute is about the value of its first one. An attribute that stands
    alone states itself, so that no list is without a triple.

    >>> attributes_to_triples([("name", "Blue Spice"), ("eatType", "pub")])
    (Triple(subject='Blue Spice', predicate='eatType', object='pub'),)
    >>> attributes_to_triples([("name", "Blue Spice")])
    (Triple(subject='Blue Spice', predicate='name', object='Blue Spice'),)
    """
    names = [name for name, _ in pairs]
    chosen = names.index(subject) if subject in names else 0
    about = pairs[chosen][1]
    others = [pair for position, pair in enumerate(pairs) if position != chosen]
    return tuple(Triple(about, *pair) for pair in others or pairs)


def write_attributes(triples: Iterable[Triple]) -> str:
    """The list of triples with one subject: the inverse of the other two functions together."""
    triples = list(triples)
    about = [(DEFAULT_SUBJECT, triples[0].subject)]
    if triples == [Triple(about[0][1], *about[0])]:
        triples = []
    pairs = about + [(triple.predicate, triple.object) for triple in triples]
    return ", ".join(f"{name}[{value}]" for name, value in pairs)


_SEPARATOR = re.compile(r"<br\s*/?>|\n|(?<!\S)&&(?!\S)", re.IGNORECASE)
_PARTS = ("subject", "predicate", "object")
_MARKER_FAMILIES = (("s", "p", "o"), ("h", "r", "t"), _PARTS, ("head", "relation", "tail"))
_FIRST_MARKER = re.compile(
    r"[\[<](" + "|".join(family[0] for family in _MARKER_FAMILIES) + r")[\]>]", re.IGNORECASE
)
_JSON_START = re.compile(r'\[\s*[\[\]{"]')
_PYTHON_START = re.compile(r"\[\s*[\[(]\s*'|\[\s*\(")
_ATTRIBUTE_START = re.compile(r"[^\[\]|]+\[")
_TRIPLES_REMEDY = (
    "write 'subject | predicate | object', several separated by ' && ', <br> or newlines"
)


def parse_triples(text: str) -> tuple[Triple, ...]:
    """The triples of a string in any of the forms; only outer spaces are removed.

    >>> parse_triples("Blue_Spice | eatType | pub")
    (Triple(subject='Blue_Spice', predicate='eatType', object='pub'),)
    """
    stripped = text.strip()
    if not stripped:
        raise DataError("has no triples", remedy=_TRIPLES_REMEDY)
    if _PYTHON_START.match(stripped):
        problem = "was understood as a list in Python's notation, which is not JSON"
        raise DataError(problem, remedy="write it with json.dumps(triples)")
    if _JSON_START.match(stripped):
        try:
            return triples_from_object(load_object(stripped))
        except DataError as error:
            raise _understood("a JSON list", error) from None
    marker = _FIRST_MARKER.match(stripped)
    if marker and marker[0][0] + marker[0][-1] in ("[]", "<>"):
        return _parse_markers(stripped, marker)
    if _ATTRIBUTE_START.match(stripped):
        try:
            return attributes_to_triples(parse_attributes(stripped))
        except DataError as error:
            if "|" not in stripped:
                raise _understood("an attribute list", error) from None
    if "|" in stripped:
        return _parse_bars(stripped)
    raise DataError(f"{shorten(stripped)} is not a known form of triples", remedy=_TRIPLES_REMEDY)


_new_tuple = tuple.__new__
"""A Triple of a list that was checked, without the cost of its keyword constructor."""


def triples_from_object(raw: Any) -> tuple[Triple, ...]:
    """Triples from a list of lists of three strings, or from a linearised form."""
    if type(raw) is str:
        return parse_triples(raw)
    if type(raw) is not list:
        raise DataError(f"'triples' is {kind_of(raw)}, not a list")
    if not raw:
        raise DataError("'triples' is empty", remedy="a text without data cannot be judged")
    triples = []
    for position, triple in enumerate(raw, 1):
        if type(triple) is not list or len(triple) != 3:
            problem = f"triple {position} is not [subject, predicate, object]"
            raise DataError(problem, remedy="write three strings for each triple")
        subject, predicate, value = triple
        if not (type(subject) is type(predicate) is type(value) is str):
            problem = f"triple {position} has a part that is not a string"
            raise DataError(problem, remedy='write numbers and dates as strings: "16800"')
        if not (subject and predicate and value):
            problem = f"triple {position} has an empty part"
            raise DataError(problem, remedy="fill it or drop the triple")
        triples.append(_new_tuple(Triple, triple))
    return tuple(triples)


def _understood(form: str, error: DataError) -> DataError:
    return DataError(f"was understood as {form}, but {error.problem}", remedy=error.remedy)


def _parse_bars(text: str) -> tuple[Triple, ...]:
    triples: list[Triple] = []
    for segment in _SEPARATOR.split(text):
        if not segment or segment.isspace():
            continue
        # Spaces distinguish a bar between parts from one inside a part, if they are regular.
        parts = segment.split(" | ")
        if len(parts) != 3:
            parts = segment.split("|")
        number = len(triples) + 1
        if len(parts) != 3:
            found = f"triple {number} ({shorten(segment.strip())}) has {len(parts)} parts, not 3"
            problem = f"was understood as triples with bars, but {found}"
            raise DataError(problem, remedy=_TRIPLES_REMEDY)
        triples.append(_complete([part.strip() for part in parts], number))
    if not triples:
        raise DataError("has no triples", remedy=_TRIPLES_REMEDY)
    return tuple(triples)


def _complete(parts: Sequence[str], number: int) -> Triple:
    for part, name in zip(parts, _PARTS, strict=True):
        if not part:
            raise DataError(f"triple {number} has no {name}", remedy="fill it or drop the triple")
    return Triple(*parts)


def _parse_markers(text: str, first: re.Match[str]) -> tuple[Triple, ...]:
    """Markers in the order S P O; S, or S and P, may be left out where they would be repeated."""
    family = next(names for names in _MARKER_FAMILIES if names[0] == first[1].lower())
    opening, closing = ("[", "]") if first[0].startswith("[") else ("<", ">")
    pattern = re.escape(opening) + f"({'|'.join(family)})" + re.escape(closing)
    # split keeps the captured marker: before, marker, value, marker, value, …
    pieces = re.split(pattern, text, flags=re.IGNORECASE)
    triples: list[Triple] = []
    parts = ["", "", ""]
    expected = 0
    for marker, value in zip(pieces[1::2], pieces[2::2], strict=True):
        place = family.index(marker.lower())
        number = len(triples) + 1
        if place != expected and not (triples and expected == 0):
            raise DataError(
                f"was understood as triples with markers, but triple {number} has "
                f"{opening}{marker}{closing} where {opening}{family[expected].upper()}{closing} "
                "should come",
                remedy="write the markers in the order subject, predicate, object",
            )
        if place == 2:
            value = _without_separator(value)
        parts[place] = value.strip()
        if place == 2:
            triples.append(_complete(parts, number))
        expected = (place + 1) % 3
    if expected:
        problem = (
            f"was understood as triples with markers, but triple {len(triples) + 1} is cut off"
        )
        remedy = f"end it with {opening}{family[2].upper()}{closing} and the object"
        raise DataError(problem, remedy=remedy)
    return tuple(triples)


def _without_separator(value: str) -> str:
    end = value.rstrip()
    for match in _SEPARATOR.finditer(end):
        if match.end() == len(end):
            return end[: match.start()]
    return value


def _with_bars(separator: str) -> Callable[[Iterable[Triple]], str]:
    return lambda triples: separator.join(" | ".join(triple) for triple in triples)


def _with_markers(*markers: str) -> Callable[[Iterable[Triple]], str]:
    form = " ".join(f"{marker} {{}}" for marker in markers)
    return lambda triples: " ".join(form.format(*triple) for triple in triples)


FORMS: Mapping[str, Callable[[Iterable[Triple]], str]] = {
    "br": _with_bars("<br>"),
    "and": _with_bars(" && "),
    "newline": _with_bars("\n"),
    "square": _with_markers("[S]", "[P]", "[O]"),
    "angle": _with_markers("<S>", "<P>", "<O>"),
    "head": _with_markers("<H>", "<R>", "<T>"),
    "attributes": write_attributes,
    "json": lambda triples: json.dumps(list(triples), ensure_ascii=False),
}
"""Every form that can be written, by name; `json` can hold any triples."""


def linearise(triples: Iterable[Triple], form: str = "br") -> str:
    """The triples as one string; a DataError where the form could not be read back unchanged."""
    if form not in FORMS:
        raise UnknownName("linearised form", form, FORMS)
    wanted = tuple(triples)
    if not wanted:
        raise DataError("there are no triples to write")
    text = FORMS[form](wanted)
    try:
        same = parse_triples(text) == wanted
    except DataError:
        same = False
    if not same:
        why = "one has a separator of the form in it"
        problem = f"the form {form!r} cannot hold these triples: {why}"
        raise DataError(problem, remedy="write them as 'json'")
    return text
