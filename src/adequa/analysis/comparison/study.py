"""Compare the systems of one or several runs, and test whether they differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count
from pathlib import Path

from adequa.analysis.comparison.significance import (
    Procedure,
    Significance,
    SystemPair,
    SystemValue,
    TestName,
    measure_systems,
)
from adequa.analysis.comparison.systems import Measure, choose_yardsticks, load_systems
from adequa.errors import SettingError, UnknownName
from adequa.progress import Progress, silent
from adequa.run import Run, open_run
from adequa.stats import CORRECTIONS, adjust, significance_letters

TESTS: Mapping[str, tuple[TestName, ...]] = {
    "bootstrap": ("bootstrap",),
    "randomisation": ("randomisation",),
    "both": ("bootstrap", "randomisation"),
}
TRIALS: Mapping[str, int] = {"bootstrap": 1000, "randomisation": 10_000}
"""The defaults of sacreBLEU for the same two tests."""
MOST_TRIALS = 10_000
"""The automatic number of trials never exceeds this; `n` may."""
MOST_SLICES = 200
"""A breakdown into more slices than this is taken for a mistake."""


@dataclass(frozen=True, slots=True)
class Slice:
    """All systems and pairs on the items that share a value of the breakdown; None: on all."""

    name: str | None
    values: tuple[SystemValue, ...]
    pairs: tuple[SystemPair, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems side by side, over all items and by slice.

    P-values are corrected over all pairs of one measure, within a slice or over all items: each
    slice asks its own question.
    """

    runs: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    baseline: str | None
    by: str | None
    trials: Mapping[str, int]
    """The number of trials of each test; always includes the bootstrap, for the intervals."""
    tests: tuple[TestName, ...]
    seed: int
    level: float
    correction: str
    overall: Slice
    slices: tuple[Slice, ...] = ()
    notes: tuple[str, ...] = ()


def compare(
    runs: Iterable[Run | Path | str],
    *,
    metrics: Sequence[str] | None = None,
    baseline: str | None = None,
    by: str | None = None,
    test: str = "bootstrap",
    n: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    correction: str = "holm",
    progress: Progress = silent,
) -> Comparison:
    """Compare all systems with each other, or with a baseline, item by item.

    `by` breaks the comparison down: category, size, seen, lang or meta.KEY. `test` is bootstrap,
    randomisation or both. `n` is the number of trials of each test; the default is 10,000 for the
    randomisation, and for the bootstrap 1,000 or, with many pairs, up to 10,000: a correction for
    m pairs finds nothing unless m / (n + 1) is below 1 - level.
    """
    _validate(test, n, seed, level)
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    opened = [open_run(run) for run in runs]
    if not opened:
        raise SettingError("there is no run to compare; name at least one")
    aligned = load_systems(opened, by)
    if len(aligned.slices) > MOST_SLICES:
        raise SettingError(
            f"{by} has {len(aligned.slices)} values, more than {MOST_SLICES}; "
            "break down by a field with fewer"
        )
    names = [system.name for system in aligned.systems]
    if baseline is not None and baseline not in names:
        raise UnknownName("system", baseline, names)
    pairs = [
        pair if baseline is None else _baseline_last(pair, baseline)
        for pair in combinations(names, 2)
        if baseline is None or baseline in pair
    ]
    yardsticks, notes = choose_yardsticks(aligned, metrics)
    measures = tuple(yardstick.measure for yardstick in yardsticks)
    procedure = Procedure(TESTS[test], _trials(test, n, len(pairs), 1 - level), seed, level)
    total = (1 + len(aligned.slices)) * len(yardsticks) * max(1, len(pairs))
    done = count(1)
    progress(0, total)
    slices = []
    for number in (None, *range(len(aligned.slices))):
        values: list[SystemValue] = []
        tested: list[SystemPair] = []
        for yardstick in yardsticks:
            samples = {one.name: yardstick.sample(one, number) for one in aligned.systems}
            some = measure_systems(
                yardstick, samples, pairs, procedure, step=lambda: progress(next(done), total)
            )
            values += some[0]
            tested += correct_pairs(
                some[1], yardstick.measure, correction=correction, alpha=1 - level
            )
        name = None if number is None else aligned.slices[number]
        slices.append(_with_groups(Slice(name, tuple(values), tuple(tested)), measures, baseline))
    return Comparison(
        runs=tuple(str(run.path) for run in opened),
        systems=tuple(names),
        measures=measures,
        baseline=baseline,
        by=by,
        trials=procedure.trials,
        tests=procedure.tests,
        seed=seed,
        level=level,
        correction=correction,
        overall=slices[0],
        slices=tuple(slices[1:]),
        notes=(*notes, *_too_few_trials(procedure, correction, len(pairs))),
    )


def _validate(test: str, n: int | None, seed: int, level: float) -> None:
    if test not in TESTS:
        raise UnknownName("test", test, TESTS)
    if n is not None and n < 1:
        raise SettingError(f"the number of trials must be at least 1, not {n}")
    if seed < 0:
        raise SettingError(f"the seed must not be negative, as {seed} is")
    if not 0 < level < 1:
        raise SettingError(f"the confidence level must lie between 0 and 1 (0.95), not {level}")


def _trials(test: str, n: int | None, pairs: int, alpha: float) -> dict[str, int]:
    """The number of trials of each test, and of the bootstrap for the intervals."""
    needed = min(MOST_TRIALS, math.ceil(2 * pairs / alpha))
    return {
        name: n if n is not None and name in TESTS[test] else max(least, needed)
        for name, least in TRIALS.items()
        if name in (*TESTS[test], "bootstrap")
    }


def _too_few_trials(procedure: Procedure, correction: str, pairs: int) -> list[str]:
    """A note where no p-value can stay significant after correction."""
    alpha = 1 - procedure.level
    return [
        f"{test}: {procedure.trials[test]:,} trials are too few for {pairs:,} pairs: no p "
        f"can be below {pairs / (procedure.trials[test] + 1):.3g}; draw "
        f"{math.ceil(2 * pairs / alpha):,} (--n), or compare with a --baseline"
        for test in procedure.tests
        if correction in ("holm", "bonferroni") and pairs / (procedure.trials[test] + 1) >= alpha
    ]


def _baseline_last(pair: tuple[str, str], baseline: str) -> tuple[str, str]:
    """A pair with the baseline second, so that the difference is the gain over it."""
    return pair if pair[1] == baseline else (pair[1], pair[0])


def correct_pairs(
    family: Sequence[SystemPair], measure: Measure, *, correction: str, alpha: float
) -> list[SystemPair]:
    """The pairs of one measure with p-values corrected over all of them, and with winners."""
    if not family:
        return []
    corrected = {
        test: adjust([pair.tests[test].p for pair in family], correction)
        for test in family[0].tests
    }
    pairs = []
    for number, pair in enumerate(family):
        tests = {
            test: Significance(found.p, corrected[test][number])
            for test, found in pair.tests.items()
        }
        pairs.append(replace(pair, tests=tests, winner=_winner(pair, tests, measure, alpha)))
    return pairs


def _winner(
    pair: SystemPair, tests: Mapping[str, Significance], measure: Measure, alpha: float
) -> str | None:
    if pair.difference is None or not pair.difference:
        return None
    if any(found.corrected is None or found.corrected >= alpha for found in tests.values()):
        return None
    return pair.first if (pair.difference > 0) == measure.higher_is_better else pair.second


def _with_groups(one: Slice, measures: Sequence[Measure], baseline: str | None) -> Slice:
    """A slice with letters for all systems, or a star for those that differ from the baseline."""
    groups: dict[tuple[str, str], str | None] = {}
    for measure in measures:
        pairs = [pair for pair in one.pairs if pair.measure == measure.name]
        if baseline is not None:
            for pair in pairs:
                groups[measure.name, pair.first] = "*" if pair.winner else ""
            continue
        ranked = sorted(
            (value for value in one.values if value.measure == measure.name and value.items),
            key=lambda value: measure.rank(value.value),
        )
        places = {value.system: place for place, value in enumerate(ranked)}
        different = [
            (places[pair.first], places[pair.second]) for pair in pairs if pair.winner is not None
        ]
        letters = significance_letters(len(ranked), different) if pairs else None
        for value, group in zip(ranked, letters or (), strict=letters is not None):
            groups[measure.name, value.system] = group
    return replace(
        one,
        values=tuple(
            replace(value, group=groups.get((value.measure, value.system))) for value in one.values
        ),
    )
