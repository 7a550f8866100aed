"""Numbers, dates and periods of a text that say a value of the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from adequa.entities.dates import Agreement, DateSpan, agreement
from adequa.entities.graph import Entity, Graph
from adequa.entities.matching import Candidate
from adequa.entities.numbers import NumberSpan, converted, rounded, same
from adequa.entities.text import PreparedText

__all__ = ["value_candidates"]

_FIGURE_BEFORE = re.compile(r"[\w.,:/~$€£–-]\s?\Z(?<!\s)|\d\s\Z")
_FIGURE_AFTER = re.compile(r"\s?[.,:/–-]\s?\d|[\w%]|\s(?:thousand|million|billion|percent|%)")
_SPACED_DECIMAL = re.compile(r"\d\s?\.\s{1,2}\d")


def value_candidates(
    graph: Graph, text: PreparedText, *, conversions: bool = False
) -> list[Candidate]:
    """Numbers and dates of the text that say a value of the graph."""
    dated = [pair for pair in enumerate(graph.entities) if pair[1].kind == "date"]
    counted = [pair for pair in enumerate(graph.entities) if pair[1].kind == "number"]
    found: list[Candidate] = []
    if dated:
        for span in text.dates:
            found.extend(_dates(span, dated))
    for place, entity in enumerate(graph.entities):
        if entity.period:
            found.extend(_period(place, entity, text))
    plain = [_plainly(place, entity, text) for place, entity in counted]
    if plain and all(plain):
        # Every number stands there as the data has it, or with commas: no need to read them all.
        for candidates in plain:
            found += candidates
        return found
    if counted:
        for number in text.numbers:
            found.extend(_numbers(number, counted, conversions=conversions))
        if _SPACED_DECIMAL.search(text.string):
            for place, entity in counted:
                found.extend(_spaced(place, entity, text))
    return found


def _plainly(place: int, entity: Entity, text: PreparedText) -> list[Candidate]:
    """A number without a unit where its figures stand by themselves."""
    value = entity.quantity
    if value is None or value.unit is not None or value.value < 0:
        return []
    for form in entity.figures:
        at = text.string.find(form)
        end = at + len(form)
        if at >= 0 and not (
            _FIGURE_BEFORE.search(text.string, max(at - 2, 0), at)
            or _FIGURE_AFTER.match(text.string, end)
        ):
            return [Candidate(at, end, place, 0, 0.0, "number", end)]
    return []


def _spaced(place: int, entity: Entity, text: PreparedText) -> Iterator[Candidate]:
    """A decimal that a tokeniser took apart: `3. 04`."""
    if entity.quantity is None:
        return
    whole, point, rest = format(entity.quantity.value, "f").partition(".")
    if point:
        pattern = rf"(?<![\d.,]){re.escape(whole)}\s?\.\s{{1,2}}{rest}(?!\d)"
        for match in re.finditer(pattern, text.string):
            yield Candidate(match.start(), match.end(), place, 0, 0.0, "number", match.end())


def _period(place: int, entity: Entity, text: PreparedText) -> Iterator[Candidate]:
    spans = []
    for end in entity.period:
        for span in text.dates:
            if any(agreement(end, reading) is Agreement.SAME for reading in span.readings):
                spans.append(span)
                break
    if len(spans) == len(entity.period):
        first, last = min(span.start for span in spans), max(span.end for span in spans)
        yield Candidate(first, last, place, 0, 0.0, "period")


def _dates(span: DateSpan, dated: Iterable[tuple[int, Entity]]) -> Iterator[Candidate]:
    for number, entity in dated:
        if entity.date is None:
            continue
        verdicts = {agreement(entity.date, reading) for reading in span.readings}
        if Agreement.SAME in verdicts:
            yield Candidate(span.start, span.end, number, 0, 0.0, "date")
        elif Agreement.PARTIAL in verdicts:
            yield Candidate(span.start, span.end, number, 1, 0.1, "partial date")


def _numbers(
    span: NumberSpan, counted: Iterable[tuple[int, Entity]], *, conversions: bool
) -> Iterator[Candidate]:
    for number, entity in counted:
        value = entity.quantity
        if value is None:
            continue
        end, reach = span.end, span.unit_end
        if any(same(value, reading) for reading in span.readings):
            yield Candidate(span.start, end, number, 0, 0.0, "number", reach)
        elif any(rounded(value, reading) for reading in span.readings):
            yield Candidate(span.start, end, number, 1, 0.1, "rounded number", reach)
        elif conversions and any(converted(value, reading) for reading in span.readings):
            yield Candidate(span.start, end, number, 1, 0.1, "converted number", reach)
