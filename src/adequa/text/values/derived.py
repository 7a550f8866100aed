"""What follows from several facts: counts, totals, means, differences, shares and multiples.

`Explainer.explain` looks for a derived quantity that a value of a text may be. Since among many
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
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

from adequa.text.sentences import clauses_around, word_set
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
    is_within,
    scaled,
    short_stem,
    stems_of_key,
)
from adequa.text.values.units import (
    CURRENCIES,
    UNITS,
    Unit,
    dimension_of_key,
    parts_of_key,
    words_of_key,
)

_SUM_WORDS = re.compile(
    r"\b(?:totals?|altogether|in all|combined|together|sums?|overall|add(?:s|ed)? up|amount\w*"
    r"|com(?:es?|ing) to|came to|across|throughout|over the|during|whole|entire|all|worth|both|last"
    r"|lasts|takes?|had|held|has|have|with|produced|consumed|recorded|received|made|party|found"
    r"|there (?:are|were)|of (?:its|them|the|these|all)|outgoings|answered|seen|used|ready|done)\b"
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
    r"|hold|weigh\w*|amount\w*|pieces|sum|adds?|instead|makes?|earn\w*|turnover|revenue|that is|so"
    r"|gives?|means|would|brings?|brought|equals?|year(?:ly)?|annual\w*|takings|sales|pays?|paid"
    r"|charged?|gave)\b"
)
_SOME_ROWS = re.compile(
    r"\b(?:first|last|final|opening|between|from|until|through|half|quarter|weekend|remaining|rest"
    r"|two|three|four|both|early|late|weekdays|working days|(?:in|for|of) 20[0-9]{2})\b"
)
"""Words that speak of some rows of a list that follow each other."""
_THAN = re.compile(
    r"\b(?:than|above|below|over|under|short of|ahead|behind|beat\w*|exceed\w*|miss\w*)\b"
)
_EACH = re.compile(r"\b(?:per|each|apiece|every)\b")
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
    r"|above|below|lead|margin|sav\w+|gain\w*|over the|between|net|altogether|in total|in all|total of"
    r"|add(?:s|ed|ing)? up|combined)\b"
)
"""Words of a clause whose number is most often not that of a single field."""
_ALONE_GAP = 0.6
"""How far a number may be off the only one of its dimension; chosen on the open records."""
_SENTENCE_END = re.compile(r"[.!?;\n](?=\s|\Z)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SURE_DIGITS = 3
"""From so many significant digits on, a match without a cue counts: chance makes few of them."""


_RUNNING = re.compile(
    r"\b(?:lead|led|ahead|level|equal\w*|advantage|made it|half|draw|drew|deficit|trail\w*|behind"
    r"|down|came back|comeback|turned)\b"
)
_CHANGE_WORDS = re.compile(
    r"\b(?:more|less|fewer|higher|lower|up|down|rose|fell|gain\w*|by|loss|increas\w*|decreas\w*"
    r"|grew|growth|cheaper|premium|instead|cost\w*|sav\w*|cut|reduc\w*|drop\w*|slow\w*|short\w*"
    r"|above|below|faster|longer|larger|smaller|shrank|shrunk|climb\w*|declin\w*|missed|short"
    r"|exceed\w*|beat\w*)\b"
)
_NO_RATIO: frozenset[str | None] = frozenset({"share", "temperature", "angle"})
_NEEDS_RELEVANCE = frozenset({"share", "difference", "product", "rate", "total"})
_CERTAIN_DIGITS = 4
"""From so many significant digits on, the sentence need not speak of the facts either."""
_MEANT = {
    "full": "capaci", "empty": "capaci", "old": "born", "aged": "born", "people": "popula",
    "inhabitants": "popula", "residents": "popula",
}  # fmt: skip
"""Words that speak of a field by another name."""
_MEAN_CALL = (
    re.compile(r"\b(?:average|mean)\b(?!\s(?:of|for)\s(?:the|its|all)\b)[^.;,]{0,25}\Z"),
    re.compile(r"[^.;,]{0,12}\bon average"),
)
_SUM_CALL = (
    re.compile(
        r"\b(?:totals? of|sum of|altogether|in all|add(?:s|ed)? up to|combined)\b[^.;,]{0,20}\Z"
    ),
    re.compile(r"[^.;,]{0,25}\b(?:altogether|in all|combined|in total)\b"),
)
"""What calls a number a mean or a sum, before it and after it."""
_SENTENCE_LENGTH = 500
"""Characters before a value in which its sentence most often begins; more are read if not."""
_IN_ALL = re.compile(r"\b(?:in all|altogether|in total)\b")
_ALONE = re.compile(r"\s*(?:[,;:.)]|\Z|of (?:the|its|their) [^,;]*[0-9])")
"""What follows a share that is said of numbers before it."""
_POINTS = re.compile(r" (?:percentage )?points?\b")
_LAST_DAY = dt.date.max.toordinal()
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


# The values of a sentence are explained one after the other.
@lru_cache(maxsize=16)
def _values_of_sentence(sentence: str) -> tuple[ValueSpan, ...]:
    return tuple(find_values(sentence))


class _Sentence:
    """The sentence around a value."""

    def __init__(self, text: str, span: ValueSpan) -> None:
        after = _SENTENCE_END.search(text, span.end)
        self.start = _last_end(text, span.start)
        self.string = text[self.start : after.start() if after else len(text)]
        self.lower = self.string.lower()
        self.span = span
        self.facts: frozenset[int] | None = None
        self.borne: dict[int, bool] = {}

    @cached_property
    def stems(self) -> frozenset[str]:
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

    def calls(self, before: re.Pattern[str], after: re.Pattern[str]) -> bool:
        """Whether the words just before or just after the value match."""
        start, end = self.span.start - self.start, self.span.end - self.start
        found = before.search(self.lower, 0, max(0, start)) or after.match(self.lower, end)
        return found is not None


class _Query(NamedTuple):
    """What is looked for: a quantity, what it may stand for, and the sentence around it."""

    seen: Quantity
    interval: Interval
    span: ValueSpan
    sentence: _Sentence

    @property
    def dimension(self) -> str | None:
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
        return _digits(self.seen) >= _SURE_DIGITS and self.span.hedge in ("none", "about")

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


class Explainer(Terms):
    """Explains the values of texts by some facts: by one of them, or by what several make.

    The facts are indexed once; what follows from several is made when it is first needed.
    """

    def explain(self, span: ValueSpan, text: str) -> tuple[Support, ...]:
        """The facts that a value of a text follows from, or a first derivation; empty if none.

        A value that the text calls an average or a total must be that, not just any value of the
        field.
        """
        sentence = _Sentence(text, span)
        direct = self.index.explain(span, text)
        kept = tuple(one for one in direct if self._fits(one, span, sentence))
        if not kept and span.kind == "score":
            if _RUNNING.search(sentence.lower) and not self._has_sides:
                return (Support((), "score", "a score on the way is not checked"),)
            return tuple(self._running_score(span, sentence))
        if not kept and span.kind == "date" and span.dates:
            return tuple(self._later_dates(span, sentence))
        if kept or not span.quantities or span.kind == "ordinal":
            return kept
        readings = [*span.quantities]
        if span.kind == "number" and not any(one.unit for one in readings):
            units = dict.fromkeys(
                one.unit
                for other in sentence.others
                for one in other.quantities
                if one.unit and UNITS[one.unit].dimension != "share"
            )  # "110 minutes against 95"
            borrowed = [Quantity(readings[0].value, unit) for unit in units]
            for one in borrowed:
                if known := self.index.explain(span._replace(quantities=(one,)), text):
                    return known
            readings += borrowed
        if not readings[0].unit and _POINTS.match(text, span.end):
            readings.append(Quantity(readings[0].value, "percentage point"))
        readings += _without_unit(span.quantities[0])
        for quantity in readings:
            query = _Query(quantity, interval_in(quantity, span), span, sentence)
            certain = query.is_sure and _digits(quantity) >= _CERTAIN_DIGITS
            for found in self._ways(query):
                whole = found.how == "total" and len(found.facts) > 2
                whole = whole and (query.is_sure or query.dimension is not None)
                lasting = found.how == "total" and query.dimension == "time"
                beside = query.is_sure or lasting
                beside = beside and len({self._group(one) for one in found.facts}) == 1
                if certain or whole or beside or found.how not in _NEEDS_RELEVANCE:
                    return (found,)
                if any(self._bears(fact, sentence) for fact in found.facts):
                    return (found,)
        if unit := (*self._other_unit(span, sentence),):
            return unit
        if self.is_misquoted(span, text):
            return ()
        for quantity in readings:
            query = _Query(quantity, interval_in(quantity, span), span, sentence)
            for found in self._reckoned(query):
                return (found,)
        return ()

    def is_misquoted(self, span: ValueSpan, text: str) -> bool:
        """Whether a number seems to be that of a field, or of all its rows, with an error.

        It has the same digits with another unit, or one other digit, or two exchanged, and its
        field is spoken of in the clause, or it has so many digits that chance is unlikely. Or it
        is the only one of its dimension.
        """
        if span.kind != "number" or span.words or not span.quantities:
            return False
        sentence = _Sentence(text, span)
        seen = span.quantities[0]
        digits = _digits(seen)
        unit = UNITS.get(seen.unit or "")
        made = _MADE.search(sentence.clause) is not None
        said = self._values_in(sentence)
        alike = [term for term in self._values if unit and term.dimension == unit.dimension]
        alone = len(alike) == 1 and not made and not _is_made_often(unit)
        for term in (*self._values, *(one for one in self._totals if one.whole)):
            if said.issuperset(term.facts) or term.number:
                continue
            own = UNITS.get(term.unit or "")
            named = self._is_named_in(term, sentence)
            if unit is not None and own is not None and unit is not own:
                same = digits_of(term.raw) == digits_of(seen.value)
                sure = digits > 1 or named or alone or 10 <= term.raw == float(seen.value)
                if same and sure and unit.dimension == own.dimension and not term.parts:
                    return True
                continue
            if alone and term is alike[0] and _ratio(term.raw, float(seen.value)) < _ALONE_GAP:
                return True
            many = digits >= _SURE_DIGITS and (unit is not None or digits > _SURE_DIGITS)
            told = named and (digits >= _SURE_DIGITS or not made)
            if (told or (many and not made)) and is_misprint(str(seen.value), term.raw):
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
        sentence = _Sentence(text, span)
        named = self._are_words_in(parts_of_key(self.index.facts[place].key)[-1], sentence)
        return named or _MADE.search(sentence.clause) is not None

    def _is_named_in(self, term: Term, sentence: _Sentence) -> bool:
        """Whether the clause has a word of the field of a term, or of the list of a total."""
        parts = parts_of_key(term.field)
        return self._are_words_in(" ".join(parts if term.parts else parts[-1:]), sentence)

    def _are_words_in(self, key: str, sentence: _Sentence) -> bool:
        words = {short_stem(word) for word in _WORD.findall(sentence.clause)}
        return bool(words.intersection(stems_of_key(key)))

    def can_check_share(self, span: ValueSpan, text: str) -> bool:
        """Whether a sentence speaks of two numbers of one kind that may make a share."""
        sentence = _Sentence(text, span)
        told = Counter(
            term.dimension
            for term in self._values
            if self._spoken_of(term.facts[0], sentence) > 1
            or term.facts[0] in self._values_in(sentence)
        )
        return any(count > 1 for count in told.values())

    def _other_unit(self, span: ValueSpan, sentence: _Sentence) -> Iterator[Support]:
        """A number of the data whose unit is unknown, or read as that of another dimension.

        A key may have a unit that we do not know (`pump_l_min`) or a scale (`price_musd`), so a
        number that the sentence speaks of is not called wrong for its unit, unless the data has
        another unit of the same dimension: 60 mm is not 60 cm.
        """
        seen = span.quantities[0]
        unit = UNITS.get(seen.unit or "")
        code = rf"[A-Za-z]{seen.value}(?![0-9])|(?<![0-9.]){seen.value}[A-Za-z]"
        for fact in self.index.figures.get(str(seen.value), ()) if seen.value >= 10 else ():
            known = self.index.facts[fact]
            if re.search(code, f"{known.key} {known.value}") and self._bears(fact, sentence):
                yield Support((fact,), "part", known.value)
                return
        for fact, known in enumerate(self.index.facts) if seen.value >= 10 else ():
            figures = re.findall(r"[0-9]+", known.key)  # `charge_10_80_min`
            if str(seen.value) in figures and self._bears(fact, sentence):
                yield Support((fact,), "part", known.key)
                return
        for scale in (1.0, 1e3, 1e6):
            number = float(seen.value) / scale
            half = Interval(number * (1 - 1e-9), number * (1 + 1e-9))
            for term in () if span.hedge == "none" and scale > 1 and number < 1 else self._values:
                own = UNITS.get(term.unit or "")
                if own is not None and scale == 1.0 and own.dimension not in ("time", "volume"):
                    continue  # the key may have two units: `pump_l_min`
                if not is_near(abs(term.raw), half) or (
                    unit and own and scale == 1.0 and own.dimension == unit.dimension
                ):
                    continue
                if scale > 1 and own is not None and own.dimension not in CURRENCIES:
                    continue
                if _digits(seen) >= _SURE_DIGITS or self._is_told(term, sentence):
                    yield self._support([term], "unit")
                    return

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

    @cached_property
    def _has_sides(self) -> bool:
        return any("home" in words_of_key(fact.key) for fact in self.index.facts)

    def _running_score(self, span: ValueSpan, sentence: _Sentence) -> Iterator[Support]:
        """A score on the way to the final one: "took a 2-1 lead"."""
        if not _RUNNING.search(sentence.lower):
            return
        first, second = (float(one.value) for one in span.quantities)
        sides: dict[str, dict[str, Term]] = defaultdict(dict)
        for term in self._values:
            role = next((one for one in ("home", "away") if one in words_of_key(term.field)), None)
            if role:
                sides[term.field.replace(role, "")][role] = term
        for pair in sides.values():
            if len(pair) == 2:
                low, high = sorted(one.raw for one in pair.values())
                if min(first, second) <= low and max(first, second) <= high:
                    yield self._support(pair.values(), "score")
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
        named = any(name in sentence.lower for name in self._names_around(fact.group))
        return 2 * len(sentence.stems.intersection(stems_of_key(fact.key))) + named

    def _bears(self, place: int, sentence: _Sentence) -> bool:
        """Whether a sentence speaks of a fact: of its key, or of a value of its object."""
        known = sentence.borne.get(place)
        if known is None:
            group = self.index.facts[place].group
            others = self._values_in(sentence)
            known = self._spoken_of(place, sentence) > 0 or place in others
            known = known or bool(group and any(self._group(one) == group for one in others))
            sentence.borne[place] = known
        return known

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
            if sentence.calls(*_MEAN_CALL) and not own & _MEAN_KEYS:
                return False
            if sentence.calls(*_SUM_CALL) and not own & _SUM_KEYS:
                return False
        return True

    def _ways(self, query: _Query) -> Iterator[Support]:
        """Every derivation, the likeliest kinds first."""
        if query.seen.unit == "cent":
            return
        if query.sentence.calls(*_MEAN_CALL) and query.seen.unit != "percent":
            yield from self._means(query)
            yield from self._rates(query)
            yield from self._lapses(query)
            return
        if query.seen.unit == "percentage point":
            yield from self._gaps(query._replace(seen=Quantity(query.seen.value, "percent")))
            return
        if query.span.kind in ("share", "ratio") or query.seen.unit == "percent":
            if query.span.kind == "ratio" or query.speaks(_SHARE_WORDS):
                one = 1.0 if query.span.kind == "ratio" else 0.01
                yield from self._ratios(scaled(query.interval, one), query.sentence)
            if query.seen.unit == "percent" and query.speaks(_MEAN_WORDS):
                yield from self._means(query)
            return
        if query.dimension in (None, "time"):
            yield from self._counts(query)
            yield from self._lapses(query)
        if query.seen.unit == "degree":  # of temperatures: "47 degrees warmer"
            yield from self._gaps(query._replace(seen=Quantity(query.seen.value, "degree Celsius")))
        yield from self._sums(query, cued=query.speaks(_SUM_WORDS))
        if query.speaks(_MEAN_WORDS):
            yield from self._means(query)
        if query.dimension != SCALED or query.is_sure:
            yield from self._gaps(query, cued=query.speaks(_GAP_WORDS))
        if query.dimension in (UNKNOWN, SCALED):
            return
        if query.speaks(_PRODUCT_WORDS):
            yield from self._products(query)
        if _RATE_WORDS.search(query.sentence.lower) or query.dimension is None:
            yield from self._rates(query)

    # Terms --------------------------------------------------------------------------------------

    def _related(self, one: Term, other: Term, sentence: _Sentence, loose: bool) -> bool:
        """Whether two terms may be combined: one field, one object, or both are spoken of."""
        if {*one.facts} & {*other.facts}:
            return False
        if one.field == other.field and one.whole == other.whole:
            return True
        told = self._is_told(one, sentence), self._is_told(other, sentence)
        within = is_within(one.group, other.group) or is_within(other.group, one.group)
        if within and one.group != other.group and "" in (one.group, other.group):
            return any(told) if loose or one.dimension else all(told)
        if within or (one.whole and other.whole):
            return any(told)
        if one.single or other.single:
            return any(told) if loose else all(told)
        shared = {*self._names_of_groups.get(one.group, ())}
        return bool(shared.intersection(self._names_of_groups.get(other.group, ())))

    def _is_told(self, term: Term, sentence: _Sentence) -> bool:
        return any(self._bears(fact, sentence) for fact in term.facts[:8])

    def _support(self, terms: Iterable[Term], how: str) -> Support:
        terms = [*terms]
        places = tuple(dict.fromkeys(fact for term in terms for fact in term.facts))
        shown = ", ".join(self.index.facts[place].value for place in places[:4])
        more = ", …" if len(places) > 4 else ""
        name = " and ".join(dict.fromkeys(term.field for term in terms))
        return Support(places, how, f"{how} of {name} ({shown}{more})")

    # Sums, means and differences ----------------------------------------------------------------

    def _sums(self, query: _Query, *, cued: bool) -> Iterator[Support]:
        """A total, the sum of neighbouring rows, or the sum of two terms.

        Without words that call for a sum, only what a named object makes counts, or the sum of
        numbers that the sentence has.
        """
        for number, term in self._views(query.dimension, self._totals):
            measured = term.whole and query.dimension is not None
            if query.dimension is None and term.parts > 2:
                measured = measured or query.seen.value >= 10
            if is_near(abs(number), query.base) and (
                cued or measured or self._is_named(term, query.sentence)
            ):
                yield self._support([term], "product" if " times " in term.field else "total")
        for terms in self._columns:
            some = [
                (number, term)
                for number, term in self._views(query.dimension, terms[:MOST])
                if self._is_named(term, query.sentence)
            ]
            if len(some) > 1 and is_near(sum(number for number, _ in some), query.base):
                yield self._support([term for _, term in some], "total")
        for terms in self._fields if cued and _SOME_ROWS.search(query.sentence.lower) else ():
            numbers = self._views(query.dimension, terms[:MOST])
            if self._is_told(terms[0], query.sentence):
                for first in range(len(numbers)):
                    total = numbers[first][0]
                    for number, last in numbers[first + 1 :]:
                        total += number
                        if is_near(total, query.base):
                            yield self._support([numbers[first][1], last], "total")
        for number, one in self._views(query.dimension, self._values):
            rest = Interval(query.base.low - number, query.base.high - number)
            for other in self._partners(query.dimension, rest):
                related = one.field != other.field and one.unit == other.unit
                related = related and (one.single or not other.whole)
                related = related and query.is_exact(one, other)
                if one.whole or other.whole:
                    related = related and all(
                        self._is_told(term, query.sentence) for term in (one, other)
                    )
                related = related and self._related(one, other, query.sentence, query.is_loose)
                if related and (cued or self._are_in(query.sentence, one, other)):
                    yield self._support([one, other], "total")

    def _means(self, query: _Query) -> Iterator[Support]:
        for number, term in self._views(query.dimension, self._totals):
            if term.mark and short_stem(term.mark) not in query.sentence.stems:
                continue
            if term.parts and is_near(number / term.parts, query.base):
                yield self._support([term], "mean")
        some = query.is_sure and _SOME_ROWS.search(query.sentence.lower)
        for terms in self._fields if some else ():
            numbers = [number for number, _ in self._views(query.dimension, terms[:MOST])]
            for first, last in combinations(range(len(numbers) + 1), 2):
                if last > first + 1 and is_near(
                    sum(numbers[first:last]) / (last - first), query.base
                ):
                    yield self._support(terms[first:last], "mean")

    def _is_row(self, one: Term, other: Term, sentence: _Sentence) -> bool:
        """Whether a sentence speaks of a row of one of two terms, or they are ends of a field."""
        return (
            self._are_ends(one, other)
            or any(self._is_named(term, sentence) for term in (one, other))
            or any(self._are_in(sentence, term) for term in (one, other))
        )

    def _is_named(self, term: Term, sentence: _Sentence) -> bool:
        """Whether the object of a term is named in a sentence."""
        return any(
            name in sentence.lower
            for fact in term.facts[:1]
            for name in self._names_around(self.index.facts[fact].group)
        )

    def _are_in(self, sentence: _Sentence, *terms: Term) -> bool:
        """Whether a sentence has the values of some terms."""
        return self._values_in(sentence).issuperset(fact for term in terms for fact in term.facts)

    def _gaps(self, query: _Query, *, cued: bool = True) -> Iterator[Support]:
        """The difference between two terms: of one field, of one object, or single ones."""
        if query.gap.high < 0:
            return
        for number, _, one in self._ordered(query.dimension):
            apart = Interval(number + max(query.gap.low, 0.0), number + query.gap.high)
            for other in self._partners(query.dimension, apart):
                near = one.field == other.field and self._are_ends(one, other)
                related = other.unit == one.unit and query.is_exact(one, other)
                related = related and self._related(one, other, query.sentence, query.is_loose)
                if related and (cued or self._are_in(query.sentence, one, other)):
                    yield self._support([other, one], "change" if near else "difference")

    def _are_ends(self, one: Term, other: Term) -> bool:
        """Whether two numbers are the first and last, or the highest and lowest, of a field."""
        for terms in self._fields:
            if terms[0].field == one.field and one in terms and other in terms:
                ordered = sorted(terms, key=lambda term: term.base)
                pair = {one.base, other.base}
                return pair in (
                    {terms[0].base, terms[-1].base},
                    {ordered[0].base, ordered[-1].base},
                )
        return False

    def _lapses(self, query: _Query) -> Iterator[Support]:
        """The time between two dates or times of the data."""
        if query.dimension is None:
            whole = query.seen.value == query.seen.value.to_integral_value()
            if not whole or not re.search(r"\b(?:aged?|years?|old|at)\b", query.sentence.lower):
                return
            interval = scaled(query.interval, UNITS["year"].factor)
        else:
            interval = query.base
        cued = query.speaks(_GAP_WORDS)
        # A text counts whole days, months and years: a day, half a month or a year more is right.
        slack = 0.0
        if interval.high >= 86400:
            slack = 1.5 * 86400 if interval.high < 8e6 else 16 * 86400.0
        slack = slack if interval.high < 6e7 else 366 * 86400.0
        wide = Interval(interval.low - slack, interval.high + slack)
        for moments in (self._moments, self._laps):
            for one, other in _apart(moments, wide):
                if not cued and self._group(one) != self._group(other):
                    continue
                name = f"{self.index.facts[one].key} to {self.index.facts[other].key}"
                shown = f"{self.index.facts[one].value}, {self.index.facts[other].value}"
                yield Support((one, other), "time", f"time of {name} ({shown})")

    def _later_dates(self, span: ValueSpan, sentence: _Sentence) -> Iterator[Support]:
        """A date that lies a duration of the data after or before a date of the data."""
        lasting = [one for one in self._values if one.dimension == "time" and one.base >= 86400]
        for term in lasting[:MOST]:
            if not self._is_told(term, sentence):
                continue
            for seconds, place in self._moments:
                for day in (seconds + term.base, seconds - term.base):
                    number = int(day // 86400)
                    if not 1 <= number <= _LAST_DAY:
                        continue
                    made = dt.date.fromordinal(number)
                    parts = (made.year, made.month, made.day)
                    if any(
                        all(own in (None, part) for own, part in zip(one, parts, strict=True))
                        for date in span.dates
                        for one in [(date.year, date.month, date.day)]
                    ):
                        yield Support((place, *term.facts), "time", f"{made.isoformat()}")
                        return

    # Shares, multiples, rates and products ------------------------------------------------------

    def _ratios(self, interval: Interval, sentence: _Sentence) -> Iterator[Support]:
        """One term as a share or a multiple of another, or the change from one to another."""
        for term in self._values:
            plain = term.dimension is None and term.group in self._hundreds
            if plain and is_near(term.raw / 100, interval):
                yield self._support([term], "percentage")
        ways = [interval]
        own = sentence.span
        before = sentence.lower[: max(0, own.begin - sentence.start)]
        if _CHANGE_WORDS.search(f"{before} {sentence.lower[own.end - sentence.start :]}"):
            ways.append(Interval(1 - interval.high, 1 - interval.low))
            ways.append(Interval(1 + interval.low, 1 + interval.high))
        for dimension in {None, *(term.dimension for term in self._values)} - _NO_RATIO:
            for number, _, one in self._ordered(dimension):
                # Of two numbers as they are written, one may have its unit further up in the data.
                mixed = dimension is None and one.dimension not in _NO_RATIO
                if number <= 0 or not (one.dimension == dimension or mixed):
                    continue
                if dimension is None and number < 1:
                    continue  # 0.2 is a share itself
                for way in ways:
                    for other in self._partners(dimension, scaled(way, number)):
                        part = other.facts[0] in one.facts and one.parts > 0
                        alike = other.dimension == one.dimension or None in (
                            *(one.dimension, other.dimension),
                        )
                        of_one = any(
                            a.single
                            and (b.whole or a is one)
                            and self._spoken_of(a.facts[0], sentence) > 1
                            for a, b in ((one, other), (other, one))
                        )
                        row = one.field != other.field or self._is_row(one, other, sentence)
                        related = row and self._related(one, other, sentence, loose=False)
                        if not self._is_of_said(one, other, sentence):
                            continue
                        if alike and (part or of_one or related):
                            yield self._support([other, one], "share")
        yield from self._ratios_in_sentence(interval, sentence)

    def _is_of_said(self, one: Term, other: Term, sentence: _Sentence) -> bool:
        """Whether a share is one of a number before it, if it stands by itself: "23 of 28, 90%"."""
        place = sentence.span.begin - sentence.start
        after = sentence.lower[sentence.span.end - sentence.start :]
        if not sentence.lower[:place].rstrip().endswith(",") or not _ALONE.match(after):
            return True
        said = {
            fact
            for fact in self._values_in(sentence)
            if self.index.readings[fact].quantities and not self.index.readings[fact].clocks
        }
        fields = {self.index.facts[fact].key for fact in said}
        facts = {*one.facts, *other.facts}
        return (
            not said
            or bool(said & facts)
            or any(self.index.facts[fact].key in fields for fact in facts)
        )

    def _ratios_in_sentence(self, interval: Interval, sentence: _Sentence) -> Iterator[Support]:
        """A share of a number that the sentence itself gives: "just over half of these 93"."""
        for other in sentence.others:
            for quantity in other.quantities[:1]:
                whole = float(quantity.value)
                if whole <= 0 or quantity.unit == "percent":
                    continue
                unit = UNITS.get(quantity.unit or "")
                for term in self._values:
                    if term.dimension != (unit and unit.dimension):
                        continue
                    near = is_near(term.raw / whole, interval)
                    if near and self._spoken_of(term.facts[0], sentence) > 0:
                        yield self._support([term], "share")

    def _products(self, query: _Query) -> Iterator[Support]:
        """An amount times a number of pieces, or an amount and its share."""
        dimension = query.dimension
        money = dimension in CURRENCIES
        factors = [
            (factor, term)
            for term in (*self._values, *(one for one in self._totals if one.whole))
            if not term.number and (term.dimension in (None, "share") or money)
            for factor in (
                [term.base, 1 + term.base, 1 - term.base]
                if term.dimension == "share"
                else [term.raw]
            )
            if factor > 0
        ]
        for factor, one in factors:
            rest = Interval(query.base.low / factor, query.base.high / factor)
            for other in self._partners(dimension, rest):
                whole = (one.single or one.whole) and (other.single or other.whole)
                near = (
                    whole or one.group == other.group or (one.single and one.dimension == "share")
                )
                told = query.is_sure or self._is_told(other, query.sentence)
                told = told or (one.dimension == "share" and self._are_in(query.sentence, one))
                told = told or (whole and _IN_ALL.search(query.sentence.lower) is not None)
                told = told and (one.dimension != "share" or self._is_told(one, query.sentence))
                if near and other.field != one.field and told:
                    yield self._support([other, one], "product")

    def _rates(self, query: _Query) -> Iterator[Support]:
        """What one number makes per another: euros per square metre, people per household."""
        crowd = query.dimension == "population density"
        dimension = None if crowd else query.dimension
        for under in (*self._values, *(one for one in self._totals if one.whole)):
            if under.dimension == "share" or (crowd and under.dimension != "area"):
                continue
            if under.dimension == dimension and dimension is not None:
                continue
            sizes = {under.base} if crowd else {under.raw}
            for size in sizes if dimension is None or crowd else {under.raw, under.base}:
                if size <= 0 or size == 1:
                    continue
                for top in self._partners(dimension, scaled(query.base, size)):
                    if top.field == under.field or {*top.facts} & {*under.facts}:
                        continue
                    single = (top.single or top.whole) and (under.single or under.whole)
                    each = _EACH.search(query.sentence.lower) is not None
                    listed = under.single and each
                    if (
                        (single or listed or top.group == under.group)
                        and (each or self._is_told(top, query.sentence))
                        and (each or self._is_told(under, query.sentence))
                    ):
                        yield self._support([top, under], "rate")

    # Arithmetic without a look at the words of the fields -----------------------------------------

    def _reckoned(self, query: _Query) -> Iterator[Support]:
        """What two numbers of kinds that fit make, whatever their fields are called.

        Texts name fields by other words than the data, so the words of the clause only choose the
        operation. A number that the sentence itself has may be one of the two.
        """
        if query.dimension in (UNKNOWN, SCALED) or query.seen.unit == "cent":
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
            query.dimension is None and query.sentence.calls(*_MEAN_CALL)
        )
        for factor, one in self._factors(query) if is_product or is_rate else ():
            ways = [("product", 1 / factor)] if is_product else []
            if is_rate and one.dimension != "share":
                ways += [("rate", factor), ("rate", factor / 100)]
            for how, scale in ways:
                for _, other in _between(operands, low * scale, high * scale):
                    if self._goes_with(one, other) and self._is_known(query, one, other):
                        yield self._support([other, one], how)

    def _speeds(self, query: _Query) -> Iterator[Support]:
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

    def _reckoned_share(self, query: _Query) -> Iterator[Support]:
        """A share of two numbers of one kind, of which the sentence speaks or has one."""
        one_percent = 1.0 if query.span.kind == "ratio" else 0.01
        interval = scaled(query.interval, one_percent)
        ways = [interval]
        if _CHANGE_WORDS.search(query.sentence.lower):
            ways += [
                Interval(1 - interval.high, 1 - interval.low),
                Interval(1 + interval.low, 1 + interval.high),
            ]
        for dimension in {None, *(term.dimension for term in self._values)} - _NO_RATIO:
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

    def _is_known(self, query: _Query, *terms: Term) -> bool:
        """Whether the sentence has or speaks of a term; a measured number may go without."""
        if query.dimension is not None and query.span.hedge == "none":
            return True
        every = all if query.span.hedge not in ("none", "about") else any  # wide intervals
        return every(term.said or self._is_told(term, query.sentence) for term in terms)

    def _operands(
        self, dimension: str | None, unit: str | None, sentence: _Sentence
    ) -> list[tuple[float, Term]]:
        """The numbers that may be added to, or taken from, one of a dimension, in order.

        A number without a unit may have that of the text, unless its key says otherwise.
        """
        own = UNITS.get(unit or "")
        kind = "money" if dimension in CURRENCIES else dimension
        found: list[tuple[float, Term]] = []
        totals = [term for term in self._totals if term.whole or unit is None]
        for term in (*self._values, *self._spells, *totals, *_terms_said(sentence)):
            if term.dimension == dimension:
                found.append((term.base if dimension is not None else term.raw, term))
            elif term.dimension is not None or own is None:
                continue
            elif dimension_of_key(term.field) in (None, kind):
                found.append((own.base(term.raw) if not own.offset else term.raw, term))
        return sorted(found, key=lambda pair: pair[0])

    def _factors(self, query: _Query) -> list[tuple[float, Term]]:
        """The numbers by which another may be multiplied or divided to make the one in question."""
        dimension = query.dimension
        found: list[tuple[float, Term]] = []
        whole = [term for term in self._totals if term.whole]
        for term in (*self._values, *whole, *_terms_said(query.sentence)):
            if term.dimension == dimension and dimension is not None:
                continue
            if term.dimension == "share":
                found += [(term.base, term), (1 + term.base, term), (1 - term.base, term)]
            else:
                found.append((term.raw, term))
                if term.dimension == "time" and dimension is not None:
                    found.append((term.base / 3600, term))
        return [(factor, term) for factor, term in found if factor > 0 and factor != 1]

    # Counts -------------------------------------------------------------------------------------

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
        for terms in self._fields:
            if not words.intersection(stems_of_key(terms[0].field)):
                continue
            above = sum(term.base > 0 for term in terms)
            for number in {above, len(terms) - above}:
                if number == count:
                    yield Support((), "count", f"number of {terms[0].field}")


def _without_unit(seen: Quantity) -> list[Quantity]:
    """A quantity as the number of a field that has no unit, or a scale that we do not know."""
    unit = UNITS.get(seen.unit or "")
    if unit is not None and unit.dimension in ("share", "cents"):
        return []
    numbers = [seen.value] if unit is not None else []
    if unit is not None and unit.dimension in ("length", "mass", "volume") and unit.factor != 1:
        numbers.append(Decimal(repr(round(unit.base(float(seen.value)), 9))))
    found = [Quantity(number, UNKNOWN) for number in numbers]
    if seen.value >= 10**5 and _digits(seen) > 1:
        found += [Quantity(seen.value.scaleb(power), SCALED) for power in (-3, -6)]
    return found


def _between(
    operands: Sequence[tuple[float, Term]], low: float, high: float
) -> Sequence[tuple[float, Term]]:
    """The numbers between two, apart from errors of rounding, of those in order."""
    slack = 1e-6 * max(abs(low), abs(high))
    first = bisect_left(operands, low - slack, key=_number)
    return operands[first : bisect_right(operands, high + slack, key=_number)]


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


def _terms_said(sentence: _Sentence) -> list[Term]:
    """The other numbers of a sentence as terms."""
    found: list[Term] = []
    for span in sentence.others:
        for quantity in span.quantities[:1] if span.kind == "number" else ():
            unit = UNITS.get(quantity.unit or "")
            raw = float(quantity.value)
            found.append(
                Term(
                    raw, unit.base(raw) if unit else raw, unit.dimension if unit else None, (),
                    f"the text ({span.start})", "", unit=quantity.unit, said=True,
                )  # fmt: skip
            )
    return found


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


def _digits(seen: Quantity) -> int:
    figures = "".join(map(str, seen.value.as_tuple().digits)).strip("0")
    return len(figures)
