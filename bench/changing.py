"""One number, date or name of a text changed to one that its data does not have.

Only what the text has from its data is changed: a number or date that stands in a value of a
triple, or a mention that the enriched corpus marks as a name.
"""

from __future__ import annotations

import calendar
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from adequa.data import Item
from bench.perturbing import spread, stems

__all__ = ["KINDS", "Changed", "change_dates", "change_names", "change_numbers"]


class Changed(NamedTuple):
    """A text with one thing changed, and where it stands in the new text."""

    item: Item
    start: int
    end: int


def change_numbers(items: Iterable[Item], count: int, seed: int) -> list[Changed]:
    """Another number with as many digits, some of them drawn anew; a year keeps its century."""
    return spread([_numbers(item, _generator(seed, item)) for item in items], count, seed)


def change_dates(items: Iterable[Item], count: int, seed: int) -> list[Changed]:
    """Another day, month or year in a date; a year after "in", "since" and such is a date too."""
    return spread([_dates(item, _generator(seed, item)) for item in items], count, seed)


def change_names(items: Sequence[Item], count: int, seed: int) -> list[Changed]:
    """The name of another entity of the category, if possible one of the same place in a triple."""
    names = _Names(items)
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


def _values(item: Item) -> list[str]:
    return [end for triple in item.triples for end in (triple.subject, triple.object)]


# Numbers

_NUMBER = re.compile(
    r"(?<![\w°/:–-])(?<![\d)][.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w°]|[.,/:–-]\d|-?[A-Za-z])"
)
_YEAR = re.compile(r"1\d{3}|20[0-4]\d")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_TRIES = 20


def _numbers(item: Item, generator: random.Random) -> list[Changed]:
    known = {
        Decimal(digits)
        for value in _values(item)
        for digits in _DIGITS.findall(value.replace(",", ""))
    }
    dated = [match.span() for match in _find_dates(item.text)]
    found = []
    for match in _NUMBER.finditer(item.text):
        in_date = any(start < match.end() and match.start() < end for start, end in dated)
        if in_date or _amount(match[0]) not in known:
            continue
        new = _other_number(match[0], known, generator)
        if new is not None:
            found.append(_changed(item, *match.span(), new))
    return found


def _other_number(old: str, known: Iterable[Decimal], generator: random.Random) -> str | None:
    places = [place for place, character in enumerate(old) if character.isdigit()]
    if _YEAR.fullmatch(old):
        places = places[2:]
    for _ in range(_TRIES):
        new = list(old)
        for place in generator.sample(places, generator.randint(1, len(places))):
            new[place] = generator.choice("123456789")
        other = "".join(new)
        if not any(_may_be(value, other) for value in known):
            return other
    return None


def _may_be(value: Decimal, written: str) -> bool:
    """Whether a number is the value, or the value rounded."""
    amount, digits = _amount(written), written.replace(",", "")
    decimals = len(digits.partition(".")[2])
    zeros = 0 if decimals else len(digits) - len(digits.rstrip("0"))
    return abs(value - amount) * 2 <= Decimal(10) ** (zeros - decimals)


def _amount(written: str) -> Decimal:
    return Decimal(written.replace(",", ""))


# Dates

_MONTH = "|".join(calendar.month_name[1:])
_DAY = r"(?P<day>\d\d?(?:st|nd|rd|th)?)"
_BEFORE = r"(?:[Ii]n|[Ss]ince|[Ff]rom|[Uu]ntil|[Bb]y|of|year)"
_SHAPES = (
    re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])"),
    re.compile(rf"\b(?P<month>{_MONTH}) {_DAY}\b(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b{_DAY}(?: of)? (?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<month>{_MONTH}),? (?P<year>\d{{4}})\b"),
    re.compile(rf"\b{_BEFORE} (?P<year>1\d{{3}}|20[0-4]\d)(?![,.]\d|[\w–/-])"),
)
_ISO = _SHAPES[0]
_PARTS = ("year", "month", "day")
_FARTHEST = 30
_LEAP = 2000
Parts = tuple[int | None, int | None, int | None]


def _dates(item: Item, generator: random.Random) -> list[Changed]:
    values = [value.replace("_", " ").strip('"') for value in _values(item)]
    known = [_parts(match) for value in values for match in _find_dates(value)]
    known += [(int(value), None, None) for value in values if re.fullmatch(r"\d{4}", value)]
    found = []
    for match in _find_dates(item.text):
        if not any(_agree(date, _parts(match)) for date in known):
            continue
        for part in _PARTS:
            new = _other_part(match, part, generator)
            if new is not None and not any(_agree(date, new[1]) for date in known):
                found.append(_changed(item, *match.span(part), new[0]))
    return found


def _find_dates(text: str) -> Iterator[re.Match[str]]:
    """Dates, the longer shapes first, none within another."""
    taken: list[tuple[int, int]] = []
    for shape in _SHAPES:
        for match in shape.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                taken.append(match.span())
                yield match


def _parts(match: re.Match[str]) -> Parts:
    groups = match.groupdict()
    return _whole(groups.get("year")), _month(groups.get("month")), _whole(groups.get("day"))


def _whole(written: str | None) -> int | None:
    return int(re.sub(r"\D", "", written)) if written else None


def _month(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if written.isdigit() else list(calendar.month_name).index(written)


def _agree(date: Parts, other: Parts) -> bool:
    """Whether they may be the same day: what both say is equal."""
    both = [(one, two) for one, two in zip(date, other, strict=True) if one and two]
    return bool(both) and all(one == two for one, two in both)


def _other_part(
    match: re.Match[str], part: str, generator: random.Random
) -> tuple[str, Parts] | None:
    """Another value of a part, as that part was written, and the date that it makes."""
    year, month, day = _parts(match)
    if not match.groupdict().get(part):
        return None
    width = 2 if _ISO.fullmatch(match[0]) else 1
    if part == "year" and year:
        year += generator.choice((-1, 1)) * generator.randint(1, _FARTHEST)
        new = str(year)
    elif part == "month" and month:
        month = generator.choice([other for other in range(1, 13) if other != month])
        new = f"{month:02}" if match[part].isdigit() else calendar.month_name[month]
    else:
        day = generator.choice([other for other in range(1, 29) if other != day])
        new = f"{day:0{width}}" + ("" if match[part].isdigit() else _ordinal(day))
    if month and day and day > calendar.monthrange(year or _LEAP, month)[1]:
        return None
    return new, (year, month, day)


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


# Names

_NAME = re.compile(r"[A-Z][\w.'’-]*(?: (?:and|de|in|of|the|[A-Z][\w.'’-]*))*(?<!['’]s)")
Place = tuple[str, str]


class _Names:
    """The names that the texts of each category use, by the entity's places in the triples."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.own: dict[str | None, dict[tuple[str, str], None]] = defaultdict(dict)
        self.placed: dict[tuple[str | None, Place], dict[tuple[str, str], None]] = defaultdict(dict)
        for item in items:
            for mention in _named(item):
                entry = mention["entity"], item.text[mention["start"] : mention["end"]]
                self.own[item.category][entry] = None
                for place in _places(item, mention["entity"]):
                    self.placed[item.category, place][entry] = None

    def others(self, item: Item, entity: str) -> Iterator[list[str]]:
        """Names of entities that the item does not have: of the same places, then any."""
        alike = [
            entry for place in _places(item, entity) for entry in self.placed[item.category, place]
        ]
        taken = stems(" ".join([*_values(item), item.text]))
        short = {_initials(value) for value in _values(item)}
        for entries in (alike, list(self.own[item.category])):
            yield [
                name
                for other, name in dict.fromkeys(entries)
                if not (stems(f"{other} {name}") & taken or _squeezed(name) in short)
            ]


def _names(item: Item, names: _Names, generator: random.Random) -> list[Changed]:
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
    values = {*_values(item)}
    return [
        mention
        for mention in item.meta.get("mentions", ())
        if mention["start"] is not None
        and mention["type"] == "name"
        and mention["entity"] in values
        and _NAME.fullmatch(name := item.text[mention["start"] : mention["end"]])
        and set() < stems(name) <= stems(mention["entity"])
    ]


def _places(item: Item, entity: str) -> list[Place]:
    found = [(triple.predicate, "subject") for triple in item.triples if triple.subject == entity]
    found += [(triple.predicate, "object") for triple in item.triples if triple.object == entity]
    return list(dict.fromkeys(found))


def _initials(value: str) -> str:
    return "".join(word[0] for word in re.findall(r"[^\W_]+", value.lower()))


def _squeezed(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
