"""Runs into systems whose items can be paired: loading, naming, slicing."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from adequa.analysis.compare.model import Measure
from adequa.data import Item
from adequa.errors import DataError, RunError, SettingError, UnknownName
from adequa.fields import FIELDS, NO_VALUE, item_field, natural_order
from adequa.metrics.base import Metric
from adequa.run import Run
from adequa.run.folder import MANIFEST, SCORES
from adequa.stats.resampling import Aggregate, mean_of, rowwise

Integers = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

_EDITED = "was the run edited? score again into a new folder"


@dataclass(frozen=True, slots=True)
class Scores:
    """One metric on one system: a row an item of the system."""

    values: Vector
    """NaN where not scorable."""
    statistics: Matrix | None
    """NaN in the rows of items that have none."""


@dataclass(frozen=True, slots=True)
class System:
    """A system of a run; rows are in the order of `items`, which is ascending."""

    name: str
    items: Integers
    """The number an item id has in the whole comparison."""
    triples: Integers
    """A fingerprint of each item's triples: equal ids of two data sets are not the same item."""
    slices: Integers
    """The number of each item's slice."""
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class AlignedRuns:
    """All systems of all runs, with what is known of their metrics."""

    systems: tuple[System, ...]
    slices: tuple[str, ...]
    """The names of the slices, in the order they are shown; empty without a breakdown."""
    labels: tuple[str, ...]
    metrics: Mapping[str, Metric]
    higher_is_better: Mapping[str, bool]
    signatures: Mapping[str, tuple[tuple[str, str], ...]]
    """By label: each run that has the metric, and how it computed it."""


@dataclass(slots=True)
class _Column:
    """The scores of one metric on one system while they are read."""

    path: Path
    values: array[float] = field(default_factory=lambda: array("d"))
    statistics: array[float] = field(default_factory=lambda: array("d"))
    width: int = 0

    def add(self, rows: int, value: float | None, statistics: Sequence[float]) -> None:
        """The score of row `rows`; rows in between, which did not have the metric, stay empty."""
        missing = rows - len(self.values)
        self.values.extend([np.nan] * missing)
        self.values.append(np.nan if value is None else value)
        if statistics and not self.width:
            self.width = len(statistics)
            self.statistics.extend([np.nan] * (self.width * rows))
        elif self.width:
            self.statistics.extend([np.nan] * (self.width * missing))
        if statistics and len(statistics) != self.width:
            raise DataError(
                f"has {len(statistics)} statistics for an item and {self.width} for another",
                path=self.path,
                remedy=_EDITED,
            )
        self.statistics.extend(statistics or [np.nan] * self.width)

    def scores(self, rows: int, order: Integers) -> Scores:
        """All of them, as arrays in the order of the items."""
        if len(self.values) < rows:
            self.values.extend([np.nan] * (rows - len(self.values)))
        values = np.frombuffer(self.values, dtype=np.float64)[order]
        if not self.width:
            return Scores(values, None)
        short = self.width * rows - len(self.statistics)
        self.statistics.extend([np.nan] * short)
        matrix = np.frombuffer(self.statistics, dtype=np.float64).reshape(rows, self.width)
        return Scores(values, matrix[order])


@dataclass(slots=True)
class _Growing:
    """A system while its run is read."""

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
            name,
            items[order],
            np.frombuffer(self.triples, dtype=np.int64)[order],
            ranks[np.frombuffer(self.slices, dtype=np.int64)[order]],
            {label: column.scores(len(items), order) for label, column in self.columns.items()},
        )


def load(runs: Sequence[Run], by: str | None = None) -> AlignedRuns:
    """Read the runs once each; memory holds numbers only, never texts."""
    run_names = _run_names([run.path for run in runs])
    slice_of = _no_slice if by is None else item_field(by, what="breakdown")
    entries = [_metric_entries(run) for run in runs]
    ids: dict[str, int] = {}
    slices: dict[str | None, int] = {}
    grown: dict[tuple[int, str], _Growing] = {}
    for number, run in enumerate(runs):
        path = run.path / SCORES
        for result in run.results():
            item = result.item
            system = grown.get((number, item.system))
            if system is None:
                system = grown[number, item.system] = _Growing(path)
            row = len(system.items)
            system.items.append(ids.setdefault(item.id, len(ids)))
            system.triples.append(hash(tuple(sorted(item.triples))))
            system.slices.append(slices.setdefault(slice_of(item), len(slices)))
            try:
                for label, value in result.scores.items():
                    column = system.columns.get(label)
                    if column is None:
                        column = system.columns[label] = _Column(path)
                    column.add(row, value, result.statistics.get(label, ()))
            except (TypeError, OverflowError) as error:
                problem = f"has a score that is no number ({error})"
                raise DataError(problem, path=path, remedy=_EDITED) from None
    if not grown:
        raise RunError(f"{', '.join(run_names)}: no item was scored; there is nothing to compare")
    if by is not None and set(slices) == {None}:
        raise SettingError(f"no item has a {by}; break down by one of {', '.join(FIELDS)}")
    names = _system_names(list(grown), run_names)
    shown = sorted(slices, key=natural_order)
    ranks = np.empty(len(slices), dtype=np.int64)
    for rank, name in enumerate(shown):
        ranks[slices[name]] = rank
    return AlignedRuns(
        tuple(system.finish(names[key], ranks) for key, system in grown.items()),
        () if by is None else tuple(NO_VALUE if one is None else one for one in shown),
        tuple(dict.fromkeys(label for one in entries for label in one)),
        {label: metric for run in reversed(runs) for label, metric in run.metrics().items()},
        {label: entry[0] for one in entries for label, entry in one.items()},
        _signatures(entries, run_names),
    )


def _no_slice(item: Item) -> None:
    """Of all items one."""


def _run_names(paths: Sequence[Path]) -> list[str]:
    """As many last parts of each path as tell it from the others."""
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
    """A system by its name, with its run's where several runs have one of that name."""
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


def _signatures(
    entries: Sequence[Mapping[str, tuple[bool, str]]], run_names: Sequence[str]
) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for one, name in zip(entries, run_names, strict=True):
        for label, (_, signature) in one.items():
            found.setdefault(label, []).append((name, signature))
    return {label: tuple(signatures) for label, signatures in found.items()}


# ---
# What systems are compared by: a metric's mean, or the corpus value it defines.
# ---


@dataclass(frozen=True, slots=True)
class SystemSample:
    """What a measure needs of a system: a row an item it could score, ascending by item."""

    items: Integers
    triples: Integers
    scores: Vector
    """The item scores, for effect sizes; NaN where an item counts in a corpus value only."""
    statistics: Matrix
    not_scorable: int
    every: Integers
    """The items of the system in the slice, scorable or not."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A measure and how it is taken."""

    measure: Measure
    label: str
    corpus: Callable[[Sequence[float]], float | None] | None
    """From totals to the corpus value; None: the mean of the item scores."""

    def aggregate(self, items: int) -> Aggregate:
        """From totals of so many items to values."""
        return mean_of(items) if self.corpus is None else rowwise(self.corpus)

    def sample(self, system: System, slice_number: int | None) -> SystemSample:
        """The rows of a system, of one slice or of all, that this measure can use."""
        inside = (
            np.ones(len(system.items), dtype=bool)
            if slice_number is None
            else system.slices == slice_number
        )
        scores = system.scores.get(self.label)
        values: Vector
        statistics: Matrix
        if scores is None:
            usable, values = np.zeros_like(inside), np.empty(len(inside))
            statistics = np.empty((len(inside), 1))
        elif self.corpus is None:
            usable, values = inside & np.isfinite(scores.values), scores.values
            statistics = values[:, None]
        elif scores.statistics is None:
            usable, values = np.zeros_like(inside), scores.values
            statistics = values[:, None]
        else:
            usable = inside & np.isfinite(scores.statistics).all(axis=1)
            values, statistics = scores.values, scores.statistics
        return SystemSample(
            system.items[usable],
            system.triples[usable],
            values[usable],
            statistics[usable],
            int(inside.sum() - usable.sum()),
            system.items[inside],
        )


def choose(corpus: AlignedRuns, wanted: Sequence[str] | None) -> tuple[list[Yardstick], list[str]]:
    """The measures asked for, or one a metric, and notes on them.

    A metric whose corpus value is one number is compared by it. One whose corpus value has several
    named parts is compared by its mean; each part can be asked for as `label.part`, and is taken to
    have the metric's direction.
    """
    parts = {label: _parts(corpus, label) for label in corpus.labels}
    known = {
        **dict.fromkeys(corpus.labels),
        **{f"{label}.{part}": None for label in corpus.labels for part in parts[label] or ()},
    }
    chosen: list[Yardstick] = []
    notes: list[str] = []
    for name in dict.fromkeys(wanted or corpus.labels):
        if name not in known:
            raise UnknownName("metric", name, known)
        label, part = (name, None) if name in parts else _split(name, parts)
        metric = corpus.metrics.get(label)
        function: Callable[[Sequence[float]], float | None] | None = None
        if metric is not None and part is not None:
            function = _part_of(metric, part)
        elif metric is not None and parts[label] == ():
            function = _whole_of(metric)
        signature, note = _signature(corpus, label)
        measure = Measure(
            name,
            "mean" if function is None else "corpus",
            corpus.higher_is_better[label],
            signature,
        )
        chosen.append(Yardstick(measure, label, function))
        notes += note
    return chosen, notes


def _parts(corpus: AlignedRuns, label: str) -> tuple[str, ...] | None:
    """The names of a corpus value's parts; () where it is one number, None where there is none."""
    metric = corpus.metrics.get(label)
    if metric is None:
        return None
    for system in corpus.systems:
        scores = system.scores.get(label)
        if scores is None or scores.statistics is None:
            continue
        rows = scores.statistics[np.isfinite(scores.statistics).all(axis=1)]
        value = metric.corpus(rows.sum(axis=0).tolist()) if len(rows) else None
        if value is not None:
            return tuple(value) if isinstance(value, Mapping) else ()
    return None


def _split(name: str, parts: Mapping[str, tuple[str, ...] | None]) -> tuple[str, str]:
    return next(
        (label, part)
        for label, names in parts.items()
        for part in names or ()
        if name == f"{label}.{part}"
    )


def _whole_of(metric: Metric) -> Callable[[Sequence[float]], float | None]:
    def value(totals: Sequence[float]) -> float | None:
        found = metric.corpus(totals)
        return None if isinstance(found, Mapping) else found

    return value


def _part_of(metric: Metric, part: str) -> Callable[[Sequence[float]], float | None]:
    def value(totals: Sequence[float]) -> float | None:
        found = metric.corpus(totals)
        return found.get(part) if isinstance(found, Mapping) else None

    return value


def _signature(corpus: AlignedRuns, label: str) -> tuple[str, list[str]]:
    """How all runs computed a metric; refuses numbers of one name that mean different things."""
    tables = [
        system.scores[label].statistics for system in corpus.systems if label in system.scores
    ]
    if len({table.shape[1] for table in tables if table is not None}) > 1:
        raise RunError(
            f"the runs keep different statistics for {label!r}; score them again with one version"
        )
    (where, known), *others = corpus.signatures[label]
    notes = []
    for run, signature in others:
        if known == signature:
            continue
        if known.rpartition("|version:")[0] != signature.rpartition("|version:")[0]:
            raise RunError(
                f"{where} and {run} mean different things by {label!r} ({known}; {signature}); "
                "score one of them again, or name other metrics with -m"
            )
        notes.append(f"{label}: the versions differ ({where}: {known}; {run}: {signature})")
    return known, notes
