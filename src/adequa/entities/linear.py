"""A choice among options by a sum of weights: small enough to read, to ship and to run in Python.

An option is a list of features, which are plain strings; its score is the sum of their weights. The
probability of an option is the softmax over the options of one choice. Weights are learned by
`adequa.training.choices` and stored as JSON beside the code.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

__all__ = ["Weights", "load_weights", "probabilities"]

Weights = Mapping[str, float]


def probabilities(weights: Weights, options: Sequence[Iterable[str]]) -> list[float]:
    """How likely each option is.

    >>> probabilities({"good": 1.0}, [["good"], []])[0] > 0.7
    True
    """
    get = weights.get
    scores = [sum([get(feature, 0.0) for feature in option]) for option in options]
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


@cache
def load_weights(name: str = "mentions") -> Mapping[str, Weights]:
    """The shipped weights, by decision."""
    source = files("adequa.entities") / "resources" / f"{name}.json"
    loaded: dict[str, dict[str, float]] = json.loads(source.read_text(encoding="utf-8"))["weights"]
    return loaded
