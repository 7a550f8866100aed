"""Whom to trust among annotators: MACE (Hovy et al. 2013, "Learning Whom to Trust with MACE").

The model: an item's true label is any of the labels, each as likely as another. An annotator j who
answers knows with probability θ_j, the *competence*, and then gives the true label; otherwise they
spam, and draw an answer from their own distribution ξ_j, the *strategy*, whatever the item is.
True labels and who spammed where are never seen, but estimated together with θ and ξ:

- `em` finds the most likely θ and ξ, with a few pseudo-counts (`smoothing`) so that none is zero.
- `vb`, variational Bayes, keeps distributions over them: a Beta prior on every θ and a Dirichlet
  prior on every ξ. It is the default: in simulated campaigns of three answers an item in which one
  label is the true one of 6 items in 10, `em` is no better than a majority vote, and `vb` is.

Both climb to a local optimum only, so they start anew from several random points and keep the most
likely outcome. Items of which the label is known (*control items*) hold the labels in place.

Judgments are sorted before anything is computed, and the random starts belong to the sorted names,
so the order of the rows changes no bit of the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from adequa.errors import SettingError, UnknownName
from adequa.human.mace.answers import as_numbers, label_names
from adequa.human.mace.climbing import Priors, climb
from adequa.human.mace.estimates import SPAMMER_COMPETENCE, Judgment, Mace

__all__ = ["METHODS", "SPAMMER_COMPETENCE", "Judgment", "Mace", "mace"]

METHODS = ("vb", "em")


def mace(
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
    """True labels and annotators' competence from (item, annotator, label) rows in any order.

    `labels` names labels that may go unused; by default they are those that occur. `controls` are
    known labels of items; one of an item that is not judged has no effect. The priors are of `vb`:
    pseudo-counts of knowing and of spamming (the authors' program has 0.5 each as well), and of
    each label of a strategy, where many keep ξ from taking the frequent label for a habit.
    `smoothing` is of `em`, and shared among the labels of a strategy.
    A start ends after so many iterations, or when the log likelihood changes by less than
    `tolerance` of itself.

    >>> rows = [(f"item {i}", name, "yes" if i % 2 else "no") for i in range(8) for name in "abc"]
    >>> rows += [(f"item {i}", "spammer", "yes") for i in range(8)]
    >>> mace(rows).spammers()
    ('spammer',)
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    _check(competence_prior, strategy_prior, smoothing, restarts, iterations, tolerance)
    rows = sorted(judgments, key=lambda row: row[:2])
    controls = dict(controls or {})
    items = tuple(sorted({row[0] for row in rows}))
    annotators = tuple(sorted({row[1] for row in rows}))
    names = label_names(rows, controls, labels)
    data = as_numbers(rows, controls, items, annotators, names)
    if method == "vb":
        priors = Priors(*competence_prior, strategy_prior)
    else:
        priors = Priors(smoothing, smoothing, smoothing / len(names))
    outcomes = (
        climb(data, priors, method, np.random.default_rng([seed, start]), iterations, tolerance)
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


def _check(
    competence_prior: tuple[float, float],
    strategy_prior: float,
    smoothing: float,
    restarts: int,
    iterations: int,
    tolerance: float,
) -> None:
    counts = (*competence_prior, strategy_prior, smoothing)
    if not all(0 < count < np.inf for count in counts):
        raise SettingError("the priors and the smoothing of MACE are pseudo-counts above 0")
    if restarts < 1 or iterations < 1:
        raise SettingError("MACE needs at least one start and one iteration")
    if not tolerance >= 0:
        raise SettingError("the tolerance of MACE is 0 or more")
