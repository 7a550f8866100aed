"""What a gate measures: rates of faults and means of scores, per system, in one pass over a run.

omission, hallucination    the share of texts whose verdict names it
not-ok                     the share of texts whose verdict is not OK
METRIC.omission, …         the same by the verdict of one metric
missing, contradicted      the share of the input's facts with that status
unscored                   the share of texts that some metric could not score
METRIC                     the mean of a metric's scores
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from adequa.data import Result
from adequa.errors import RunError, UnknownName
from adequa.run import Run

__all__ = ["FACT_RATES", "RATES", "Observations", "measured_systems", "observe"]

RATES = ("omission", "hallucination", "not-ok", "unscored")
FACT_RATES = ("missing", "contradicted")


@dataclass(slots=True)
class Observations:
    """One measure of one system: a row an item that has it."""

    is_rate: bool
    values: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    """Of how many things a value is the count: facts of an item, or 1."""
    broken: list[str] = field(default_factory=list)
    """The items in which the fault was seen."""
    left_out: int = 0
    """Items that say nothing about it: no verdict, no fact, not scorable."""


def observe(run: Run, measures: Iterable[str]) -> dict[str, dict[str, Observations]]:
    """By system and measure what the run says; an unknown measure lists the ones there are."""
    labels = list(run.manifest["metrics"])
    wanted = list(dict.fromkeys(measures))
    known = [*RATES, *FACT_RATES, *labels]
    known += [f"{label}.{rate}" for label in labels for rate in RATES[:3]]
    for measure in wanted:
        if measure not in known:
            raise UnknownName("measure", measure, known)
    found: dict[str, dict[str, Observations]] = {}
    for result in run.results():
        columns = found.setdefault(result.item.system, {})
        for measure in wanted:
            column = columns.setdefault(measure, Observations(measure not in labels))
            _add(column, measure, result, labels)
    if not found:
        raise RunError(f"{run.path} has no items; there is nothing to judge")
    return found


def _add(column: Observations, measure: str, result: Result, labels: Sequence[str]) -> None:
    seen = _seen(measure, result, labels)
    if seen is None:
        column.left_out += 1
        return
    value, weight = seen
    column.values.append(value)
    column.weights.append(weight)
    if column.is_rate and value:
        column.broken.append(_example(measure, result))


def _seen(measure: str, result: Result, labels: Sequence[str]) -> tuple[float, float] | None:
    if measure in labels:
        score = result.scores.get(measure)
        return None if score is None else (score, 1.0)
    if measure == "unscored":
        return float(any(value is None for value in result.scores.values())), 1.0
    if measure in FACT_RATES:
        checked = [fact for fact in result.facts if fact.status != "unchecked"]
        count = sum(fact.status == measure for fact in checked)
        return (float(count), float(len(checked))) if checked else None
    label, _, rate = measure.rpartition(".")
    verdict = result.verdicts.get(label) if label else result.verdict
    if verdict is None:
        return None
    return float(verdict != "OK" if rate == "not-ok" else rate in verdict), 1.0


def _example(measure: str, result: Result) -> str:
    rate = measure.rpartition(".")[2]
    if measure in FACT_RATES:
        reasons = [" | ".join(fact.triple) for fact in result.facts if fact.status == measure]
    elif measure == "unscored":
        reasons = [f"{label}: {reason}" for label, reason in result.reasons.items()]
    else:
        faults = [
            finding
            for finding in (*result.missing, *result.unsupported)
            if rate == "not-ok" or finding.kind == rate
        ]
        reasons = [finding.why for finding in faults]
    told = "; ".join(reasons[:2]) + (f"; … {len(reasons) - 2} more" if len(reasons) > 2 else "")
    return f"{result.item.id}: {told}" if told else result.item.id


def measured_systems(found: Mapping[str, object], wanted: Sequence[str]) -> list[str]:
    """The systems to judge: those asked for, or all."""
    for name in wanted:
        if name not in found:
            raise UnknownName("system", name, found)
    return list(dict.fromkeys(wanted)) or list(found)
