"""Clock times, timestamps and durations in data values and in texts.

Texts are English unless a `Language` is given; data values are always read as English.

Hand-written for the reason that dates are: the libraries for times in text fill missing parts with
those of today and give no offsets. A duration is a quantity in seconds (`numbers.Quantity`).
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from adequa.text.languages import Language
from adequa.text.values.dates import Date
from adequa.text.values.numbers import Quantity
from adequa.text.values.units import lowered

DAY_MINUTES = 24 * 60


class Clock(NamedTuple):
    """A time of day; `zone` is its distance from UTC in minutes, None where it is not given."""

    hour: int
    minute: int
    second: int | None = None
    zone: int | None = None

    @property
    def minutes(self) -> int:
        """Minutes since midnight."""
        return 60 * self.hour + self.minute


class TimeSpan(NamedTuple):
    """A clock time in a text, with every reading of it."""

    start: int
    end: int
    readings: tuple[Clock, ...]
    sure: bool
    """Whether it can only be a time of day: "5 pm", but not "9:55", which may be a duration."""


class Moment(NamedTuple):
    """A timestamp: its date and time as written."""

    date: Date
    clock: Clock


ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180,
    "msk": 180, "ist": 330, "jst": 540, "aest": 600, "est": -300, "edt": -240, "cst": -360,
    "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
"""Minutes from UTC of the abbreviations that texts use."""

_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_HOUR_WORDS = "|".join(_NUMBERS)
_HALF_OF_DAY = r"(?P<half>a\.?\s?m\.?|p\.?\s?m\.?)(?![a-z])"
_ZONE = rf"(?:\s?(?P<zone>{'|'.join(sorted(ZONES, key=len, reverse=True)[:-1])}|z)(?![a-z]))?"
_PART_OF_DAY = (
    r"(?:(?:in\sthe|that|this|the\ssame)\s(?:afternoon|evening|morning)|(?:at|that)\snight|tonight)"
)
_LATER = rf"(?P<part>\s{_PART_OF_DAY})?"
_FIGURES = re.compile(
    rf"""(?<![\w.,:/-])(?:
        (?P<h1>[01]?[0-9]|2[0-4])[:.h](?P<m1>[0-5][0-9])(?::(?P<s1>[0-5][0-9])(?:\.[0-9]+)?)?
            \s?{_HALF_OF_DAY}
      | (?P<h2>1[0-2]|0?[1-9])\s?(?P<half2>a\.?\s?m\.?|p\.?\s?m\.?)(?![a-z])
      | (?P<h3>[01]?[0-9]|2[0-4])(?::|h(?=[0-9]))(?P<m3>[0-5][0-9])(?::(?P<s3>[0-5][0-9])
            (?:\.[0-9]+)?)?(?![\w:]|[.,:][0-9])
      | (?P<h4>[01]?[0-9]|2[0-4])\s(?:o['’]clock|hrs|hours\slocal)(?![a-z])
      | (?P<h5>1[0-2]|[1-9])\.(?P<m5>[0-5][0-9])(?=\s{_PART_OF_DAY})
    ){_ZONE}{_LATER}""",
    re.VERBOSE,
)
_AFTER_HOUR = re.compile(r"[0-9](?:[:.h][0-9]|\s?[ap]\.?\s?m|\s(?:o['’]clock|hrs|hours\slocal))")
"""The end of an hour in figures, without which a text has no such time: it is found sooner."""
_WORDED = re.compile(
    rf"(?<!\w)(?:(?P<noon>noon|midday|midnight)"
    rf"|(?P<past>half|(?:a\s)?quarter|five|ten|twenty(?:[\s-]five)?)\s(?P<to>past|to"
    r"(?<!from ten to)(?<!from five to)(?<!from twenty to)"
    r"(?<!s five to)(?<!s ten to)(?<!s twenty to))\s"
    rf"(?P<hour>{_HOUR_WORDS}|midnight|midday|noon|1[0-2]|[1-9])"
    rf"|(?P<oclock>{_HOUR_WORDS})\s(?:o['’]clock|(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z])"
    r"|(?P<part>in\sthe\s(?:afternoon|evening|morning)|at\snight)"
    r"(?=\W*\Z|[,.;:!?)]|\s(?:and|with|when|until|till|to|on|but|from|the|it|a|after|before|by"
    r"|while|in|as|at|for|of|was|were|is|there)\b)))(?!\w)"
)
_IN_WORDS = re.compile(
    r"noon|midday|midnight|(?:half|quarter|five|ten|twenty)\s(?:past|to)\s"
    rf"|(?:{_HOUR_WORDS})\s(?:o['’]clock|[ap]\.?m|in\sthe\s|at\snight)"
)
"""Words without which a text has no time in words: they are found sooner."""
_SHARED = re.compile(r"\s?(?:to|and|until|till|or|[-–—])\s?\Z")
_PAST = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
_PART = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm", "tonight": "pm"}


@cache
def _times_of(language: Language) -> re.Pattern[str]:
    """The pattern of times of day in a language: 17.30 needs a word before or after it."""
    clock = "|".join(map(re.escape, language.clock_words))
    return re.compile(
        rf"""(?<![\w.,:/-])(?:
            (?P<h>[01]?[0-9]|2[0-4])[\s\u00a0\u202f]?(?:{language.hour})(?![^\W_])
          | (?P<h1>[01]?[0-9]|2[0-4])[:.](?P<m1>[0-5][0-9])
                [\s\u00a0]?(?:{_unnamed(language.hour)})(?!\w)
          | (?P<h2>[01]?[0-9]|2[0-4])(?::|h(?=[0-9]))(?P<m3>[0-5][0-9])
                (?::(?P<s3>[0-5][0-9]))?(?![\w:]|[.,][0-9])
          | (?:{language.at})\s(?:ore\s)?(?P<h3>[01]?[0-9]|2[0-4])\.(?P<m4>[0-5][0-9])
                (?![\w%]|[.,][0-9]|\s?[%€°])
          | (?:{language.at})\s(?P<h4>[01]?[0-9]|2[0-4])(?=[,;)]|\.?\s*\Z)
          | (?P<noon>{clock or "(?!)"})(?!\w)
          | (?P<part>{_parts(language)})(?!\w)
        )(?P<late>\s(?:{language.afternoon}))?""",
        re.VERBOSE,
    )


_HOUR = r"([^\W\d_]+|1[0-2]|[1-9])"


def _parts(language: Language) -> str:
    """The pattern of half past an hour and the like, the hour of each in a group."""
    return "|".join(
        pattern.replace(" ", r"\s").replace("HOUR", _HOUR.replace("(", f"(?P<part{place}>", 1))
        for place, pattern in enumerate(language.clock_parts)
    )


@cache
def _at(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language.at})\s\Z")


def _unnamed(pattern: str) -> str:
    """A pattern without the minutes that may follow the hour."""
    return re.sub(r"\(\?:[^()]*\(\?P<m2?>.*?\)\?(?=\||$)", "", pattern)


def _times_in(lower: str, language: Language) -> list[TimeSpan]:
    """Every time of day of a text in another language than English."""
    spans: list[TimeSpan] = []
    for match in _times_of(language).finditer(lower):
        found = match.groupdict()
        late = found["late"] is not None
        start, second = match.start(), int(found["s3"]) if found["s3"] else None
        if found["noon"]:
            total, both = language.clock_words[found["noon"]], False
        elif found["part"]:
            ways = enumerate(language.clock_parts.values())
            word, minutes = next((found[f"part{n}"], way) for n, way in ways if found[f"part{n}"])
            known = language.number_words.get(word, ("", 0, False))
            hour = int(word) if word.isdigit() else known[1]
            if not 0 < hour <= 12:
                continue
            total, both = 60 * hour + minutes, True
        else:
            figures = next(name for name in ("h", "h1", "h2", "h3", "h4") if found[name])
            hour = int(found[figures])
            minute = found.get("m") or found.get("m2") or found["m1"] or found["m3"] or found["m4"]
            total, both = 60 * (hour % 24) + int(minute or 0), late and hour < 12
            start = match.start(figures)
            # "2 h", "2 heures" and "2 часа 15 минут" are durations, unless a word such as "at"
            # is before them; "8 Uhr" is a time.
            rest = lower[start : match.end() + 4]
            lasting = "uhr" not in rest and (minute is None or "min" in rest or "мин" in rest)
            if (
                found["h"]
                and lasting
                and not _at(language).search(lower, max(0, start - 10), start)
            ):
                continue
        totals = [
            total % DAY_MINUTES,
            *([(total + DAY_MINUTES // 2) % DAY_MINUTES] if both else []),
        ]
        clocks = tuple(
            Clock(one // 60, one % 60, second) for one in (totals[1:] if late and both else totals)
        )
        sure = found["h2"] is None
        spans.append(TimeSpan(start, match.end(), clocks, sure))
    return spans


def find_times(text: str, language: Language | None = None) -> list[TimeSpan]:
    """Every clock time of a text, in order.

    "9:55" is read as a time though it may be a duration; "5.30" is one only before am or pm. In
    "from 1:47 to 2:19 pm" the first time has a reading in the afternoon too.

    >>> [span.readings for span in find_times("It opens at 5:30 pm.")]
    [(Clock(hour=17, minute=30, second=None, zone=None),)]
    """
    lower = lowered(text)
    if language is not None:
        return _times_in(lower, language)
    spans: list[TimeSpan] = []
    if _AFTER_HOUR.search(lower):
        spans = [_figures(match) for match in _FIGURES.finditer(lower)]
    if _IN_WORDS.search(lower):
        spans += [_worded(match) for match in _WORDED.finditer(lower)]
        spans.sort()
    following = [*spans[1:], None] if spans else []
    pairs = zip(spans, following, strict=True)
    return [_with_half(span, other, lower) for span, other in pairs]


def _figures(match: re.Match[str]) -> TimeSpan:
    hour = int(match["h1"] or match["h2"] or match["h3"] or match["h4"] or match["h5"])
    minute = int(match["m1"] or match["m3"] or match["m5"] or 0)
    second = match["s1"] or match["s3"]
    half = match["half"] or match["half2"]
    zone = ZONES.get(match["zone"] or "")
    end = match.end() if match["part"] is None else match.start("part")
    if half and hour > 12:
        half = None  # 17:34 pm
    if half is None and match["part"] and hour <= 12:
        half = _PART[match["part"].split()[-1]]
    exact = int(second) if second else None
    clocks = tuple(Clock(one % 24, minute, exact, zone) for one in _hours(hour, half))
    # "5 pm." at the end of a sentence: the full stop is not the time's.
    if match.string[end - 1] == "." and half and half.count(".") < 2:
        end -= 1
    return TimeSpan(match.start(), end, clocks, half is not None or bool(match["h4"]))


def _hours(hour: int, half: str | None) -> tuple[int, ...]:
    if half is None:
        return (hour,)
    return (hour % 12 + 12,) if half.startswith("p") else (hour % 12,)


def _worded(match: re.Match[str]) -> TimeSpan:
    if match["noon"]:
        hour = 0 if match["noon"] == "midnight" else 12
        return TimeSpan(*match.span(), (Clock(hour, 0),), True)
    if match["oclock"]:
        half = match["half"] or (_PART[match["part"].split()[-1]] if match["part"] else None)
        hours = _hours(_NUMBERS[match["oclock"]], half)
        both = hours if half else (hours[0], (hours[0] + 12) % 24)
        return TimeSpan(*match.span(), tuple(Clock(hour, 0) for hour in both), True)
    words = match["past"].replace("-", " ").removeprefix("a ").split()
    minutes = sum(_PAST[word] for word in words)
    hour = _NUMBERS.get(match["hour"]) or 0
    if match["hour"].isdigit():
        hour = int(match["hour"])
    total = 60 * hour + (minutes if match["to"] == "past" else -minutes)
    if not hour:  # "a quarter to midnight"
        middle = 0 if match["hour"] == "midnight" else DAY_MINUTES // 2
        one = (middle + total) % DAY_MINUTES
        return TimeSpan(*match.span(), (Clock(one // 60, one % 60),), True)
    clocks = tuple(
        Clock(both // 60, both % 60) for both in (total % 720, total % 720 + DAY_MINUTES // 2)
    )
    return TimeSpan(*match.span(), tuple(dict.fromkeys(clocks)), True)


def _with_half(span: TimeSpan, following: TimeSpan | None, lower: str) -> TimeSpan:
    """The span with a reading in the afternoon where the next time has one: "1:47 to 2:19 pm"."""
    if span.sure or following is None or not following.sure or span.readings[0].hour > 12:
        return span
    if not _SHARED.fullmatch(lower, span.end, following.start):
        return span
    late = [one._replace(hour=one.hour % 12 + 12) for one in span.readings]
    return span._replace(readings=(*span.readings, *late))


_STAMP = re.compile(
    r"(?P<y>[0-9]{4})-(?P<mo>[0-9]{2})-(?P<d>[0-9]{2})[T ](?P<h>[0-9]{2}):(?P<m>[0-9]{2})"
    r"(?::(?P<s>[0-9]{2})(?:[.,][0-9]+)?)?\s?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_CLOCK = re.compile(
    r"(?P<h>[01]?[0-9]|2[0-4]):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9])(?:\.[0-9]+)?)?"
    r"(?P<zone>Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?"
)
_OPEN_TO = re.compile(r"[0-9]{1,2}:[0-9]{2}-[0-9]{2}:[0-9]{2}")  # opening hours, not a zone
_EPOCH = re.compile(r"1[0-9]{9}(?:[0-9]{3})?")


def _offset(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone == "Z":
        return 0
    minutes = 60 * int(zone[1:3]) + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes


def moment_of(value: str, *, epoch: bool = False) -> Moment | None:
    """The date and time of a timestamp: ISO 8601, or seconds since 1970 where `epoch` says so.

    >>> moment_of("2024-11-08T07:25:00+01:00").clock
    Clock(hour=7, minute=25, second=0, zone=60)
    """
    value = value.strip()
    if match := _STAMP.fullmatch(value):
        month, day, hour, minute = (int(match[part]) for part in ("mo", "d", "h", "m"))
        if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 25 and minute < 60):
            return None
        second = int(match["s"]) if match["s"] else None
        date = Date(int(match["y"]), month, day)
        return Moment(date, Clock(hour % 24, minute, second, _offset(match["zone"])))
    if epoch and _EPOCH.fullmatch(value):
        when = datetime.fromtimestamp(int(value[:10]), timezone.utc)
        date = Date(when.year, when.month, when.day)
        return Moment(date, Clock(when.hour, when.minute, when.second, 0))
    return None


def clock_of(value: str) -> Clock | None:
    """The time of day of a data value: `17:34`, `07:05:00`, `5:34 PM`."""
    value = value.strip()
    match = _CLOCK.fullmatch(value)
    if match and not _OPEN_TO.fullmatch(value):
        second = int(match["s"]) if match["s"] else None
        return Clock(int(match["h"]) % 24, int(match["m"]), second, _offset(match["zone"]))
    spans = find_times(value) if len(value) < 20 else []
    if len(spans) == 1 and (spans[0].start, spans[0].end) == (0, len(value)):
        return spans[0].readings[0] if len(spans[0].readings) == 1 else None
    return None


def is_same_time(value: Clock, seen: Clock) -> bool:
    """Whether a time of a text is that of the data, its seconds left out or not, zones minded.

    >>> is_same_time(Clock(17, 34, 12), Clock(17, 34)), is_same_time(Clock(17, 34), Clock(5, 34))
    (True, False)
    """
    if seen.second is not None and (value.second or 0) != seen.second:
        return False
    minutes = value.minutes
    if seen.zone is not None and value.zone is not None:
        minutes += seen.zone - value.zone
    return minutes % DAY_MINUTES == seen.minutes


_ISO_DURATION = re.compile(
    r"P(?=[0-9T])(?:(?P<y>[0-9]+)Y)?(?:(?P<mo>[0-9]+)M)?(?:(?P<w>[0-9]+)W)?(?:(?P<d>[0-9]+)D)?"
    r"(?:T(?:(?P<h>[0-9]+(?:\.[0-9]+)?)H)?(?:(?P<m>[0-9]+(?:\.[0-9]+)?)M)?"
    r"(?:(?P<s>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_SECONDS = {"y": 31557600, "mo": 2629800, "w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_LAP = re.compile(r"(?:(?P<h>[0-9]{1,3}):)?(?P<m>[0-9]{1,3}):(?P<s>[0-5][0-9](?:\.[0-9]+)?)")
_PARTS = re.compile(
    r"(?P<d>[0-9]{1,4})\s?(?:d|days?)\s?,?\s?(?:(?P<dh>[0-9]{1,2})\s?(?:h|hrs?|hours?))?"
    r"|(?P<h>[0-9]{1,4})\s?(?:h|hrs?|hours?)\s?,?\s?(?:and\s)?(?:(?P<m>[0-9]{1,2})\s?"
    r"(?:m|mins?|minutes?)?)?(?:\s?,?\s?(?:and\s)?(?P<s>[0-9]{1,2})\s?(?:s|secs?|seconds?))?"
    r"|(?P<mm>[0-9]{1,4})\s?(?:m|mins?|minutes?)\s?,?\s?(?:and\s)?"
    r"(?P<ss>[0-9]{1,2}(?:\.[0-9]+)?)\s?(?:s|secs?|seconds?)"
)


def durations_of(value: str) -> tuple[Quantity, ...]:
    """Every reading of a data value as a duration: `PT90M`, `1:45:30`, `2h 15m`.

    Two figures with a colon are minutes and seconds, or else hours and minutes.

    >>> [str(one.value) for one in durations_of("PT1H30M")]
    ['5400']
    """
    value = value.strip()
    if match := _ISO_DURATION.fullmatch(value):
        parts = match.groupdict("0").items()
        total = sum((Decimal(part) * _SECONDS[name] for name, part in parts), Decimal(0))
        return (Quantity(_plain(total), "second"),)
    if match := _LAP.fullmatch(value):
        hours, minutes, seconds = int(match["h"] or 0), int(match["m"]), Decimal(match["s"])
        first = Quantity(_plain(3600 * hours + 60 * minutes + seconds), "second")
        if match["h"] or "." in match["s"]:
            return (first,)
        return first, Quantity(_plain(3600 * Decimal(minutes) + 60 * seconds), "second")
    if match := _PARTS.fullmatch(value.lower()):
        return (Quantity(_seconds(match), "second"),)
    return ()


def _plain(value: Decimal) -> Decimal:
    whole = value.to_integral_value()
    return Decimal(int(whole)) if whole == value else value


def _seconds(match: re.Match[str]) -> Decimal:
    parts = match.groupdict("0")
    total = 86400 * int(parts["d"]) + 3600 * (int(parts["dh"]) + int(parts["h"]))
    total += 60 * (int(parts["m"]) + int(parts["mm"])) + int(parts["s"])
    return _plain(Decimal(total) + Decimal(parts["ss"]))
