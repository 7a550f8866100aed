"""Comparisons that a text makes between two numbers it gives: "rose from 109 to 112".

Only forms are read in which both numbers and the direction are plain: a rise or fall from one to
the other, "up from", and "A, higher than the … B". The direction is right or wrong by itself;
whether the numbers are those of the data is another question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from adequa.text.values.spans import ValueSpan
from adequa.text.values.units import UNITS, lowered

_RISES = (
    r"ris(?:e|es|ing|en)|rose|increas(?:e|es|ed|ing)|gr(?:ow|ows|ew|owing|own)|climb(?:s|ed|ing)?"
    r"|jump(?:s|ed|ing)?|lengthened|gained|went\sup|goes\sup"
)
_FALLS = (
    r"f[ae]ll(?:s|en|ing)?|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)"
    r"|shrank|shrinks?|shortened|sank|sinks?|went\sdown|goes\sdown|plunged|slipped"
)
_FROM = re.compile(
    rf"\b(?:(?P<up>{_RISES})|(?P<down>{_FALLS}))\b(?P<gap>[^.;!?\d]{{0,40}})\bfrom\s\Z"
)
_RANGING = re.compile(r"\b(?:rang\w+|vary\w*|varies|between)\b")
_TO = re.compile(r"[^.;!?\d]{0,30}\bto\s(?:about\s|around\s|almost\s|nearly\s|just\s\w+\s)?")
_AFTER = re.compile(r"[\s,(]{1,3}(?P<word>up|down)\sfrom\s(?:about\s|around\s)?")
_HIGHER = "higher|larger|greater|longer|older|bigger|heavier|warmer|taller|above|more"
_LOWER = "lower|smaller|shorter|younger|lighter|colder|cooler|cheaper|below|less|fewer"
_THAN = re.compile(
    r",\s(?:which\s(?:is|was)\s)?(?:slightly\s|much\s|well\s|far\s|a\slittle\s)?"
    rf"(?:(?P<up>{_HIGHER})|(?P<down>{_LOWER}))(?:\sthan)?\sthe\s[^.;!?,\d]{{0,40}}"
)
_LOOK_BACK = 70


class Reversal(NamedTuple):
    """A comparison in the wrong direction: the place of its word, and the two numbers in order."""

    start: int
    end: int
    first: str
    second: str


def has_comparison(text: str) -> bool:
    """Whether a text may compare two numbers: a quick look before its numbers are read."""
    return _CUES.search(text) is not None


_CUES = re.compile(r" from [^a-z]*[0-9]| (?:than|above|below) the ")


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
        first, second = _number(one, other), _number(other, one)
        if first is None or second is None or first == second:
            continue
        if lower[other.end : other.end + 1] == "-" or "-" in lower[other.start : other.end]:
            continue  # "twelve below the ten-year mean"
        place = _direction(lower, one, other)
        if place is None:
            continue
        start, end, rising = place
        if rising != (second > first):
            names = text[one.start : one.end], text[other.start : other.end]
            found.append(Reversal(start, end, *names))
    return found


def _direction(lower: str, one: ValueSpan, other: ValueSpan) -> tuple[int, int, bool] | None:
    """The place of the word of change and whether the second number must be the higher one."""
    opening = _FROM.search(lower, max(0, one.begin - _LOOK_BACK), one.begin)
    if (
        opening
        and not _RANGING.search(opening["gap"])
        and _TO.fullmatch(lower, one.end, other.start)
    ):
        group = "up" if opening["up"] else "down"
        return *opening.span(group), group == "up"
    if after := _AFTER.fullmatch(lower, one.end, other.start):
        return *after.span("word"), after["word"] == "down"
    if than := _THAN.fullmatch(lower, one.end, other.start):
        group = "up" if than["up"] else "down"
        return *than.span(group), group == "down"
    return None


def _number(span: ValueSpan, other: ValueSpan) -> float | None:
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
