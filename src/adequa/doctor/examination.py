"""What the doctor found, without a word on how that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from adequa.doctor.cases import Made
from adequa.stats.means import Interval
from adequa.stats.proportions import wilson_interval

__all__ = ["Alarms", "Cell", "Examination", "Seen", "Share"]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    total: int

    def __str__(self) -> str:
        return f"{self.count:,} of {self.total:,}"

    @property
    def value(self) -> float | None:
        """None of nothing."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's, of 95 %."""
        return wilson_interval(self.count, self.total)


class Seen(NamedTuple):
    """What one metric makes of one case; None where it does not say."""

    original: float | None
    changed: float | None
    loss: float | None
    """How much worse the changed copy is, whichever way the metric counts; 0 is a tie."""
    noticed: bool | None
    """Whether the verdict has a right fault that the original's had not."""
    located: bool | None
    """Whether a finding is about the place of the change, and none on the original was."""

    @property
    def is_missed(self) -> bool:
        """Neither noticed nor found; of a metric without verdicts: no lower score."""
        if self.noticed is not None:
            return not (self.noticed or self.located)
        return self.loss is not None and self.loss <= 0


@dataclass(frozen=True)
class Cell:
    """One metric on one perturbation."""

    metric: str
    perturbation: str
    seen: tuple[Seen, ...]
    """Aligned with the cases."""
    auc: float | None
    """How often any original scores better than any changed copy, a tie being half."""

    @property
    def _losses(self) -> list[float]:
        return [one.loss for one in self.seen if one.loss is not None]

    @property
    def falls(self) -> Share:
        """Cases in which the score is worse, of those with both scores."""
        return Share(sum(loss > 0 for loss in self._losses), len(self._losses))

    @property
    def ties(self) -> int:
        """Cases in which the score is the same."""
        return sum(loss == 0 for loss in self._losses)

    @property
    def change(self) -> float | None:
        """The mean of changed minus original, in the metric's own units."""
        pairs = [
            one.changed - one.original
            for one in self.seen
            if one.changed is not None and one.original is not None
        ]
        return fmean(pairs) if pairs else None

    @property
    def noticed(self) -> Share:
        """Of the cases on which the metric gives a verdict."""
        judged = [one.noticed for one in self.seen if one.noticed is not None]
        return Share(sum(judged), len(judged))

    @property
    def located(self) -> Share:
        """Of the cases on which the metric gives a verdict."""
        judged = [one.located for one in self.seen if one.located is not None]
        return Share(sum(judged), len(judged))

    @property
    def unscored(self) -> int:
        """Cases without a score for one of the two."""
        return len(self.seen) - len(self._losses)


@dataclass(frozen=True, slots=True)
class Alarms:
    """How often a metric complains of unchanged texts: some are false alarms, at most all."""

    metric: str
    any: Share
    omission: Share
    hallucination: Share
    unscored: int
    score: float | None
    """The mean score of the unchanged."""


@dataclass(frozen=True)
class Examination:
    """Metrics by perturbations, and what they were made from."""

    made: tuple[Made, ...]
    cells: tuple[Cell, ...]
    """A cell a perturbation and metric, perturbation by perturbation."""
    alarms: tuple[Alarms, ...]
    signatures: Mapping[str, str]
    """Of the metrics, by label."""
    originals: int
    """How many items were changed in some way."""

    @property
    def metrics(self) -> list[str]:
        """The labels of the rows, the metrics together included."""
        return list(dict.fromkeys(cell.metric for cell in self.cells))

    def cell(self, metric: str, perturbation: str) -> Cell:
        """The cell of a metric and a perturbation."""
        for cell in self.cells:
            if (cell.metric, cell.perturbation) == (metric, perturbation):
                return cell
        raise KeyError((metric, perturbation))
