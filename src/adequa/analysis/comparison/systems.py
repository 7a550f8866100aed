"""Systems whose items can be paired, read from runs, and the measures they are compared by.

Runs are read once each into numbers: one row per item of a system, with the item's number in the
whole comparison, a fingerprint of its triples, its slice, and each metric's score and statistics.
A measure is a metric's mean score, or the corpus value that the metric defines.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError, RunError, SettingError, require_known
from adequa.fields import FIELDS, NO_VALUE, item_field, natural_order
from adequa.metrics import Metric
from adequa.run import MANIFEST, SCORES, Run
from adequa.stats import Aggregate, mean_of, rowwise

Integers = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
CorpusValue = Callable[[Sequence[float]], float | None]
"""From the totals of a metric's statistics to its corpus value."""

_EDITED = "was the run edited? score again into a new folder"


@dataclass(frozen=True, slots=True)
class Measure:
    """A number by which systems are compared: a metric's mean or its corpus value."""

    name: str
    """The metric's label in the run, or `label.part` for one part of a corpus value."""
    kind: Literal["mean", "corpus"]
    higher_is_better: bool
    signature: str

    def rank(self, value: float | None) -> tuple[bool, float]:
        """A sort key: the best value first, missing values last."""
        if value is None:
            return True, 0.0
        return False, -value if self.higher_is_better else value


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one metric on one system, one row per item."""

    values: Vector
    """NaN where an item could not be scored."""
    statistics: Matrix | None
    """NaN in the rows of items without statistics."""


@dataclass(frozen=True, slots=True)
class System:
    """A system of a run; rows are in ascending order of `items`."""

    name: str
    items: Integers
    """The number of each item's id in the whole comparison."""
    triples: Integers
    """A fingerprint of each item's triples: the same id in two data sets is not the same item."""
    slices: Integers
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class AlignedRuns:
    """All systems of all runs, with the facts about their metrics."""

    systems: tuple[System, ...]
    slices: tuple[str, ...]
    """The names of the slices in display order; empty without a breakdown."""
    labels: tuple[str, ...]
    metrics: Mapping[str, Metric]
    higher_is_better: Mapping[str, bool]
    signatures: Mapping[str, tuple[tuple[str, str], ...]]
    """By label: each run that has the metric, with the metric's signature there."""


@dataclass(slots=True)
class _Column:
    """The scores of one metric on one system while they are read."""

    path: Path
    values: array[float] = field(default_factory=lambda: array("d"))
    statistics: array[float] = field(default_factory=lambda: array("d"))
    width: int = 0

    def fill(self, rows: int) -> None:
        """Add empty rows, for items without this metric, until there are `rows`."""
        self.values.extend([np.nan] * (rows - len(self.values)))
        self.statistics.extend([np.nan] * (self.width * rows - len(self.statistics)))

    def add(self, row: int, value: float | None, statistics: Sequence[float]) -> None:
        """Store the score of a row; skipped rows stay empty."""
        if statistics and not self.width:
            self.width = len(statistics)
        self.fill(row)
        self.values.append(np.nan if value is None else value)
        if statistics and len(statistics) != self.width:
            raise DataError(
                f"has {len(statistics)} statistics for one item and {self.width} for another",
                path=self.path,
                remedy=_EDITED,
            )
        self.statistics.extend(statistics or [np.nan] * self.width)

    def scores(self, rows: int, order: Integers) -> Scores:
        """All rows as arrays, in the order of the items."""
        self.fill(rows)
        values = np.frombuffer(self.values, dtype=np.float64)[order]
        if not self.width:
            return Scores(values, None)
        matrix = np.frombuffer(self.statistics, dtype=np.float64).reshape(rows, self.width)
        return Scores(values, matrix[order])


@dataclass(slots=True)
class _SystemRows:
    path: Path
    items: array[int] = field(default_factory=lambda: array("q"))
    triples: array[int] = field(default_factory=lambda: array("q"))
    slices: array[int] = field(default_factory=lambda: array("q"))
    columns: dict[str, _Column] = field(default_factory=dict)

    def finish(self, name: str, ranks: Integers) -> System:
        items = np.frombuffer(self.items, dtype=np.int64)
        order = np.argsort(items)
        if (np.diff(items[order]) == 0).any():
            raise DataError(f"has an item of {name} twice", path=self.path, remedy=_EDITED)
        return System(
            name=name,
            items=items[order],
            triples=np.frombuffer(self.triples, dtype=np.int64)[order],
            slices=ranks[np.frombuffer(self.slices, dtype=np.int64)[order]],
            scores={
                label: column.scores(len(items), order) for label, column in self.columns.items()
            },
        )


def load_systems(runs: Sequence[Run], by: str | None = None) -> AlignedRuns:
    """Read the runs once each; memory holds numbers only, never texts."""
    run_names = _run_names([run.path for run in runs])
    slice_of = _no_slice if by is None else item_field(by, what="breakdown")
    entries = [_metric_entries(run) for run in runs]
    slices: dict[str | None, int] = {}
    rows: dict[tuple[int, str], _SystemRows] = {}
    for number, run in enumerate(runs):
        path = run.path / SCORES
        for result in run.results():
            item = result.item
            system = rows.get((number, item.system))
            if system is None:
                system = rows[number, item.system] = _SystemRows(path)
            row = len(system.items)
            system.items.append(hash(item.id))
            system.triples.append(hash(tuple(sorted(item.triples))))
            system.slices.append(slices.setdefault(slice_of(item), len(slices)))
            try:
                for label, value in result.scores.items():
                    column = system.columns.get(label)
                    if column is None:
                        column = system.columns[label] = _Column(path)
                    column.add(row, value, result.statistics.get(label, ()))
            except (TypeError, OverflowError) as error:
                problem = f"has a score that is not a number ({error})"
                raise DataError(problem, path=path, remedy=_EDITED) from None
    if not rows:
        raise RunError(f"{', '.join(run_names)}: no item was scored; there is nothing to compare")
    if by is not None and set(slices) == {None}:
        raise SettingError(f"no item has a {by}; break down by one of {', '.join(FIELDS)}")
    _number_items(rows.values())
    names = _system_names(list(rows), run_names)
    labels = tuple(dict.fromkeys(label for one in entries for label in one))
    shown = sorted(slices, key=natural_order)
    ranks = np.argsort([slices[name] for name in shown])
    return AlignedRuns(
        systems=tuple(system.finish(names[key], ranks) for key, system in rows.items()),
        slices=() if by is None else tuple(NO_VALUE if one is None else one for one in shown),
        labels=labels,
        metrics={
            label: metric for run in reversed(runs) for label, metric in run.metrics().items()
        },
        higher_is_better={label: entry[0] for one in entries for label, entry in one.items()},
        signatures={
            label: tuple(
                (name, one[label][1])
                for one, name in zip(entries, run_names, strict=True)
                if label in one
            )
            for label in labels
        },
    )


def _number_items(systems: Iterable[_SystemRows]) -> None:
    """Replace the hashes of ids by the numbers of the ids in the order of their appearance.

    Two of n ids share a hash with probability n² / 2⁶⁵, for ten million 3 in 10⁶; a dictionary of
    the ids would take a gigabyte.
    """
    known = [np.frombuffer(one.items, dtype=np.int64) for one in systems]
    _, first, number = np.unique(np.concatenate(known), return_index=True, return_inverse=True)
    order = np.empty_like(first)
    order[np.argsort(first)] = np.arange(len(first))
    start = 0
    for one in known:
        one[:] = order[number[start : start + len(one)]]
        start += len(one)


def _no_slice(item: Item) -> None:
    """Without a breakdown every item has the same slice: None."""


def _run_names(paths: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that differ from each other."""
    resolved = [path.resolve() for path in paths]
    for path, count in Counter(resolved).items():
        if count > 1:
            raise RunError(f"{path} is named twice; name each run once")
    for parts in range(1, max(len(path.parts) for path in resolved) + 1):
        names = ["/".join(path.parts[-parts:]) for path in resolved]
        if len(set(names)) == len(names):
            break
    return names


def _system_names(
    keys: Sequence[tuple[int, str]], run_names: Sequence[str]
) -> dict[tuple[int, str], str]:
    """The name of each system, with its run's name where several runs have a system so named."""
    plain = {key: key[1] or run_names[key[0]] for key in keys}
    counts = Counter(plain.values())
    return {
        key: name if counts[name] == 1 else f"{key[1]}@{run_names[key[0]]}"
        for key, name in plain.items()
    }


def _metric_entries(run: Run) -> dict[str, tuple[bool, str]]:
    """By label: whether higher is better, and the signature."""
    try:
        return {
            label: (bool(entry["higher_is_better"]), str(entry["signature"]))
            for label, entry in run.manifest["metrics"].items()
        }
    except (KeyError, TypeError, AttributeError):
        raise RunError(f"{run.path / MANIFEST} does not describe the metrics; {_EDITED}") from None


@dataclass(frozen=True, slots=True)
class SystemSample:
    """The rows of a system that a measure can use, in ascending order of items."""

    items: Integers
    triples: Integers
    scores: Vector
    """The item scores, for effect sizes; NaN where an item counts in a corpus value only."""
    statistics: Matrix
    not_scorable: int
    every: Integers
    """All items of the system in the slice, scorable or not."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A measure and how it is computed."""

    measure: Measure
    label: str
    corpus: CorpusValue | None
    """None: the mean of the item scores."""
    corpus_values: Callable[[Matrix], Vector | None] | None = None
    """The same for many totals at once, where the metric has it."""
    scale: tuple[float, float] = (-math.inf, math.inf)
    """The lowest and the highest possible score of an item."""

    def aggregate(self, items: int) -> Aggregate:
        """The function from the totals of this many items to values."""
        if self.corpus is None:
            return mean_of(items)
        at_once, one_by_one = self.corpus_values, rowwise(self.corpus)

        def aggregate(totals: Matrix) -> Vector:
            values = None if at_once is None else at_once(totals)
            return one_by_one(totals) if values is None else values

        return aggregate

    def sample(self, system: System, slice_number: int | None) -> SystemSample:
        """The rows of a system, in one slice or in all, that this measure can use."""
        inside = (
            np.ones(len(system.items), dtype=bool)
            if slice_number is None
            else system.slices == slice_number
        )
        usable = np.zeros_like(inside)
        values: Vector = np.empty(len(inside))
        statistics: Matrix = values[:, None]
        scores = system.scores.get(self.label)
        if scores is not None:
            values, statistics = scores.values, scores.values[:, None]
            if self.corpus is None:
                usable = inside & np.isfinite(values)
            elif scores.statistics is not None:
                statistics = scores.statistics
                usable = inside & np.isfinite(statistics).all(axis=1)
        return SystemSample(
            items=system.items[usable],
            triples=system.triples[usable],
            scores=values[usable],
            statistics=statistics[usable],
            not_scorable=int(inside.sum() - usable.sum()),
            every=system.items[inside],
        )


def choose_yardsticks(
    runs: AlignedRuns, wanted: Sequence[str] | None
) -> tuple[list[Yardstick], list[str]]:
    """The requested measures, by default one per metric, and notes on them.

    A metric whose corpus value is one number is compared by it. One whose corpus value has several
    named parts is compared by its mean; each part can be requested as `label.part` and is assumed
    to have the metric's direction.
    """
    parts = {label: _parts(runs, label) for label in runs.labels}
    known: dict[str, tuple[str, str | None]] = {label: (label, None) for label in runs.labels}
    for label, names in parts.items():
        for name in names or ():
            known.setdefault(f"{label}.{name}", (label, name))
    chosen: list[Yardstick] = []
    notes: list[str] = []
    require_known("metric", wanted or (), known)
    for name in dict.fromkeys(wanted or runs.labels):
        label, part = known[name]
        metric = runs.metrics.get(label)
        corpus = None
        if metric is not None and (part is not None or parts[label] == ()):
            corpus = corpus_value(metric, part)
        signature, note = _signature(runs, label)
        measure = Measure(
            name=name,
            kind="mean" if corpus is None else "corpus",
            higher_is_better=runs.higher_is_better[label],
            signature=signature,
        )
        yardstick = Yardstick(measure, label, corpus)
        if metric is not None:
            at_once = metric.corpus_values if part is None else None
            yardstick = replace(yardstick, corpus_values=at_once, scale=metric.scale)
        chosen.append(yardstick)
        notes += note
    return chosen, notes


def _parts(runs: AlignedRuns, label: str) -> tuple[str, ...] | None:
    """The names of a corpus value's parts; () for a single number, None without a corpus value."""
    metric = runs.metrics.get(label)
    if metric is None:
        return None
    for system in runs.systems:
        scores = system.scores.get(label)
        if scores is None or scores.statistics is None:
            continue
        rows = scores.statistics[np.isfinite(scores.statistics).all(axis=1)]
        value = metric.corpus(rows.sum(axis=0).tolist()) if len(rows) else None
        if value is not None:
            return tuple(value) if isinstance(value, Mapping) else ()
    return None


def corpus_value(metric: Metric, part: str | None = None) -> CorpusValue:
    """A metric's corpus value as a function of totals: the whole number, or one named part."""

    def value(totals: Sequence[float]) -> float | None:
        found = metric.corpus(totals)
        if isinstance(found, Mapping):
            return None if part is None else found.get(part)
        return found if part is None else None

    return value


def _signature(runs: AlignedRuns, label: str) -> tuple[str, list[str]]:
    """The signature of a metric in all runs; refuses equal labels with different meanings."""
    tables = [system.scores[label].statistics for system in runs.systems if label in system.scores]
    if len({table.shape[1] for table in tables if table is not None}) > 1:
        raise RunError(
            f"the runs keep different statistics for {label!r}; score them again with one version"
        )
    (where, known), *others = runs.signatures[label]
    notes = []
    for run, signature in others:
        if known == signature:
            continue
        if known.rpartition("|version:")[0] != signature.rpartition("|version:")[0]:
            raise RunError(
                f"{where} and {run} compute {label!r} differently ({known}; {signature}); "
                "score one of them again, or name other metrics with metrics=…"
            )
        notes.append(f"{label}: the versions differ ({where}: {known}; {run}: {signature})")
    return known, notes
