"""Whose value, which field, which side: what the words around a value or a name say it is.

A value that a text gives must be that of the field and the object that the words around it name. A
name must have the role that it is given ("designed by", "from … to"). A comparison or a superlative
must hold between the values of the data. Each check speaks only where the data has exactly what
the text speaks of, and has something else there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property

from adequa.data import Mention, Triple
from adequa.entities.owners import OwnerFault
from adequa.text import fold, split_sentences, word_set
from adequa.text.values import UNITS, Explainer, ValueFact, ValueSpan, dimension_of_key
from adequa.text.values.facts import Reading
from adequa.text.values.units import CURRENCIES, parts_of_key, words_of_key

_GENERAL = word_set(
    "name value total number count amount type code status date time id key data info result level "
    "unit units list item items entry main all per the and for min max avg first last day days "
    "year years month months week hour hours minute minutes second seconds percent pct share rate "
    "eur usd gbp chf kwh mwh price cost net gross size sum start end from to of in on at by"
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
_SERIES = 4
"""Facts of one field from which on it is a series rather than a field."""
_TOGETHER = re.compile(r"\b(?:together|combined|in all|in total|altogether|sum|both)\b")
_STEM = 5


def _stem(word: str) -> str:
    """The beginning of a word by which its forms are compared: design(er), design(ed)."""
    word = fold(word)
    for ending in ("ies", "ing", "er", "or", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word[:7]


def _kind(fact: ValueFact, reading: Reading) -> str | None:
    """What a value measures, as far as its unit or its key says."""
    if reading.quantities:
        unit = UNITS.get(reading.quantities[0].unit or "")
        if unit is not None:
            return "money" if unit.name in CURRENCIES else unit.dimension
    return dimension_of_key(fact.key)


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
                _stem(word)
                for word in words_of_key(parts_of_key(fact.key)[-1])
                if word not in _GENERAL and len(word) > 2
            )
            for fact in self.facts
        ]

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
                if not self.explainer.index.readings[place].quantities:
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
        return sorted(found)

    def _part(self, place: int, sentence: tuple[int, int]) -> tuple[int, int]:
        start, end = sentence
        for match in _CUT.finditer(self.lower, *sentence):
            if match.end() <= place:
                start = match.end()
            elif match.start() > place:
                end = match.start()
                break
        return start, end

    # Values -------------------------------------------------------------------------------------

    def _values(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        for span in self.values:
            if not sentence[0] <= span.start < sentence[1] or span.kind in ("ordinal", "ratio"):
                continue
            if span.words and not any(one.unit for one in span.quantities):
                continue
            supports = self.roles.explainer.index.explain(span, self.text)
            facts = {fact for one in supports for fact in one.facts}
            if not facts or any(one.how in ("score", "part") for one in supports):
                continue
            fault = self._wrong_field(span, facts, sentence) or self._wrong_object(
                span, facts, sentence
            )
            if fault is not None:
                yield fault

    def _near_stems(self, span: ValueSpan, sentence: tuple[int, int]) -> dict[str, int]:
        """The stems of the words around a value, each with how far it is from it."""
        part = self._part(span.start, sentence)
        found: dict[str, int] = {}
        start = max(part[0], span.start - _NEAR)
        for match in _WORD.finditer(self.lower, start, span.start):
            found[_stem(match[0].removesuffix("'s").removesuffix("’s"))] = span.start - match.end()
        for match in _WORD.finditer(self.lower, span.end, min(part[1], span.end + _AFTER)):
            found.setdefault(_stem(match[0]), match.start() - span.end)
        return found

    def _wrong_field(
        self, span: ValueSpan, facts: set[int], sentence: tuple[int, int]
    ) -> OwnerFault | None:
        """A value of one field beside the words of another field with a value of its kind."""
        roles = self.roles
        near = self._near_stems(span, sentence)
        if any(self._all_stems(fact) & near.keys() for fact in facts):
            return None
        reach = _NEAR if span.kind not in ("date", "time") else _NEAR_DATE
        said = [
            place
            for place, _ in roles.explainer.index.comparable(span)
            if place not in facts and roles.stems[place] and roles.stems[place] <= near.keys()
            if max(near[stem] for stem in roles.stems[place]) <= reach
            if all(self._alike(place, fact) for fact in facts)
        ]
        if not said:
            return None
        best = max(len(roles.stems[place]) for place in said)
        said = [place for place in said if len(roles.stems[place]) == best]
        fields = {roles.facts[place].key for place in said}
        if len(fields) > 1 or len(said) > 1:
            return None
        place = said[0]
        if {roles.facts[fact].key for fact in facts} & fields:
            return None
        if self._is_said(place, span, sentence) or roles.explainer.derives(span, self.text, place):
            return None
        return self._fault(span.start, span.end, "owner", place, facts)

    def _alike(self, one: int, other: int) -> bool:
        """Whether two facts have values of one kind and unit, and both or neither are listed."""
        roles = self.roles
        first, second = (roles.explainer.index.readings[place] for place in (one, other))
        if bool(first.dates) != bool(second.dates) or bool(first.clocks) != bool(second.clocks):
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
            for other in self.values
            if sentence[0] <= other.start < sentence[1] and other.start != span.start
            for one in index.explain(other, self.text)
        )

    def _wrong_object(
        self, span: ValueSpan, facts: set[int], sentence: tuple[int, int]
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
        named = [one for one in self.mentions if one.entity in roles.names]
        inside = [one for one in named if part[0] <= one.start < part[1]]
        if not inside:
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
        own_facts = [
            place for place in roles.objects[own] if roles.facts[place].key in fields
        ]
        if len(own_facts) != 1 or _TOGETHER.search(self.lower, *part):
            return None
        if self._is_said(own_facts[0], span, sentence) or roles.explainer.derives(span, self.text, own_facts[0]):
            return None
        return self._fault(span.start, span.end, "owner", own_facts[0], facts)

    def _fault(
        self, start: int, end: int, kind: str, place: int, owners: Iterable[int]
    ) -> OwnerFault:
        triple = self.roles.triples[place]
        note = f"the data has {triple.predicate} {triple.object!r}"
        others = [self.roles.triples[one] for one in sorted(owners)]
        if others:
            other = others[0]
            same = other.predicate == triple.predicate
            whose = other.subject if same else f"{other.predicate}"
            note += f"; {other.object!r} is that of {whose}"
        return OwnerFault(start, end, kind, note, place)

    # Names --------------------------------------------------------------------------------------

    def _directions(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """Names after "from" or "to" that the data has on the other side."""
        roles = self.roles
        for one in self.mentions:
            if not sentence[0] <= one.start < sentence[1]:
                continue
            places = roles.keys_of_name.get(one.entity)
            if not places or any(map(str.isdigit, one.entity)):
                continue
            before = self.lower[max(sentence[0], one.start - 24) : one.start]
            if (match := _SIDE.search(before)) is None:
                continue
            side = "from" if match["from"] else "to"
            sides = {_side(roles.facts[place].key) for place in places}
            if sides != {"to" if side == "from" else "from"}:
                continue
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
        for one in self.mentions:
            if not sentence[0] <= one.start < sentence[1]:
                continue
            places = roles.keys_of_name.get(one.entity)
            if not places or not one.entity[:1].isupper():
                continue
            before = self.lower[max(sentence[0], one.start - 40) : one.start]
            after = self.lower[one.end : one.end + 24]
            match = _BY.search(before) or _AS.match(after)
            if match is None:
                continue
            stem = _stem(match["role"])
            if any(stem in self._all_stems(place) for place in places):
                continue
            other = [
                place
                for place, stems in enumerate(roles.stems)
                if stem in stems and roles.triples[place].object in roles.keys_of_name
                if any(map(str.isalpha, roles.facts[place].value))
                and roles.facts[place].value[:1].isupper()
            ]
            if len(other) == 1 and other[0] not in places:
                start = one.start - len(before) + match.start() if match.re is _BY else one.start
                end = one.end if match.re is _BY else one.end + match.end()
                yield self._fault(max(start, sentence[0]), end, "role", other[0], places)

    def _all_stems(self, place: int) -> frozenset[str]:
        return frozenset(_stem(word) for word in words_of_key(self.roles.facts[place].key))


_SIDE = re.compile(
    r"\b(?:(?P<from>from|sent by|bought from|supplied by|given by|donated by)|(?P<to>to|sold to"
    r"|given to))\s(?:the\s)?\Z"
)
_BY = re.compile(r"\b(?P<role>[a-z]{4,}(?:ed|en|t|n|d)?)\s(?:by|is|was|:)\s(?:the\s)?\Z")
_AS = re.compile(r"\s(?:as|is the|was the|serves as|works as)\s(?:its\s|the\s)?(?P<role>[a-z]{4,})")
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
