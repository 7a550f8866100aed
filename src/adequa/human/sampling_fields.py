"""What a sample is drawn by: conditions on the fields of items, and the names of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.fields import FIELDS, NO_VALUE, item_field, natural_order

__all__ = ["field_of", "matching", "task_namer"]

Namer = Callable[[Item], str]


def field_of(name: str) -> Namer:
    """Reads a field of an item as a word, which it always is."""
    read = item_field(name)
    return lambda item: read(item) or NO_VALUE


def task_namer(field: str | None) -> Namer:
    """The name of the task an item is handed out in: one task for all where there is no field."""
    if field is None:
        return lambda item: "all"  # noqa: ARG005
    if field == "size":
        return lambda item: f"{len(item.triples)} triple{'' if len(item.triples) == 1 else 's'}"
    return field_of(field)


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
                    remedy=f"there are {_listed(sorted(there, key=natural_order))}",
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


def _listed(values: Sequence[str], most: int = 20) -> str:
    return ", ".join(values[:most]) + (" …" if len(values) > most else "")
