"""What a similarity is made of: the evidence of each model and of the entities, item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from adequa.data import Item
from adequa.errors import ModelError

if TYPE_CHECKING:
    from adequa.models.verifier import Checked

__all__ = ["Blend", "Member", "Members", "Sources"]

Cosines = Callable[[Sequence[Item]], Sequence[float]]
"""How near each text is to its graph, from -1 to 1."""
Checks = Callable[[Sequence[Item]], "Sequence[Checked]"]
Shares = Callable[[Sequence[Item]], "Sequence[float | None]"]
"""A value from 0 to 1 for each item, or None."""

_FLOOR = 1e-4
"""The least probability that is told from none: one sure fault must not outweigh all else."""


@dataclass(frozen=True, slots=True)
class Members:
    """The evidence on one item, each from 0 to 1 but `bi`; None where it could not be had."""

    bi: float | None = None
    """The cosine of text and graph in the encoder's space."""
    stated: float | None = None
    """How surely the text states the triples: the geometric mean over them."""
    supported: float | None = None
    """How surely the graph supports the text: the verifier on the pair as a whole."""
    tokens: float | None = None
    """How surely the graph supports each word: the geometric mean over the text."""
    cross: float | None = None
    """What a cross-encoder of the user's says, in place of the three above."""
    entities: float | None = None
    """The share of entities found, lowered by unexplained names: `esa_strict`."""
    fluent: float | None = None
    """How surely each word is well formed: no part of the similarity, a metric of its own."""


@dataclass(frozen=True)
class Sources:
    """Where the members come from; what is None is not asked."""

    cosines: Cosines | None = None
    checks: Checks | None = None
    cross: Shares | None = None
    entities: Shares | None = None

    def gather(self, items: Sequence[Item]) -> list[Members]:
        """The members of each item."""
        nothing: Sequence[Any] = [None] * len(items)
        columns = [
            nothing if source is None or not items else source(items)
            for source in (self.cosines, self.checks, self.cross, self.entities)
        ]
        return [
            _members(check, Members(bi=bi, cross=cross, entities=entities))
            for bi, check, cross, entities in zip(*columns, strict=True)
        ]


def _members(check: Checked | None, others: Members) -> Members:
    """What the verifier says of an item, in numbers from 0 to 1, beside what others say."""
    if check is None:
        return others
    return replace(
        others,
        stated=_mean([_likely(logit) for logit in check.stated]),
        supported=_likely(check.supported),
        tokens=_mean([_likely(logit, -1) for logit in check.unsupported]),
        fluent=_mean([_likely(logit, -1) for logit in check.disfluent]),
    )


def _likely(logit: float | None, sign: int = 1) -> float | None:
    """The probability of a logit, or of its contrary."""
    if logit is None:
        return None
    value = sign * logit
    return 1 / (1 + math.exp(-value)) if value > 0 else math.exp(value) / (1 + math.exp(value))


def _mean(values: Sequence[float | None]) -> float | None:
    """The geometric mean of what is known, or None where anything is not."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return math.exp(sum(math.log(max(value, _FLOOR)) for value in known) / len(known))


@dataclass(frozen=True, slots=True)
class Member:
    """How a member enters: less its mean, in units of its spread, times its weight."""

    mean: float
    spread: float
    weight: float

    def __call__(self, value: float) -> float:
        """Its part of the sum."""
        return self.weight * (value - self.mean) / self.spread


@dataclass(frozen=True)
class Blend:
    """The members as one number from 0 to 1: a weighted mean of their z-scores, calibrated."""

    members: Mapping[str, Member]
    slope: float
    offset: float

    @classmethod
    def read(cls, values: Mapping[str, Any], place: str) -> Blend:
        """A blend of a calibration file; `place` is what an error names."""
        known = {field.name for field in fields(Members)}
        try:
            members = {
                name: Member(float(one["mean"]), float(one["spread"]), float(one["weight"]))
                for name, one in values["members"].items()
            }
            blend = cls(members, float(values["slope"]), float(values["offset"]))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{place}: has no members with mean, spread and weight, slope and offset "
                f"({error!r}); make it with adequa.training.blending"
            ) from None
        if not members or not members.keys() <= known:
            raise ModelError(
                f"{place}: its members are {', '.join(members) or 'none'}; there are "
                f"{', '.join(sorted(known))}"
            )
        blend.check(place)
        return blend

    def check(self, place: str) -> None:
        """Raise where a better text could get a lower value, or none."""
        numbers = [self.slope, self.offset]
        for member in self.members.values():
            numbers += [member.mean, member.spread, member.weight]
        if (
            not all(map(math.isfinite, numbers))
            or self.slope <= 0
            or any(member.spread <= 0 or member.weight < 0 for member in self.members.values())
            or not any(member.weight for member in self.members.values())
        ):
            raise ModelError(
                f"{place}: slope and spreads must be above 0, weights not below, and all of them "
                "finite; make it with adequa.training.blending"
            )

    def mean(self, members: Members) -> float | None:
        """The weighted mean of the z-scores; None where a member is missing."""
        total = weights = 0.0
        for name, member in self.members.items():
            value = getattr(members, name)
            if value is None:
                return None
            total += member(value)
            weights += member.weight
        return total / weights

    def __call__(self, members: Members) -> float | None:
        """The calibrated value."""
        mean = self.mean(members)
        return None if mean is None else _likely(self.slope * mean + self.offset)
