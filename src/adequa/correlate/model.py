"""What a study of metrics against people is about, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from adequa.human.judgments import Key
from adequa.stats.means import Interval

__all__ = [
    "Agreement",
    "Beaten",
    "Codes",
    "Matrix",
    "Measured",
    "Options",
    "Rank",
    "Ranking",
    "Sample",
    "Study",
    "Text",
    "Vector",
]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Text:
    """What metrics say of a text, and what it can be chosen by."""

    scores: Mapping[str, float | None]
    statistics: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    """category, size, lang, seen and meta.KEY, as they are written after `--where`."""
    undetected: int | None = None
    """Entities of the input that `esa` does not find in the text; None where it did not look."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric as the study names it."""

    name: str
    higher_is_better: bool = True
    builder: tuple[str, Mapping[str, object]] | None = None
    """Name and settings from which it is built again where it has a corpus value."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Rated texts with their scores: a row a text, ascending by input and system."""

    keys: tuple[Key, ...]
    inputs: Codes
    """The number of each text's input; texts on one input are drawn together."""
    systems: Codes
    system_names: tuple[str, ...]
    metrics: Mapping[str, Vector]
    """NaN where a metric did not score a text; so too the next."""
    criteria: Mapping[str, Vector]
    undetected: Vector

    def __len__(self) -> int:
        return len(self.keys)

    def only(self, chosen: npt.NDArray[np.bool_]) -> Sample:
        """The texts that are chosen; inputs and systems keep their numbers."""
        return Sample(
            tuple(key for key, kept in zip(self.keys, chosen, strict=True) if kept),
            self.inputs[chosen],
            self.systems[chosen],
            self.system_names,
            {name: values[chosen] for name, values in self.metrics.items()},
            {name: values[chosen] for name, values in self.criteria.items()},
            self.undetected[chosen],
        )


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked: every combination of levels, coefficients and subsets."""

    levels: tuple[str, ...] = ("text",)
    coefficients: tuple[str, ...] = ("pearson", "spearman")
    subsets: tuple[str, ...] = ("all",)
    n: int = 1000
    seed: int = 0
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Agreement:
    """How one variable goes with another; None where it cannot be said."""

    metric: str
    criterion: str
    level: str
    coefficient: str
    """pearson, spearman, kendall; acc_eq (level item) and spa (level system)."""
    subset: str
    value: float | None
    interval: Interval | None = None
    p: float | None = None
    n: int = 0
    """Pairs of numbers: texts, or systems at the level of systems."""
    groups: int | None = None
    """Inputs or systems whose coefficients were averaged."""
    epsilon: float | None = None
    """Of acc_eq: scores that differ by no more are tied."""


@dataclass(frozen=True, slots=True)
class Beaten:
    """Whether a metric agrees better with people than another; positive: the first does."""

    metric: str
    against: str
    criterion: str
    level: str
    coefficient: str
    subset: str
    n: int
    difference: float | None
    williams_t: float | None = None
    williams_p: float | None = None
    williams_corrected: float | None = None
    permutation_p: float | None = None
    permutation_corrected: float | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """A system's place by one metric, 1 the best; equal values share the better place."""

    system: str
    sample: float
    sample_rank: int
    whole: float
    whole_rank: int
    texts: int
    all_texts: int

    @property
    def change(self) -> int:
        """How many places the system is better on the sample than on all texts."""
        return self.whole_rank - self.sample_rank


@dataclass(frozen=True, slots=True)
class Ranking:
    """The systems by one metric, on the rated texts and on all."""

    metric: str
    kind: str
    """mean, or corpus: a value of its own from all texts together."""
    ranks: tuple[Rank, ...]
    kendall: float | None


@dataclass(frozen=True, slots=True)
class Study:
    """Everything that was asked, in the order it is shown."""

    sample: Sample
    measured: tuple[Measured, ...]
    options: Options
    results: tuple[Agreement, ...]
    ceiling: tuple[Agreement, ...] = ()
    footing: tuple[Agreement, ...] = ()
    """Each metric against the mean of all raters but one, pair by pair as the ceiling."""
    comparisons: tuple[Beaten, ...] = ()
    against: str | None = None
    matrices: tuple[Agreement, ...] = ()
    ranking: tuple[Ranking, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def higher_is_better(self) -> dict[str, bool]:
        """The direction of each metric."""
        return {one.name: one.higher_is_better for one in self.measured}
