"""How sure a verdict is: the probability that a text says all facts and only facts.

A logistic model over the evidence behind the verdict. Each feature is higher for a better text, so
no weight is negative. The weights are in `nli.confidence` of `calibration.json`, fitted by `python
-m research.relations confidence` on the data named there (`fitted_on`); without that part a verdict
has no confidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean

from adequa.data import Item, Verdict
from adequa.errors import ModelError
from adequa.metrics.nli.evidence import Evidence
from adequa.metrics.nli.signs import WRONG_VALUE, Signs
from adequa.metrics.nli.verdict import VerdictLimits, allowed_places, unstatable
from adequa.metrics.sources import probability, read_calibration

FEATURES = (
    *("least fact above even", "least fact below even", "mean fact"),
    *("least relation above even", "least relation below even", "relations read"),
    *("weakest word above even", "weakest word below even", "well formed"),
    *("named", "explained", "few facts"),
)
"""The evidence of a text, in the order of `read_features`. Log-odds have one weight above even odds
and another below: how badly a fault shows says more than how well a fact does."""
_FURTHEST = 6.0
"""Log-odds beyond these, a probability of 0.9975, say nothing more; they have no record of the data
they were chosen on."""
_MANY = 3
"""More names without explanation than these say nothing more; chosen by hand."""
_UNNAMED = frozenset({"object missing", "subject missing", WRONG_VALUE})


@dataclass(frozen=True)
class Confidence:
    """A logistic model of the probability that a text has no fault."""

    weights: Mapping[str, float] = field(default_factory=dict)
    offset: float = 0.0
    checked: float = 0.0
    """The probability from which a fact counts as found with confidence."""

    def __post_init__(self) -> None:
        if not self.weights.keys() <= {*FEATURES}:
            raise ValueError(f"features are {', '.join(FEATURES)}")
        if not all(map(math.isfinite, (self.offset, *self.weights.values()))):
            raise ValueError("a number is not finite")
        if any(weight < 0 for weight in self.weights.values()) or not 0 <= self.checked < 1:
            raise ValueError("a weight is below 0, or checked is not between 0 and 1")

    def chance(self, features: Sequence[float]) -> float:
        """The probability that a text with these features has no fault.

        >>> Confidence({"few facts": 1.0}).chance([0.0] * len(FEATURES))
        0.5
        """
        pairs = zip(FEATURES, features, strict=True)
        return probability(
            self.offset + sum(self.weights.get(name, 0.0) * value for name, value in pairs)
        )

    def sure(self, verdict: Verdict, features: Sequence[float] | None) -> float | None:
        """How likely a verdict is right; None without features."""
        if features is None:
            return None
        chance = self.chance(features)
        return round(chance if verdict == "OK" else 1 - chance, 6)


def read_features(
    item: Item, evidence: Evidence, signs: Signs, limits: VerdictLimits
) -> tuple[float, ...] | None:
    """The features of a text; None where it was not read as the model's texts were.

    That is where part of it could not be read, or not word by word, and where the text may choose
    what to say: no such texts were fitted on.
    """
    if item.coverage == "selected":
        return None
    links = unstatable(item)
    counted = [
        place
        for place, triple in enumerate(item.triples)
        if triple.predicate not in limits.optional and triple not in links
    ]
    stated = [evidence.stated[place] for place in counted]
    known = [_odds(chance) for chance in stated if chance is not None]
    if not known or len(known) < len(stated) or not evidence.words:
        return None
    relations = [evidence.relations[place] for place in counted] if evidence.relations else []
    read = [_odds(chance) for chance in relations if chance is not None]
    free = allowed_places(item.text, limits.allowed)
    doubts = [
        one.unsupported for one in evidence.words if not free.issuperset(range(one.start, one.end))
    ]
    garbled = any(
        one.garbled and not free.issuperset(range(one.start, one.end)) for one in evidence.stretches
    )
    unnamed = sum(bool(_UNNAMED.intersection(signs.facts[place])) for place in counted)
    unexplained = sum(not free.issuperset(range(one.start, one.end)) for one in signs.unexplained)
    return (
        *_sides(min(known)),
        fmean(known),
        *_sides(min(read, default=0.0)),
        len(read) / len(known),
        *_sides(min((_odds(1 - doubt) for doubt in doubts), default=_FURTHEST)),
        -float(garbled),
        -min(float(unnamed), _MANY),
        -min(float(unexplained), _MANY),
        -math.log(len(known)),
    )


def _sides(odds: float) -> tuple[float, float]:
    return max(odds, 0.0), min(odds, 0.0)


def _odds(chance: float) -> float:
    if not 0 < chance < 1:
        return _FURTHEST if chance >= 1 else -_FURTHEST
    return max(-_FURTHEST, min(_FURTHEST, math.log(chance / (1 - chance))))


@lru_cache(maxsize=4)
def read_confidence(name: str) -> Confidence | None:
    """The confidence model of some weights; None where none was fitted."""
    part, place = read_calibration(name, "nli")
    raw = part.get("confidence") if isinstance(part, dict) else None
    if raw is None:
        return None
    try:
        weights = {str(feature): float(weight) for feature, weight in raw["weights"].items()}
        return Confidence(weights, float(raw["offset"]), float(raw["checked"]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(
            f"{place}: its nli.confidence needs weights, offset and checked ({error!r}); make it "
            "with python -m research.relations confidence"
        ) from None
