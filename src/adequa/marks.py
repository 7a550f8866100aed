"""Marked texts: where mentions and faults begin and end, and results as HTML for notebooks.

The results of `adequa.data` show themselves by it, so it imports nothing else of the package.
Styles are inline and colours mostly transparent: notebooks drop style sheets, and may be dark.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from adequa.data import Fault, Finding, Result

MarkKind = Literal["mention", "repetition", "unexplained"]


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A marked span of the text; for a mention, `number` is that of its entity."""

    start: int
    end: int
    kind: MarkKind
    number: int = 0
    tip: str = ""


class Segment(NamedTuple):
    """A stretch of the text with the same marks, and the marks that begin or end at its borders."""

    text: str
    marks: tuple[Mark, ...]
    opened: tuple[Mark, ...]
    """Longest first."""
    closed: tuple[Mark, ...]
    """Shortest first."""


def cut(text: str, marks: Iterable[Mark]) -> list[Segment]:
    """Split the text at its marks, which may overlap; the segments joined are the text.

    >>> [segment.text for segment in cut("A pub.", [Mark(2, 5, "mention", 1)])]
    ['A ', 'pub', '.']
    """
    starting: dict[int, list[Mark]] = defaultdict(list)
    ending: dict[int, list[Mark]] = defaultdict(list)
    borders = {0, len(text)}
    for mark in sorted(set(marks), key=lambda mark: (mark.start, -mark.end, mark)):
        start, end = max(mark.start, 0), min(mark.end, len(text))
        if start < end:
            starting[start].append(mark)
            ending[end].insert(0, mark)
            borders |= {start, end}
    segments = []
    active: list[Mark] = []
    for start, end in pairwise(sorted(borders)):
        active = [mark for mark in active if mark.end > start] + starting[start]
        segments.append(
            Segment(text[start:end], tuple(active), tuple(starting[start]), tuple(ending[end]))
        )
    return segments


def marks_of(result: Result, *, tips: bool = False) -> tuple[list[Mark], dict[str, int]]:
    """The marks of a scored text, and its mentioned entities numbered in order of appearance."""
    numbers: dict[str, int] = {}
    marks = []
    for mention in sorted(result.mentions, key=lambda mention: (mention.start, mention.end)):
        number = numbers.setdefault(mention.entity, len(numbers) + 1)
        tip = f"names {mention.entity} (found by {mention.method})" if tips else ""
        marks.append(Mark(mention.start, mention.end, "mention", number, tip))
    for finding in result.unsupported:
        if finding.start is not None and finding.end is not None:
            repeated = finding.detail == "repetition"
            kind: MarkKind = "repetition" if repeated else "unexplained"
            marks.append(Mark(finding.start, finding.end, kind, tip=finding.why if tips else ""))
    return marks, numbers


def faults_of(result: Result) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """The faults of a text in words, each with all its findings, in the order of the findings.

    Findings belong together if they have the same triple; if one misses an entity of the triple
    that the other has; and if their spans overlap or only space separates them. Takes linear time:
    a text may leave out thousands of facts.
    """
    findings = (*result.missing, *result.unsupported)
    keys: list[object] = [finding.triple for finding in findings]
    owners: dict[str, object] = {}
    for triple in filter(None, (finding.triple for finding in findings)):
        for end in (triple.subject, triple.object):
            owners.setdefault(end, triple)
    for place, finding in enumerate(findings):
        if keys[place] is None and finding.entity is not None:
            keys[place] = owners.get(finding.entity, finding.entity)
    for places in _neighbours(findings, result.item.text):
        known = [keys[place] for place in places if keys[place] is not None]
        for place in places:
            if keys[place] is None:
                keys[place] = known[0] if known else ("span", places[0])
    groups: dict[object, list[Finding]] = {}
    for place, finding in enumerate(findings):
        key = keys[place]
        groups.setdefault(("nothing", place) if key is None else key, []).append(finding)
    for group in groups.values():
        group.sort(key=lambda one: one.triple is None)
        yield _why(group, result.item.text), tuple(group)


def _neighbours(findings: Sequence[Finding], text: str) -> Iterator[list[int]]:
    """The numbers of findings whose spans overlap or only space separates, repetitions apart."""
    for is_repetition in (False, True):
        spans = sorted(
            (one.start, one.end, place)
            for place, one in enumerate(findings)
            if one.start is not None and one.end is not None
            if (one.detail == "repetition") == is_repetition
        )
        run: list[int] = []
        reached = 0
        for start, end, place in spans:
            if run and text[reached:start].strip():
                yield run
                run = []
            run.append(place)
            reached = max(reached, end)
        if run:
            yield run


def _why(group: Sequence[Finding], text: str) -> str:
    """The words for a fault: those about its fact, else those about its span."""
    best = max(group, key=lambda one: (one.triple is not None, one.kind == "omission"))
    spans = [(one.start, one.end) for one in group if one.start is not None and one.end is not None]
    quoted = best.kind == "omission" and (best.detail == "contradicted" or "instead" in best.why)
    if not spans or quoted or (best.start is not None and len(spans) == 1):
        return _named(best)
    words = text[min(start for start, _ in spans) : max(end for _, end in spans)]
    if best.kind == "omission":
        return f"{_named(best)}: it has {words!r} instead"
    return best.why if best.triple else f"nothing in the data supports {words!r}"


def _named(finding: Finding) -> str:
    """The reason of a finding, with its fact if an omission does not say which it is."""
    triple, why = finding.triple, finding.why
    if triple is None or finding.kind != "omission":
        return why
    ends = [
        form for end in (triple.subject, triple.object) for form in (end, end.replace("_", " "))
    ]
    said = any(re.search(rf"(?<!\w){re.escape(end)}(?!\w)", why) for end in ends)
    return why if said else f"{' | '.join(triple)}: {why}"


SHOWN = 5
"""Texts of an evaluation or a run that a notebook shows, the worst first."""
# The palette of the report (Okabe and Ito), legible on light and dark pages.
_ENTITIES = ("0,114,178", "214,143,0", "0,158,115", "61,155,214", "192,96,154", "179,165,0")
_VERDICT_COLOURS = {
    None: "#7d8590",
    "OK": "#008060",
    "omission": "#a06000",
    "hallucination": "#c03800",
    "hallucination+omission": "#a83070",
}
_WAVY = "text-decoration:underline wavy #c03800;background:rgba(192,56,0,.12)"


def result_html(result: Result) -> str:
    """A result for a notebook: verdict and scores, the marked text, one line per fault."""
    scores = [
        f"{escape(name)} {'–' if value is None else f'{value:.3f}'}"
        for name, value in result.scores.items()
    ]
    sure = [] if result.confidence is None else [f"confidence {result.confidence:.2f}"]
    facts = Counter(fact.status for fact in result.facts)
    told = [f"{count} {status}" for status, count in sorted(facts.items())]
    told = [f"facts: {', '.join(told)}"] if told else []
    findings = "".join(map(_fault, result.faults))
    reasons = "".join(
        f"<li>{escape(name)}: not scored ({escape(reason)})</li>"
        for name, reason in result.reasons.items()
    )
    lines = f'<ul style="margin:.2em 0;padding-left:1.2em">{findings}{reasons}</ul>'
    return (
        '<div style="margin:.4em 0;max-width:60em;text-align:left">'
        f"<div>{_badge(result.verdict)} {' · '.join([*sure, *scores, *told])}</div>"
        f'<div style="line-height:1.75">{_marked(result)}</div>'
        f"{lines if findings or reasons else ''}</div>"
    )


def results_html(results: Iterable[Result]) -> str:
    """The worst results for a notebook, and how many more there are with a fault."""
    faulty = [one for one in results if one.verdict not in (None, "OK")]
    if not faulty:
        return "<p>No text has a fault.</p>"
    worst = sorted(faulty, key=lambda one: -len(one.faults))
    shown = "".join(
        f'<hr style="margin:.3em 0"><div style="opacity:.7">{escape(_name(one))}</div>'
        + result_html(one)
        for one in worst[:SHOWN]
    )
    more = len(faulty) - SHOWN
    return shown + (f"<p>… and {more:,} more texts with a fault</p>" if more > 0 else "")


def _name(result: Result) -> str:
    return " · ".join(filter(None, (result.item.system, result.item.id)))


def _badge(verdict: str | None) -> str:
    colour = _VERDICT_COLOURS.get(verdict, "#7d8590")
    style = f"color:{colour};border:1px solid {colour};border-radius:1em;padding:0 .5em"
    return f'<b style="{style}">{escape(verdict or "no verdict")}</b>'


def _fault(fault: Fault) -> str:
    sign, colour = ("−", "#a06000") if fault.kind == "omission" else ("?", "#c03800")
    return (
        f'<li style="list-style:none"><b style="color:{colour}">{sign}</b> '
        f'{escape(fault.why)} <span style="opacity:.7">({escape(fault.metric)})</span></li>'
    )


def _marked(result: Result) -> str:
    if not result.item.text.strip():
        return "<em>(the text is empty)</em>"
    pieces = []
    for segment in cut(result.item.text, marks_of(result, tips=True)[0]):
        words = escape(segment.text).replace("\n", "<br>")
        if segment.marks:
            tips = "\n".join(dict.fromkeys(mark.tip for mark in segment.marks))
            words = f'<mark style="{_style(segment.marks)}" title="{escape(tips)}">{words}</mark>'
        for mark in segment.closed:
            if mark.kind == "mention":
                words += f'<sup style="opacity:.7">{mark.number}</sup>'
        pieces.append(words)
    return "".join(pieces)


def _style(marks: Sequence[Mark]) -> str:
    numbers = [mark.number for mark in marks if mark.kind == "mention"]
    styles = ["color:inherit;background:none"]
    if numbers:
        colour = _ENTITIES[(numbers[-1] - 1) % len(_ENTITIES)]
        styles.append(f"background:rgba({colour},.18);border-bottom:2px solid rgb({colour})")
    if any(mark.kind != "mention" for mark in marks):
        styles.append(_WAVY)
    return ";".join(styles)
