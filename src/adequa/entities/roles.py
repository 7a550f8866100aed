"""Whose value, which field, which side: what the words around a value or a name say it is.

A value that a text gives must be that of the field and the object that the words around it name. A
name must have the role that it is given ("designed by", "from … to"). A comparison or a superlative
must hold between the values of the data. Each check speaks only where the data has exactly what
the text speaks of, and has something else there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise

from adequa.data import Mention, Triple
from adequa.entities.owners import OwnerFault, part_at
from adequa.text import fold, split_sentences, starting_in, word_set
from adequa.text.values import (
    UNITS,
    Explainer,
    Quantity,
    ValueFact,
    ValueSpan,
    dimension_of_key,
    find_siblings,
    quote_value,
)
from adequa.text.values.facts import Reading
from adequa.text.values.units import CURRENCIES, parts_of_key, unit_of_key, words_of_key

_GENERAL = word_set(
    "name value total number count amount type code status date time id key data info result level "
    "unit units list item items entry main all per the and for min max avg first last day days "
    "year years month months week hour hours minute minutes second seconds percent pct share rate "
    "eur usd gbp chf kwh mwh price cost net gross size sum start end from to of in on at by "
    "set lap round stage step leg period rank pos position place lane seat no nr installed"
)
"""Words of keys that do not say by themselves which field is meant."""
_WORD = re.compile(r"[^\W\d_]+(?:['’]s)?")
_CUT = re.compile(
    r"[;:()—]\s|,\s|\s(?:and|but|while|whereas|although|though|before|then|which|where|when|who)\s"
)
_NEAR = 42
"""Characters before a value in which the words may stand that say what it is."""
_NEAR_DATE = 14
"""The same for a date or a time, which may belong to anything that is said before it."""
_AFTER = 26
_BESIDES = re.compile(
    r"\b(?:including|excluding|includes|excludes|plus|without|before|after|with)\b"
)
"""Words after which something else is named than what a value is of: "€564 including VAT"."""
_SERIES = 8
"""Facts of one field from which on it is a series rather than a field."""
_TOGETHER = re.compile(r"\b(?:together|combined|in all|in total|altogether|sum|both)\b")


@lru_cache(maxsize=1 << 14)
def stem_of(word: str) -> str:
    """The beginning of a word by which its forms are compared, and what is made of it.

    >>> [stem_of(word) for word in ("designers", "employees", "cyclists", "located", "cars")]
    ['design', 'employ', 'cycl', 'locat', 'car']
    """
    word = fold(word)
    if len(word) > _BRITISH:
        word = word.replace("our", "or")  # colours
    if word.endswith("s") and len(word) == _SHORT_PLURAL and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for endings in (_FORMS, _MADE_OF):
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
                word = word[: -len(ending)]
                break
    return word[:7]


_FORMS = ("ies", "ing", "ed", "es", "s", "e", "y")
_MADE_OF = ("ation", "ion", "ment", "ist", "er", "or", "ee", "e")
"""Endings of forms of a word, and of nouns that are made of a verb."""
_LEAST_STEM, _SHORT_PLURAL, _BRITISH = 4, 4, 5


def _is_short_for(stem: str, word: str) -> bool:
    """Whether a stem of a key is that of a word, or an abbreviation of it: `subs`, `temp`."""
    return stem == word or (3 <= len(stem) < len(word) and word.startswith(stem))


def _named_words(key: str) -> list[str]:
    """The words of a key that name its field: a `rate_per_night` is a rate, not nights."""
    words = words_of_key(parts_of_key(key)[-1])
    return words[: words.index("per")] if "per" in words[1:] else words


def _kind(fact: ValueFact, reading: Reading) -> str | None:
    """What a value measures, as far as its unit or its key says."""
    if reading.quantities:
        unit = UNITS.get(reading.quantities[0].unit or "")
        if unit is not None:
            return "money" if unit.name in CURRENCIES else unit.dimension
    return dimension_of_key(fact.key)


def _is_date(reading: Reading) -> bool:
    """Whether a value can only be a date: 1450 may be a number."""
    return bool(reading.dates) and not reading.quantities


def _is_whole(value: Decimal) -> bool:
    return value == value.to_integral_value()


class Roles:
    """The facts of a record by field, object and name."""

    def __init__(
        self,
        triples: Sequence[Triple],
        facts: Sequence[ValueFact],
        paths: Sequence[str],
        explainer: Explainer,
    ) -> None:
        self.triples, self.facts, self.paths = triples, facts, paths
        self.explainer = explainer

    @cached_property
    def stems(self) -> list[frozenset[str]]:
        """Of each fact the stems of the words of its field."""
        return [
            frozenset(
                stem_of(word)
                for word in _named_words(fact.key)
                if word not in _GENERAL and len(word) > 2
            )
            for fact in self.facts
        ]

    @cached_property
    def field_words(self) -> list[frozenset[str]]:
        """Of each fact the words of its field."""
        return [frozenset(words_of_key(parts_of_key(fact.key)[-1])) for fact in self.facts]

    def fields_with(self, words: frozenset[str]) -> list[int]:
        """The facts whose field has one of some words."""
        return [place for place, own in enumerate(self.field_words) if own & words]

    @cached_property
    def _key_words(self) -> frozenset[str]:
        return frozenset(word for fact in self.facts for word in words_of_key(fact.key))

    def is_key_word(self, word: str) -> bool:
        """Whether a key has a word."""
        return word in self._key_words

    @cached_property
    def kinds(self) -> list[tuple[str, str]]:
        """The keys and values of all facts."""
        return [(fact.key, fact.value) for fact in self.facts]

    @cached_property
    def counts(self) -> Counter[str]:
        """How many facts each field has."""
        return Counter(fact.key for fact in self.facts)

    @cached_property
    def objects(self) -> dict[str, frozenset[int]]:
        """The objects that have siblings with the same fields, by pointer."""
        groups: dict[str, set[int]] = defaultdict(set)
        for place, path in enumerate(self.paths):
            parts = path.split("/")
            for at in range(2, len(parts)):
                groups["/".join(parts[:at])].add(place)
        fields: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for pointer, members in groups.items():
            parent, _, _ = pointer.rpartition("/")
            for place in members:
                fields[parent][self.paths[place][len(pointer) :]].add(pointer)
        found: dict[str, frozenset[int]] = {}
        for shared in fields.values():
            for siblings in shared.values():
                if len(siblings) > 1:
                    found.update((one, frozenset(groups[one])) for one in siblings)
        return found

    @cached_property
    def names(self) -> dict[str, frozenset[str]]:
        """The objects with siblings that a name stands for: their subject or a value of theirs."""
        found: dict[str, set[str]] = defaultdict(set)
        for pointer, members in self.objects.items():
            for place in members:
                triple = self.triples[place]
                found[triple.subject].add(pointer)
                named = not self.explainer.index.readings[place].quantities
                if named and triple.object.lower() not in _TRUTHS:
                    found[triple.object].add(pointer)
        return {name: frozenset(pointers) for name, pointers in found.items()}

    @cached_property
    def keys_of_name(self) -> dict[str, frozenset[int]]:
        """The facts that have a name as their value."""
        found: dict[str, set[int]] = defaultdict(set)
        for place, triple in enumerate(self.triples):
            if any(map(str.isalpha, triple.object)):
                found[triple.object].add(place)
        return {name: frozenset(places) for name, places in found.items()}


class RoleCheck:
    """Checks the values and names of one text."""

    def __init__(
        self, roles: Roles, text: str, values: Sequence[ValueSpan], mentions: Sequence[Mention]
    ) -> None:
        self.roles, self.text = roles, text
        self.lower = text.lower() if len(text.lower()) == len(text) else text
        self.values = values
        known = {(one.start, one.end, one.entity) for one in mentions}
        self.mentions = [Mention(entity, start, end, "") for start, end, entity in sorted(known)]
        self.sentences = split_sentences(text)

    def faults(self) -> list[OwnerFault]:
        """Every fault, in order."""
        found: list[OwnerFault] = []
        for sentence in self.sentences:
            found += self._values(sentence)
            found += self._directions(sentence)
            found += self._named_roles(sentence)
            found += self._denied_fields(sentence)
            found += self._named_objects(sentence)
        found += [
            self._fault(one.start, one.end, "category", one.fact, ())
            for one in find_siblings(self.roles.kinds, self.text)
        ]
        return sorted(found)

    def _part(self, place: int, sentence: tuple[int, int]) -> tuple[int, int]:
        return part_at(self.lower, place, sentence, _CUT)

    # Values -------------------------------------------------------------------------------------

    def _values(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        for span in starting_in(self.values, *sentence):
            if span.kind in ("ordinal", "ratio"):
                continue
            if (fault := self._wrong_unit(span, sentence)) is not None:
                yield fault
                continue
            if span.words and not any(one.unit for one in span.quantities):
                continue
            if _INSTEAD_OF.search(self.lower, max(sentence[0], span.begin - 24), span.begin):
                continue
            supports = self.roles.explainer.index.explain(span, self.text)
            facts = {fact for one in supports for fact in one.facts}
            if facts and self.roles.explainer.is_gap(span, self.text):
                continue
            facts |= self._facts_of_same_unit(span, sentence) if facts else set()
            if not facts and (fault := self._wrong_amount(span, sentence)) is not None:
                yield fault
            if not facts or any(one.how in ("score", "part") for one in supports):
                continue
            if (fault := self._wrong_sign(span, facts, sentence)) is not None:
                yield fault
                continue
            small = all(not one.unit and _is_whole(one.value) for one in span.quantities)
            if span.words and any(one.value == 1 for one in span.quantities):
                continue  # "on one day only"
            if small and span.hedge != "none":
                continue
            if span.kind == "time" and _BETWEEN.search(self.lower, sentence[0], span.start):
                continue  # a time that says when, not what
            readings = self.roles.explainer.index.readings
            if span.kind == "number" and any(readings[fact].clocks for fact in facts):
                continue  # "6 hours and 51 minutes" is not 06:51
            exact = all(one.how == "same" for one in supports) and not small
            fault = self._wrong_field(span, facts, sentence, exact=exact)
            if fault is None and all(self._is_exact(span, fact) for fact in facts):
                fault = self._wrong_object(span, facts, sentence, exact=exact)
            if fault is not None:
                yield fault

    def _facts_of_same_unit(self, span: ValueSpan, sentence: tuple[int, int]) -> set[int]:
        """The facts of a bare number in the unit of one before it: "from 85 per cent to 95"."""
        if span.kind != "number" or any(one.unit for one in span.quantities):
            return set()
        units = [
            one.quantities[0].unit
            for one in starting_in(self.values, sentence[0], span.start)
            if one.quantities and one.quantities[0].unit
        ]
        if not units:
            return set()
        measured = tuple(Quantity(one.value, units[-1]) for one in span.quantities)
        supports = self.roles.explainer.index.explain(span._replace(quantities=measured), self.text)
        return {fact for one in supports for fact in one.facts}

    def _is_exact(self, span: ValueSpan, fact: int) -> bool:
        """Whether a value is that of a fact, or has another sign: what is paid may be negative."""
        known = self.roles.explainer.index.readings[fact].quantities
        if not known or not span.quantities:
            return True
        pairs = [(one, other) for one in span.quantities for other in known]
        return any(abs(one.value) == abs(other.value) for one, other in pairs)

    def _wrong_unit(self, span: ValueSpan, sentence: tuple[int, int]) -> OwnerFault | None:
        """The number of a fact with another unit than it has: six years for `months: 6`.

        One that several facts may make must stand beside words of the field.
        """
        unit = UNITS.get(span.quantities[0].unit or "") if len(span.quantities) == 1 else None
        index = self.roles.explainer.index
        if span.kind != "number" or unit is None or index.explain(span, self.text):
            return None
        seen = float(span.quantities[0].value)
        for number in index.numbers:
            own = UNITS.get(number.unit or "")
            if own is None or number.value != seen or own is unit:
                continue
            alike = own.dimension == unit.dimension and own.factor != unit.factor
            if not alike and not {own.dimension, unit.dimension} <= CURRENCIES.keys():
                continue
            if unit_of_key(self.roles.facts[number.fact].key) not in (number.unit, None):
                continue  # key and value do not agree about the unit
            near = self._near_stems(span, sentence).keys() & self.roles.stems[number.fact]
            if near or not self.roles.explainer.explain(span, self.text):
                return self._fault(span.start, span.end, "unit", number.fact, ())
        return None

    def _wrong_sign(
        self, span: ValueSpan, facts: set[int], sentence: tuple[int, int]
    ) -> OwnerFault | None:
        """A change of the data that the text has in the other direction: "down by 3.5 per cent"."""
        part = self._part(span.start, sentence)
        match = _UP_OR_DOWN.search(self.lower, max(part[0], span.begin - 18), span.begin)
        match = match or _MORE_OR_LESS.match(self.lower, span.end)
        if match is None or len(facts) != 1:
            return None
        (place,) = facts
        words = {*words_of_key(self.roles.facts[place].key)}
        quantities = self.roles.explainer.index.readings[place].quantities
        if not words & _CHANGES or words & _FALLS or not quantities or not quantities[0].value:
            return None
        if (quantities[0].value > 0) == (match["up"] is not None):
            return None
        return self._fault(match.start(), span.end, "change", place, ())

    def _wrong_amount(self, span: ValueSpan, sentence: tuple[int, int]) -> OwnerFault | None:
        """A number in figures right beside the name of a field that has other numbers only."""
        if span.kind != "number" or span.hedge != "none" or span.range or span.dates:
            return None
        part = self._part(span.start, sentence)
        if _MADE_UP.search(self.lower, *part):
            return None
        before = _FIELD_OF.search(self.lower, part[0], span.begin)
        after = _WORD.match(self.lower, span.end + 1)
        for stem in {
            stem_of(one) for one in (before and before["field"], after and after[0]) if one
        }:
            places = [place for place, stems in enumerate(self.roles.stems) if stems == {stem}]
            kinds = {place for place, _ in self.roles.explainer.index.comparable(span)}
            places = [place for place in places if place in kinds]
            same = {quantity.unit for quantity in span.quantities}
            readings = self.roles.explainer.index.readings
            if not places or len({self.roles.facts[one].key for one in places}) != 1:
                continue
            if len(places) > _SERIES or not all(
                {quantity.unit for quantity in readings[place].quantities} & same
                for place in places
            ):
                continue
            numbers = [readings[place].quantities[0].value for place in places]
            if span.quantities[0].value in (sum(numbers), len(numbers)):
                continue
            made = self.roles.explainer.explain(span, self.text)
            if any(one.how not in ("difference", "share") for one in made):
                continue
            if not any(self._is_said(place, span, sentence) for place in places):
                return self._fault(span.start, span.end, "owner", places[0], ())
        return None

    def _whole(self, place: int) -> Decimal | None:
        """The number of a fact, if it is a whole number."""
        quantities = self.roles.explainer.index.readings[place].quantities
        value = quantities[0].value if quantities else None
        return value if value is not None and _is_whole(value) else None

    def _near_stems(self, span: ValueSpan, sentence: tuple[int, int]) -> dict[str, int]:
        """The stems of the words around a value, each with how far it is from it."""
        part = self._part(span.start, sentence)
        found: dict[str, int] = {}
        start = max(part[0], span.start - _NEAR)
        for match in _WORD.finditer(self.lower, start, span.start):
            found[stem_of(match[0].removesuffix("'s").removesuffix("’s"))] = (
                span.start - match.end()
            )
        end = min(part[1], span.end + _AFTER)
        beside = _BESIDES.search(self.lower, span.end, end)
        for match in _WORD.finditer(self.lower, span.end, beside.start() if beside else end):
            found.setdefault(stem_of(match[0]), match.start() - span.end)
        return found

    def _wrong_field(
        self, span: ValueSpan, facts: set[int], sentence: tuple[int, int], *, exact: bool
    ) -> OwnerFault | None:
        """A value of one field beside the words of another field with a value of its kind."""
        roles = self.roles
        if any(not roles.stems[fact] and _IS_COUNT.search(roles.facts[fact].key) for fact in facts):
            return None  # `n` of a row may be of anything
        near = self._near_stems(span, sentence)
        for fact in facts:  # a word that names the value's own object names no other field
            group = roles.paths[fact].rpartition("/")[0]
            for one in roles.objects.get(group, ()):
                if not roles.explainer.index.readings[one].quantities:
                    for word in _WORD.findall(roles.facts[one].value):
                        near.pop(stem_of(word), None)
        least = max(
            sum(any(_is_short_for(stem, word) for word in near) for stem in self._all_stems(fact))
            for fact in facts
        )
        reach = _NEAR if span.kind not in ("date", "time") else _NEAR_DATE
        said = [
            place
            for place, _ in roles.explainer.index.comparable(span)
            if place not in facts and roles.stems[place] and roles.stems[place] <= near.keys()
            if len(roles.stems[place]) > least
            if max(near[stem] for stem in roles.stems[place]) <= reach
            if all(self._alike(place, fact) for fact in facts)
        ]
        if not said:
            return None
        best = max(len(roles.stems[place]) for place in said)
        said = [place for place in said if len(roles.stems[place]) == best]
        fields = {roles.facts[place].key for place in said}
        if len(said) > 1:
            beside = {roles.paths[fact].rpartition("/")[0] for fact in facts}
            said = [place for place in said if roles.paths[place].rpartition("/")[0] in beside]
        if len(fields) > 1 or len(said) != 1:
            return None
        place = said[0]
        if {roles.facts[fact].key for fact in facts} & fields:
            return None
        if self._is_of_year(span, facts) or self._is_of_unnamed(place, facts, sentence):
            return None
        if not all(self._one_unit(place, fact) for fact in facts):
            return None
        if self._is_said(place, span, sentence):
            return None
        if not exact and roles.explainer.derives(span, self.text, place):
            return None
        return self._fault(span.start, span.end, "owner", place, facts)

    def _is_of_year(self, span: ValueSpan, facts: set[int]) -> bool:
        """Whether a number is a year of the data: "the viola of 1921" is not lot 1921."""
        keys = (self.roles.facts[fact].key for fact in facts)
        return bool(span.dates) and any(_YEAR_KEYS.intersection(words_of_key(key)) for key in keys)

    def _is_of_unnamed(self, place: int, facts: set[int], sentence: tuple[int, int]) -> bool:
        """Whether a field is that of another thing than a value, and the sentence lacks its name.

        The inhabitants of the largest town are not what "the county has 212,400 inhabitants" means.
        """
        triples = self.roles.triples
        subject = triples[place].subject
        if subject in {triples[fact].subject for fact in facts}:
            return False
        return subject.lower() not in self.lower[slice(*sentence)] and all(
            triples[fact].subject.lower() != subject.lower() and not self.roles.facts[fact].group
            for fact in facts
        )

    def _one_unit(self, one: int, other: int) -> bool:
        readings = self.roles.explainer.index.readings
        units = [
            {quantity.unit for quantity in readings[place].quantities} for place in (one, other)
        ]
        return units[0] == units[1]

    def _alike(self, one: int, other: int) -> bool:
        """Whether two facts have values of one kind and unit, and both or neither are listed."""
        roles = self.roles
        first, second = (roles.explainer.index.readings[place] for place in (one, other))
        if _is_date(first) != _is_date(second) or bool(first.clocks) != bool(second.clocks):
            return False
        many = [roles.counts[roles.facts[place].key] >= _SERIES for place in (one, other)]
        if many[0] != many[1]:
            return False
        kinds = [_kind(roles.facts[place], read) for place, read in ((one, first), (other, second))]
        return kinds[0] == kinds[1] and (
            not first.quantities
            or not second.quantities
            or _is_whole(first.quantities[0].value) >= _is_whole(second.quantities[0].value)
            or kinds[0] is not None
        )

    def _is_said(self, place: int, span: ValueSpan, sentence: tuple[int, int]) -> bool:
        """Whether another value of the sentence is that of a fact."""
        index = self.roles.explainer.index
        return any(
            place in one.facts
            for other in starting_in(self.values, *sentence)
            if other.start != span.start
            for one in index.explain(other, self.text)
        )

    def _wrong_object(
        self, span: ValueSpan, facts: set[int], sentence: tuple[int, int], *, exact: bool
    ) -> OwnerFault | None:
        """A value that only siblings of the object have that is spoken of."""
        roles = self.roles
        owners = [
            {pointer for pointer, members in roles.objects.items() if fact in members}
            for fact in facts
        ]
        if not all(owners):
            return None
        part = self._part(span.start, sentence)
        inside = self._owners_in(part, span)
        inside = inside or self._owners_in((sentence[0], span.start), span)
        if not inside:
            return None
        last = max((one.end for one in inside if one.end <= span.start), default=span.start)
        if _OF_ANOTHER.search(self.lower, last, span.start):
            return None
        spoken = [roles.names[one.entity] for one in inside]
        common = frozenset.intersection(*spoken)
        if len(common) != 1:
            return None
        (own,) = common
        list_of = own.rpartition("/")[0]
        for pointers in owners:
            beside = {one for one in pointers if one.rpartition("/")[0] == list_of}
            if not beside or own in beside:
                return None
        fields = {roles.facts[fact].key for fact in facts}
        own_facts = [place for place in roles.objects[own] if roles.facts[place].key in fields]
        if len(own_facts) != 1 or _TOGETHER.search(self.lower, *part):
            return None
        if self._is_said(own_facts[0], span, sentence):
            return None
        if not exact and roles.explainer.derives(span, self.text, own_facts[0]):
            return None
        return self._fault(span.start, span.end, "owner", own_facts[0], facts)

    def _owners_in(self, part: tuple[int, int], span: ValueSpan) -> list[Mention]:
        """The objects named in a part, without those that a value is only compared with."""
        return [
            one
            for one in starting_in(self._named, *part)
            if not _THAN_IT.search(self.lower, max(part[0], one.start - 24), one.start)
            and not (
                one.start > span.end and _THAN.search(self.lower, span.end, one.start) is not None
            )
        ]

    @cached_property
    def _named(self) -> list[Mention]:
        """The mentions of objects by their names."""
        return [
            one
            for one in self.mentions
            if one.entity in self.roles.names and _LETTERS.search(self.text, one.start, one.end)
        ]

    def _fault(
        self, start: int, end: int, kind: str, place: int, owners: Iterable[int]
    ) -> OwnerFault:
        triple = self.roles.triples[place]
        seen = self.text[start:end]
        note = f"the data has {triple.predicate} {quote_value(triple.object, seen)}"
        others = [self.roles.triples[one] for one in sorted(owners)]
        if others:
            other = others[0]
            same = other.predicate == triple.predicate
            whose = other.subject if same else f"{other.predicate}"
            note += f"; {quote_value(other.object, seen)} is that of {whose}"
        return OwnerFault(start, end, kind, note, place)

    # Names --------------------------------------------------------------------------------------

    def _directions(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """Names after "from" or "to" that the data has on the other side."""
        roles = self.roles
        for one in starting_in(self.mentions, *sentence):
            places = roles.keys_of_name.get(one.entity)
            if not places or any(self._is_value(place) for place in places):
                continue
            before = self.lower[max(sentence[0], one.start - 24) : one.start]
            if (match := _SIDE.search(before)) is None:
                continue
            side = "from" if match["from"] else "to"
            sides = {_side(roles.facts[place].key) for place in places}
            if sides != {"to" if side == "from" else "from"}:
                continue
            words = {stem_of(word) for word in _WORD.findall(self.lower[slice(*sentence)])}
            pair = _FROM_TO.search(self.lower, *sentence)
            around = {
                stem_of(word)
                for place in places
                for part in parts_of_key(roles.facts[place].key)[-2:]
                for word in words_of_key(part)
            }
            moved = _TRANSFER.search(before)
            if pair is None and moved is None and not around & words:
                continue  # "calls to the technical queue" may be of anything
            other = [
                place
                for place, fact in enumerate(roles.facts)
                if _side(fact.key) == side
                and any(map(str.isalpha, fact.value))
                and _beside(roles.paths[place], [roles.paths[own] for own in places])
            ]
            if other:
                start = one.start - (len(before) - match.start())
                yield self._fault(start, one.end, "role", other[0], places)

    def _named_roles(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """Names that are given the role of another name: "designed by" the manufacturer."""
        roles = self.roles
        for one in starting_in(self.mentions, *sentence):
            places = roles.keys_of_name.get(one.entity)
            if not places or len(one.entity) < 3 or any(self._is_value(one) for one in places):
                continue
            before = self.lower[max(sentence[0], one.start - 40) : one.start]
            after = self.lower[one.end : one.end + 24]
            match = _BY.search(before) or _AS.match(after)
            if match is None:
                continue
            stem = stem_of(match["role"])
            if any(stem in self._all_stems(place) for place in places):
                continue
            other = [
                place
                for place, stems in enumerate(roles.stems)
                if stem in stems and roles.triples[place].object in roles.keys_of_name
                if not self._is_value(place)
            ]
            if len(other) == 1 and other[0] not in places:
                start = one.start - len(before) + match.start() if match.re is _BY else one.start
                end = one.end if match.re is _BY else one.end + match.end()
                yield self._fault(max(start, sentence[0]), end, "role", other[0], places)

    def _named_objects(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A name beside the name of an object, where only siblings of the object have it."""
        roles = self.roles
        inside = starting_in(self.mentions, *sentence)
        named = [one for one in inside if one.entity in roles.names]
        said = {one.entity for one in named}
        for one, other in pairwise(named):
            between = self.lower[one.end : other.start]
            if len(between) > _BESIDE or not _JOINS.fullmatch(between):
                continue
            first, second = roles.names[one.entity], roles.names[other.entity]
            for own, name in ((first, other), (second, one)):
                theirs = roles.names[name.entity]
                if len(own) != 1 or own & theirs:
                    continue
                (pointer,) = own
                beside = pointer.rpartition("/")[0]
                fields = {
                    roles.paths[place][len(sibling) :]
                    for sibling in theirs
                    if sibling.rpartition("/")[0] == beside
                    for place in roles.objects[sibling]
                    if roles.triples[place].object == name.entity
                }
                right = [
                    place
                    for place in roles.objects[pointer]
                    if roles.paths[place][len(pointer) :] in fields
                    and roles.triples[place].object not in said
                ]
                if len(fields) == 1 and len(right) == 1:
                    wrong = roles.keys_of_name.get(name.entity, frozenset())
                    yield self._fault(one.start, other.end, "owner", right[0], sorted(wrong)[:1])
                    break

    def _denied_fields(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """Fields that the text says are lacking or not given, though the data has them."""
        for match in (
            *_LACKS.finditer(self.lower, *sentence),
            *_NOT_GIVEN.finditer(self.lower, *sentence),
        ):
            stems = {stem_of(word) for word in _WORD.findall(match["thing"])}
            said = [
                place
                for place, own in enumerate(self.roles.stems)
                if own and own <= stems and not _NEGATIVE.match(self.roles.facts[place].value)
            ]
            if (
                said
                and not match["thing"].endswith("ing")
                and not any(
                    own & stems and _NEGATIVE.match(self.roles.facts[place].value)
                    for place, own in enumerate(self.roles.stems)
                )
            ):
                yield self._fault(match.start(), match.end(), "field", said[0], ())

    def _is_value(self, place: int) -> bool:
        """Whether a fact has a number, a date, a time or a yes rather than a name."""
        value = self.roles.facts[place].value
        if self.roles.explainer.index.readings[place] != Reading():
            return True
        return not any(map(str.isalpha, value)) or value.lower() in _TRUTHS

    def _all_stems(self, place: int) -> frozenset[str]:
        return frozenset(stem_of(word) for word in words_of_key(self.roles.facts[place].key))


_THAN = re.compile(r"\bthan\b")
_INSTEAD_OF = re.compile(r"\b(?:instead of|rather than|compared (?:with|to)) (?:\w+ )?\Z")
"""What stands before a value that is not the one spoken of."""
_THAN_IT = re.compile(r"\bthan (?:(?:the|in|at|on|for|with|that|of|by|its) ){0,3}\Z")
_OF_ANOTHER = re.compile(
    r"\b(?:than|twice|double|triple|half(?! of)|times|compared with|against|versus|usual|normal"
    r"|standard|ordinary|regular)\b[^,;]*\Z"
)
"""Words between an object and a value that is not its own: "more than double the usual fee of"."""
_YEAR_KEYS = word_set("year built founded opened established since born yob vintage made")
_IS_COUNT = re.compile(r"(?:^|[._])(?:n|no|count|number|value|total|amount)$")
_UP_OR_DOWN = re.compile(
    r"\b(?:(?P<up>up|rose|risen|rises?|increased?|increases|grew|gained|higher|climbed)"
    r"|(?P<down>down|fell|fallen|falls|decreased?|decreases|dropped|lost|lower|declined|cut"
    r"|sank))(?: by| of| to)? \Z"
)
_MORE_OR_LESS = re.compile(
    r" (?:(?P<up>more|higher|above|increase|rise|gain|up)|(?P<down>less|lower|fewer|below|decrease"
    r"|drop|decline|loss|down))\b"
)
_CHANGES = word_set("change changes delta diff difference growth trend yoy mom qoq variation")
_FALLS = word_set("loss decrease drop decline reduction fall savings")
_MADE_UP = re.compile(
    r"\b(?:than|more|less|fewer|left|remain\w*|total|altogether|together|average|mean|per|other"
    r"|another|further|additional|extra|between|difference|first|last|next|least|most|half|by|each"
    r"|over|under|above|below|times|up|down|of (?:the|these|those|them|its))\b"
)
"""Words of a clause whose number may be made of several values."""
_FIELD_OF = re.compile(r"\b(?P<field>[a-z]{3,}) (?:of|is|was|are|were|:) \Z")
_LETTERS = re.compile(r"[^\W\d_]{2}")
"""What a name has and a time that tells rows apart has not."""
_BETWEEN = re.compile(r"\b(?:between|from|until|after|before|by)\b[^.;]{0,24}\Z")
_SIDE = re.compile(
    r"\b(?:(?P<from>from|sent by|bought from|supplied by|given by|donated by)|(?P<to>to|sold to"
    r"|given to))\s(?:the\s)?\Z"
)
_FROM_TO = re.compile(r"\bfrom\b[^.;]{1,60}\bto\b|\bto\b[^.;]{1,60}\bfrom\b")
_TRANSFER = re.compile(
    r"\b(?:g[ai]ve\w*|borrow\w*|len[dt]\w*|loan\w*|s[eo]ll?\w*|sold|bought|buys?|sen[dt]\w*|ship\w*"
    r"|donat\w*|transfer\w*|deliver\w*|move[ds]?|paid|pays|awarded"
    r"|fl[ei]w|flies|travel\w*|went|goes|sail\w*|r[au]ns?|dr[io]ve\w*|bound)\b"
)
_BY = re.compile(r"\b(?P<role>[a-z]{4,}(?:ed|en|t|n|d)?)\s(?:by|is|was|:)\s(?:the\s)?\Z")
_AS = re.compile(r"\s(?:as|is the|was the|serves as|works as)\s(?:its\s|the\s)?(?P<role>[a-z]{4,})")
_LACKS = re.compile(
    r"\b(?:lack(?:s|ing)|(?:does|did|do) not (?:have|include|support|feature|offer)|without)\s"
    r"(?:an?\s|any\s|the\s|both\s|either\s|dedicated\s|built-in\s|support for\s)*"
    r"(?P<thing>[^\W_]+(?:[ -][^\W_]+){0,2})"
)
_NOT_GIVEN = re.compile(
    r"\b(?P<thing>[^\W_]+(?:[ -][^\W_]+){0,2})\s(?:is|are|was|were) (?:not|un)\s?"
    r"(?:specified|mentioned|provided|listed|given|known|disclosed|stated)\b"
)
_NEGATIVE = re.compile(
    r"(?:no|none|not|false|n|0(?:\.0+)?|null|nil|never|unavailable|-)\b|\W*\Z", re.IGNORECASE
)
_TRUTHS = word_set("yes no true false y n")
_BESIDE = 28
_JOINS = re.compile(
    r"\s(?:\w+\s){0,2}(?:of|from|at|in|is|was|plays|over|for|as|by)\s(?:the\s|an?\s|\w+\s)?"
)
_SIDES = {
    "from": word_set(
        "from departure origin start sender seller source donor lender supplier depart exporter "
        "consignor shipper giver payer"
    ),
    "to": word_set(
        "to arrival destination end recipient buyer target receiver consignee borrower arrive "
        "importer receiver payee"
    ),
}


def _side(key: str) -> str | None:
    words = {*words_of_key(key)}
    sides = [side for side, known in _SIDES.items() if words & known]
    return sides[0] if len(sides) == 1 else None


def _beside(path: str, others: Sequence[str]) -> bool:
    """Whether two facts are fields of one object, or of neighbouring objects in it."""
    parts = path.split("/")
    return any(
        parts[:at] == other.split("/")[:at]
        for other in others
        for at in [max(1, min(len(parts), len(other.split("/"))) - 2)]
    )
