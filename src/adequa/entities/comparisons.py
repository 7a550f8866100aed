"""Comparisons, trends and rows: what a text says of several values of a record.

`ComparisonCheck` reads "more than" and "the highest", `RowCheck` the row that a number belongs to,
`TrendCheck` rises and falls in the order of the rows. `find_reversals` needs no data: "fell from
109 to 112" is wrong by itself. Each speaks only where the data has both sides of the comparison.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from adequa.data import Triple
from adequa.entities.owners import (
    _DAY,
    _DAYS,
    ClaimText,
    Column,
    OwnerFault,
    Row,
    RowList,
    say_fact,
)
from adequa.entities.roles import (
    _LETTERS,
    _TOGETHER,
    _WORD,
    RoleCheck,
    _is_date,
    _is_whole,
    _kind,
    stem_of,
)
from adequa.text import LONGEST_SENTENCE, starting_in, word_set
from adequa.text.values import (
    UNITS,
    Date,
    ValueFact,
    ValueSpan,
    lowered,
    quote_value,
    read_value,
)
from adequa.text.values.facts import interval_in
from adequa.text.values.units import words_of_key

# Two objects, two fields, the highest of several ------------------------------------------------

_MORE = (
    "higher|larger|greater|longer|older|bigger|heavier|warmer|hotter|taller|more|above|further|better"
    "|wider|dearer|pricier|wetter|busier|later|deeper"
)
_LESS = (
    "lower|smaller|shorter|younger|lighter|colder|cooler|cheaper|less|fewer|below|nearer|narrower"
    "|drier|earlier|shallower"
)
_COMPARED = re.compile(
    rf"\b(?:(?P<up>{_MORE})|(?P<down>{_LESS}))\b(?P<gap>(?:[^.;!?]|\.(?=[0-9])){{0,45}}?)"
    r"(?:(?<=above)|(?<=below)|\bthan\b)\s(?:that of |those of |the one of |with |at |in |on )?"
)
_ADVERB = re.compile(r"\s(?:is|are|was|were|has|have|had|it|they|there)\b")
"""After "above" or "below" that are not said of anything: "everything above is over 140,000"."""
_TIMES_AS = re.compile(r"[a-z0-9. -]{1,24}\btimes\b")
"""After "more than" before a multiple."""
_ANOTHER = re.compile(r"\b(?:but|yet|though|while|under|over|below|above)\b")
_WARMTH = re.compile(r"\b(?:warmer|hotter|colder|cooler)\b")
_NOT = re.compile(r"\b(?:not|no|never|n't|neither|nor|hardly|than|whether|or)\b")
_BEST = re.compile(
    r"\b(?:(?P<up>highest|largest|greatest|longest|biggest|heaviest|warmest|hottest|tallest|widest"
    r"|most expensive|dearest|strongest|busiest|deepest|maximum|peak(?:ed)?|best|fastest|top"
    r"|quickest|wettest|sunniest|steepest|oldest|record)"
    r"|(?P<down>lowest|smallest|shortest|lightest|coldest|coolest|cheapest|narrowest|least"
    r"|quietest|minimum|worst|slowest|weakest|poorest|driest|youngest))\b"
)
_MEASURED = (
    ("most expensive/dearest/cheapest", "money", "price cost fee fare"),
    ("warmest/hottest/coldest/coolest", "temperature", "temp temperature"),
    ("heaviest/lightest", "mass", "weight mass"),
    ("tallest", "", "height"),
    ("longest/shortest", "length", "length duration runtime"),
    ("wettest/driest", "", "rain rainfall precipitation precip"),
    ("oldest/youngest", "", "age"),
    ("fastest/slowest", "speed", "speed"),
    ("deepest", "", "depth"),
)
"""Adjectives, what they measure by its unit, and the words of the fields that have it."""
_HIGHEST, _LOWEST = word_set("max maximum high highest"), word_set("min minimum low lowest")
_NO_MEASURE = word_set("total sum subtotal change difference per avg average mean discount tax vat")


class _Measured(NamedTuple):
    """What an adjective measures: kinds of units, and words of keys."""

    kinds: frozenset[str | None]
    words: frozenset[str]


_MEASURES = {
    word: _Measured(frozenset({kind} - {""}), word_set(keys))
    for words, kind, keys in _MEASURED
    for word in words.split("/")
}
_WITH = re.compile(r"\b(?:with|at|of)\s\Z")
_SOME = re.compile(
    r"\b(?:among|apart from|except|excluding|other than|(?:first|second|last) (?:half|part|two"
    r"|three|third|quarter)|weekdays|weekends?|working days|until|so far"
    r"|of (?:the|these|those) \w+ \w+|between|before|after|deficit|surplus|gain|loss|increase"
    r"|decrease|rise|drop|fall|change"
    r"|jump|difference|gap|margin|of that|that year|that month|that day)\b"
)
_RANKED = re.compile(
    r"\b(?:first|second|third|fourth|fifth|next|among|one of|two|three|of its|so far|another"
    r"|local|early|late|new)\W*\Z"
)


class ComparisonCheck(RoleCheck):
    """Checks which of two values a text calls the higher one, and which of several the highest."""

    def faults(self) -> list[OwnerFault]:
        """Every comparison that the data contradicts, in order."""
        found: list[OwnerFault] = []
        for sentence in self.sentences:
            for match in _COMPARED.finditer(self.lower, *sentence):
                before = self.lower[max(sentence[0], match.start() - 12) : match.start()]
                if _NOT.search(before) or _ADVERB.match(self.lower, match.end() - 1):
                    continue
                if _TIMES_AS.match(self.lower, match.end()):
                    continue
                fault = self._compared(match, sentence)
                if fault is not None:
                    found.append(fault)
            found += self._superlatives(sentence)
        return sorted(found)

    def _numbers(self, start: int, end: int) -> list[ValueSpan]:
        return [
            one
            for one in starting_in(self.values, start, end)
            if one.end <= end
            and one.kind in ("number", "share")
            and not one.clocks
            and self.text[one.end : one.end + 1] != "-"  # the ten-year mean
        ]

    def _compared(self, match: re.Match[str], sentence: tuple[int, int]) -> OwnerFault | None:
        up = match["up"] is not None
        right = (match.end(), self._part(match.end(), sentence)[1])
        place = (match.start(), match.end())
        return self._fields(up, place, right, sentence) or self._two_numbers(
            up, place, right, sentence
        )

    def _two_numbers(
        self, up: bool, place: tuple[int, int], right: tuple[int, int], sentence: tuple[int, int]
    ) -> OwnerFault | None:
        """Both numbers are in the sentence: "76 hm³ in May, above the mean of 98"."""
        after = self._numbers(right[0], sentence[1])
        before = self._numbers(sentence[0], place[1])
        if not after or not before or after[0].start - right[0] > 45:
            return None
        first, second = before[-1], after[0]
        if second.begin - right[0] < 3:
            return None  # "more than 200" is one number
        if _ANOTHER.search(self.lower, right[0], second.begin + 1):
            return None  # "longer than the Carver's but well under the 21 metres of the Elk"
        gap = self.text[first.end : place[0]]
        if first.end <= place[0] and "," not in gap and len(gap) < 14:
            return None  # "ten points more than": the difference
        one, other = first.quantities[0], second.quantities[0]
        if (
            (one.unit and other.unit and one.unit != other.unit)
            or first.words != second.words
            or one.value == other.value
        ):
            return None
        if (one.value > other.value) == up:
            return None
        words = self.text[place[0] : place[1]].strip()
        note = f"{self.text[first.start : first.end]} is not {words} "
        note += self.text[second.start : second.end]
        return OwnerFault(place[0], place[1] - 1, "comparison", note)

    def _operand(self, start: int, end: int) -> list[int]:
        """The single facts with a number whose field is named between two places."""
        roles = self.roles
        stems = {stem_of(word) for word in _WORD.findall(self.lower[start:end])}
        said = [
            place
            for place, own in enumerate(roles.stems)
            if own and own <= stems and roles.explainer.index.readings[place].quantities
        ]
        best = max((len(roles.stems[place]) for place in said), default=0)
        return [place for place in said if len(roles.stems[place]) == best]

    def _fields(
        self, up: bool, place: tuple[int, int], right: tuple[int, int], sentence: tuple[int, int]
    ) -> OwnerFault | None:
        """Two fields: "the approved sum was higher than the amount claimed"."""
        roles, index = self.roles, self.roles.explainer.index
        second = self._operand(right[0], min(right[1], right[0] + 45))
        if not second or starting_in(self.values, right[0], right[0] + 12):
            return None
        if _TOGETHER.search(self.lower, right[0], sentence[1]):
            return None
        numbers = self._numbers(max(sentence[0], place[0] - 60), place[0])
        numbers = [one for one in numbers if place[0] - one.end > 1]
        first = {
            fact
            for one in numbers[-1:]
            for support in index.explain(one, self.text)
            if support.how == "same"
            for fact in support.facts
        } or {*self._operand(max(sentence[0], place[0] - 60), place[0])}
        pairs = [
            (one, other)
            for one in first
            for other in second
            if one != other and self._alike(one, other) and self._together(one, other)
        ]
        if _WARMTH.search(self.lower, *place):
            kinds = [_kind(roles.facts[one], index.readings[one]) for one, _ in pairs]
            pairs = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind == "temperature"]
        plain = [pair for pair in pairs if not any(map(self._is_listed, pair))]
        pairs = plain or pairs
        if not pairs or {one for one, _ in pairs} & {*second}:
            return None
        if any((self._number(one) > self._number(other)) == up for one, other in pairs):
            return None
        if any(self._number(one) == self._number(other) for one, other in pairs):
            return None
        return self._comparison(place, *pairs[0])

    def _is_listed(self, place: int) -> bool:
        """Whether a fact is in a list."""
        return any(map(str.isdigit, self.roles.paths[place].split("/")))

    def _together(self, one: int, other: int) -> bool:
        """Whether two facts are of one object, or one of them is of no list."""
        first, second = (self.roles.paths[place].rpartition("/")[0] for place in (one, other))
        return first == second or not self._is_listed(one) or not self._is_listed(other)

    def _number(self, place: int) -> float:
        quantity = self.roles.explainer.index.readings[place].quantities[0]
        unit = UNITS.get(quantity.unit or "")
        return unit.base(float(quantity.value)) if unit else float(quantity.value)

    def _comparison(self, place: tuple[int, int], one: int, other: int) -> OwnerFault:
        first, second = self.roles.triples[one], self.roles.triples[other]
        note = (
            f"the data has {first.subject}, {first.predicate} {quote_value(first.object)} and "
            f"{second.subject}, {second.predicate} {quote_value(second.object)}"
        )
        return OwnerFault(place[0], place[1] - 1, "comparison", note, one)

    def _superlatives(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """An object that is called the highest or lowest, and whose value is in between."""
        roles = self.roles
        for match in _BEST.finditer(self.lower, *sentence):
            if _RANKED.search(self.lower, max(sentence[0], match.start() - 14), match.start()):
                continue
            if roles.is_key_word(match[0]):
                continue  # "peak consumption" is a field
            if _SOME.search(self.lower, *sentence):
                continue
            part = self._part(match.start(), sentence)
            numbers = [
                one
                for one in self._numbers(match.start(), part[1])
                if not any(name.start <= one.start < name.end for name in self._named)
            ]
            if not numbers:  # "the best hour was the first, with 12,400 bottles"
                numbers = [
                    one
                    for one in self._numbers(match.end(), min(sentence[1], match.end() + 45))[:1]
                    if _WITH.search(self.lower, one.begin - 5, one.begin)
                ]
            facts = {
                fact
                for span in numbers[:1]
                for support in roles.explainer.index.explain(span, self.text)
                if support.how == "same" and not span.range and span.hedge == "none"
                for fact in support.facts
            }
            up = match["up"] is not None
            wrong: list[tuple[int, int]] = []
            for fact in facts:
                series = self._chosen(self._series(fact), fact, sentence)
                if len(series) < 3:
                    wrong = []
                    break
                best = (max if up else min)(series, key=self._number)
                worst = (min if up else max)(series, key=self._number)
                if not self._number(best) or self._number(fact) in (
                    self._number(best),
                    self._number(worst),
                ):
                    wrong = []
                    break
                wrong.append((fact, best))
            if wrong:
                span = numbers[0]
                yield self._fault(span.start, span.end, "extreme", wrong[0][1], [wrong[0][0]])
            elif not facts and (fault := self._named_extreme(match, sentence)) is not None:
                yield fault

    def _named_extreme(self, match: re.Match[str], sentence: tuple[int, int]) -> OwnerFault | None:
        """The only row that a sentence names, which it calls the dearest or warmest and is not.

        Only adjectives that say what they measure, of rows in which one field alone measures it.
        """
        measures = _MEASURES.get(match[0])
        named = {self.roles.names[one.entity] for one in starting_in(self._named, *sentence)}
        rows = {pointer for pointers in named if len(pointers) == 1 for pointer in pointers}
        if measures is None or len(rows) != 1:
            return None
        roles, up = self.roles, match["up"] is not None
        (row,) = rows
        columns = [place for place in roles.objects[row] if self._measures(place, measures, up=up)]
        if len(columns) != 1:
            return None
        series = self._chosen(self._series(columns[0]), columns[0], sentence)
        best = (max if up else min)(series, key=self._number, default=columns[0])
        if self._number(best) == self._number(columns[0]):
            return None
        return self._fault(match.start(), match.end(), "superlative", best, [columns[0]])

    def _measures(self, place: int, measures: _Measured, *, up: bool) -> bool:
        """Whether a fact is of the field that an adjective speaks of."""
        roles = self.roles
        reading = roles.explainer.index.readings[place]
        if not reading.quantities or _is_date(reading) or reading.clocks:
            return False
        words = roles.field_words[place]
        if words & (_LOWEST if up else _HIGHEST) or words & _NO_MEASURE:
            return False
        return bool(words & measures.words) or _kind(roles.facts[place], reading) in measures.kinds

    def _chosen(self, series: list[int], fact: int, sentence: tuple[int, int]) -> list[int]:
        """Those of a series whose objects have a word in common that the sentence has."""
        roles, lower = self.roles, self.lower[slice(*sentence)]

        def words(place: int) -> set[str]:
            group = roles.paths[place].rpartition("/")[0]
            return {
                roles.facts[one].value.lower()
                for one in roles.objects.get(group, ())
                if roles.facts[one].value.isalpha()
                and re.search(rf"\b{re.escape(roles.facts[one].value.lower())}\b", lower)
            }

        said = {place: words(place) for place in series}
        # What is said of one row alone names it: "Monday" in a forecast.
        own = {word for word in said.get(fact, ()) if sum(word in one for one in said.values()) > 1}
        return [place for place in series if own <= said[place]] if own else series

    def _series(self, fact: int) -> list[int]:
        """The facts of the same field of the sibling objects, and of a plain list."""
        roles = self.roles
        generic = re.sub(r"/[0-9]+(?=/|$)", "/*", roles.paths[fact])
        readings = roles.explainer.index.readings
        return [
            place
            for place, path in enumerate(roles.paths)
            if re.sub(r"/[0-9]+(?=/|$)", "/*", path) == generic and readings[place].quantities
        ]


# Two numbers of a text -------------------------------------------------------------------------

_RISING = (
    r"ris(?:e|es|ing|en)|rose|increas(?:e|es|ed|ing)|gr(?:ow|ows|ew|owing|own)|climb(?:s|ed|ing)?"
    r"|jump(?:s|ed|ing)?|lengthened|gained|went\sup|goes\sup"
    r"|raised|hiked"
)
_FALLING = (
    r"f[ae]ll(?:s|en|ing)?|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)"
    r"|shrank|shrinks?|shortened|sank|sinks?|went\sdown|goes\sdown|plunged|slipped"
    r"|reduced|lowered|discounted|marked\sdown"
)
_FROM = re.compile(
    rf"\b(?:(?P<up>{_RISING})|(?P<down>{_FALLING}))\b"
    r"(?P<gap>(?:(?!\b(?:as|while|when|and|but|with)\b)[^.;!?\d]){0,40})\bfrom\s\Z"
)
_RANGING = re.compile(r"\b(?:rang\w+|vary\w*|varies|between)\b")
_TO = re.compile(r"[^.;!?\d]{0,30}\bto\s(?:about\s|around\s|almost\s|nearly\s|just\s\w+\s)?")
_UP_FROM = re.compile(r"[\s,(]{1,3}(?P<word>up|down)\sfrom\s(?:about\s|around\s)?")
_THAN = re.compile(
    r",\s(?:which\s(?:is|was)\s)?(?:slightly\s|much\s|well\s|far\s|a\slittle\s)?"
    rf"(?:(?P<up>{_MORE})|(?P<down>{_LESS}))(?:\sthan)?\sthe\s(?:(?!\bbut\b)[^.;!?,\d]){{0,40}}"
)
_FROM_WINDOW = 70


class Reversal(NamedTuple):
    """A comparison in the wrong direction: the place of its word, and the two numbers in order."""

    start: int
    end: int
    first: str
    second: str


def has_comparison(text: str) -> bool:
    """Whether a text may compare two numbers: a quick look before its numbers are read."""
    if " from " in text and _FROM_NUMBER.search(text):
        return True
    is_likely = " of " in text or " than " in text or " above " in text or " below " in text
    return is_likely and _BESIDE.search(text) is not None


def may_reverse(text: str) -> bool:
    """Whether a text has the words by which `find_reversals` compares, whatever the numbers are.

    >>> may_reverse("It fell from nine to two."), may_reverse("It is from 1990, part of the old")
    (True, False)
    """
    lower = lowered(text)
    if "from" in lower:
        if _CHANGED_FROM.search(lower):
            return True
        for match in _FROM_WORD.finditer(lower):
            if _FROM.search(lower, max(0, match.end() - _FROM_WINDOW), match.end()):
                return True
    return _MORE_THE.search(lower) is not None and _THAN_THE.search(lower) is not None


_FROM_WORD = re.compile(r"from\s")
_CHANGED_FROM = re.compile(r"(?:up|down)\sfrom\s")
# The last letters of all words of comparison, which are found in a third of the time.
_MORE_THE = re.compile(r"(?:er|re|ve|ss|ow)(?:\sthan)?\sthe\s")
_THAN_THE = re.compile(rf"(?:{_MORE}|{_LESS})(?:\sthan)?\sthe\s")
_FROM_NUMBER = re.compile(r" from [^a-z]*[0-9]")
_BESIDE = re.compile(r" (?:than|above|below|of) (?:the|its|their|a) ")


def find_reversals(text: str, spans: Sequence[ValueSpan]) -> list[Reversal]:
    """Comparisons between two neighbouring numbers of a text whose direction is wrong.

    >>> from adequa.text.values.spans import find_values
    >>> text = "The rate fell from 109 to 112."
    >>> [text[one.start : one.end] for one in find_reversals(text, find_values(text))]
    ['fell']
    """
    lower = lowered(text)
    found: list[Reversal] = []
    for one, other in pairwise(spans):
        first, second = _base_number(one, other), _base_number(other, one)
        if first is None or second is None or first == second:
            continue
        if lower[other.end : other.end + 1] == "-" or "-" in lower[other.start : other.end]:
            continue  # "twelve below the ten-year mean"
        place = _two_numbers(lower, one, other)
        if place is None:
            continue
        start, end, rising = place
        if rising != (second > first):
            names = text[one.start : one.end], text[other.start : other.end]
            found.append(Reversal(start, end, *names))
    return found


def find_wrong_shares(text: str, spans: Sequence[ValueSpan]) -> list[Reversal]:
    """Shares that do not fit the two numbers beside them: "22 units, three quarters of the 45".

    >>> from adequa.text.values.spans import find_values
    >>> text = "It sold for 2,250 francs, around 40% more than the estimate of 1,900."
    >>> [text[one.start : one.end] for one in find_wrong_shares(text, find_values(text))]
    ['around 40% more']
    """
    lower = lowered(text)
    found: list[Reversal] = []
    for one, share, other in zip(spans, spans[1:], spans[2:], strict=False):
        percent = share.quantities[0] if share.quantities else None
        if percent is None or (share.kind != "share" and percent.unit != "percent"):
            continue
        first, second = _base_number(one, other), _base_number(other, one)
        if first is None or second is None or not second or _is_share(one) or _is_share(other):
            continue
        if not _ASIDE.fullmatch(lower, one.end, share.begin) or one.words != other.words:
            continue  # "five garages had a quarter of their 2,400 spaces free"
        if bool(one.quantities[0].unit) < bool(other.quantities[0].unit):
            continue  # "from 1,160 backers, 45% more than its goal of $60,000"
        after = _OF_THE.fullmatch(lower, share.end, other.begin)
        if after is None:
            continue
        way = 1.0 if after["up"] else -1.0 if after["down"] else 0.0
        interval = interval_in(percent, share)
        ratio = 100 * first / second
        value = way * (ratio - 100) if way else ratio
        if interval.low - _SLACK <= value <= interval.high + _SLACK:
            continue
        names = text[one.start : one.end], text[other.start : other.end]
        end = after.end("up") if after["up"] else after.end("down") if after["down"] else share.end
        found.append(Reversal(share.begin, end, *names))
    return found


def _is_share(span: ValueSpan) -> bool:
    return span.kind == "share" or any(one.unit == "percent" for one in span.quantities)


_SLACK = 2.0
"""Percentage points by which a share may be off: both numbers may be rounded."""
_ASIDE = re.compile(r"(?: [a-z]+){0,3},? (?:which (?:is|was) |that is |or |i\.e\. )?")
_OF_THE = re.compile(
    r" (?:(?:(?P<up>more|higher|above|over)|(?P<down>less|lower|fewer|below))(?: than)?"
    r"|of) (?:the|its|their|a) [^.;!?,\d]{0,40}"
)


def _two_numbers(lower: str, one: ValueSpan, other: ValueSpan) -> tuple[int, int, bool] | None:
    """The place of the word of change and whether the second number must be the higher one."""
    opening = _FROM.search(lower, max(0, one.begin - _FROM_WINDOW), one.begin)
    if (
        opening
        and not _RANGING.search(opening["gap"])
        and _TO.fullmatch(lower, one.end, other.start)
    ):
        group = "up" if opening["up"] else "down"
        return *opening.span(group), group == "up"
    if after := _UP_FROM.fullmatch(lower, one.end, other.start):
        return *after.span("word"), after["word"] == "down"
    if than := _THAN.fullmatch(lower, one.end, other.start):
        group = "up" if than["up"] else "down"
        return *than.span(group), group == "down"
    return None


def _base_number(span: ValueSpan, other: ValueSpan) -> float | None:
    """The number of a span in the base unit, where another span has one of the same dimension."""
    for one in (span, other):
        if one.kind not in ("number", "share") or not one.quantities or one.dates:
            return None
    own, that = (UNITS.get(one.quantities[0].unit or "") for one in (span, other))
    value = float(span.quantities[0].value)
    if own is None and that is None:
        return value
    if own is None or that is None:
        # "from 6.3 to 5.6 days" has its unit once; "18 % more than 1,900" has two kinds.
        return value if "share" not in (own and own.dimension, that and that.dimension) else None
    return own.base(value) if own.dimension == that.dimension else None


# Rows that a clause names ----------------------------------------------------------------------

_LABELS = word_set(
    "week day lap set no nr number period round stage step leg move km lot point page chapter "
    "quarter year month hour minute min end inning over frame game heat lane section level phase"
)
"""Keys whose whole numbers tell the rows of a list apart: "week 22", "move 23"."""
_ORDINALS = {
    "first": 0, "opening": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5,
    "last": -1, "final": -1,
}  # fmt: skip
_RELATED = re.compile(
    r"\b(?:than|more|less|fewer|by|compared|against|versus|difference|between|from|up|down|until"
    r"|before|after|since|total|altogether|average|together|combined|both|each|over|of the)\b"
)
"""Words of a clause whose number may be made of several rows."""


_GOES_ON = re.compile(r"\b(?:when|with)\b")
_WHOSE = re.compile(r"\b(?:whose|his|her|its|their)\s\Z")


class RowCheck:
    """Checks that a number stands in the row that its clause names: "410 visitors at noon"."""

    def __init__(
        self,
        rows: RowList,
        text: ClaimText,
        facts: Sequence[ValueFact],
        triples: Sequence[Triple],
    ) -> None:
        self.rows, self.text, self.facts, self.triples = rows, text, facts, triples
        self.row_of = {fact: row for row, one in enumerate(rows.rows) for fact in one.facts}
        self.labels = [
            column
            for column in rows.columns
            if words_of_key(column.key)[-1].removesuffix("s") in _LABELS
            and len({value for value, _ in column.values.values()}) == len(column.values)
        ]
        self.named = {fact for one in self.labels for _, fact in one.values.values()}
        self.places = sorted({*self._references([one.object for one in triples])})

    def _references(self, entities: Sequence[str]) -> Iterator[tuple[int, int, frozenset[int]]]:
        """Where the text names rows: by a name, a day, a date, a time, a number or an ordinal."""
        lower = self.text.lower
        names: dict[str, set[int]] = defaultdict(set)
        for fact, row in self.row_of.items():
            if not read_value(self.facts[fact]).quantities and _LETTERS.search(entities[fact]):
                names[entities[fact]].add(row)
        for mention in self.text.mentions:
            if mention.entity in names and _LETTERS.search(lower, mention.start, mention.end):
                yield mention.start, mention.end, frozenset(names[mention.entity])
        for span in self.text.values:
            found = frozenset(
                row
                for row, one in enumerate(self.rows.rows)
                if any(_is_day(one, date) for date in span.dates)
                or any(clock.minutes == 60 * (one.hour or -1) for clock in span.clocks)
            )
            if found and span.kind in ("date", "time"):
                yield span.start, span.end, found
        for match in _DAY.finditer(lower):
            day = _DAYS.index(match[0] if match[0] in _DAYS else match[0][:-1])
            found = frozenset(n for n, row in enumerate(self.rows.rows) if row.day == day)
            if found:
                yield match.start(), match.end(), found
        for column in self.labels:
            word = words_of_key(column.key)[-1].removesuffix("s")
            word = "minute" if word == "min" else word
            before = r"\b(?:in|by|since|until|for|of) " if word == "year" else rf"\b{word}s? "
            for match in re.finditer(rf"{before}(?P<n>[0-9]+(?:\.[0-9]+)?)\b", lower):
                found = frozenset(
                    row for row, (n, _) in column.values.items() if n == float(match["n"])
                )
                if found:
                    yield match.start(), match.end(), found
        words = [one for one in words_of_key(self.rows.name.rpartition("/")[2]) if len(one) > 3]
        noun = re.escape(words[0].removesuffix("s") if words else "row")
        pattern = rf"\b(?P<n>{'|'.join(_ORDINALS)}) (?:of the (?:\w+ )?)?{noun}s?\b"
        for match in re.finditer(pattern, lower):
            place = _ORDINALS[match["n"]]
            whose = _WHOSE.search(lower, max(0, match.start() - 8), match.start())
            if place < len(self.rows.rows) and whose is None:
                yield match.start(), match.end(), frozenset({place % len(self.rows.rows)})

    def faults(self) -> Iterator[OwnerFault]:
        """Numbers that only other rows have than the one that the clause names."""
        if not self.places:
            return
        for sentence in self.text.sentences:
            for span in starting_in(self.text.values, *sentence):
                if span.kind == "number":
                    fault = self._fault(span, sentence)
                    if fault is not None:
                        yield fault

    def _places_in(self, start: int, end: int) -> list[tuple[int, int, frozenset[int]]]:
        """The places that begin in a part of the text."""
        return self.places[bisect_left(self.places, (start,)) : bisect_left(self.places, (end,))]

    def _fault(self, span: ValueSpan, sentence: tuple[int, int]) -> OwnerFault | None:
        part = self.text.part_at(span.start, sentence)
        small = not any(one.unit for one in span.quantities) and span.quantities[0].value < 10
        if (
            span.words
            or span.range
            or any(
                span.start < end
                for _, end, _ in self._places_in(span.start - LONGEST_SENTENCE, span.start + 1)
            )
        ):
            return None
        named = [rows for _, _, rows in self._places_in(*part)]
        if not named and _GOES_ON.search(self.text.lower, max(0, part[0] - 6), part[0] + 5):
            # "Mbeki had 13 rebounds to go with 17 points": what was named last
            before = self._places_in(sentence[0], part[0])
            if len({rows for _, _, rows in before}) == 1:
                end = before[-1][1]
                named = [before[-1][2]] if "," not in self.text.lower[end : part[0]] else []
        if not named or _RELATED.search(self.text.lower, *part):
            return None
        spoken = frozenset.intersection(*named)
        if self.rows.is_timed and len(spoken) > 1:
            return None  # several rows of a day: `SeriesCheck` has their extremes
        supports = self.text.explainer.index.explain(span, self.text.text)
        if not spoken or not supports or any(one.how != "same" for one in supports):
            return None
        if self.text.explainer.is_gap(span, self.text.text):
            return None
        facts = {fact for one in supports for fact in one.facts}
        rows = {self.row_of.get(fact) for fact in facts}
        if None in rows or rows & spoken or facts & self.named:
            return None
        if any(rows & one for _, _, one in self._places_in(*sentence)):
            return None  # the sentence speaks of its row as well
        keys = {self.facts[fact].key for fact in facts}
        spoken_of = {word for key in keys for word in words_of_key(key.rpartition(".")[2])}
        words = {*re.findall(r"[a-z]{3,}", self.text.lower[slice(*part)])}
        if small and not spoken_of & words:
            return None
        own = [
            fact
            for row in sorted(spoken)
            for fact in self.rows.rows[row].facts
            if self.facts[fact].key in keys
        ]
        if not own:
            return None
        note = say_fact(self.triples[own[0]], self.text.text[span.start : span.end])
        return OwnerFault(span.start, span.end, "owner", note, own[0])


def _is_day(row: Row, date: Date) -> bool:
    """Whether a row is of a date of a text: the day, or the month where the row has no day."""
    if not date.month or date.month != row.date[0]:
        return False
    return date.day == row.date[1] or row.date[1] is None


# Trends ----------------------------------------------------------------------------------------

_ROSE = rf"{_RISING}|gain(?:s|ed|ing)?|up|added|warmed|improved"
_FELL = rf"{_FALLING}|lost|loses|losing|down|cooled|eased|decline|loss"
_TREND = re.compile(rf"\b(?:(?P<up>{_ROSE})|(?P<down>{_FELL}))\b")


class TrendCheck:
    """Checks whether what a text calls a rise or a fall goes that way in the order of the rows."""

    def __init__(self, rows: RowList, text: ClaimText) -> None:
        self.rows, self.text = rows, text

    def faults(self) -> Iterator[OwnerFault]:
        """A change from one value to another, or by an amount, that goes the other way."""
        for sentence in self.text.sentences:
            inside = starting_in(self.text.values, *sentence)
            for one, other in pairwise(inside):
                if self.text.lower[max(0, one.begin - 5) : one.begin] == "from " and re.fullmatch(
                    r"\sto\s(?:just |about |around |over )?",
                    self.text.lower[one.end : other.begin] + "",
                ):
                    yield from self._between(one, other, sentence)
            for one in inside:
                if self.text.lower[max(0, one.begin - 4) : one.begin] == " by ":
                    yield from self._by(one, sentence)

    def _word(self, place: int, sentence: tuple[int, int]) -> re.Match[str] | None:
        """The word of change just before a place."""
        found = [*_TREND.finditer(self.text.lower, max(sentence[0], place - 60), place)]
        return found[-1] if found else None

    def _columns(self, one: ValueSpan) -> Iterator[tuple[Column, float]]:
        for quantity in one.quantities[:1]:
            unit = UNITS.get(quantity.unit or "")
            for column in self.rows.columns:
                if len(column.values) >= 3 and unit in (None, UNITS.get(column.unit or "")):
                    yield column, float(quantity.value)

    def _between(
        self, one: ValueSpan, other: ValueSpan, sentence: tuple[int, int]
    ) -> Iterator[OwnerFault]:
        word = self._word(one.begin, sentence)
        if word is None or not one.quantities or not other.quantities:
            return
        orders: set[bool] = set()
        last = float(other.quantities[0].value)
        for column, first in self._columns(one):
            starts = [row for row, (value, _) in column.values.items() if value == first]
            ends = [row for row, (value, _) in column.values.items() if value == last]
            orders |= {a < b for a in starts for b in ends if a != b}
        if orders == {False}:
            yield OwnerFault(
                word.start(), other.end, "comparison", "the data has them in the other order"
            )

    def _by(self, one: ValueSpan, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        word = self._word(one.begin + 1, sentence)
        if word is None or one.hedge != "none" or one.words or not one.quantities:
            return
        rising: set[bool] = set()
        for column, number in self._columns(one):
            values = [column.values[row][0] for row in sorted(column.values)]
            for place, first in enumerate(values):
                for second in values[place + 1 :]:
                    if abs(abs(second - first) - number) < 1e-6:
                        rising.add(second > first)
        if number_is_sure(one) and rising == {word["up"] is None}:
            yield OwnerFault(
                word.start(), one.end, "comparison", "the data has a change the other way"
            )


def number_is_sure(span: ValueSpan) -> bool:
    """Whether a number is unlikely to be some difference by chance: two digits or a decimal."""
    return span.quantities[0].value >= 10 or any(
        not _is_whole(one.value) for one in span.quantities
    )
