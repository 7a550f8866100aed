"""One number, date or name of a text changed to one that its data does not have.

Only what the text has from its data is changed: a number or date that stands in a value of a
triple, or a mention that the enriched corpus marks as a name. How is the doctor's knowledge.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from adequa.data import Item
from adequa.perturb.cases import other_dates, other_numbers
from adequa.perturb.items import NameEntry, NamePool, is_name, values_of
from bench.perturbing import spread

__all__ = ["KINDS", "Changed", "change_dates", "change_names", "change_numbers"]


class Changed(NamedTuple):
    """A text with one thing changed, and where it stands in the new text."""

    item: Item
    start: int
    end: int


def change_numbers(items: Iterable[Item], count: int, seed: int) -> list[Changed]:
    """Another number with as many digits, some of them drawn anew; a year keeps its century."""
    return spread(
        [
            [_changed(item, *change) for change in other_numbers(item, _generator(seed, item))]
            for item in items
        ],
        count,
        seed,
    )


def change_dates(items: Iterable[Item], count: int, seed: int) -> list[Changed]:
    """Another day, month or year in a date; a year after "in", "since" and such is a date too."""
    return spread(
        [
            [_changed(item, *change) for change in other_dates(item, _generator(seed, item))]
            for item in items
        ],
        count,
        seed,
    )


def change_names(items: Sequence[Item], count: int, seed: int) -> list[Changed]:
    """The name of another entity of the category, if possible one of the same place in a triple."""
    names = NamePool(
        (
            item,
            [
                NameEntry(one["entity"], item.text[one["start"] : one["end"]])
                for one in _named(item)
            ],
        )
        for item in items
    )
    return spread([_names(item, names, _generator(seed, item)) for item in items], count, seed)


KINDS: Mapping[str, Callable[[Sequence[Item], int, int], list[Changed]]] = {
    "number": change_numbers,
    "date": change_dates,
    "name": change_names,
}


def _generator(seed: int, item: Item) -> random.Random:
    """One of its own for each text, so that no text changes what happens to another."""
    return random.Random(f"{seed} {item.id}")


def _changed(item: Item, start: int, end: int, new: str) -> Changed:
    text = item.text[:start] + new + item.text[end:]
    return Changed(replace(item, id=f"{item.id}-{start}", text=text), start, start + len(new))


def _names(item: Item, names: NamePool, generator: random.Random) -> list[Changed]:
    found = []
    for mention in _named(item):
        for others in names.others(item, mention["entity"]):
            if others:
                place = mention["start"], mention["end"]
                found.append(_changed(item, *place, generator.choice(others)))
                break
    return found


def _named(item: Item) -> list[Mapping[str, Any]]:
    """The mentions that are names, of words that the entity's string has."""
    values = {*values_of(item)}
    return [
        mention
        for mention in item.meta.get("mentions", ())
        if mention["start"] is not None
        and mention["type"] == "name"
        and mention["entity"] in values
        and is_name(item.text[mention["start"] : mention["end"]], mention["entity"])
    ]
