"""The data types that the whole project works on. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

__all__ = [
    "CONFIDENT",
    "UNNAMED",
    "Coverage",
    "ErrorSpan",
    "Fact",
    "Fault",
    "Finding",
    "Item",
    "Marking",
    "Mention",
    "Rating",
    "Result",
    "Score",
    "Term",
    "Triple",
    "Verdict",
    "judged_status",
]

Coverage = Literal["all", "selected"]
"""Whether a text must say every fact, or may choose what to say."""
Verdict = Literal["OK", "omission", "hallucination", "hallucination+omission"]
FactStatus = Literal["stated", "missing", "contradicted", "unchecked"]
FindingKind = Literal["omission", "hallucination"]

CONFIDENT = 0.8
"""The confidence from which a verdict is told without reserve: right in four of five such cases.
Chosen by hand; `adequa.report` has the same number in `components.js`."""


def judged_status(status: str, coverage: str | None) -> str:
    """The status of a fact as it counts: `left out` where a text may choose what to say.

    >>> judged_status("missing", "all"), judged_status("missing", "selected")
    ('missing', 'left out')
    """
    return "left out" if status == "missing" and coverage == "selected" else status


class Triple(NamedTuple):
    """One fact of the input, with its strings exactly as in the file.

    A named tuple rather than a dataclass, since corpora have millions of them.
    """

    subject: str
    predicate: str
    object: str


UNNAMED = "adequa:unnamed"
"""The datatype of a thing of a record that has a label but no name: no text has to mention it."""


@dataclass(frozen=True, slots=True)
class Term:
    """Label, IRI, datatype and language of a subject or object, as given by the file."""

    label: str | None = None
    iri: str | None = None
    datatype: str | None = None
    lang: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Its names in other languages, by code: `{"de": "Wien"}`."""


@dataclass(frozen=True, slots=True)
class Item:
    """A text and the data it should express; an empty text is valid."""

    id: str
    triples: tuple[Triple, ...]
    text: str
    system: str = ""
    category: str | None = None
    lang: str | None = None
    references: tuple[str, ...] = ()
    terms: Mapping[str, Term] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    record: Any = None
    """The JSON object or list that the triples were read from."""
    paths: tuple[str, ...] = ()
    """The JSON pointer (RFC 6901) into the record of each triple's value."""
    coverage: Coverage = "all"

    @property
    def key(self) -> tuple[str, str]:
        """The system and id, which are unique in a corpus."""
        return self.system, self.id


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of the text that refers to an entity of the input."""

    entity: str
    start: int
    end: int
    method: str
    distance: float = 0.0


@dataclass(frozen=True, slots=True)
class Fact:
    """One input triple and its status in the text."""

    triple: Triple
    status: FactStatus
    confidence: float | None = None
    start: int | None = None
    end: int | None = None
    path: str | None = None
    """The JSON pointer of the fact in its record."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: a fact or entity left out, or a span that the data does not support."""

    metric: str
    kind: FindingKind
    detail: str
    why: str
    triple: Triple | None = None
    entity: str | None = None
    start: int | None = None
    end: int | None = None
    confidence: float | None = None
    path: str | None = None
    """The JSON pointer of the fact or entity in its record."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as a person sees it, with everything that metrics found of it.

    A wrong value is a fact left out and a span without support, and two metrics may see both.
    """

    why: str
    findings: tuple[Finding, ...]

    @property
    def kind(self) -> Verdict:
        """An omission, a hallucination, or both: another value in place of the right one."""
        kinds = sorted({finding.kind for finding in self.findings})
        return kinds[0] if len(kinds) == 1 else "hallucination+omission"

    @property
    def metric(self) -> str:
        """The metrics that see it, joined by `+`."""
        names = (name for finding in self.findings for name in finding.metric.split("+"))
        return "+".join(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one metric for one item; `value` is None, with a `reason`, if not scorable.

    `statistics` are additive over items: a metric's corpus value is computed from their sum.
    """

    value: float | None
    statistics: tuple[float, ...] = ()
    mentions: tuple[Mention, ...] = ()
    facts: tuple[Fact, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: Verdict | None = None
    confidence: float | None = None
    """The calibrated probability that the verdict is right, where the metric knows it."""
    reason: str | None = None
    is_passing: bool = False
    """Whether the reason may be gone at the next attempt: such a score is not cached."""


@dataclass(frozen=True, slots=True)
class Result:
    """The joined scores of all metrics for one item: a line of `scores.jsonl`."""

    item: Item
    scores: Mapping[str, float | None]
    mentions: tuple[Mention, ...] = ()
    facts: tuple[Fact, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    verdict: Verdict | None = None
    confidence: float | None = None
    """The calibrated probability that the verdict is right; None where no metric knows it."""
    statistics: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        scores = {
            name: value if value is None else round(value, 3) for name, value in self.scores.items()
        }
        faults = len(self.faults)
        return (
            f"Result({self.item.id!r}, verdict={self.verdict!r}, confidence={self.confidence}, "
            f"scores={scores}, faults={faults})"
        )

    def _repr_html_(self) -> str:
        from adequa.marks import result_html  # for notebooks only

        return result_html(self)

    @property
    def doubtful(self) -> tuple[Fact, ...]:
        """The facts that the text probably states, but that were not found with confidence."""
        facts = (fact for fact in self.facts if fact.status == "unchecked")
        return tuple(fact for fact in facts if fact.confidence is not None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The findings, one fault for all that are about the same fact or the same words."""
        from adequa.marks import faults_of  # where these are shown

        return tuple(Fault(why, findings) for why, findings in faults_of(self))

    @property
    def missing(self) -> tuple[Finding, ...]:
        """The findings of what the text leaves out."""
        omissions = (finding for finding in self.findings if finding.kind == "omission")
        return tuple(finding for finding in omissions if finding.detail != "overruled")

    @property
    def left_out(self) -> tuple[Fact, ...]:
        """The facts that the text does not state, whether or not it has to."""
        return tuple(fact for fact in self.facts if fact.status == "missing")

    @property
    def unsupported(self) -> tuple[Finding, ...]:
        """The findings of what the data does not support."""
        return tuple(finding for finding in self.findings if finding.kind == "hallucination")


@dataclass(frozen=True, slots=True)
class Rating:
    """One judgment by one rater of one criterion of one text; `rater` is "" for an average."""

    id: str
    system: str
    rater: str
    criterion: str
    value: float
    seconds: float | None = None
    round: str | None = None
    spans: tuple[Mapping[str, Any], ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """Characters of a text, from `start` up to `end`, that a person or a detector calls wrong."""

    start: int
    end: int
    type: str = ""
    confidence: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Marking:
    """Everything that one person or detector marked in one text, possibly nothing."""

    id: str
    """Empty if the file names no id: then the text identifies it."""
    system: str
    marker: str
    spans: tuple[ErrorSpan, ...] = ()
    text: str | None = None
    domain: str | None = None
    flagged: bool | None = None
    """Whether the text is called wrong; None means: if anything is marked."""
    score: float | None = None
    """How sure that something is wrong; None means: the sum of the confidences of the spans."""

    @property
    def is_flagged(self) -> bool:
        """Whether the text is called wrong."""
        return bool(self.spans) if self.flagged is None else self.flagged

    @property
    def signal(self) -> float:
        """How sure it is that something is wrong; a span without a confidence counts 1."""
        if self.score is not None:
            return self.score
        return sum(1.0 if one.confidence is None else one.confidence for one in self.spans)
