"""Dates in data values and in texts, and whether the two agree.

Texts are English unless a `Language` is given; data values are always read as English.

Hand-written: `dateutil` and `dateparser` fill the missing parts of a date ("May 1950") with
those of today, and do not give its offsets in a text.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple

from adequa.text.languages import Language
from adequa.text.values.units import literal_of, lowered


class Date(NamedTuple):
    """A date; parts that are not known are None."""

    year: int | None
    month: int | None
    day: int | None


class DateSpan(NamedTuple):
    """A date in a text; 03/04/2005 has two readings, day-month first."""

    start: int
    end: int
    readings: tuple[Date, ...]


class DateMatch(Enum):
    """The relation of a date in a text to a date in the data."""

    SAME = "same"
    PARTIAL = "partial"
    CONFLICT = "conflict"


def compare_dates(value: Date, seen: Date) -> DateMatch:
    """SAME in every part; PARTIAL when one side has more parts; CONFLICT when a part differs.

    Dates without a common part (1986 and "April 15") conflict: neither supports the other.
    """
    if value == seen:
        return DateMatch.SAME
    both = [(a, b) for a, b in zip(value, seen, strict=True) if a is not None and b is not None]
    if both and all(a == b for a, b in both):
        return DateMatch.PARTIAL
    return DateMatch.CONFLICT


_STEMS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {stem: number for number, stem in enumerate(_STEMS, 1)}
_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_SPELT = {
    word: number
    for number, word in enumerate(
        (*_UNITS, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
         "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"), 1)
} | {"thirtieth": 30}  # fmt: skip
_SPELT |= {f"twenty{word}": 20 + number for number, word in enumerate(_UNITS, 1)}
_SPELT |= {"thirtyfirst": 31}

# Every repetition below is bounded, so a position costs a bounded number of steps in any text.
_FULL = "january|february|march|april|may|june|july|august|september|october|november|december"
_SHORT = "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
_TEENS = "|".join(
    word for word in _SPELT if word not in _UNITS and word[:6] not in ("twenty", "thirty")
)
_WORD_DAY = (
    rf"(?:twenty|thirty)[\s-]{{1,3}}(?:{'|'.join(_UNITS)})|{'|'.join(_UNITS)}|{_TEENS}|thirtieth"
)
_NUMBER = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"(?:1[0-9]{3}|20[0-9]{2})(?!\w)(?!(?<=0)['’]s)"
_DASH = r"\s{0,2}[-/,–]?\s{0,2}"
# A number that continues ("April 15,000") is not a day.
_ENDS = r"(?![0-9]|[.,:/][0-9]|\s?%)"


_TIME = r"(?:t[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:z|[+-][0-9]{2}:?[0-9]{2})?)?"
_NUMERIC = rf"""
    (?P<y1>1[0-9]{{3}}|20[0-9]{{2}})\s?(?P<sep1>[-/.–])\s?(?P<m1>0?[1-9]|1[0-2])
        \s?(?P=sep1)\s?(?P<d1>{_NUMBER}){_TIME}(?!\w)(?![-/.][0-9])
  | (?P<y2>1[0-9]{{3}}|20[0-9]{{2}})\ (?P<m2>0[1-9]|1[0-2])\ (?P<d2>0[1-9]|[12][0-9]|3[01])
        (?!\w)(?![-/.,:][0-9])
  | (?P<y3>1[0-9]{{3}}|20[0-9]{{2}})-(?P<m3>0[1-9]|1[0-2])(?!\w)(?!\s?[-/.,:–]\s?[0-9])
  | (?P<y0>1[0-9]{{3}}|20[0-9]{{2}})\s?(?P<sep0>[-/.])\s?(?P<d0>1[3-9]|2[0-9]|3[01])
        \s?(?P=sep0)\s?(?P<m0>0?[1-9]|1[0-2])(?!\w)(?![-/.][0-9])
  | (?P<a9>{_NUMBER})(?P<sep9>[-/])(?P<b9>{_NUMBER})(?P=sep9)(?P<yy>[0-9]{{2}})
        (?!\w)(?![-/.,:][0-9])
  | (?P<a4>{_NUMBER})\s?(?P<sep4>[-/.–])\s?(?P<b4>{_NUMBER})\s?(?P=sep4)\s?(?P<y4>{_YEAR})
        (?![-/.,:][0-9])
  | (?P<y5>{_YEAR})
"""


class _Words(NamedTuple):
    """The patterns of a language in a date with the name of a month."""

    full: str
    short: str
    day_end: str
    day_words: str
    weekday: str
    of: str
    """Before a year."""
    of_day: str
    """Between the day and the month."""
    the: str


_ENGLISH = _Words(
    full=_FULL,
    short=_SHORT,
    day_end=r"\s?(?:st|nd|rd|th)(?!\w)",
    day_words=_WORD_DAY,
    weekday=r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\s?,?\s{1,2}(?:the\s{1,2})?)?",
    of=r"(?:of\s{1,2}|in\s{1,2})?(?:the\s{1,2}year\s{1,2})?",
    of_day=r"of\s{1,2}",
    the=r"the\s{1,2}",
)


def _with_months(words: _Words) -> str:
    """The pattern of dates with the name of a month."""
    day = rf"(?:{_NUMBER}(?:{words.day_end}|(?![0-9]))|(?:{words.day_words})(?!\w))"

    def month(group: str) -> str:
        short = rf"(?P<{group}s>{words.short})(?!\w)(?:\s?\.)?"
        return rf"(?:(?P<{group}>{words.full})(?!\w)|{short})"

    return rf"""
    {words.weekday}(?P<d6>{day})(?:\s{{1,2}}day)?{_DASH}(?P<of6>{words.of_day})?(?:{words.the})?{month("m6")}
        (?:{_DASH}{words.of}(?P<y6>{_YEAR}))?
  | {words.weekday}{month("m7")}{_DASH}(?P<the7>{words.the})?(?P<d7>{day})
        (?:{_DASH}{words.of}(?P<y7>{_YEAR})|{_ENDS})
  | {month("m8")}{_DASH}{words.of}(?P<y8>{_YEAR})
  | (?P<y9>1[0-9]{{3}}|20[0-9]{{2}}){_DASH}{month("m9")}{_DASH}(?P<d9>{day}){_ENDS}
"""


_START = r"(?<![^\W_])(?<![0-9][.,:])"
_NUMERIC_DATES = re.compile(f"{_START}(?:{_NUMERIC})", re.VERBOSE)
_ALL_DATES = re.compile(f"{_START}(?:{_with_months(_ENGLISH)}|{_NUMERIC})", re.VERBOSE)
_DIGIT = re.compile("[0-9]")
_FIRST_DIGIT = re.compile(r"[0-9](?<![^\W_][0-9])")
"""Where a date in figures can begin."""
_BEFORE_MONTH = 60
"""Letters before the month of the longest date: "Wednesday, the twenty-seventh day of the"."""
_LETTERS = 3
"""Of an opening in letters."""
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_OPENINGS = frozenset((*_WEEKDAYS, *(word[:3] for word in (*_FULL.split("|"), *_SPELT))))
"""The first letters of a date that does not begin with a figure."""
_OPENING = re.compile(
    rf"[0-9](?<![^\W_][0-9])|(?:{'|'.join(sorted(_OPENINGS))})(?<![^\W_][a-z]{{3}})"
)
"""Where any date can begin."""
_MONTH_NAME = re.compile(rf"(?:{_FULL}|{_SHORT})(?!\w)")
_SPELT_DAY = re.compile(rf"(?:{_WORD_DAY})(?!\w)")

# Characters before or after a bare year that make it part of something longer.
_BEFORE_YEAR = re.compile(
    r"(?:[0-9]\s?[-–—]\s?|[0-9]\s?[./:]\s?|[0-9],|[0-9]\s,\s|[$€£¥₹]\s?|\.|_)\Z"
)
_RANGE_BEFORE = re.compile(r"(?<![\w.,/-])(?:1[0-9]|20)[0-9]{2}\s?[-–—/]\s?\Z")
_PREFIX_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_]?-\Z|[0-9A-Z]-\Z")
_RANGE_AFTER = re.compile(r"\s?[-–—/]\s?(?:1[0-9]|20)[0-9]{2}(?!\w|\s?[-–—/.,]\s?[0-9])")
_AFTER_YEAR = re.compile(
    r"\s?[-–—/:]\s?[0-9]|[.,][0-9]|\s?%|\s?\.\s?0{1,6}(?![0-9])|(?<=0)\s?['’]?\s?s(?!\w)"
)
_OPENER = re.compile(r"(?<!\w)(?:on|since|until|till|from|by|before|after)\s{1,2}\Z")


class _Names(NamedTuple):
    """The numbers of the names of months, and of days in words."""

    months: Mapping[str, int]
    days: Mapping[str, int]


_ENGLISH_NAMES = _Names(_MONTHS, _SPELT)


@cache
def _dates_of(language: Language) -> tuple[re.Pattern[str], _Names]:
    """The pattern of all dates in a language, and its names."""
    forms = sorted(language.month_numbers, key=len, reverse=True)
    known = language.number_words.items()
    days = {word: n for word, (_, n, ordinal) in known if ordinal and n < _MOST_DAYS}
    words = _Words(
        full="|".join(form for form in forms if len(form) > _LONGEST_SHORT),
        short="|".join(form for form in forms if len(form) <= _LONGEST_SHORT),
        day_end=rf"(?:{language.day_end})(?![^\W_])",
        day_words="|".join(sorted(map(re.escape, days), key=len, reverse=True)),
        weekday=rf"(?:(?:{'|'.join(language.weekdays.split())})\s?,?\s{{1,2}})?",
        of=language.of.replace(" ", r"\s"),
        of_day=r"d[eo]l?\s{1,2}|van\s{1,2}",
        the=r"(?!)",
    )
    pattern = re.compile(f"{_START}(?:{_with_months(words)}|{_NUMERIC})", re.VERBOSE)
    return pattern, _Names(language.month_numbers, days)


_MOST_DAYS = 32
_LONGEST_SHORT = 4
"""Letters of the names of months that may have a full stop: "sept."."""


def find_dates(text: str, language: Language | None = None) -> list[DateSpan]:
    """Every date of a text, as long as possible, without overlaps, in order."""
    lower = lowered(text)
    digits = _DIGIT.search(text) is not None
    months: list[int] = []
    if language is None:
        months = _find_months(lower)
        if not digits and not (months and _SPELT_DAY.search(lower)):
            return []
        pattern, names = None, _ENGLISH_NAMES
    else:
        if not digits:
            return []
        pattern, names = _dates_of(language)
    spans: list[DateSpan] = []
    position = 0
    while match := (
        pattern.search(lower, position) if pattern else _find_any(lower, position, months)
    ):
        span = _span(text, lower, match, names)
        if span and language is not None and match["a4"]:
            span = span._replace(readings=span.readings[:1])  # the day is before the month
        if span:
            spans.append(span)
            position = span.end
        else:
            # A refused "5 may" or "1986" may still have a date inside: "5 May 15, 1986".
            worded = match.re is _ALL_DATES
            month = max(match.start("m6"), match.start("m6s")) if worded else -1
            position = month if month > 0 else match.end()
    return spans


def _find_numeric(lower: str, position: int, end: int = sys.maxsize) -> re.Match[str] | None:
    """`_NUMERIC_DATES.search`, which would try every character and not only figures.

    The date begins before `end`.
    """
    while figure := _FIRST_DIGIT.search(lower, position, end):
        if match := _NUMERIC_DATES.match(lower, figure.start()):
            return match
        position = figure.end()
    return None


def _find_months(lower: str) -> list[int]:
    """Where the names of months begin: `_MONTH_NAME.finditer`, but only at their first letters."""
    places: list[int] = []
    for stem in _STEMS:
        place = lower.find(stem)
        while place >= 0:
            if _MONTH_NAME.match(lower, place):
                places.append(place)
            place = lower.find(stem, place + 1)
    return sorted(places)


def _find_any(lower: str, position: int, months: Sequence[int]) -> re.Match[str] | None:
    """`_ALL_DATES.search`, but only at figures and before months."""
    for month in months[bisect_left(months, position) :]:
        near = max(position, month - _BEFORE_MONTH)
        if match := _find_numeric(lower, position, near):
            return match
        position = month + 1
        for opening in _OPENING.finditer(lower, near, month + _LETTERS):
            if match := _ALL_DATES.match(lower, opening.start()):
                return match
    return _find_numeric(lower, position)


def _span(text: str, lower: str, match: re.Match[str], names: _Names) -> DateSpan | None:
    if match["y5"]:  # most dates are
        return _bare_year(text, match)
    if match["a4"]:
        year, first, second = int(match["y4"]), int(match["a4"]), int(match["b4"])
        pairs = dict.fromkeys([(first, second), (second, first)])
        readings = tuple(Date(year, month, day) for day, month in pairs if month <= 12)
        return DateSpan(match.start(), match.end(), readings) if readings else None
    if match["y0"]:  # 1944-28-07: the day cannot be a month
        date = Date(int(match["y0"]), int(match["m0"]), int(match["d0"]))
        return DateSpan(match.start(), match.end(), (date,))
    if match["yy"]:
        return _short_year(match)
    if match["y3"]:
        year, month = int(match["y3"]), int(match["m3"])
        # 2003-04 is a season, not April 2003.
        if month == (year + 1) % 100:
            return None
        return DateSpan(match.start(), match.end(), (Date(year, month, None),))
    for form in "12":
        if match[f"y{form}"]:
            date = Date(int(match[f"y{form}"]), int(match[f"m{form}"]), int(match[f"d{form}"]))
            return DateSpan(match.start(), match.end(), (date,))
    for form in "6789" if "m6" in match.re.groupindex else "":
        if name := match[f"m{form}"] or match[f"m{form}s"]:
            return _worded(text, lower, match, form, name, names)
    return None


def _short_year(match: re.Match[str]) -> DateSpan | None:
    """01-01-34: the century is unknown, so both are readings."""
    first, second, year = int(match["a9"]), int(match["b9"]), int(match["yy"])
    pairs = dict.fromkeys([(first, second), (second, first)])
    dates = [(month, day) for day, month in pairs if month <= 12]
    readings = tuple(Date(century + year, *one) for one in dates for century in (1900, 2000))
    return DateSpan(match.start(), match.end(), readings) if readings else None


def _worded(
    text: str, lower: str, match: re.Match[str], form: str, name: str, names: _Names
) -> DateSpan | None:
    number, days = names.months[name[:3] if names is _ENGLISH_NAMES else name], names.days
    year, day = match[f"y{form}"], match[f"d{form}"] if form != "8" else None
    month = f"m{form}" if match[f"m{form}"] else f"m{form}s"
    if not year and day and not _plain_date(text, lower, match, day, name, match.start(month)):
        return None
    ends = [match.end(month)] + [
        match.end(f"{part}{form}") for part in "dy" if f"{part}{form}" in match.re.groupindex
    ]
    date = Date(int(year) if year else None, number, _day(day, days) if day else None)
    return DateSpan(match.start(), max(ends), (date,))


def _plain_date(
    text: str, lower: str, match: re.Match[str], day: str, name: str, month: int
) -> bool:
    """Whether a day and month without a year are a date: not "15 may be", "the first march"."""
    joined = bool(match["of6"] or match["the7"])
    if match["d7"] and day[-1].isdigit() and "," in lower[month : match.start("d7")]:
        return False  # "in March, 23 were returned"
    if not _DIGIT.match(day):
        return joined or match["m7"] is not None or match["m7s"] is not None
    if joined or not day[-1].isdigit() or name not in ("may", "march", "mar"):
        return True
    opener = _OPENER.search(lower, max(0, match.start() - 8), match.start())
    return not text[month].islower() or opener is not None


def _day(day: str, days: Mapping[str, int]) -> int:
    digits = day[:2] if day[:2].isdigit() else day[:1]
    return int(digits) if digits.isdigit() else days[re.sub(r"[\s-]", "", day)]


def _bare_year(text: str, match: re.Match[str]) -> DateSpan | None:
    start, end = match.span()
    before = text[max(0, start - 10) : start]
    joined = _PREFIX_BEFORE.search(before) or _BEFORE_YEAR.search(before)
    if joined and not _RANGE_BEFORE.search(before):
        return None
    if _AFTER_YEAR.match(text, end) and not _RANGE_AFTER.match(text, end):
        return None
    return DateSpan(start, end, (Date(int(match[0]), None, None),))


_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
# A zone after a bare year is allowed only with a date type: 1046-8188 is an ISSN.
_ISO = re.compile(
    r"(?P<y>[0-9]{4})(?:-(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2})"
    rf"(?:[T ][0-9]{{2}}:[0-9:.]{{2,18}})?{_ZONE})?)?(?P<zone>{_ZONE})"
)
_RECURRING = re.compile(r"--(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2}))?")
_DATE_TYPES = {"date", "datetime", "datetimestamp", "gyear", "gyearmonth", "gmonthday", "gmonth"}


def date_of(string: str) -> Date | None:
    """The date of a data value; None if it is not one, only contains one, or is ambiguous."""
    value, datatype = literal_of(string)
    typed = datatype is not None and datatype.lower() in _DATE_TYPES
    if len(value) > 60 or (datatype is not None and not typed and datatype.lower() != "string"):
        return None
    if match := _ISO.fullmatch(value):
        year, month, day = int(match["y"]), int(match["m"] or 0), int(match["d"] or 0)
        if not typed and (match["zone"] or (not month and not 1000 <= year <= 2100)):
            return None
        return Date(year, month or None, day or None) if month <= 12 and day <= 31 else None
    if match := _RECURRING.fullmatch(value):
        month, day = int(match["m"]), int(match["d"] or 0)
        return Date(None, month, day or None) if 1 <= month <= 12 and day <= 31 else None
    value = value.replace("_", " ")
    spans = find_dates(value)
    if len(spans) != 1 or len(spans[0].readings) != 1:
        return None
    rest = value[: spans[0].start].strip().lower(), value[spans[0].end :].strip()
    return spans[0].readings[0] if rest[0] in ("", "the") and rest[1] in ("", ".") else None
