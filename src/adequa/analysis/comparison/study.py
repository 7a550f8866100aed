"""Comparison of systems: their values, the tests of all pairs, corrected over slices and measures.

Resamples are drawn once for all systems and pairs that share the same items.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations, count
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from adequa import stats
from adequa.analysis.comparison.systems import (
    Integers,
    Matrix,
    Measure,
    SystemSample,
    Vector,
    Yardstick,
    choose_yardsticks,
    load_systems,
)
from adequa.errors import SettingError, require_known
from adequa.fields import require_few
from adequa.files import as_list
from adequa.progress import Progress, silent
from adequa.run import Run, open_run
from adequa.tables import counted

_NUMBERS_AT_ONCE = 1 << 24
"""The size of one matrix product over the statistics of several systems: 128 MB of floats."""

Element = TypeVar("Element")
Names = tuple[str, str]
TestName = Literal["bootstrap", "randomisation"]
TESTS: Mapping[str, tuple[TestName, ...]] = {
    "bootstrap": ("bootstrap",),
    "randomisation": ("randomisation",),
    "both": ("bootstrap", "randomisation"),
}
TRIALS: Mapping[str, int] = {"bootstrap": 1000, "randomisation": 10_000}
"""The defaults of sacreBLEU for the same two tests."""
MOST_TRIALS = 10_000
"""The automatic number of trials never exceeds this, to bound the time; `n` may."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """Which tests are made, and with which settings."""

    tests: tuple[TestName, ...]
    trials: Mapping[str, int]
    seed: int
    level: float


@dataclass(frozen=True, slots=True)
class SystemValue:
    """One measure of one system over all its items."""

    measure: str
    system: str
    value: float | None
    interval: stats.Interval | None
    items: int
    not_scorable: int
    group: str | None = None
    """Systems that share a letter do not differ significantly; with a baseline, `*` marks those
    that differ from it. None if some pair of systems could not be tested."""


@dataclass(frozen=True, slots=True)
class SystemExclusion:
    """The number of items that could not be paired, by reason."""

    only_first: int = 0
    only_second: int = 0
    not_scorable: int = 0
    different_triples: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.only_first + self.only_second + self.not_scorable + self.different_triples


@dataclass(frozen=True, slots=True)
class Significance:
    """The p-value of one test, raw and corrected for all comparisons of its family."""

    p: float | None
    corrected: float | None = None


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems compared by one measure on the items both have."""

    measure: str
    first: str
    second: str
    items: int
    left_out: SystemExclusion
    first_value: float | None
    second_value: float | None
    difference: float | None
    interval: stats.Interval | None
    """Of the difference, by the bootstrap."""
    wins: float | None
    """The share of bootstrap resamples in which the first has the higher value."""
    tests: Mapping[str, Significance]
    paired_d: float | None
    """Cohen's d_z of the item scores."""
    cliffs_delta: float | None
    """Of the item scores."""
    winner: str | None = None
    """The better system, where every test is significant after correction."""

    @property
    def is_tested(self) -> bool:
        """Whether the systems share enough items to be compared."""
        return all(found.p is not None for found in self.tests.values())


@dataclass(frozen=True, slots=True)
class _Shared:
    """The items two systems share, as rows of their samples."""

    key: bytes
    """Equal for equal items: such samples are resampled together."""
    first: Integers | slice
    second: Integers | slice
    items: int
    left_out: SystemExclusion


def measure_systems(
    yardstick: Yardstick,
    samples: Mapping[str, SystemSample],
    pairs: Sequence[Names],
    procedure: Procedure,
    step: Callable[[], None] = lambda: None,
) -> tuple[list[SystemValue], list[SystemPair]]:
    """The value of each system and the tests of each pair; p-values are not corrected yet.

    `step` is called once per pair, as soon as it is randomised, which takes most of the time.
    """
    shared = {names: _share(samples[names[0]], samples[names[1]]) for names in pairs}
    own = {name: _key(sample.items) for name, sample in samples.items()}
    wanted: dict[bytes, dict[str, Matrix]] = {}
    if yardstick.corpus is not None:  # a mean has Student's interval
        for name, key in own.items():
            wanted.setdefault(key, {})[name] = samples[name].statistics
    for (first, second), rows in shared.items():
        group = wanted.setdefault(rows.key, {})
        for name, selected in ((first, rows.first), (second, rows.second)):
            if name not in group:
                group[name] = samples[name].statistics[selected]
    resampled = {
        (key, name): values
        for key, group in wanted.items()
        for name, values in _resample(yardstick, group, procedure)
    }
    del wanted
    swapped: dict[Names, Vector] = {}
    if "randomisation" in procedure.tests:
        for names, differences in _swap(yardstick, samples, shared, procedure):
            swapped[names] = differences
            step()
    for _ in range(max(1, len(pairs)) - len(swapped)):
        step()
    return (
        [
            _value(yardstick, name, sample, resampled.get((own[name], name)), procedure.level)
            for name, sample in samples.items()
        ],
        [
            _pair(yardstick, samples, names, rows, resampled, swapped.get(names), procedure)
            for names, rows in shared.items()
        ],
    )


def _key(items: Integers) -> bytes:
    return hashlib.blake2b(items.tobytes(), digest_size=16).digest()


def _share(first: SystemSample, second: SystemSample) -> _Shared:
    if np.array_equal(first.every, second.every):
        both = len(first.every)
    else:
        both = len(np.intersect1d(first.every, second.every, assume_unique=True))
    only_first, only_second = len(first.every) - both, len(second.every) - both
    if np.array_equal(first.items, second.items) and np.array_equal(first.triples, second.triples):
        count = len(first.items)
        left_out = SystemExclusion(only_first, only_second, both - count)
        # A slice costs no copy of the statistics, and this is the usual case.
        return _Shared(_key(first.items), slice(None), slice(None), count, left_out)
    common, one, other = np.intersect1d(
        first.items, second.items, assume_unique=True, return_indices=True
    )
    same = first.triples[one] == second.triples[other]
    count = int(same.sum())
    left_out = SystemExclusion(only_first, only_second, both - len(common), len(common) - count)
    return _Shared(_key(common[same]), one[same], other[same], count, left_out)


def _resample(
    yardstick: Yardstick, group: Mapping[str, Matrix], procedure: Procedure
) -> Iterator[tuple[str, Vector]]:
    """The bootstrap values of systems on the same items."""
    items, width = next(iter(group.values())).shape
    if items < 2:
        return
    aggregate = yardstick.aggregate(items)
    trials = procedure.trials["bootstrap"]
    for names in _batches(list(group), max(items, trials) * width):
        beside = np.hstack([group[name] for name in names])
        totals = stats.bootstrap_totals(beside, n=trials, seed=procedure.seed)
        for place, name in enumerate(names):
            yield name, aggregate(totals[:, place * width : (place + 1) * width])


def _swap(
    yardstick: Yardstick,
    samples: Mapping[str, SystemSample],
    shared: Mapping[Names, _Shared],
    procedure: Procedure,
) -> Iterator[tuple[Names, Vector]]:
    """The differences of each pair after swapping its items at random."""
    trials = procedure.trials["randomisation"]
    groups: dict[bytes, list[Names]] = {}
    for names, rows in shared.items():
        if rows.items > 1:
            groups.setdefault(rows.key, []).append(names)
    for pairs in groups.values():
        items = shared[pairs[0]].items
        width = samples[pairs[0][0]].statistics.shape[1]
        aggregate = yardstick.aggregate(items)
        for batch in _batches(pairs, max(items, trials) * width):
            sides = [
                (
                    samples[first].statistics[shared[first, second].first],
                    samples[second].statistics[shared[first, second].second],
                )
                for first, second in batch
            ]
            beside = np.hstack([one - other for one, other in sides])
            swapped = stats.swapped_totals(beside, n=trials, seed=procedure.seed)
            for place, (names, (one, other)) in enumerate(zip(batch, sides, strict=True)):
                moved = swapped[:, place * width : (place + 1) * width]
                left, right = one.sum(axis=0) - moved, other.sum(axis=0) + moved
                yield names, aggregate(left) - aggregate(right)


def _batches(elements: Sequence[Element], numbers: int) -> Iterator[Sequence[Element]]:
    size = max(1, _NUMBERS_AT_ONCE // max(1, numbers))
    for start in range(0, len(elements), size):
        yield elements[start : start + size]


def _value(
    yardstick: Yardstick, name: str, sample: SystemSample, resampled: Vector | None, level: float
) -> SystemValue:
    interval = None
    if yardstick.corpus is None:
        interval = stats.bounded(stats.student_interval(sample.scores, level), yardstick.scale)
    elif resampled is not None:
        interval = stats.percentile_interval(resampled, level)
    return SystemValue(
        measure=yardstick.measure.name,
        system=name,
        value=_total_value(yardstick, sample.statistics),
        interval=interval,
        items=len(sample.items),
        not_scorable=sample.not_scorable,
    )


def _total_value(yardstick: Yardstick, statistics: Matrix) -> float | None:
    if not len(statistics):
        return None
    value = float(yardstick.aggregate(len(statistics))(statistics.sum(axis=0)[None])[0])
    return value if np.isfinite(value) else None


def _pair(
    yardstick: Yardstick,
    samples: Mapping[str, SystemSample],
    names: Names,
    rows: _Shared,
    resampled: Mapping[tuple[bytes, str], Vector],
    swapped: Vector | None,
    procedure: Procedure,
) -> SystemPair:
    first, second = samples[names[0]], samples[names[1]]
    left = _total_value(yardstick, first.statistics[rows.first])
    right = _total_value(yardstick, second.statistics[rows.second])
    difference = None if left is None or right is None else left - right
    interval = wins = None
    tests: dict[str, Significance] = {name: Significance(None) for name in procedure.tests}
    if difference is not None and rows.items > 1:
        drawn = resampled[rows.key, names[0]] - resampled[rows.key, names[1]]
        interval, wins = stats.percentile_interval(drawn, procedure.level), stats.win_share(drawn)
        if "bootstrap" in tests:
            tests["bootstrap"] = Significance(stats.bootstrap_p(drawn, difference))
        if swapped is not None:
            tests["randomisation"] = Significance(
                stats.randomisation_p(
                    swapped, difference, items=rows.items, n=procedure.trials["randomisation"]
                )
            )
    one, other = first.scores[rows.first], second.scores[rows.second]
    scored = np.isfinite(one) & np.isfinite(other)
    return SystemPair(
        measure=yardstick.measure.name,
        first=names[0],
        second=names[1],
        items=rows.items,
        left_out=rows.left_out,
        first_value=left,
        second_value=right,
        difference=difference,
        interval=interval,
        wins=wins,
        tests=tests,
        paired_d=stats.paired_d(one[scored], other[scored]),
        cliffs_delta=stats.cliffs_delta(one[scored], other[scored]),
    )


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
    """By test; always includes the bootstrap, which gives the intervals."""
    tests: tuple[TestName, ...]
    seed: int
    level: float
    correction: str
    overall: Slice
    slices: tuple[Slice, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        measures = ", ".join(measure.name for measure in self.measures)
        return f"Comparison of {', '.join(self.systems)} by {measures}"

    def _repr_html_(self) -> str:
        from adequa.analysis.comparison.tables import comparison_tables

        tables = "".join(table.html() for table in comparison_tables(self))
        return tables + "".join(f"<p>{escape(note)}</p>" for note in self.notes)


def compare(
    runs: Run | Path | str | Iterable[Run | Path | str],
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
    require_known("test", [test], TESTS)
    require_known("correction", [correction], stats.CORRECTIONS)
    stats.require_draws(n, seed, level, what="trials")
    opened = [open_run(run) for run in as_list(runs)]
    if not opened:
        raise SettingError("there is no run to compare; name at least one")
    aligned = load_systems(opened, by)
    require_few(str(by), len(aligned.slices))
    names = [system.name for system in aligned.systems]
    pairs = list(combinations(names, 2))
    if baseline is not None:  # second in each pair, so that the difference is the gain over it
        require_known("system", [baseline], names)
        pairs = [
            (one if other == baseline else other, baseline)
            for one, other in pairs
            if baseline in (one, other)
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
        notes=(
            *notes,
            *_too_few_trials(procedure, correction, len(pairs)),
            *_untested(slices[0].pairs),
        ),
    )


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
        f"{math.ceil(2 * pairs / alpha):,} (n=…), or compare with baseline=…"
        for test in procedure.tests
        if correction in ("holm", "bonferroni") and pairs / (procedure.trials[test] + 1) >= alpha
    ]


def _untested(pairs: Sequence[SystemPair]) -> list[str]:
    """One line on the pairs of systems that share too few items to say anything about them."""
    untested = {(one.first, one.second): one.items for one in pairs if not one.is_tested}
    if not untested:
        return []
    (first, second), items = next(iter(untested.items()))
    further = len(untested) - 1
    more = f" (nor {'is' if further == 1 else 'are'} {counted(further, 'more pair')})"
    more = more if further else ""
    note = (
        f"{first} and {second} are not compared{more}: they have "
        f"{'one item' if items else 'no item'} in common, and a test needs two. "
        "Items are paired by id and triples: give the texts of both systems about the same data "
        "the same id."
    )
    return [note]


def correct_pairs(
    family: Sequence[SystemPair], measure: Measure, *, correction: str, alpha: float
) -> list[SystemPair]:
    """The pairs of one measure with p-values corrected over all of them, and with winners."""
    if not family:
        return []
    corrected = {
        test: stats.adjust([pair.tests[test].p for pair in family], correction)
        for test in family[0].tests
    }
    pairs = []
    for number, pair in enumerate(family):
        tests = {
            test: Significance(found.p, corrected[test][number])
            for test, found in pair.tests.items()
        }
        winner = None
        p_values = [found.corrected for found in tests.values()]
        if pair.difference and all(p is not None and p < alpha for p in p_values):
            is_first = (pair.difference > 0) == measure.higher_is_better
            winner = pair.first if is_first else pair.second
        pairs.append(replace(pair, tests=tests, winner=winner))
    return pairs


def _with_groups(one: Slice, measures: Sequence[Measure], baseline: str | None) -> Slice:
    """A slice with letters for all systems, or a star for those that differ from the baseline."""
    groups: dict[tuple[str, str], str | None] = {}
    for measure in measures:
        pairs = [pair for pair in one.pairs if pair.measure == measure.name]
        if baseline is not None:
            for pair in pairs:
                star = "*" if pair.winner else ""
                groups[measure.name, pair.first] = star if pair.is_tested else None
            continue
        ranked = sorted(
            (value for value in one.values if value.measure == measure.name and value.items),
            key=lambda value: measure.rank(value.value),
        )
        places = {value.system: place for place, value in enumerate(ranked)}
        different = [
            (places[pair.first], places[pair.second]) for pair in pairs if pair.winner is not None
        ]
        tested = bool(pairs) and all(pair.is_tested for pair in pairs)
        letters = stats.significance_letters(len(ranked), different) if tested else None
        for value, group in zip(ranked, letters or (), strict=letters is not None):
            groups[measure.name, value.system] = group
    return replace(
        one,
        values=tuple(
            replace(value, group=groups.get((value.measure, value.system))) for value in one.values
        ),
    )
