"""BLEU as NLTK computes it, the "BLEU NLTK" of the WebNLG challenges and of the papers after them.

It differs from sacrebleu's in its words (`tokenize`), in its smoothing and in its scale, 0 to 1.
With the settings as they are, the corpus value is that of the 2020 challenge's script, except where
NLTK's trained sentence splitter and the rules here cut a text differently.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from adequa.data import Item, Score
from adequa.errors import SettingError
from adequa.metrics.base import (
    NO_REFERENCES,
    Metric,
    references_of,
    require_at_least,
    require_choices,
)
from adequa.metrics.words import TOKENIZE_DOC, Tokenize, cut

_UNIFORM = (0.25, 0.25, 0.25, 0.25)


class _Counts(NamedTuple):
    """What a text or a corpus has in common with its references; one order more than is weighed.

    `matches` and `totals` are by n-gram order from 1; smoothing 5 and 7 look at the next order.
    """

    length: float
    reference_length: float
    matches: Sequence[float]
    totals: Sequence[float]


@dataclass(frozen=True)
class SentenceBleu(Metric):
    """BLEU with clipped precisions, the closest reference's length, and a choice of smoothing.

    Smoothing (Chen and Cherry 2014): 0 none, 1 a small count, 2 add one, 3 halves (NIST), 4 halves
    by length, 5 the mean of neighbouring orders, 7 both 4 and 5. A blank reference counts as none.
    """

    name: ClassVar[str] = "bleu_nltk"
    doc: ClassVar[str] = "BLEU as NLTK computes it, text by text, smoothed, from 0 to 1"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    smoothing: Literal[0, 1, 2, 3, 4, 5, 7] = field(
        default=3, metadata={"doc": "the method of Chen and Cherry; 5 and 7 can exceed 1"}
    )
    weights: tuple[float, ...] = field(
        default=_UNIFORM, metadata={"doc": "of n-grams of one word, of two and so on"}
    )
    tokenize: Tokenize = field(default="treebank", metadata={"doc": TOKENIZE_DOC})
    lowercase: bool = field(default=False, metadata={"doc": "ignore case"})
    epsilon: float = field(default=0.1, metadata={"doc": "the small count of smoothing 1"})
    k: float = field(default=5.0, metadata={"doc": "the constant of smoothing 4 and 7"})
    auto_reweigh: bool = field(
        default=False, metadata={"doc": "weigh uniformly fewer orders where a text has no four"}
    )

    def __post_init__(self) -> None:
        require_choices(self)
        if not self.weights or any(not math.isfinite(w) or w < 0 for w in self.weights):
            raise SettingError(f"{self.name}:weights are numbers from 0, not {self.weights}")
        require_at_least(self, "epsilon", 0)
        require_at_least(self, "k", sys.float_info.min)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """NLTK's sentence BLEU of each item."""
        return [self._score(item) for item in items]

    def _score(self, item: Item) -> Score:
        words = [self._words(text) for text in references_of(item) if text.strip()]
        if not words:
            return Score(None, reason=NO_REFERENCES)
        counts = _count(self._words(item.text), words, len(self.weights) + 1)
        flat = (counts.length, counts.reference_length, *counts.matches, *counts.totals)
        return Score(self._value(counts), flat)

    def _words(self, text: str) -> tuple[str, ...]:
        return cut(text, self.tokenize, self.lowercase)

    def corpus(self, totals: Sequence[float]) -> float:
        """NLTK's corpus BLEU, but smoothing 5 and 7 ask all texts, where NLTK asks the last."""
        orders = len(self.weights) + 1
        return self._value(_Counts(totals[0], totals[1], totals[2 : 2 + orders], totals[-orders:]))

    def _value(self, counts: _Counts) -> float:
        if counts.matches[0] == 0:
            return 0.0
        weights = self.weights
        if self.auto_reweigh and counts.length < len(_UNIFORM) and weights == _UNIFORM:
            weights = (1 / counts.length,) * int(counts.length)
        precisions = _SMOOTHING[self.smoothing](counts, self)
        logarithms = (
            weight * math.log(precision)
            for weight, precision in zip(
                weights, precisions, strict=False
            )  # the next order is left
            if precision > 0
        )
        return _brevity_penalty(counts) * math.exp(math.fsum(logarithms))


def _count(text: Sequence[str], references: Sequence[Sequence[str]], orders: int) -> _Counts:
    matches, totals = [], []
    for order in range(1, orders + 1):
        found = Counter(_ngrams(text, order))
        allowed: dict[tuple[str, ...], int] = {}
        for reference in references:
            for ngram, count in Counter(_ngrams(reference, order)).items():
                if ngram in found and count > allowed.get(ngram, 0):
                    allowed[ngram] = count
        matches.append(sum(min(found[ngram], count) for ngram, count in allowed.items()))
        totals.append(max(1, len(text) - order + 1))  # at least one, as in NLTK: none has matched
    lengths = (len(reference) for reference in references)
    closest = min(lengths, key=lambda length: (abs(length - len(text)), length))
    return _Counts(len(text), closest, matches, totals)


def _ngrams(words: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + order]) for start in range(len(words) - order + 1)]


def _brevity_penalty(counts: _Counts) -> float:
    if counts.length > counts.reference_length:
        return 1.0
    return math.exp(1 - counts.reference_length / counts.length)


def _plain(counts: _Counts) -> list[float]:
    return [match / total for match, total in zip(counts.matches, counts.totals, strict=True)]


def _none(counts: _Counts, metric: SentenceBleu) -> list[float]:
    del metric
    return [precision or sys.float_info.min for precision in _plain(counts)]


def _small_count(counts: _Counts, metric: SentenceBleu) -> list[float]:
    pairs = zip(counts.matches, counts.totals, strict=True)
    return [(match or metric.epsilon) / total for match, total in pairs]


def _add_one(counts: _Counts, metric: SentenceBleu) -> list[float]:
    del metric
    pairs = list(zip(counts.matches, counts.totals, strict=True))
    (match, total), *longer = pairs
    return [match / total, *((match + 1) / (total + 1) for match, total in longer)]


def _halves(counts: _Counts, metric: SentenceBleu) -> list[float]:
    del metric
    return _replace_zeros(counts, lambda nth: 1 / 2**nth)


def _halves_by_length(counts: _Counts, metric: SentenceBleu) -> list[float]:
    if counts.length <= 1:
        return _plain(counts)
    scale = math.log(counts.length)
    return _replace_zeros(counts, lambda nth: 1 / (2**nth * metric.k / scale))


def _replace_zeros(counts: _Counts, substitute: Callable[[int], float]) -> list[float]:
    precisions, zeros = [], 0
    for match, total in zip(counts.matches, counts.totals, strict=True):
        zeros += match == 0
        precisions.append((match or substitute(zeros)) / total)
    return precisions


def _neighbours(counts: _Counts, metric: SentenceBleu) -> list[float]:
    del metric
    return _average(_plain(counts))


def _halves_and_neighbours(counts: _Counts, metric: SentenceBleu) -> list[float]:
    # The order beyond the last takes part in the mean as it is, unsmoothed.
    return _average([*_halves_by_length(counts, metric)[:-1], _plain(counts)[-1]])


def _average(precisions: Sequence[float]) -> list[float]:
    """The mean of each order, the one before as already averaged, and the one after."""
    averaged, before = [], precisions[0] + 1
    for precision, after in itertools.pairwise(precisions):
        before = (before + precision + after) / 3
        averaged.append(before)
    return averaged


_SMOOTHING: Mapping[int, Callable[[_Counts, SentenceBleu], list[float]]] = {
    0: _none,
    1: _small_count,
    2: _add_one,
    3: _halves,
    4: _halves_by_length,
    5: _neighbours,
    7: _halves_and_neighbours,
}
