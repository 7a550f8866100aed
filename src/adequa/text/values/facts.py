"""The values of some data, indexed once, and which of them explains a value of a text.

A fact is the key, value and unit of a field. `ValueIndex.explain` looks a value of a text up: the
same value, rounded, in another unit, as a share, as part of a longer text, or (`derived`) a total,
a mean, a count or a difference of several facts. Units and kinds must agree: 60 mm is not 60 cm,
and a price is not a number of seats.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from adequa.caches import MEGABYTE, cached
from adequa.text.sentences import word_set
from adequa.text.values.dates import Date, date_of
from adequa.text.values.numbers import Hedge, Interval, Quantity, interval_of, quantity_of
from adequa.text.values.spans import ValueSpan, find_values
from adequa.text.values.times import Clock, Moment, clock_of, durations_of, is_same_time, moment_of
from adequa.text.values.units import (
    CURRENCIES,
    UNITS,
    Unit,
    dimension_of_key,
    literal_of,
    parts_of_key,
    unit_named,
    unit_of_key,
    words_of_key,
)


class ValueFact(NamedTuple):
    """A field of the data: its key, its value as written, and its unit where the data gives one."""

    key: str
    value: str
    unit: str | None = None
    group: str = ""
    """What the field belongs to: the facts of one object have the same group."""


class Support(NamedTuple):
    """The facts that explain a value of a text, and how."""

    facts: tuple[int, ...]
    """Their places in the list of facts."""
    how: str
    """`same`, `rounded`, `converted`, `share`, `part`, or the name of what was derived."""
    why: str


class IndexedNumber(NamedTuple):
    """A number of the data with the fact it comes from."""

    value: float
    unit: str | None
    fact: int
    part: bool
    """Whether it is only a part of the fact's value, or of its key."""


class Reading(NamedTuple):
    """What the value of a fact means."""

    quantities: tuple[Quantity, ...] = ()
    dates: tuple[Date, ...] = ()
    clocks: tuple[Clock, ...] = ()
    moment: Moment | None = None


_TIME_KEY = re.compile(
    r"time|date|stamp|epoch|\bdt\b|sunrise|sunset|(?:^|_)(?:at|on)$|At$|start|end|created|updated"
)
_HOUR_KEY = re.compile(r"(?:^|[._])(?:h|hr|hour|time|t|start|end|from|to)$|Hour$")
"""Fields whose whole numbers up to 24 are hours of the day."""
_MONTH_KEY = re.compile(r"(?:^|[._])(?:m|month|mon)$|Month$")
_SCALES = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "thousands": 3,
    "k": 3,
    "millions": 6,
    "mn": 6,
    "m": 6,
    "mio": 6,
    "bn": 9,
    "billions": 9,
}
_SCALE = re.compile(
    r"(?:^|[_\s(]|(?<=[a-z])(?=[A-Z]))(?:in[_\s]?)?(thousands?|millions?|billions?|mn|mio|bn|m|k)\)?$",
    re.IGNORECASE,
)
_KEY_GAP = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_MONTHS = (*("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),)
_MONTH = re.compile(rf"(?<![a-z])({'|'.join(_MONTHS)})(?:[a-z]*)(?![a-z])", re.IGNORECASE)
_YEAR_MONTH = re.compile(
    rf"(?P<y>(?:19|20)[0-9]{{2}}),?\s(?P<m>{'|'.join(_MONTHS)})", re.IGNORECASE
)
_MONTH_DAY = re.compile(r"(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])")
_TO_TIME = re.compile(r"(?<=[0-9])\s?[-–]\s?(?=[0-9]{1,2}:)")
_NUMBERED = re.compile(r"(?<![^\W_])[A-Za-z]{1,2}(?P<n>[0-9]{1,4})(?![^\W_])")
"""`W30`, `Q3`: a text says "week 30"."""
_FROM_TO = re.compile(
    r"(?P<low>[0-9]{1,5}(?:\.[0-9]+)?)\s?[-–]\s?(?P<high>[0-9]{1,5}(?:\.[0-9]+)?)"
)
_IN_CODE = re.compile(r"(?<=[A-Za-z])[0-9]{2,4}(?![0-9.])|(?<![0-9.])[0-9]{2,4}(?=[A-Za-z]{1,2}\b)")
"""The figures of a code: `500D`, `1080p60`."""
_PERCENT_WORDS = word_set(
    "pct percent percentage humidity cloud clouds coverage probability pop chance rate share "
    "battery soc level ratio turnout growth change discount vat tax alcohol abv score"
)
_DIGITS = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TOKEN = re.compile(r"[^\s,;()|]*[0-9][^\s,;()|]*")
_WORDS = re.compile(r"[^\W_]*[0-9][^\W_]*")


def read_value(fact: ValueFact) -> Reading:
    """The meaning of a fact's value where it is a single value; empty for any other text.

    >>> read_value(ValueFact("weight_g", "780")).quantities
    (Quantity(value=Decimal('780'), unit='gram'),)
    """
    return _read(fact.key, fact.value, fact.unit)


# The same keys and values recur in the texts about one record.
@lru_cache(maxsize=8192)
def _read(key: str, value: str, unit: str | None) -> Reading:
    fact = ValueFact(key, value, unit)
    value, _ = literal_of(value)
    if len(value) > 60:
        return Reading()
    named = _unit_of_fact(fact)
    if moment := moment_of(value, epoch=_TIME_KEY.search(fact.key) is not None):
        return Reading((), (moment.date,), (moment.clock,), moment)
    quantity = quantity_of(fact.value) or _exponent(value)
    date = date_of(fact.value)
    if quantity is not None:
        if quantity.unit is None and (money := _MANY_MONEY.search(fact.key.lower())):
            power, currency = _SCALES_OF_MONEY[money[1]], unit_named(money[2])
            return Reading((Quantity(quantity.value.scaleb(power), currency),))
        unit = quantity.unit or named or unit_of_key(fact.key)
        quantities = [Quantity(quantity.value, unit)]
        scale = _SCALE.search(fact.unit or fact.key) if named is None else None
        if scale and (unit is None or fact.unit):
            power = _SCALES[scale[1].lower()]
            quantities.append(Quantity(quantity.value.scaleb(power), unit))
        return Reading(tuple(quantities), (date,) if date else ())
    clock = clock_of(value)
    lasting = durations_of(value)
    if clock or lasting:
        return Reading(lasting, (), (clock,) if clock else ())
    return Reading((), (date,)) if date else Reading()


_MANY_MONEY = re.compile(r"(?:^|[._ ])(k|m|mio|bn)_?(eur|usd|gbp|chf)(?:[._ ]|$)")
_SCALES_OF_MONEY = {"k": 3, "m": 6, "mio": 6, "bn": 9}
"""Keys of thousands and millions: `revenue_keur`, `budget_musd`."""


def _unit_of_fact(fact: ValueFact) -> str | None:
    """The unit that the data gives beside a value: `kg`, `EUR`, and of `g/dL` the first part."""
    if not fact.unit:
        return None
    first = fact.unit.split("/", maxsplit=1)[0]
    return unit_named(fact.unit) or unit_named(first) or unit_of_key(f"x_{first}")


def _exponent(value: str) -> Quantity | None:
    if re.fullmatch(r"[+-]?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,2}", value):
        return Quantity(Decimal(value), None)
    return None


# How far a converted value may be off, as in `numbers.is_converted`.
_CONVERTED = 0.01
_DEGREES = 0.6
_SHARE_SLACK = {"none": 1.5, "about": 4.0}
"""How many points "two thirds" may be off, without a hedge and with "about"."""
_CLOCK_SLACK = 15
"""How many minutes "about 7 pm" may be off."""
_WORDED_SLACK = 2
"""The same for "a quarter to three"."""
_CLOSE = 0.2
"""How near a number without a unit must be to stand for one with, if its key says nothing."""
_SHORT = 20
"""The longest text that may name a month in short: `Jun-Sep`."""
_POUND = ("pound", "pound sterling")


def is_comparable(fact: ValueFact, words: str) -> bool:
    """Whether some words of a text may give the value of a fact, right or wrong.

    Kind and unit must agree: neither "20" nor "20 km" can stand for the time 17:34. Words without
    a value may stand for anything that is not a value itself.

    >>> is_comparable(ValueFact("sunset", "17:34"), "20"), is_comparable(ValueFact("a", "5"), "20")
    (False, True)
    """
    index = ValueIndex([fact])
    spans = find_values(words)
    if index.readings[0] == Reading() or not spans:
        return index.readings[0] == Reading() or not any(map(str.isdigit, words))
    return any(True for span in spans for _ in index.comparable(span))


class ValueIndex:
    """The values of some facts, indexed for looking up the values of texts."""

    def __init__(self, facts: Sequence[ValueFact], names: Sequence[str] = ()) -> None:
        self.facts = tuple(facts)
        self.readings = tuple(read_value(fact) for fact in self.facts)
        self.numbers: list[IndexedNumber] = []
        self.clocks: list[tuple[Clock, int]] = []
        self.dates: dict[Date, list[int]] = defaultdict(list)
        self.figures: dict[str, list[int]] = defaultdict(list)
        """Words with figures in texts and codes: `A220`, `300`."""
        for place, (fact, reading) in enumerate(zip(self.facts, self.readings, strict=True)):
            self._add(place, reading, part=False)
            single = reading != Reading()
            self._add_text(place, _KEY_GAP.sub(" ", parts_of_key(fact.key)[-1]))
            if not single:
                self._add_text(place, literal_of(fact.value)[0])
        for name, place in {name: place for place, name in enumerate(names)}.items():
            self._add_text(place, name)
        self._add_months()
        self._raw = sorted(self.numbers, key=_value)
        self._raw_values = [number.value for number in self._raw]
        self._by_dimension: dict[str, list[tuple[float, int, IndexedNumber]]] = defaultdict(list)
        for place, number in enumerate(self.numbers):
            unit = UNITS.get(number.unit or "")
            if unit is not None:
                base = unit.base(number.value)
                self._by_dimension[unit.dimension].append((base, place, number))
            elif 0 < number.value < 1 or self._is_share(number):
                self._by_dimension["share"].append((number.value, place, number))
        for numbers in self._by_dimension.values():
            numbers.sort()

    def _add_months(self) -> None:
        """The months of a list of twelve values: `monthly_kwh`."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, fact in enumerate(self.facts):
            if "month" in fact.key.lower():
                places[fact.key].append(place)
        for found in places.values():
            if len(found) == len(_MONTHS):
                for month, place in enumerate(found, 1):
                    self.dates[Date(None, month, None)].append(place)

    def _is_share(self, number: IndexedNumber) -> bool:
        key = self.facts[number.fact].key.lower()
        rated = any(word in key for word in ("share", "rate", "ratio", "turnout", "lift", "factor"))
        return rated and 0 <= number.value <= 1

    def _add(self, place: int, reading: Reading, *, part: bool) -> None:
        for quantity in reading.quantities:
            self.numbers.append(IndexedNumber(float(quantity.value), quantity.unit, place, part))
        for date in reading.dates:
            for known in _parts(date):
                self.dates[known].append(place)
        self.clocks += [(clock, place) for clock in reading.clocks]
        if not part and reading.quantities and _HOUR_KEY.search(self.facts[place].key):
            hour = reading.quantities[0].value
            if hour == hour.to_integral_value() and 0 <= hour <= 24:
                self.clocks.append((Clock(int(hour) % 24, 0), place))
        if not part and reading.quantities and _MONTH_KEY.search(self.facts[place].key):
            month = reading.quantities[0].value
            if month == month.to_integral_value() and 1 <= month <= 12:
                self.dates[Date(None, int(month), None)].append(place)

    def _add_text(self, place: int, text: str) -> None:
        """The values within a text or a key."""
        if not any(map(str.isdigit, text)) and len(text) < 3:
            return
        text = _TO_TIME.sub(" to ", text)
        covered = bytearray(len(text) + 1)
        for match in _YEAR_MONTH.finditer(text):
            month = _MONTHS.index(match["m"].lower()) + 1
            self._add(place, Reading(dates=(Date(int(match["y"]), month, None),)), part=True)
        for match in _MONTH.finditer(text) if len(text) < _SHORT else ():
            month = _MONTHS.index(match[1].lower()) + 1
            self._add(place, Reading(dates=(Date(None, month, None),)), part=True)
        if (yearly := _MONTH_DAY.fullmatch(text)) is not None:
            date = Date(None, int(yearly["m"]), int(yearly["d"]))
            self._add(place, Reading(dates=(date,)), part=True)
        if (ends := _FROM_TO.fullmatch(text.strip())) is not None:
            low, high = (float(ends[name]) for name in ("low", "high"))
            numbers = [low, high, *([high - low + 1] if "page" in self.facts[place].key else [])]
            self.numbers += [IndexedNumber(number, None, place, True) for number in numbers]
        for match in _IN_CODE.finditer(text):
            self.figures[match[0].lstrip("0")].append(place)
        for match in _NUMBERED.finditer(text):
            self.figures[match["n"].lstrip("0")].append(place)
            self.numbers.append(IndexedNumber(float(match["n"]), None, place, True))
        for span in _values_in(text):
            if span.kind in ("score", "ratio"):
                continue
            found = Reading(span.quantities, span.dates, span.clocks)
            self._add(place, found, part=True)
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
        for match in _DIGITS.finditer(text):
            if covered[match.start()]:
                continue
            before = text[max(match.start() - 2, 0) : match.start()]
            times = len(before) == 2 and before[0].isdigit() and before[1] in "x×"
            if times or not (before[-1:].isalpha() or before[-1:] in ("-", "_")):
                for part in re.split(r"[,/]", match[0]):
                    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", part):
                        self.numbers.append(IndexedNumber(float(part), None, place, True))
        for match in _WORDS.finditer(text):
            self.figures[match[0].lower()].append(place)
            if (quantity := quantity_of(match[0])) and quantity.unit:
                self.numbers.append(
                    IndexedNumber(float(quantity.value), quantity.unit, place, True)
                )
        for match in _TOKEN.finditer(text):
            self.figures[match[0].lower()].append(place)

    def explain(self, span: ValueSpan, text: str) -> tuple[Support, ...]:
        """Every way in which a value of a text follows from a single fact."""
        found: list[Support] = []
        if span.kind == "score":
            found += self._score(span)
        elif span.kind != "ratio":
            found += self._dated(span)
            found += self._timed(span)
            for quantity in span.quantities:
                found += self._counted(quantity, span)
        written = text[span.start : span.end].lower()
        bare = not any(quantity.unit for quantity in span.quantities)
        if bare and (facts := self.figures.get(written)):
            found.append(self._support(facts[0], "part"))
        return tuple(dict.fromkeys(found))

    def _support(self, fact: int, how: str) -> Support:
        one = self.facts[fact]
        how = how if self.readings[fact] != Reading() else "part"
        return Support((fact,), how, f"{one.key}: {one.value}")

    def _dated(self, span: ValueSpan) -> Iterator[Support]:
        for date in span.dates:
            known = self.dates.get(date)
            if known is None and date.year and date.month:
                # A text may be more exact than the data: 5 May 1990 for 1990.
                known = [
                    fact
                    for fact in self.dates.get(Date(date.year, None, None), ())
                    if any(not one.month for one in self.readings[fact].dates)
                ]
            for fact in dict.fromkeys(known or ()):
                yield self._support(fact, "same")

    def _timed(self, span: ValueSpan) -> Iterator[Support]:
        for seen in span.clocks:
            for clock, fact in self.clocks:
                gap = (seen.minutes - clock.minutes) % 1440
                slack = 0 if span.words is False else _WORDED_SLACK
                near = min(gap, 1440 - gap) <= (slack if span.hedge == "none" else _CLOCK_SLACK)
                if is_same_time(clock, seen) or (near and (slack or span.hedge != "none")):
                    yield self._support(fact, "same")

    def _counted(self, seen: Quantity, span: ValueSpan) -> Iterator[Support]:
        interval = interval_in(seen, span)
        if span.kind == "share":
            unit = UNITS["percent"]
            found: Iterable[IndexedNumber] = self._converted(unit, interval)
        else:
            found = self.numbers_like(seen.unit, interval)
        for number in found:
            exact = number.value.is_integer() and seen.value == seen.value.to_integral_value()
            if span.range and exact and number.unit == seen.unit and number.value != seen.value:
                continue  # only a value with decimals may be rounded outwards
            how = "part" if number.part else "same"
            if number.unit != seen.unit and seen.unit and number.unit:
                how = "converted"
            elif not number.part and number.value != float(seen.value):
                how = "rounded" if seen.unit != "percent" or number.unit else "share"
            yield self._support(number.fact, how)

    def comparable(self, span: ValueSpan) -> Iterator[tuple[int, float]]:
        """The facts of the same kind and unit as a value of a text, with how far each is off.

        The distance is 0 to 1; a date or a time of day is 0 off if one of its parts is right.
        """
        for place, reading in enumerate(self.readings):
            if span.kind == "date":
                if reading.dates and span.dates:
                    same = set(reading.dates[0]) & set(span.dates[0]) - {None}
                    yield place, 0.0 if same else 1.0
            elif span.kind == "time":
                if reading.clocks and span.clocks:
                    gap = abs(reading.clocks[0].minutes - span.clocks[0].minutes)
                    yield place, min(1.0, gap / 720)
            elif reading.dates and span.dates:
                yield place, 0.5
            elif reading.quantities and span.quantities:
                unit = UNITS.get(span.quantities[0].unit or "")
                if reading.clocks and (unit is None or unit.dimension != "time"):
                    continue  # 17:34 is not a number
                apart = self._gap(reading.quantities[0], span.quantities[0], place)
                if apart is not None:
                    yield place, apart

    def _gap(self, value: Quantity, seen: Quantity, place: int) -> float | None:
        """How far two quantities are apart, 0 to 1; None if their kinds differ."""
        own, other = UNITS.get(value.unit or ""), UNITS.get(seen.unit or "")
        first, second = float(value.value), float(seen.value)
        if own is not None and other is not None:
            if own.dimension != other.dimension:
                return None
            first, second = own.base(first), other.base(second)
        elif other is not None:
            dimension = "money" if other.name in CURRENCIES else other.dimension
            if dimension == "share" and 0 <= first <= 1:
                first *= 100
            else:
                expected = dimension_of_key(self.facts[place].key)
                gap = _relative(first, second)
                if expected != dimension and not (expected is None and gap <= _CLOSE):
                    return None
        return _relative(first, second)

    def numbers_like(self, unit: str | None, interval: Interval) -> Iterator[IndexedNumber]:
        """The numbers of the data in an interval of a unit."""
        if unit is None or unit == "degree":
            for number in self._slice(interval):
                if unit is None or number.unit is None or "degree" in number.unit:
                    yield number
            return
        if unit == "cent":
            yield from (one for one in self._slice(interval) if one.unit in ("cent", None))
            hundredth = Interval(interval.low / 100, interval.high / 100)
            yield from (one for one in self._slice(hundredth) if one.unit in CURRENCIES)
            return
        for name in _POUND if unit in _POUND else (unit,):
            yield from self._converted(UNITS[name], interval)
        dimension = "money" if unit in CURRENCIES else UNITS[unit].dimension
        for number in self._slice(interval):
            if number.unit is not None:
                if (
                    dimension == "money"
                    and number.unit in CURRENCIES
                    and _related(unit, number.unit)
                ):
                    yield number
                continue
            key = self.facts[number.fact].key
            if dimension == "share" and not _PERCENT_WORDS.intersection(words_of_key(key)):
                continue
            expected = None if number.part else dimension_of_key(key)
            if expected in (None, dimension) or (unit == "pound" and expected == "money"):
                yield number
        if dimension == "money" and interval.low > 0:
            # What somebody pays is negative in an account and positive in a text.
            for number in self._slice(Interval(-interval.high, -interval.low)):
                if number.unit in (unit, None):
                    yield number

    def _slice(self, interval: Interval) -> Iterator[IndexedNumber]:
        first = bisect_left(self._raw_values, interval.low)
        return iter(self._raw[first : bisect_right(self._raw_values, interval.high)])

    def _converted(self, unit: Unit, interval: Interval) -> Iterator[IndexedNumber]:
        numbers = self._by_dimension.get(unit.dimension, [])
        low, high = unit.base(interval.low), unit.base(interval.high)
        slack = (
            _DEGREES if unit.dimension == "temperature" else _CONVERTED * max(abs(low), abs(high))
        )
        first = bisect_left(numbers, (low - slack,))
        for base, _, number in islice(numbers, first, None):
            if base > high + slack:
                return
            if number.unit != unit.name or low <= base <= high:
                yield number

    def _score(self, span: ValueSpan) -> Iterator[Support]:
        """Two numbers that stand side by side in the data, or in any two facts as a range."""
        first, second = (
            [one for one in self._slice(interval_of(quantity.value)) if not one.part]
            for quantity in span.quantities
        )
        for one in first:
            for other in second:
                if one.fact != other.fact and self._beside(one.fact, other.fact):
                    both = f"{self.facts[one.fact].key}, {self.facts[other.fact].key}"
                    yield Support((one.fact, other.fact), "score", both)

    def _beside(self, one: int, other: int) -> bool:
        """Whether two facts belong together: siblings, or the same field of sibling objects."""
        first, second = self.facts[one], self.facts[other]
        if first.group == second.group:
            return True
        parents = first.group.rpartition("/")[0], second.group.rpartition("/")[0]
        same_key = parts_of_key(first.key)[-1] == parts_of_key(second.key)[-1]
        return same_key and (parents[0] == parents[1] or not parents[0])


_SPAN_BYTES = 700
"""About the size of a value with its readings, by `deep_size`."""


@cached(16 * MEGABYTE, size_of=lambda spans: 100 + _SPAN_BYTES * len(spans))
def _values_in(text: str) -> tuple[ValueSpan, ...]:
    """The values of a key or of a value, which recur in the texts about one record."""
    return tuple(find_values(text))


def _relative(first: float, second: float) -> float:
    return min(1.0, abs(first - second) / max(abs(first), abs(second), 1e-9))


def _value(number: IndexedNumber) -> float:
    return number.value


def _parts(date: Date) -> Iterable[Date]:
    """The date and what a text may say of it: the month and year, the day and month, the day."""
    year, month, day = date
    found = [date, Date(year, None, None), Date(year, month, None)]
    found += [Date(None, month, day), Date(None, month, None), Date(None, None, day)]
    return dict.fromkeys(one for one in found if any(one))


def _related(one: str, other: str) -> bool:
    """Whether two currencies share their name: "dollars" for Canadian dollars."""
    name = one.rpartition(" ")[2]
    return name in ("dollar", "franc", "krone") and other.endswith(name)


def interval_in(seen: Quantity, span: ValueSpan) -> Interval:
    """The values that a number of a span may stand for, in its unit."""
    if span.kind == "share":
        return _share_interval(float(seen.value), span.hedge)
    if span.words and span.hedge in ("none", "about") and span.kind == "number":
        half = 0.1 * abs(float(seen.value))  # "three quarters of an hour" is not exact
        if seen.unit and seen.value != seen.value.to_integral_value():
            return Interval(float(seen.value) - half, float(seen.value) + half)
    if span.range and span.hedge == "none":
        return interval_of(seen.value, "about")  # ends of ranges are rounded outwards
    return interval_of(seen.value, span.hedge)


def _share_interval(percent: float, hedge: Hedge) -> Interval:
    """The percentages that a share in words may stand for."""
    if hedge in _SHARE_SLACK:
        slack = _SHARE_SLACK[hedge]
        return Interval(percent - slack, percent + slack)
    ways = {"over": (0.1, 15.0), "just over": (0.01, 8.0), "under": (-15.0, -0.1)}
    ways |= {"just under": (-8.0, -0.01), "either": (-8.0, 8.0)}
    low, high = ways.get(hedge, (-1.5, 1.5))
    return Interval(percent + low, percent + high)
