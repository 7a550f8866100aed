"""By what judgments can be broken down: fields of the ratings, and of the items they speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adequa.data import Item, Rating
from adequa.errors import DataError, SettingError
from adequa.fields import NO_VALUE, as_word, natural_order, seen_word

__all__ = ["MOST_VALUES", "Fields", "entries"]

MOST_VALUES = 200
"""A breakdown into more parts than this is a slip."""

_ITEM_FIELDS = ("category", "lang", "seen", "size")
_OTHER_NAMES = {"seen": ("seen", "type"), "size": ("size", "triplesize")}
"""As the ratings of WebNLG 2017 call them."""
_REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Fields:
    """What is known of rated texts, to be asked by the name of a field."""

    items: Mapping[tuple[str, str], Item]
    inputs: Mapping[str, Item]
    """An item of each input, whichever the system."""
    common: Mapping[str, Mapping[str, Any]]
    """By input what all ratings of it say alike: it holds for one that says less, too."""
    known: tuple[str, ...]

    @classmethod
    def of(cls, ratings: Sequence[Rating], items: Iterable[Item] = ()) -> Fields:
        """From the ratings and their items; items that no rating is of are a DataError."""
        by_key: dict[tuple[str, str], Item] = {}
        inputs: dict[str, Item] = {}
        for item in items:
            by_key[item.key] = item
            inputs.setdefault(item.id, item)
            if item.system == _REFERENCE:  # a text of an entry: the entry's id, then the text's
                inputs.setdefault(item.id.rpartition("/")[0], item)
        inputs.pop("", None)
        if inputs and not any(rating.id in inputs for rating in ratings):
            raise DataError(
                f"no rating is of these items: an id of a rating is {ratings[0].id!r}, of an item "
                f"{next(iter(inputs))!r}",
                remedy="give the items that were rated",
            )
        common: dict[str, dict[str, Any]] = {}
        for rating in ratings:
            there = common.get(rating.id)
            if there is None:
                common[rating.id] = dict(rating.meta)
            elif rating.meta:
                for name in [name for name in there if rating.meta.get(name) != there[name]]:
                    del there[name]
        names = {name for rating in ratings for name in rating.meta if name}
        if inputs:
            names |= set(_ITEM_FIELDS)
            names |= {f"meta.{name}" for item in inputs.values() for name in item.meta}
        return cls(by_key, inputs, common, tuple(sorted(names)))

    def split(self, ratings: Iterable[Rating], field: str) -> dict[str, list[Rating]]:
        """The ratings by the value of a field, numbers in their order; without one, last."""
        parts: dict[str, list[Rating]] = {}
        for rating in ratings:
            value = self.value(rating, field)
            parts.setdefault(NO_VALUE if value is None else value, []).append(rating)
        if set(parts) <= {NO_VALUE}:
            there = ", ".join(self.known) or "none"
            more = "" if self.inputs else f"; with --items also {', '.join(_ITEM_FIELDS)}, meta.KEY"
            raise SettingError(f"no rated text has a {field!r}; there are: {there}{more}")
        if len(parts) > MOST_VALUES:
            raise SettingError(
                f"{field} has {len(parts)} values, more than {MOST_VALUES}; "
                "break down by a field with fewer"
            )
        return {name: parts[name] for name in sorted(parts, key=natural_order)}

    def value(self, rating: Rating, field: str) -> str | None:
        """What a field says of a rated text; None where nothing is known."""
        found = self._raw(rating, field)
        return seen_word(found) if field == "seen" else as_word(found)

    def _raw(self, rating: Rating, field: str) -> Any:
        name = field.removeprefix("meta.")
        names = _OTHER_NAMES.get(field, (name,))
        for meta in (rating.meta, self.common.get(rating.id, {})):
            for one in names:
                if meta.get(one) is not None:
                    return meta[one]
        if field == "round" and rating.round is not None:
            return rating.round
        item = self.items.get((rating.system, rating.id)) or self.inputs.get(rating.id)
        if item is None:
            return None
        if field == "size":
            return len(item.triples)
        if field in ("category", "lang"):
            return getattr(item, field)
        return item.meta.get(name)


def entries(ratings: Iterable[Rating]) -> dict[tuple[str, str], str]:
    """By system and id the input a text is of, which pairs the systems.

    It is the id, but for a human reference, which may have one of its own below the input's.
    """
    texts = {(rating.system, rating.id) for rating in ratings}
    inputs = {text for system, text in texts if system != _REFERENCE}
    return {
        (system, text): _input(text, inputs) if system == _REFERENCE else text
        for system, text in texts
    }


def _input(text: str, inputs: set[str]) -> str:
    parent = text.rpartition("/")[0]
    return parent if text not in inputs and parent in inputs else text
