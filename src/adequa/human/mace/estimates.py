"""What MACE is given and what it estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["SPAMMER_COMPETENCE", "Judgment", "Mace"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SPAMMER_COMPETENCE = 0.25
"""Below this competence an annotator is reported as a spammer.

A spammer's is 0, but estimated from 100 answers on items of three answers it scatters up to about
0.2; someone right in 6 of 10 answers to three labels, hardly of use, has 0.4. With fewer answers
both scatter more: look at `answers` before anyone is excluded.
"""


class Judgment(NamedTuple):
    """One annotator's answer on one item; None where they were asked and gave none."""

    item: str
    annotator: str
    label: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Mace:
    """What MACE estimated; arrays follow the order of `items`, `annotators` and `labels`."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    posteriors: Matrix
    """How likely each label is, a row an item."""
    entropies: Vector
    """Of the posteriors, in nats: how hard or how disputed an item is."""
    answered: npt.NDArray[np.bool_]
    """Which items have an answer or a known label."""
    answers: Integers
    """How many answers each annotator gave."""
    competences: Vector
    """How often each annotator knows, θ; NaN of one who gave no answer."""
    strategies: Matrix
    """What each annotator answers when spamming, ξ, a row an annotator; NaN without an answer."""
    log_likelihood: float
    """Of all answers: with `em` at the estimates, with `vb` the lower bound of the marginal one."""
    iterations: int
    converged: bool
    """Whether the best start came to rest before its iterations were used up."""

    @property
    def best_labels(self) -> dict[str, str | None]:
        """The most likely label of each item, the first of equals; None where nothing is known."""
        best = self.posteriors.argmax(axis=1)
        return {
            item: self.labels[label] if known else None
            for item, label, known in zip(self.items, best, self.answered, strict=True)
        }

    @property
    def competence(self) -> dict[str, float | None]:
        """The competence of each annotator; None of one who gave no answer."""
        return {
            name: float(value) if answers else None
            for name, value, answers in zip(
                self.annotators, self.competences, self.answers, strict=True
            )
        }

    def spammers(self, below: float = SPAMMER_COMPETENCE) -> tuple[str, ...]:
        """The annotators whose competence is below the cut, for a person to look at."""
        return tuple(
            name for name, value in self.competence.items() if value is not None and value < below
        )
