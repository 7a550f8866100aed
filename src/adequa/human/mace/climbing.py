"""One start of MACE: from a random point uphill, by EM or variational Bayes, until it rests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.human.mace.answers import Answers

__all__ = ["Expectation", "Outcome", "Priors", "climb"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


class Expectation(NamedTuple):
    """What the parameters make of the data."""

    posteriors: Matrix
    knowing: Vector
    """How likely each answer came from knowing."""
    log_likelihood: float


class Priors(NamedTuple):
    """Pseudo-counts of knowing, of spamming and of every label of a strategy."""

    knowing: float
    spamming: float
    strategy: float


class Outcome(NamedTuple):
    """Where a start came to rest."""

    expectation: Expectation
    competences: Vector
    strategies: Matrix
    log_likelihood: float
    iterations: int
    converged: bool


def climb(
    data: Answers,
    priors: Priors,
    method: str,
    generator: np.random.Generator,
    iterations: int,
    tolerance: float,
) -> Outcome:
    """One start, to rest or to its last iteration."""
    _, annotators, labels = data.shape
    # Near "half of the answers are known, the rest spread evenly", which prefers no annotator.
    knowing = generator.uniform(0.4, 0.6, annotators)
    strategies = generator.uniform(0.8, 1.2, (annotators, labels))
    strategies /= strategies.sum(axis=1, keepdims=True)
    state = _expect(data, np.log(knowing), np.log1p(-knowing), np.log(strategies))
    before, iteration = -np.inf, 0
    while True:
        iteration += 1
        known, spammed = _counts(data, state.knowing)
        known += priors.knowing
        spam_total = spammed.sum(axis=1) + priors.spamming
        spammed += priors.strategy
        penalty = 0.0
        if method == "vb":
            logs = _expected_logs(known, spam_total, spammed)
            penalty = _divergence(priors, known, spam_total, spammed, logs)
        else:
            logs = (
                np.log(known / (known + spam_total)),
                np.log(spam_total / (known + spam_total)),
                np.log(spammed / spammed.sum(axis=1, keepdims=True)),
            )
        state = _expect(data, *logs)
        now = state.log_likelihood - penalty
        rests = abs(now - before) <= tolerance * abs(now)
        if rests or iteration == iterations:
            competences = known / (known + spam_total)
            strategies = spammed / spammed.sum(axis=1, keepdims=True)
            return Outcome(state, competences, strategies, now, iteration, rests)
        before = now


def _expect(
    data: Answers, log_knowing: Vector, log_spamming: Vector, log_strategies: Matrix
) -> Expectation:
    """Posteriors of labels and of knowing, given the (expected) logarithms of the parameters.

    An answer is as likely under every label but its own, so an item's scores are a sum over its
    answers, the same for all labels, and what each answer adds to its own label.
    """
    items, _, labels = data.shape
    by_spam = log_spamming[data.annotator] + log_strategies[data.annotator, data.label]
    by_either = np.logaddexp(log_knowing[data.annotator], by_spam)
    common = np.bincount(data.item, by_spam, items)
    cell = data.item * labels + data.label
    scores = np.bincount(cell, by_either - by_spam, items * labels).reshape(items, labels)
    controlled = data.known >= 0
    others = controlled[:, None] & (np.arange(labels) != data.known[:, None])
    scores[others] = -np.inf
    highest = scores.max(axis=1, keepdims=True)
    posteriors = np.exp(scores - highest)
    totals = posteriors.sum(axis=1, keepdims=True)
    posteriors /= totals
    # The label of a control item is given, so it has no prior to pay for.
    prior = np.where(controlled, 0.0, -np.log(labels))
    likelihood = prior + common + highest[:, 0] + np.log(totals[:, 0])
    knowing = posteriors[data.item, data.label] * np.exp(log_knowing[data.annotator] - by_either)
    return Expectation(posteriors, knowing, float(likelihood.sum()))


def _counts(data: Answers, knowing: Vector) -> tuple[Vector, Matrix]:
    """Expected answers by knowing, an annotator each, and by spamming, by annotator and label."""
    _, annotators, labels = data.shape
    known: Vector = np.bincount(data.annotator, knowing, annotators).astype(np.float64)
    cell = data.annotator * labels + data.label
    spammed: Vector = np.bincount(cell, np.maximum(1 - knowing, 0), annotators * labels).astype(
        np.float64
    )
    return known, spammed.reshape(annotators, labels)


def _expected_logs(
    known: Vector, spam_total: Vector, spammed: Matrix
) -> tuple[Vector, Vector, Matrix]:
    """E[log θ], E[log (1 - θ)] and E[log ξ] under the Beta and Dirichlet posteriors."""
    from scipy.special import digamma

    total = digamma(known + spam_total)
    strategies = digamma(spammed) - digamma(spammed.sum(axis=1, keepdims=True))
    return digamma(known) - total, digamma(spam_total) - total, strategies


def _divergence(
    priors: Priors,
    known: Vector,
    spam_total: Vector,
    spammed: Matrix,
    logs: tuple[Vector, Vector, Matrix],
) -> float:
    """How far the posteriors of θ and ξ moved from their priors (Kullback-Leibler)."""
    competence = np.column_stack([known, spam_total])
    of_competence = _dirichlet_divergence(
        competence, np.array([priors.knowing, priors.spamming]), np.column_stack(logs[:2])
    )
    of_strategies = _dirichlet_divergence(
        spammed, np.full(spammed.shape[1], priors.strategy), logs[2]
    )
    return of_competence + of_strategies


def _dirichlet_divergence(posterior: Matrix, prior: Vector, logs: Matrix) -> float:
    from scipy.special import gammaln

    constant = gammaln(posterior.sum(axis=1)) - gammaln(posterior).sum(axis=1)
    constant -= gammaln(prior.sum()) - gammaln(prior).sum()
    return float((constant + ((posterior - prior) * logs).sum(axis=1)).sum())
