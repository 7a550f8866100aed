"""How well a text and its graph fit each other, by models that are in the package.

After Joint Representations of Text and Knowledge Graphs (paper 003): a bi-encoder and a
cross-encoder, whose ensemble needs no reference. Ours adds the evidence of the entity detector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Literal, get_args

from adequa.data import Item, Score
from adequa.errors import ModelError, SettingError
from adequa.metrics.base import ENGLISH, Metric, require_valid, unknown_language
from adequa.metrics.sources import (
    Blend,
    Members,
    Sources,
    cosine_source,
    entity_source,
    fact_source,
    has_words,
    model_digest,
    pair_source,
    read_blends,
    read_rating,
    verifier_source,
    weights_digest,
)
from adequa.settings import setting

Part = Literal["ensemble", "bi", "cross"]
_NO_DATA = "no triples to compare the text with"
_TOO_LONG = "a triple is longer than the model can read"
_PAIR_TOO_LONG = "text and triples are longer than the cross-encoder can read"
_NO_WORDS = "the model reads no word of it"
_STATISTICS = tuple(field.name for field in fields(Members))


@dataclass(frozen=True)
class Similarity(Metric):
    """Bi-encoder, cross-encoder and entity evidence as one value that agrees with people."""

    name: ClassVar[str] = "similarity"
    doc: ClassVar[str] = (
        "how well text and data fit each other, by the shipped encoder and verifier"
    )
    limits: ClassVar[str] = (
        "It gives one number and no verdict: a text with one wrong word can score high."
    )
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    expensive: ClassVar[bool] = True
    languages: ClassVar[frozenset[str] | None] = ENGLISH
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "terms", "lang")

    part: Part = setting(
        "ensemble", "the ensemble, or only the bi-encoder or the cross-encoder (verifier)"
    )
    weights: str = setting("v3", "shipped weights by version, or a folder that adequa export wrote")
    encoder: str | None = setting(
        None, "a sentence-transformers model instead: a folder or a name on the hub"
    )
    cross_encoder: str | None = setting(
        None, "a cross-encoder instead of the verifier: a folder or a name on the hub"
    )
    revision: str | None = setting(None, "the revision of a model on the hub")
    entities: bool = setting(True, "let the ensemble use the entity detector's evidence")
    threads: int = setting(1, "threads for each run of a model", at_least=1)

    def __post_init__(self) -> None:
        require_valid(self)
        if self.revision is not None and not self._foreign:
            raise SettingError(
                f"{self.name}:revision goes with encoder or cross_encoder, models of the hub"
            )
        for model, part in (("encoder", "cross"), ("cross_encoder", "bi")):
            if getattr(self, model) is not None and self.part == part:
                raise SettingError(f"{self.name}:{model} has no use where part is {part}")
        if self._own:
            weights_digest(self.weights)  # missing weights show before the first text

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The value of each item; a blank text has the lowest."""
        blends = self._blends()
        return [
            self._score(item, members, blends, self.part) for item, members in self._gathered(items)
        ]

    def _gathered(self, items: Sequence[Item]) -> list[tuple[Item, Members | None]]:
        """Each item with its members; None where there is nothing to read."""
        readable = [
            bool(item.triples) and has_words(item.text) and self._unknown(item) is None
            for item in items
        ]
        found = iter(self.members([item for item, can in zip(items, readable, strict=True) if can]))
        return [
            (item, next(found) if can else None) for item, can in zip(items, readable, strict=True)
        ]

    def _unknown(self, item: Item) -> str | None:
        """Why the shipped models cannot read a text; those of others may know its language."""
        return None if self._foreign else unknown_language(self, item)

    def parts(self, items: Sequence[Item]) -> dict[Part, list[float | None]]:
        """The values of all three parts, by one run of the models; for part=ensemble."""
        if self.part != "ensemble":
            raise SettingError(f"{self.name}:part is {self.part}: all parts are the ensemble's")
        blends = self._blends()
        scored: Sequence[tuple[Item, Members | None]] = self._gathered(items)
        return {
            part: [self._score(item, members, blends, part).value for item, members in scored]
            for part in get_args(Part)
        }

    def members(self, items: Sequence[Item]) -> list[Members]:
        """The evidence behind the values, for items with triples and text."""
        return self._sources().gather(items) if items else []

    def _score(
        self, item: Item, members: Members | None, blends: Mapping[str, Blend] | None, part: Part
    ) -> Score:
        if not item.triples:
            return Score(None, reason=_NO_DATA)
        if members is None and (reason := self._unknown(item)) is not None:
            return Score(None, reason=reason)
        if members is None:
            return Score(self.worst, _statistics(Members()), verdict="omission")
        value = self._value(members, blends, part)
        if value is None:
            return Score(None, reason=_TOO_LONG if self.cross_encoder is None else _PAIR_TOO_LONG)
        return Score(value, _statistics(members))

    def _value(
        self, members: Members, blends: Mapping[str, Blend] | None, part: Part
    ) -> float | None:
        # Entities that were not asked for, or of which the data has none.
        bare = part != "ensemble" or members.entities is None
        if blends is not None:
            return blends["models" if bare and part == "ensemble" else part](members)
        names = ["bi"] if part != "cross" else []
        if part != "bi":
            foreign = self.cross_encoder is not None
            names += ["cross"] if foreign else ["stated", "supported", "tokens"]
        names += [] if bare else ["entities"]
        return _plain([getattr(members, name) for name in names])

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
        provenance: dict[str, object] = {}
        if self._own:
            provenance["weights_hash"] = weights_digest(self.weights)
            if read_blends(self.weights) is None:
                provenance["calibration"] = None
        for name in ("encoder", "cross_encoder"):
            model = getattr(self, name)
            if model is not None and (digest := model_digest(model)) is not None:
                provenance[f"{name}_hash"] = digest
        return provenance

    @property
    def _foreign(self) -> bool:
        return self.encoder is not None or self.cross_encoder is not None

    @property
    def _own(self) -> bool:
        """Whether a shipped model is asked."""
        bi, cross = self.part != "cross", self.part != "bi"
        return (bi and self.encoder is None) or (cross and self.cross_encoder is None)

    def _blends(self) -> Mapping[str, Blend] | None:
        """The calibration of the weights; there is none for models of others, or before a blend."""
        blends = None if self._foreign else read_blends(self.weights)
        if blends is None:
            return None
        parts = ("ensemble", "models") if self.part == "ensemble" else (self.part,)
        lacking = ""
        if missing := [part for part in parts if part not in blends]:
            lacking = f"calibration of {', '.join(missing)}"
        elif any("rated" in blends[part].members for part in parts):
            head = read_rating(self.weights)
            lacking = "" if head else "rating head, which their calibration counts on"
        if lacking:
            remedy = "make it with adequa train blend"
            raise ModelError(f"the weights {self.weights} have no {lacking}; {remedy}")
        return blends

    def _sources(self) -> Sources:
        bi, cross = self.part != "cross", self.part != "bi"
        own, foreign = (self.weights, self.threads), self.cross_encoder
        return Sources(
            cosines=cosine_source(*own, self.encoder, self.revision) if bi else None,
            verifier=verifier_source(*own) if cross and foreign is None else None,
            cross=pair_source(foreign, self.revision) if cross and foreign is not None else None,
            entities=entity_source if self.part == "ensemble" and self.entities else None,
            relations=fact_source(*own) if cross and foreign is None else None,
            rating=read_rating(self.weights) if cross and foreign is None else None,
        )


def _plain(values: Sequence[float | None]) -> float | None:
    """Without a calibration: the mean of the members, each from 0 to 1; None where one is."""
    known = [min(1.0, max(0.0, value)) for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _statistics(members: Members) -> tuple[float, ...]:
    """For each member 1 or 0, whether the text has it, and then the members."""
    numbers = [getattr(members, name) for name in _STATISTICS]
    return (
        *(0.0 if number is None else 1.0 for number in numbers),
        *(number or 0.0 for number in numbers),
    )


@dataclass(frozen=True)
class Fluency(Metric):
    """The well-formedness of the words of a text, independent of its facts."""

    name: ClassVar[str] = "fluency"
    doc: ClassVar[str] = "how well formed a text is, word by word, by the shipped verifier"
    limits: ClassVar[str] = "It says nothing about the content."
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    expensive: ClassVar[bool] = True
    languages: ClassVar[frozenset[str] | None] = ENGLISH
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "terms", "lang")

    weights: str = setting("v3", "shipped weights by version, or a folder that adequa export wrote")
    threads: int = setting(1, "threads for each run of the model", at_least=1)

    def __post_init__(self) -> None:
        require_valid(self)
        weights_digest(self.weights)  # as above

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The geometric mean, over the words, of the probability that a word is in its place."""
        unknown = [unknown_language(self, item) for item in items]
        readable = [
            has_words(item.text) and reason is None
            for item, reason in zip(items, unknown, strict=True)
        ]
        texts = [item for item, can in zip(items, readable, strict=True) if can]
        sources = Sources(verifier=verifier_source(self.weights, self.threads))
        found = (members.fluent for members in sources.gather(texts))
        scores: list[Score] = []
        for can, reason in zip(readable, unknown, strict=True):
            value = next(found) if can else None if reason is not None else self.worst
            scores.append(Score(value, reason=(reason or _NO_WORDS) if value is None else None))
        return scores

    def provenance(self) -> Mapping[str, object]:
        """The content of the weights."""
        return {"weights_hash": weights_digest(self.weights)}
