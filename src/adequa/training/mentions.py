"""Learns how annotators draw mentions, from texts whose mentions are marked.

The detector itself is run on each text with a judge that knows the gold: it notes every decision
with its options, answers as the annotators did, and so walks the same path as they.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from adequa.data import Item
from adequa.entities.detector import Detector
from adequa.entities.evaluation import mention_key
from adequa.entities.mentions import Option
from adequa.training.choices import Choice, learn

__all__ = ["GoldJudge", "collect", "train_mentions", "write_weights"]

_SLACK = 4
"""Letters by which a gold mention may be longer than an anaphor and still be it: `'s`."""
_LEAST_WEIGHT = 0.05
ADJUSTMENTS = {
    "left": {"det=the&next:content:lower": 4.0},
    "right": {"noun:own=True": 1.0, "whole": 3.0},
}
"""Added to learned weights, chosen on the dev split.

The train split was tidied after it was annotated and the others were not: of `the 2014 season`,
train marks 2014 in five cases of six, dev marks `the 2014` in five of six. Of `Ithaca, New York` in
data that has New York as well, train often marks two mentions and dev one.
"""


class GoldJudge:
    """Decides as the annotators did, and remembers what there was to decide."""

    def __init__(self) -> None:
        self.choices: dict[str, list[Choice]] = defaultdict(list)
        self._text = ""
        self._gold: list[tuple[int, int, int | None]] = []
        self._complete = False

    def read(self, item: Item) -> None:
        """Take the gold of the next text."""
        numbers: dict[str, int] = {}
        for triple in item.triples:
            for entity in (triple.subject, triple.object):
                numbers.setdefault(entity, len(numbers))
        mentions = item.meta["mentions"]
        self._text = item.text
        self._gold = [
            (mention["start"], mention["end"], numbers.get(mention["entity"]))
            for mention in mentions
            if mention["start"] is not None
        ]
        # Where the place of a mention is unknown, nothing says that a span is none.
        self._complete = len(self._gold) == len(mentions) > 0

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        """The option the annotators took."""
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
            self.choices[decision].append(Choice(features, right))
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
) -> dict[str, list[Choice]]:
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
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, dict[str, float]]:
    """Weights for every decision of mentions mode."""
    weights = {
        decision: learn(choices, penalty=penalty)
        for decision, choices in sorted(collect(items, progress).items())
    }
    for decision, table in ADJUSTMENTS.items():
        for feature, more in table.items():
            known = weights.setdefault(decision, {})
            known[feature] = known.get(feature, 0.0) + more
    return weights


def write_weights(weights: dict[str, dict[str, float]], path: Path, origin: str) -> None:
    """Write weights as the detector reads them; those that change next to nothing are left out."""
    kept = {
        decision: {
            feature: round(weight, 3)
            for feature, weight in sorted(table.items())
            if abs(weight) >= _LEAST_WEIGHT
        }
        for decision, table in weights.items()
    }
    text = json.dumps({"origin": origin, "weights": kept}, ensure_ascii=False, indent=0)
    path.write_text(text + "\n", encoding="utf-8")
