"""A gate for CI: limits on rates of faults and on mean scores, judged with confidence intervals.

A limit passes where the whole interval keeps it and fails where the whole interval breaks it;
in between there is not enough data to decide. A limit of zero faults (at most 0, or at least 1) is
about the texts of this run only, because no sample can show that there are none elsewhere.

The measures, which docs/gate.md lists, are computed per system in one pass over a run. Rates of
texts have Wilson's interval, which holds for few texts and for rates near 0; rates of facts, of
which a text has several, are resampled by text; means have Student's interval.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import quote
from xml.etree import ElementTree as ET

import numpy as np

from adequa import __version__, stats
from adequa.analysis.comparison import SystemPair, compare
from adequa.data import CONFIDENT, Result, judged_status
from adequa.errors import RunError, SettingError, require_known
from adequa.run import MANIFEST, SCORES, Run, count_lines, open_run, unscored_lines
from adequa.settings import object_hash
from adequa.tables import Table, counted, escape_markdown, one_line

RATES = ("omission", "hallucination", "not-ok", "unscored", "unsure")
FACT_RATES = ("missing", "contradicted")
EXAMPLES = 10
"""Examples listed for a broken limit."""

Bound = Literal["max", "min", "no-worse"]
Outcome = Literal["pass", "fail", "not enough data"]

_NOT_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")
"""Characters that XML 1.0 forbids."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound on a measure: at most (`max`), at least (`min`), or the baseline (`no-worse`).

    With `no-worse` the value is the tolerated loss.
    """

    bound: Bound
    measure: str
    value: float = 0.0

    def __str__(self) -> str:
        if self.bound == "no-worse":
            loss = f" by more than {self.value:g}" if self.value else ""
            return f"{self.measure} no worse than the baseline{loss}"
        return f"{self.measure} {'≤' if self.bound == 'max' else '≥'} {self.value:g}"


def parse_limit(bound: str, written: str) -> Limit:
    """Parse a limit of the command line: MEASURE=VALUE, or MEASURE[=LOSS] for no-worse."""
    measure, separator, raw = written.partition("=")
    known: dict[str, Bound] = {name: name for name in get_args(Bound)}
    require_known("bound", [bound], known)
    if not measure or (not separator and bound != "no-worse"):
        raise SettingError(f"--{bound} {written!r} is not a limit; write --{bound} omission=0.05")
    try:
        value = float(raw) if separator else 0.0
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (bound == "no-worse" and value < 0):
        raise SettingError(f"--{bound} {written!r} has no number after the '='; write 0.05")
    return Limit(known[bound], measure, value)


@dataclass(frozen=True, slots=True)
class LimitResult:
    """One limit applied to one system.

    The outcome depends on the interval; `is_broken` on the measured value alone.
    """

    system: str
    limit: Limit
    outcome: Outcome = "not enough data"
    is_broken: bool = True
    value: float | None = None
    interval: stats.Interval | None = None
    items: int = 0
    """The number of items, or of facts, behind the value."""
    why: str = ""
    baseline: float | None = None
    p: float | None = None
    examples: tuple[str, ...] = ()
    """The first items behind a broken limit."""
    more: int = 0

    @property
    def listed(self) -> list[str]:
        """The examples, and a line that counts the others."""
        return [*self.examples, *([f"… and {self.more:,} more"] if self.more else [])]


@dataclass(frozen=True, slots=True)
class Gate:
    """All limits of a run; if `strict`, a limit without enough data stops the run."""

    run: str
    results: tuple[LimitResult, ...]
    level: float
    strict: bool = False
    notes: tuple[str, ...] = ()

    def stops(self, result: LimitResult) -> bool:
        """Whether one result alone closes the gate."""
        if result.outcome == "not enough data":
            return self.strict or result.is_broken
        return result.outcome == "fail"

    @property
    def is_open(self) -> bool:
        """Whether the run may pass."""
        return not any(self.stops(result) for result in self.results)


def evaluate_gate(
    run: Run | Path | str,
    limits: Sequence[Limit],
    *,
    baseline: Run | Path | str | None = None,
    systems: Sequence[str] = (),
    min_confidence: float | None = None,
    level: float = 0.95,
    strict: bool = False,
    seed: int = 0,
) -> Gate:
    """Apply every limit to every system of a run, or to the named systems.

    An OK verdict counts as unsure below `min_confidence`, by default `CONFIDENT`.
    """
    if not limits:
        raise SettingError("there is no limit; give limits=…")
    stats.require_draws(None, seed, level)
    opened = open_run(run)
    absolute = [limit for limit in limits if limit.bound != "no-worse"]
    relative = [limit for limit in limits if limit.bound == "no-worse"]
    if relative and baseline is None:
        raise SettingError("a limit no-worse needs a run to compare with; name it with baseline=…")
    measures = [limit.measure for limit in absolute]
    if min_confidence is not None:
        if not 0 < min_confidence <= 1:
            raise SettingError(f"min_confidence is between 0 and 1, not {min_confidence:g}")
        if "unsure" not in measures:
            raise SettingError("min_confidence needs a limit on the measure unsure")
    found = observe(opened, measures, min_confidence=min_confidence or CONFIDENT)
    require_known("system", systems, found)
    judged = list(dict.fromkeys(systems)) or list(found)
    results = [
        _absolute(system, limit, found[system][limit.measure], level=level, seed=seed)
        for system in judged
        for limit in absolute
    ]
    notes = unscored_lines(opened.summary)
    if relative and baseline is not None:
        before = open_run(baseline)
        more, told = _relative(opened, before, relative, judged, level=level, seed=seed)
        results += more
        notes += told
    return Gate(str(opened.path), tuple(results), level, strict, tuple(notes))


@dataclass(slots=True)
class Observations:
    """One measure of one system, with one value per item that has it."""

    is_rate: bool
    values: array[float] = field(default_factory=lambda: array("d"))
    weights: array[float] = field(default_factory=lambda: array("d"))
    """The total that a value is a count of: the facts of an item, or 1."""
    broken: int = 0
    examples: list[str] = field(default_factory=list)
    """The first of the broken items."""
    left_out: int = 0
    """Items without the measure: no verdict, no fact, or not scorable."""
    scale: stats.Interval = (0.0, 1.0)
    """The lowest and the highest possible value."""


def observe(
    run: Run, measures: Iterable[str], *, min_confidence: float = CONFIDENT
) -> dict[str, dict[str, Observations]]:
    """The observations of each measure, by system and measure."""
    labels = list(run.manifest["metrics"])
    wanted = list(dict.fromkeys(measures))
    known = [*RATES, *FACT_RATES, *labels]
    known += [f"{label}.{rate}" for label in labels for rate in RATES[:3]]
    require_known("measure", wanted, known)
    found: dict[str, dict[str, Observations]] = {}
    scales = {label: metric.scale for label, metric in run.metrics().items()}
    unknown = (-math.inf, math.inf)
    for result in run.results():
        columns = found.setdefault(result.item.system, {})
        for measure in wanted:
            column = columns.setdefault(
                measure, Observations(measure not in labels, scale=scales.get(measure, unknown))
            )
            seen = _observed(measure, result, labels, min_confidence)
            if seen is None:
                column.left_out += 1
                continue
            column.values.append(seen[0])
            column.weights.append(seen[1])
            if column.is_rate and seen[0]:
                column.broken += 1
                if len(column.examples) < EXAMPLES:
                    column.examples.append(_example(measure, result))
    if not found:
        raise RunError(f"{run.path} has no items; there is nothing to evaluate")
    return found


def _observed(
    measure: str, result: Result, labels: Sequence[str], min_confidence: float
) -> tuple[float, float] | None:
    if measure in labels:
        score = result.scores.get(measure)
        return None if score is None else (score, 1.0)
    if measure == "unscored":
        return float(any(value is None for value in result.scores.values())), 1.0
    if measure == "unsure":
        if result.verdict is None or result.confidence is None:
            return None
        return float(result.verdict == "OK" and result.confidence < min_confidence), 1.0
    if measure in FACT_RATES:
        doubtful = {*result.doubtful}  # these were read, the other unchecked ones were not
        read = [one for one in result.facts if one.status != "unchecked" or one in doubtful]
        statuses = [judged_status(fact.status, result.item.coverage) for fact in read]
        counted = [status for status in statuses if status != "left out"]
        return (float(counted.count(measure)), float(len(counted))) if counted else None
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
    elif measure == "unsure":
        reasons = [f"confidence {result.confidence:.2f}"]
        reasons += [f"not sure of {' | '.join(fact.triple)}" for fact in result.doubtful]
    else:
        reasons = [one.why for one in result.faults if rate == "not-ok" or rate in one.kind]
    why = "; ".join(reasons[:2]) + (f"; … {len(reasons) - 2} more" if len(reasons) > 2 else "")
    return f"{result.item.id}: {why}" if why else result.item.id


def _absolute(
    system: str, limit: Limit, seen: Observations, *, level: float, seed: int
) -> LimitResult:
    items = int(sum(seen.weights))
    if not items:
        why = f"no item has a value of {limit.measure} ({seen.left_out:,} left out)"
        return LimitResult(system, limit, why=why)
    value = sum(seen.values) / items
    interval = stats.bounded(_interval(limit.measure, seen, level=level, seed=seed), seen.scale)
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
    thing = "fact" if limit.measure in FACT_RATES else "text"
    shown = "" if interval is None else f" ({interval[0]:.3f} to {interval[1]:.3f})"
    why = f"{limit.measure} is {value:.3f}{shown} over {counted(items, thing)}"
    if seen.left_out:
        why += f", {seen.left_out:,} {'has' if seen.left_out == 1 else 'have'} no value"
    examples = tuple(seen.examples) if is_broken and below else ()
    return LimitResult(
        system=system,
        limit=limit,
        outcome=outcome,
        is_broken=is_broken,
        value=value,
        interval=interval,
        items=items,
        why=why,
        examples=examples,
        more=seen.broken - len(examples) if examples else 0,
    )


def _interval(
    measure: str, seen: Observations, *, level: float, seed: int
) -> stats.Interval | None:
    if not seen.is_rate:
        return stats.student_interval(seen.values, level)
    if measure not in FACT_RATES:
        return stats.wilson_interval(int(sum(seen.values)), len(seen.values), level)
    if not any(seen.values) or seen.values == seen.weights:
        # All resamples are equal; treat facts as independent, which gives the narrowest interval.
        return stats.wilson_interval(int(sum(seen.values)), int(sum(seen.weights)), level)
    statistics = np.column_stack([seen.values, seen.weights])
    return stats.bootstrap_interval(
        statistics, lambda totals: totals[:, 0] / totals[:, 1], seed=seed, level=level
    )


def _relative(
    run: Run, old: Run, limits: Sequence[Limit], systems: Sequence[str], *, level: float, seed: int
) -> tuple[list[LimitResult], list[str]]:
    """Each system against the system of the same name in the baseline, item by item."""
    measures = [limit.measure for limit in limits]
    new_systems, old_systems = (list(one.summary["systems"]) for one in (run, old))
    comparison = compare([run, old], metrics=measures, seed=seed, level=level, correction="none")
    better_is_higher = {one.name: one.higher_is_better for one in comparison.measures}
    names = list(comparison.systems)
    results = []
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
            gains = 1.0 if (pair.first == first) == better_is_higher[limit.measure] else -1.0
            values = (pair.first_value, pair.second_value)
            value, before = values if pair.first == first else values[::-1]
            results.append(
                _compared(system, limit, pair, value=value, before=before, gains=gains, level=level)
            )
    return results, list(comparison.notes)


def _partner(system: str, new: Sequence[str], old: Sequence[str], baseline: Run) -> str:
    if system in old:
        return system
    if len(new) == len(old) == 1:
        return old[0]
    raise RunError(
        f"{baseline.path} has no system {system!r}; it has {', '.join(map(repr, old))}: "
        "name a baseline with the same systems, or one system with systems=…"
    )


def _compared(
    system: str,
    limit: Limit,
    pair: SystemPair,
    *,
    value: float | None,
    before: float | None,
    gains: float,
    level: float,
) -> LimitResult:
    """A limit relative to the baseline; `gains` is the sign that makes a gain positive."""
    if pair.difference is None or pair.interval is None or value is None or before is None:
        why = f"{pair.items:,} items are in both runs; {pair.left_out.total:,} could not be paired"
        return LimitResult(system, limit, value=value, items=pair.items, why=why, baseline=before)
    ends = sorted(gains * end for end in pair.interval)
    gain, low, high = gains * pair.difference, ends[0], ends[1]
    p = next(iter(pair.tests.values())).p
    is_worse = p is not None and p < 1 - level and gain < 0
    outcome: Outcome = "pass"
    if limit.value:
        # A loss is tolerated if the interval excludes a larger one.
        outcome = "pass" if low >= -limit.value else "not enough data"
        if high < -limit.value:
            outcome = "fail"
    elif is_worse:
        outcome = "fail"
    is_broken = outcome == "fail" or (bool(limit.value) and gain < -limit.value)
    shown = "" if p is None or not math.isfinite(p) else f", p {p:.3g}"
    why = (
        f"{limit.measure} is {value:.3f}, was {before:.3f}: {'better' if gain > 0 else 'worse'} by "
        f"{abs(gain):.3f} (gain {low:+.3f} to {high:+.3f}{shown}) over {pair.items:,} paired items"
    )
    if pair.left_out.total:
        why += f", {pair.left_out.total:,} could not be paired"
    return LimitResult(
        system=system,
        limit=limit,
        outcome=outcome,
        is_broken=is_broken,
        value=value,
        interval=(low, high),
        items=pair.items,
        why=why,
        baseline=before,
        p=p,
    )


def gate_table(gate: Gate) -> Table:
    """One row per limit and system."""
    return Table.of(
        "",
        gate.results,
        {
            "system": lambda result: result.system or "(unnamed)",
            "limit": lambda result: str(result.limit),
            "value": lambda result: None if result.value is None else f"{result.value:.3f}",
            "interval": lambda result: (
                "–".join(f"{end:.3f}" for end in result.interval or ()) or None
            ),
            "of": "items",
            "outcome": lambda result: (
                f"{result.outcome}, stops"
                if result.outcome == "not enough data" and gate.stops(result)
                else result.outcome
            ),
        },
    )


def gate_to_object(gate: Gate) -> dict[str, Any]:
    """The gate as JSON."""
    return {
        "run": gate.run,
        "open": gate.is_open,
        "level": gate.level,
        "strict": gate.strict,
        "checks": [
            {
                "system": result.system,
                "bound": result.limit.bound,
                "measure": result.limit.measure,
                "limit": result.limit.value,
                "outcome": result.outcome,
                "stops": gate.stops(result),
                "value": result.value,
                "low": result.interval[0] if result.interval else None,
                "high": result.interval[1] if result.interval else None,
                "baseline": result.baseline,
                "p": result.p,
                "of": result.items,
                "why": result.why,
                "examples": list(result.examples),
                "more": result.more,
            }
            for result in gate.results
        ],
        "notes": list(gate.notes),
    }


def gate_junit(gate: Gate) -> str:
    """The gate as JUnit XML: a test suite with one test case per limit and system.

    A limit without enough data is `skipped`, unless it stops the gate.
    """
    stopping = [result for result in gate.results if gate.stops(result)]
    others = [result for result in gate.results if result not in stopping]
    skipped = [result for result in others if result.outcome == "not enough data"]
    counts = {"tests": str(len(gate.results)), "failures": str(len(stopping))}
    counts |= {"errors": "0", "skipped": str(len(skipped))}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "adequa gate", **counts})
    for result in gate.results:
        place = _xml(f"adequa.{result.system or 'unnamed'}")
        case = ET.SubElement(suite, "testcase", classname=place, name=_xml(str(result.limit)))
        if gate.stops(result):
            failure = ET.SubElement(case, "failure", type=result.outcome, message=_xml(result.why))
            failure.text = _xml("\n".join([result.why, *result.listed]))
        elif result in skipped:
            ET.SubElement(case, "skipped", message=_xml(f"not enough data: {result.why}"))
        else:
            ET.SubElement(case, "system-out").text = _xml(result.why)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def gate_markdown(gate: Gate) -> str:
    """The gate as a Markdown summary for a pull request."""
    head = f"## adequa: {'passed' if gate.is_open else 'not passed'}"
    lines = [head, "", gate_table(gate).markdown()]
    for result in gate.results:
        if gate.stops(result):
            what = (
                f"**{_markdown(result.system or '(unnamed)')}: {_markdown(str(result.limit))}**. "
            )
            lines += ["", what + _markdown(result.why), ""]
            lines += [f"- {_markdown(example)}" for example in result.listed]
    lines += [f"\n{_markdown(note)}" for note in gate.notes]
    return "\n".join(lines) + "\n"


def gate_github(gate: Gate) -> str:
    """Annotation lines for GitHub Actions, one per limit that did not pass."""
    lines = []
    for result in gate.results:
        if result.outcome == "pass" and not gate.stops(result):
            continue
        level = "error" if gate.stops(result) else "warning"
        title = _property(one_line(f"adequa: {result.limit}"))
        words = [one_line(f"{result.system or 'unnamed'}: {result.why}")]
        words += map(one_line, result.listed)
        lines.append(f"::{level} title={title}::{_message(chr(10).join(words))}")
    return "\n".join(lines)


MOST_ALERTS = 5000
"""Results in a SARIF file: GitHub shows no more of one upload."""


def gate_sarif(gate: Gate, run: Run) -> dict[str, Any]:
    """The gate as SARIF 2.1.0: broken limits as errors, the faults of the texts as warnings.

    A fault is placed at its line of the texts or of the input, if these have one line per item, and
    else of the run's `scores.jsonl`.
    """
    alerts = [
        _alert("gate", "error", f"{result.system or '(unnamed)'}: {result.limit}: {result.why}")
        | _location(str(run.path / MANIFEST), 1)
        for result in gate.results
        if gate.stops(result)
    ]
    place, more = _places(run), 0
    for number, result in enumerate(run.results(), 1):
        for fault in result.faults:
            if len(alerts) >= MOST_ALERTS:
                more += 1
                continue
            name = " of ".join(filter(None, (result.item.id, result.item.system)))
            finding = fault.findings[0]
            alert = _alert(f"{finding.kind}/{finding.detail}", "warning", f"{name}: {fault.why}")
            thing = [name, finding.kind, finding.triple, finding.entity, finding.start, finding.end]
            alert["partialFingerprints"] = {"adequa/v1": object_hash(thing)}
            alerts.append(alert | _location(*place(number, result.item.system)))
    rules = sorted({str(alert["ruleId"]) for alert in alerts})
    driver = {
        "name": "adequa",
        "version": __version__,
        "rules": [
            {"id": one, "shortDescription": {"text": one.replace("/", ": ")}} for one in rules
        ],
    }
    told = [*gate.notes, *([f"{more:,} more faults are left out"] if more else [])]
    notes = [{"level": "note", "message": {"text": one_line(note)}} for note in told]
    invocation = {"executionSuccessful": True, "toolExecutionNotifications": notes}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "invocations": [invocation], "results": alerts}],
    }


def _alert(rule: str, level: str, message: str) -> dict[str, Any]:
    return {"ruleId": rule, "level": level, "message": {"text": one_line(message)}}


def _location(path: str, line: int) -> dict[str, Any]:
    where = {"artifactLocation": {"uri": quote(Path(path).as_posix())}}
    return {"locations": [{"physicalLocation": where | {"region": {"startLine": line}}}]}


def _places(run: Run) -> Callable[[int, str], tuple[str, int]]:
    """The file and line of an item, by its number in the run and its system."""
    inputs = run.manifest.get("inputs", {})
    texts, files = inputs.get("texts", {}), [one["path"] for one in inputs.get("files", ())]
    own = str(run.path / SCORES)
    if len(files) == 1 and count_lines(Path(files[0])) == run.items:
        own = files[0]
    seen: Counter[str] = Counter()

    def place(number: int, system: str) -> tuple[str, int]:
        seen[system] += 1
        return (texts[system], seen[system]) if system in texts else (own, number)

    return place


def _markdown(text: str) -> str:
    return escape_markdown(one_line(text))


def _xml(text: str) -> str:
    return text.translate(_NOT_XML)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
