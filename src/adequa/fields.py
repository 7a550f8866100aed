"""The fields by which items are grouped (category, size, …), as words, and their order.

It is at the bottom because both analysis and human evaluation group items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from adequa.data import Item
from adequa.errors import SettingError, UnknownName

FIELDS = ("category", "lang", "seen", "size", "meta.KEY")
NO_VALUE = "(none)"
"""Shown for a field that an item does not have."""

MOST_VALUES = 200
"""A breakdown into more parts is taken for a mistake; no record of the data it was chosen on."""

Thing = TypeVar("Thing")
Key = TypeVar("Key")

_SEEN = {"true": "seen", "false": "unseen"}


def item_field(name: str, *, what: str = "field") -> Callable[[Item], str | None]:
    """A function that gives a field of an item as a word, or None if it is absent.

    >>> item_field("size")(Item("Id1", (), "A text."))
    '0'
    """
    if name == "size":
        return lambda item: str(len(item.triples))
    if name in ("category", "lang"):
        return lambda item: as_word(getattr(item, name))
    if name == "seen":
        return lambda item: seen_word(item.meta.get("seen"))
    root, _, key = name.partition(".")
    if root == "meta" and key:
        return lambda item: as_word(item.meta.get(key))
    raise UnknownName(what, name, FIELDS)


def require_few(field: str, count: int) -> None:
    """Raise a SettingError if a field has too many values for a breakdown."""
    if count > MOST_VALUES:
        raise SettingError(
            f"{field} has {count} values, more than {MOST_VALUES}; break down by a field with fewer"
        )


def grouped(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """The things by key, keys in the order of their first thing.

    >>> grouped(["ab", "c", "de"], len)
    {2: ['ab', 'de'], 1: ['c']}
    """
    found: dict[Key, list[Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found


def as_word(value: Any) -> str | None:
    """A JSON value as a word; None for null and the empty string."""
    if value is None or value == "":
        return None
    return value if type(value) is str else json.dumps(value, ensure_ascii=False, sort_keys=True)


def seen_word(value: Any) -> str | None:
    """`seen` for true and `unseen` for false; other values as words."""
    word = as_word(value)
    return None if word is None else _SEEN.get(word, word)


def natural_order(word: str | None) -> tuple[bool, list[tuple[int, float, str]]]:
    """A sort key that compares numbers by value and puts absent values last.

    >>> sorted(["10triples", "(none)", "2triples", "1triple", "2.5"], key=natural_order)
    ['1triple', '2triples', '2.5', '10triples', '(none)']
    """
    if word is None or word == NO_VALUE:
        return True, []
    pieces = [piece for piece in re.split(r"((?:^-)?[0-9]+(?:\.[0-9]+)?)", word) if piece]
    return False, [
        (0, float(piece), "") if piece[-1].isascii() and piece[-1].isdigit() else (1, 0.0, piece)
        for piece in pieces
    ]
