"""What systems are compared by: a metric's mean, or the corpus value it defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adequa.compare.align import Corpus, Integers, Matrix, System, Vector
from adequa.compare.model import Measure
from adequa.errors import RunError, UnknownName
from adequa.metrics.base import Metric
from adequa.stats.resampling import Aggregate, mean_of, rowwise

__all__ = ["Sample", "Yardstick", "choose"]


@dataclass(frozen=True, slots=True)
class Sample:
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

    def sample(self, system: System, slice_number: int | None) -> Sample:
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
        return Sample(
            system.items[usable],
            system.triples[usable],
            values[usable],
            statistics[usable],
            int(inside.sum() - usable.sum()),
            system.items[inside],
        )


def choose(corpus: Corpus, wanted: Sequence[str] | None) -> tuple[list[Yardstick], list[str]]:
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


def _parts(corpus: Corpus, label: str) -> tuple[str, ...] | None:
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


def _signature(corpus: Corpus, label: str) -> tuple[str, list[str]]:
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
