"""How the word of the verifier and that of the entity detector become log-odds.

A logit is a line of its own, and what the entities say is added to it: an object that the text does
not name makes it less likely that its fact is stated, a word that is part of a known name makes it
more likely that it is supported. The weights are in the `nli` part of `calibration.json`; weights
that say nothing of it leave the logit as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from adequa.errors import ModelError

__all__ = ["FACT_SIGNS", "WORD_SIGNS", "Weigher", "Weighing", "others_of", "read_weighing"]

FACT_SIGNS = ("object missing", "subject missing", "object named")
"""What the entities say of a fact."""
WORD_SIGNS = ("mentioned", "unexplained")
"""What the entities say of a word."""
_FURTHEST = 6.0


@dataclass(frozen=True)
class Weigher:
    """Log-odds from a logit and from signs that are there or not."""

    slope: float = 1.0
    offset: float = 0.0
    signs: Mapping[str, float] = field(default_factory=dict)
    others: float = 0.0
    """What the mean logit of the item's other facts weighs: among facts that are plainly stated,
    one that is just so is in doubt."""

    def __call__(self, logit: float, signs: Iterable[str] = (), others: float = 0.0) -> float:
        """The log-odds.

        >>> Weigher(2.0, 0.5, {"object missing": -3.0})(1.0, ["object missing"])
        -0.5
        """
        known = sum(self.signs.get(sign, 0.0) for sign in signs)
        return self.slope * logit + self.others * others + self.offset + known


def others_of(logits: Sequence[float | None]) -> list[float]:
    """For each fact the mean logit of the others, kept within bounds; 0 for a fact alone.

    >>> others_of([1.0, 3.0, None])
    [3.0, 1.0, 2.0]
    """
    known = [(place, logit) for place, logit in enumerate(logits) if logit is not None]
    total = sum(logit for _, logit in known)
    own = dict(known)
    found = []
    for place in range(len(logits)):
        count = len(known) - (place in own)
        mean = (total - own.get(place, 0.0)) / count if count else 0.0
        found.append(min(_FURTHEST, max(-_FURTHEST, mean)))
    return found


@dataclass(frozen=True)
class Weighing:
    """Both directions."""

    stated: Weigher = field(default_factory=Weigher)
    unsupported: Weigher = field(default_factory=Weigher)
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
            _weigher(raw["stated"], FACT_SIGNS),
            _weigher(raw["unsupported"], WORD_SIGNS),
            raw.get("fitted_on"),
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(
            f"{place}: its nli part needs stated and unsupported with slope, offset and signs "
            f"({error!r}); make it with adequa train weigh"
        ) from None


def _weigher(raw: Mapping[str, Any], known: tuple[str, ...]) -> Weigher:
    signs = {str(name): float(weight) for name, weight in raw.get("signs", {}).items()}
    others = float(raw.get("others", 0.0))
    weigher = Weigher(float(raw["slope"]), float(raw["offset"]), signs, others)
    if not signs.keys() <= {*known}:
        raise ValueError(f"signs are {', '.join(known)}")
    if not all(map(math.isfinite, (weigher.slope, weigher.offset, others, *signs.values()))):
        raise ValueError("a number is not finite")
    if weigher.slope <= 0:
        raise ValueError("the slope is not above 0")
    return weigher
