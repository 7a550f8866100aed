"""What an analysis of judgments says, without a word on how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adequa.human.groups import Grouping
from adequa.stats.means import Interval

__all__ = ["Analysis", "Part", "Settings", "SystemScore"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How systems were compared."""

    test: str = "rank-sum"
    data: str = "averaged"
    """`averaged`: a value a text, the mean of its judgments; `single`: a value a judgment."""
    correction: str = "none"
    alpha: float = 0.05
    """Of the tests; the intervals hold 1 - alpha."""
    z: bool = False
    """Whether judgments were standardised by rater."""
    n: int = 1000
    seed: int = 0
    lower_is_better: tuple[str, ...] = ()
    """Criteria of which less is better, such as the number of errors marked."""


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system by one criterion."""

    criterion: str
    system: str
    mean: float
    median: float
    texts: int
    judgments: int | None
    """None where only averages are known."""
    not_shown: int
    """Texts that nobody was shown, because they are empty: they have the lowest score."""
    interval: Interval | None
    """Of the mean, by drawing inputs; None below two of them."""
    rank: int
    """1 is the best mean; equal means share the better rank."""
    ranks: tuple[int, int] | None
    """From which to which rank the system comes when inputs are drawn."""


@dataclass(frozen=True, slots=True)
class Part:
    """All systems on all texts, or on those that share a value of a breakdown."""

    name: str | None
    scores: tuple[SystemScore, ...]
    """Criterion by criterion, the best mean first."""
    groups: Mapping[str, Grouping]
    """By criterion."""

    def of(self, criterion: str) -> list[SystemScore]:
        """The systems by one criterion, the highest mean first; none where nothing was rated."""
        return [score for score in self.scores if score.criterion == criterion]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Means, groups and ranks of systems, by criterion, over all texts and by parts of them."""

    criteria: tuple[str, ...]
    systems: tuple[str, ...]
    settings: Settings
    excluded: tuple[str, ...]
    """Raters that were left out."""
    overall: Part
    by: Mapping[str, tuple[Part, ...]]
    notes: tuple[str, ...] = ()
