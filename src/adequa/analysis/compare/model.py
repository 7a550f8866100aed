"""What a comparison says: frozen, complete, and without a word on how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from adequa.stats.intervals import Interval

TestName = Literal["bootstrap", "randomisation"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number systems are compared by: a metric's mean or its corpus value."""

    name: str
    """The metric's label in the run, or `label.part` for a part of a corpus value of several."""
    kind: Literal["mean", "corpus"]
    higher_is_better: bool
    signature: str

    def rank(self, value: float | None) -> tuple[bool, float]:
        """A sort key: the best first, what has no value last."""
        if value is None:
            return True, 0.0
        return False, -value if self.higher_is_better else value


@dataclass(frozen=True, slots=True)
class SystemValue:
    """One measure of one system over all its items."""

    measure: str
    system: str
    value: float | None
    interval: Interval | None
    items: int
    not_scorable: int
    group: str | None = None
    """Systems that share a letter do not differ significantly; with a baseline, `*` marks those
    that differ from it."""


@dataclass(frozen=True, slots=True)
class SystemExclusion:
    """How many items could not be paired, and why."""

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
    """What one test says: p as it is, and corrected for all comparisons of its family."""

    p: float | None
    corrected: float | None = None


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems by one measure, on the items both have."""

    measure: str
    first: str
    second: str
    items: int
    left_out: SystemExclusion
    first_value: float | None
    second_value: float | None
    difference: float | None
    interval: Interval | None
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


@dataclass(frozen=True, slots=True)
class Slice:
    """All systems and pairs on the items that share a value of the breakdown; None: on all."""

    name: str | None
    values: tuple[SystemValue, ...]
    pairs: tuple[SystemPair, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems side by side, over all items and by slice.

    Corrected p-values belong to the family of all pairs of one measure, within a slice or over all:
    each slice asks its own question.
    """

    runs: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    baseline: str | None
    by: str | None
    trials: Mapping[str, int]
    """How often each test drew; the bootstrap is always here, for the intervals."""
    tests: tuple[TestName, ...]
    seed: int
    level: float
    correction: str
    overall: Slice
    slices: tuple[Slice, ...] = ()
    notes: tuple[str, ...] = ()
