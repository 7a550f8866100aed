"""What inputs are told apart by: a field of an item as a word, and conditions on it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from adequa.data import Item
from adequa.errors import DataError, SettingError, UnknownName

__all__ = ["FIELDS", "NONE", "field_of", "in_order", "matching", "task_namer"]

FIELDS = ("category", "lang", "seen", "size", "meta.KEY")
NONE = "(none)"
"""The value of a field that an item does not have."""
_SEEN = {"true": "seen", "false": "unseen"}

Namer = Callable[[Item], str]


def field_of(name: str) -> Namer:
    """Reads a field of an item as a word, as `adequa compare --by` does.

    >>> field_of("size")(Item("Id1", (), "A text."))
    '0'
    """
    if name == "size":
        return lambda item: str(len(item.triples))
    if name == "category":
        return lambda item: _word(item.category)
    if name == "lang":
        return lambda item: _word(item.lang)
    if name == "seen":
        return lambda item: _SEEN.get(_word(item.meta.get("seen")), _word(item.meta.get("seen")))
    if name.startswith("meta.") and name != "meta.":
        key = name.removeprefix("meta.")
        return lambda item: _word(item.meta.get(key))
    raise UnknownName("field", name, FIELDS)


def task_namer(field: str | None) -> Namer:
    """The name of the task an item is handed out in: one task for all where there is no field."""
    if field is None:
        return lambda item: "all"  # noqa: ARG005
    if field == "size":
        return lambda item: f"{len(item.triples)} triple{'' if len(item.triples) == 1 else 's'}"
    return field_of(field)


def in_order(value: str) -> tuple[int, float, str]:
    """A sort key: numbers by size (`2 triples` too), then words, then what has no value."""
    if value == NONE:
        return 2, 0.0, ""
    try:
        number = float(value.partition(" ")[0])
    except ValueError:
        return 1, 0.0, value
    return (0, number, value) if math.isfinite(number) else (1, 0.0, value)


def matching(items: Sequence[Item], conditions: Iterable[str]) -> list[Item]:
    """The items of which all `FIELD=VALUE` or `FIELD=LOW..HIGH` hold; of one field, any.

    A condition that holds of no item is a DataError, for it is a slip.
    """
    wanted: dict[str, list[str]] = {}
    for condition in conditions:
        field, equals, value = condition.partition("=")
        if not equals or not field or not value:
            raise SettingError(
                f"{condition!r} is no condition; write FIELD=VALUE or size=1..5, FIELD one of "
                f"{', '.join(FIELDS)}"
            )
        wanted.setdefault(field, []).append(value)
    kept = list(items)
    for field, values in wanted.items():
        read = field_of(field)
        there = {read(item) for item in items}
        for value in values:
            if not any(_holds(value, one) for one in there):
                raise DataError(
                    f"no text has {field}={value}",
                    remedy=f"there are {_listed(sorted(there, key=in_order))}",
                )
        fitting = {one for one in there if any(_holds(value, one) for value in values)}
        kept = [item for item in kept if read(item) in fitting]
    if not kept:
        raise DataError("no text fulfils all conditions", remedy="give fewer of them")
    return kept


def _holds(wanted: str, value: str) -> bool:
    low, dots, high = wanted.partition("..")
    if dots:
        try:
            return float(low) <= float(value) <= float(high)
        except ValueError:
            pass  # words may have two dots
    return value == wanted


def _word(value: Any) -> str:
    if value is None or value == "":
        return NONE
    return value if type(value) is str else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _listed(values: Sequence[str], most: int = 20) -> str:
    return ", ".join(values[:most]) + (" …" if len(values) > most else "")
