"""The data types that the whole project works on. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

__all__ = [
    "CONFIDENT",
    "Fact",
    "Finding",
    "Item",
    "Mention",
    "Rating",
    "Result",
    "Score",
    "Term",
    "Triple",
    "Verdict",
]

Verdict = Literal["OK", "omission", "hallucination", "hallucination+omission"]
FactStatus = Literal["stated", "missing", "contradicted", "unchecked"]
FindingKind = Literal["omission", "hallucination"]

CONFIDENT = 0.8
"""The confidence from which a verdict is told without reserve: right in four of five such cases.
Chosen by hand; `adequa.report` has the same number in `components.js`."""


class Triple(NamedTuple):
    """One fact of the input, with its strings exactly as in the file.

    A named tuple rather than a dataclass, since corpora have millions of them.
    """

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Term:
    """Label, IRI, datatype and language of a subject or object, as given by the file."""

    label: str | None = None
    iri: str | None = None
    datatype: str | None = None
    lang: str | None = None


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

    @property
    def doubtful(self) -> tuple[Fact, ...]:
        """The facts that the text probably states, but that were not found with confidence."""
        facts = (fact for fact in self.facts if fact.status == "unchecked")
        return tuple(fact for fact in facts if fact.confidence is not None)

    @property
    def missing(self) -> tuple[Finding, ...]:
        """The findings of what the text leaves out."""
        omissions = (finding for finding in self.findings if finding.kind == "omission")
        return tuple(finding for finding in omissions if finding.detail != "overruled")

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
