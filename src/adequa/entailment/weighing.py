"""How the word of the verifier and that of the entity detector become log-odds.

A logit is a line of its own, and what the entities say is added to it: an object that the text does
not name makes it less likely that its fact is stated, a word that is part of a known name makes it
more likely that it is supported. The weights are in the `nli` part of `calibration.json`; weights
that say nothing of it leave the logit as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from adequa.errors import ModelError

__all__ = ["FACT_SIGNS", "WORD_SIGNS", "Weigher", "Weighing", "read_weighing"]

FACT_SIGNS = (
    *("object missing", "object named"),
    *("subject missing", "subject unnamed", "subject implied"),
)
"""What the entities say of a fact."""
WORD_SIGNS = ("mentioned", "unexplained")
"""What the entities say of a word."""
WRONG_VALUE = "wrong value"
"""A number or date that the data has and the text does not, or the other way round. The detector
compares them as what they are, and is believed: a model that reads words is easily content."""
_BELIEVED = 2.0
"""The log-odds of that, whatever the model says."""


@dataclass(frozen=True)
class Weigher:
    """Log-odds from a logit and from signs that are there or not."""

    slope: float = 1.0
    offset: float = 0.0
    signs: Mapping[str, float] = field(default_factory=dict)
    stated: bool = True
    """Whether it weighs that a fact is stated; else, that a word is unsupported."""

    def __call__(self, logit: float, signs: Iterable[str] = ()) -> float:
        """The log-odds.

        >>> Weigher(2.0, 0.5, {"object missing": -3.0})(1.0, ["object missing"])
        -0.5
        """
        known = [*signs]
        odds = self.slope * logit + self.offset + sum(self.signs.get(sign, 0.0) for sign in known)
        if WRONG_VALUE not in known:
            return odds
        return min(odds, -_BELIEVED) if self.stated else max(odds, _BELIEVED)


@dataclass(frozen=True)
class Weighing:
    """Both directions."""

    stated: Weigher = field(default_factory=Weigher)
    unsupported: Weigher = field(default_factory=lambda: Weigher(stated=False))
    fitted_on: str | None = None


@lru_cache(maxsize=4)
def read_weighing(name: str) -> Weighing:
    """The weighing of some weights."""
    from adequa.models.shipped import weights

    folder = weights(name)
    if "calibration.json" not in folder.manifest["files"]:
        return Weighing()
    raw = folder.values("calibration.json").get("nli")
    if raw is None:
        return Weighing()
    place = str(folder.folder / "calibration.json")
    try:
        return Weighing(
            _weigher(raw["stated"], FACT_SIGNS, stated=True),
            _weigher(raw["unsupported"], WORD_SIGNS, stated=False),
            raw.get("fitted_on"),
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(
            f"{place}: its nli part needs stated and unsupported with slope, offset and signs "
            f"({error!r}); make it with adequa train weigh"
        ) from None


def _weigher(raw: Mapping[str, Any], known: tuple[str, ...], *, stated: bool) -> Weigher:
    signs = {str(name): float(weight) for name, weight in raw.get("signs", {}).items()}
    weigher = Weigher(float(raw["slope"]), float(raw["offset"]), signs, stated)
    if not signs.keys() <= {*known}:
        raise ValueError(f"signs are {', '.join(known)}")
    if not all(map(math.isfinite, (weigher.slope, weigher.offset, *signs.values()))):
        raise ValueError("a number is not finite")
    if weigher.slope <= 0:
        raise ValueError("the slope is not above 0")
    return weigher
