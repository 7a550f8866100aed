"""How far the metric and the gold agree: counts, shares, intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from adequa.data import Verdict
from adequa.stats import (
    Correlation,
    area_under_curve,
    cluster_counts,
    complete_pairs,
    percentile_interval,
    spearman,
)
from research.papers.nli.data import JudgedText, NliCorpus, Rule
from research.papers.nli.setups import ScoredSetup

RESAMPLES = 1000


@dataclass(frozen=True)
class NliEvaluation:
    """A corpus and all that was said of it; `seed` is of the resamples."""

    corpus: NliCorpus
    scored: Sequence[ScoredSetup]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class NliAgreement:
    """Texts by what the gold and the metric say, those that the metric could not read aside."""

    both_ok: int = 0
    both_not: int = 0
    missed: int = 0
    """The gold is not_OK, the metric says OK."""
    alarms: int = 0
    """The gold is OK, the metric says not_OK."""

    @property
    def texts(self) -> int:
        """All of them."""
        return self.both_ok + self.both_not + self.missed + self.alarms

    @property
    def accuracy(self) -> float | None:
        """How often both say the same."""
        return share(self.both_ok + self.both_not, self.texts)

    @property
    def not_ok(self) -> float | None:
        """How often the metric says not_OK."""
        return share(self.both_not + self.alarms, self.texts)

    def of(self, *, ok: bool) -> tuple[float | None, float | None, float | None]:
        """Recall, precision and F1 of OK or of not_OK."""
        right = self.both_ok if ok else self.both_not
        wanted = right + (self.alarms if ok else self.missed)
        given = right + (self.missed if ok else self.alarms)
        return share(right, wanted), share(right, given), share(2 * right, wanted + given)


def share(part: int, whole: int) -> float | None:
    """A part of the whole; None of nothing."""
    return part / whole if whole else None


def agreement(
    judged: Sequence[JudgedText], verdicts: Sequence[Verdict | None], rule: Rule
) -> NliAgreement:
    """How results, taken as OK or not_OK, agree with the gold."""
    counts = {(True, True): 0, (False, False): 0, (False, True): 0, (True, False): 0}
    for one, verdict in zip(judged, verdicts, strict=True):
        if verdict is not None:
            counts[rule(one), verdict == "OK"] += 1
    return NliAgreement(*counts.values())


def interval(whole: NliEvaluation, scored: ScoredSetup, rule: Rule) -> tuple[float, float] | None:
    """The 95% interval of the accuracy; texts about one graph are drawn together."""
    read = [
        (one, answer.verdict == "OK")
        for one, answer in zip(whole.corpus.judged, scored.answers, strict=True)
        if answer.verdict is not None
    ]
    if not read:
        return None
    clusters = [frozenset(one.item.triples) for one, _ in read]
    counts = cluster_counts(clusters, n=RESAMPLES, seed=whole.seed)
    right = np.array([rule(one) == said for one, said in read], dtype=np.float64)
    return percentile_interval(counts @ right / counts.sum(axis=1))


def four_way(corpus: NliCorpus, scored: ScoredSetup) -> float | None:
    """How often the result is the gold's of four; None where the gold tells no four apart."""
    pairs = [
        (one.result, answer.verdict)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if answer.verdict is not None and one.result is not None
    ]
    return share(sum(gold == said for gold, said in pairs), len(pairs))


def area(corpus: NliCorpus, scored: ScoredSetup, rule: Rule) -> float | None:
    """The chance that a text which is OK has a higher score than one which is not."""
    known = [
        (rule(one), answer.value)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if answer.value is not None
    ]
    return area_under_curve([int(ok) for ok, _ in known], [value for _, value in known])


def ranks(
    corpus: NliCorpus, scored: ScoredSetup, belongs: Callable[[JudgedText], bool]
) -> tuple[Correlation | None, int]:
    """Spearman of the score with the rating of some of the texts, and of how many."""
    chosen = [
        (answer.value, one.rating)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if belongs(one)
    ]
    pairs = complete_pairs([value for value, _ in chosen], [rating for _, rating in chosen])
    return spearman(*pairs), len(pairs[0])
