"""Other values in a text: a number or a date becomes one that the data does not have.

Only what the text has from its data is changed: a number or date that stands in a value of a
triple.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from random import Random

from adequa.data import Item
from adequa.perturb.documents import Edit, values_of

# Numbers

_NUMBER = re.compile(
    r"(?<![\w°/:–-])(?<![\d)][.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w°]|[.,/:–-]\d|-?[A-Za-z])"
)
_YEAR = re.compile(r"1\d{3}|20[0-4]\d")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_MOST_NUMBERS = 50
"""Numbers of one text that are tried; a table would give thousands."""
_TRIES = 20


def other_numbers(item: Item, generator: Random) -> list[Edit]:
    """Another number with as many digits, some of them drawn anew; a year keeps its century."""
    plain = (value.replace(",", "") for value in values_of(item))
    known = {Decimal(digits) for value in plain for digits in _DIGITS.findall(value)}
    dated = [match.span() for match in _find_dates(item.text)]
    ours = (
        match
        for match in _NUMBER.finditer(item.text)
        if _amount(match[0]) in known
        and not any(start < match.end() and match.start() < end for start, end in dated)
    )
    return [
        Edit(*match.span(), new)
        for match in islice(ours, _MOST_NUMBERS)
        if (new := _other_number(match[0], known, generator)) is not None
    ]


def _other_number(old: str, known: Iterable[Decimal], generator: Random) -> str | None:
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
"""Years by which a year is moved at the most: near enough to be plausible."""
_LEAP = 2000
_LAST_YEAR = 9999
Parts = tuple[int | None, int | None, int | None]


def other_dates(item: Item, generator: Random) -> list[Edit]:
    """Another day, month or year in a date; a year after "in", "since" and such is a date too."""
    values = [value.replace("_", " ").strip('"') for value in values_of(item)]
    known = [_parts(match) for value in values for match in _find_dates(value)]
    known += [(int(value), None, None) for value in values if re.fullmatch(r"\d{4}", value)]
    found = []
    for match in _find_dates(item.text):
        if not any(_agree(date, _parts(match)) for date in known):
            continue
        for part in _PARTS:
            new = _other_part(match, part, generator)
            if new is not None and not any(_agree(date, new[1]) for date in known):
                found.append(Edit(*match.span(part), new[0]))
    return found


def _find_dates(text: str) -> Iterator[re.Match[str]]:
    """The dates of a text, longer shapes first, none within another."""
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
    """Whether two dates may be the same day: the parts that both have are equal."""
    both = [(one, two) for one, two in zip(date, other, strict=True) if one and two]
    return bool(both) and all(one == two for one, two in both)


def _other_part(match: re.Match[str], part: str, generator: Random) -> tuple[str, Parts] | None:
    """Another value of a part, as that part was written, and the date that it makes."""
    year, month, day = _parts(match)
    if not match.groupdict().get(part) or month not in (None, *range(1, 13)):
        return None
    width = 2 if _ISO.fullmatch(match[0]) else 1
    if part == "year" and year:
        year += generator.choice((-1, 1)) * generator.randint(1, _FARTHEST)
        new = f"{year:04}"
        if not 0 < year <= _LAST_YEAR:
            return None
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
