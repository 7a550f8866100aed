"""The numbers of some data, alone and in sums, as terms of what a text may have reckoned.

`Terms` reads the facts once: the numbers with their dimension and object, the fields and objects
that they belong to, their sums and products, and the moments between which time passes.
`derived.Explainer` combines them.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise, permutations
from typing import NamedTuple

from adequa.text.sentences import word_set
from adequa.text.values.facts import Reading, ValueFact, ValueIndex
from adequa.text.values.numbers import Interval, Quantity
from adequa.text.values.units import CURRENCIES, UNITS, parts_of_key, words_of_key

PIECES = re.compile(
    r"(?:qty|quantity|count|number|pieces|units|nights|days|hours|servings|months|persons|people"
    r"|guests|tickets|items|boxes|packs|bottles|seats|times|weeks|minutes)$|(?:^|[._])n$"
)
"""Fields that say how many of something there are."""
_LASTING = re.compile(r"length|duration|lap|split|pace|track|took|elapsed|run")
_AMOUNT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s[A-Za-z][A-Za-z-]{0,11}")
"""A number of something that is not a unit we know: `14400 vCPU-h`."""
_DAY = 86400.0
_LABEL_KEYS = word_set(
    "rank rk pos position place lane no nr edition till plat platform seat bib id lot season route"
)
_YEAR_KEYS = word_set("year founded established yob vintage")
UNKNOWN = "unknown"
"""The unit and the dimension of numbers of the data without a unit, for a number that has one."""
SCALED = "scaled"
"""The same for a number that has been divided by a thousand or a million."""
MOST = 60
"""The most numbers of one field that are combined in pairs, and the most that may make a number
together with a given one; bounds the time."""


class Term(NamedTuple):
    """A number of the data, or the sum of several, as it is and in the base unit."""

    raw: float
    base: float
    dimension: str | None
    facts: tuple[int, ...]
    field: str
    """The key of its fact, without the places in lists."""
    group: str
    """The object that it belongs to."""
    number: int = 0
    """Which reading of its fact it is."""
    parts: int = 0
    """Of a sum, how many numbers it has."""
    single: bool = False
    """Whether its field occurs once."""
    whole: bool = False
    """Whether it is the sum of a field over all objects."""
    unit: str | None = None
    mark: str = ""
    """Of a sum over some rows, the word that they have in common."""
    said: bool = False
    """Whether it is a number of the text itself."""


def total_of(terms: Sequence[Term], *, whole: bool = False) -> Term:
    """The sum of some terms; as written only where they have one unit."""
    one_unit = len({term.unit for term in terms}) == 1
    base = sum(term.base for term in terms)
    raw = sum(term.raw for term in terms) if one_unit else base
    facts = tuple(fact for term in terms for fact in term.facts)
    return terms[0]._replace(
        raw=raw, base=base, facts=facts, parts=len(terms), whole=whole, single=False,
        group=terms[0].group.rpartition("/")[0],
    )  # fmt: skip


def outer_of(group: str) -> str | None:
    """The object around the list that an object is in: `/rounds/0` of `/rounds/0/scores/2`."""
    parts = group.split("/")
    places = [place for place, part in enumerate(parts) if part.isdigit()]
    return "/".join(parts[: places[-2] + 1]) if len(places) > 1 else None


class Terms:
    """The numbers of some facts and what they make; each is made when it is first needed."""

    def __init__(self, facts: Sequence[ValueFact], names: Sequence[str] = ()) -> None:
        self.index = ValueIndex(facts, names)
        self._subjects = dict(enumerate(names))
        self._sorted: dict[str | None, list[tuple[float, int, Term]]] = {}

    @cached_property
    def _values(self) -> tuple[Term, ...]:
        """The numbers that are the whole value of a fact; a share may be written as 0.2."""
        keys = Counter(fact.key for fact in self.index.facts)
        found: list[Term] = []
        for place, reading in enumerate(self.index.readings):
            if self._is_clock(place):
                continue
            fact = self.index.facts[place]
            quantities = reading.quantities
            if reading == Reading() and (amount := _AMOUNT.fullmatch(fact.value)):
                quantities = (Quantity(Decimal(amount[1]), None),)
            for number, quantity in enumerate(quantities):
                unit = UNITS.get(quantity.unit or "")
                raw = float(quantity.value)
                base = unit.base(raw) if unit else raw
                term = Term(
                    raw, base, unit.dimension if unit else None, (place,), fact.key, fact.group,
                    number, single=keys[fact.key] == 1, unit=quantity.unit,
                )  # fmt: skip
                found.append(term)
                if unit is None and 0 < raw < 1:
                    found.append(term._replace(dimension="share"))
        return tuple(found)

    @cached_property
    def _amounts(self) -> tuple[Term, ...]:
        """The numbers that may be added, compared and divided: no ranks, running numbers, years."""
        return tuple(
            term
            for term in self._values
            if term.field not in self._labels and not self._is_year(term)
        )

    def _is_year(self, term: Term) -> bool:
        """Whether a number is a year: `release_year: 2022`, but not `kwh_per_year: 2022`."""
        words = words_of_key(parts_of_key(term.field)[-1])
        named = bool(_YEAR_KEYS.intersection(words[-1:])) and "per" not in words
        return named and term.unit is None and 1000 <= term.raw < 2200

    @cached_property
    def _labels(self) -> frozenset[str]:
        """The fields whose numbers only tell things apart: named so, or counting the rows."""
        columns: dict[str, list[float]] = defaultdict(list)
        for term in self._values:
            if not term.number and term.dimension is None:
                columns[term.field].append(term.raw)
        return frozenset(
            field
            for field, numbers in columns.items()
            if _LABEL_KEYS.intersection(words_of_key(parts_of_key(field)[-1])[-1:])
            or (len(numbers) > 2 and {b - a for a, b in pairwise(numbers)} == {1.0})
        )

    def _is_clock(self, fact: int) -> bool:
        """Whether a value such as 9:55 is a time of day rather than a duration."""
        if not self.index.readings[fact].clocks:
            return False
        return not _LASTING.search(self.index.facts[fact].key.lower())

    @cached_property
    def _fields(self) -> tuple[tuple[Term, ...], ...]:
        """The numbers of each field that several objects have, with the times their rows last."""
        many: dict[tuple[str, str | None, int], list[Term]] = defaultdict(list)
        for term in (*self._values, *self._spells):
            many[term.field, term.dimension, term.number].append(term)
        return tuple(tuple(terms) for terms in many.values() if len(terms) > 1)

    @cached_property
    def _columns(self) -> tuple[tuple[Term, ...], ...]:
        """The numbers whose fields have the same last key, in whatever list they are."""
        many: dict[tuple[str, str | None, int], list[Term]] = defaultdict(list)
        for term in self._values:
            many[parts_of_key(term.field)[-1], term.unit, term.number].append(term)
        return tuple(tuple(terms) for terms in many.values() if len(terms) > 1)

    @cached_property
    def _spells(self) -> tuple[Term, ...]:
        """How long each object lasts that has two times of day: `from` and `to`."""
        groups: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for moment, place in self._moments:
            groups[self.index.facts[place].group].append((moment, place))
        return tuple(
            Term(
                later - earlier, later - earlier, "time", (one, other),
                f"{self.index.facts[one].key} to {self.index.facts[other].key}", group, 0,
            )
            for group, moments in groups.items()
            if group and len(moments) == 2
            for (earlier, one), (later, other) in [self._in_order(moments)]
        )  # fmt: skip

    def _in_order(self, moments: Sequence[tuple[float, int]]) -> Sequence[tuple[float, int]]:
        """Two times of an object; what begins at 22:30 and ends at 0:10 ends the next day."""
        (earlier, one), (later, other) = moments
        if one > other and self._is_dateless(one) and self._is_dateless(other):
            return (later, other), (earlier + _DAY, one)
        return moments

    def _is_dateless(self, fact: int) -> bool:
        return not self.index.readings[fact].dates

    @cached_property
    def _members(self) -> dict[str, frozenset[int]]:
        """The facts of each field that several objects have."""
        return {
            terms[0].field: frozenset(fact for term in terms for fact in term.facts)
            for terms in self._fields
        }

    @cached_property
    def _totals(self) -> tuple[Term, ...]:
        """Sums of what belongs together, each with how many numbers it has.

        A field of all objects of a list, of those with one word in common, and of those within one
        outer object; the fields of one object; and what the rows of a list make as products.
        """
        found: list[Term] = []
        for terms in self._fields:
            if terms[0].field in self._labels:
                continue
            found.append(total_of(terms, whole=True))
            parts: dict[str, list[Term]] = defaultdict(list)
            marked: set[str] = set()
            for term in terms[: MOST * MOST]:
                marked.update(self._marks.get(term.group, ()))
                parts[f"sign {term.base > 0}"].append(term)
                for word in self._marks.get(term.group, ()):
                    parts[word].append(term)
                if (outer := outer_of(term.group)) is not None:
                    parts[f"in {outer}"].append(term)
                if subject := self._subjects.get(term.facts[0]):
                    parts[f"of {subject}"].append(term)
            found += [
                total_of(part)._replace(mark=word if word in marked else "")
                for word, part in parts.items()
                if 1 < len(part) < len(terms)
            ]
        objects: dict[tuple[str, str | None, int], list[Term]] = defaultdict(list)
        words: dict[tuple[str, str | None], list[Term]] = defaultdict(list)
        for term in self._amounts:
            objects[term.group, term.dimension, term.number].append(term)
            if term.single:
                for word in {term.field.rpartition(".")[2], *words_of_key(term.field)}:
                    words[word, term.dimension].append(term)
        for some in (*objects.values(), *words.values()):
            if 1 < len(some) <= MOST and len({term.unit for term in some}) == 1:
                found.append(total_of(some))
                if len(some) > 3:
                    found += [total_of([one for one in some if one is not out]) for out in some]
        found += self._row_products
        return tuple(found)

    @cached_property
    def _marks(self) -> dict[str, tuple[str, ...]]:
        """The words and truth values of each object of a list, by which rows are chosen."""
        found: dict[str, list[str]] = defaultdict(list)
        for fact, reading in zip(self.index.facts, self.index.readings, strict=True):
            plain = not reading.quantities and not reading.dates and not reading.clocks
            if fact.group and (plain or fact.key in self._flags):
                found[fact.group].append(f"{fact.key} {fact.value}")
        return {group: tuple(words) for group, words in found.items()}

    @cached_property
    def _flags(self) -> frozenset[str]:
        """The fields of several objects whose values are all 0 or 1: `ok`."""
        values: dict[str, list[str]] = defaultdict(list)
        for fact in self.index.facts:
            values[fact.key].append(fact.value)
        return frozenset(key for key, found in values.items() if {*found} == {"0", "1"})

    @cached_property
    def _row_products(self) -> tuple[Term, ...]:
        """A number of pieces times what one costs or weighs, of each row and of all rows."""
        groups: dict[str, list[Term]] = defaultdict(list)
        for term in self._amounts:
            if not term.number and term.dimension != "share":
                groups[term.group].append(term)
        found: dict[tuple[str, str], list[Term]] = defaultdict(list)
        for group, terms in groups.items():
            if group and len(terms) <= MOST // 4:
                for one, other in permutations(terms, 2):
                    if PIECES.search(other.field) and other.dimension in (None, "time"):
                        field = f"{one.field} times {other.field}"
                        facts = (*one.facts, *other.facts)
                        found[one.field, other.field].append(
                            one._replace(
                                raw=one.raw * other.raw,
                                base=one.base * other.raw,
                                facts=facts,
                                field=field,
                            )
                        )
        rows = [term for terms in found.values() for term in terms]
        return (*rows, *(total_of(terms, whole=True) for terms in found.values() if len(terms) > 1))

    def _views(self, dimension: str | None, terms: Iterable[Term]) -> list[tuple[float, Term]]:
        """Terms as numbers to compare with one of a text: in base units, or as they are."""
        if dimension is None:
            return [(term.raw, term) for term in terms if term.dimension != "share"]
        if dimension == UNKNOWN:
            return [(term.raw, term) for term in terms if term.dimension is None]
        if dimension == SCALED:
            free = (None, *CURRENCIES)
            return [(term.raw, term) for term in terms if term.dimension in free]
        money = dimension in CURRENCIES
        return [
            (term.base, term)
            for term in terms
            if term.dimension == dimension or (money and term.dimension is None)
        ]

    def _ordered(self, dimension: str | None) -> list[tuple[float, int, Term]]:
        """All values and totals of a dimension, from the lowest to the highest."""
        if dimension not in self._sorted:
            whole = [term for term in self._totals if term.whole and " times " not in term.field]
            terms = [*self._amounts, *self._spells, *whole]
            found = self._views(dimension, terms)
            self._sorted[dimension] = sorted((n, place, t) for place, (n, t) in enumerate(found))
        return self._sorted[dimension]

    def _partners(self, dimension: str | None, interval: Interval) -> Iterator[Term]:
        """The values and totals between two numbers; the lowest ones of many."""
        ordered = self._ordered(dimension)
        slack = 1e-6 * max(1.0, abs(interval.high), abs(interval.low))
        first = bisect_left(ordered, (interval.low - slack,))
        for number, _, term in ordered[first : first + MOST]:
            if number > interval.high + slack:
                return
            yield term

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
        return tuple(sorted(found)[: 4 * MOST])

    @cached_property
    def _laps(self) -> tuple[tuple[float, int], ...]:
        """Values such as 9:55 as minutes and seconds."""
        found = [
            (float(reading.quantities[0].value), place)
            for place, reading in enumerate(self.index.readings)
            if reading.clocks and reading.quantities
        ]
        return tuple(sorted(found)[: 4 * MOST])

    @cached_property
    def list_sizes(self) -> dict[str, int]:
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
            within = not parts[-1].isdigit() or fact.key == ".".join(names)
            if names and within:  # the fields of an object in a list are not its members
                groups[".".join(names)].add(f"{fact.group}/{fact.key}")
        return {name: len(members) for name, members in groups.items()}

    @cached_property
    def _named_groups(self) -> dict[str, frozenset[str]]:
        """The groups that have a text, by the text in lower case."""
        found: dict[str, set[str]] = defaultdict(set)
        for fact, reading in zip(self.index.facts, self.index.readings, strict=True):
            if not reading.quantities and not reading.dates and 2 < len(fact.value) < 40:
                name = fact.value.lower().replace("_", " ")
                found[name].add(fact.group)
                if len(last := name.split()[-1]) > 3 and fact.group:
                    found[last].add(fact.group)
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
        for name, count in self.list_sizes.items():
            found[count].append((f"number of {name}", tuple(stems_of_key(name))))
        kinds: dict[str, set[str]] = defaultdict(set)
        for (key, value), count in self._kinds.items():
            kinds[key].add(value)
            found[count].append((f"number of {key} {value}", tuple(stems_of_key(f"{key} {value}"))))
        for key, values in kinds.items():
            if len(values) > 1:
                found[len(values)].append((f"number of different {key}", tuple(stems_of_key(key))))
        return found

    @cached_property
    def _hundreds(self) -> frozenset[str]:
        """The objects whose numbers without a unit add up to a hundred: they are percentages."""
        sums: dict[str, float] = defaultdict(float)
        for term in self._values:
            if term.dimension is None and not term.number:
                sums[term.group] += term.raw
        return frozenset(group for group, total in sums.items() if abs(total - 100) < 1)

    def _names_around(self, group: str) -> Iterator[str]:
        """The names of an object and of the objects around it."""
        while group:
            yield from self._names_of_groups.get(group, ())
            group = group.rpartition("/")[0]

    def _group(self, place: int) -> str:
        return self.index.facts[place].group


def is_within(group: str, other: str) -> bool:
    """Whether an object is another one, or inside of it; all are inside of the root."""
    return group == other or bool(other and group.startswith(f"{other}/"))


def is_near(value: float, interval: Interval) -> bool:
    """Whether a number lies in an interval, apart from errors of rounding."""
    slack = 1e-6 * max(1.0, abs(interval.high))
    return interval.low - slack <= value <= interval.high + slack


def scaled(interval: Interval, factor: float) -> Interval:
    """An interval times a factor."""
    return Interval(interval.low * factor, interval.high * factor)


@lru_cache(maxsize=1 << 14)
def short_stem(word: str) -> str:
    """The beginning of a word by which its forms are compared.

    >>> [short_stem(word) for word in ("employs", "employees", "glass", "glasses", "bottle")]
    ['emplo', 'emplo', 'gla', 'gla', 'bottl']
    """
    word, longer = word.lower(), ""
    while word != longer:
        longer = word
        for ending in ("s", "e", "ed", "ing", "i", "y"):  # in this order: bottles, bottle, bottl
            if len(word) > len(ending) + 2 and word.endswith(ending):
                word = word[: -len(ending)]
    return word[:_STEM]


def stems_of_key(name: str) -> Sequence[str]:
    """The stems of the words of a key, without units and words that say little."""
    words = [word for word in words_of_key(name) if len(word) > 2 and word not in _UNIT_WORDS]
    return [short_stem(word) for word in words]


_STEM = 6
_UNIT_WORDS = word_set("eur usd gbp chf kwh mwh min max pct avg the and for per day number value")
