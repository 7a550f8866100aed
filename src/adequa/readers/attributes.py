"""Attribute lists as E2E writes them, `name[Blue Spice], eatType[pub]`, to and from triples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adequa.data import Triple
from adequa.errors import DataError

__all__ = [
    "DEFAULT_SUBJECT",
    "attributes_to_triples",
    "parse_attributes",
    "shorten",
    "write_attributes",
]

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
            raise DataError(
                f"attribute {len(pairs) + 1} ({shorten(name)}) has no value in brackets",
                remedy=_REMEDY,
            )
        if not name:
            raise DataError(f"attribute {len(pairs) + 1} has no name", remedy=_REMEDY)
        closing = _closing(text, opening)
        if closing < 0:
            raise DataError(
                f"the bracket of the attribute {shorten(name)} is never closed", remedy=_REMEDY
            )
        value = text[opening + 1 : closing]
        if not value or value.isspace():
            raise DataError(
                f"the attribute {shorten(name)} has no value", remedy="fill it or leave it out"
            )
        pairs.append((name, value))
        position = closing + 1
        while position < len(text) and text[position].isspace():
            position += 1
        if position == len(text):
            return pairs
        if text[position] != ",":
            raise DataError(
                f"after the attribute {shorten(name)} comes {shorten(text[position:])}, no comma",
                remedy=_REMEDY,
            )
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
