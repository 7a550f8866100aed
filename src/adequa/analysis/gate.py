"""Limits held against a run, each with its confidence interval.

A limit is passed where the whole interval keeps it and failed where the whole interval breaks it;
in between there is not enough data to say. A rate that may be nothing (at most 0, or at least 1) is
about the texts at hand, for no sample shows that there is none elsewhere. Rates of texts have
Wilson's interval, which is honest for few texts and for none at fault; rates of facts, which come
several to a text, are resampled by text; means have Student's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

import numpy as np

from adequa.analysis.comparison import SystemPair, compare
from adequa.data import Result
from adequa.errors import RunError, SettingError, UnknownName
from adequa.run import Run, open_run
from adequa.stats import Interval, bootstrap_interval, student_interval, wilson_interval
from adequa.tables import Cell, Table, escape_markdown, one_line

# ---
# What a gate measures: rates of faults and means of scores, per system, in one pass over a run.
#
# omission, hallucination    the share of texts whose verdict names it
# not-ok                     the share of texts whose verdict is not OK
# METRIC.omission, …         the same by the verdict of one metric
# missing, contradicted      the share of the input's facts with that status
# unscored                   the share of texts that some metric could not score
# METRIC                     the mean of a metric's scores
# ---

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


# ---
# What a gate asks and what it says, without a word on how that is shown.
# ---

Outcome = Literal["pass", "fail", "not enough data"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound that a measure may not break: at most (`max`), at least (`min`), or the baseline's.

    With `no-worse` the value is the loss that is tolerated.
    """

    bound: Literal["max", "min", "no-worse"]
    measure: str
    value: float = 0.0

    def __str__(self) -> str:
        if self.bound == "no-worse":
            loss = f" by more than {self.value:g}" if self.value else ""
            return f"{self.measure} no worse than the baseline{loss}"
        return f"{self.measure} {'≤' if self.bound == 'max' else '≥'} {self.value:g}"


@dataclass(frozen=True, slots=True)
class LimitResult:
    """One limit held against one system.

    The outcome is about what the interval allows; `is_broken` is about the number as it was seen.
    """

    system: str
    limit: Limit
    outcome: Outcome
    is_broken: bool
    value: float | None
    interval: Interval | None
    items: int
    """How many items, or facts, the number is of."""
    why: str
    baseline: float | None = None
    p: float | None = None
    examples: tuple[str, ...] = ()
    """Items behind a broken limit, the first of them."""
    more: int = 0
    """How many such items there are beyond the examples."""


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of a run; what has no interval narrow enough fails only where it is `strict`."""

    run: str
    checks: tuple[LimitResult, ...]
    level: float
    strict: bool = False
    notes: tuple[str, ...] = ()

    def stops(self, check: LimitResult) -> bool:
        """Whether a check by itself closes the gate."""
        if check.outcome == "not enough data":
            return self.strict or check.is_broken
        return check.outcome == "fail"

    @property
    def is_open(self) -> bool:
        """Whether the run may pass."""
        return not any(self.stops(check) for check in self.checks)


EXAMPLES = 10


def judge(
    run: Run | Path | str,
    limits: Sequence[Limit],
    *,
    baseline: Run | Path | str | None = None,
    systems: Sequence[str] = (),
    level: float = 0.95,
    strict: bool = False,
    seed: int = 0,
) -> Gate:
    """Hold every limit against every system of a run, or against the systems named."""
    if not limits:
        raise SettingError("there is no limit to judge by; give --max, --min or --no-worse")
    if not 0 < level < 1:
        raise SettingError(f"a confidence level lies between 0 and 1 (0.95), not {level}")
    opened = run if isinstance(run, Run) else open_run(run)
    absolute = [limit for limit in limits if limit.bound != "no-worse"]
    relative = [limit for limit in limits if limit.bound == "no-worse"]
    if relative and baseline is None:
        raise SettingError("--no-worse needs a run to compare with; name it with --baseline")
    found = observe(opened, [limit.measure for limit in absolute])
    checks = [
        _absolute(system, limit, found[system][limit.measure], level, seed)
        for system in measured_systems(found, systems)
        for limit in absolute
    ]
    notes: list[str] = []
    if relative and baseline is not None:
        old = baseline if isinstance(baseline, Run) else open_run(baseline)
        more, notes = _relative(
            opened, old, relative, measured_systems(found, systems), level, seed
        )
        checks += more
    return Gate(str(opened.path), tuple(checks), level, strict, tuple(notes))


def _absolute(
    system: str, limit: Limit, seen: Observations, level: float, seed: int
) -> LimitResult:
    items = int(sum(seen.weights))
    if not items:
        why = f"no item says anything about {limit.measure} ({seen.left_out:,} left out)"
        return LimitResult(system, limit, "not enough data", True, None, None, 0, why)
    value = sum(seen.values) / items
    interval = _interval(limit.measure, seen, level, seed)
    below = limit.bound == "max"
    is_broken = value > limit.value if below else value < limit.value
    outcome: Outcome = "not enough data"
    if seen.is_rate and limit.value == (0.0 if below else 1.0):
        outcome = "fail" if is_broken else "pass"
    elif interval is not None:
        low, high = interval
        if (high <= limit.value) if below else (low >= limit.value):
            outcome = "pass"
        elif (low > limit.value) if below else (high < limit.value):
            outcome = "fail"
    things = "facts" if limit.measure in FACT_RATES else "texts"
    shown = "" if interval is None else f" ({interval[0]:.3f} to {interval[1]:.3f})"
    why = f"{limit.measure} is {value:.3f}{shown} over {items:,} {things}"
    if seen.left_out:
        why += f", {seen.left_out:,} say nothing about it"
    examples = tuple(seen.broken[:EXAMPLES]) if is_broken and below else ()
    return LimitResult(
        system,
        limit,
        outcome,
        is_broken,
        value,
        interval,
        items,
        why,
        examples=examples,
        more=len(seen.broken) - len(examples) if examples else 0,
    )


def _interval(measure: str, seen: Observations, level: float, seed: int) -> Interval | None:
    if not seen.is_rate:
        return student_interval(seen.values, level)
    if measure not in FACT_RATES:
        return wilson_interval(int(sum(seen.values)), len(seen.values), level)
    if not any(seen.values) or seen.values == seen.weights:
        # No resample differs; as if facts were independent, which is the narrowest they can be.
        return wilson_interval(int(sum(seen.values)), int(sum(seen.weights)), level)
    statistics = np.column_stack([seen.values, seen.weights])
    return bootstrap_interval(
        statistics, lambda totals: totals[:, 0] / totals[:, 1], seed=seed, level=level
    )


def _relative(
    run: Run, old: Run, limits: Sequence[Limit], systems: Sequence[str], level: float, seed: int
) -> tuple[list[LimitResult], list[str]]:
    """Each system against the one of its name in the baseline, item by item."""
    measures = [limit.measure for limit in limits]
    new_systems, old_systems = (list(one.summary["systems"]) for one in (run, old))
    comparison = compare([run, old], metrics=measures, seed=seed, level=level, correction="none")
    better_is_higher = {one.name: one.higher_is_better for one in comparison.measures}
    names = list(comparison.systems)
    checks = []
    for system in systems:
        partner = _partner(system, new_systems, old_systems, old)
        first = names[new_systems.index(system)]
        second = names[len(new_systems) + old_systems.index(partner)]
        for limit in limits:
            pair = next(
                one
                for one in comparison.overall.pairs
                if one.measure == limit.measure and {one.first, one.second} == {first, second}
            )
            checks.append(
                _compared(system, limit, pair, first, better_is_higher[limit.measure], level)
            )
    return checks, list(comparison.notes)


def _partner(system: str, new: Sequence[str], old: Sequence[str], baseline: Run) -> str:
    if system in old:
        return system
    if len(new) == len(old) == 1:
        return old[0]
    raise RunError(
        f"{baseline.path} has no system {system!r}; it has {', '.join(map(repr, old))}: "
        "name a baseline with the same systems, or one system with --system"
    )


def _compared(
    system: str, limit: Limit, pair: SystemPair, first: str, higher_is_better: bool, level: float
) -> LimitResult:
    sign = 1.0 if (pair.first == first) else -1.0
    values = (pair.first_value, pair.second_value)
    value, before = values if sign > 0 else values[::-1]
    if pair.difference is None or pair.interval is None or value is None or before is None:
        why = f"{pair.items:,} items are in both runs; {pair.left_out.total:,} could not be paired"
        return LimitResult(
            system, limit, "not enough data", True, value, None, pair.items, why, before
        )
    gains = sign * (1.0 if higher_is_better else -1.0)
    ends = sorted(gains * end for end in pair.interval)
    gain, low, high = gains * pair.difference, ends[0], ends[1]
    p = next(iter(pair.tests.values())).p
    is_worse = p is not None and p < 1 - level and gain < 0
    outcome: Outcome = "pass"
    if limit.value:
        # A loss is tolerated: the interval has to say that it is not larger.
        outcome = "pass" if low >= -limit.value else "not enough data"
        if high < -limit.value:
            outcome = "fail"
    elif is_worse:
        outcome = "fail"
    is_broken = outcome == "fail" or (bool(limit.value) and gain < -limit.value)
    told = "" if p is None or not math.isfinite(p) else f", p {p:.3g}"
    why = (
        f"{limit.measure} is {value:.3f}, was {before:.3f}: {'better' if gain > 0 else 'worse'} by "
        f"{abs(gain):.3f} (gain {low:+.3f} to {high:+.3f}{told}) over {pair.items:,} paired items"
    )
    if pair.left_out.total:
        why += f", {pair.left_out.total:,} could not be paired"
    return LimitResult(
        system, limit, outcome, is_broken, value, (low, high), pair.items, why, before, p
    )


def parse_limit(bound: str, written: str) -> Limit:
    """A limit as the command line has it: MEASURE=VALUE, or MEASURE[=LOSS] for no-worse."""
    measure, separator, raw = written.partition("=")
    if bound not in ("max", "min", "no-worse"):
        raise UnknownName("bound", bound, ("max", "min", "no-worse"))
    if not measure or (not separator and bound != "no-worse"):
        raise SettingError(f"--{bound} {written!r} names no limit; write --{bound} omission=0.05")
    try:
        value = float(raw) if separator else 0.0
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (bound == "no-worse" and value < 0):
        raise SettingError(f"--{bound} {written!r} has no number behind the '='; write 0.05")
    return Limit(
        "max" if bound == "max" else "min" if bound == "min" else "no-worse", measure, value
    )


# ---
# A gate's answer as a table, JSON, JUnit XML, Markdown and GitHub's annotation lines.
# ---

_NOT_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")


def table(gate: Gate) -> Table:
    """A row a check."""
    rows: list[list[Cell]] = [
        [
            check.system or "(unnamed)",
            str(check.limit),
            None if check.value is None else f"{check.value:.3f}",
            None if check.interval is None else f"{check.interval[0]:.3f}–{check.interval[1]:.3f}",
            check.items,
            _said(gate, check),
        ]
        for check in gate.checks
    ]
    return Table("", ["system", "limit", "value", "interval", "of", "outcome"], rows)


def to_object(gate: Gate) -> dict[str, Any]:
    """The answer for machines."""
    return {
        "run": gate.run,
        "open": gate.is_open,
        "level": gate.level,
        "strict": gate.strict,
        "checks": [
            {
                "system": check.system,
                "bound": check.limit.bound,
                "measure": check.limit.measure,
                "limit": check.limit.value,
                "outcome": check.outcome,
                "stops": gate.stops(check),
                "value": check.value,
                "low": check.interval[0] if check.interval else None,
                "high": check.interval[1] if check.interval else None,
                "baseline": check.baseline,
                "p": check.p,
                "of": check.items,
                "why": check.why,
                "examples": list(check.examples),
                "more": check.more,
            }
            for check in gate.checks
        ],
        "notes": list(gate.notes),
    }


def junit(gate: Gate) -> str:
    """A test suite with a test case a check, as test reports of most services read it.

    What there is not enough data for is `skipped`, unless it stops the gate.
    """
    stopping = [check for check in gate.checks if gate.stops(check)]
    skipped = [
        check
        for check in gate.checks
        if check.outcome == "not enough data" and check not in stopping
    ]
    counts = {
        "tests": str(len(gate.checks)),
        "failures": str(len(stopping)),
        "errors": "0",
        "skipped": str(len(skipped)),
    }
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "adequa gate", **counts})
    for check in gate.checks:
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "classname": _xml(f"adequa.{check.system or 'unnamed'}"),
                "name": _xml(str(check.limit)),
            },
        )
        if gate.stops(check):
            failure = ET.SubElement(
                case, "failure", {"type": check.outcome, "message": _xml(check.why)}
            )
            failure.text = _xml("\n".join([check.why, *_examples(check)]))
        elif check in skipped:
            ET.SubElement(case, "skipped", {"message": _xml(f"not enough data: {check.why}")})
        else:
            ET.SubElement(case, "system-out").text = _xml(check.why)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def markdown(gate: Gate) -> str:
    """A summary for a pull request."""
    lines = [f"## adequa: {'passed' if gate.is_open else 'not passed'}", "", table(gate).markdown()]
    for check in gate.checks:
        if gate.stops(check):
            lines += ["", f"**{_markdown(check.system)}: {_markdown(str(check.limit))}**. "]
            lines[-1] += _markdown(check.why)
            lines += ["", *(f"- {_markdown(example)}" for example in _examples(check))]
    lines += [f"\n{_markdown(note)}" for note in gate.notes]
    return "\n".join(lines) + "\n"


def github_lines(gate: Gate) -> str:
    """A line a check that did not pass, in the form that GitHub shows beside the run."""
    lines = []
    for check in gate.checks:
        if check.outcome == "pass" and not gate.stops(check):
            continue
        level = "error" if gate.stops(check) else "warning"
        title = _property(f"adequa: {check.limit}")
        words = [f"{check.system or 'unnamed'}: {check.why}", *_examples(check)]
        lines.append(f"::{level} title={title}::{_message(chr(10).join(words))}")
    return "\n".join(lines)


def _said(gate: Gate, check: LimitResult) -> str:
    if check.outcome == "not enough data":
        return f"not enough data{', stops' if gate.stops(check) else ''}"
    return check.outcome


def _examples(check: LimitResult) -> list[str]:
    return [*check.examples, *([f"… and {check.more:,} more"] if check.more else [])]


def _markdown(text: str) -> str:
    return escape_markdown(one_line(text))


def _xml(text: str) -> str:
    """Without the characters that no XML document may hold."""
    return text.translate(_NOT_XML)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
