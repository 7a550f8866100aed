"""What a similarity is made of: the evidence of each model and of the entities, item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from adequa.data import Item
from adequa.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adequa.models.verifier import Checked

__all__ = ["Blend", "Member", "Members", "RatingHead", "Sources", "read_check"]

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
    weakest: float | None = None
    """How surely the text states the triple it states least."""
    supported: float | None = None
    """How surely the graph supports the text: the verifier on the pair as a whole."""
    tokens: float | None = None
    """How surely the graph supports each word: the geometric mean over the text."""
    worst_word: float | None = None
    """How surely the graph supports the word it supports least."""
    rated: float | None = None
    """What people would say of it: a linear layer on the verifier, fitted on their ratings."""
    cross: float | None = None
    """What a cross-encoder of the user's says, in place of all the verifier's."""
    entities: float | None = None
    """The share of entities found, lowered by unexplained names: `esa_strict`."""
    fluent: float | None = None
    """How surely each word is well formed: no part of the similarity, a metric of its own."""


@dataclass(frozen=True)
class RatingHead:
    """A linear layer on the verifier's state and evidence: a rating from 0 to 1."""

    state: tuple[float, ...]
    members: Mapping[str, float]
    offset: float

    @classmethod
    def read(cls, values: Mapping[str, Any], place: str) -> RatingHead:
        """A head of a calibration file; `place` is what an error names."""
        try:
            head = cls(
                tuple(map(float, values["state"])),
                {str(name): float(weight) for name, weight in values["members"].items()},
                float(values["offset"]),
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise ModelError(
                f"{place}: has no rating head of state, members and offset ({error!r}); make it "
                "with adequa train blend"
            ) from None
        known = {field.name for field in fields(Members)}
        if not head.members.keys() <= known or not all(
            map(math.isfinite, (*head.state, *head.members.values(), head.offset))
        ):
            raise ModelError(
                f"{place}: its rating head has numbers that are not finite, or members other than "
                f"{', '.join(sorted(known))}"
            )
        return head

    def __call__(self, state: NDArray[np.float32], members: Members) -> float | None:
        """The rating; None where a member is missing."""
        import numpy as np

        if len(state) != len(self.state):
            raise ModelError(
                f"a rating head for states of {len(self.state)} numbers, not {len(state)}: its "
                "calibration belongs to another verifier"
            )
        total = self.offset + float(np.dot(state.astype(float), self.state))
        for name, weight in self.members.items():
            value = getattr(members, name)
            if value is None:
                return None
            total += weight * value
        return min(1.0, max(0.0, total))


@dataclass(frozen=True)
class Sources:
    """Where the members come from; what is None is not asked."""

    cosines: Cosines | None = None
    checks: Checks | None = None
    cross: Shares | None = None
    entities: Shares | None = None
    rating: RatingHead | None = None

    def gather(self, items: Sequence[Item]) -> list[Members]:
        """The members of each item."""
        nothing: Sequence[Any] = [None] * len(items)
        columns = [
            nothing if source is None or not items else source(items)
            for source in (self.cosines, self.checks, self.cross, self.entities)
        ]
        return [
            self._members(check, Members(bi=bi, cross=cross, entities=entities))
            for bi, check, cross, entities in zip(*columns, strict=True)
        ]

    def _members(self, check: Checked | None, others: Members) -> Members:
        if check is None:
            return others
        members = read_check(check, others)
        if self.rating is None:
            return members
        return replace(members, rated=self.rating(check.state, members))


def read_check(check: Checked, others: Members | None = None) -> Members:
    """What the verifier says of an item, in numbers from 0 to 1, beside what others say."""
    stated = [_likely(logit) for logit in check.stated]
    words = [_likely(logit, -1) for logit in check.unsupported]
    return replace(
        others or Members(),
        stated=_mean(stated),
        weakest=_least(stated),
        supported=_likely(check.supported),
        tokens=_mean(words),
        worst_word=_least(words),
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


def _least(values: Sequence[float | None]) -> float | None:
    """The least of the values, or None where one is not known."""
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None


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
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise ModelError(
                f"{place}: has no members with mean, spread and weight, slope and offset "
                f"({error!r}); make it with adequa train blend"
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
                "finite; make it with adequa train blend"
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
