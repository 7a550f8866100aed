"""Which texts a study looks at: subsets by undetected entities, and fields with values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from adequa.correlate.model import Sample
from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.fields import as_word, item_field, seen_word

__all__ = [
    "ALL",
    "Where",
    "check_subset",
    "check_where",
    "fields_of",
    "meta_fields",
    "parse_where",
    "passes",
    "take_subset",
]

ALL = "all"
Where = Mapping[str, frozenset[str]]

_UNDETECTED = re.compile(r"undetected>=(\d{1,6})")


def check_subset(name: str) -> None:
    """A SettingError where there is no subset of that name."""
    if name != ALL and not _UNDETECTED.fullmatch(name):
        raise SettingError(f"a subset is all, undetected>=1, undetected>=2 and so on, not {name!r}")


def take_subset(sample: Sample, name: str) -> Sample:
    """The texts of a subset; those of which nobody counted the entities are in `all` only."""
    if name == ALL:
        return sample
    check_subset(name)
    if not np.isfinite(sample.undetected).any():
        raise SettingError(
            f"the subset {name} needs the entities that a text does not name, and no run has esa; "
            "add it: adequa score --add RUN -m esa"
        )
    found = _UNDETECTED.fullmatch(name)
    least = int(found[1]) if found else 0
    chosen: npt.NDArray[np.bool_] = sample.undetected >= least
    if not chosen.any():
        raise DataError(f"no text is in the subset {name}", remedy="ask for another")
    return sample.only(chosen)


def parse_where(conditions: Iterable[str]) -> Where:
    """Values by field: several of one field allow each of them, all fields must hold."""
    wanted: dict[str, set[str]] = {}
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals or not name:
            raise SettingError(f"--where is FIELD=VALUE (category=Airport), not {condition!r}")
        wanted.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in wanted.items()}


def passes(fields: Mapping[str, str], where: Where) -> bool:
    """Whether a text has the wanted values."""
    return all(fields.get(name) in values for name, values in where.items())


def fields_of(item: Item) -> dict[str, str]:
    """What an item can be chosen by, as it is written after `--where`."""
    read = {name: item_field(name)(item) for name in ("category", "lang", "size")}
    fields = {name: word for name, word in read.items() if word is not None}
    return {**fields, **meta_fields(item.meta)}


def meta_fields(meta: Mapping[str, object]) -> dict[str, str]:
    """The plain values of what a reader knew beyond the named fields, as meta.KEY."""
    fields = {
        f"meta.{key}": word
        for key, value in meta.items()
        if isinstance(value, str | int | float) and (word := as_word(value)) is not None
    }
    seen = seen_word(meta.get("seen"))
    return fields if seen is None else {**fields, "seen": seen}


def check_where(where: Where, known: Iterable[Mapping[str, str]]) -> None:
    """A SettingError that lists what there is, where no text has a wanted field or value."""
    there: dict[str, set[str]] = {}
    for fields in known:
        for name, value in fields.items():
            there.setdefault(name, set()).add(value)
    for name, values in where.items():
        if name not in there:
            raise SettingError(
                f"no rated text has a field {name!r}; there are: {', '.join(sorted(there))}"
            )
        for value in sorted(values - there[name]):
            listed = sorted(there[name])
            more = ", …" if len(listed) > 20 else ""
            raise SettingError(
                f"no rated text has {name}={value}; there are: {', '.join(listed[:20])}{more}"
            )
