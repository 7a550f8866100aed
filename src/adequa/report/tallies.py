"""One pass over runs into the counts of a report and its packed texts."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from adequa.data import Result, Triple, judged_status
from adequa.errors import DataError, RunError
from adequa.progress import Progress, silent
from adequa.report.changes import Baseline, ChangedText
from adequa.report.texts import PackedTexts, Texts, input_hash, seen_name
from adequa.run import SCORES, Run

DIMENSIONS = ("category", "size", "seen")
"""The fields that texts are sliced by; facts are sliced by their predicate."""
MOST_TEXTS, SAMPLE = 100_000, 20_000
"""A file with more texts than the first shows as many as the second, if not told otherwise: some
twenty megabytes."""
_MOST_KINDS = 200_000
"""So many different facts and spans are counted, some hundred megabytes; of more, the rarest are
dropped, and may be counted too low if they come again."""
_EDITED = "was the run edited? score again into a new folder"


_Key = TypeVar("_Key")
_Tally = TypeVar("_Tally")


@dataclass(slots=True)
class ScoreTally:
    """Counts over the texts of one system, all or in one slice."""

    texts: int = 0
    judged: int = 0
    """Texts with a verdict."""
    omission: int = 0
    hallucination: int = 0
    not_ok: int = 0
    totals: dict[str, tuple[int, float]] = field(default_factory=dict)
    """By metric: the number of scored texts, and the sum of the scores."""

    def add(self, verdict: str | None, scores: Mapping[str, float | None]) -> None:
        """Add a text."""
        self.texts += 1
        if verdict is not None:
            self.judged += 1
            self.omission += "omission" in verdict
            self.hallucination += "hallucination" in verdict
            self.not_ok += verdict != "OK"
        for label, value in scores.items():
            if value is not None:
                count, total = self.totals.get(label, (0, 0.0))
                self.totals[label] = count + 1, total + value

    def mean(self, label: str) -> float | None:
        """The mean score of a metric; None if no text is scored."""
        count, total = self.totals.get(label, (0, 0.0))
        return total / count if count else None


class Slices(dict[str, dict[str, ScoreTally]]):
    """The tallies of texts by category, size and seen; for each of these, by its value."""

    def add(
        self, values: Sequence[str | None], verdict: str | None, scores: Mapping[str, float | None]
    ) -> None:
        """Add a text with a value per dimension; None where it has none."""
        for dimension, value in zip(DIMENSIONS, values, strict=True):
            if value is not None:
                tallies = self.setdefault(dimension, {})
                tallies.setdefault(value, ScoreTally()).add(verdict, scores)

    def tables(self, most: int) -> list[tuple[str, list[tuple[str, ScoreTally]], int]]:
        """Dimensions with several values: name, the largest slices in order, number left out."""
        found = []
        for dimension, tallies in self.items():
            if len(tallies) > 1:
                largest = sorted(tallies, key=lambda one: (-tallies[one].texts, one))[:most]
                shown = sorted(largest, key=int if dimension == "size" else str)
                rows = [(value, tallies[value]) for value in shown]
                found.append((dimension, rows, len(tallies) - len(shown)))
        return sorted(found, key=lambda table: DIMENSIONS.index(table[0]))


@dataclass(slots=True)
class FactTally:
    """Counts of facts that texts should state, by status."""

    facts: int = 0
    missing: int = 0
    contradicted: int = 0
    unchecked: int = 0

    @property
    def faults(self) -> int:
        """How often a fact is missing or contradicted."""
        return self.missing + self.contradicted

    def add(self, status: str) -> None:
        """Add a fact."""
        self.facts += 1
        self.missing += status == "missing"
        self.contradicted += status == "contradicted"
        self.unchecked += status == "unchecked"


@dataclass(slots=True)
class Span:
    """Words in texts that the data does not support."""

    words: str
    texts: int = 0
    systems: set[int] = field(default_factory=set)
    example: tuple[int, str] = (0, "")
    """System and id of the first text that has it."""


@dataclass(slots=True)
class SystemTexts:
    """One system of one run, or of the baseline."""

    run: int
    name: str
    """The name in the run; the report may add to it where names clash."""
    is_baseline: bool
    overall: ScoreTally = field(default_factory=ScoreTally)
    verdicts: Counter[str] = field(default_factory=Counter)
    scores: dict[str, array[float]] = field(default_factory=dict)
    confidences: array[float] = field(default_factory=lambda: array("d"))
    """Of the OK verdicts, where it is known."""
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    """By metric: why texts were not scorable, with counts."""
    slices: Slices = field(default_factory=Slices)
    predicates: dict[str, FactTally] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Add a text."""
        self.overall.add(result.verdict, result.scores)
        self.verdicts[result.verdict or ""] += 1
        if result.verdict == "OK" and result.confidence is not None:
            self.confidences.append(result.confidence)
        for label, value in result.scores.items():
            if value is not None:
                self.scores.setdefault(label, array("d")).append(value)
        for label, reason in result.reasons.items():
            self.reasons.setdefault(label, Counter())[reason] += 1
        item = result.item
        values = item.category, str(len(item.triples)), seen_name(item.meta)
        self.slices.add(values, result.verdict, result.scores)
        for fact in result.facts:
            status = judged_status(fact.status, item.coverage)
            self.predicates.setdefault(fact.triple.predicate, FactTally()).add(status)


@dataclass(slots=True)
class RunTallies:
    """The result of one pass over the runs."""

    systems: list[SystemTexts]
    """The baseline's systems first; texts refer to their system by its position here."""
    labels: tuple[str, ...]
    packed: PackedTexts
    facts: dict[Triple, FactTally]
    spans: list[Span]
    changed: dict[int, ChangedText]
    """By system: the changes of its texts since the baseline."""

    def shown(self) -> Iterator[tuple[int, SystemTexts]]:
        """The systems of the runs with their numbers, without those of the baseline."""
        return ((one, two) for one, two in enumerate(self.systems) if not two.is_baseline)

    @property
    def text_count(self) -> int:
        """The number of texts of the runs."""
        return sum(system.overall.texts for _, system in self.shown())

    @property
    def faulty_count(self) -> int | None:
        """The number of texts of the runs with a fault; None if no text has a verdict."""
        tallies = [system.overall for _, system in self.shown()]
        return sum(one.not_ok for one in tallies) if any(one.judged for one in tallies) else None


class _Pass:
    def __init__(self, labels: tuple[str, ...], texts: Texts) -> None:
        self.labels, self.texts = labels, texts
        self.systems: dict[tuple[int, str], int] = {}
        self.collected: list[SystemTexts] = []
        self.facts: dict[Triple, FactTally] = {}
        self.spans: dict[str, Span] = {}

    def system(self, run: int, name: str, *, is_baseline: bool) -> int:
        number = self.systems.setdefault((run, name), len(self.collected))
        if number == len(self.collected):
            self.collected.append(SystemTexts(run, name, is_baseline))
        return number

    def add(self, number: int, result: Result) -> None:
        self.collected[number].add(result)
        for fact in result.facts:
            status = judged_status(fact.status, result.item.coverage)
            self.facts.setdefault(fact.triple, FactTally()).add(status)
        if len(self.facts) > _MOST_KINDS:
            weigh = self.facts.__getitem__
            self.facts = _most(self.facts, lambda one: (weigh(one).faults, weigh(one).facts))
        if len(self.spans) > _MOST_KINDS:
            self.spans = _most(self.spans, lambda one: self.spans[one].texts)
        met = set()
        for finding in result.unsupported:
            if finding.start is None or finding.end is None:
                continue
            words = " ".join(result.item.text[finding.start : finding.end].split())
            key = words.casefold()
            if not key or key in met:
                continue
            met.add(key)
            span = self.spans.setdefault(key, Span(words, example=(number, result.item.id)))
            span.texts += 1
            span.systems.add(number)


def collect(
    runs: Sequence[Run],
    *,
    baseline: Run | None = None,
    max_items: int | None = None,
    progress: Progress = silent,
) -> RunTallies:
    """Read the baseline and the runs once each; memory holds numbers and packed texts."""
    every = [*([baseline] if baseline else []), *runs]
    total = sum(_count(run) for run in every)
    labels = tuple(
        dict.fromkeys(label for run in every for label in run.manifest.get("metrics", ()))
    )
    if max_items is None and total > MOST_TEXTS:
        max_items = SAMPLE
    chosen = None if max_items is None or max_items >= total else _sample(every, max_items, total)
    growing = _Pass(labels, Texts(labels, chosen=chosen))
    before = Baseline()
    changed: dict[int, ChangedText] = {}
    # Where the runs have only one system, its name in the baseline may differ.
    single = sum(len(run.summary.get("systems", ())) for run in runs) == 1 if baseline else False
    done = 0
    for place, run in enumerate(every):
        is_old = run is baseline
        for result in run.results():
            try:
                number = growing.system(place, result.item.system, is_baseline=is_old)
                if is_old:
                    before.add(number, result)
                    growing.texts.add(number, result)
                else:
                    growing.add(number, result)
                    broken = mended = 0
                    old = before.partner(result.item.system, single=single) if baseline else None
                    if old is not None:
                        change = changed.setdefault(number, ChangedText(old))
                        broken, mended = change.add(result, before.get(old, result.item))
                    growing.texts.add(number, result, broken, mended)
            except (TypeError, ValueError, OverflowError) as error:
                raise DataError(
                    f"has a line that breaks the contract ({result.item.system or 'no system'}, "
                    f"{result.item.id}: {error})",
                    path=run.path / SCORES,
                    remedy=_EDITED,
                ) from None
            done += 1
            if done % 500 == 0:
                progress(done, total)
    progress(total, total)
    if all(one.is_baseline for one in growing.collected):
        names = ", ".join(str(run.path) for run in runs)
        raise RunError(f"{names}: no text was scored; there is nothing to report")
    return RunTallies(
        systems=growing.collected,
        labels=labels,
        packed=growing.texts.finish(
            {number for number, one in enumerate(growing.collected) if not one.is_baseline}
        ),
        facts=growing.facts,
        spans=sorted(growing.spans.values(), key=lambda one: (-one.texts, one.words)),
        changed=changed,
    )


def _sample(runs: Sequence[Run], texts: int, total: int) -> frozenset[int]:
    """Inputs with about so many texts in all: those whose hashes are the smallest.

    So each input is as likely as any other, all systems show the same ones, and a second report
    shows them again.
    """
    systems = sum(len(run.summary.get("systems", ())) for run in runs)
    wanted = texts // max(1, systems) if texts < total else total
    heap: list[int] = []
    kept: set[int] = set()
    for run in runs if wanted else ():
        for _, raw in run.objects():
            one = input_hash(raw["id"], raw["triples"])
            if one in kept or (len(heap) == wanted and one > -heap[0]):
                continue
            kept.add(one)
            heapq.heappush(heap, -one)
            if len(heap) > wanted:
                kept.discard(-heapq.heappop(heap))
    return frozenset(kept)


def _most(counted: dict[_Key, _Tally], weigh: Callable[[_Key], Any]) -> dict[_Key, _Tally]:
    """The half of the entries that weigh the most, in their order."""
    kept = set(heapq.nlargest(len(counted) // 2, counted, key=weigh))
    return {key: tally for key, tally in counted.items() if key in kept}


def _count(run: Run) -> int:
    counted = run.manifest.get("counts", {}).get("items")
    return counted if isinstance(counted, int) else sum(1 for _ in run.objects())
