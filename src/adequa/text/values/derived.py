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
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import combinations, permutations

from adequa.text.sentences import word_set
from adequa.text.values.arithmetic import (
    CHANGE_WORDS,
    MEAN_CALL,
    NO_RATIO,
    SURE_DIGITS,
    Arithmetic,
    Query,
    Sentence,
    significant_digits,
)
from adequa.text.values.facts import Support, interval_in
from adequa.text.values.numbers import Hedge, Interval, Quantity
from adequa.text.values.spans import ValueSpan
from adequa.text.values.terms import (
    MOST,
    PIECES,
    SCALED,
    UNKNOWN,
    Term,
    is_near,
    is_within,
    scaled,
    stems_of_key,
)
from adequa.text.values.units import (
    CURRENCIES,
    UNITS,
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
    r"|page|pages|further|not|without|never)\b"
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
    r"|charged?|gave|leav\w+|left|rest|remain\w*)\b"
)
_SOME_ROWS = re.compile(
    r"\b(?:first|last|final|opening|between|from|until|through|half|quarter|weekend|remaining|rest"
    r"|two|three|four|both|early|late|weekdays|working days|(?:in|for|of) 20[0-9]{2})\b"
)
"""Words that speak of some rows of a list that follow each other."""
_EACH = re.compile(r"\b(?:per|each|apiece|every)\b")


_DOWNWARDS = re.compile(
    r"\b(?:f[ae]ll\w*|drop\w*|down|below|retreat\w*|rece\w+|los[est]\w*|lost|shr[aiu]nk\w*|lower"
    r"|declin\w*|decreas\w*|short|deficit|less|fewer|behind|cut|reduc\w*|slip\w*|slid\w*|dip\w*"
    r"|withdr\w*|refund\w*|discount\w*|off|weak\w*|negative|churn\w*|cancel\w*|downgrad\w*)\b"
)
"""Words with which a text says a negative number of the data without its sign."""
_OTHERS = re.compile(
    r"\b(?:not|n[o']t|never|without|rest|others?|remain\w*|un\w{3,}|missed|missing|absent|fail\w*"
    r"|except|all but|free|empty|complet\w*|nobody|none)\b"
)
"""Words that speak of what a share leaves."""
_OF_THEM = re.compile(r"[^.;]{0,60}?\b(?:of (?:them|which|whom|these)|as many)\b")
"""Words after a number whose parts follow."""
_PER_HUNDRED = re.compile(r"per[_ ]?100[_ ]?(g|ml)", re.IGNORECASE)
_PERIOD_SAID = re.compile(
    r"(?:\s[a-z]+)?\s(?:an?|per|each|every)\s(?P<period>hour|day|night|week|month|year)\b"
)
_PERIODS = {
    "hour": 1 / 24, "day": 1.0, "daily": 1.0, "night": 1.0, "week": 7.0, "weekly": 7.0,
    "month": 365.25 / 12, "monthly": 365.25 / 12, "mo": 365.25 / 12, "quarter": 365.25 / 4,
    "year": 365.25, "yearly": 365.25, "annual": 365.25, "yr": 365.25, "annum": 365.25,
}  # fmt: skip
"""The days of the periods for which keys and texts give a rate."""
_PERIOD_SLACK = 0.02
"""How far a rate may be off for periods of other lengths: a month may have four weeks and more."""
_FIRST_ROWS = re.compile(
    r"\b(?P<n>two|three|four|five|six|seven|eight|nine|ten|[2-9])\s(?:\w+\s)?"
    r"(?:\w{3,}est|top|bottom|best|worst|first|last|least|leading|most \w+|least \w+)\b"
    r"|\b(?:top|bottom|first|last|best|worst|\w{3,}est)\s"
    r"(?P<m>two|three|four|five|six|seven|eight|nine|ten|[2-9])\b"
)
"""Some rows at the top or the bottom of a list by one of its fields: "the three lowest ratings"."""
_ROW_COUNTS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip


_RUNNING = re.compile(
    r"\b(?:lead|led|ahead|level|equal\w*|advantage|made it|half|draw|drew|deficit|trail\w*|behind"
    r"|down|came back|comeback|turned)\b"
)
_NEEDS_RELEVANCE = frozenset({"share", "difference", "product", "rate", "total"})
_LARGE_TOTAL = 100
"""From here on the total of a field over all rows counts without its words: passengers are `pax`.

Chosen on records s to v of 180 that were written for calibration.
"""
_CERTAIN_DIGITS = 4
"""From so many significant digits on, the sentence need not speak of the facts either."""
_SUM_CALL = (
    re.compile(
        r"\b(?:totals? of|sum of|altogether|in all|add(?:s|ed)? up to|combined)\b[^.;,]{0,20}\Z"
    ),
    re.compile(r"[^.;,]{0,25}\b(?:altogether|in all|combined|in total)\b"),
)
"""What calls a number a mean or a sum, before it and after it."""
_GAP_CALL = (
    re.compile(
        r"\b(?:by|another|further|extra|additional|gain\w*|lost|rose|risen|fell|net|plus|minus"
        r"|fallen|(?:margin|difference|gap|lead|balance|surplus|deficit|rise|increase) of)\s\Z"
    ),
    re.compile(r"\s(?:more|less|fewer|short|above|below|ahead|behind|apart|\w{3,}er)\b"),
)
"""The same for a difference."""
_RECKONED = re.compile(
    r"\b(?:per|each|every|apiece|averag\w*|density|speed|pace|works? out|rate|knots|km/h|mph|m/s"
    r"|altogether|in all|totals?|in total|whole|entire|makes?|com(?:es?|ing) to|came to)\b"
)
"""Words of a clause that say that its number is calculated."""
_IN_ALL = re.compile(r"\b(?:in all|altogether|in total)\b")
_ALONE = re.compile(r"\s*(?:[,;:.)]|\Z|of (?:the|its|their) [^,;]*[0-9])")
"""What follows a share that is said of numbers before it."""
_POINTS = re.compile(r" (?:percentage )?points?\b")
_LAST_DAY = dt.date.max.toordinal()
_DAY = 86400.0
_MEAN_KEYS = word_set("avg average mean typical median")
_SUM_KEYS = word_set("total totals sum gross overall cumulative")


class Explainer(Arithmetic):
    """Explains the values of texts by some facts: by one of them, or by what several make.

    The facts are indexed once; what follows from several is made when it is first needed.
    """

    def explain(self, span: ValueSpan, text: str) -> tuple[Support, ...]:
        """The facts that a value of a text follows from, or a first derivation; empty if none.

        A value that the text calls an average or a total must be that, not just any value of the
        field.
        """
        sentence = Sentence(text, span)
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
        if below := (*self._below_zero(span, sentence),):
            return below
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
        if readings[0].unit == "degree":
            readings.append(Quantity(readings[0].value, "degree Celsius"))
        readings += _without_unit(span.quantities[0])
        for quantity in readings:
            query = Query(quantity, interval_in(quantity, span), span, sentence)
            certain = query.is_sure and significant_digits(quantity) >= _CERTAIN_DIGITS
            for found in self._ways(query):
                if self._is_by_chance(found, sentence):
                    continue
                whole = found.how == "total" and len(found.facts) > 2
                whole = whole and (
                    query.is_sure or query.dimension is not None or quantity.value >= _LARGE_TOTAL
                )
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
            query = Query(quantity, interval_in(quantity, span), span, sentence)
            for found in self._reckoned(query):
                if not self._is_by_chance(found, sentence):
                    return (found,)
        return ()

    def _is_by_chance(self, found: Support, sentence: Sentence) -> bool:
        """Whether a product or a rate has a factor that nothing in the sentence speaks of.

        Of two fields that occur once one may be a number of pieces, for which a price or a weight
        is given; any other, such as the slots of a phone and its price, has no such meaning.
        """
        if found.how not in ("product", "rate") or len(found.facts) != 2:
            return False
        if _RECKONED.search(sentence.clause):
            return False
        keys = [self.index.facts[fact].key for fact in found.facts]
        if any(key in self._members for key in keys) or any(map(PIECES.search, keys)):
            return False
        return not all(self._bears(fact, sentence) for fact in found.facts)

    def can_check_share(self, span: ValueSpan, text: str) -> bool:
        """Whether a sentence speaks of two numbers of one kind that may make a share."""
        sentence = Sentence(text, span)
        told = Counter(
            term.dimension
            for term in self._values
            if self._spoken_of(term.facts[0], sentence) > 1
            or term.facts[0] in self._values_in(sentence)
        )
        return any(count > 1 for count in told.values())

    def _other_unit(self, span: ValueSpan, sentence: Sentence) -> Iterator[Support]:
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
                if significant_digits(seen) >= SURE_DIGITS or self._is_told(term, sentence):
                    yield self._support([term], "unit")
                    return

    def is_gap(self, span: ValueSpan, text: str) -> bool:
        """Whether words beside a number call it a difference, and two facts spoken of make it."""
        sentence = Sentence(text, span)
        if not span.quantities or not sentence.calls(*_GAP_CALL):
            return False
        readings = [*span.quantities[:1]]
        if not readings[0].unit:
            readings.append(Quantity(readings[0].value, "percent"))  # "a net score of plus 52"
        for quantity in readings:
            query = Query(quantity, interval_in(quantity, span), span, sentence)
            for found in self._gaps(query):
                if any(self._bears(fact, sentence) for fact in found.facts):
                    return True
        return False

    def derives(self, span: ValueSpan, text: str, place: int) -> bool:
        """Whether a value follows from several facts, one of which is that at a place."""
        if not span.quantities:
            return False
        sentence = Sentence(text, span)
        for quantity in span.quantities:
            query = Query(quantity, interval_in(quantity, span), span, sentence)
            if any(place in found.facts for found in self._ways(query)):
                return True
        return False

    @cached_property
    def _has_sides(self) -> bool:
        return any("home" in words_of_key(fact.key) for fact in self.index.facts)

    def _running_score(self, span: ValueSpan, sentence: Sentence) -> Iterator[Support]:
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

    def _fits(self, support: Support, span: ValueSpan, sentence: Sentence) -> bool:
        """Whether a value of the data is what the words beside the number call it."""
        fact = support.facts[0]
        if span.kind == "score" or support.how == "part":
            return True
        key = self.index.facts[fact].key
        if len(self._members.get(key, ())) > 1:
            own = {*words_of_key(key)}
            if sentence.calls(*MEAN_CALL) and not own & _MEAN_KEYS:
                return self._is_only_row(fact, sentence)  # `arpa_usd` of a row that is named
            if sentence.calls(*_SUM_CALL) and not own & _SUM_KEYS:
                return False
        return True

    def _is_only_row(self, fact: int, sentence: Sentence) -> bool:
        """Whether a sentence names the row of a fact, and no other row of its field."""
        rows = {self._group(one) for one in self._members[self.index.facts[fact].key]}
        for words in (sentence.clause, sentence.lower):
            named = {
                row
                for row in rows
                if any(name in words for name in self._names_of_groups.get(row, ()))
            }
            if named:
                return named == {self._group(fact)}
        return False

    def _below_zero(self, span: ValueSpan, sentence: Sentence) -> Iterator[Support]:
        """A negative number that the text gives without its sign: "retreated by 34 m"."""
        if span.kind != "number" or not _DOWNWARDS.search(sentence.lower):
            return
        negated = tuple(Quantity(-one.value, one.unit) for one in span.quantities if one.value > 0)
        hedges: dict[str, Hedge] = {"just over": "just under", "just under": "just over"}
        hedges |= {"over": "under", "under": "over"}
        hedge = hedges.get(span.hedge, span.hedge)
        if negated:
            opposite = span._replace(quantities=negated, hedge=hedge)
            yield from self.index.explain(opposite, "")

    def _ways(self, query: Query) -> Iterator[Support]:
        """Every derivation, the likeliest kinds first."""
        if query.seen.unit == "cent":
            if query.speaks(_GAP_WORDS):
                yield from self._gaps(query)
            return
        if query.sentence.calls(*MEAN_CALL) and query.seen.unit != "percent":
            yield from self._means(query)
            yield from self._rates(query)
            yield from self._lapses(query)
            yield from self._portions(query)
            return
        if query.seen.unit == "percentage point":
            yield from self._gaps(query._replace(seen=Quantity(query.seen.value, "percent")))
            yield from self._gaps_of_shares(query)
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
        yield from self._portions(query)
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

    def _related(self, one: Term, other: Term, sentence: Sentence, loose: bool) -> bool:
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

    # Sums, means and differences ----------------------------------------------------------------

    def _sums(self, query: Query, *, cued: bool) -> Iterator[Support]:
        """A total, the sum of neighbouring rows, or the sum of two terms.

        Without words that call for a sum, only what a named object makes counts, or the sum of
        numbers that the sentence has.
        """
        for number, term in self._views(query.dimension, self._totals):
            measured = term.whole and query.dimension is not None
            if query.dimension is None and term.parts > 2:
                measured = measured or query.seen.value >= 10
            if is_near(abs(number), query.base) and (
                cued
                or measured
                or self._is_named(term, query.sentence)
                or all(self._spoken_of(fact, query.sentence) > 1 for fact in term.facts)
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
        yield from self._sums_of_first(query)
        if _OF_THEM.match(query.sentence.lower, query.span.end - query.sentence.start):
            whole = [
                (number, term)
                for number, term in self._views(query.dimension, self._totals)
                if term.whole and not term.number and " times " not in term.field
            ]
            for (first, one), (second, other) in combinations(whole[:MOST], 2):
                together = one.group == other.group and one.unit == other.unit
                if together and is_near(first + second, query.base):
                    yield self._support([one, other], "total")
        for terms in self._fields if cued and _SOME_ROWS.search(query.sentence.lower) else ():
            numbers = self._views(query.dimension, terms[:MOST])
            if self._is_told(terms[0], query.sentence):
                for first in range(len(numbers)):
                    total = numbers[first][0]
                    for number, last in numbers[first + 1 :]:
                        total += number
                        if is_near(total, query.base):
                            yield self._support([numbers[first][1], last], "total")
        for number, one in self._views(query.dimension, self._amounts):
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

    def _sums_of_first(self, query: Query) -> Iterator[Support]:
        """The sum of some rows at an end of the list by any of its fields."""
        found = _FIRST_ROWS.search(query.sentence.lower)
        if found is None:
            return
        said = found["n"] or found["m"]
        count = _ROW_COUNTS.get(said) or int(said)
        for terms in self._fields:
            numbers = {term.group: (number, term) for number, term in self._views(
                query.dimension, terms[:MOST])}  # fmt: skip
            if len(numbers) <= count:
                continue
            for other in self._fields:
                rows = sorted(
                    (term for term in other[:MOST] if term.group in numbers),
                    key=lambda term: term.base,
                )
                for some in (rows[:count], rows[-count:]):
                    total = sum(numbers[term.group][0] for term in some)
                    if len(some) == count and is_near(total, query.base):
                        yield self._support([numbers[term.group][1] for term in some], "total")

    def _portions(self, query: Query) -> Iterator[Support]:
        """What a serving has of what the data gives for 100 g, and a rate for another period."""
        said = _PERIOD_SAID.match(query.sentence.lower, query.span.end - query.sentence.start)
        wanted = _PERIODS[said["period"]] if said else None
        for number, term in self._views(query.dimension, self._values):
            if hundred := _PER_HUNDRED.search(term.field):
                mass = hundred[1].lower() == "g"
                for size in self._values:
                    if size.dimension == ("mass" if mass else "volume") and not (
                        _PER_HUNDRED.search(size.field)
                    ):
                        times = size.base / (0.1 if mass else 1e-4)
                        if is_near(number * times, query.base):
                            yield self._support([term, size], "product")
            if wanted is not None:
                words = words_of_key(term.field)
                own = next((_PERIODS[word] for word in words if word in _PERIODS), None)
                if own is None or own == wanted:
                    continue
                made = number * wanted / own
                slack = _PERIOD_SLACK * abs(made)
                if is_near(made, Interval(query.base.low - slack, query.base.high + slack)):
                    yield self._support([term], "rate")

    def _means(self, query: Query) -> Iterator[Support]:
        for number, term in self._views(query.dimension, self._totals):
            marks = stems_of_key(term.mark)
            if marks and not query.sentence.stems.intersection(marks):
                continue  # the mean of some rows, of which the sentence does not speak
            if term.parts and is_near(number / term.parts, query.base):
                yield self._support([term], "mean")
        for terms in self._fields if _MEAN_WORDS.search(query.sentence.lower) else ():
            rows = [
                (number, term)
                for number, term in self._views(query.dimension, terms[:MOST])
                if self._is_named(term, query.sentence)
            ]
            mean = sum(number for number, _ in rows) / max(len(rows), 1)
            if 1 < len(rows) < len(terms) and is_near(mean, query.base):
                yield self._support([term for _, term in rows], "mean")
        some = query.is_sure and _SOME_ROWS.search(query.sentence.lower)
        for terms in self._fields if some else ():
            numbers = [number for number, _ in self._views(query.dimension, terms[:MOST])]
            for first, last in combinations(range(len(numbers) + 1), 2):
                if last > first + 1 and is_near(
                    sum(numbers[first:last]) / (last - first), query.base
                ):
                    yield self._support(terms[first:last], "mean")

    def _is_row(self, one: Term, other: Term, sentence: Sentence) -> bool:
        """Whether a sentence speaks of a row of one of two terms, or they are ends of a field."""
        return (
            self._are_ends(one, other)
            or any(self._is_named(term, sentence) for term in (one, other))
            or any(self._are_in(sentence, term) for term in (one, other))
        )

    def _is_named(self, term: Term, sentence: Sentence) -> bool:
        """Whether the object of a term is named in a sentence."""
        return any(
            name in sentence.lower
            for fact in term.facts[:1]
            for name in self._names_around(self.index.facts[fact].group)
        )

    def _are_in(self, sentence: Sentence, *terms: Term) -> bool:
        """Whether a sentence has the values of some terms."""
        return self._values_in(sentence).issuperset(fact for term in terms for fact in term.facts)

    def _gaps(self, query: Query, *, cued: bool = True) -> Iterator[Support]:
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

    def _gaps_of_shares(self, query: Query) -> Iterator[Support]:
        """The points between a share of the data and that of two fields: vaccinated of target."""
        totals = [term for term in self._totals if term.whole and " times " not in term.field]
        shares = [term for term in self._values if term.dimension == "share" and term.single]
        for one, other in permutations(totals[:MOST], 2):
            if one.group != other.group or one.unit != other.unit or other.base <= 0:
                continue
            made = one.base / other.base
            for share in shares if 0 < made < 2 else ():
                near = is_near(abs(made - share.base), scaled(query.interval, 0.01))
                if near and self._is_told(share, query.sentence):
                    yield self._support([one, other, share], "difference")

    def _are_ends(self, one: Term, other: Term) -> bool:
        """Whether two numbers are the first and last, or the highest and lowest, of a field."""
        for terms, *ends in self._ends.get(one.field, ()):
            if one in terms and other in terms:
                return {one.base, other.base} in ends
        return False

    @cached_property
    def _ends(self) -> dict[str, list[tuple[frozenset[Term], set[float], set[float]]]]:
        """The terms of each field, their first and last number, and their lowest and highest."""
        found: dict[str, list[tuple[frozenset[Term], set[float], set[float]]]] = {}
        for terms in self._fields:
            numbers = [term.base for term in terms]
            ends = {numbers[0], numbers[-1]}, {min(numbers), max(numbers)}
            found.setdefault(terms[0].field, []).append((frozenset(terms), *ends))
        return found

    def _lapses(self, query: Query) -> Iterator[Support]:
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
        if interval.high < _DAY and query.span.kind != "time":
            clocks = [one for one in self._moments if self._is_dateless(one[1])]
            for one, other in _apart(clocks, Interval(_DAY - interval.high, _DAY - interval.low)):
                if other < one and (cued or self._group(one) == self._group(other)):
                    shown = f"{self.index.facts[other].value}, {self.index.facts[one].value}"
                    yield Support((other, one), "time", f"time over midnight ({shown})")

    def _later_dates(self, span: ValueSpan, sentence: Sentence) -> Iterator[Support]:
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

    def _ratios(self, interval: Interval, sentence: Sentence) -> Iterator[Support]:
        """One term as a share or a multiple of another, or the change from one to another."""
        for term in self._values:
            plain = term.dimension is None and term.group in self._hundreds
            if plain and is_near(term.raw / 100, interval):
                yield self._support([term], "percentage")
        yield from self._shares_of_rows(interval, sentence)
        ways = [interval]
        own = sentence.span
        before = sentence.lower[: max(0, own.begin - sentence.start)]
        if CHANGE_WORDS.search(f"{before} {sentence.lower[own.end - sentence.start :]}"):
            ways.append(Interval(1 - interval.high, 1 - interval.low))
            ways.append(Interval(1 + interval.low, 1 + interval.high))
        for dimension in {None, *(term.dimension for term in self._values)} - NO_RATIO:
            for number, _, one in self._ordered(dimension):
                # Of two numbers as they are written, one may have its unit further up in the data.
                mixed = dimension is None and one.dimension not in NO_RATIO
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

    def _shares_of_rows(self, interval: Interval, sentence: Sentence) -> Iterator[Support]:
        """A share of the rows of a list, what a share leaves, or a part of it and a total."""
        if _OTHERS.search(sentence.lower):
            for term in self._values:
                part = term.dimension == "share" and 0 < term.base < 1
                if part and is_near(1 - term.base, interval) and self._is_told(term, sentence):
                    yield self._support([term], "share")
        rows = {name: count for name, count in self.list_sizes.items() if 2 < count <= MOST}
        for (key, value), count in self._kinds.items():
            place = key.rpartition(".")[0]
            whole = rows.get(place)
            if whole is None or not sentence.stems.intersection(stems_of_key(place)):
                continue
            if any(0 < part < whole and is_near(part / whole, interval)
                   for part in (count, whole - count)):  # fmt: skip
                yield Support((), "count", f"share of {key} {value}")
        for total in self._totals:
            if total.whole:
                for term in self._values:
                    alike = term.dimension == total.dimension or None in (
                        *(term.dimension, total.dimension),
                    )
                    if term.single and alike and term.dimension != "share" and term.base > 0:
                        near = is_near(term.base / (term.base + total.base or 1.0), interval)
                        if near and self._spoken_of(term.facts[0], sentence) > 1:
                            yield self._support([term, total], "share")

    def _is_of_said(self, one: Term, other: Term, sentence: Sentence) -> bool:
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

    def _ratios_in_sentence(self, interval: Interval, sentence: Sentence) -> Iterator[Support]:
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

    def _products(self, query: Query) -> Iterator[Support]:
        """An amount times a number of pieces, or an amount and its share."""
        dimension = query.dimension
        money = dimension in CURRENCIES
        factors = [
            (factor, term)
            for term in (*self._amounts, *(one for one in self._totals if one.whole))
            if not term.number and (term.dimension in (None, "share") or money)
            for factor in (
                [term.base, 1 + term.base, 1 - term.base, *([1 / term.base] if term.single else [])]
                if term.dimension == "share" and term.base
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

    def _rates(self, query: Query) -> Iterator[Support]:
        """What one number makes per another: euros per square metre, people per household."""
        crowd = query.dimension == "population density"
        dimension = None if crowd else query.dimension
        for under in (*self._amounts, *(one for one in self._totals if one.whole)):
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
                    listed = listed or (
                        under.single
                        and self._are_in(query.sentence, under)
                        and self._is_named(top, query.sentence)
                    )
                    if (
                        (single or listed or top.group == under.group)
                        and (each or self._is_told(top, query.sentence))
                        and (each or self._is_told(under, query.sentence))
                    ):
                        yield self._support([top, under], "rate")

    # Counts -------------------------------------------------------------------------------------

    def _counts(self, query: Query) -> Iterator[Support]:
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
    if seen.value >= 10**5 and significant_digits(seen) > 1:
        found += [Quantity(seen.value.scaleb(power), SCALED) for power in (-3, -6)]
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
