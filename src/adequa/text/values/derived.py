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
from adequa.text.values.facts import FactIndex, Support, ValueFact, interval_in
from adequa.text.values.numbers import Quantity
from adequa.text.values.rounding import Interval
from adequa.text.values.spans import ValueSpan, find_values
from adequa.text.values.units import CURRENCIES, UNITS, words_of_key

_SUM_WORDS = re.compile(
    r"\b(?:totals?|altogether|in all|combined|together|sums?|overall|add(?:s|ed)? up|amount\w*"
    r"|com(?:es?|ing) to|came to|across|throughout|over the|during|whole|entire|all|worth|both|last"
    r"|lasts|takes?|had|held|has|have|with|produced|consumed|recorded|received|made|party)\b"
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


_LASTING = re.compile(r"length|duration|lap|split|pace|track|took|elapsed|run")
_NEEDS_RELEVANCE = frozenset({"share", "difference", "product", "rate", "total"})
_MEAN_CALL = re.compile(
    r"\b(?:average|mean)\b(?!\s(?:of|for)\s[a-z])[^.;,]{0,25}\Z|^[^.;,]{0,12}\bon average"
)
_SUM_CALL = re.compile(
    r"\b(?:totals? of|sum of|altogether|in all|add(?:s|ed)? up to|combined)\b[^.;,]{0,20}\Z"
    r"|^[^.;,]{0,25}\b(?:altogether|in all|combined|in total)\b"
)
_MEAN_KEYS = word_set("avg average mean typical median")
_SUM_KEYS = word_set("total totals sum gross overall cumulative")


class _Sentence:
    """The sentence around a value."""

    def __init__(self, text: str, span: ValueSpan) -> None:
        ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, span.start)]
        after = _SENTENCE_END.search(text, span.end)
        self.start = ends[-1] if ends else 0
        self.string = text[self.start : after.start() if after else len(text)]
        self.lower = self.string.lower()
        self.span = span
        self.facts: frozenset[int] | None = None

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(_stem(word) for word in _WORD.findall(self.lower))

    def calls(self, pattern: re.Pattern[str]) -> bool:
        """Whether the words just before or after the value match."""
        before = self.lower[: max(0, self.span.start - self.start)]
        after = self.lower[self.span.end - self.start :]
        return pattern.search(before) is not None or pattern.match(after) is not None


class _Value(NamedTuple):
    """A number in the base unit of its dimension."""

    base: float
    fact: int


class _Series(NamedTuple):
    """The numbers of one field, or of one object, in one dimension."""

    name: str
    dimension: str | None
    values: tuple[_Value, ...]
    listed: bool
    """Whether they are the same field of several objects; otherwise fields of one object."""


class Explainer:
    """Explains the values of texts by some facts: by one of them, or by what several make.

    The facts are indexed once; what follows from several is made when it is first needed.
    """

    def __init__(self, facts: Sequence[ValueFact]) -> None:
        self.index = FactIndex(facts)

    def explain(self, span: ValueSpan, text: str) -> tuple[Support, ...]:
        """The facts that a value of a text follows from, or a first derivation; empty if none.

        A value that the text calls an average, a total or the highest must be that, not just
        any value of the field.
        """
        sentence = _Sentence(text, span)
        direct = self.index.explain(span, text)
        kept = tuple(one for one in direct if self._fits(one, span, sentence))
        if kept or not span.quantities or span.kind in ("ordinal", "score"):
            return kept
        context = sentence.lower
        for quantity in span.quantities:
            interval = interval_in(quantity, span)
            for found in self._ways(quantity, interval, span, context):
                if found.how not in _NEEDS_RELEVANCE or self._is_relevant(found.facts, sentence):
                    return (found,)
        return ()

    def counterpart(self, span: ValueSpan, text: str) -> int | None:
        """The fact that an unexplained value stands for: of its kind and unit, and spoken of.

        Without a fact whose key, object or other value is in the sentence there is none: an absurd
        counterpart is worse than none.
        """
        sentence = _Sentence(text, span)
        found = [
            (self._spoken_of(place, sentence), -gap, -place)
            for place, gap in self.index.comparable(span)
        ]
        best = max(found, default=None)
        return None if best is None or best[0] < 1 else -best[2]

    def _spoken_of(self, place: int, sentence: _Sentence) -> int:
        fact = self.index.facts[place]
        named = any(name in sentence.lower for name in self._names_of_groups.get(fact.group, ()))
        return 2 * len(sentence.stems.intersection(_stems(fact.key))) + named

    def _is_relevant(self, facts: Sequence[int], sentence: _Sentence) -> bool:
        """Whether the sentence speaks of one of some facts: its key, its value or its object."""
        return any(self._bears(fact, sentence) for fact in facts)

    def _bears(self, place: int, sentence: _Sentence) -> bool:
        fact = self.index.facts[place]
        if sentence.stems.intersection(_stems(fact.key)):
            return True
        if any(name in sentence.lower for name in self._names_of_groups.get(fact.group, ())):
            return True
        return place in self._values_in(sentence)

    def _values_in(self, sentence: _Sentence) -> frozenset[int]:
        """The facts whose values the sentence has."""
        if sentence.facts is None:
            found = [
                fact
                for other in find_values(sentence.string)
                if sentence.start + other.start != sentence.span.start
                for one in self.index.explain(other, sentence.string)
                for fact in one.facts
            ]
            sentence.facts = frozenset(found)
        return sentence.facts

    @cached_property
    def _names_of_groups(self) -> dict[str, tuple[str, ...]]:
        names: dict[str, list[str]] = defaultdict(list)
        for name, groups in self._named_groups.items():
            for group in groups:
                names[group].append(name)
        return {group: tuple(found) for group, found in names.items()}

    def _fits(self, support: Support, span: ValueSpan, sentence: _Sentence) -> bool:
        """Whether a value of the data is what the words beside the number call it."""
        fact = support.facts[0]
        if span.kind == "score" or support.how == "part":
            return True
        key = self.index.facts[fact].key
        series = self._members.get(key, ())
        if len(series) > 1 and fact in series:
            own = {*words_of_key(key)}
            if sentence.calls(_MEAN_CALL) and not own & _MEAN_KEYS:
                return False
            if sentence.calls(_SUM_CALL) and not own & _SUM_KEYS:
                return False
        return True

    @cached_property
    def _members(self) -> dict[str, frozenset[int]]:
        """The facts of each field that several objects have."""
        return {
            one.name: frozenset(value.fact for value in one.values)
            for one in self._series
            if one.listed
        }

    def _ways(
        self, seen: Quantity, interval: Interval, span: ValueSpan, context: str
    ) -> Iterator[Support]:
        sure = _digits(seen) >= _SURE_DIGITS and span.hedge == "none"
        if span.kind in ("share", "ratio") or seen.unit in ("percent", "percentage point"):
            if seen.unit == "percentage point":
                yield from self._gaps("share", _scaled(interval, 0.01))
            elif sure or span.kind == "ratio" or _SHARE_WORDS.search(context):
                one = 1.0 if span.kind == "ratio" else 0.01
                yield from self._ratios(_scaled(interval, one), context)
            return
        unit = UNITS.get(seen.unit or "")
        dimension = unit.dimension if unit else None
        if seen.unit == "cent":
            return
        base = Interval(unit.base(interval.low), unit.base(interval.high)) if unit else interval
        gap = base
        if unit is not None and unit.offset:  # a difference of temperatures has no offset
            gap = _scaled(interval, unit.factor)
        if dimension is None or dimension == "time":
            yield from self._counts(seen, context)
        if dimension == "time":
            yield from self._lapses(base, context, sure=sure)
        if dimension is None and seen.value == seen.value.to_integral_value():
            years = _scaled(interval, UNITS["year"].factor)
            if re.search(r"\b(?:aged?|years?|old|at)\b", context):
                yield from self._lapses(years, context, sure=False)
        if sure or _SUM_WORDS.search(context):
            yield from self._sums(dimension, base, context)
        if sure or _MEAN_WORDS.search(context):
            yield from self._means(dimension, base)
        if sure or _GAP_WORDS.search(context):
            yield from self._gaps(dimension, gap)
        if _PRODUCT_WORDS.search(context):
            yield from self._products(dimension, base)
        if _RATE_WORDS.search(context):
            yield from self._rates(dimension, base)

    # Series -------------------------------------------------------------------------------------

    @cached_property
    def _series(self) -> tuple[_Series, ...]:
        """Numbers that belong together: fields of several objects, then fields of one object."""
        listed: dict[tuple[str, str | None], list[_Value]] = defaultdict(list)
        beside: dict[tuple[str, str | None], list[_Value]] = defaultdict(list)
        facts = self.index.facts
        for number in self.index.numbers:
            if number.part or self._is_clock(number.fact):
                continue
            unit = UNITS.get(number.unit or "")
            dimension = unit.dimension if unit else None
            value = _Value(unit.base(number.value) if unit else number.value, number.fact)
            fact = facts[number.fact]
            listed[fact.key, dimension].append(value)
            beside[fact.group, dimension].append(value)
            if unit is None and 0 < number.value < 1:
                listed[fact.key, "share"].append(value)
                beside[fact.group, "share"].append(value)
        found = [
            _Series(name, dimension, tuple(values), kind == "listed")
            for kind, many in (("listed", listed), ("beside", beside))
            for (name, dimension), values in many.items()
            if len(values) > 1
        ]
        tails: dict[tuple[str, str | None], list[_Value]] = defaultdict(list)
        for (key, dimension), values in listed.items():
            if len(values) == 1:
                tails[key.rpartition(".")[2], dimension] += values
                for word in words_of_key(key):
                    tails[f"*{word}", dimension] += values
        found += [
            _Series(name, dimension, tuple(values), False)
            for (name, dimension), values in tails.items()
            if len(values) > 1
        ]
        return tuple(found)

    def _is_clock(self, fact: int) -> bool:
        """Whether a value such as 9:55 is a time of day rather than a duration."""
        if not self.index.readings[fact].clocks:
            return False
        return not _LASTING.search(self.index.facts[fact].key.lower())

    def _of(self, dimension: str | None) -> Iterator[_Series]:
        """The series of a dimension; without one, those of any dimension in their own unit."""
        for series in self._series:
            if series.dimension == dimension or (
                dimension in CURRENCIES and series.dimension is None
            ):
                yield series

    def _support(self, facts: Iterable[int], how: str, name: str) -> Support:
        places = tuple(dict.fromkeys(facts))
        shown = ", ".join(self.index.facts[place].value for place in places[:4])
        more = ", …" if len(places) > 4 else ""
        return Support(places, how, f"{how} of {name} ({shown}{more})")

    # Sums and means -----------------------------------------------------------------------------

    def _sums(self, dimension: str | None, interval: Interval, context: str) -> Iterator[Support]:
        for series in self._of(dimension):
            total = sum(value.base for value in series.values)
            facts = [value.fact for value in series.values]
            if _near(total, interval):
                yield self._support(facts, "total", series.name)
            if series.listed and len(series.values) > 2:
                yield from self._partial_sums(series, interval, context)
            elif len(series.values) <= _MOST:
                yield from self._pair_sums(series, interval)
        if dimension is None or dimension in CURRENCIES:
            totals = [one for one in self._of(dimension) if one.listed]
            for one, other in combinations(totals[:_MOST], 2):
                both = sum(value.base for value in (*one.values, *other.values))
                if (
                    _near(both, interval)
                    and one.name.rpartition(".")[0] == other.name.rpartition(".")[0]
                ):
                    facts = [value.fact for value in (*one.values, *other.values)]
                    yield self._support(facts, "total", f"{one.name} and {other.name}")

    def _partial_sums(self, series: _Series, interval: Interval, context: str) -> Iterator[Support]:
        """Totals of the objects that a word of the sentence names: "the two REWE payments"."""
        for name, groups in self._named_groups.items():
            if name not in context:
                continue
            some = [one for one in series.values if self.index.facts[one.fact].group in groups]
            if 1 < len(some) < len(series.values) and _near(
                sum(one.base for one in some), interval
            ):
                yield self._support([one.fact for one in some], "total", f"{series.name} of {name}")
        for sign in (1, -1):
            some = [one for one in series.values if one.base * sign > 0]
            if 1 < len(some) < len(series.values):
                total = abs(sum(one.base for one in some))
                if _near(total, interval):
                    yield self._support([one.fact for one in some], "total", series.name)

    def _pair_sums(self, series: _Series, interval: Interval) -> Iterator[Support]:
        for one, other in combinations(series.values, 2):
            if one.fact != other.fact and _near(one.base + other.base, interval):
                yield self._support((one.fact, other.fact), "total", series.name)

    def _means(self, dimension: str | None, interval: Interval) -> Iterator[Support]:
        for series in self._of(dimension):
            values = series.values
            if series.listed and _near(sum(one.base for one in values) / len(values), interval):
                yield self._support([one.fact for one in values], "mean", series.name)

    # Differences --------------------------------------------------------------------------------

    def _gaps(self, dimension: str | None, interval: Interval) -> Iterator[Support]:
        if interval.high < 0:
            return
        for series in self._of(dimension):
            ordered = sorted(series.values)[: _MOST * _MOST]
            bases = [value.base for value in ordered]
            slack = 1e-6 * max(1.0, abs(interval.high))
            for place, value in enumerate(ordered):
                first = bisect_left(bases, value.base + interval.low - slack, place + 1)
                last = bisect_right(bases, value.base + interval.high + slack, first)
                for other in ordered[first:last]:
                    if other.fact != value.fact and other.base > value.base:
                        yield self._support((other.fact, value.fact), "difference", series.name)

    @cached_property
    def _moments(self) -> tuple[tuple[float, int, bool], ...]:
        """Seconds of dates and times of the data, the fact, and whether the time of day counts."""
        found: list[tuple[float, int, bool]] = []
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
                    found.append((86400.0 * day.toordinal() + seconds, place, clock is not None))
            if clock is not None and not reading.dates:
                found.append((seconds, place, True))
        return tuple(found)

    def _lapses(self, interval: Interval, context: str, *, sure: bool) -> Iterator[Support]:
        """The time between two dates or times of the data."""
        if not sure and not _GAP_WORDS.search(context):
            return
        # A text counts whole days, months and years: a day more or less is right.
        slack = 0.0 if interval.high < 86400 else 86400.0 * (1.5 if interval.high < 8e6 else 16)
        slack = slack if interval.high < 6e7 else 366 * 86400.0
        moments = sorted(self._moments)[: 4 * _MOST]
        times = [moment[0] for moment in moments]
        for place, (start, fact, _) in enumerate(moments):
            first = bisect_left(times, start + interval.low - slack, place + 1)
            last = bisect_right(times, start + interval.high + slack, first)
            for _, other, _ in moments[first:last]:
                if other != fact:
                    one, two = self.index.facts[fact].key, self.index.facts[other].key
                    yield self._support((fact, other), "time", f"{one} to {two}")

    # Shares, multiples, rates and products ------------------------------------------------------

    def _ratios(self, interval: Interval, context: str) -> Iterator[Support]:
        """One number as a share or a multiple of another, or the change from one to another."""
        for series in self._series:
            if series.dimension in ("share", "temperature", "angle"):
                continue
            values = [one for one in series.values if one.base > 0][:_MOST]
            changed = re.search(
                r"\b(?:more|less|fewer|higher|lower|up|down|rose|fell|gain\w*|by|loss"
                r"|increas\w*|decreas\w*|grew|growth|cheaper|premium)\b",
                context,
            )
            total = sum(one.base for one in values)
            for one in values:
                if series.listed and total > one.base and _near(one.base / total, interval):
                    yield self._support((one.fact,), "share", series.name)
            for one, other in combinations(values, 2):
                for top, under in ((one, other), (other, one)):
                    ratio = top.base / under.base
                    if _near(ratio, interval) or (changed and _near(abs(ratio - 1), interval)):
                        yield self._support((top.fact, under.fact), "share", series.name)
        yield from self._ratios_of_totals(interval)

    def _ratios_of_totals(self, interval: Interval) -> Iterator[Support]:
        sums = [
            (sum(value.base for value in one.values), one.values[0].fact, one.dimension)
            for one in self._series
            if one.listed
        ][:_MOST]
        sums += [(value.base, value.fact, dimension) for value, dimension in self._singles]
        for (first, one, kind), (second, other, of) in combinations(sums, 2):
            if kind != of or first <= 0 or second <= 0:
                continue
            if _near(first / second, interval) or _near(second / first, interval):
                yield self._support((one, other), "share", "totals")

    @cached_property
    def _singles(self) -> tuple[tuple[_Value, str | None], ...]:
        """The numbers of fields that occur once."""
        keys = Counter(fact.key for fact in self.index.facts)
        found: list[tuple[_Value, str | None]] = []
        for number in self.index.numbers:
            if not number.part and keys[self.index.facts[number.fact].key] == 1:
                unit = UNITS.get(number.unit or "")
                base = unit.base(number.value) if unit else number.value
                found.append((_Value(base, number.fact), unit.dimension if unit else None))
        return tuple(found[:_MOST])

    def _pairs(self) -> Iterator[tuple[_Value, str | None, _Value, str | None]]:
        """Numbers of one object, or two that occur once, with their dimensions."""
        groups: dict[str, list[tuple[_Value, str | None]]] = defaultdict(list)
        for number in self.index.numbers:
            if not number.part:
                unit = UNITS.get(number.unit or "")
                base = unit.base(number.value) if unit else number.value
                value = _Value(base, number.fact), unit.dimension if unit else None
                groups[self.index.facts[number.fact].group].append(value)
        for values in (*groups.values(), self._singles):
            for (one, first), (other, second) in combinations(values[:_MOST], 2):
                if one.fact != other.fact:
                    yield one, first, other, second

    def _products(self, dimension: str | None, interval: Interval) -> Iterator[Support]:
        """A number of pieces times what one of them costs or weighs; an amount with its share."""
        for one, first, other, second in self._pairs():
            for (amount, kind), (count, of) in (
                ((one, first), (other, second)),
                ((other, second), (one, first)),
            ):
                if kind not in (dimension, None if dimension in CURRENCIES else dimension):
                    continue
                if of is None and _near(amount.base * count.base, interval):
                    yield self._support((count.fact, amount.fact), "product", "two values")
                elif of == "share" and any(
                    _near(amount.base * factor, interval)
                    for factor in (count.base, 1 + count.base, 1 - count.base)
                ):
                    yield self._support((amount.fact, count.fact), "product", "two values")

    def _rates(self, dimension: str | None, interval: Interval) -> Iterator[Support]:
        """What one number makes per another: euros per square metre, people per household."""
        for one, first, other, second in self._pairs():
            for (top, kind), (under, of) in (
                ((one, first), (other, second)),
                ((other, second), (one, first)),
            ):
                if kind != dimension and not (kind is None and dimension in CURRENCIES):
                    continue
                if of == dimension or not under.base or under.base < 0:
                    continue
                for factor in (1.0, 1e6) if of == "area" else (1.0,):
                    if _near(top.base / under.base * factor, interval):
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

    def _counts(self, seen: Quantity, context: str) -> Iterator[Support]:
        """How many objects a list has, or how many of them have a value, a sign, or are higher."""
        if seen.value != seen.value.to_integral_value() or not 1 < seen.value <= 10_000:
            return
        words = {_stem(word) for word in _WORD.findall(context)}
        count = int(seen.value)
        for name, stems in self._counted.get(count, ()):
            if not stems or words.intersection(stems):
                yield Support((), "count", name)
        if seen.unit == "day" and len({moment[0] // 86400 for moment in self._moments}) == count:
            yield Support((), "count", "number of days")
        yield from self._compared(count, words)

    def _compared(self, count: int, words: set[str]) -> Iterator[Support]:
        """How many objects have one field above another, or above a number of the sentence."""
        for series in self._series:
            if not series.listed or not words.intersection(_stems(series.name)):
                continue
            above = sum(value.base > 0 for value in series.values)
            for number in {above, len(series.values) - above}:
                if number == count:
                    yield Support((), "count", f"number of {series.name}")


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
    for ending in ("ies", "es", "s", "ed", "ing"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)][:6]
    return word[:6]


def _stems(name: str) -> Sequence[str]:
    return [_stem(word) for word in words_of_key(name) if len(word) > 2]
