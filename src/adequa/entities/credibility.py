"""Credibility: how likely a finding in a text about a record is right.

Rules find what a record does not support, and some of their findings are better than others: a
number beside the field that it contradicts is mostly wrong, a number that nothing explains may be
the result of a calculation. A logistic model weighs the rule, the value and its counterpart, how
clearly the words around it name that, and whether a calculation may have made it. Its weights are
in `resources/credibility.json`, fitted by `python -m research.records findings` on the records that
it names (`fitted_on`). Findings below its `limit` are dropped; those of rules that it does not know
are kept, and without the file all are.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from adequa.data import Mention, Triple
from adequa.entities.unexplained import UnexplainedSpan
from adequa.entities.values import DataValues
from adequa.text import PreparedText, Span, clauses_around, sentence_at
from adequa.text.values import ValueSpan, read_value
from adequa.text.values.facts import interval_in
from adequa.text.values.numbers import Interval
from adequa.text.values.terms import short_stem, stems_of_key

RESOURCE = "credibility.json"


@dataclass(frozen=True)
class Credibility:
    """A logistic model of the probability that a finding is right."""

    weights: Mapping[str, float] = field(default_factory=dict)
    offset: float = 0.0
    limit: float = 0.0
    """The probability below which a finding is dropped."""
    fitted_on: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    """The same for single rules."""

    def chance(self, features: Mapping[str, float]) -> float | None:
        """The probability that a finding with these features is right; None for an unknown rule.

        >>> Credibility({"rule number": -2.0}, offset=2.0).chance({"rule number": 1.0})
        0.5
        """
        if rule_of(features) not in self.weights:
            return None
        known = ((self.weights.get(name, 0.0), value) for name, value in features.items())
        odds = self.offset + sum(weight * value for weight, value in known)
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 6)

    def keeps(self, chance: float | None, rule: str = "") -> bool:
        """Whether a finding of a rule with a probability is kept."""
        return chance is None or chance >= self.limits.get(rule, self.limit)


def rule_of(features: Mapping[str, float]) -> str:
    """The feature that names the rule of a finding."""
    return next(name for name in features if name.startswith("rule "))


@lru_cache(maxsize=1)
def read_credibility() -> Credibility | None:
    """The model of the package; None where none was fitted."""
    place = files("adequa.entities") / "resources" / RESOURCE
    if not place.is_file():
        return None
    raw = json.loads(place.read_text(encoding="utf-8"))
    return Credibility(
        raw["weights"], raw["offset"], raw["limit"], raw["fitted_on"], raw.get("limits", {})
    )


_CUES = {
    "sum": r"totals?|altogether|in all|combined|together|sums?|overall|add(?:s|ed)? up|both|all",
    "mean": r"averag\w*|mean|typical\w*|median",
    "per": r"per|each|every|apiece",
    "gap": r"more|less|fewer|than|above|below|margin|ahead|behind|differ\w*|gap|apart|between",
    "change": r"r[io]se\w*|rising|f[ae]ll\w*|drop\w*|gain\w*|lost|loss|increas\w*|decreas\w*|grew"
    r"|grow\w*|climb\w*|declin\w*|improv\w*|up|down|from",
    "share": r"per ?cent|share|half|thirds?|quarters?|of|times|twice|double|majority|most",
    "rest": r"left|remain\w*|rest|still|unsold|spare|outstanding|leav\w+|short of|so far",
    "lapse": r"later|earlier|after|before|within|days?|weeks?|months?|years?|hours?|minutes?|for"
    r"|lasted|took|since|until|ago|old|aged?",
}
_CUE = re.compile(
    "|".join(rf"(?P<{name}>(?<!\w)(?:{words})(?!\w))" for name, words in _CUES.items())
)
"""Words that speak of a calculation."""
_WAYS = {
    "share": {"share", "rest"},
    "change": {"change", "gap", "share"},
    "part": {"share"},
    "sum": {"sum"},
    "gap": {"gap", "change", "rest", "lapse"},
    "product": {"per", "sum"},
    "quotient": {"per", "mean", "share"},
    "percentage": {"share"},
    "rows": {"sum", "mean"},
}
"""The cues of each way to calculate."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST = 90
"""Numbers of the data that are combined in pairs; bounds the time."""
_SUBSETS = 8
"""Rows of a field of which all sums are made; bounds the time."""
_POWERS = frozenset({10.0, 100.0, 1e3, 1e6})
_LONG = 3
"""Digits from which on a number is seldom the result of some calculation by chance."""


class FindingReader:
    """Reads the features of the findings in one text about a record."""

    def __init__(
        self,
        text: PreparedText,
        values: DataValues,
        mentions: Sequence[Mention],
        found: Sequence[UnexplainedSpan],
    ) -> None:
        self.text, self.values, self.mentions, self.found = text, values, mentions, found
        self.string = text.string
        self._ends = [one.end for one in text.values]  # the values are in order and apart

    def rated(self, model: Credibility) -> list[UnexplainedSpan]:
        """The findings that are likely right, each with its probability."""
        rated = [one._replace(confidence=model.chance(self.read(one))) for one in self.found]
        return [one for one in rated if model.keeps(one.confidence)]

    def claim_at(self, span: UnexplainedSpan) -> Span:
        """The clause that makes a false claim; a name stands for itself."""
        return span.place if span.kind == "name" else self._clause(*span.place)

    def read(self, span: UnexplainedSpan) -> dict[str, float]:
        """The features of a finding; those that are not named are 0."""
        start, end = span.place
        rule = span.rule or span.kind
        others = self._overlapping(start, end)
        found = {
            f"rule {rule}": 1.0,
            "counterpart": float(span.triple is not None),
            "found by two rules": float(any((one.rule or one.kind) != rule for one in others)),
        }
        value = self._value_in(start, end)
        if value is not None:
            found.update(self._calculation(value))
        place = self._places.get(span.triple) if span.triple is not None else None
        if place is not None:
            named = self._naming(place, start, end)
            found.update(named)
            if span.kind == "truth":
                found.update(self._truth(place, start, end, named))
            if value is not None:
                found.update(self._difference(place, value))
        return found

    def _overlapping(self, start: int, end: int) -> list[UnexplainedSpan]:
        """The findings that have a part of a span."""
        ordered, starts, longest = self._in_order
        near = ordered[bisect_right(starts, start - longest) : bisect_left(starts, end)]
        return [one for one in near if start < one.place[1]]

    @cached_property
    def _in_order(self) -> tuple[list[UnexplainedSpan], list[int], int]:
        """The findings by their starts, the starts, and the length of the longest."""
        ordered = sorted(self.found, key=lambda one: one.place[0])
        lengths = [one.place[1] - one.place[0] for one in ordered]
        return ordered, [one.place[0] for one in ordered], max(lengths, default=0)

    # The words around a finding ------------------------------------------------------------------

    def _clause(self, start: int, end: int) -> Span:
        sentence = sentence_at(self.string, start)
        if sentence[0] > start:
            return start, end
        return clauses_around(self.string, start, end, sentence)

    def _cues(self, sentence: Span) -> set[str | None]:
        return {one.lastgroup for one in _CUE.finditer(self._lower, *sentence)}

    @cached_property
    def _lower(self) -> str:
        return self.string.lower()

    # The fact that it stands for -----------------------------------------------------------------

    def _naming(self, place: int, start: int, end: int) -> dict[str, float]:
        """How clearly the clause names the field and the object of a fact."""
        fact, triple = self.values.facts[place], self.values.triples[place]
        first, last = sentence_at(self.string, start)
        clause = self.string[slice(*self._clause(start, end))]
        said = {short_stem(word) for word in _WORD.findall(clause)}
        path = {*stems_of_key(fact.key)}
        own = {*stems_of_key(fact.key.rpartition(".")[2])} or path
        above = path - own
        named = self._mentioned.get(triple.subject, ())
        return {
            "in an object": float(triple.subject != self.values.triples[0].subject),
            "below a key": float(bool(above)),
            "key above named": len(above & said) / max(1, len(above)),
            "field named": len(own & said) / max(1, len(own)),
            "path named": len(path & said) / max(1, len(path)),
            "object named": float(bisect_left(named, first) < bisect_left(named, last)),
            "single field": float(self._keys[fact.key] == 1),
        }

    def _truth(
        self, place: int, start: int, end: int, named: Mapping[str, float]
    ) -> dict[str, float]:
        """Of what a text contradicts a yes or no, and by what words."""
        words = self.string[start:end].split()
        key = self.values.facts[place].key.rpartition(".")[2]
        if named["in an object"]:
            whose = "a named object" if named["object named"] else "another object"
        elif named["below a key"]:
            whose = "a named part" if named["key above named"] else "another part"
        else:
            whose = "the record"
        return {
            f"truth: of {whose}": 1.0,
            "truth: one word": float(len(words) == 1),
            "truth: a count of 0": float(self.values.facts[place].value == "0"),
            "truth: a name": float(any(word[:1].isupper() for word in words) and key[:1].isupper()),
        }

    @cached_property
    def _mentioned(self) -> dict[str, list[int]]:
        """Where the mentions of each entity begin."""
        found: dict[str, list[int]] = {}
        for one in sorted(self.mentions, key=lambda mention: mention.start):
            found.setdefault(one.entity, []).append(one.start)
        return found

    @cached_property
    def _keys(self) -> Counter[str]:
        return Counter(one.key for one in self.values.facts)

    def _difference(self, place: int, value: ValueSpan) -> dict[str, float]:
        """How a number differs from that of a fact."""
        reading = read_value(self.values.facts[place])
        if not (value.quantities and reading.quantities):
            return {}
        seen, own = value.quantities[0], reading.quantities[0]
        one, other = abs(float(seen.value)), abs(float(own.value))
        digits = [_digits(each) for each in (one, other)]
        ratio = max(one, other, 1e-9) / max(min(one, other), 1e-9)
        alike = len(digits[0]) == len(digits[1]) > 1
        changed = sum(a != b for a, b in zip(*digits, strict=False)) if alike else 0
        mixed = changed == 2 and sorted(digits[0]) == sorted(digits[1])
        return {
            "one digit differs": float(changed == 1),
            "digits exchanged": float(mixed),
            "power of ten": float(round(ratio, 6) in _POWERS),
            "near": float(1 < ratio <= 1.1),
            "within double": float(1.1 < ratio <= 2),
            "far": float(ratio > 5),
            "unit equal": float(seen.unit == own.unit),
        }

    # Calculations --------------------------------------------------------------------------------

    def _calculation(self, value: ValueSpan) -> dict[str, float]:
        """Whether a value may be the result of a calculation."""
        if not value.quantities:
            return {}
        quantity = value.quantities[0]
        digits = len(_digits(abs(float(quantity.value))))
        interval = interval_in(quantity, value)
        combine = _ratios if value.kind == "share" or quantity.unit == "percent" else _results
        sentence = sentence_at(self.string, value.start)
        ways = self._ways(interval, combine)
        cues = self._cues(sentence)
        found = {
            "calculated with cue": float(any(not cues.isdisjoint(_WAYS[way]) for way in ways)),
            "sum of rows": float("rows" in ways),
            "not calculated": float(not ways and digits >= _LONG),
        }
        within = slice(*(bisect_left(self._amounts, (place,)) for place in sentence))
        for name, amounts in (("text", self._amounts), ("sentence", self._amounts[within])):
            others = [amount for start, amount in amounts[: _MOST + 1] if start != value.start]
            found[f"calculated from {name}"] = float(bool(_makes(others, interval, combine)))
        return found

    @cached_property
    def _amounts(self) -> list[tuple[int, float]]:
        """The numbers of the text that are not 0, and where they begin."""
        read = ((one.start, one.quantities[0].value) for one in self.text.values if one.quantities)
        return [(start, amount) for start, value in read if (amount := abs(float(value)))]

    def _ways(self, interval: Interval, combine: _Combine) -> list[str]:
        """The ways in which numbers of the data make a number."""
        found = _makes(self._numbers, interval, combine)
        if combine is _results and _within(self._row_sums, interval).any():
            found.append("rows")
        return found

    @cached_property
    def _by_field(self) -> dict[str, list[float]]:
        numbers: dict[str, list[float]] = {}
        for fact in self.values.facts:
            for quantity in read_value(fact).quantities[:1]:
                numbers.setdefault(fact.key, []).append(abs(float(quantity.value)))
        return numbers

    @cached_property
    def _numbers(self) -> list[float]:
        return [one for own in self._by_field.values() for one in own][:_MOST]

    @cached_property
    def _row_sums(self) -> _Matrix:
        """The sums and means of some rows of each field."""
        found: list[float] = []
        for own in self._by_field.values():
            if len(own) <= _SUBSETS:
                for size in range(2, len(own) + 1):
                    sums = [sum(some) for some in combinations(own, size)]
                    found += [*sums, *(one / size for one in sums)]
            else:
                sums = np.cumsum([0.0, *own[:_MOST]]).tolist()
                found += [last - first for first, last in combinations(sums, 2)]
        return np.array(found, dtype=np.float64)

    # The data ------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[Triple, int]:
        triples = self.values.triples
        return {triples[place]: place for place in reversed(range(len(triples)))}

    def _value_in(self, start: int, end: int) -> ValueSpan | None:
        first = bisect_right(self._ends, start)
        inside = [one for one in self.text.values[first : first + 2] if one.start < end]
        return inside[0] if len(inside) == 1 else None


_Matrix = NDArray[np.float64]
_Combine = Callable[["_Matrix", "_Matrix"], "Iterator[tuple[str, _Matrix]]"]


def _ratios(one: _Matrix, other: _Matrix) -> Iterator[tuple[str, _Matrix]]:
    yield "share", 100 * one / other
    yield "change", 100 * np.abs(one - other) / other
    yield "part", 100 * one / (one + other)


def _results(one: _Matrix, other: _Matrix) -> Iterator[tuple[str, _Matrix]]:
    yield "sum", one + other
    yield "gap", np.abs(one - other)
    yield "product", one * other
    yield "quotient", one / other
    yield "percentage", one * other / 100


def _makes(numbers: Sequence[float], interval: Interval, combine: _Combine) -> list[str]:
    """The ways in which two of some numbers make a number."""
    known = np.array([one for one in numbers if one], dtype=np.float64)[:_MOST]
    if len(known) < 2:
        return []
    apart = ~np.eye(len(known), dtype=bool)
    results = combine(known[:, None], known[None, :])
    return [way for way, result in results if (_within(result, interval) & apart).any()]


def _within(result: _Matrix, interval: Interval) -> NDArray[np.bool_]:
    slack = 1e-6 * max(1.0, abs(interval.high))
    inside: NDArray[np.bool_] = (result >= interval.low - slack) & (result <= interval.high + slack)
    return inside


def _digits(number: float) -> str:
    """The significant digits of a number."""
    return f"{number:.10g}".replace(".", "").strip("0")
