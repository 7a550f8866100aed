"""Runs into systems whose items can be paired: loading, naming, slicing."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError, RunError, SettingError
from adequa.fields import FIELDS, NO_VALUE, item_field, natural_order
from adequa.metrics.base import Metric
from adequa.run import Run
from adequa.run.folder import MANIFEST, SCORES

__all__ = ["Corpus", "Scores", "System", "load"]

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
class Corpus:
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


def load(runs: Sequence[Run], by: str | None = None) -> Corpus:
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
    return Corpus(
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
