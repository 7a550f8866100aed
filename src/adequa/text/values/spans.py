"""Every value of a text, once: dates, times of day, numbers, shares, durations, scores.

`find_values` joins what `find_dates`, `find_times` and `find_numbers` find, and adds the forms that
are more than one number: "two thirds", "one in five", "an hour and a half", "1 minute 45 seconds",
"eleven pounds fifty", "3-1", "twice".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Literal, NamedTuple

from adequa.text.languages import Language
from adequa.text.values.dates import Date, DateSpan, find_dates
from adequa.text.values.numbers import Hedge, NumberSpan, Quantity, find_numbers, hedge_at
from adequa.text.values.times import Clock, durations_of, find_times
from adequa.text.values.units import CURRENCIES, UNITS, lowered, match_unit

SpanKind = Literal["date", "time", "number", "share", "ratio", "score", "ordinal"]


class ValueSpan(NamedTuple):
    """A value in a text with every reading of it."""

    start: int
    end: int
    kind: SpanKind
    quantities: tuple[Quantity, ...] = ()
    """Readings as a number; of a score, its two numbers."""
    dates: tuple[Date, ...] = ()
    clocks: tuple[Clock, ...] = ()
    words: bool = False
    """Whether the number is in words."""
    hedge: Hedge = "none"
    begin: int = 0
    """Where the words of its hedge begin, or its own start."""
    range: bool = False
    """Whether it is an end of a range: "from 8 to 10 km"."""


_COUNT = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "twenty": 20, "hundred": 100,
}  # fmt: skip
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "hundredth": 100,
}  # fmt: skip
_PART = "|".join(_PARTS)
# "a third attempt" and "the first half" are not shares; "a third of", "by a quarter" are.
_FRACTION = re.compile(
    rf"""(?<![\w-])(?:
        (?P<many>{"|".join(_COUNT)})[\s-](?P<parts>{_PART})s(?!\w)
      | (?P<one>an?|one)[\s-](?P<part>{_PART})(?=\sof\b|[.,;:)]|-|\Z
            |\s(?:as|more|less|fewer|higher|lower|to|an?|on|in|and|or|are|is|were|was|full|than)\b)
      | (?P<bare>(?<!first\s)(?<!second\s)(?<!the\s)(?<!each\s)(?<!either\s)(?<!other\s)
            (?<!final\s)(?<!latter\s)half)(?=\s|[.,;:)]|-(?:an?-)?[a-z]|\Z)
            (?!\s(?:past|time|marathon|board|double|way)\b|-(?:time|way|marathon|board|hearted))
      | (?P<quarter>quarter)(?=-(?:kilo|litre|liter|hour|million|century))
    )""",
    re.VERBOSE,
)
_OF_A = re.compile(r"(?:\s(?:of\s)?an?\s|-(?:an?-)?|\s)")
_ONE_IN = re.compile(
    r"(?<![\w.,-])(?P<n>one|two|three|four|five|six|seven|eight|nine|[1-9])"
    r"(?:\s[a-z]{3,14})?\sin(?:\severy)?\s"
    r"(?P<d>two|three|four|five|six|seven|eight|nine|ten|twenty|[1-9][0-9]{0,2})(?![\w%]|[.,:][0-9])"
    r"(?!\s(?:minutes|seconds|hours|days|weeks|months|years|rounds|games|matches))"
)
_IN_SOME = re.compile(
    r"\sin(?:\severy)?\s(?:two|three|four|five|six|seven|eight|nine|ten|twenty|[1-9])"
)
_FEW = 10
"""In larger numbers only one is a share: "one dollar in 24", but not "3 goals in 24 games"."""
_SIGNS = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.333", "⅔": "0.667", "⅛": "0.125"}
_SIGN = re.compile(rf"(?P<whole>[0-9]{{1,4}})?\s?(?P<sign>[{''.join(_SIGNS)}])")
_AND_A_PART = re.compile(r"\sand\s(?:a|one)[\s-](?P<part>half|quarter)(?!\w)")
_WHOLE = re.compile(r"(?<!\w)(?:an?|one)\s(?:(?:full|whole|entire)\s)?(?=[a-z]{3,12}(?!\w))")
_LARGE = re.compile(r"(?P<word>hundred|thousand|million|billion|trillion|dozen)(?!\w)")
_LARGES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9,
           "trillion": 10**12, "dozen": 12}  # fmt: skip
_RATIO = re.compile(
    r"(?<!\w)(?P<word>twice|double|triple|quadruple|tenfold)(?=\s(?:as|the|that|its|what)\b)"
    r"|(?<![\w.])(?P<n>two|three|four|five|six|seven|eight|nine|ten|[0-9]{1,3}(?:\.[0-9]+)?)"
    r"(?:\stimes|[\s-]?fold)(?=\s(?:as|more|the|higher|larger|bigger|longer|its|that)\b)"
)
_TIMES = re.compile("twice|double|triple|quadruple|fold|times")
_RATIOS = {"twice": 2, "double": 2, "triple": 3, "quadruple": 4, "tenfold": 10}
_SCORE = re.compile(
    r"(?<![\w.,:/$€£-])(?P<a>[0-9]{1,3})(?:\s?[-–—]\s?|:)(?P<b>[0-9]{1,3})(?![\w:/]|[-–.,][0-9])"
)
_JOINED = re.compile(r"[0-9](?:\s?[-–—]\s?|:)[0-9]")
# Above, what begins with a look-behind is tried at every letter; a part of it is found sooner.
_LAP = re.compile(r"(?<![\w.,:/-])[0-9]{1,3}:[0-5][0-9](?::[0-5][0-9])?(?:\.[0-9]{1,3})(?![\w:])")
_TO_DATE = re.compile(
    r"(?<![\w.,:])(?P<day>0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?\s?(?:to|and|until|till|or|through"
    r"|[-–—])\s?(?:the\s)?\Z"
)
_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7,
    "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
}  # fmt: skip
_MONTH = re.compile(rf"(?<!\w)(?:{'|'.join(_MONTHS)})(?!\w)")
_MONTH_BEFORE = re.compile(
    r"(?:in|to|by|of|from|late|since|until|early|mid|during|between|and|for|last|next|this|each)"
    r"[\s-]\Z"
)
_DECADE = re.compile(r"(?<![\w.,])(?P<year>1[0-9]{2}0|20[0-9]0)['’]?s(?!\w)")
_DECADE_END = re.compile(r"0['’]?s")
_DAY_BEFORE = re.compile(r"(?:the|on|and|to)\s\Z")
_ONE_AND = re.compile(r"(?<!\w)(?:an?|one)\s(?P<unit>hour|minute|day|week|year)\sand\s\Z")
_MORE_OF_IT = re.compile(r",?\s(?:and\s)?|")
_BASES = {"time": "second", "length": "metre", "mass": "kilogram"}


class _Finder:
    """The spans found so far and the characters they take."""

    def __init__(self, text: str, language: Language | None = None) -> None:
        self.text, self.lower, self.language = text, lowered(text), language
        self.taken = bytearray(len(text) + 1)
        self.spans: list[ValueSpan] = []

    def add(self, span: ValueSpan) -> None:
        start, end = span.start, span.end
        if self.taken.find(1, start, end) < 0:
            self.taken[start:end] = b"\1" * (end - start)
            hedge, begin = hedge_at(self.lower, start, end, self.language)
            self.spans.append(span._replace(hedge=hedge, begin=begin))


def find_values(
    text: str,
    *,
    dates: Sequence[DateSpan] | None = None,
    numbers: Sequence[NumberSpan] | None = None,
    language: Language | None = None,
) -> list[ValueSpan]:
    """Every value of a text, as long as possible, without overlaps, in order.

    `dates` and `numbers` are those of the text where they have been found before.

    >>> [(span.kind, span.hedge) for span in find_values("Nearly half came on 5 May at 7:30 pm.")]
    [('share', 'just under'), ('date', 'none'), ('time', 'none')]
    """
    finder = _Finder(text, language)
    dates = find_dates(text, language) if dates is None else dates
    numbers = find_numbers(text, language) if numbers is None else numbers
    _add_dates(finder, dates)
    _add_times(finder)
    if language is None:
        _add_parts(finder)
        _add_ratios(finder)
    years = {span.start: span for span in dates if span.readings[0].month is None}
    _add_numbers(finder, numbers, years)
    for match in _SCORE.finditer(text) if _JOINED.search(text) else ():
        unit = _unit_after(finder, match.end())
        pair = tuple(Quantity(Decimal(match[name]), unit and unit[0]) for name in "ab")
        if unit is None:
            finder.add(ValueSpan(*match.span(), "score", pair))
        else:  # "25-30 °C" is a range
            finder.add(ValueSpan(*match.span("a"), "number", pair[:1]))
            finder.add(ValueSpan(match.start("b"), unit[1], "number", pair[1:]))
    return _share_units(sorted(finder.spans), finder.lower)


def _unit_after(finder: _Finder, end: int) -> tuple[str, int] | None:
    gap = end + (finder.lower[end : end + 1] == " ")
    return match_unit(finder.text, finder.lower, gap, glued=gap == end)


_RANGE = re.compile(r"\s?(?:[-–—x×]|to|and|or|until|from|by)\s?")
_SCALE_OF_RANGE = re.compile(r"thousand|million|billion|trillion")


def _share_units(spans: list[ValueSpan], lower: str) -> list[ValueSpan]:
    """The spans, the first of "8 to 10 km" with the unit of the second as another reading.

    The same holds for the scale of the second: "between 39 and 53 million".
    """
    for place, (span, following) in enumerate(pairwise([*spans])):
        if span.kind == following.kind == "number" and _RANGE.fullmatch(
            lower, span.end, following.start
        ):
            spans[place : place + 2] = (
                spans[place]._replace(range=True),
                following._replace(range=True),
            )
        if span.kind != "number" or any(one.unit for one in span.quantities) or span.dates:
            continue
        if not _RANGE.fullmatch(lower, span.end, following.start):
            continue
        scale = _SCALE_OF_RANGE.search(lower, following.start, following.end)
        unit = following.quantities[0].unit if following.kind == "number" else None
        if following.kind == "number" and (unit or scale):
            times = (
                _LARGES[scale[0]] if scale and span.quantities[0].value < _LARGES[scale[0]] else 1
            )
            more = tuple(Quantity(one.value * times, unit) for one in span.quantities)
            spans[place] = spans[place]._replace(quantities=(*more, *span.quantities))
        elif following.kind == "time" and 0 < span.quantities[0].value <= 24:
            hour = int(span.quantities[0].value) % 24  # "from 3 to 8 am"
            hours = dict.fromkeys((hour, (hour + 12) % 24) if hour < 12 else (hour,))
            spans[place] = span._replace(clocks=tuple(Clock(one, 0) for one in hours))
    return spans


def _add_dates(finder: _Finder, dates: Sequence[DateSpan]) -> None:
    lower = finder.lower
    for span in dates:
        date = span.readings[0]
        if date.month is None:
            continue
        finder.add(ValueSpan(span.start, span.end, "date", dates=span.readings))
        before = _TO_DATE.search(lower, max(0, span.start - 16), span.start)
        if before and date.day:
            earlier = tuple(one._replace(day=int(before["day"])) for one in span.readings)
            start, end = before.start("day"), before.end("day")
            finder.add(ValueSpan(start, end, "date", dates=earlier))
    for match in _DECADE.finditer(lower) if _DECADE_END.search(lower) else ():
        decade = int(match["year"])
        within = tuple(Date(decade + year, None, None) for year in range(10))
        finder.add(ValueSpan(*match.span(), "date", dates=within))
    if any(month in lower for month in _MONTHS):
        for match in _MONTH.finditer(lower):
            opener = _MONTH_BEFORE.search(lower, max(0, match.start() - 8), match.start())
            sure = match[0] not in ("may", "march") or opener is not None
            if sure and finder.text[match.start()].isupper():
                month = Date(None, _MONTHS[match[0]], None)
                finder.add(ValueSpan(*match.span(), "date", dates=(month,)))


def _add_times(finder: _Finder) -> None:
    if ":" in finder.text:
        for match in _LAP.finditer(finder.text):
            finder.add(ValueSpan(*match.span(), "number", durations_of(match[0])))
    for span in find_times(finder.text, finder.language):
        written = finder.text[span.start : span.end]
        lasting = () if span.sure else durations_of(written)
        worded = not any(map(str.isdigit, written))
        finder.add(
            ValueSpan(span.start, span.end, "time", lasting, clocks=span.readings, words=worded)
        )


def _add_parts(finder: _Finder) -> None:
    """Shares ("two thirds", "one in five") and parts of a unit ("half an hour")."""
    lower = finder.lower
    if " in " in lower and _IN_SOME.search(lower):
        for match in _ONE_IN.finditer(lower):
            part, whole = (_COUNT.get(match[name]) or int(match[name]) for name in "nd")
            if 0 < part < whole and (part == 1 or whole <= _FEW or whole == 100):
                finder.add(_share(match.start(), match.end(), Decimal(part) / whole))
    if any(part in lower for part in ("half", "third", "quarter", "fth", "nth", "xth", "hth")):
        for match in _FRACTION.finditer(lower):
            if lower.endswith(("and ", "and a "), 0, match.start()):
                continue  # "an hour and a half" is one number
            name = match["parts"] or match["part"] or match["bare"] or match["quarter"]
            count = _COUNT[match["many"]] if match["many"] else 1
            _add_part(finder, match.start(), match.end(), Decimal(count) / _PARTS[name])
    for match in _SIGN.finditer(finder.text) if any(sign in lower for sign in _SIGNS) else ():
        value = int(match["whole"] or 0) + Decimal(_SIGNS[match["sign"]])
        _add_part(finder, match.start(), match.end(), value)


def _add_part(finder: _Finder, start: int, end: int, value: Decimal) -> None:
    gap = _OF_A.match(finder.lower, end)
    if gap and (large := _LARGE.match(finder.lower, gap.end())):
        number = Quantity(_short(value * _LARGES[large["word"]]), None)
        return finder.add(ValueSpan(start, large.end(), "number", (number,), words=True))
    unit = match_unit(finder.text, finder.lower, gap.end(), glued=False) if gap else None
    if unit and UNITS[unit[0]].dimension != "share":
        number = Quantity(_short(value), unit[0])
        return finder.add(ValueSpan(start, unit[1], "number", (number,), words=True))
    return finder.add(_share(start, end, value)) if value < 1 else None


def _share(start: int, end: int, value: Decimal) -> ValueSpan:
    return ValueSpan(start, end, "share", (Quantity(_short(100 * value), "percent"),), words=True)


def _short(value: Decimal) -> Decimal:
    """A number with at most three decimals, without final zeros."""
    rounded = value.quantize(Decimal("0.001")).normalize()
    return rounded.quantize(Decimal(1)) if rounded == rounded.to_integral_value() else rounded


def _add_ratios(finder: _Finder) -> None:
    for match in _RATIO.finditer(finder.lower) if _TIMES.search(finder.lower) else ():
        value = _RATIOS.get(match["word"] or "") or _COUNT.get(match["n"] or "") or match["n"]
        number = Quantity(Decimal(value), None)
        finder.add(ValueSpan(*match.span(), "ratio", (number,), words=not match[0][0].isdigit()))


def _add_numbers(
    finder: _Finder, numbers: Sequence[NumberSpan], years: dict[int, DateSpan]
) -> None:
    place = 0
    seen: set[int] = set()
    while place < len(numbers):
        span = numbers[place]
        seen.add(span.start)
        place += 1
        if span.ordinal:
            before = _DAY_BEFORE.search(finder.lower, max(0, span.start - 4), span.start)
            day = int(span.readings[0].value)
            dates: tuple[Date, ...] = ()
            if before and day <= 31 and not span.words:
                dates = (Date(None, None, day),)
            finder.add(
                ValueSpan(span.start, span.end, "ordinal", span.readings, dates, words=span.words)
            )
            continue
        readings, end = _with_half(finder, span.readings, span.unit_end)
        start = span.start
        if one := _ONE_AND.search(finder.lower, max(0, start - 16), start):
            unit = UNITS.get(readings[0].unit or "")
            if unit is not None and unit.dimension == "time" and unit.name != one["unit"]:
                readings = (_sum(Quantity(Decimal(1), one["unit"]), readings[0]),)
                start = one.start()  # "an hour and 35 minutes"
        while place < len(numbers) and _continues(finder, readings[0], end, numbers[place]):
            readings = (_sum(readings[0], numbers[place].readings[0]),)
            end = max(numbers[place].unit_end, end)
            place += 1
        year = years.get(span.start)
        dates = year.readings if year is not None and end == year.end else ()
        finder.add(ValueSpan(start, end, "number", readings, dates, words=span.words))
    for start, span_of_year in years.items():
        if start not in seen:
            number = Quantity(Decimal(span_of_year.readings[0].year or 0), None)
            end = span_of_year.end
            finder.add(ValueSpan(start, end, "number", (number,), span_of_year.readings))
    for match in _WHOLE.finditer(finder.lower) if finder.language is None else ():
        _add_whole(finder, match)


def _with_half(
    finder: _Finder, readings: tuple[Quantity, ...], unit_end: int
) -> tuple[tuple[Quantity, ...], int]:
    """The readings and the end of a number such as "29 and a half minutes"."""
    found = _AND_A_PART.match(finder.lower, unit_end)
    if found is None:
        return readings, unit_end
    more = Decimal(1) / _PARTS[found["part"]]
    unit, stop = readings[0].unit, found.end()
    if unit is None:
        after = match_unit(finder.text, finder.lower, stop + 1, glued=False)
        unit, stop = after if after else (None, stop)
    return (Quantity(readings[0].value + more, unit),), stop


def _continues(finder: _Finder, first: Quantity, end: int, following: NumberSpan) -> bool:
    """Whether the next number continues this one: "1 hour 45 minutes", "eleven pounds fifty"."""
    if first.unit is None or following.ordinal or following.start < end:
        return False
    if first.value != first.value.to_integral_value():
        return False  # "0.9 m, 10 cm less than"
    second = following.readings[0]
    between = finder.lower[end : following.start]
    if finder.language is not None:
        between = between.replace(f" {finder.language.glue} ", " ")
    if not _MORE_OF_IT.fullmatch(between):
        return False
    one = UNITS[first.unit]
    if second.unit is None:
        money = first.unit == "pound" or one.dimension in CURRENCIES
        paid = money and between == " " and 0 < second.value < 100
        return paid and first.value == first.value.to_integral_value() and following.words
    other = UNITS[second.unit]
    smaller = one.dimension == other.dimension in _BASES and other.factor < one.factor
    return smaller and float(second.value) * other.factor < one.factor


def _sum(first: Quantity, second: Quantity) -> Quantity:
    if second.unit is None:
        return Quantity(first.value + second.value / 100, first.unit)
    factor = UNITS[first.unit or ""].factor / UNITS[second.unit].factor
    total = first.value * Decimal(repr(round(factor, 9))) + second.value
    return Quantity(_short(total), second.unit)


def _add_whole(finder: _Finder, match: re.Match[str]) -> None:
    """Add "a full week", "almost a metre", "an hour and a half"; not "three times a week"."""
    lower = finder.lower
    large = _LARGE.match(lower, match.end())
    unit = match_unit(finder.text, lower, match.end(), glued=False)
    if large is not None or unit is None:
        return
    full = match[0].count(" ") > 1
    half = _AND_A_PART.match(lower, unit[1])
    hedge, _ = hedge_at(lower, match.start(), unit[1])
    if full or half or hedge not in ("none", "either"):
        value = Decimal(1) + (Decimal(1) / _PARTS[half["part"]] if half else 0)
        end = half.end() if half else unit[1]
        number = Quantity(value, unit[0])
        finder.add(ValueSpan(match.start(), end, "number", (number,), words=True))
