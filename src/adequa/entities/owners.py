"""Whose value it is: the object, field and time that a clause speaks of, against a record.

A list of objects is read as rows (`RowList`): its fields are columns of numbers or words, and rows
may have a time. A part of a sentence speaks of some rows (`Scope`): of a day or a part of it, or of
the things it names. What it says must hold for these: a range or an extreme must be that of the
series, a category must occur, and values that are said together must stand in one row. A value
that only belongs to other rows or fields is a fault, and the reason names what the data has.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from adequa.data import Mention, Triple
from adequa.text import split_sentences, starting_in, word_set
from adequa.text.values import (
    UNITS,
    Explainer,
    ValueFact,
    ValueSpan,
    dimension_of_key,
    quote_value,
    read_value,
)
from adequa.text.values.units import words_of_key


class OwnerFault(NamedTuple):
    """A part of a text that says of an object, field or time what the data says of another."""

    start: int
    end: int
    kind: str
    """`range`, `extreme`, `category`, `owner`, `count`, `unit`."""
    note: str
    """What the data has."""
    fact: int | None = None
    rule: str = ""
    """The check that found it."""


class Row(NamedTuple):
    """An object of a list: its facts and its time."""

    facts: tuple[int, ...]
    day: int | None = None
    """The day of the week, from 0 for Monday."""
    date: tuple[int | None, int | None] = (None, None)
    """Month and day."""
    hour: float | None = None


class Column(NamedTuple):
    """The numbers of one field, by row."""

    key: str
    unit: str | None
    dimension: str | None
    words: frozenset[str]
    values: Mapping[int, tuple[float, int]]
    """Of each row the number and the place of its fact."""


class RowList(NamedTuple):
    """A list of objects with the same fields."""

    name: str
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    categories: Mapping[str, Mapping[int, str]]
    """Fields of words, each with the value of each row in lower case."""

    @property
    def is_timed(self) -> bool:
        """Whether most rows have a date and a time of day, or a day of the week."""
        return sum(row.day is not None for row in self.rows) * 2 > len(self.rows)


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LEAST_ROWS = 2
_LEAST_SERIES = 3
"""Rows with a number from which on it is a series with extremes."""


def read_rows(facts: Sequence[ValueFact], paths: Sequence[str]) -> list[RowList]:
    """The lists of objects of a record: of each fact the outermost list that holds it."""
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, path in enumerate(paths):
        parts = path.split("/")[1:]
        for at, part in enumerate(parts):
            if part.isdigit() and at < len(parts):
                places["/".join(parts[:at])][part].append(place)
                break
    found = []
    for name, members in places.items():
        if len(members) >= _LEAST_ROWS:
            made = _read_list(name, facts, list(members.values()))
            if made.columns or made.categories:
                found.append(made)
    return found


def _read_list(name: str, facts: Sequence[ValueFact], members: list[list[int]]) -> RowList:
    rows: list[Row] = []
    numbers: dict[tuple[str, str | None], dict[int, tuple[float, int]]] = defaultdict(dict)
    words: dict[str, dict[int, str]] = defaultdict(dict)
    for number, places in enumerate(members):
        rows.append(_read_row(facts, places))
        for place in places:
            fact = facts[place]
            reading = read_value(fact)
            if reading.moment or reading.clocks:
                continue
            if reading.quantities:
                quantity = reading.quantities[0]
                numbers[fact.key, quantity.unit].setdefault(number, (float(quantity.value), place))
            elif not reading.dates and fact.value:
                words[fact.key].setdefault(number, fact.value.replace("_", " ").lower())
    columns = tuple(
        Column(key, unit, _dimension(key, unit), _words(key, name), values)
        for (key, unit), values in numbers.items()
    )
    kinds = {key: values for key, values in words.items() if len(values) >= _LEAST_ROWS}
    return RowList(name, tuple(rows), columns, kinds)


def _dimension(key: str, unit: str | None) -> str | None:
    known = UNITS.get(unit or "")
    if known is not None:
        return known.dimension
    return dimension_of_key(key) or dimension_of_key(key.rpartition(".")[0])


def _words(key: str, name: str) -> frozenset[str]:
    """The words of a field without those of its list, unless it has no others."""
    words = frozenset(words_of_key(key)) - _LITTLE
    return words - {*words_of_key(name)} or words


_LITTLE = word_set("all main value of the in per list")


def _read_row(facts: Sequence[ValueFact], places: Sequence[int]) -> Row:
    day: int | None = None
    date: tuple[int | None, int | None] = (None, None)
    hour: float | None = None
    for place in places:
        fact = facts[place]
        if fact.value.lower() in _DAYS:
            day = _DAYS.index(fact.value.lower())
            continue
        reading = read_value(fact)
        if reading.dates and date == (None, None):
            first = reading.dates[0]
            if first.month:
                date = first.month, first.day
                if first.year and first.day and day is None:
                    day = _weekday(first.year, first.month, first.day)
        if reading.clocks and hour is None:
            hour = reading.clocks[0].minutes / 60
    return Row(tuple(places), day, date, hour)


def _weekday(year: int, month: int, day: int) -> int | None:
    try:
        return dt.date(year, month, day).weekday()
    except ValueError:
        return None


# The text --------------------------------------------------------------------------------------

_DAY = re.compile(rf"(?<!\w)(?:{'|'.join(_DAYS)})s?(?!\w)")
_BETWEEN_DAYS = re.compile(
    r"(?:[\s,&/()–-]|'s|’s|\b(?:and|to|through|until|till|or|parts?|of|both|early|late|mid|the|from|on"
    r"|into|morning|afternoon|evening|night|noon|midday|midnight|hours|during|in|also|as|well|then)\b)*"
)
_THROUGH = re.compile(r"\b(?:to|through|until|till|into)\b|[–-]")
_ON_DAY = re.compile(r"\A\S+(?: \S+)? (?:on|by) \Z")
"""What stands between a value and its day: "9 km/h on Thursday"."""
_PARTS: Mapping[str, Callable[[float], bool]] = {
    "morning": lambda hour: 5 <= hour <= 12,
    "afternoon": lambda hour: 12 <= hour <= 18,
    "evening": lambda hour: hour >= 17,
    "night": lambda hour: hour >= 18 or hour <= 6,
    "noon": lambda hour: 11 <= hour <= 14,
    "midnight": lambda hour: hour <= 1 or hour >= 23,
    "day": lambda hour: 6 <= hour <= 18,
}
"""Hours of a part of the day, as wide as people use the words."""
_NIGHT_ENDS = 6
_PART_WORD = re.compile(
    r"\b(?:(?P<morning>mornings?|dawn|sunrise)|(?P<afternoon>afternoons?)"
    r"|(?P<evening>evenings?|dusk|sunset)|(?P<night>nights?|overnight|night-?time|nightfall)"
    r"|(?P<noon>noon|midday|mid-day)|(?P<midnight>midnight)"
    r"|(?P<day>daytime|(?:during|by|in) the day(?!s)))\b"
)
_CUT = re.compile(
    r"[,;:()—]\s|\s(?:and|but|while|whereas|although|though|with|before|followed|then|which|where"
    r"|when|as well as|accompanied|after|until|alongside|despite)\s"
)
_LOW = re.compile(
    r"\b(?:lows?|lowest|minim\w+|min|coldest|coolest|dip\w*|drop\w*|fall\w*|fell|plung\w+|down to"
    r"|decreas\w+ to|as low as|bottom\w*|dipped|smallest|least|cheapest|shortest|cool\w* to)\b"
)
_HIGH = re.compile(
    r"\b(?:up to|highs?|highest|peak\w*|maxim\w+|max|reach\w*|top\w*|warmest|hottest|ris\w+ to"
    r"|climb\w*|as high as|largest|greatest|most|strongest|longest|exceed\w*|soar\w*)\b"
)
_MEAN = re.compile(r"\b(?:averag\w*|mean|typical\w*|generally|mostly|usually)\b")
_CHANGE = re.compile(
    r"\b(?:by|increase of|drop of|rise of|fall of|difference|more|less|than"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|[0-9]+) of(?: its| the| all| these)?)"
    r"\s*\Z"
)
_WHOLE_TIME = re.compile(
    r"\b(?:overall|week(?!day|end)|five days|period|throughout the (?!day)|generally)\b"
)
_LABEL = re.compile(
    r"\b(?:week|day|page|number|no|episode|stage|lap|round|room|floor|section|chapter|lot|gate|line"
    r"|phase|level|step|item|add\w* up to)\.?\s\Z"
)
_MOVES = re.compile(
    r"\b(?:r[io]s\w+|gr[eo]w\w*|f[ae]ll\w*|climb\w*|drop\w*|increas\w*|decreas\w*|declin\w*|sank"
    r"|sink\w*|moved?|went|shrank|improv\w*|eas\w+|dried|warm\w+|cool\w+)\b[^.;]{0,12}\bfrom\s\Z"
)
"""A change from one value to another is not the range of a series."""
_MADE = frozenset({"total", "difference", "mean", "rate", "product", "share", "count", "time"})
"""What is made of several values is not a value of the series."""
_NEVER = re.compile(r"\b(?:no time|never|not|without|leave|outside|neither|nor)\b")
_EXCEPT = re.compile(r"\b(?:apart from|except|excluding|other than|not counting)\b")
_WEEK = re.compile(r"\b(?:(?P<work>weekdays|working days|work days)|weekends?)\b")
_EXACT = 0.051
"""How far a value with decimals may be off."""
_WHOLE = 1.0
"""How far a whole number may be off: people round up, down and to the nearest."""


class Scope(NamedTuple):
    """The rows that a part of a sentence speaks of, and its words for them."""

    rows: frozenset[int]
    label: str
    days: tuple[frozenset[int], ...] = ()
    """The rows of each day that is named by itself."""


class _DayGroup(NamedTuple):
    start: int
    end: int
    days: tuple[int, ...]
    through: bool


def part_at(
    text: str, place: int, sentence: tuple[int, int], cut: re.Pattern[str]
) -> tuple[int, int]:
    """The part of a sentence around a place, between two matches of a pattern."""
    start, end = sentence
    for match in cut.finditer(text, *sentence):
        if match.end() <= place:
            start = match.end()
        elif match.start() > place:
            end = match.start()
            break
    return start, end


class ClaimText:
    """A text with its sentences, parts of sentences and days."""

    def __init__(
        self,
        text: str,
        values: Sequence[ValueSpan],
        mentions: Sequence[Mention],
        keys: Sequence[str],
        explainer: Explainer,
    ) -> None:
        self.text = text
        self.explainer = explainer
        self.keys = keys
        self.lower = text.lower() if len(text.lower()) == len(text) else text
        self.values = values
        self.mentions = mentions
        self.sentences = split_sentences(text)

    def part_at(self, place: int, sentence: tuple[int, int]) -> tuple[int, int]:
        """The part of the sentence around a place, between punctuation and conjunctions."""
        return part_at(self.lower, place, sentence, _CUT)

    def claim_at(self, start: int, end: int, sentence: tuple[int, int]) -> tuple[int, int]:
        """The part of the sentence that makes the claim between two places."""
        first, _ = self.part_at(start, sentence)
        _, last = self.part_at(max(end - 1, start), sentence)
        claim = self.text[first:last]
        last -= len(claim) - len(claim.rstrip(" ,;:(.!?"))
        return first, max(last, end)

    def days_in(self, sentence: tuple[int, int]) -> list[_DayGroup]:
        """The days of the week in a sentence; days that are listed together are one group."""
        found: list[_DayGroup] = []
        for match in _DAY.finditer(self.lower, *sentence):
            day = _DAYS.index(match[0].removesuffix("s") if match[0] not in _DAYS else match[0])
            if found and _BETWEEN_DAYS.fullmatch(self.lower, found[-1].end, match.start()):
                last = found.pop()
                through = bool(_THROUGH.search(self.lower, last.end, match.start()))
                days = last.days
                if through:
                    steps = (day - days[-1]) % 7
                    days += tuple((days[-1] + step) % 7 for step in range(1, steps))
                days += (day,)
                found.append(_DayGroup(last.start, match.end(), days, last.through or through))
            else:
                found.append(_DayGroup(match.start(), match.end(), (day,), False))
        return found


def _rows_at(rows: RowList, days: Iterable[int] | None, part: str | None) -> frozenset[int]:
    wanted = None if days is None else {*days}
    found = set()
    for number, row in enumerate(rows.rows):
        if wanted is not None and row.day not in wanted:
            # The night of a day ends in the next morning.
            if part not in ("night", "midnight") or row.day is None or row.hour is None:
                continue
            if (row.day - 1) % 7 not in wanted or row.hour > _NIGHT_ENDS:
                continue
        if part is None or row.hour is None or _PARTS[part](row.hour):
            found.add(number)
    return frozenset(found)


class TimeScopes:
    """The rows of a timed list that places of a text speak of."""

    def __init__(self, rows: RowList, text: ClaimText) -> None:
        self.rows, self.text = rows, text
        self.known = {row.day for row in rows.rows} - {None}

    def at(self, place: int, sentence: tuple[int, int]) -> Scope | None:
        """The rows of the time that the words around a place name; None if they name none."""
        part = self.text.part_at(place, sentence)
        groups = self.text.days_in(sentence)
        own = [one for one in groups if one.start < part[1] and part[0] < one.end]
        before = [one for one in groups if one.end <= part[0]]
        chosen = None
        if own:
            after = [
                one
                for one in own
                if one.start > place and _ON_DAY.search(self.text.lower, place, one.start)
            ]
            chosen = (after or [min(own, key=lambda one: abs(one.start - place))])[0]
        elif before and not _WHOLE_TIME.search(self.text.lower, *part):
            chosen = before[-1]
        of_day = self._part_of_day(place, part)
        if week := _WEEK.search(self.text.lower, *part):
            days = range(5) if week["work"] else range(5, 7)
            return Scope(_rows_at(self.rows, days, of_day), week[0])
        if chosen is None and of_day is None:
            return None
        if chosen is None:
            return Scope(_rows_at(self.rows, None, of_day), of_day or "")
        label = self.text.text[chosen.start : chosen.end]
        found = _rows_at(self.rows, chosen.days, of_day)
        single = () if chosen.through or chosen not in own else chosen.days
        by_day = tuple(_rows_at(self.rows, [day], of_day) for day in single)
        return Scope(found, f"{label} {of_day}" if of_day else label, by_day)

    def _part_of_day(self, place: int, part: tuple[int, int]) -> str | None:
        found = [*_PART_WORD.finditer(self.text.lower, *part)]
        if not found:
            return None
        nearest = min(found, key=lambda one: abs(one.start() - place))
        return nearest.lastgroup


# Numbers of series -----------------------------------------------------------------------------


class _NumberClaim(NamedTuple):
    """A number, or the two ends of a range, that a text gives for a series."""

    spans: tuple[ValueSpan, ...]
    how: str
    """`range`, `high`, `low`, `mean`, `value`."""


def _number_claims(text: ClaimText, sentence: tuple[int, int]) -> Iterator[_NumberClaim]:
    inside = [
        one for one in starting_in(text.values, *sentence) if one.kind == "number" and not one.words
    ]
    paired: set[int] = set()
    for one, other in pairwise(inside):
        gap = text.lower[one.end : other.start]
        before = text.lower[max(sentence[0], one.begin - 12) : one.begin]
        joined = "and" not in gap or "between" in before
        joined = joined and not _MOVES.search(
            text.lower, max(sentence[0], one.begin - 24), one.begin
        )
        if one.range and other.range and one.start not in paired and len(gap) < 12 and joined:
            paired |= {one.start, other.start}
            yield _NumberClaim((one, other), _manner(text, one, sentence, "range"))
    for one in inside:
        if one.start not in paired:
            yield _NumberClaim((one,), _manner(text, one, sentence, "value"))


def _manner(text: ClaimText, first: ValueSpan, sentence: tuple[int, int], default: str) -> str:
    """What the words around a number say it is: the highest, the lowest, the mean."""
    part = text.part_at(first.start, sentence)
    before = text.lower[max(part[0], first.start - 45) : first.start]
    if _CHANGE.search(before):
        return "change"
    if _EXCEPT.search(text.lower, *sentence) or _NEVER.search(text.lower, *part):
        return "change"
    if first.hedge in ("under", "over", "just under", "just over", "at least") or _LABEL.search(
        before
    ):
        return "change"
    if _MEAN.search(before):
        return "mean"
    low = [one.end() for one in _LOW.finditer(before)]
    high = [one.end() for one in _HIGH.finditer(before) if not (low and "reach" in one[0])]
    if low or high:
        return "low" if max(low, default=-1) > max(high, default=-1) else "high"
    return default


def _tolerance(span: ValueSpan) -> float:
    value = span.quantities[0].value
    decimals = -int(value.as_tuple().exponent) if value != value.to_integral_value() else 0
    if decimals > 0:
        tight = _EXACT if decimals == 1 else 0.5 * 10.0**-decimals
        return 10 * tight if span.hedge != "none" else max(tight, 0.011)
    size = abs(float(value))
    slack = 1.5 if span.hedge not in ("none", "at most", "at least") else _WHOLE
    if size >= 200 and span.hedge != "none":
        slack = max(slack, 0.05 * size)
    return slack


class SeriesCheck:
    """Checks the numbers that a text gives for the series of a timed list."""

    def __init__(self, rows: RowList, text: ClaimText) -> None:
        self.rows, self.text = rows, text
        self.scopes = TimeScopes(rows, text)

    def faults(self) -> Iterator[OwnerFault]:
        """The ranges, extremes and values that no series has in the time spoken of."""
        for sentence in self.text.sentences:
            for claim in _number_claims(self.text, sentence):
                fault = self._fault(claim, sentence)
                if fault is not None:
                    yield fault

    def _fault(self, claim: _NumberClaim, sentence: tuple[int, int]) -> OwnerFault | None:
        if claim.how == "change":
            return None
        columns = self._columns(claim, sentence)
        scope = self.scopes.at(claim.spans[0].start, sentence)
        if not columns or (scope is not None and not scope.rows):
            return None
        if scope is None and claim.how == "value":
            return None
        every = frozenset(range(len(self.rows.rows)))
        rows = scope.rows if scope is not None else every
        if self._is_elsewhere(claim, rows):
            return None
        for column in columns:
            values = [column.values[row][0] for row in rows if row in column.values]
            if not values or self._holds(claim, column, values, rows):
                return None
        start, end = self.text.claim_at(claim.spans[0].begin, claim.spans[-1].end, sentence)
        column = columns[0]
        values = [column.values[row][0] for row in rows if row in column.values]
        pick = min if claim.how == "low" else max
        place = pick(
            (row for row in sorted(rows) if row in column.values),
            key=lambda row: column.values[row][0],
        )
        label = f" ({scope.label})" if scope is not None and scope.label else ""
        shown = f"{_short(min(values))} to {_short(max(values))}"
        kind = "range" if claim.how == "range" else "extreme"
        return OwnerFault(
            start, end, kind, f"{column.key}{label}: the data has {shown}", column.values[place][1]
        )

    def _is_elsewhere(self, claim: _NumberClaim, rows: frozenset[int]) -> bool:
        """Whether numbers are those of facts outside of the list, or of any column by themselves.

        A number without a unit may be of another column than the one that is spoken of.
        """
        own = {fact for row in self.rows.rows for fact in row.facts}
        bare = not any(one.unit for span in claim.spans for one in span.quantities)
        inside = {
            column.values[row][1]
            for column in self.rows.columns
            if bare or (column.dimension is None and len(claim.spans) == 1)  # with any unit
            for row in rows
            if row in column.values
        }
        for span in claim.spans:
            supports = self.text.explainer.explain(span, self.text.text)
            if not any(
                {*one.facts} - own or {*one.facts} & inside or one.how in _MADE for one in supports
            ):
                return False
        return True

    def _columns(self, claim: _NumberClaim, sentence: tuple[int, int]) -> list[Column]:
        """The columns that a number may be of: its dimension, and spoken of."""
        unit = UNITS.get(claim.spans[-1].quantities[0].unit or "")
        part = self.text.part_at(claim.spans[0].start, sentence)
        series = [one for one in self.rows.columns if len(one.values) >= _LEAST_SERIES]
        fits = [one for one in series if unit is None or one.dimension == unit.dimension]
        fits = fits or [one for one in series if one.dimension is None and unit is not None]
        for place in (part, sentence):
            words = {*re.findall(r"[a-z]+", self.text.lower[slice(*place)])}
            scored = [(sum(_said(word, words) for word in one.words), one) for one in fits]
            best = max((score for score, _ in scored), default=0)
            if best:
                return [one for score, one in scored if score == best]
        return [] if unit is None else [one for one in fits if one.dimension is not None]

    def _holds(
        self, claim: _NumberClaim, column: Column, values: list[float], rows: frozenset[int]
    ) -> bool:
        raw = [float(span.quantities[0].value) for span in claim.spans]
        converted = [_converted(span, column) for span in claim.spans]
        if column.unit is None and converted != raw:
            # Without a unit in the data, either may be meant.
            return any(self._fits(claim, one, column, values, rows) for one in (raw, converted))
        return self._fits(claim, converted, column, values, rows)

    def _fits(
        self,
        claim: _NumberClaim,
        numbers: list[float],
        column: Column,
        values: list[float],
        rows: frozenset[int],
    ) -> bool:
        slack = [_tolerance(span) for span in claim.spans]
        low, high = min(values), max(values)
        if claim.how == "range" and len(numbers) == 2:
            (first, second), (one, other) = sorted(numbers), slack
            return abs(first - low) < one + 1e-9 and abs(second - high) < other + 1e-9
        if claim.how == "mean":
            mean = sum(values) / len(values)
            return all(
                low - off <= one <= high + off for one, off in zip(numbers, slack, strict=False)
            ) or any(abs(mean - one) < off for one, off in zip(numbers, slack, strict=False))
        if claim.how in ("high", "low"):
            extremes = self._extremes(column, rows, claim.how)
            span = min(extremes), max(extremes)
            if len(numbers) == 2:
                return all(
                    span[0] - off < one < span[1] + off
                    for one, off in zip(numbers, slack, strict=False)
                )
            whole = high if claim.how == "high" else low
            if low < 0 < numbers[0]:  # what is paid is negative in an account
                extremes += [-low]
            return any(abs(one - numbers[0]) < slack[0] + 1e-9 for one in (whole, *extremes))
        known = [*values, sum(values)] if column.dimension != "temperature" else values
        return any(abs(one - numbers[0]) < slack[0] + 1e-9 for one in known)

    def _extremes(self, column: Column, rows: frozenset[int], how: str) -> list[float]:
        """The highest or lowest values of each day."""
        days: dict[object, list[float]] = defaultdict(list)
        for row in rows:
            if row in column.values:
                days[self.rows.rows[row].date].append(column.values[row][0])
        return [max(one) if how == "high" else min(one) for one in days.values()]


# Categories of series --------------------------------------------------------------------------

_STEMS = {
    "rain": ("rain", "drizzle", "shower", "thunder", "storm"), "snow": ("snow", "sleet"),
    "clear": ("clear", "few", "sunny", "sunshine", "fair", "fine"),
    "cloud": ("cloud", "overcast"), "overcast": ("overcast",), "scatter": ("scattered",),
    "broken": ("broken",), "thunder": ("thunder",), "fog": ("fog", "mist", "haze", "smoke"),
    "wet": ("rain", "drizzle", "shower", "snow", "sleet", "thunder"),
    "drizzle": ("drizzle", "light rain"),
    "heavy": ("heavy", "very", "extreme"), "moderate": ("moderate",), "few": ("few",),
}  # fmt: skip
"""Words of texts about the weather, and what a value of the data begins with or has for them."""
_CONDITION = re.compile(
    r"\b(?:(?P<heavy>heavy)(?= (?:rain|snow|shower|precip))"
    r"|(?P<moderate>moderate)(?= (?:rain|snow))"
    r"|(?P<scatter>scattered)(?= cloud)|(?P<broken>broken)(?= cloud)|(?P<few>few)(?= cloud)"
    r"|(?P<rain>rain(?:y|fall|s|ing)?|showers?)|(?P<snow>snow(?:y|fall|ing)?|flurries|sleet)"
    r"|(?P<drizzle>drizzl\w+)|(?P<wet>precipitation|wet)"
    r"|(?P<clear>clear(?:er|ing)?(?= (?:sk|weather|condition|day|night|spell|period))|sunny"
    r"|sunshine|cloudless)|(?P<overcast>overcast)|(?P<cloud>cloud(?:y|s|iness)(?! cover| percent))"
    r"|(?P<thunder>thunder\w*|storms?)|(?P<fog>fog(?:gy)?|mist(?:y)?|haz[ey]))\b"
)
_QUANTIFIED = re.compile(
    r"(?:\b(?:chance|risk|probability|likelihood|threat|amounts?|mm|cm|millimet\w+|centimet\w+)|%)"
    r"(?: of)?(?: any)? \Z|\b(?:more|less|least|most) \Z"
)
"""What stands before a condition of which a text says how much or how likely it is."""
_MOSTLY = re.compile(
    r"\b(?:dominat\w+|predominan\w+|most(?:ly)?|prevail\w*|mainly|largely|throughout"
    r"|consistent\w*|remain\w*|persist\w*|all (?:day|week)|primarily)\b"
)
_DENIED = re.compile(
    r"\b(?:no|not|without|never|any|lack|absence|free of|break from|end of|neither|nor|little"
    r"|minimal)\b"
)
_DENIED_AFTER = re.compile(r"\b(?:not|no|unlikely|minimal|absent|stops?|ends?|clear(?:s|ing))\b")
_SHARE = 0.3
"""The least share of rows for what a text says of most of a time; chosen on d2t-eval."""


class CategoryCheck:
    """Checks the conditions that a text gives for the times of a list."""

    def __init__(self, rows: RowList, text: ClaimText) -> None:
        self.rows, self.text = rows, text
        self.scopes = TimeScopes(rows, text)
        self.said = [
            " ".join(values.get(row, "") for values in rows.categories.values())
            for row in range(len(rows.rows))
        ]
        together = " ".join(self.said)
        self.is_known = any(stem in together for stem in ("rain", "cloud", "clear sky", "snow"))

    def faults(self) -> Iterator[OwnerFault]:
        """Conditions that no row of the time spoken of has, and denied ones that one has."""
        if not self.is_known:
            return
        for sentence in self.text.sentences:
            for match in _CONDITION.finditer(self.text.lower, *sentence):
                fault = self._fault(match, sentence)
                if fault is not None:
                    yield fault

    def _fault(self, match: re.Match[str], sentence: tuple[int, int]) -> OwnerFault | None:
        stems = _STEMS[match.lastgroup or ""]
        have = frozenset(
            row for row, said in enumerate(self.said) if any(stem in said for stem in stems)
        )
        have |= self._measured(match.lastgroup or "")
        part = self.text.part_at(match.start(), sentence)
        before = self.text.lower[max(part[0], match.start() - 30) : match.start()]
        if _QUANTIFIED.search(before):
            return None  # "the lowest chance of rain" says how much, not whether
        scope = self.scopes.at(match.start(), sentence)
        rows = scope.rows if scope is not None else frozenset(range(len(self.rows.rows)))
        if not rows:
            return None
        mostly = _MOSTLY.search(self.text.lower, *part) is not None
        after = self.text.lower[match.end() : min(part[1], match.end() + 40)]
        if _DENIED.search(before) or _DENIED_AFTER.search(after):
            wrong = bool(have & rows) and not mostly and match.lastgroup not in ("cloud", "heavy")
        elif mostly and match.lastgroup not in ("heavy", "moderate"):
            wrong = len(have & rows) < _SHARE * len(rows)
        elif scope is not None and scope.days:
            wrong = any(day and not day & have for day in scope.days)
        else:
            wrong = not have & rows
        if not wrong:
            return None
        start, end = self.text.claim_at(match.start(), match.end(), sentence)
        place = next((fact for row in sorted(rows) for fact in self._facts(row)), None)
        label = scope.label if scope is not None and scope.label else "all times"
        seen = dict.fromkeys(self._value(row) for row in sorted(rows))
        note = f"for {label} the data has {', '.join([*seen][:4])}"
        return OwnerFault(start, end, "category", note, place)

    def _measured(self, condition: str) -> frozenset[int]:
        """The rows that have an amount of rain or snow."""
        words = {"rain": {"rain", "precip", "precipitation"}, "snow": {"snow"}}.get(
            condition, set()
        )
        return frozenset(
            row
            for column in self.rows.columns
            if column.words & words
            for row, (number, _) in column.values.items()
            if number > 0
        )

    def _value(self, row: int) -> str:
        values = [one[row] for one in self.rows.categories.values() if row in one]
        weather = [one for one in values if any(stem in one for stem in _ANY)]
        return max(weather or values or [""], key=len)

    def _facts(self, row: int) -> tuple[int, ...]:
        value = self._value(row)
        return tuple(
            fact
            for fact in self.rows.rows[row].facts
            if self.rows.categories.get(self.text.keys[fact], {}).get(row) == value
        )[:1]


_ANY = tuple({stem for stems in _STEMS.values() for stem in stems})


def _said(word: str, words: Iterable[str]) -> bool:
    """Whether a word of a key is among some words, in a longer or shorter form."""
    if len(word) < 3:
        return word in words
    return any(one.startswith(word) or (len(one) > 3 and word.startswith(one)) for one in words)


def _converted(span: ValueSpan, column: Column) -> float:
    """The number of a text in the unit of a column."""
    quantity = span.quantities[0]
    value = float(quantity.value)
    own, other = UNITS.get(quantity.unit or ""), UNITS.get(column.unit or "")
    if own is None or own is other:
        return value
    if other is None:
        base = _BASES.get(own.dimension)
        other = UNITS.get(base or "")
        if other is None or own is other:
            return value
    base_value = own.base(value)
    zero, one = other.base(0.0), other.base(1.0)
    return (base_value - zero) / (one - zero)


_BASES = {"temperature": "degree Celsius", "speed": "metre per second", "pressure": "hectopascal"}
"""The units that series without a unit are in, by the customs of weather services."""


def say_fact(triple: Triple, seen: str) -> str:
    """What the data has where a text has the words `seen`, and of what."""
    return (
        f"the data has {triple.predicate} {quote_value(triple.object, seen)} for {triple.subject}"
    )


def _short(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
