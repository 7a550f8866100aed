"""Agreement of the metric with the gold: counts, shares, intervals."""

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
    """A corpus with the answers of all setups; `seed` is for the resamples."""

    corpus: NliCorpus
    scored: Sequence[ScoredSetup]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class NliAgreement:
    """Texts by gold and metric, without those that the metric could not read."""

    both_ok: int = 0
    both_not: int = 0
    missed: int = 0
    """The gold is not_OK, the metric says OK."""
    alarms: int = 0
    """The gold is OK, the metric says not_OK."""

    @property
    def texts(self) -> int:
        """The number of texts."""
        return self.both_ok + self.both_not + self.missed + self.alarms

    @property
    def accuracy(self) -> float | None:
        """The share of texts on which both agree."""
        return share(self.both_ok + self.both_not, self.texts)

    @property
    def not_ok(self) -> float | None:
        """The share of texts that are not_OK by the metric."""
        return share(self.both_not + self.alarms, self.texts)

    def of(self, *, ok: bool) -> tuple[float | None, float | None, float | None]:
        """Recall, precision and F1 of OK or of not_OK."""
        right = self.both_ok if ok else self.both_not
        wanted = right + (self.alarms if ok else self.missed)
        given = right + (self.missed if ok else self.alarms)
        return share(right, wanted), share(right, given), share(2 * right, wanted + given)


def share(part: int, whole: int) -> float | None:
    """The share of a part; None if the whole is 0."""
    return part / whole if whole else None


def agreement(
    judged: Sequence[JudgedText], verdicts: Sequence[Verdict | None], rule: Rule
) -> NliAgreement:
    """The agreement of verdicts, as OK or not_OK, with the gold."""
    counts = {(True, True): 0, (False, False): 0, (False, True): 0, (True, False): 0}
    for one, verdict in zip(judged, verdicts, strict=True):
        if verdict is not None:
            counts[rule(one), verdict == "OK"] += 1
    return NliAgreement(*counts.values())


def interval(whole: NliEvaluation, scored: ScoredSetup, rule: Rule) -> tuple[float, float] | None:
    """The 95% interval of the accuracy; the texts of a graph are resampled together."""
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
    """The accuracy over four verdicts; None if the gold only has ratings."""
    pairs = [
        (one.result, answer.verdict)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if answer.verdict is not None and one.result is not None
    ]
    return share(sum(gold == said for gold, said in pairs), len(pairs))


def area(corpus: NliCorpus, scored: ScoredSetup, rule: Rule) -> float | None:
    """The probability that an OK text has a higher score than a not_OK text."""
    known = [
        (rule(one), answer.value)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if answer.value is not None
    ]
    return area_under_curve([int(ok) for ok, _ in known], [value for _, value in known])


def ranks(
    corpus: NliCorpus, scored: ScoredSetup, belongs: Callable[[JudgedText], bool]
) -> tuple[Correlation | None, int]:
    """Spearman of score and rating over some of the texts, and their number."""
    chosen = [
        (answer.value, one.rating)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if belongs(one)
    ]
    pairs = complete_pairs([value for value, _ in chosen], [rating for _, rating in chosen])
    return spearman(*pairs), len(pairs[0])
