"""How well a text and its graph fit each other, by models that are in the package.

After Joint Representations of Text and Knowledge Graphs (paper 003): a bi-encoder and a
cross-encoder, whose ensemble needs no reference. Ours adds the evidence of the entity detector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from adequa.data import Item, Score
from adequa.errors import SettingError
from adequa.metrics.base import Metric
from adequa.metrics.checks import check_choices, check_least
from adequa.metrics.members import Blend, Members, Sources
from adequa.metrics.sources import (
    check_source,
    check_weights,
    cosine_source,
    entity_source,
    pair_source,
    read_blends,
    weights_digest,
)

__all__ = ["Fluency", "Similarity"]

Part = Literal["ensemble", "bi", "cross"]
_NO_DATA = "no triples to compare the text with"
_TOO_LONG = "a triple is longer than the model can read"
_STATISTICS = ("bi", "stated", "supported", "tokens", "cross", "entities", "fluent")


@dataclass(frozen=True)
class Similarity(Metric):
    """Bi-encoder, cross-encoder and entity evidence as one value that agrees with people."""

    name: ClassVar[str] = "similarity"
    doc: ClassVar[str] = (
        "how well text and data fit each other, by the shipped encoder and verifier"
    )
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    expensive: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "terms")

    part: Part = field(
        default="ensemble",
        metadata={"doc": "the ensemble, or only the bi-encoder or the cross-encoder (verifier)"},
    )
    weights: str = field(
        default="v1",
        metadata={"doc": "shipped weights by version, or a folder that adequa export wrote"},
    )
    encoder: str | None = field(
        default=None,
        metadata={"doc": "a sentence-transformers model instead: a folder or a name on the hub"},
    )
    cross_encoder: str | None = field(
        default=None,
        metadata={"doc": "a cross-encoder instead of the verifier: a folder or a name on the hub"},
    )
    revision: str | None = field(
        default=None, metadata={"doc": "the revision of a model on the hub"}
    )
    entities: bool = field(
        default=True, metadata={"doc": "let the ensemble use the entity detector's evidence"}
    )
    threads: int = field(default=1, metadata={"doc": "threads for each run of a model"})

    def __post_init__(self) -> None:
        check_choices(self)
        check_least(self, "threads", 1)
        if self.revision is not None and not (self.encoder or self.cross_encoder):
            raise SettingError(
                f"{self.name}:revision goes with encoder or cross_encoder, models of the hub"
            )
        if not (self.encoder and self.cross_encoder):
            check_weights(self.weights)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The value of each item; a blank text has the lowest."""
        readable = [item for item in items if item.triples and item.text.strip()]
        found = iter(self.members(readable))
        blend = self._blend()
        return [
            self._score(item, next(found) if item.triples and item.text.strip() else None, blend)
            for item in items
        ]

    def members(self, items: Sequence[Item]) -> list[Members]:
        """The evidence behind the values, for items with triples and text."""
        return self._sources().gather(items)

    def _score(self, item: Item, members: Members | None, blend: Blend | None) -> Score:
        if not item.triples:
            return Score(None, reason=_NO_DATA)
        if members is None:
            return Score(self.worst, verdict="omission")
        value = _plain(members) if blend is None else blend(members)
        if value is None:
            return Score(None, reason=_TOO_LONG)
        numbers = [getattr(members, name) for name in _STATISTICS]
        statistics = [1.0 if number is not None else 0.0 for number in numbers]
        return Score(value, (*statistics, *(number or 0.0 for number in numbers)))

    def corpus(self, totals: Sequence[float]) -> dict[str, float]:
        """The mean of each member over the texts that have it."""
        half = len(_STATISTICS)
        return {
            name: total / count
            for name, count, total in zip(_STATISTICS, totals[:half], totals[half:], strict=True)
            if count
        }

    def provenance(self) -> Mapping[str, object]:
        """The content of the weights."""
        if self.encoder and self.cross_encoder:
            return {}
        return {"weights_hash": weights_digest(self.weights)}

    @property
    def _foreign(self) -> bool:
        return self.encoder is not None or self.cross_encoder is not None

    def _blend(self) -> Blend | None:
        """The shipped calibration; there is none for models of others."""
        if self._foreign:
            return None
        bare = self.part == "ensemble" and not self.entities
        return read_blends(self.weights)["models" if bare else self.part]

    def _sources(self) -> Sources:
        bi, cross = self.part != "cross", self.part != "bi"
        own = (self.weights, self.threads)
        return Sources(
            cosines=cosine_source(*own, self.encoder, self.revision) if bi else None,
            checks=check_source(*own) if cross and self.cross_encoder is None else None,
            cross=pair_source(self.cross_encoder, self.revision)
            if cross and self.cross_encoder is not None
            else None,
            entities=entity_source if self.part == "ensemble" and self.entities else None,
        )


def _plain(members: Members) -> float | None:
    """Without a calibration: the mean of what there is, each from 0 to 1."""
    values = [
        None if members.bi is None else max(0.0, members.bi),
        members.cross,
        members.stated,
        members.tokens,
        members.entities,
    ]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Fluency(Metric):
    """How well formed the words of a text are; says nothing about its facts."""

    name: ClassVar[str] = "fluency"
    doc: ClassVar[str] = "how well formed a text is, word by word, by the shipped verifier"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    expensive: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "terms")

    weights: str = field(
        default="v1",
        metadata={"doc": "shipped weights by version, or a folder that adequa export wrote"},
    )
    threads: int = field(default=1, metadata={"doc": "threads for each run of the model"})

    def __post_init__(self) -> None:
        check_least(self, "threads", 1)
        check_weights(self.weights)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The geometric mean, over the words, of the probability that a word is in its place."""
        texts = [item for item in items if item.text.strip()]
        found = iter(Sources(checks=check_source(self.weights, self.threads)).gather(texts))
        return [Score(next(found).fluent if item.text.strip() else self.worst) for item in items]

    def provenance(self) -> Mapping[str, object]:
        """The content of the weights."""
        return {"weights_hash": weights_digest(self.weights)}
