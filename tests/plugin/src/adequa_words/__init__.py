"""The share of distinct words of a text: falls when a text repeats itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from adequa import Item, Metric, Score

__all__ = ["Words"]


@dataclass(frozen=True)
class Words(Metric):
    """Distinct words / words; the corpus value is that of all texts' counts together."""

    name: ClassVar[str] = "words"
    doc: ClassVar[str] = "the share of distinct words"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    reads: ClassVar[tuple[str, ...]] = ("text",)

    lowercase: bool = field(default=True, metadata={"doc": "ignore case"})

    def score(self, items: Sequence[Item]) -> list[Score]:
        """Count the words of each text; an empty one has none to repeat, and scores the lowest."""
        scores = []
        for item in items:
            words = (item.text.lower() if self.lowercase else item.text).split()
            distinct = len(set(words))
            value = distinct / len(words) if words else 0.0
            scores.append(Score(value, statistics=(float(distinct), float(len(words)))))
        return scores

    def corpus(self, totals: Sequence[float]) -> float:
        """Distinct words of each text / words, summed over the texts."""
        distinct, words = totals
        return distinct / words if words else 0.0
