"""Systems of one or several runs side by side, and whether their differences mean anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from adequa.analysis.compare.model import (
    Comparison,
    Measure,
    Significance,
    Slice,
    SystemPair,
    SystemValue,
    TestName,
)
from adequa.analysis.compare.significance import Procedure, measure_systems
from adequa.analysis.compare.systems import choose, load
from adequa.errors import SettingError, UnknownName
from adequa.run import Run, open_run
from adequa.stats.significance import CORRECTIONS, adjust, significance_letters

TESTS: Mapping[str, tuple[TestName, ...]] = {
    "bootstrap": ("bootstrap",),
    "randomisation": ("randomisation",),
    "both": ("bootstrap", "randomisation"),
}
TRIALS: Mapping[str, int] = {"bootstrap": 1000, "randomisation": 10_000}
MOST_TRIALS = 10_000
"""Unless the user asks for more."""
MOST_SLICES = 200


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
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Comparison:
    """Compare all systems with each other, or with a baseline, item by item.

    `by` breaks the comparison down: category, size, seen, lang or meta.KEY. `test` is bootstrap,
    randomisation or both. `n` is the number of trials of each test; without it 10,000 for the
    randomisation, and for the bootstrap 1,000 or as many more, up to 10,000, as the pairs need: a
    correction for m pairs finds nothing when m / (n + 1) is not below the level.
    """
    _check(test, n, seed, level)
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    opened = [run if isinstance(run, Run) else open_run(run) for run in runs]
    if not opened:
        raise SettingError("there is no run to compare; name at least one")
    corpus = load(opened, by)
    if len(corpus.slices) > MOST_SLICES:
        raise SettingError(
            f"{by} has {len(corpus.slices)} values, more than {MOST_SLICES}; "
            "break down by a field with fewer"
        )
    names = [system.name for system in corpus.systems]
    if baseline is not None and baseline not in names:
        raise UnknownName("system", baseline, names)
    pairs = [
        pair if baseline is None else _baseline_last(pair, baseline)
        for pair in combinations(names, 2)
        if baseline is None or baseline in pair
    ]
    yardsticks, notes = choose(corpus, metrics)
    measures = tuple(yardstick.measure for yardstick in yardsticks)
    procedure = Procedure(TESTS[test], _trials(test, n, len(pairs), 1 - level), seed, level)
    steps = _Steps(progress, (1 + len(corpus.slices)) * len(yardsticks) * max(1, len(pairs)))
    judged = []
    for number in (None, *range(len(corpus.slices))):
        values: list[SystemValue] = []
        tested: list[SystemPair] = []
        for yardstick in yardsticks:
            samples = {one.name: yardstick.sample(one, number) for one in corpus.systems}
            some = measure_systems(yardstick, samples, pairs, procedure, steps.take)
            values += some[0]
            tested += some[1]
            steps.finish(max(1, len(pairs)))
        name = None if number is None else corpus.slices[number]
        one = Slice(name, tuple(values), tuple(tested))
        judged.append(_judge(one, measures, correction, 1 - level, baseline))
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
        overall=judged[0],
        slices=tuple(judged[1:]),
        notes=(*notes, *_reach(procedure, correction, len(pairs))),
    )


class _Steps:
    """Counts pairs for whoever shows the progress."""

    def __init__(self, progress: Callable[[int, int], None], total: int) -> None:
        self._progress, self._total = progress, total
        self._finished = self._taken = 0
        progress(0, total)

    def take(self) -> None:
        """A pair is done."""
        self._taken += 1
        self._progress(self._finished + self._taken, self._total)

    def finish(self, steps: int) -> None:
        """A measure is done, however many pairs were counted on the way."""
        self._finished += steps
        self._taken = 0
        self._progress(self._finished, self._total)


def _check(test: str, n: int | None, seed: int, level: float) -> None:
    if test not in TESTS:
        raise UnknownName("test", test, TESTS)
    if n is not None and n < 1:
        raise SettingError(f"the number of trials is at least 1, not {n}")
    if seed < 0:
        raise SettingError(f"a seed is not negative; {seed} is")
    if not 0 < level < 1:
        raise SettingError(f"a confidence level lies between 0 and 1 (0.95), not {level}")


def _trials(test: str, n: int | None, pairs: int, alpha: float) -> dict[str, int]:
    """How often each test draws; the bootstrap always does, for the intervals."""
    needed = min(MOST_TRIALS, math.ceil(2 * pairs / alpha))
    return {
        name: n if n is not None and name in TESTS[test] else max(least, needed)
        for name, least in TRIALS.items()
        if name in (*TESTS[test], "bootstrap")
    }


def _reach(procedure: Procedure, correction: str, pairs: int) -> list[str]:
    """A note where the trials are too few for any p to stay significant when corrected."""
    alpha = 1 - procedure.level
    return [
        f"{test}: {procedure.trials[test]:,} trials are too few for {pairs:,} pairs: no p "
        f"can be below {pairs / (procedure.trials[test] + 1):.3g}; draw "
        f"{math.ceil(2 * pairs / alpha):,} (--n), or compare with a --baseline"
        for test in procedure.tests
        if correction in ("holm", "bonferroni") and pairs / (procedure.trials[test] + 1) >= alpha
    ]


def _baseline_last(pair: tuple[str, str], baseline: str) -> tuple[str, str]:
    """The difference is what a system has over the baseline."""
    return pair if pair[1] == baseline else (pair[1], pair[0])


def _judge(
    one: Slice, measures: Sequence[Measure], correction: str, alpha: float, baseline: str | None
) -> Slice:
    """Correct the p-values of each measure over its pairs, and name winners and groups."""
    pairs: list[SystemPair] = []
    for measure in measures:
        family = [pair for pair in one.pairs if pair.measure == measure.name]
        corrected = {
            test: adjust([pair.tests[test].p for pair in family], correction)
            for test in (family[0].tests if family else ())
        }
        for number, pair in enumerate(family):
            tests = {
                test: Significance(found.p, corrected[test][number])
                for test, found in pair.tests.items()
            }
            pairs.append(replace(pair, tests=tests, winner=_winner(pair, tests, measure, alpha)))
    return _with_groups(replace(one, pairs=tuple(pairs)), measures, baseline)


def _winner(
    pair: SystemPair, tests: dict[str, Significance], measure: Measure, alpha: float
) -> str | None:
    if pair.difference is None or not pair.difference:
        return None
    if any(found.corrected is None or found.corrected >= alpha for found in tests.values()):
        return None
    return pair.first if (pair.difference > 0) == measure.higher_is_better else pair.second


def _with_groups(one: Slice, measures: Sequence[Measure], baseline: str | None) -> Slice:
    """Letters for all pairs, or a star for what differs from the baseline."""
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
