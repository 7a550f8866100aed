"""The cells of the correlation tables of paper 001 next to ours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from adequa.stats import (
    COEFFICIENTS,
    Correlation,
    Interval,
    cluster_counts,
    percentile_interval,
    resampled_correlations,
)
from research.papers.correlations.data import CorrelationStudy
from research.papers.correlations.printed import ESA, HUMAN_CRITERIA, Pair, PrintedTable
from research.papers.section import mark

KINDS = ("human, human", "metric, human", "metric, metric", "with ESA")


def kind_of(pair: Pair) -> str:
    """The kinds of the two columns that a cell compares.

    >>> kind_of(("BLEU", "Fluency"))
    'metric, human'
    """
    if ESA in pair:
        return KINDS[3]
    return KINDS[2 - sum(name in HUMAN_CRITERIA for name in pair)]


@dataclass(frozen=True)
class ComparedCell:
    """A cell: the printed value, ours, and how close they are."""

    pair: Pair
    printed: float
    ours: Correlation | None
    interval: Interval | None = None

    @property
    def value(self) -> float | None:
        """Our value; None if a column has no values."""
        return None if self.ours is None else self.ours.value

    @property
    def mark(self) -> str:
        """`equal`, `close`, `different` or `n/a`."""
        return mark(self.value, self.printed)

    @property
    def distance(self) -> float | None:
        """The absolute difference."""
        return None if self.ours is None else abs(self.ours.value - self.printed)

    @property
    def inside(self) -> bool | None:
        """Whether the printed number, before rounding, may be in our interval."""
        if self.interval is None:
            return None
        low, high = self.interval
        return low - 0.005 <= self.printed <= high + 0.005


class Matrices:
    """Correlations of a study's columns, each computed once."""

    def __init__(self, study: CorrelationStudy, *, n: int = 0, seed: int = 0) -> None:
        """With `n` > 0, intervals come from `n` resamples of the entries."""
        self.study = study
        self._n, self._seed = n, seed
        self._found = cache(self._correlation)

    def compare(
        self,
        table: PrintedTable,
        *,
        coefficient: str | None = None,
        reading: str | None = None,
        subset: str | None = None,
    ) -> list[ComparedCell]:
        """The cells of a table, by default with its own coefficient, reading and subset."""
        chosen = reading or self.study.reading
        how, texts = coefficient or table.coefficient, subset or table.subset
        return [
            ComparedCell(pair, printed, *self._found(chosen, how, texts, pair))
            for pair, printed in table.cells.items()
        ]

    def _correlation(
        self, reading: str, coefficient: str, subset: str, pair: Pair
    ) -> tuple[Correlation | None, Interval | None]:
        first, second = (self.study.columns[reading][name] for name in pair)
        known = [
            (one, other, self.study.ids[place])
            for place in self.study.subsets[subset]
            if (one := first[place]) is not None and (other := second[place]) is not None
        ]
        ours, theirs = [one for one, _, _ in known], [other for _, other, _ in known]
        found = COEFFICIENTS[coefficient](ours, theirs)
        if found is None or not self._n or coefficient == "kendall":
            return found, None
        counts = cluster_counts([entry for _, _, entry in known], n=self._n, seed=self._seed)
        how: Literal["pearson", "spearman"] = "pearson" if coefficient == "pearson" else "spearman"
        return found, percentile_interval(resampled_correlations(ours, theirs, counts, how))
