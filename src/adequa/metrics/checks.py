"""What metrics ask of their items and settings before they trust them."""

from __future__ import annotations

import typing
from dataclasses import fields

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.metrics.base import Metric

__all__ = ["NO_REFERENCES", "check_choices", "check_least", "references_of"]

NO_REFERENCES = "no references"
"""Why an item is not scored by a metric that compares with references."""


def references_of(item: Item) -> tuple[str, ...]:
    """The references, if they are what they should be: several strings that belong to this item.

    Items built in Python can hold anything, and the usual slips (one string, which is a sequence
    of characters; a list a reference set, as sacrebleu nests them) would give plausible numbers.
    """
    references = item.references
    if not isinstance(references, tuple | list):
        raise DataError(
            f"'references' of the item {item.id!r} is of the type {type(references).__name__}",
            remedy='give a tuple of strings, even for one: ("a text",)',
        )
    for reference in references:
        if not isinstance(reference, str):
            raise DataError(
                f"'references' of the item {item.id!r} holds a {type(reference).__name__}",
                remedy="each item has its own references as plain strings (sacrebleu's nesting, "
                "a list a reference set, is the other way round)",
            )
    if not isinstance(item.text, str):
        raise DataError(
            f"'text' of the item {item.id!r} is of the type {type(item.text).__name__}",
            remedy='give a string; an empty text is ""',
        )
    return tuple(references)


def check_choices(metric: Metric) -> None:
    """Raise where a setting that has choices has another value; Python callers can write any."""
    hints = typing.get_type_hints(type(metric))
    for field in fields(metric):
        if typing.get_origin(hints[field.name]) is typing.Literal:
            choices, value = typing.get_args(hints[field.name]), getattr(metric, field.name)
            if value not in choices:
                listed = ", ".join(map(str, choices))
                raise SettingError(f"{metric.name}:{field.name} is one of {listed}, not {value!r}")


def check_least(metric: Metric, setting: str, least: float) -> None:
    """Raise where a number is smaller than it can be."""
    value = getattr(metric, setting)
    if not value >= least:
        raise SettingError(f"{metric.name}:{setting} is at least {least}, not {value}")
