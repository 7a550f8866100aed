"""BLEU by NLTK (extra `nltk`), the "BLEU NLTK" of the WebNLG challenges and later papers.

It differs from sacreBLEU's in its words (`tokenize`), in its smoothing and in its scale, 0 to 1.
With the default settings the corpus value is that of the 2020 challenge's script, except where
NLTK's trained sentence splitter and the rules of `adequa.metrics.tokens` cut a text differently.

Counts, brevity penalty and smoothing 1 to 4 are NLTK's. The last step is our own because a run
keeps counts and adds them up, while NLTK computes a corpus value from all texts at once; so are
smoothing 5 and 7, for which NLTK asks the last text of the corpus, and for its 5-grams whatever the
weights. Smoothing 0 is a single line, and NLTK's prints a warning for every zero.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from adequa.data import Item, Score
from adequa.errors import SettingError
from adequa.metrics.base import NO_REFERENCES, REFERENCE_LIMITS, Metric, require_valid
from adequa.metrics.tokens import TOKENIZE_DOC, Tokenize, item_tokens, nltk_version, require_nltk
from adequa.settings import setting

_UNIFORM = (0.25, 0.25, 0.25, 0.25)


class _Counts(NamedTuple):
    """The n-grams that a text or a corpus shares with its references.

    `matches` and `totals` are by n-gram order from 1 to one more than is weighed, because smoothing
    5 and 7 look at the next order.
    """

    length: int
    reference_length: int
    matches: Sequence[int]
    totals: Sequence[int]


@dataclass(frozen=True)
class SentenceBleu(Metric):
    """BLEU with clipped precisions, the closest reference's length, and a choice of smoothing.

    Smoothing (Chen and Cherry 2014): 0 none, 1 a small count, 2 add one, 3 halves (NIST), 4 halves
    by length, 5 the mean of neighbouring orders, 7 both 4 and 5. A blank reference counts as none.
    """

    name: ClassVar[str] = "bleu_nltk"
    doc: ClassVar[str] = "BLEU by NLTK (extra nltk): text by text, smoothed, from 0 to 1"
    limits: ClassVar[str] = REFERENCE_LIMITS
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    smoothing: Literal[0, 1, 2, 3, 4, 5, 7] = setting(
        3, "the method of Chen and Cherry; 5 and 7 can exceed 1"
    )
    weights: tuple[float, ...] = setting(_UNIFORM, "of n-grams of one word, of two and so on")
    tokenize: Tokenize = setting("treebank", TOKENIZE_DOC)
    lowercase: bool = setting(False, "ignore case")
    epsilon: float = setting(0.1, "the small count of smoothing 1", at_least=0)
    k: float = setting(5.0, "the constant of smoothing 4 and 7", at_least=sys.float_info.min)
    auto_reweigh: bool = setting(
        False, "weigh fewer orders, uniformly, if a text has fewer than four words"
    )

    def __post_init__(self) -> None:
        require_valid(self)
        if not self.weights or any(not math.isfinite(w) or w < 0 for w in self.weights):
            raise SettingError(f"{self.name}:weights are numbers from 0, not {self.weights}")
        require_nltk()

    def score(self, items: Sequence[Item]) -> list[Score]:
        """NLTK's sentence BLEU of each item."""
        return [self._score(item) for item in items]

    def _score(self, item: Item) -> Score:
        words, others = item_tokens(item, self.tokenize, lowercase=self.lowercase)
        if not others:
            return Score(None, reason=NO_REFERENCES)
        counts = _count(words, others, orders=len(self.weights) + 1)
        flat = (counts.length, counts.reference_length, *counts.matches, *counts.totals)
        return Score(self._value(counts), flat)

    def corpus(self, totals: Sequence[float]) -> float:
        """NLTK's corpus BLEU; smoothing 5 and 7 use all texts."""
        length, reference_length, *counts = map(round, totals)
        orders = len(self.weights) + 1
        return self._value(_Counts(length, reference_length, counts[:orders], counts[orders:]))

    def provenance(self) -> Mapping[str, object]:
        """The version of NLTK."""
        return {"nltk": nltk_version()}

    def _value(self, counts: _Counts) -> float:
        from nltk.translate.bleu_score import brevity_penalty

        if counts.matches[0] == 0:
            return 0.0
        weights = self.weights
        if self.auto_reweigh and counts.length < len(_UNIFORM) and weights == _UNIFORM:
            weights = (1 / counts.length,) * counts.length
        logarithms = (
            weight * math.log(precision)
            for weight, precision in zip(weights, self._precisions(counts), strict=False)
            if precision > 0
        )
        penalty: float = brevity_penalty(counts.reference_length, counts.length)
        return penalty * math.exp(math.fsum(logarithms))

    def _precisions(self, counts: _Counts) -> list[float]:
        """The smoothed precisions by order, at least as many as there are weights."""
        from nltk.translate.bleu_score import Fraction, SmoothingFunction

        def smooth(method: int) -> list[float]:
            fractions = [Fraction(*pair, _normalize=False) for pair in pairs]
            function = getattr(SmoothingFunction(epsilon=self.epsilon, k=self.k), f"method{method}")
            found: list[Any] = function(fractions, [], (), hyp_len=counts.length)
            return list(map(float, found))

        pairs = list(zip(counts.matches, counts.totals, strict=True))
        plain = [match / total for match, total in pairs]
        if self.smoothing == 0:
            return [precision or sys.float_info.min for precision in plain]
        if self.smoothing == 5:
            return _average(plain)
        if self.smoothing == 7:  # the order after the last takes part unsmoothed
            return _average([*smooth(4)[:-1], plain[-1]])
        return smooth(self.smoothing)


def _count(text: Sequence[str], references: Sequence[Sequence[str]], *, orders: int) -> _Counts:
    from nltk.translate.bleu_score import closest_ref_length, modified_precision

    shares = [modified_precision(references, text, order) for order in range(1, orders + 1)]
    return _Counts(
        len(text),
        closest_ref_length(references, len(text)),
        [share.numerator for share in shares],
        [share.denominator for share in shares],
    )


def _average(precisions: Sequence[float]) -> list[float]:
    """The mean of each order, of the one before as already averaged, and of the one after."""
    averaged, before = [], precisions[0] + 1
    for precision, after in itertools.pairwise(precisions):
        before = (before + precision + after) / 3
        averaged.append(before)
    return averaged
