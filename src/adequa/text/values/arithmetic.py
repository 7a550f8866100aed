"""Plain arithmetic between the numbers of some data, and numbers that were copied with an error.

Texts name the fields of a record by other words than the data, so `Arithmetic` asks only whether
two numbers of kinds that fit make the number of a text by an operation that its clause calls for.
It does so after `derived` has looked for what the sentence speaks of. A number that differs from
one that is spoken of in a digit or in its unit is a misprint rather than a calculation.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import NamedTuple

from adequa.text.sentences import clauses_around, divide_long
from adequa.text.values.facts import Support, interval_in
from adequa.text.values.numbers import Interval, Quantity
from adequa.text.values.spans import ValueSpan, find_values
from adequa.text.values.terms import (
    MOST,
    SCALED,
    UNKNOWN,
    Term,
    Terms,
    is_near,
    scaled,
    short_stem,
    stems_of_key,
)
from adequa.text.values.units import CURRENCIES, UNITS, Unit, dimension_of_key, parts_of_key

_CLAUSE_OF_SUM = re.compile(
    r"\b(?:totals?|totall?ing|altogether|in all|combined|together|sums?|overall|add(?:s|ed|ing)? up"
    r"|amount(?:s|ed|ing)? to|com(?:es?|ing) to|came to|brings?|brought|bringing|both|plus|with|all"
    r"|mak(?:es?|ing)|includ\w+|added)\b"
)
_CLAUSE_OF_GAP = re.compile(
    r"\b(?:more|less|fewer|than|above|below|over|under|lead\w*|margin|ahead|behind|up|down|by|gain\w*"
    r"|los[est]\w*|lost|higher|lower|later|earlier|since|longer|shorter|larger|smaller|cheaper|dearer"
    r"|differ\w*|gap|increas\w*|decreas\w*|ris\w+|rose|f[ae]ll\w*|drop\w*|grew|remain\w*|left|leav\w+"
    r"|spare|free|empty|short|sav\w+|net|surplus|deficit|apart|spread|unsold|outside|within|faster"
    r"|slower|only|missing|open|balance|unused|further|extra|additional|other|rest|instead)\b"
)
_CLAUSE_OF_PRODUCT = re.compile(
    r"\b(?:totals?|altogether|in all|together|com(?:es?|ing) to|came to|worth|costs?|value[ds]?"
    r"|pays?|paid|spend\w*|earn\w*|revenue|turnover|mak(?:es?|ing)|brings?|bringing|would|means"
    r"|amount(?:s|ed|ing)? to|equals?|equivalent|out of|capacity|places)\b"
)
_CLAUSE_OF_RATE = re.compile(
    r"\b(?:per|an?|each|every|apiece|works? out|averag\w*|density|speed|pace)\b"
)
"""Words of a clause that call for an operation."""
_MADE = re.compile(
    r"\b(?:per|each|more|less|fewer|than|average\w*|difference|gap|ahead|behind|remain\w*|left|leav\w+"
    r"|above|below|lead|margin|sav\w+|gain\w*|over the|between|net|altogether|in total|in all"
    r"|total of|add(?:s|ed|ing)? up|combined)\b"
)
"""Words of a clause whose number is most often not that of a single field."""
_ALONE_GAP = 0.6
"""How far a number may be off the only one of its dimension; chosen on the open records."""
_LARGE = 1000
"""From here on two numbers of one field or object may make another without being spoken of."""
_THAN = re.compile(
    r"\b(?:than|above|below|over|under|short of|ahead|behind|beat\w*|exceed\w*|miss\w*)\b"
)
_MARKS = ".!?;\n"
_SENTENCE_END = re.compile(r"[.!?;\n](?=\s|\Z)")
_WORD = re.compile(r"[^\W\d_]{3,}")
SURE_DIGITS = 3
"""From so many significant digits on, a match without a cue counts: chance makes few of them."""
CHANGE_WORDS = re.compile(
    r"\b(?:more|less|fewer|higher|lower|up|down|rose|fell|gain\w*|by|loss|increas\w*|decreas\w*"
    r"|grew|growth|cheaper|premium|instead|cost\w*|sav\w*|cut|reduc\w*|drop\w*|slow\w*|short\w*"
    r"|above|below|faster|longer|larger|smaller|shrank|shrunk|climb\w*|declin\w*|missed|short"
    r"|exceed\w*|beat\w*)\b"
)
NO_RATIO: frozenset[str | None] = frozenset({"share", "temperature", "angle"})
_MEANT = {
    "full": "capaci", "empty": "capaci", "old": "born", "aged": "born", "people": "popula",
    "inhabitants": "popula", "residents": "popula",
}  # fmt: skip
"""Words that speak of a field by another name."""
MEAN_CALL = (
    re.compile(r"\b(?:average|mean)\b(?!\s(?:of|for)\s(?:the|its|all)\b)[^.;,]{0,25}\Z"),
    re.compile(r"[^.;,]{0,12}\bon average"),
)


# The values of a text, and those of a sentence, are explained one after the other.
@lru_cache(maxsize=4)
def _bounds(text: str) -> tuple[list[int], list[int]]:
    """Where the sentences of a text begin and end; a very long one is read in parts."""
    marks = [one.start() for one in _SENTENCE_END.finditer(text)]
    starts, ends = [0], list[int]()
    for end in (*marks, len(text)):
        parts = [*divide_long(text, starts[-1], end)]
        starts += [*parts, end + 1]
        ends += [*parts, end]
    return starts, ends


def _sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    starts, ends = _bounds(text)
    # A mark just before the value ends a sentence also without a space: "No.5".
    is_after_mark = start > 0 and text[start - 1] in _MARKS
    first = start if is_after_mark else starts[bisect_right(starts, start) - 1]
    return first, ends[bisect_left(ends, end)]


@lru_cache(maxsize=16)
def _values_of_sentence(sentence: str) -> tuple[ValueSpan, ...]:
    return tuple(find_values(sentence))


class Sentence:
    """The sentence around a value."""

    def __init__(self, text: str, span: ValueSpan) -> None:
        self.start, end = _sentence_around(text, span.start, span.end)
        self.string = text[self.start : end]
        self.lower = self.string.lower()
        self.span = span
        self.facts: frozenset[int] | None = None
        self.borne: dict[int, bool] = {}

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words."""
        words = _WORD.findall(self.lower)
        return frozenset(_MEANT.get(word) or short_stem(word) for word in words)

    @cached_property
    def others(self) -> tuple[ValueSpan, ...]:
        """The other values of the sentence."""
        own = self.span.start - self.start
        return tuple(one for one in _values_of_sentence(self.string) if one.start != own)

    @cached_property
    def clause(self) -> str:
        """The clause around the value, in lower case."""
        start, end = self.span.start - self.start, self.span.end - self.start
        whole = (0, len(self.string))
        return self.lower[slice(*clauses_around(self.string, start, end, whole))]

    @cached_property
    def clause_stems(self) -> frozenset[str]:
        """The stems of the words of the clause."""
        return frozenset(map(short_stem, _WORD.findall(self.clause)))

    def calls(self, before: re.Pattern[str], after: re.Pattern[str]) -> bool:
        """Whether the words just before or just after the value match."""
        start, end = self.span.start - self.start, self.span.end - self.start
        found = before.search(self.lower, 0, max(0, start)) or after.match(self.lower, end)
        return found is not None


class Query(NamedTuple):
    """What is looked for: a quantity, what it may stand for, and the sentence around it."""

    seen: Quantity
    interval: Interval
    span: ValueSpan
    sentence: Sentence

    @property
    def dimension(self) -> str | None:
        """What the quantity measures; its unit where that is not known."""
        unit = UNITS.get(self.seen.unit or "")
        return unit.dimension if unit else self.seen.unit

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
        return self.interval if unit is None else scaled(self.interval, unit.factor)

    @property
    def is_sure(self) -> bool:
        """Whether the number has so many digits that a match by chance is unlikely."""
        return significant_digits(self.seen) >= SURE_DIGITS and self.span.hedge in ("none", "about")

    @property
    def is_loose(self) -> bool:
        """Whether one of two facts has to be spoken of, not both."""
        compared = self.dimension is not None and _THAN.search(self.sentence.lower)
        return self.is_sure or compared is not None

    def is_exact(self, one: Term, other: Term) -> bool:
        """Whether two terms without a unit may make the number: 14 and 1.7 are not 16."""
        whole = self.seen.value == self.seen.value.to_integral_value()
        if self.dimension is not None or not whole or self.span.hedge != "none":
            return True
        return self.is_sure or (one.raw == int(one.raw)) == (other.raw == int(other.raw))

    def speaks(self, words: re.Pattern[str]) -> bool:
        """Whether the number is sure, or the sentence has one of some words."""
        return self.is_sure or words.search(self.sentence.lower) is not None


class Arithmetic(Terms):
    """The numbers of some facts, and what two of them make."""

    _explained: tuple[str, Sequence[tuple[int, Sequence[int]]]] = ("", ())
    """The sentence that was read last, and the facts that each of its values stands for."""

    def is_misquoted(self, span: ValueSpan, text: str) -> bool:
        """Whether a number seems to be that of a field, or of all its rows, with an error.

        It has the same digits with another unit, or one other digit, or two exchanged, and its
        field is spoken of in the clause, or it has so many digits that chance is unlikely. Or it
        is the only one of its dimension.
        """
        if span.kind != "number" or not span.quantities:
            return False
        sentence = Sentence(text, span)
        seen = span.quantities[0]
        digits = significant_digits(seen)
        unit = UNITS.get(seen.unit or "")
        made = _MADE.search(sentence.clause) is not None
        said = self._values_in(sentence)
        alike = [term for term in self._values if unit and term.dimension == unit.dimension]
        alone = len(alike) == 1 and not made
        if unit is not None and alone and _is_made_often(unit):
            # Money and times are calculated more often than copied, but of two numbers.
            alone = alike[0].unit == unit.name and not any(
                own.dimension in ("share", unit.dimension)
                for value in sentence.others
                for one in value.quantities[:1]
                if (own := UNITS.get(one.unit or ""))
            )
        for term in (*self._values, *(one for one in self._totals if one.whole)):
            if said.issuperset(term.facts) or term.number:
                continue
            own = UNITS.get(term.unit or "")
            named = self._is_named_in(term, sentence)
            if unit is not None and alone and term is alike[0]:
                gap = _ratio(term.base, unit.base(float(seen.value)))
                if gap < _ALONE_GAP:
                    return True
            if unit is not None and own is not None and unit is not own:
                same = digits_of(term.raw) == digits_of(seen.value)
                sure = digits > 1 or named or alone or 10 <= term.raw == float(seen.value)
                if same and sure and unit.dimension == own.dimension and not term.parts:
                    return True
                continue
            if span.words:
                continue
            many = digits >= SURE_DIGITS and (unit is not None or digits > SURE_DIGITS)
            told = named and (digits >= SURE_DIGITS or not made)
            if (told or (many and not made)) and is_misprint(str(seen.value), term.raw):
                return True
        return False

    def makes_share(self, place: int, span: ValueSpan, text: str) -> bool:
        """Whether the number of a fact makes a share with any other number of its kind.

        Where there is no other, nothing can be said, and it does.
        """
        sentence = Sentence(text, span)
        scale = 1.0 if span.kind == "ratio" else 0.01
        own = [term for term in self._values if term.facts == (place,)]
        for quantity in span.quantities:
            interval = scaled(interval_in(quantity, span), scale)
            for part in own:
                alone = part.dimension != "share"
                number = part.base if part.dimension is not None else part.raw
                for other, term in self._operands(part.dimension, None, sentence):
                    if term.parts and not term.whole and place not in term.facts:
                        continue  # a sum is the whole of its parts only
                    alone = alone and place in term.facts
                    least, most = sorted((number, other))
                    if least > 0 and is_near(least / most, interval):
                        return True
                if alone:
                    return True
        return False

    def is_checkable(self, span: ValueSpan, text: str) -> bool:
        """Whether a number that nothing explains is wrong rather than reckoned in other ways.

        Of the numbers of faithful texts that nothing explained, most were like no field that the
        clause speaks of. What a clause calls a difference, a rate or a mean is checked as well.
        """
        if span.kind in ("date", "time") or self.is_misquoted(span, text):
            return True
        place = self.counterpart(span, text)
        if place is None:
            return False
        sentence = Sentence(text, span)
        named = self._are_words_in(parts_of_key(self.index.facts[place].key)[-1], sentence)
        return named or _MADE.search(sentence.clause) is not None

    def counterpart(self, span: ValueSpan, text: str) -> int | None:
        """The fact that an unexplained value stands for: of its kind and unit, and spoken of.

        Without a fact whose key or object is in the sentence, or a single one of its dimension,
        there is none: an absurd counterpart is worse than none.
        """
        sentence = Sentence(text, span)
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

    def _is_named_in(self, term: Term, sentence: Sentence) -> bool:
        """Whether the clause has a word of the field of a term, or of the list of a total."""
        parts = parts_of_key(term.field)
        return self._are_words_in(" ".join(parts if term.parts else parts[-1:]), sentence)

    def _are_words_in(self, key: str, sentence: Sentence) -> bool:
        return bool(sentence.clause_stems.intersection(stems_of_key(key)))

    def _spoken_of(self, place: int, sentence: Sentence) -> int:
        fact = self.index.facts[place]
        named = any(name in sentence.lower for name in self._names_around(fact.group))
        return 2 * len(sentence.stems.intersection(stems_of_key(fact.key))) + named

    def _bears(self, place: int, sentence: Sentence) -> bool:
        """Whether a sentence speaks of a fact: of its key, or of a value of its object."""
        known = sentence.borne.get(place)
        if known is None:
            group = self.index.facts[place].group
            others = self._values_in(sentence)
            known = self._spoken_of(place, sentence) > 0 or place in others
            known = known or bool(group and any(self._group(one) == group for one in others))
            sentence.borne[place] = known
        return known

    def _values_in(self, sentence: Sentence) -> frozenset[int]:
        """The facts whose values the sentence has beside the one in question."""
        if sentence.facts is None:
            if self._explained[0] != sentence.string:
                self._explained = sentence.string, self._explain_values(sentence.string)
            own = sentence.span.start - sentence.start
            others = (facts for start, facts in self._explained[1] if start != own)
            sentence.facts = frozenset(chain.from_iterable(others))
        return sentence.facts

    def _explain_values(self, sentence: str) -> list[tuple[int, list[int]]]:
        return [
            (
                value.start,
                [fact for one in self.index.explain(value, sentence) for fact in one.facts],
            )
            for value in _values_of_sentence(sentence)
        ]

    def _is_told(self, term: Term, sentence: Sentence) -> bool:
        return any(self._bears(fact, sentence) for fact in term.facts[:8])

    def _support(self, terms: Iterable[Term], how: str) -> Support:
        terms = [*terms]
        places = tuple(dict.fromkeys(fact for term in terms for fact in term.facts))
        shown = ", ".join(self.index.facts[place].value for place in places[:4])
        more = ", …" if len(places) > 4 else ""
        name = " and ".join(dict.fromkeys(term.field for term in terms))
        return Support(places, how, f"{how} of {name} ({shown}{more})")

    def _reckoned(self, query: Query) -> Iterator[Support]:
        """What two numbers of kinds that fit make, whatever their fields are called.

        Texts name fields by other words than the data, so the words of the clause only choose the
        operation. A number that the sentence itself has may be one of the two.
        """
        if query.dimension in (UNKNOWN, SCALED) or query.seen.unit in ("cent", "percentage point"):
            return
        if query.span.kind in ("share", "ratio") or query.seen.unit == "percent":
            yield from self._reckoned_share(query)
            return
        if query.dimension == "speed":
            yield from self._speeds(query)
        clause = query.sentence.clause
        operands = self._operands(query.dimension, query.seen.unit, query.sentence)
        low, high = query.base
        is_sum = _CLAUSE_OF_SUM.search(clause) is not None
        if is_sum or (query.is_sure and query.dimension is not None):
            for number, one in operands:
                for _, other in _between(operands, low - number, high - number):
                    whole = one.whole and other.whole
                    if not self._goes_with(one, other) or not (is_sum or whole):
                        continue
                    if self._is_known(query, one, other):
                        yield self._support([one, other], "total")
        if _CLAUSE_OF_GAP.search(clause):
            for number, one in operands:
                for _, other in _between(operands, number + low, number + high):
                    if self._goes_with(one, other) and self._is_known(query, one, other):
                        yield self._support([other, one], "difference")
        is_product = _CLAUSE_OF_PRODUCT.search(clause)
        is_rate = _CLAUSE_OF_RATE.search(clause) and not (
            query.dimension is None and query.sentence.calls(*MEAN_CALL)
        )
        for factor, one in self._factors(query) if is_product or is_rate else ():
            ways = [("product", 1 / factor)] if is_product else []
            if is_rate and one.dimension != "share":
                ways += [("rate", factor), ("rate", factor / 100)]
            for how, scale in ways:
                for _, other in _between(operands, low * scale, high * scale):
                    if self._goes_with(one, other) and self._is_known(query, one, other):
                        yield self._support([other, one], how)

    def _speeds(self, query: Query) -> Iterator[Support]:
        """A way and the time that it took, which two moments of the data may make."""
        ways = [term for term in self._values if term.dimension == "length"]
        ways += [term for term in self._totals if term.whole and term.dimension == "length"]
        times = [
            (term.base, term.facts)
            for term in (*self._values, *self._spells)
            if term.dimension == "time"
        ]
        times += [
            (after - before, (one, other))
            for (before, one), (after, other) in combinations(self._moments[:MOST], 2)
            if 0 < after - before < 86400
        ]
        for way in ways:
            for seconds, facts in times:
                if seconds > 0 and is_near(way.base / seconds, query.base):
                    yield Support((*way.facts, *facts), "rate", f"{way.field} in {seconds:g} s")

    def _goes_with(self, one: Term, other: Term) -> bool:
        """Whether a text may combine two numbers: of one field or object, or one of no list."""
        if one is other or {*one.facts} & {*other.facts}:
            return False
        if any(term.said or term.single or term.whole for term in (one, other)):
            return True
        return one.field == other.field or one.group == other.group

    def _reckoned_share(self, query: Query) -> Iterator[Support]:
        """A share of two numbers of one kind, of which the sentence speaks or has one."""
        one_percent = 1.0 if query.span.kind == "ratio" else 0.01
        interval = scaled(query.interval, one_percent)
        ways = [interval]
        if CHANGE_WORDS.search(query.sentence.lower):
            ways += [
                Interval(1 - interval.high, 1 - interval.low),
                Interval(1 + interval.low, 1 + interval.high),
            ]
        for dimension in {None, *(term.dimension for term in self._values)} - NO_RATIO:
            operands = self._operands(dimension, None, query.sentence)
            for number, one in operands:
                if number <= 0 or (one.dimension != dimension and not one.said):
                    continue
                for way in ways:
                    for _, other in _between(operands, way.low * number, way.high * number):
                        part = one.parts > 0 and {*other.facts} <= {*one.facts}
                        beside = other.group == one.group or other.field == one.field
                        known = one.said or other.said
                        known = known or ((part or beside) and self._is_told(other, query.sentence))
                        if one is not other and known:
                            yield self._support([other, one], "share")

    def _is_known(self, query: Query, *terms: Term) -> bool:
        """Whether the sentence has or speaks of a term; a measured or large one may go without."""
        if query.dimension is not None and query.span.hedge == "none":
            return True
        one_kind = len({(term.field, term.unit) for term in terms}) == 1 or (
            len({(term.group, term.unit) for term in terms}) == 1
        )
        if query.span.hedge == "none" and query.seen.value >= _LARGE and one_kind:
            return True
        every = all if query.span.hedge not in ("none", "about") else any  # wide intervals
        return every(term.said or self._is_told(term, query.sentence) for term in terms)

    def _operands(
        self, dimension: str | None, unit: str | None, sentence: Sentence
    ) -> list[tuple[float, Term]]:
        """The numbers that may be added to, or taken from, one of a dimension, in order.

        A number without a unit may have that of the text, unless its key says otherwise.
        """
        own = UNITS.get(unit or "")
        kind = "money" if dimension in CURRENCIES else dimension
        found: list[tuple[float, Term]] = []
        totals = [term for term in self._totals if term.whole or unit is None]
        for term in (*self._amounts, *self._spells, *totals, *_terms_said(sentence)):
            if term.dimension == dimension:
                found.append((term.base if dimension is not None else term.raw, term))
            elif term.dimension is not None or own is None:
                continue
            elif dimension_of_key(term.field) in (None, kind):
                found.append((own.base(term.raw) if not own.offset else term.raw, term))
        return sorted(found, key=lambda pair: pair[0])

    def _factors(self, query: Query) -> list[tuple[float, Term]]:
        """The numbers by which another may be multiplied or divided to make the one in question."""
        dimension = query.dimension
        found: list[tuple[float, Term]] = []
        whole = [term for term in self._totals if term.whole]
        for term in (*self._amounts, *whole, *_terms_said(query.sentence)):
            if term.dimension == dimension and dimension is not None:
                continue
            if term.dimension == "share":
                found += [(term.base, term), (1 + term.base, term), (1 - term.base, term)]
            else:
                found.append((term.raw, term))
                if term.dimension == "time" and dimension is not None:
                    found.append((term.base / 3600, term))
        return [(factor, term) for factor, term in found if factor > 0 and factor != 1]


def _between(
    operands: Sequence[tuple[float, Term]], low: float, high: float
) -> Sequence[tuple[float, Term]]:
    """The numbers between two of those in order, apart from rounding; the lowest of many."""
    slack = 1e-6 * max(abs(low), abs(high))
    first = bisect_left(operands, low - slack, key=_number)
    last = bisect_right(operands, high + slack, key=_number)
    return operands[first : min(last, first + MOST)]


def _number(operand: tuple[float, Term]) -> float:
    return operand[0]


def digits_of(value: Decimal | float) -> str:
    """The digits of a number without the zeros around them."""
    return f"{value:f}".replace(".", "").replace("-", "").strip("0")


def _is_made_often(unit: Unit | None) -> bool:
    """Whether numbers of a unit are calculated more often than copied: shares, times, money."""
    return unit is not None and (
        unit.dimension in ("share", "time", "speed") or unit.name in CURRENCIES
    )


def _ratio(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-9)


def is_misprint(seen: str, value: float) -> bool:
    """Whether a number differs from another in one digit, or in the order of two.

    >>> is_misprint("348", 384.0), is_misprint("15.8", 15.2), is_misprint("348", 512.0)
    (True, True, False)
    """
    decimals = len(seen.partition(".")[2])
    written = f"{abs(value):.{decimals}f}"
    if abs(float(written) - abs(value)) > 1e-9 or len(written) != len(seen):
        return False
    other = [place for place, (a, b) in enumerate(zip(seen, written, strict=True)) if a != b]
    if len(other) == 2 and other[1] - other[0] <= 2:
        return sorted(seen) == sorted(written)
    return len(other) == 1 and len(seen.replace(".", "")) > 1


def _terms_said(sentence: Sentence) -> list[Term]:
    """The other numbers of a sentence as terms."""
    own = sentence.span.start - sentence.start
    return [term for start, term in _terms_of_sentence(sentence.string) if start != own]


@lru_cache(maxsize=16)
def _terms_of_sentence(sentence: str) -> list[tuple[int, Term]]:
    found: list[tuple[int, Term]] = []
    for span in _values_of_sentence(sentence):
        for quantity in span.quantities[:1] if span.kind == "number" else ():
            unit = UNITS.get(quantity.unit or "")
            raw = float(quantity.value)
            term = Term(
                raw,
                unit.base(raw) if unit else raw,
                unit.dimension if unit else None,
                (),
                f"the text ({span.start})",
                "",
                unit=quantity.unit,
                said=True,
            )
            found.append((span.start, term))
    return found


def significant_digits(seen: Quantity) -> int:
    """How many digits a number has without the zeros around them."""
    return len(digits_of(seen.value))
