"""Learns from annotated texts how annotators mark mentions.

The detector is run on each text with a judge that knows the gold. The judge records every decision
with its options and decides as the annotators did. The weights of the decisions are then fitted by
a conditional logit with an L2 penalty (L-BFGS).
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adequa.data import Item
from adequa.entities import Detector, Option, mention_key
from adequa.errors import DataError, ModelError, SettingError
from adequa.files import replacing, write_errors


class OptionChoice(NamedTuple):
    """One decision in the data: the features of each option, and the right option."""

    options: Sequence[Sequence[str]]
    right: int


def learn(
    choices: Sequence[OptionChoice], *, penalty: float = 1.0, least: int = 5
) -> dict[str, float]:
    """Weights that make the right options likely; rare features are left out.

    >>> weights = learn([OptionChoice([["a"], ["b"]], 0)] * 20)
    >>> weights["a"] > weights["b"]
    True
    """
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    counts = Counter(
        feature for choice in choices for option in choice.options for feature in option
    )
    names = sorted(feature for feature, count in counts.items() if count >= least)
    number = {feature: place for place, feature in enumerate(names)}
    columns: list[int] = []
    ends: list[int] = [0]
    group: list[int] = []
    right: list[int] = []
    for place, choice in enumerate(choices):
        right.append(len(group) + choice.right)
        for option in choice.options:
            columns.extend(number[feature] for feature in option if feature in number)
            ends.append(len(columns))
            group.append(place)
    rows = len(group)
    matrix = csr_matrix((np.ones(len(columns)), columns, ends), shape=(rows, len(names)))
    groups = np.asarray(group)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    target = np.zeros(rows)
    target[right] = 1.0

    def loss(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        top = np.maximum.reduceat(scores, starts)[groups]
        powers = np.exp(scores - top)
        sums = np.add.reduceat(powers, starts)[groups]
        chances = powers / sums
        value = -np.log(np.maximum(chances[right], 1e-300)).sum()
        slope = matrix.T @ (chances - target)
        return value + 0.5 * penalty * (weights @ weights), slope + penalty * weights

    result = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return {name: round(float(weight), 4) for name, weight in zip(names, result.x, strict=True)}


_SLACK = 4
"""The letters by which a gold mention may be longer than its anaphor: `'s`.

No record of the data it was chosen on."""
_LEAST_WEIGHT = 0.05
"""Smaller weights are not written; no record of the data it was chosen on."""
ADJUSTMENTS = {
    "left": {"det=the&next:content:lower": 4.0},
    "right": {"noun:own=True": 1.0, "whole": 3.0},
}
"""Added to the learned weights, chosen on the dev split of the enriched corpus.

The train split was cleaned after the annotation and the others were not: of `the 2014 season`,
train marks 2014 in five cases of six, dev marks `the 2014` in five of six. Of `Ithaca, New York` in
data that has New York as well, train often marks two mentions and dev one.
"""


class GoldJudge:
    """Decides as the annotators did, and records the decisions."""

    def __init__(self) -> None:
        self.choices: dict[str, list[OptionChoice]] = defaultdict(list)
        self._text = ""
        self._gold: list[tuple[int, int, int | None]] = []
        self._complete = False

    def read(self, item: Item) -> None:
        """Take the gold of the next text."""
        numbers: dict[str, int] = {}
        for triple in item.triples:
            for entity in (triple.subject, triple.object):
                numbers.setdefault(entity, len(numbers))
        try:
            mentions = item.meta["mentions"]
            self._gold = [
                (int(mention["start"]), int(mention["end"]), numbers.get(mention["entity"]))
                for mention in mentions
                if mention["start"] is not None
            ]
            # If the place of a mention is unknown, a span without gold may be that mention.
            self._complete = len(self._gold) == len(mentions) > 0
        except (KeyError, OverflowError, TypeError, ValueError):
            raise DataError(
                f"the item {item.id!r} has no gold mentions with their places",
                remedy="give the enriched WebNLG corpus, or items converted from it",
            ) from None
        self._text = item.text

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        """The option that the annotators chose."""
        if decision == "keep":
            right = 0 if self._overlapping(options[0]) else 1
        elif decision == "anaphor":
            right = self._referent(options)
        else:
            side = self._side(decision, options)
            if side is None:
                return 0
            right = side
        if self._complete or decision in ("left", "right"):
            features = [tuple(option.features) for option in options]
            self.choices[decision].append(OptionChoice(features, right))
        return right

    def _overlapping(self, option: Option) -> list[tuple[int, int]]:
        return [
            (start, end)
            for start, end, entity in self._gold
            if entity == option.entity and start < option.end and option.start < end
        ]

    def _referent(self, options: Sequence[Option]) -> int:
        span = options[0]
        length = span.end - span.start
        for start, end, entity in self._gold:
            if start < span.end and span.start < end and end - start <= length + _SLACK:
                for number, option in enumerate(options):
                    if option.entity == entity and entity is not None:
                        return number
        return 0

    def _side(self, decision: str, options: Sequence[Option]) -> int | None:
        core = options[0]
        text = self._text
        for start, end in self._overlapping(core):
            for number, option in enumerate(options):
                if decision == "left":
                    mine, theirs = text[option.start : core.end], text[start : max(core.end, start)]
                else:
                    mine, theirs = text[core.start : option.end], text[core.start : end]
                if mention_key(mine) == mention_key(theirs):
                    return number
        return None


def collect(
    items: Iterable[Item], progress: Callable[[int], None] = lambda _: None
) -> dict[str, list[OptionChoice]]:
    """Every decision of the detector on annotated texts, with the annotators' answer."""
    judge = GoldJudge()
    detector = Detector(mode="mentions", judge=judge)
    for number, item in enumerate(items, 1):
        judge.read(item)
        detector.detect(item)
        progress(number)
    return judge.choices


def train_mentions(
    items: Iterable[Item],
    *,
    penalty: float = 0.5,
    adjust: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, dict[str, float]]:
    """Weights for every decision of mentions mode; `adjust` adds `ADJUSTMENTS` to them."""
    if not 0 <= penalty < math.inf:
        raise SettingError(f"penalty is {penalty}; give a number of at least 0")
    collected = collect(items, progress)
    if not collected:
        raise DataError(
            "there are no gold mentions to learn from",
            remedy="give the enriched WebNLG corpus, with its <references>",
        )
    weights = {
        decision: learn(choices, penalty=penalty) for decision, choices in sorted(collected.items())
    }
    for decision, table in ADJUSTMENTS.items() if adjust else ():
        for feature, more in table.items():
            known = weights.setdefault(decision, {})
            known[feature] = known.get(feature, 0.0) + more
    return weights


def write_weights(weights: dict[str, dict[str, float]], path: Path, origin: str) -> None:
    """Write weights in the format of the detector, without those near 0."""
    kept = {
        decision: {
            feature: round(weight, 3)
            for feature, weight in sorted(table.items())
            if abs(weight) >= _LEAST_WEIGHT
        }
        for decision, table in weights.items()
    }
    text = json.dumps({"origin": origin, "weights": kept}, ensure_ascii=False, indent=0)
    with write_errors(path), replacing(path) as stream:
        stream.write(f"{text}\n".encode(errors="replace"))


def read_weights(path: Path) -> dict[str, dict[str, float]]:
    """The weights of a file that `write_weights` wrote, for `WeightsJudge`."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        weights = {
            str(decision): {str(feature): float(weight) for feature, weight in table.items()}
            for decision, table in raw["weights"].items()
        }
        finite = all(math.isfinite(one) for table in weights.values() for one in table.values())
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
        finite = False
    if not finite:
        raise ModelError(
            f"{path}: does not hold weights of the detector; make them with adequa train mentions"
        )
    return weights
