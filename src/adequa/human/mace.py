"""The competence of annotators: MACE (Hovy et al. 2013, "Learning Whom to Trust with MACE").

Written by hand on purpose: the result of crowd-kit's MACE depends on the order of the rows, so it
can be neither a dependency nor an oracle for the tests.

The model: the true label of an item is any of the labels with equal probability. An annotator j
knows the answer with probability θ_j, the *competence*, and then gives the true label; otherwise
they spam, drawing an answer from their own distribution ξ_j, the *strategy*, whatever the item is.
True labels and spamming are not observed, but estimated together with θ and ξ:

- `em` finds the most likely θ and ξ, with a few pseudo-counts (`smoothing`) so that none is zero.
- `vb`, variational Bayes, keeps distributions over them: a Beta prior on every θ and a Dirichlet
  prior on every ξ. It is the default: in simulated campaigns with three answers per item, where one
  label is the true one of 6 items in 10, `em` is no better than a majority vote, and `vb` is.

Both reach a local optimum only, so they start from several random points and keep the most likely
outcome. Items with a known label (*control items*) anchor the labels.

Judgments are sorted before anything is computed, and the random starts are tied to the sorted
names, so the order of the rows does not change a single bit of the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.errors import DataError, SettingError, require_known

Integers = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

METHODS = ("vb", "em")
SPAMMER_COMPETENCE = 0.25
"""Below this competence an annotator is reported as a spammer.

The competence of a spammer is 0, but its estimate from 100 answers to items with three answers each
reaches about 0.2; an annotator right in 6 of 10 answers to three labels, hardly useful, has 0.4.
With fewer answers both vary more: look at `answers` before excluding anyone.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Mace:
    """The estimates of MACE; arrays follow the order of `items`, `annotators` and `labels`."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    posteriors: Matrix
    """The probability of each label, one row per item."""
    entropies: Vector
    """The entropy of the posteriors in nats: how hard or disputed an item is."""
    answered: npt.NDArray[np.bool_]
    """Whether an item has an answer or a known label."""
    answers: Integers
    competences: Vector
    """θ of each annotator; NaN without an answer."""
    strategies: Matrix
    """ξ of each annotator, one row per annotator; NaN without an answer."""
    log_likelihood: float
    """Of all answers: with `em` at the estimates, with `vb` the lower bound of the marginal."""
    iterations: int
    converged: bool
    """Whether the best start converged before its last iteration."""

    @property
    def best_labels(self) -> dict[str, str | None]:
        """The most likely label of each item, the first of equals; None without an answer."""
        best = self.posteriors.argmax(axis=1)
        return {
            item: self.labels[label] if known else None
            for item, label, known in zip(self.items, best, self.answered, strict=True)
        }

    @property
    def competence(self) -> dict[str, float | None]:
        """The competence of each annotator; None without an answer."""
        rows = zip(self.annotators, self.competences, self.answers, strict=True)
        return {name: float(value) if answers else None for name, value, answers in rows}

    def spammers(self, below: float = SPAMMER_COMPETENCE) -> tuple[str, ...]:
        """The annotators with a competence below the threshold, for a person to review."""
        return tuple(
            name for name, value in self.competence.items() if value is not None and value < below
        )


def fit_mace(
    judgments: Iterable[tuple[str, str, str | None]],
    *,
    method: str = "vb",
    labels: Sequence[str] | None = None,
    controls: Mapping[str, str] | None = None,
    competence_prior: tuple[float, float] = (0.5, 0.5),
    strategy_prior: float = 10.0,
    smoothing: float = 0.01,
    restarts: int = 10,
    iterations: int = 200,
    tolerance: float = 1e-7,
    seed: int = 0,
) -> Mace:
    """Estimate true labels and competences from (item, annotator, label) rows in any order.

    `labels` names all labels, also unused ones; by default those that occur. `controls` are known
    labels of items; those of items without judgments have no effect. The priors belong to `vb`:
    pseudo-counts of knowing and of spamming (0.5 each, as in the authors' program), and of each
    label of a strategy, where a large count keeps ξ from mistaking the frequent label for a habit.
    `smoothing` belongs to `em` and is shared among the labels of a strategy. A start ends after
    `iterations`, or when the log likelihood changes by less than `tolerance` of itself.

    >>> rows = [(f"item {i}", name, "yes" if i % 2 else "no") for i in range(8) for name in "abc"]
    >>> rows += [(f"item {i}", "spammer", "yes") for i in range(8)]
    >>> fit_mace(rows).spammers()
    ('spammer',)
    """
    require_known("method", [method], METHODS)
    if not all(0 < count < np.inf for count in (*competence_prior, strategy_prior, smoothing)):
        raise SettingError("the priors and the smoothing of MACE must be pseudo-counts above 0")
    if restarts < 1 or iterations < 1:
        raise SettingError("MACE needs at least one start and one iteration")
    if not tolerance >= 0:
        raise SettingError("the tolerance of MACE must be 0 or more")
    rows = sorted(judgments, key=lambda row: row[:2])
    controls = dict(controls or {})
    items = tuple(sorted({row[0] for row in rows}))
    annotators = tuple(sorted({row[1] for row in rows}))
    names = _label_names(rows, controls, labels)
    data = _coded(rows, controls, items, annotators, names)
    if method == "vb":
        priors = _Priors(*competence_prior, strategy_prior)
    else:
        priors = _Priors(smoothing, smoothing, smoothing / len(names))
    outcomes = (
        _climb(
            data,
            priors,
            method=method,
            generator=np.random.default_rng([seed, start]),
            iterations=iterations,
            tolerance=tolerance,
        )
        for start in range(restarts)
    )
    best = max(outcomes, key=lambda outcome: outcome.log_likelihood)  # of equals the first
    counts = np.bincount(data.annotator, minlength=len(annotators)).astype(np.int64)
    silent = counts == 0
    posteriors = best.expectation.posteriors
    positive = np.where(posteriors > 0, posteriors, 1.0)
    return Mace(
        items=items,
        annotators=annotators,
        labels=names,
        posteriors=posteriors,
        entropies=np.abs((positive * np.log(positive)).sum(axis=1)),
        answers=counts,
        competences=np.where(silent, np.nan, best.competences),
        strategies=np.where(silent[:, None], np.nan, best.strategies),
        log_likelihood=best.log_likelihood,
        iterations=best.iterations,
        converged=best.converged,
        answered=(np.bincount(data.item, minlength=len(items)) > 0) | (data.known >= 0),
    )


class _Answers(NamedTuple):
    """The judgments as numbers, sorted by item and annotator; -1 in `known` means no control."""

    item: Integers
    annotator: Integers
    label: Integers
    known: Integers
    shape: tuple[int, int, int]  # items, annotators, labels


def _label_names(
    rows: Sequence[tuple[str, str, str | None]],
    controls: Mapping[str, str],
    labels: Sequence[str] | None,
) -> tuple[str, ...]:
    """The labels that occur, or all of `labels`; a DataError for a label outside `labels`."""
    used = {row[2] for row in rows if row[2] is not None}
    if not used:
        raise DataError("there is no answer to estimate from", remedy="give at least one judgment")
    used |= set(controls.values())
    if labels is None:
        return tuple(sorted(used))
    unknown = sorted(used - set(labels))
    if unknown:
        raise DataError(
            f"{unknown[0]!r} is not one of the labels {', '.join(labels)}",
            remedy="correct the answer or the control item, or name all labels",
        )
    return tuple(sorted(set(labels)))


def _coded(
    rows: Sequence[tuple[str, str, str | None]],
    controls: Mapping[str, str],
    items: Sequence[str],
    annotators: Sequence[str],
    labels: Sequence[str],
) -> _Answers:
    """The sorted rows as numbers; a DataError for a second judgment of an annotator on an item."""
    for row, following in itertools.pairwise(rows):
        if row[:2] == following[:2]:
            raise DataError(
                f"annotator {row[1]!r} judges item {row[0]!r} twice", remedy="keep one of the two"
            )
    named = (items, annotators, labels)
    codes = [{name: number for number, name in enumerate(names)} for names in named]
    given = [row for row in rows if row[2] is not None]
    item, annotator, label = (
        np.array([code[row[place]] for row in given], dtype=np.int64)  # type: ignore[index]
        for place, code in enumerate(codes)
    )
    known = [codes[2][controls[name]] if name in controls else -1 for name in items]
    shape = (len(items), len(annotators), len(labels))
    return _Answers(item, annotator, label, known=np.array(known, dtype=np.int64), shape=shape)


class _Expectation(NamedTuple):
    posteriors: Matrix
    knowing: Vector
    """The probability that each answer came from knowing."""
    log_likelihood: float


class _Priors(NamedTuple):
    """Pseudo-counts of knowing, of spamming and of every label of a strategy."""

    knowing: float
    spamming: float
    strategy: float


class _Outcome(NamedTuple):
    expectation: _Expectation
    competences: Vector
    strategies: Matrix
    log_likelihood: float
    iterations: int
    converged: bool


def _climb(
    data: _Answers,
    priors: _Priors,
    *,
    method: str,
    generator: np.random.Generator,
    iterations: int,
    tolerance: float,
) -> _Outcome:
    """One start from a random point, until it converges or reaches its last iteration."""
    _, annotators, labels = data.shape
    # Near "half of the answers are known, the rest spread evenly", which favours no annotator.
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
        converged = abs(now - before) <= tolerance * abs(now)
        if converged or iteration == iterations:
            competences = known / (known + spam_total)
            strategies = spammed / spammed.sum(axis=1, keepdims=True)
            return _Outcome(state, competences, strategies, now, iteration, converged)
        before = now


def _expect(
    data: _Answers, log_knowing: Vector, log_spamming: Vector, log_strategies: Matrix
) -> _Expectation:
    """Posteriors of labels and of knowing, given the (expected) logarithms of the parameters.

    An answer is equally likely under every label but its own, so an item's scores are a sum over
    its answers, equal for all labels, plus what each answer adds to its own label.
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
    # The label of a control item is given, so it has no prior.
    prior = np.where(controlled, 0.0, -np.log(labels))
    likelihood = prior + common + highest[:, 0] + np.log(totals[:, 0])
    knowing = posteriors[data.item, data.label] * np.exp(log_knowing[data.annotator] - by_either)
    return _Expectation(posteriors, knowing, float(likelihood.sum()))


def _counts(data: _Answers, knowing: Vector) -> tuple[Vector, Matrix]:
    """Expected answers from knowing, by annotator, and from spamming, by annotator and label."""
    _, annotators, labels = data.shape
    known: Vector = np.bincount(data.annotator, knowing, annotators).astype(np.float64)
    cell = data.annotator * labels + data.label
    spammed = np.bincount(cell, np.maximum(1 - knowing, 0), annotators * labels)
    return known, spammed.astype(np.float64).reshape(annotators, labels)


def _expected_logs(
    known: Vector, spam_total: Vector, spammed: Matrix
) -> tuple[Vector, Vector, Matrix]:
    """E[log θ], E[log (1 - θ)] and E[log ξ] under the Beta and Dirichlet posteriors."""
    from scipy.special import digamma

    total = digamma(known + spam_total)
    strategies = digamma(spammed) - digamma(spammed.sum(axis=1, keepdims=True))
    return digamma(known) - total, digamma(spam_total) - total, strategies


def _divergence(
    priors: _Priors,
    known: Vector,
    spam_total: Vector,
    spammed: Matrix,
    logs: tuple[Vector, Vector, Matrix],
) -> float:
    """How far the posteriors of θ and ξ moved from their priors (Kullback-Leibler)."""
    competence, prior = np.column_stack([known, spam_total]), np.array(priors[:2])
    of_competence = _dirichlet_divergence(competence, prior, np.column_stack(logs[:2]))
    prior = np.full(spammed.shape[1], priors.strategy)
    return of_competence + _dirichlet_divergence(spammed, prior, logs[2])


def _dirichlet_divergence(posterior: Matrix, prior: Vector, logs: Matrix) -> float:
    from scipy.special import gammaln

    constant = gammaln(posterior.sum(axis=1)) - gammaln(posterior).sum(axis=1)
    constant -= gammaln(prior.sum()) - gammaln(prior).sum()
    return float((constant + ((posterior - prior) * logs).sum(axis=1)).sum())
