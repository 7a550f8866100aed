"""Plain fields: what the words of a text say of a field that they name.

Most records have fields that occur once: `stars: 4`, `rain_mm: 6.4`, `weekday: Tuesday`. A text
speaks of them in plain words: "a five-star hotel", "it stays dry", "on Thursdays". Each check
compares such words with the only fact that they can be about, and says nothing where there are
several: where rows of a list have the field, the sentence must name one of them.

- a number of something: "three cards", where the data has four of them, in a field or in a list;
- none or some of it: "no rain", "sold out" against a number above 0, "it rains" against 0;
- another member of a closed set: another day, season, colour, or step of a scale;
- a share of two fields that the sentence names: "about 75 % of the respondents cycle";
- a measured number of a row that the sentence names, which has another of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

from adequa.data import Mention
from adequa.entities.owners import OwnerFault, part_at, say_fact
from adequa.entities.roles import Roles, stem_of
from adequa.text import split_sentences, starting_in, word_set
from adequa.text.values import UNITS, ValueSpan, quote_value
from adequa.text.values.facts import interval_in
from adequa.text.values.units import lowered, parts_of_key, unit_of_key, words_of_key

_WORD = re.compile(r"[^\W\d_]+(?:['’]s)?")
_CUT = re.compile(
    r"[;:()—–]\s?|,\s|\s(?:and|but|while|whereas|although|though|then|which|where|when|who)\s"
)
_COUNTING = word_set("number count num n no nr total qty quantity amount of nb cnt")
"""Words of a key that only say that it counts."""
_NOT_COUNTED = word_set("per avg average mean one two three four five six seven eight nine ten")
"""Words of keys that are rates, means, or name a size: `one_person` are households."""
_STATES = word_set("left free available remaining open sold booked unsold total used reserved")
"""Words of a key that say in which state what it counts is; a text has them too."""
_FUNCTION = word_set(
    "and or but in on at of with for from to by is are was were has have had as that which who "
    "after before during this per while than so since until within between each across over only"
)
_BEFORE_NUMBER = re.compile(
    r"\b(?:the|these|those|first|last|next|other|another|only|just|of|more|extra|than|over|least"
    r"|most|further|additional|every|each|any|remaining|his|her|both|minus|plus|some|between|or|to"
    r"|by|per|for|within|after|before|under|every|about|around|nearly|almost|some|up|and|in|on|at"
    r"|top|page|no|number|chapter|a|no|not|if|as)\s\Z"
)
"""Words before a number that is one of some, or a part: "the three rooms upstairs"."""
_STATING = re.compile(
    r"\b(?:there (?:are|were|is|was)|has|have|had|with|saw|features?|contains?|includes?|comprises?"
    r"|offers?|offering|lists?|shows?|recorded|reported|received|holds?|its|all)\s\Z"
)
"""Words before a number of all that there are."""
_PARTIAL = re.compile(
    r"\b(?:than|more|less|fewer|left|remain\w*|other|another|further|additional|extra|difference"
    r"|half|each|apiece|per|times|first|last|next|every|combined|together|least|most|averag\w*"
    r"|so far|of (?:the|these|those|them|its|which))\b"
)
"""Words of a clause whose number may be of some of them only."""
_SMALL = 12
"""Up to here a number may be that of an unrelated field by chance."""
_APART = re.compile(r"\s(?:later|earlier|ago|before|after|away|apart|on end|in a row)\b")
_ENDS = re.compile(r"\s*(?:[.,;:!?)—–]|\Z)")


_VERB = re.compile(
    r"ed$|ing$|^(?:won|lost|drawn|held|sold|given|taken|made|met|run|seed|set|built)$"
)
"""Words of keys that are no nouns: `donated: 112` says nothing about "without donating"."""


class Noun(NamedTuple):
    """What a field counts or measures: `places_left` are places in the state left."""

    head: str
    """The stem of its noun."""
    others: frozenset[str]
    """The stems of the words before it."""
    states: frozenset[str]


@lru_cache(maxsize=4096)
def noun_of(key: str) -> Noun | None:
    """The noun of a key; None for a key without one or with two units.

    >>> noun_of("number_of_guest_rooms"), noun_of("rain_mm").head
    (Noun(head='room', others=frozenset({'guest'}), states=frozenset()), 'rain')
    """
    words = words_of_key(parts_of_key(key)[-1])
    if _NOT_COUNTED.intersection(words):
        return None
    if len(words) > 1 and unit_of_key(key) is not None:
        words = words[:-1]
    words = [word for word in words if word not in _COUNTING]
    states = frozenset(word for word in words if word in _STATES)
    words = [word for word in words if word not in _STATES]
    if not words or not words[-1].isalpha() or len(words[-1]) < 3 or _VERB.search(words[-1]):
        return None
    others = frozenset(stem_of(word) for word in words[:-1] if word not in _FUNCTION)
    return Noun(stem_of(words[-1]), others, states)


class FieldCheck:
    """Checks what a text says of the plain fields of a record."""

    def __init__(
        self, roles: Roles, text: str, values: Sequence[ValueSpan], mentions: Sequence[Mention]
    ) -> None:
        self.roles, self.text, self.lower = roles, text, lowered(text)
        self.values, self.mentions = values, mentions
        self.sentences = split_sentences(text)

    def faults(self) -> list[OwnerFault]:
        """Every fault, in order."""
        found: list[OwnerFault] = []
        for sentence in self.sentences:
            found += self._counts(sentence)
            found += self._nones(sentence)
            found += self._steps(sentence)
            found += self._measures(sentence)
            found += self._shares(sentence)
        found += self._members()
        return sorted(found)

    def _fault(self, start: int, end: int, kind: str, place: int) -> OwnerFault:
        triple = self.roles.triples[place]
        value = quote_value(triple.object, self.text[start:end])
        return OwnerFault(start, end, kind, f"the data has {triple.predicate} {value}", place)

    def _is_of(self, place: int, sentence: tuple[int, int]) -> bool:
        """Whether a sentence can only speak of one fact: it is alone, or its object is named."""
        roles = self.roles
        path = roles.paths[place].rpartition("/")[0]
        rows = self._named_rows(sentence)
        if roles.counts[roles.facts[place].key] > 1:
            return rows == {path}
        if rows and path not in rows:
            return False  # what is said of a row is not said of the whole
        noun = noun_of(roles.facts[place].key)
        several = noun is not None and len(self._keys_of.get(noun.head, ())) > 1
        if noun is not None and several and not noun.states:
            return bool(noun.others) and noun.others <= self._stems(sentence)
        if not path:
            return True
        above = {stem_of(word) for word in words_of_key(path.rpartition("/")[2]) if len(word) > 2}
        subject = roles.triples[place].subject
        return bool(above and above <= self._stems(sentence)) or any(
            one.entity == subject for one in starting_in(self._ordered, *sentence)
        )

    def _named_rows(self, sentence: tuple[int, int]) -> set[str]:
        """The objects with siblings that a sentence names."""
        return {
            pointer
            for one in starting_in(self._ordered, *sentence)
            for pointer in self.roles.names.get(one.entity, ())
        }

    @cached_property
    def _keys_of(self) -> dict[str, set[str]]:
        """The keys of numbers by the noun that they have."""
        found: dict[str, set[str]] = {}
        for place in self._numbers:
            key = self.roles.facts[place].key
            if (noun := noun_of(key)) is not None:
                found.setdefault(noun.head, set()).add(key)
        return found

    @cached_property
    def _ordered(self) -> list[Mention]:
        return sorted(self.mentions, key=lambda one: one.start)

    @cached_property
    def _numbers(self) -> dict[int, Decimal]:
        """The facts that are one number."""
        return {
            place: reading.quantities[0].value
            for place, reading in enumerate(self.roles.explainer.index.readings)
            if reading.quantities and not reading.clocks and not reading.moment
        }

    # A number of something ----------------------------------------------------------------------

    def _counts(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A number beside the noun of a field that has another number of it."""
        for span in starting_in(self.values, *sentence):
            if span.kind != "number" or span.hedge != "none" or span.range:
                continue
            seen = span.quantities[0] if len(span.quantities) == 1 else None
            if seen is None or seen.unit or seen.value != seen.value.to_integral_value():
                continue
            part = part_at(self.lower, span.start, sentence, _CUT)
            joined = self.lower[span.end : span.end + 1] == "-"  # "a five-star hotel"
            before = (max(part[0], span.begin - 16), span.begin)
            if not joined and _BEFORE_NUMBER.search(self.lower, *before):
                continue
            if _PARTIAL.search(self.lower, *part):
                continue
            stating = _STATING.search(self.lower, *before)
            for end, place, number in self._nouns_after(span, sentence):
                if number == seen.value or _APART.match(self.lower, end):
                    break
                less = seen.value < number
                if less and not (joined or (stating and _ENDS.match(self.lower, end))):
                    continue
                some = less and stating is not None and "all" in stating[0]
                if place < 0 and (some or seen.value > 2 * number):
                    continue  # all of some rows, or of something else
                if self._is_counted(span, end):
                    continue
                if place >= 0:
                    yield self._fault(span.start, end, "count", place)
                else:
                    note = f"the data has {number} of them"
                    yield OwnerFault(span.start, end, "count", note)
                break

    def _nouns_after(
        self, span: ValueSpan, sentence: tuple[int, int]
    ) -> list[tuple[int, int, Decimal]]:
        """The facts whose noun follows a number: where it ends, the fact or -1, its number."""
        between: set[str] = set()
        near = self._stems(part_at(self.lower, span.start, sentence, _CUT))
        at = span.end
        for _ in range(3):
            match = _NEXT.match(self.lower, at, sentence[1])
            if match is None or match["word"] in _FUNCTION:
                return []
            stem, at = stem_of(match["word"]), match.end()
            if match["word"].endswith(("ed", "ing")):
                between.add(stem)
                continue
            found = [
                (at, place, number)
                for noun, place, number in self._things.get(stem, ())
                if noun.others <= between | near
                if not noun.states or noun.states & self._words(sentence)
                if place < 0 or self._is_of(place, sentence)
            ]
            if between and self.lower[span.end : span.end + 1] == "-":
                return []  # "four-person households"
            if found and self._is_head(match):
                exact = [one for one in found if one[1] < 0 or self._others(one[1]) == between]
                return exact or (found if len(found) == 1 else [])
            between.add(stem)
        return []

    def _others(self, place: int) -> frozenset[str]:
        noun = noun_of(self.roles.facts[place].key)
        return noun.others if noun else frozenset()

    def _is_head(self, match: re.Match[str]) -> bool:
        """Whether a word is the noun itself rather than a part of a longer one: card games."""
        if self.lower[match.start()] == "-":
            return True  # "a five-star hotel"
        after = _NEXT.match(self.lower, match.end())
        if after is None or self.lower[after.start()] == "-":
            return after is None
        word = after["word"]
        if match["word"].endswith("s") and not match["word"].endswith("ss"):
            return True
        return word in _FUNCTION or word.endswith(("ed", "ly")) or word in _STATES

    def _stems(self, sentence: tuple[int, int]) -> set[str]:
        return {*map(stem_of, self._words(sentence))}

    def _words(self, sentence: tuple[int, int]) -> set[str]:
        return {match[0] for match in _WORD.finditer(self.lower, *sentence)}

    @cached_property
    def _things(self) -> Mapping[str, Sequence[tuple[Noun, int, Decimal]]]:
        """What the data has a number of, by the stem of its noun: fields, and lists (-1)."""
        found: dict[str, list[tuple[Noun, int, Decimal]]] = {}
        readings = self.roles.explainer.index.readings
        for place, number in self._numbers.items():
            noun = noun_of(self.roles.facts[place].key)
            unit = readings[place].quantities[0].unit
            if noun is not None and unit is None and number == number.to_integral_value():
                found.setdefault(noun.head, []).append((noun, place, number))
        for name, members in self._entries.items():
            noun = noun_of(name)
            if noun is not None and len(members) > 1 and noun.head not in found:
                found[noun.head] = [(noun, -1, Decimal(len(members)))]
        return found

    @cached_property
    def _entries(self) -> Mapping[str, set[str]]:
        """The pointers of the entries of each list that is not in another, by its key."""
        found: dict[str, set[str]] = {}
        for path in self.roles.paths:
            parts = path.split("/")
            for at, part in enumerate(parts[1:], 1):
                if part.isdigit() and not any(map(str.isdigit, parts[1:at])):
                    found.setdefault(parts[at - 1], set()).add("/".join(parts[: at + 1]))
        return found

    def _is_counted(self, span: ValueSpan, end: int) -> bool:
        """Whether a number counts rows, or is that of other fields with the same noun."""
        head = stem_of(self.lower[span.end : end].split("-")[-1].split()[-1])
        sure = span.quantities[0].value > _SMALL
        for one in self.roles.explainer.explain(span, self.text):
            keys = {self.roles.facts[fact].key for fact in one.facts}
            named = [head in {stem_of(word) for word in words_of_key(key)} for key in keys]
            if one.how == "count" or (one.how in ("total", "mean") and len(keys) == 1):
                return True
            if one.how in ("same", "total", "mean") and named and all(named):
                return True
            if one.how in ("same", "part") and sure:
                return True
        return False

    # None of it, or some ------------------------------------------------------------------------

    def _nones(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """What a text has none of where the data has a number of it, and the reverse."""
        for place, number in self._numbers.items():
            noun = noun_of(self.roles.facts[place].key)
            if number > 0 and (match := self._nothing_done(place, sentence)):
                yield self._fault(match.start(), match.end(), "none", place)
            if noun is None or number < 0 or not self._is_of(place, sentence):
                continue
            if not noun.states and self._has_states(noun, sentence):
                continue
            for pattern in _none_of(noun) if number else _some_of(noun):
                match = pattern.search(self.lower, *sentence)
                hedge = _HEDGED.search(self.lower, *sentence)
                if match is None or (hedge and stem_of(hedge[0]) not in noun.others):
                    continue
                # Beside rows, "dry" is said of the rain of the only row that is named.
                alone = not self.roles.objects or self.roles.counts[self.roles.facts[place].key] > 1
                opposite = pattern is _opposite_of(noun, none=bool(number))
                needed = {*noun.others, *([] if opposite and alone else [noun.head])}
                if not needed <= self._stems(sentence):
                    continue
                if not number and _DENIED.search(self.lower, sentence[0], match.end()):
                    continue
                if not number and _MISSING.search(self.lower, match.end(), sentence[1]):
                    continue
                start = match.start() + len(match[0]) - len(match[0].lstrip())
                yield self._fault(start, match.end(), "none", place)
                break

    def _nothing_done(self, place: int, sentence: tuple[int, int]) -> re.Match[str] | None:
        """Where a text has nothing done of which the data has a number: `cancelled: 4`."""
        word = words_of_key(parts_of_key(self.roles.facts[place].key)[-1])[-1:]
        if not word or not word[0].endswith("ed") or not self._is_of(place, sentence):
            return None
        pattern = rf"\b(?:nothing|nobody|no one|none) (?:was|were|has been|have been) {word[0]}\b"
        return re.compile(pattern).search(self.lower, *sentence)

    def _has_states(self, noun: Noun, sentence: tuple[int, int]) -> bool:
        """Whether a sentence speaks of a state for which the data has a field of its own."""
        states = {
            state
            for place in self._numbers
            if (other := noun_of(self.roles.facts[place].key)) and other.head == noun.head
            for state in other.states
        }
        return bool(states) and bool(_STATES & self._words(sentence))

    # Closed sets --------------------------------------------------------------------------------

    def _members(self) -> Iterator[OwnerFault]:
        """Another day, season or colour than the only one of the data."""
        facts = self.roles.facts
        everything = " ".join(f"{fact.key} {fact.value}" for fact in facts).lower()
        for family in _FAMILIES:
            known = {
                place: member
                for place, fact in enumerate(facts)
                if (member := family.member(fact.value, fact.key)) is not None
            }
            if not known or (len({*known.values()}) != 1 and not family.many):
                continue
            place, all_own = min(known), {*known.values()}
            others = {family.names[one[0].lower()] for one in family.anywhere.finditer(everything)}
            dated = {one for one in map(family.of_date, self._dates) if one is not None}
            if not others | dated <= all_own:
                continue
            for match in family.said.finditer(self.lower):
                member = family.names[match["member"]]
                negated = _DENIED.search(self.lower, max(0, match.start() - 20), match.start())
                if (
                    member in all_own
                    or negated
                    or self.text[match.start("member")].isupper() != (family.capital)
                ):
                    continue
                sentence = next(s for s in self.sentences if s[0] <= match.start() < s[1])
                if family.capital and _AROUND_DAY.search(self.lower, *sentence):
                    continue
                words = {*words_of_key(parts_of_key(facts[place].key)[-1])}
                if family.capital and not (
                    words & _DAY_KEYS or self.roles.stems[place] & self._stems(sentence)
                ):
                    continue
                yield self._fault(match.start("member"), match.end("member"), "member", place)

    @cached_property
    def _dates(self) -> list[tuple[int, int, int]]:
        """The days of the data: year, month, day; 0 for what is not given."""
        return [
            (date.year or 0, date.month or 0, date.day or 0)
            for reading in self.roles.explainer.index.readings
            for date in reading.dates
        ]

    def _steps(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """Another step of a scale beside the noun of its field: "a high noise level"."""
        for place, fact in enumerate(self.roles.facts):
            value = fact.value.strip().lower()
            scale = _STEPS.get(value)
            if scale is None or not self._is_of(place, sentence):
                continue
            words = [word for word in words_of_key(parts_of_key(fact.key)[-1]) if len(word) > 2]
            if not words:
                continue
            nouns = "|".join(rf"{re.escape(stem_of(word))}\w{{0,4}}" for word in words)
            others = "|".join(step for step in scale if _STEPS[step] is scale and step != value)
            own = re.compile(rf"\b{re.escape(value)}\b")
            pattern = re.compile(
                rf"\b(?P<a>{others})[\s-](?:\w+\s)?(?:{nouns})\b"
                rf"|\b(?:{nouns})(?:\s\w+)?\s(?:is|was|are|were|remains?|:|of|as)\s(?:\w+\s)?"
                rf"(?P<b>{others})\b"
            )
            match = pattern.search(self.lower, *sentence)
            if match is None and "size" in words:
                match = re.compile(rf"\b(?:is|are|was|were) (?P<a>{others})(?P<b>)\b").search(
                    self.lower, *sentence
                )
            if match is None or own.search(self.lower, *sentence):
                continue
            if _DENIED.search(self.lower, max(sentence[0], match.start() - 20), match.end()):
                continue
            name = "a" if match["a"] else "b"
            yield self._fault(match.start(name), match.end(name), "member", place)

    # Rows of a list -----------------------------------------------------------------------------

    def _row_in(self, place: tuple[int, int]) -> str | None:
        """The only object with siblings that a part of the text names."""
        rows = self._named_rows(place)
        return next(iter(rows)) if len(rows) == 1 else None

    def _measures(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A measured number of a named row that has another one of its kind, and only one."""
        for span in starting_in(self.values, *sentence):
            unit = UNITS.get(span.quantities[0].unit or "") if span.quantities else None
            if span.kind != "number" or span.hedge != "none" or span.range or unit is None:
                continue
            if unit.dimension in ("share", "time"):
                continue  # which are calculated more often than copied
            part = part_at(self.lower, span.start, sentence, _CUT)
            row = self._row_in(sentence)
            if row is None or self._row_in(part) != row or _PARTIAL.search(self.lower, *part):
                continue
            if _CHANGED.search(self.lower, *part) or _TOGETHER.search(self.lower, *sentence):
                continue
            places = self._measured_by(unit.dimension)
            own = [place for place in places if self.roles.paths[place].startswith(f"{row}/")]
            outside = [place for place in places if self._row_of(place) is None]
            if len(own) != 1 or outside:
                continue
            if self.roles.explainer.index.explain(span, self.text):
                continue
            note = say_fact(self.roles.triples[own[0]], self.text[span.start : span.end])
            yield OwnerFault(span.start, span.end, "measure", note, own[0])

    def _measured_by(self, dimension: str) -> list[int]:
        """The facts that are a number of a dimension."""
        readings = self.roles.explainer.index.readings
        return [
            place
            for place in self._numbers
            if (unit := UNITS.get(readings[place].quantities[0].unit or "")) is not None
            and unit.dimension == dimension
        ]

    def _row_of(self, place: int) -> str | None:
        path = self.roles.paths[place].rpartition("/")[0]
        return path if path in self.roles.objects else None

    # Shares -------------------------------------------------------------------------------------

    def _shares(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A share of a field that stands after "of", which another field of the clause makes."""
        for span in starting_in(self.values, *sentence):
            unit = span.quantities[0].unit if span.quantities else None
            if (span.kind != "share" and unit != "percent") or span.range:
                continue
            if self.roles.explainer.index.explain(span, self.text):
                continue
            part = part_at(self.lower, span.start, sentence, _CUT)
            if _CHANGED.search(self.lower, *part) or _TOGETHER.search(self.lower, *sentence):
                continue
            said = {match.start(): stem_of(match[0]) for match in _WORD.finditer(self.lower, *part)}
            named = self._fields_named({*said.values()})
            of = _OF.match(self.lower, span.end)
            wholes: list[int] = []
            for word in map(stem_of, _WORD.findall(of["whole"]) if of else ()):
                wholes = wholes or [one for one in named if self._head(one) == word]
            parts = [one for one in named if one not in wholes]
            if len(parts) != 1 or len(wholes) > 1:
                continue
            if not wholes:
                if (
                    of is None
                    and not span.words
                    and not self.roles.explainer.makes_share(parts[0], span, self.text)
                ):
                    yield self._fault(span.begin, span.end, "share", parts[0])
                continue
            numbers = [float(self._numbers[one]) for one in (parts[0], wholes[0])]
            if numbers[1] <= 0 or numbers[0] > numbers[1] or not self._is_alike(*parts, *wholes):
                continue
            interval = interval_in(span.quantities[0], span)
            share = 100 * numbers[0] / numbers[1]
            slack = _SHARE_SLACK + (interval.high - interval.low) / 2
            if interval.low - slack <= share <= interval.high + slack:
                continue
            names = [self.roles.triples[one].predicate for one in (parts[0], wholes[0])]
            values = [self.roles.triples[one].object for one in (parts[0], wholes[0])]
            note = f"{names[0]} {values[0]} of {names[1]} {values[1]} is {share:.3g} %"
            yield OwnerFault(span.begin, span.end, "share", note, parts[0])

    def _head(self, place: int) -> str:
        noun = noun_of(self.roles.facts[place].key)
        return noun.head if noun else ""

    def _fields_named(self, said: set[str]) -> list[int]:
        """The single numbers whose noun is said, with all words of their keys if one needs them."""
        return [
            place
            for place in self._numbers
            if self.roles.counts[self.roles.facts[place].key] == 1
            if (noun := noun_of(self.roles.facts[place].key)) is not None
            if noun.head in said and noun.others <= said
        ]

    def _is_alike(self, one: int, other: int) -> bool:
        units = [
            self.roles.explainer.index.readings[place].quantities[0].unit for place in (one, other)
        ]
        dimensions = {UNITS[unit].dimension if unit in UNITS else None for unit in units}
        return len(dimensions) == 1 and "share" not in dimensions


_NEXT = re.compile(r"[\s-](?P<word>[^\W\d_]+)")
_OF = re.compile(
    r"\sof\s(?:all\s|the\s|its\s|their\s|these\s|those\s|our\s)*(?P<whole>[^\W\d_]+(?:\s[^\W\d_]+)?)"
)
_CHANGED = re.compile(
    r"\b(?:more|less|fewer|higher|lower|(?<!make )(?<!makes )(?<!made )up|down|rose|fell|grew"
    r"|together|combined|both|increas\w*|decreas\w*|than|compared|change\w*|not|n['’]t|without|other|rest|remain\w*)\b"
)
_TOGETHER = re.compile(r"\b(?:together|combined|between them)\b")
_SHARE_SLACK = 2.0
"""How many points a share may be off beyond its rounding."""
_HEDGED = re.compile(
    r"\b(?:mostly|largely|partly|mainly|almost|nearly|hardly|until|before|initially|at first"
    r"|morning|afternoon|evening|night|if|unless|could|might|may|would|should|expected|usual\w*"
    r"|normal\w*|otherwise|except|apart from|only|other|than|tomorrow|yesterday|next|last"
    r"|previous\w*)\b"
)
"""Words with which "dry" or "no rain" is said of a part only, or of another time."""
_MISSING = re.compile(r"\b(?:missing|lacking|absent|not|no|never)\b")
_DENIED = re.compile(
    r"\b(?:not|no|non|never|nor|without|neither|cannot|than|instead of|free (?:of|from))\b|n['’]t\b"
)
_SCOPE = (
    r"(?=\s*(?:[.,;:!?)—–]|\Z)|\s(?:and|but|or|today|fell|falls?|left)\b"
    r"|\s(?:is|are|was|were|have been|has been)\s(?:forecast|reported|recorded|left|available|given"
    r"|issued|noted|found|registered|counted|needed|lost|made|shown)\b"
    r"|\s(?:in|at|for)\s(?!the\b|\d)\w+\s*[.,;:!?])"
)
"""What follows a thing of which there is none at all: not "no items were damaged"."""


_AFTER = (
    r"(?=\s*(?:[.,;:!?)—–]|\Z)|\s(?:and|but|or|in|on|at|of|for|with|to|from|is|are|was|were|has|have"
    r"|that|which|left|available|today)\b)"
)
"""What follows a noun that is not a part of another."""
_DONE = (
    "charged|reported|recorded|found|made|issued|lost|used|applied|sent|noted|registered|given"
    "|detected|received|paid|added|counted|lodged|filed|shown|cancelled"
)
"""What is done with things that there are: "fees were charged"."""


class _Opposites(NamedTuple):
    """Words that say that there is none of a thing, or some."""

    stems: tuple[str, ...]
    none: str
    some: str = ""
    states: bool = False
    """Whether the key must say that they are left, free or available."""


_OPPOSITES = (
    _Opposites(
        ("rain", "rainfall", "precip", "precipitation", "showers"),
        r"(?:stays?|stayed|remains?|remained|is|was|keeps|be|bone|completely|entirely|a) dry"
        r"|rainless",
        r"it (?:rains|rained|is raining)|(?:is|was|stays|gets) (?:wet|rainy)|rain falls|rain fell"
        r"|(?:light|heavy|some) rain",
    ),
    _Opposites(
        ("snow", "snowfall"), r"snow-free|snowless",
        r"it (?:snows|snowed|is snowing)|snow (?:falls|fell)|(?:light|heavy|some|fresh) snow",
    ),
    _Opposites(("wind", "gust", "windspeed"), r"windless|no wind at all"),
    _Opposites(("cloud", "cloudiness"), r"cloudless"),
    _Opposites(
        ("death", "dead", "killed", "fatality", "fatalities", "victim"),
        r"(?:nobody|no one|no-one) (?:died|was killed|lost (?:his|her|their) li\w+)"
        r"|everyone survived|without loss of life|no lives were lost",
    ),
    _Opposites(
        ("injury", "injured", "wounded", "hurt"),
        r"(?:nobody|no one|no-one) was (?:hurt|injured|wounded)|(?:un(?:hurt|injured|harmed))",
    ),
    _Opposites(
        ("error", "fault", "defect", "bug", "failure"), r"flawless\w*|faultless\w*|error-free"
    ),
    _Opposites(
        ("delay",), r"(?:is|was|left|arrived|departed|ran|runs|leaves|arrives) (?:right )?on time"
        r"|punctual\w*",
    ),
    _Opposites(("stock", "inventory"), r"sold out|out of stock|unavailable", r"in stock"),
    _Opposites(
        ("place", "seat", "room", "spot", "ticket", "vacancy", "bed", "space"),
        r"(?:is|are|was|were) (?:already |now |completely )?(?:full|sold out|booked out)"
        r"|sold-out|fully booked",
        r"(?:are|is|were) (?:still )?(?:available|free|left)"
        r"|(?:is|are) not (?:yet )?(?:full|sold out)",
        states=True,
    ),
    _Opposites(
        ("price", "fee", "cost", "admission", "entry", "charge", "deposit", "fare"),
        r"free of charge|for free|at no (?:cost|charge)|costs nothing"
        r"|(?:admission|entry|entrance) (?:is|was) free",
    ),
    _Opposites(("debt", "outstanding", "owed"), r"debt-free|paid in full|fully paid"),
    _Opposites(("goal",), r"goalless|scoreless"),
    _Opposites(("queue",), r"(?:queue|line) (?:is|was) empty"),
)  # fmt: skip
_OF_STEM = {stem_of(word): one for one in _OPPOSITES for word in one.stems}


def _thing(noun: Noun) -> str:
    """A pattern of a noun and the words before it; the whole noun is its last word."""
    words = [*(rf"{re.escape(one)}\w{{0,5}}\s" for one in sorted(noun.others))]
    return rf"{''.join(words)}{re.escape(noun.head)}\w{{0,6}}"


@lru_cache(maxsize=1024)
def _opposite_of(noun: Noun, *, none: bool) -> re.Pattern[str] | None:
    """Other words that say that there is none of a thing, or some."""
    known = _OF_STEM.get(noun.head)
    words = known and (known.none if none else known.some)
    if not known or not words or (known.states and not noun.states):
        return None
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")


@lru_cache(maxsize=1024)
def _none_of(noun: Noun) -> tuple[re.Pattern[str], ...]:
    """What says that there is none of a thing."""
    thing = _thing(noun)
    states = "|".join(sorted(noun.states))
    after = rf"(?=\s(?:is |are |was |were )?(?:{states})\b)"
    scope = after if noun.states else _SCOPE
    found = [
        rf"\b(?:no|without any|zero|not a single)\s{thing}{scope}",
        *([rf"\bno (?:{states})\s{thing}\b"] if states else []),
        rf"\bwithout(?: an?)?\s{thing}{_SCOPE}",
        rf"\b{thing}[-]free\b|\bfree (?:of|from) {thing}\b",
    ]
    opposite = _opposite_of(noun, none=True)
    return (*map(re.compile, found), *([opposite] if opposite else []))


@lru_cache(maxsize=1024)
def _some_of(noun: Noun) -> tuple[re.Pattern[str], ...]:
    """What says that there is some of a thing."""
    thing = _thing(noun)
    if noun.states:
        states = "|".join(sorted(noun.states))
        thing += rf"\s(?:(?:is|are|was|were) )?(?:still )?(?:{states})"
    many = r"some |several |many |a few |plenty of |a lot of |numerous |an? "
    verbs = r"there (?:is|are|was|were)|with|brings?|has|have|had|saw"
    found = [
        rf"\b(?:{verbs})\s(?:{many})?{thing}{_AFTER}",
        rf"\b(?:{many}){thing}{_AFTER}",
        rf"\b{thing} (?:was|were|is|are|has been|have been) (?:{_DONE})\b",
    ]
    opposite = _opposite_of(noun, none=False)
    return (*map(re.compile, found), *([opposite] if opposite else []))


_SCALES = (
    ("low", "medium", "moderate", "high"), ("small", "medium", "large"),
    ("light", "medium", "heavy"), ("weak", "moderate", "strong"), ("short", "medium", "long"),
    ("poor", "fair", "good", "excellent"), ("slow", "medium", "fast"), ("narrow", "wide"),
    ("soft", "medium", "hard"), ("thin", "thick"), ("mild", "severe"), ("shallow", "deep"),
    ("morning", "afternoon", "evening", "night", "day"), ("single", "double", "twin", "triple"),
    ("left", "right"), ("upper", "lower"), ("front", "rear"), ("junior", "senior"),
    ("positive", "negative"), ("odd", "even"), ("major", "minor"), ("hot", "cold"),
)  # fmt: skip
"""Words that grade a field; "medium" is a step of the first scale that has it."""
_STEPS = {step: scale for scale in reversed(_SCALES) for step in scale}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_KEYS = word_set("day weekday dow date")
_AROUND_DAY = re.compile(
    r"\b(?:from|to|until|till|through|except|by|since|next|previous|before|after|between|weekends?"
    r"|weekdays?|days? (?:earlier|later)|following)\b"
)
"""Words of a sentence in which another day may be named."""


class _Family:
    """A closed set of which a field has one member."""

    def __init__(
        self,
        members: Sequence[str],
        *,
        keys: str = "",
        context: str = "{}",
        capital: bool = False,
        short: bool = False,
        many: bool = False,
    ) -> None:
        """`members` are spellings divided by /; `keys` are words that a key must have one of."""
        self.names = {name: number for number, one in enumerate(members) for name in one.split("/")}
        self.keys, self.capital, self.short = word_set(keys), capital, short
        self.many = many
        names = "|".join(self.names)
        plural = "s?" if capital else ""
        said = context.format(rf"(?P<member>{names}){plural}")
        self.said = re.compile(rf"(?<![\w-]){said}(?![\w-])")
        self.anywhere = re.compile(rf"(?<![^\W_])(?:{names})(?=s?(?![^\W_]))")

    def member(self, value: str, key: str) -> int | None:
        """Which member a value is."""
        if self.keys and not self.keys.intersection(words_of_key(key)):
            return None
        word = value.strip().lower()
        if self.short and len(word) in (2, 3, 4):
            return next((n for name, n in self.names.items() if name.startswith(word)), None)
        return self.names.get(word.removesuffix("s") if self.capital else word)

    def of_date(self, date: tuple[int, int, int]) -> int | None:
        """Which member a date of the data is; None where it has none."""
        del date
        return None


class _Weekdays(_Family):
    def of_date(self, date: tuple[int, int, int]) -> int | None:
        import datetime as dt

        try:
            return dt.date(*date).weekday()
        except ValueError:
            return None


class _Seasons(_Family):
    def of_date(self, date: tuple[int, int, int]) -> int | None:
        return (date[1] % 12) // 3 if date[1] else None


_FAMILIES = (
    _Weekdays(_DAYS, capital=True, short=True),
    _Seasons(
        ("winter", "spring", "summer", "autumn/fall"),
        context=r"(?:in|during|this|each|every|for)\s(?:the\s|early\s|late\s)?{}",
    ),
    _Family(
        ("red", "blue", "green", "yellow", "black", "white", "grey/gray", "brown", "orange",
         "purple/violet", "pink", "beige", "turquoise"),
        keys="color colour colours colors shade paint finish coat fur livery plumage",
        many=True,
    ),
)  # fmt: skip
