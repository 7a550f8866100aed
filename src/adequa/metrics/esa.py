"""Entity-based semantic adequacy (Faille, Gatt and Gardent 2021): are the entities in the text?

`esa` is the paper's ESA_I, the share of the input's entities that the text mentions, and its corpus
values are the paper's ESA_C, ESA_C\\1, ESA_C\\2 and ESI_C^n. `esa_strict` is lowered by names,
numbers and dates that nothing in the data explains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar
from urllib.parse import urlsplit

from adequa.data import Fact, Finding, Item, Score, Triple, Verdict
from adequa.entities import EntityJudgment, JudgmentSettings, judge
from adequa.errors import ServiceError
from adequa.metrics.base import (
    EMPTY_TEXT,
    Metric,
    make_paths,
    require_predicates,
    require_valid,
    unknown_language,
)
from adequa.settings import content_hash, setting
from adequa.text import LANGUAGES, language_code

MOST_UNDETECTED = 5
"""Texts with this many undetected entities or more are counted together."""


@dataclass(frozen=True)
class Esa(JudgmentSettings, Metric):
    """The share of the input's entities that the text mentions."""

    name: ClassVar[str] = "esa"
    doc: ClassVar[str] = "share of the data's entities that the text mentions (ESA)"
    limits: ClassVar[str] = (
        "It looks at names and values, not at how they are related: founder and head exchanged, or "
        "an addition without a name, number or date, cost nothing."
    )
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    languages: ClassVar[frozenset[str] | None] = frozenset(["en", *LANGUAGES])
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "terms", "lang", "paths", "coverage")

    def __post_init__(self) -> None:
        require_valid(self)
        require_predicates(self, "ignore", "optional")
        make_paths(self, "aliases", "allowed")
        self.require_resources()

    def score(self, items: Sequence[Item]) -> list[Score]:
        """ESA_I of each item, with mentions and findings."""
        return [self._score(item) for item in items]

    def _score(self, item: Item) -> Score:
        code = language_code(item)
        if (reason := unknown_language(self, item, code)) is not None:
            return Score(None, reason=reason)
        try:
            judgment = judge(item, self, code)
        except ServiceError as error:
            from adequa.services import degrade

            return Score(None, reason=degrade(error))
        if not judgment.entities:
            return Score(None, reason="no entities to look for")
        value = self._value(judgment)
        return Score(
            value,
            statistics=_statistics(judgment, value),
            mentions=judgment.mentions,
            facts=_facts(item, judgment),
            findings=_findings(self.name, item, judgment),
            verdict=_verdict(item, judgment),
        )

    def _value(self, judgment: EntityJudgment) -> float:
        return 1 - len(judgment.missing) / len(judgment.entities)

    def corpus(self, totals: Sequence[float]) -> dict[str, float]:
        """The paper's corpus measures, the share of unexplained texts, and the causes."""
        texts = totals[: MOST_UNDETECTED + 1]
        sums = totals[MOST_UNDETECTED + 1 : MOST_UNDETECTED + 4]
        entities, undetected, surplus, *causes = totals[MOST_UNDETECTED + 4 :]
        everything = texts[0]
        values: dict[str, float] = {"ESA_C": sums[0] / everything}
        for least in (1, 2):
            if texts[least]:  # a mean over no texts is not a number
                values[f"ESA_C\\{least}"] = sums[least] / texts[least]
        for least in range(1, MOST_UNDETECTED + 1):
            values[f"ESI_C^{least}"] = texts[least] / everything
        values["undetected entities"] = undetected / entities
        values["texts with unexplained"] = surplus / everything
        for cause, count in zip(_CAUSES, causes, strict=True):
            values[f"low because {cause}"] = count / everything
        return values

    @property
    def sends_to(self) -> str:
        """The host of the linker, which gets the texts."""
        return "" if self.linker is None else urlsplit(self.linker).netloc

    def provenance(self) -> Mapping[str, object]:
        """The content of the files, and the address of the linker."""
        provenance: dict[str, object] = {}
        if self.aliases is not None:
            from adequa.entities.aliases.lookup import open_aliases

            provenance["aliases"] = open_aliases(self.aliases).content_hash()
        if self.allowed is not None:
            provenance["allowed"] = content_hash(self.allowed)
        if self.linker is not None:
            # An address has colons, which a signature cannot hold.
            provenance["linker"] = self.linker.split("//")[-1].replace(":", "-")
        return provenance


@dataclass(frozen=True)
class EsaStrict(Esa):
    """ESA lowered by names and values that nothing in the data explains."""

    name: ClassVar[str] = "esa_strict"
    doc: ClassVar[str] = "esa lowered by names, numbers and dates the data does not explain"

    # Two unexplained spans count as one missing entity: chosen by hand (docs/metrics/esa_strict.md)
    weight: float = setting(
        0.5, "how much an unexplained span weighs against an entity", at_least=0
    )

    def _value(self, judgment: EntityJudgment) -> float:
        found = len(judgment.entities) - len(judgment.missing)
        surplus = self.weight * len(judgment.unexplained)
        return found / (len(judgment.entities) + surplus)


def _verdict(item: Item, judgment: EntityJudgment) -> Verdict:
    # A repetition is a finding, but adds nothing that the data does not have.
    surplus = judgment.unexplained
    if judgment.missing and not _may_select(item):
        return "hallucination+omission" if surplus else "omission"
    return "hallucination" if surplus else "OK"


def _may_select(item: Item) -> bool:
    """Whether a text may leave facts out; one that says nothing at all may not."""
    return item.coverage == "selected" and bool(item.text.strip())


def _facts(item: Item, judgment: EntityJudgment) -> tuple[Fact, ...]:
    """A denied triple is contradicted, one whose subject or object is missing is missing.

    The others are unchecked.
    """
    denied = {
        one.triple: one
        for one in judgment.unexplained
        if one.triple is not None and (one.kind == "truth" or item.paths)
    }
    if not judgment.missing and not denied:
        return _all_unchecked(item.triples)
    missing = {*judgment.missing}
    facts: list[Fact] = []
    for triple in item.triples:
        if (span := denied.get(triple)) is not None:
            facts.append(Fact(triple, "contradicted", start=span.start, end=span.end))
        elif triple.subject in missing or triple.object in missing:
            facts.append(_missing(triple))
        else:
            facts.append(_unchecked(triple))
    return tuple(facts)


@lru_cache(maxsize=4096)  # the texts of all systems are about the same triples
def _all_unchecked(triples: tuple[Triple, ...]) -> tuple[Fact, ...]:
    return tuple(map(_unchecked, triples))


@lru_cache(maxsize=4096)
def _unchecked(triple: Triple) -> Fact:
    return Fact(triple, "unchecked")


@lru_cache(maxsize=4096)
def _missing(triple: Triple) -> Fact:
    return Fact(triple, "missing")


def _findings(metric: str, item: Item, judgment: EntityJudgment) -> tuple[Finding, ...]:
    if not (judgment.missing or judgment.unexplained or judgment.repetitions):
        return ()
    findings: list[Finding] = []
    if item.coverage == "all":
        findings += [
            Finding(metric, "omission", "missing", why, entity=entity)
            for entity, why in judgment.reasons().items()
        ]
    elif not _may_select(item):
        findings.append(Finding(metric, "omission", "missing", EMPTY_TEXT))
    for span, why in judgment.surplus():
        new = span.kind in ("name", "number", "date", "time")
        detail = f"unexplained {span.kind}" if new else "contradicted"
        findings.append(
            Finding(
                metric,
                "hallucination",
                detail,
                why,
                triple=span.triple,
                # What it stands in place of: for a reader the two are one fault.
                entity=span.nearest if span.nearest in judgment.missing else None,
                start=span.start,
                end=span.end,
                confidence=span.confidence,
            )
        )
    findings += [
        Finding(metric, "hallucination", "repetition", why, start=start, end=end)
        for start, end, why in judgment.repetitions
    ]
    return tuple(findings)


_CAUSES = ("short", "hallucinated", "degenerate", "other")
_ALL_FOUND = (1.0, *[0.0] * MOST_UNDETECTED)


def _statistics(judgment: EntityJudgment, value: float) -> tuple[float, ...]:
    undetected = len(judgment.missing)
    surplus = float(bool(judgment.unexplained))
    if not undetected:  # most texts, hence without the lists below
        entities = float(len(judgment.entities))
        return (*_ALL_FOUND, value, 0.0, 0.0, entities, 0.0, surplus, 0.0, 0.0, 0.0, 0.0)
    texts = [float(undetected >= least) for least in range(MOST_UNDETECTED + 1)]
    sums = [value if undetected >= least else 0.0 for least in range(3)]
    causes = [float(judgment.cause == cause) for cause in _CAUSES]
    return (*texts, *sums, float(len(judgment.entities)), float(undetected), surplus, *causes)
