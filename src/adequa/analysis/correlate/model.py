"""What a study of metrics against people is about, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.fields import as_word, item_field, seen_word
from adequa.human.judgments import Key
from adequa.stats.intervals import Interval

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
class MetricValues:
    """A metric as the study names it."""

    name: str
    higher_is_better: bool = True
    builder: tuple[str, Mapping[str, object]] | None = None
    """Name and settings from which it is built again where it has a corpus value."""


@dataclass(frozen=True, slots=True)
class RatedSample:
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

    def only(self, chosen: npt.NDArray[np.bool_]) -> RatedSample:
        """The texts that are chosen; inputs and systems keep their numbers."""
        return RatedSample(
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
class MetricAgreement:
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
class MetricDifference:
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

    sample: RatedSample
    measured: tuple[MetricValues, ...]
    options: Options
    results: tuple[MetricAgreement, ...]
    ceiling: tuple[MetricAgreement, ...] = ()
    footing: tuple[MetricAgreement, ...] = ()
    """Each metric against the mean of all raters but one, pair by pair as the ceiling."""
    comparisons: tuple[MetricDifference, ...] = ()
    against: str | None = None
    matrices: tuple[MetricAgreement, ...] = ()
    ranking: tuple[Ranking, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def higher_is_better(self) -> dict[str, bool]:
        """The direction of each metric."""
        return {one.name: one.higher_is_better for one in self.measured}


# ---
# Which texts a study looks at: subsets by undetected entities, and fields with values.
# ---

ALL = "all"
Where = Mapping[str, frozenset[str]]

_UNDETECTED = re.compile(r"undetected>=(\d{1,6})")


def check_subset(name: str) -> None:
    """A SettingError where there is no subset of that name."""
    if name != ALL and not _UNDETECTED.fullmatch(name):
        raise SettingError(f"a subset is all, undetected>=1, undetected>=2 and so on, not {name!r}")


def take_subset(sample: RatedSample, name: str) -> RatedSample:
    """The texts of a subset; those of which nobody counted the entities are in `all` only."""
    if name == ALL:
        return sample
    check_subset(name)
    if not np.isfinite(sample.undetected).any():
        raise SettingError(
            f"the subset {name} needs the entities that a text does not name, and no run has esa; "
            "add it: adequa score --add RUN -m esa"
        )
    found = _UNDETECTED.fullmatch(name)
    least = int(found[1]) if found else 0
    chosen: npt.NDArray[np.bool_] = sample.undetected >= least
    if not chosen.any():
        raise DataError(f"no text is in the subset {name}", remedy="ask for another")
    return sample.only(chosen)


def parse_where(conditions: Iterable[str]) -> Where:
    """Values by field: several of one field allow each of them, all fields must hold."""
    wanted: dict[str, set[str]] = {}
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals or not name:
            raise SettingError(f"--where is FIELD=VALUE (category=Airport), not {condition!r}")
        wanted.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in wanted.items()}


def passes(fields: Mapping[str, str], where: Where) -> bool:
    """Whether a text has the wanted values."""
    return all(fields.get(name) in values for name, values in where.items())


def fields_of(item: Item) -> dict[str, str]:
    """What an item can be chosen by, as it is written after `--where`."""
    read = {name: item_field(name)(item) for name in ("category", "lang", "size")}
    fields = {name: word for name, word in read.items() if word is not None}
    return {**fields, **meta_fields(item.meta)}


def meta_fields(meta: Mapping[str, object]) -> dict[str, str]:
    """The plain values of what a reader knew beyond the named fields, as meta.KEY."""
    fields = {
        f"meta.{key}": word
        for key, value in meta.items()
        if isinstance(value, str | int | float) and (word := as_word(value)) is not None
    }
    seen = seen_word(meta.get("seen"))
    return fields if seen is None else {**fields, "seen": seen}


def check_where(where: Where, known: Iterable[Mapping[str, str]]) -> None:
    """A SettingError that lists what there is, where no text has a wanted field or value."""
    there: dict[str, set[str]] = {}
    for fields in known:
        for name, value in fields.items():
            there.setdefault(name, set()).add(value)
    for name, values in where.items():
        if name not in there:
            raise SettingError(
                f"no rated text has a field {name!r}; there are: {', '.join(sorted(there))}"
            )
        for value in sorted(values - there[name]):
            listed = sorted(there[name])
            more = ", …" if len(listed) > 20 else ""
            raise SettingError(
                f"no rated text has {name}={value}; there are: {', '.join(listed[:20])}{more}"
            )
