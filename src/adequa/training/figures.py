"""Figures of a network on held-out data while it trains: plain arithmetic on its outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.stats import area_under_curve

Array = npt.NDArray[Any]
HEADS = ("stated", "unsupported", "disfluent")
"""The verifier's logits of a token, in their order."""
_UNKNOWN = -1


def spread(count: int, most: int) -> range:
    """At most `most` places out of `count`, evenly spaced and always the same.

    >>> list(spread(7, 3))
    [0, 3, 6]
    """
    return range(0, count, max(1, -(-count // max(1, most))))


def recalls(graphs: Array, texts: Array, own: Sequence[int]) -> dict[str, float]:
    """How often a graph's own text is among the first; a tie counts against it.

    `graphs` and `texts` are unit vectors, `own` the number of each graph's text.
    """
    similarities = graphs @ texts.T
    right = similarities[np.arange(len(graphs)), np.asarray(own)]
    ranks = (similarities >= right[:, None]).sum(axis=1)
    return {f"r@{first}": float((ranks <= first).mean()) for first in (1, 10)}


def inversion_rate(texts: Array, right: Array, inverted: Array) -> float:
    """How often an inverted triple is as near to the text as the right one, or nearer."""
    near, turned = (texts * right).sum(axis=1), (texts * inverted).sum(axis=1)
    return float((turned >= near).mean())


@dataclass
class HeldOutFigures:
    """The verifier's logits on cases whose labels are known, gathered case by case."""

    labels: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    logits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    found: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """For each fault and each triple that is not stated: whether the verifier finds that."""

    def add(self, fault: str, tokens: Array, labels: Array, pair: float, supported: int) -> None:
        """Add one case: logits and labels of its tokens, one column per head, and of the pair."""
        for column, name in enumerate(HEADS):
            known = labels[:, column] != _UNKNOWN
            self.labels[name].extend(labels[known, column].tolist())
            self.logits[name].extend(tokens[known, column].tolist())
        self.found[fault].extend((tokens[labels[:, 0] == 0, 0] < 0).tolist())
        if supported != _UNKNOWN:
            self.labels["supported"].append(supported)
            self.logits["supported"].append(pair)

    def figures(self) -> dict[str, float]:
        """Area under the curve of each head, accuracy where a decision is made, and by fault."""
        figures: dict[str, float] = {}
        for name, labels in self.labels.items():
            area = area_under_curve(labels, self.logits[name])
            if area is not None:
                figures[f"auc_{name}"] = round(area, 4)
        for name in ("stated", "supported"):
            if self.labels[name]:
                decided = np.asarray(self.logits[name]) > 0
                right = decided == (np.asarray(self.labels[name]) == 1)
                figures[f"accuracy_{name}"] = round(float(right.mean()), 4)
        for fault, found in sorted(self.found.items()):
            if found:
                figures[f"found_{fault}"] = round(float(np.mean(found)), 4)
        return figures
