"""Limits held against a run, each with its confidence interval.

A limit is passed where the whole interval keeps it and failed where the whole interval breaks it;
in between there is not enough data to say. A rate that may be nothing (at most 0, or at least 1) is
about the texts at hand, for no sample shows that there is none elsewhere. Rates of texts have
Wilson's interval, which is honest for few texts and for none at fault; rates of facts, which come
several to a text, are resampled by text; means have Student's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from adequa.compare import compare
from adequa.compare.model import Pair
from adequa.errors import RunError, SettingError, UnknownName
from adequa.gate.measuring import FACT_RATES, Observations, measured_systems, observe
from adequa.gate.model import Check, Gate, Limit, Outcome
from adequa.run import Run, open_run
from adequa.stats.intervals import bootstrap_interval, student_interval
from adequa.stats.means import Interval
from adequa.stats.proportions import wilson_interval

__all__ = ["judge", "parse_limit"]

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


def _absolute(system: str, limit: Limit, seen: Observations, level: float, seed: int) -> Check:
    items = int(sum(seen.weights))
    if not items:
        why = f"no item says anything about {limit.measure} ({seen.left_out:,} left out)"
        return Check(system, limit, "not enough data", True, None, None, 0, why)
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
    return Check(
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
) -> tuple[list[Check], list[str]]:
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
    system: str, limit: Limit, pair: Pair, first: str, higher_is_better: bool, level: float
) -> Check:
    sign = 1.0 if (pair.first == first) else -1.0
    values = (pair.first_value, pair.second_value)
    value, before = values if sign > 0 else values[::-1]
    if pair.difference is None or pair.interval is None or value is None or before is None:
        why = f"{pair.items:,} items are in both runs; {pair.left_out.total:,} could not be paired"
        return Check(system, limit, "not enough data", True, value, None, pair.items, why, before)
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
    return Check(system, limit, outcome, is_broken, value, (low, high), pair.items, why, before, p)


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
