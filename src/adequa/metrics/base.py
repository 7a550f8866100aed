"""What a metric is: a frozen dataclass with one method, `score`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Protocol

from adequa.__about__ import __version__
from adequa.data import Item, Score
from adequa.settings import signature

__all__ = ["Metric", "Scorer"]


class Scorer(Protocol):
    """All that scoring needs of a metric; a cache in front of one is a scorer too."""

    def score(self, items: Sequence[Item]) -> list[Score]:
        """One score an item, in the order of the items."""


@dataclass(frozen=True)
class Metric(ABC):
    """A sequence of items in, an aligned list of scores out.

    The fields of a subclass are its settings: the command line, the signature and the docs read
    them off. A field's `metadata={"doc": …}` explains it. An item scores the same alone and in any
    company.
    """

    name: ClassVar[str]
    doc: ClassVar[str]
    best: ClassVar[float]
    worst: ClassVar[float]
    needs_references: ClassVar[bool] = False
    expensive: ClassVar[bool] = False
    """Worth caching on disk (a model runs)."""
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "references", "terms", "lang")
    """The fields of an Item the score depends on; a cached metric is shown no others."""

    @abstractmethod
    def score(self, items: Sequence[Item]) -> list[Score]:
        """One score an item, in the order of the items."""

    def corpus(
        self,
        totals: Sequence[float],  # noqa: ARG002
    ) -> float | Mapping[str, float] | None:
        """The corpus value from the sum of the items' statistics; None where it is just a mean."""
        return None

    @property
    def higher_is_better(self) -> bool:
        """The direction, read off best and worst."""
        return self.best > self.worst

    def provenance(self) -> Mapping[str, object]:
        """What else decides the score beside the settings: library versions, weights, templates."""
        return {}

    @property
    def signature(self) -> str:
        """Everything needed to get the same number again."""
        pairs = {field.name: getattr(self, field.name) for field in fields(self) if field.init}
        return signature(self.name, {**pairs, **self.provenance()}, __version__)
