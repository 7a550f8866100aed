"""What follows from several facts: counts, totals, means, differences, shares and multiples.

`DerivedValues.explain` looks for a derived quantity that a value of a text may be. Since among many
facts nearly every small number is the difference of some two, only facts that belong together are
combined (the same field of several objects, or fields of one object), their units must agree, and
the words around the number must speak of such a quantity ("altogether", "on average", "more than")
unless it has so many digits that chance is unlikely.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from adequa.text.sentences import word_set
from adequa.text.values.facts import Support, ValueFact, ValueIndex, interval_in
from adequa.text.values.numbers import Interval, Quantity
from adequa.text.values.spans import ValueSpan, find_values
from adequa.text.values.units import CURRENCIES, UNITS, words_of_key

_SUM_WORDS = re.compile(
    r"\b(?:totals?|altogether|in all|combined|together|sums?|overall|add(?:s|ed)? up|amount\w*"
    r"|com(?:es?|ing) to|came to|across|throughout|over the|during|whole|entire|all|worth|both|last"
    r"|lasts|takes?|had|held|has|have|with|produced|consumed|recorded|received|made|party|found"
    r"|there (?:are|were)|of (?:its|them|the|these|all)|outgoings|answered|seen|used)\b"
)
_MEAN_WORDS = re.compile(r"\b(?:averag\w*|mean|per|typical\w*)\b")
_GAP_WORDS = re.compile(
    r"\b(?:more|less|fewer|than|above|below|leads?|margin|ahead|behind|rise|rose|risen|f[ae]ll\w*"
    r"|drop\w*|up|down|gain\w*|loss|lost|lower|higher|between|later|earlier|after|before|older"
    r"|younger|longer|shorter|larger|smaller|cheaper|dearer|differ\w*|gap|increas\w*|decreas\w*"
    r"|remain\w*|left|spare|empty|free|leaves|spans?|short|aged?|old|took|takes|last\w*|within"
    r"|apart|improv\w*|sav\w+|by|still|late|delay\w*|for|spent|in|since|over|grew|grow\w*|cut"
    r"|reduc\w*|won|missed|took|ran|runs?|climb\w*|made up|unanswered|wide|high|given|instead"
    r"|page|pages|further)\b"
)
_SHARE_WORDS = re.compile(
    r"%|\b(?:per ?cent|percent\w*|share|half|thirds?|quarters?|fifths?|of|times|twice|ratio|double"
    r"|triple|tenth|full|capacity|as)\b"
)
_RATE_WORDS = re.compile(r"\b(?:per|an?|each|every|apiece|works? out|density|average|on average)\b")
_PRODUCT_WORDS = re.compile(
    r"\b(?:total\w*|altogether|in all|together|com(?:es?|ing) to|came to|stay|bill|worth|cost\w*"
    r"|hold|weigh\w*|amount\w*|pieces|sum|adds? up|instead)\b"
)
_SENTENCE_END = re.compile(r"[.!?;\n](?=\s|\Z)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SURE_DIGITS = 3
"""From so many significant digits on, a match without a cue counts: chance makes few of them."""
_MOST = 60
"""The most numbers of one field that are combined in pairs; bounds the time."""


_RUNNING = re.compile(r"\b(?:lead|led|ahead|level|equal\w*|advantage|made it|half|draw|drew)\b")
_LASTING = re.compile(r"length|duration|lap|split|pace|track|took|elapsed|run")
_CHANGE_WORDS = re.compile(
    r"\b(?:more|less|fewer|higher|lower|up|down|rose|fell|gain\w*|by|loss|increas\w*|decreas\w*"
    r"|grew|growth|cheaper|premium|instead)\b"
)
_NEEDS_RELEVANCE = frozenset({"share", "difference", "product", "rate", "total"})
_CERTAIN_DIGITS = 4
"""From so many significant digits on, the sentence need not speak of the facts either."""
_MEANT = {
    "full": "capaci", "empty": "capaci", "old": "born", "aged": "born", "people": "popula",
    "inhabitants": "popula", "residents": "popula",
}  # fmt: skip
"""Words that speak of a field by another name."""
_MEAN_CALL = re.compile(
    r"\b(?:average|mean)\b(?!\s(?:of|for)\s(?:the|its|all)\b)[^.;,]{0,25}\Z"
    r"|^[^.;,]{0,12}\bon average"
)
_SUM_CALL = re.compile(
    r"\b(?:totals? of|sum of|altogether|in all|add(?:s|ed)? up to|combined)\b[^.;,]{0,20}\Z"
    r"|^[^.;,]{0,25}\b(?:altogether|in all|combined|in total)\b"
)
_SENTENCE_LENGTH = 500
"""Characters before a value in which its sentence most often begins; more are read if not."""
_MEAN_KEYS = word_set("avg average mean typical median")
_SUM_KEYS = word_set("total totals sum gross overall cumulative")


def _last_end(text: str, place: int) -> int:
    """The end of the last sentence before a place, looked for from there backwards."""
    size = _SENTENCE_LENGTH
    while True:
        ends = [one.end() for one in _SENTENCE_END.finditer(text, max(0, place - size), place)]
        if ends or size >= place:
            return ends[-1] if ends else 0
        size *= 4


class _Sentence:
    """The sentence around a value."""

    def __init__(self, text: str, span: ValueSpan) -> None:
        after = _SENTENCE_END.search(text, span.end)
        self.start = _last_end(text, span.start)
        self.string = text[self.start : after.start() if after else len(text)]
        self.lower = self.string.lower()
        self.span = span
        self.facts: frozenset[int] | None = None

    @cached_property
    def stems(self) -> frozenset[str]:
        words = _WORD.findall(self.lower)
        return frozenset(_MEANT.get(word) or _stem(word) for word in words)

    @cached_property
    def others(self) -> tuple[ValueSpan, ...]:
        """The other values of the sentence."""
        own = self.span.start - self.start
        return tuple(one for one in find_values(self.string) if one.start != own)

    def calls(self, pattern: re.Pattern[str]) -> bool:
        """Whether the words just before or after the value match."""
        before = self.lower[: max(0, self.span.start - self.start)]
        after = self.lower[self.span.end - self.start :]
        return pattern.search(before) is not None or pattern.match(after) is not None


class _Value(NamedTuple):
    """A number of the data as it is and in the base unit of its dimension."""

    raw: float
    base: float
    unit: str | None
    fact: int


class _Series(NamedTuple):
    """The numbers of one field, or of one object, in one dimension."""

    name: str
    dimension: str | None
    values: tuple[_Value, ...]
    listed: bool
    """Whether they are the same field of several objects; otherwise fields of one object."""


class _View(NamedTuple):
    """A series as numbers that can be compared with a number of a text, each with its fact."""

    name: str
    numbers: tuple[tuple[float, int], ...]
    listed: bool

    @property
    def total(self) -> float:
        return sum(number for number, _ in self.numbers)

    @property
    def facts(self) -> tuple[int, ...]:
        return tuple(fact for _, fact in self.numbers)


class _Query(NamedTuple):
    """What is looked for: a quantity, what it may stand for, and the sentence around it."""

    seen: Quantity
    interval: Interval
    span: ValueSpan
    sentence: _Sentence

    @property
    def dimension(self) -> str | None:
        unit = UNITS.get(self.seen.unit or "")
        return unit.dimension if unit else None

    @property
    def base(self) -> Interval:
        """The interval in the base unit."""
        unit = UNITS.get(self.seen.unit or "")
        if unit is None:
            return self.interval
        return Interval(unit.base(self.interval.low), unit.base(self.interval.high))

    @property
    def gap(self) -> Interval:
        """The interval of a difference: one of temperatures has no offset."""
        unit = UNITS.get(self.seen.unit or "")
        return self.interval if unit is None else _scaled(self.interval, unit.factor)

    @property
    def is_sure(self) -> bool:
        """Whether the number has so many digits that a match by chance is unlikely."""
        return _digits(self.seen) >= _SURE_DIGITS and self.span.hedge == "none"

    def speaks(self, words: re.Pattern[str]) -> bool:
        """Whether the number is sure, or the sentence has one of some words."""
        return self.is_sure or words.search(self.sentence.lower) is not None


class Explainer:
    """Explains the values of texts by some facts: by one of them, or by what several make.

    The facts are indexed once; what follows from several is made when it is first needed.
    """

    def __init__(self, facts: Sequence[ValueFact]) -> None:
        self.index = ValueIndex(facts)

    def explain(self, span: ValueSpan, text: str) -> tuple[Support, ...]:
        """The facts that a value of a text follows from, or a first derivation; empty if none.

        A value that the text calls an average or a total must be that, not just any value of the
        field.
        """
        sentence = _Sentence(text, span)
        direct = self.index.explain(span, text)
        kept = tuple(one for one in direct if self._fits(one, span, sentence))
        if not kept and span.kind == "score":
            return tuple(self._running_score(span, sentence))
        if kept or not span.quantities or span.kind == "ordinal":
            return kept
        for quantity in span.quantities:
            query = _Query(quantity, interval_in(quantity, span), span, sentence)
            certain = query.is_sure and _digits(quantity) >= _CERTAIN_DIGITS
            for found in self._ways(query):
                if certain or found.how not in _NEEDS_RELEVANCE:
                    return (found,)
                if any(self._bears(fact, sentence) for fact in found.facts):
                    return (found,)
        return ()

    def derives(self, span: ValueSpan, text: str, place: int) -> bool:
        """Whether a value follows from several facts, one of which is that at a place."""
        if not span.quantities:
            return False
        sentence = _Sentence(text, span)
        for quantity in span.quantities:
            query = _Query(quantity, interval_in(quantity, span), span, sentence)
            if any(place in found.facts for found in self._ways(query)):
                return True
        return False

    def _running_score(self, span: ValueSpan, sentence: _Sentence) -> Iterator[Support]:
        """A score on the way to the final one: "took a 2-1 lead"."""
        if not _RUNNING.search(sentence.lower):
            return
        first, second = (float(one.value) for one in span.quantities)
        sides: dict[str, dict[str, _Value]] = defaultdict(dict)
        for _, value, _ in self._values:
            fact = self.index.facts[value.fact]
            role = next((one for one in ("home", "away") if one in words_of_key(fact.key)), None)
            if role:
                name = fact.key.replace(role, "")
                sides[name][role] = value
        for name, pair in sides.items():
            if len(pair) == 2:
                low, high = sorted(one.raw for one in pair.values())
                if min(first, second) <= low and max(first, second) <= high:
                    yield self._support([one.fact for one in pair.values()], "score", name)
                    return

    def counterpart(self, span: ValueSpan, text: str) -> int | None:
        """The fact that an unexplained value stands for: of its kind and unit, and spoken of.

        Without a fact whose key or object is in the sentence, or a single one of its dimension,
        there is none: an absurd counterpart is worse than none.
        """
        sentence = _Sentence(text, span)
        found = [
            (self._spoken_of(place, sentence), -gap, -place)
            for place, gap in self.index.comparable(span)
        ]
        best = max(found, default=None)
        if best is not None and best[0] >= 1:
            return -best[2]
        unit = UNITS.get(span.quantities[0].unit or "") if span.quantities else None
        alike = [
            -place
            for _, _, place in found
            if unit is not None
            for quantity in self.index.readings[-place].quantities[:1]
            if (own := UNITS.get(quantity.unit or "")) and own.dimension == unit.dimension
        ]
        return alike[0] if len(alike) == 1 else None

    def _spoken_of(self, place: int, sentence: _Sentence) -> int:
        fact = self.index.facts[place]
        named = any(name in sentence.lower for name in self._names_of_groups.get(fact.group, ()))
        return 2 * len(sentence.stems.intersection(_stems(fact.key))) + named

    def _bears(self, place: int, sentence: _Sentence) -> bool:
        """Whether a sentence speaks of a fact: of its key, or of a value of its object."""
        if self._spoken_of(place, sentence) > 0:
            return True
        group = self.index.facts[place].group
        others = self._values_in(sentence)
        return place in others or bool(group and any(self._group(one) == group for one in others))

    def _group(self, place: int) -> str:
        return self.index.facts[place].group

    def _values_in(self, sentence: _Sentence) -> frozenset[int]:
        """The facts whose values the sentence has beside the one in question."""
        if sentence.facts is None:
            sentence.facts = frozenset(
                fact
                for other in sentence.others
                for one in self.index.explain(other, sentence.string)
                for fact in one.facts
            )
        return sentence.facts

    def _fits(self, support: Support, span: ValueSpan, sentence: _Sentence) -> bool:
        """Whether a value of the data is what the words beside the number call it."""
        fact = support.facts[0]
        if span.kind == "score" or support.how == "part":
            return True
        key = self.index.facts[fact].key
        if len(self._members.get(key, ())) > 1:
            own = {*words_of_key(key)}
            if sentence.calls(_MEAN_CALL) and not own & _MEAN_KEYS:
                return False
            if sentence.calls(_SUM_CALL) and not own & _SUM_KEYS:
                return False
        return True

    def _ways(self, query: _Query) -> Iterator[Support]:
        """Every derivation, the likeliest kinds first."""
        if query.seen.unit == "cent":
            return
        if query.seen.unit == "percentage point":
            yield from self._gaps(query._replace(seen=Quantity(query.seen.value, "percent")))
            return
        if query.span.kind in ("share", "ratio") or query.seen.unit == "percent":
            if query.span.kind == "ratio" or query.speaks(_SHARE_WORDS):
                one = 1.0 if query.span.kind == "ratio" else 0.01
                yield from self._ratios(_scaled(query.interval, one), query.sentence)
            return
        if query.dimension in (None, "time"):
            yield from self._counts(query)
            yield from self._lapses(query)
        if query.speaks(_SUM_WORDS):
            yield from self._sums(query)
        if query.speaks(_MEAN_WORDS):
            yield from self._means(query)
        if query.speaks(_GAP_WORDS):
            yield from self._gaps(query)
        if _PRODUCT_WORDS.search(query.sentence.lower):
            yield from self._products(query)
        if _RATE_WORDS.search(query.sentence.lower) or query.dimension is None:
            yield from self._rates(query)

    # Series -------------------------------------------------------------------------------------

    @cached_property
    def _values(self) -> tuple[tuple[int, _Value, str | None], ...]:
        """The numbers that are the whole value of a fact: reading number, value, dimension."""
        found: list[tuple[int, _Value, str | None]] = []
        for place, reading in enumerate(self.index.readings):
            if self._is_clock(place):
                continue
            for number, quantity in enumerate(reading.quantities):
                unit = UNITS.get(quantity.unit or "")
                raw = float(quantity.value)
                base = unit.base(raw) if unit else raw
                value = _Value(raw, base, quantity.unit, place)
                found.append((number, value, unit.dimension if unit else None))
                if unit is None and 0 < raw < 1:
                    found.append((number, value, "share"))
        return tuple(found)

    def _is_clock(self, fact: int) -> bool:
        """Whether a value such as 9:55 is a time of day rather than a duration."""
        if not self.index.readings[fact].clocks:
            return False
        return not _LASTING.search(self.index.facts[fact].key.lower())

    @cached_property
    def _series(self) -> tuple[_Series, ...]:
        """Numbers that belong together: fields of several objects, then fields of one object."""
        many: dict[tuple[bool, str, str | None, int], list[_Value]] = defaultdict(list)
        for number, value, dimension in self._values:
            fact = self.index.facts[value.fact]
            many[True, fact.key, dimension, number].append(value)
            many[False, fact.group, dimension, number].append(value)
        tails: dict[tuple[bool, str, str | None, int], list[_Value]] = defaultdict(list)
        for (listed, key, dimension, number), values in many.items():
            if listed and len(values) == 1:
                words = words_of_key(key)
                for name in {key.rpartition(".")[2], *(f"*{word}" for word in words)}:
                    tails[False, name, dimension, number] += values
        return tuple(
            _Series(name, dimension, tuple(values), listed)
            for series in (many, tails)
            for (listed, name, dimension, _), values in series.items()
            if len(values) > 1
        )

    @cached_property
    def _members(self) -> dict[str, frozenset[int]]:
        """The facts of each field that several objects have."""
        return {
            one.name: frozenset(value.fact for value in one.values)
            for one in self._series
            if one.listed
        }

    @cached_property
    def _singles(self) -> tuple[tuple[_Value, str | None], ...]:
        """The numbers of fields that occur once."""
        keys = Counter(fact.key for fact in self.index.facts)
        found = [
            (value, dimension)
            for number, value, dimension in self._values
            if not number and keys[self.index.facts[value.fact].key] == 1
        ]
        return tuple(found[:_MOST])

    def _views(self, dimension: str | None) -> Iterator[_View]:
        """The series to compare a number with: in base units, or as they are without a unit."""
        for series in self._series:
            if dimension is None:
                if series.dimension == "share" or len({one.unit for one in series.values}) > 1:
                    continue
                pairs = tuple((one.raw, one.fact) for one in series.values)
            elif series.dimension == dimension or (
                dimension in CURRENCIES and series.dimension is None
            ):
                pairs = tuple((one.base, one.fact) for one in series.values)
            else:
                continue
            yield _View(series.name, pairs[: _MOST * _MOST], series.listed)

    def _numbers(self, dimension: str | None) -> list[tuple[float, int]]:
        """All single numbers to compare a number with, each with its fact."""
        return [
            (value.raw if dimension is None else value.base, value.fact)
            for _, value, own in self._values
            if own == dimension or dimension is None
        ]

    def _support(self, facts: Iterable[int], how: str, name: str) -> Support:
        places = tuple(dict.fromkeys(facts))
        shown = ", ".join(self.index.facts[place].value for place in places[:4])
        more = ", …" if len(places) > 4 else ""
        return Support(places, how, f"{how} of {name} ({shown}{more})")

    # Sums and means -----------------------------------------------------------------------------

    def _sums(self, query: _Query) -> Iterator[Support]:
        views = [*self._views(query.dimension)]
        for view in views:
            yield from self._sums_of(view, query)
        listed = [view for view in views if view.listed][:_MOST]
        for one, other in combinations(listed, 2):
            beside = one.name.rpartition(".")[0] == other.name.rpartition(".")[0]
            if beside and _near(one.total + other.total, query.base):
                name = f"{one.name} and {other.name}"
                yield self._support((*one.facts, *other.facts), "total", name)

    def _sums_of(self, view: _View, query: _Query) -> Iterator[Support]:
        """The total of a series; of those the sentence names; of two; of all but one."""
        interval = query.base
        if _near(abs(view.total), interval):
            yield self._support(view.facts, "total", view.name)
        if not view.listed and len(view.numbers) <= _MOST:
            for (one, first), (other, second) in combinations(view.numbers, 2):
                if first != second and _near(one + other, interval):
                    yield self._support((first, second), "total", view.name)
            for number, fact in view.numbers if len(view.numbers) > 3 else ():
                if _near(view.total - number, interval):
                    others = [other for other in view.facts if other != fact]
                    yield self._support(others, "total", view.name)
        for name, groups in self._named_groups.items() if view.listed else ():
            if name in query.sentence.lower:
                some = [pair for pair in view.numbers if self.index.facts[pair[1]].group in groups]
                if len(some) > 1 and _near(abs(sum(pair[0] for pair in some)), interval):
                    yield self._support([fact for _, fact in some], "total", view.name)
        for sign in (1, -1) if view.listed else ():
            some = [pair for pair in view.numbers if pair[0] * sign > 0]
            total = abs(sum(pair[0] for pair in some))
            if 1 < len(some) < len(view.numbers) and _near(total, interval):
                yield self._support([fact for _, fact in some], "total", view.name)

    def _means(self, query: _Query) -> Iterator[Support]:
        for view in self._views(query.dimension):
            if view.listed and _near(view.total / len(view.numbers), query.base):
                yield self._support(view.facts, "mean", view.name)

    # Differences --------------------------------------------------------------------------------

    def _gaps(self, query: _Query) -> Iterator[Support]:
        if query.gap.high < 0:
            return
        for view in self._views(query.dimension):
            for one, other in _apart(view.numbers, query.gap):
                yield self._support((other, one), "difference", view.name)
        numbers = self._numbers(query.dimension)
        for value, dimension in self._singles:
            if dimension != query.dimension and query.dimension is not None:
                continue
            if self._spoken_of(value.fact, query.sentence) < 2:
                continue
            own = value.raw if query.dimension is None else value.base
            for number, fact in numbers:
                same = self._same_unit(fact, value.fact)
                if fact != value.fact and same and _near(abs(number - own), query.gap):
                    yield self._support((fact, value.fact), "difference", "two values")
        totals = [
            (view.total, view.facts[0]) for view in self._views(query.dimension) if view.listed
        ]
        totals += self._single_numbers(query.dimension)
        for (high, first), (low, second) in combinations(totals[:_MOST], 2):
            if self._same_unit(first, second) and _near(abs(high - low), query.gap):
                yield self._support((first, second), "difference", "totals")

    def _single_numbers(self, dimension: str | None) -> Iterator[tuple[float, int]]:
        for value, own in self._singles:
            if own == dimension or dimension is None:
                yield (value.raw if dimension is None else value.base), value.fact

    def _same_unit(self, one: int, other: int) -> bool:
        first, second = self.index.readings[one].quantities, self.index.readings[other].quantities
        return first[0].unit == second[0].unit

    @cached_property
    def _moments(self) -> tuple[tuple[float, int], ...]:
        """The seconds of dates and times of the data, each with its fact."""
        found: list[tuple[float, int]] = []
        for place, reading in enumerate(self.index.readings):
            clock = reading.clocks[0] if reading.clocks else None
            seconds = 0.0
            if clock is not None:
                seconds = 60.0 * (clock.minutes - (clock.zone or 0)) + (clock.second or 0)
            for date in reading.dates[:1]:
                if date.year and 1 <= date.year <= 9999:
                    try:
                        day = dt.date(date.year, date.month or 1, date.day or 1)
                    except ValueError:
                        continue
                    found.append((86400.0 * day.toordinal() + seconds, place))
            if clock is not None and not reading.dates:
                found.append((seconds, place))
        return tuple(sorted(found)[: 4 * _MOST])

    @cached_property
    def _laps(self) -> tuple[tuple[float, int], ...]:
        """Values such as 9:55 as minutes and seconds."""
        found = [
            (float(reading.quantities[0].value), place)
            for place, reading in enumerate(self.index.readings)
            if reading.clocks and reading.quantities
        ]
        return tuple(sorted(found)[: 4 * _MOST])

    def _lapses(self, query: _Query) -> Iterator[Support]:
        """The time between two dates or times of the data."""
        if query.dimension is None:
            whole = query.seen.value == query.seen.value.to_integral_value()
            if not whole or not re.search(r"\b(?:aged?|years?|old|at)\b", query.sentence.lower):
                return
            interval = _scaled(query.interval, UNITS["year"].factor)
        else:
            interval = query.base
        if not query.speaks(_GAP_WORDS):
            return
        # A text counts whole days, months and years: a day, half a month or a year more is right.
        slack = 0.0
        if interval.high >= 86400:
            slack = 1.5 * 86400 if interval.high < 8e6 else 16 * 86400.0
        slack = slack if interval.high < 6e7 else 366 * 86400.0
        wide = Interval(interval.low - slack, interval.high + slack)
        for moments in (self._moments, self._laps):
            for one, other in _apart(moments, wide):
                name = f"{self.index.facts[one].key} to {self.index.facts[other].key}"
                yield self._support((one, other), "time", name)

    # Shares, multiples, rates and products ------------------------------------------------------

    def _ratios(self, interval: Interval, sentence: _Sentence) -> Iterator[Support]:
        """One number as a share or a multiple of another, or the change from one to another."""
        changed = _CHANGE_WORDS.search(sentence.lower) is not None

        def fits(top: float, under: float) -> bool:
            ratio = top / under
            return _near(ratio, interval) or (changed and _near(abs(ratio - 1), interval))

        totals: list[tuple[float, int, str | None]] = []
        for series in self._series:
            if series.dimension in ("share", "temperature", "angle"):
                continue
            values = [one for one in series.values if one.base > 0][:_MOST]
            total = sum(one.base for one in values)
            if series.listed and total:
                totals.append((total, values[0].fact, series.dimension))
                for one in values:
                    if total > one.base and _near(one.base / total, interval):
                        yield self._support((one.fact,), "share", series.name)
            for one, other in combinations(values, 2):
                if fits(one.base, other.base) or fits(other.base, one.base):
                    yield self._support((one.fact, other.fact), "share", series.name)
        yield from self._ratios_in_sentence(interval, sentence)
        totals = totals[:_MOST]
        singles = [(one.base, one.fact, own) for one, own in self._singles if one.base > 0]
        for (first, fact, kind), (second, another, of) in combinations([*totals, *singles], 2):
            if kind == of and (fits(first, second) or fits(second, first)):
                yield self._support((fact, another), "share", "totals")
        for own, fact, dimension in singles:
            if self._spoken_of(fact, sentence) < 2:
                continue
            for _, value, of in self._values:
                if of == dimension and value.fact != fact and fits(value.base, own):
                    yield self._support((value.fact, fact), "share", "two values")

    def _ratios_in_sentence(self, interval: Interval, sentence: _Sentence) -> Iterator[Support]:
        """A share of a number that the sentence itself gives: "just over half of these 93"."""
        for other in sentence.others:
            for quantity in other.quantities[:1]:
                whole = float(quantity.value)
                if whole <= 0 or quantity.unit == "percent":
                    continue
                for _, value, _ in self._values:
                    near = _near(value.raw / whole, interval)
                    if near and self._spoken_of(value.fact, sentence) > 0:
                        yield self._support((value.fact,), "share", f"{whole:g}")

    def _pairs(self) -> Iterator[tuple[_Value, str | None, _Value, str | None]]:
        """Numbers of one object, or two of which one occurs once, in both orders."""
        groups: dict[str, list[tuple[_Value, str | None]]] = defaultdict(list)
        for number, value, dimension in self._values:
            if not number:
                groups[self.index.facts[value.fact].group].append((value, dimension))
        shares = [pair for pair in self._singles if pair[1] == "share"][:3]
        for values in (*groups.values(), self._singles):
            for (one, first), (other, second) in combinations([*values[:_MOST], *shares], 2):
                if one.fact != other.fact:
                    yield one, first, other, second
                    yield other, second, one, first

    def _products(self, query: _Query) -> Iterator[Support]:
        """A number of pieces times what one of them costs or weighs; an amount and its share."""
        dimension, interval = query.dimension, query.base
        money = dimension in CURRENCIES
        for amount, kind, count, of in self._pairs():
            if kind != dimension and not (money and kind is None):
                continue
            factors = [count.raw] if of is None or money else []
            if of == "share":
                factors = [count.base, 1 + count.base, 1 - count.base]
            if any(_near(amount.base * factor, interval) for factor in factors):
                yield self._support((amount.fact, count.fact), "product", "two values")

    def _rates(self, query: _Query) -> Iterator[Support]:
        """What one number makes per another: euros per square metre, people per household."""
        dimension = query.dimension
        crowd = dimension == "population density"
        for top, kind, under, of in self._pairs():
            if under.raw <= 0 or of == "share":
                continue
            if crowd:
                if kind is None and of == "area" and _near(top.raw / under.base, query.base):
                    yield self._support((top.fact, under.fact), "rate", "two values")
                continue
            money = dimension in CURRENCIES or dimension is None
            if kind != dimension and not (money and (kind is None or kind in CURRENCIES)):
                continue
            if of == kind and kind is not None:
                continue
            own = top.base if dimension is not None else top.raw
            whole = under.base > 0 and _near(own / under.base, query.base)
            if whole or _near(own / under.raw, query.base):
                yield self._support((top.fact, under.fact), "rate", "two values")

    # Counts -------------------------------------------------------------------------------------

    @cached_property
    def _lists(self) -> dict[str, int]:
        """How many objects or values each list has, by its key."""
        groups: dict[str, set[str]] = defaultdict(set)
        for fact in self.index.facts:
            parts = fact.group.split("/")
            names = [part for part in parts if part and not part.isdigit()]
            for place, part in enumerate(parts):
                if part.isdigit():
                    before = ".".join(one for one in parts[:place] if one and not one.isdigit())
                    groups[before].add("/".join(parts[: place + 1]))
            if not names or not parts[-1].isdigit():
                groups[fact.key].add(fact.group)
            groups[".".join(names)].add(f"{fact.group}/{fact.key}") if names else None
        return {name: len(members) for name, members in groups.items()}

    @cached_property
    def _named_groups(self) -> dict[str, frozenset[str]]:
        """The groups that have a text, by the text in lower case."""
        found: dict[str, set[str]] = defaultdict(set)
        for fact, reading in zip(self.index.facts, self.index.readings, strict=True):
            if not reading.quantities and not reading.dates and 2 < len(fact.value) < 40:
                found[fact.value.lower().replace("_", " ")].add(fact.group)
        return {name: frozenset(groups) for name, groups in found.items()}

    @cached_property
    def _names_of_groups(self) -> dict[str, tuple[str, ...]]:
        names: dict[str, list[str]] = defaultdict(list)
        for name, groups in self._named_groups.items():
            for group in groups:
                names[group].append(name)
        return {group: tuple(found) for group, found in names.items()}

    @cached_property
    def _kinds(self) -> Counter[tuple[str, str]]:
        """How often each field has each value."""
        return Counter((fact.key, fact.value) for fact in self.index.facts)

    @cached_property
    def _counted(self) -> dict[int, list[tuple[str, tuple[str, ...]]]]:
        """What there are so many of, with the words that name it."""
        found: dict[int, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for name, count in self._lists.items():
            found[count].append((f"number of {name}", tuple(_stems(name))))
        kinds: dict[str, set[str]] = defaultdict(set)
        for (key, value), count in self._kinds.items():
            kinds[key].add(value)
            found[count].append((f"number of {key} {value}", tuple(_stems(f"{key} {value}"))))
        for key, values in kinds.items():
            if len(values) > 1:
                found[len(values)].append((f"number of different {key}", tuple(_stems(key))))
        return found

    def _counts(self, query: _Query) -> Iterator[Support]:
        """How many objects a list has, or how many of them have a value, a sign, or are higher."""
        seen = query.seen
        if seen.value != seen.value.to_integral_value() or not 1 < seen.value <= 10_000:
            return
        words = query.sentence.stems
        count = int(seen.value)
        for name, stems in self._counted.get(count, ()):
            if not stems or words.intersection(stems):
                yield Support((), "count", name)
        if seen.unit == "day" and len({moment[0] // 86400 for moment in self._moments}) == count:
            yield Support((), "count", "number of days")
        yield from self._compared(count, words)

    def _compared(self, count: int, words: frozenset[str]) -> Iterator[Support]:
        """How many objects have one field above another, or above a number of the sentence."""
        for series in self._series:
            if not series.listed or not words.intersection(_stems(series.name)):
                continue
            above = sum(value.base > 0 for value in series.values)
            for number in {above, len(series.values) - above}:
                if number == count:
                    yield Support((), "count", f"number of {series.name}")


def _apart(numbers: Sequence[tuple[float, int]], interval: Interval) -> Iterator[tuple[int, int]]:
    """The facts of two numbers that are so far apart, the lower first."""
    ordered = sorted(numbers)
    values = [number for number, _ in ordered]
    slack = 1e-6 * max(1.0, abs(interval.high))
    for place, (number, fact) in enumerate(ordered):
        first = bisect_left(values, number + interval.low - slack, place + 1)
        last = bisect_right(values, number + interval.high + slack, first)
        for other, another in ordered[first:last]:
            if another != fact and other > number:
                yield fact, another


def _near(value: float, interval: Interval) -> bool:
    slack = 1e-6 * max(1.0, abs(interval.high))
    return interval.low - slack <= value <= interval.high + slack


def _scaled(interval: Interval, factor: float) -> Interval:
    return Interval(interval.low * factor, interval.high * factor)


def _digits(seen: Quantity) -> int:
    figures = "".join(map(str, seen.value.as_tuple().digits)).strip("0")
    return len(figures)


def _stem(word: str) -> str:
    word = word.lower()
    for ending in ("s", "e", "ed", "ing", "i", "y"):  # in this order: bottles, bottle, bottl
        if len(word) > len(ending) + 2 and word.endswith(ending):
            word = word[: -len(ending)]
    return word[:_STEM]


def _stems(name: str) -> Sequence[str]:
    words = [word for word in words_of_key(name) if len(word) > 2 and word not in _UNIT_WORDS]
    return [_stem(word) for word in words]


_STEM = 6
_UNIT_WORDS = word_set("eur usd gbp chf kwh mwh min max pct avg the and for per day number value")
