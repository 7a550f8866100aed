"""Summaries: what follows from several facts of a record, for a reader that cannot calculate.

Of the values that a sentence names, which is more or comes first, and by how much; of the objects
that it names, their order by a field; of a column of rows, its ends, total, mean and counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import combinations
from typing import NamedTuple

from adequa.data import Triple
from adequa.text.values import ValueFact, read_value

_NAMED = 4
"""The values of a sentence that are compared with each other."""
_FIELDS = 4
"""The fields of a sentence whose columns are summarised."""
_COLUMN = 3
"""The rows from which on a column is summarised."""
_SORTS = 4
"""The most different values of a column that are counted."""


class Owner(NamedTuple):
    """The name of the object that a fact belongs to."""

    fact: int


class Field(NamedTuple):
    """The field of a fact."""

    fact: int


class Value(NamedTuple):
    """The value of a fact."""

    fact: int


Part = str | Owner | Field | Value


class Summaries:
    """The numbers, times and columns of some facts."""

    def __init__(self, triples: Sequence[Triple], facts: Sequence[int]) -> None:
        self.triples = triples
        self._numbers: dict[int, tuple[float, str | None]] = {}
        self._times: dict[int, tuple[str, float]] = {}
        self._columns: dict[str, list[int]] = defaultdict(list)
        for fact in facts:
            triple = triples[fact]
            self._columns[triple.predicate].append(fact)
            reading = read_value(ValueFact(triple.predicate, triple.object))
            clock = reading.clocks[0].minutes if reading.clocks else None
            if reading.dates and None not in reading.dates[0]:
                days = _days(*reading.dates[0])
                if days is not None:
                    self._times[fact] = ("days", days + (clock or 0) / 1440)
            elif clock is not None:
                self._times[fact] = ("minutes", float(clock))
            elif len(reading.quantities) == 1:
                quantity = reading.quantities[0]
                self._numbers[fact] = (float(quantity.value), quantity.unit)

    def lines(
        self, named: Sequence[int], owners: Collection[str], near: Sequence[int]
    ) -> Iterator[tuple[Part, ...]]:
        """The summaries for a sentence, those that are worth most first.

        `named` are facts whose values it names, in its order, `owners` the objects that it names,
        and `near` the facts most like it, the best first.
        """
        yield from self._numbers_compared([one for one in named if one in self._numbers])
        yield from self._times_compared([one for one in named if one in self._times])
        fields = [*dict.fromkeys(self.triples[fact].predicate for fact in near)][:_FIELDS]
        columns = [own for own in map(self._column, fields) if len(own) > 1]
        for column in columns:
            yield from self._ordered([one for one in column if self._owner(one) in owners])
        for column in columns:
            if len(column) >= _COLUMN:
                yield from self._summed(column)

    def _owner(self, fact: int) -> str:
        return self.triples[fact].subject

    def _column(self, field: str) -> list[int]:
        """One fact of each object that has a field."""
        rows = {self._owner(fact): fact for fact in reversed(self._columns[field])}
        return [*reversed(rows.values())]

    def _numbers_compared(self, named: Sequence[int]) -> Iterator[tuple[Part, ...]]:
        for one, other in combinations(named[:_NAMED], 2):
            (first, unit), (second, known) = self._numbers[one], self._numbers[other]
            if first == second or (unit and known and unit != known):
                continue
            more, less = (one, other) if first > second else (other, one)
            high, low = max(first, second), min(first, second)
            line: list[Part] = [Value(more), ">", Value(less), "by", _say(high - low)]
            if low > 0:
                line += [",", _say(round(100 * low / high)), "%"]
            yield tuple(line)

    def _times_compared(self, named: Sequence[int]) -> Iterator[tuple[Part, ...]]:
        for one, other in combinations(named[:_NAMED], 2):
            (kind, first), (same, second) = self._times[one], self._times[other]
            if kind == same and first != second:
                before, after = (one, other) if first < second else (other, one)
                gap = _say(round(abs(first - second)))
                yield (Value(before), "before", Value(after), "by", gap, kind)

    def _ordered(self, facts: Sequence[int]) -> Iterator[tuple[Part, ...]]:
        """Objects that a sentence names, by a field."""
        known = [one for one in facts if one in self._numbers]
        if len(known) > 1:
            known.sort(key=lambda one: -self._numbers[one][0])
            line: list[Part] = [Field(known[0]), ":"]
            for place, one in enumerate(known[:_COLUMN]):
                line += [*([] if place == 0 else [">"]), Owner(one), Value(one)]
            yield tuple(line)

    def _summed(self, column: Sequence[int]) -> Iterator[tuple[Part, ...]]:
        """A column: its ends, total and mean, or how often it has each value."""
        numbers = {one: self._numbers[one][0] for one in column if one in self._numbers}
        times = {one: self._times[one][1] for one in column if one in self._times}
        if len(numbers) >= _COLUMN:
            most, least = (pick(numbers, key=numbers.__getitem__) for pick in (max, min))
            total = sum(numbers.values())
            yield (
                *(Field(most), ":", "most", Owner(most), Value(most)),
                *(",", "least", Owner(least), Value(least)),
                *(",", "sum", _say(total), ",", "mean", _say(total / len(numbers))),
                *(",", "of", str(len(numbers))),
            )
        elif len(times) >= _COLUMN:
            last, first = (pick(times, key=times.__getitem__) for pick in (max, min))
            yield (
                *(Field(first), ":", "first", Owner(first), Value(first)),
                *(",", "last", Owner(last), Value(last), ",", "of", str(len(times))),
            )
        else:
            said = Counter(self.triples[one].object for one in column)
            if len(said) <= _SORTS:
                shown = {self.triples[one].object: one for one in column}
                line: list[Part] = [Field(column[0]), ":"]
                for value, count in said.most_common():
                    line += [str(count), Value(shown[value]), ","]
                yield tuple(line[:-1])


def _days(year: int | None, month: int | None, day: int | None) -> int | None:
    try:
        return date(year or 0, month or 0, day or 0).toordinal()
    except ValueError:
        return None


def _say(number: float) -> str:
    """A number as a text would write it.

    >>> _say(1250.0), _say(3.456)
    ('1,250', '3.46')
    """
    return f"{number:,.2f}".rstrip("0").rstrip(".")
