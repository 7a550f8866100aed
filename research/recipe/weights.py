"""The weights that turn the verifier's logits and the entities' signs into log-odds.

Held-out pairs are changed as in training, so that the labels are known; facts and words of unknown
label are left out. Two small logistic regressions are fitted, one over facts and one over words.
The seed, penalty, rounds and folds have no record of the data they were chosen on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError
from adequa.metrics.nli.signs import (
    FACT_SIGNS,
    WORD_SIGNS,
    WRONG_VALUE,
    Signs,
    Weigher,
    read_signs,
    read_weighing,
)
from adequa.models import VerifierOutput
from adequa.perturb import UNKNOWN, Document, Knowledge
from adequa.perturb.documents import is_inside
from adequa.progress import Progress
from adequa.stats.reliability import Reliability, reliability
from adequa.training.export import seal, write_files
from adequa.training.verifier import Cases, TrainingCase
from research.recipe.composer import Composer
from research.recipe.similarity import CALIBRATION, known_parts

Vector = npt.NDArray[np.float64]
_SEED = 7
_BATCH = 128
_HOLD = 1.0
_ROUNDS = 60
_FOLDS = 5
Rows = list[tuple[list[float], int, int]]
"""Features, label, and the number of the case."""


@dataclass(frozen=True)
class WeighingResult:
    """A weigher, the size of its fitting data, and its out-of-fold reliability."""

    weigher: Weigher
    cases: int
    positive: int
    before: Reliability
    """The reliability of the plain logits."""
    reliability: Reliability

    def as_object(self) -> dict[str, Any]:
        """The entry of `calibration.json`."""
        return {
            "slope": round(self.weigher.slope, 6),
            "offset": round(self.weigher.offset, 6),
            "signs": {name: round(value, 6) for name, value in self.weigher.signs.items()},
            "cases": self.cases,
            "positive": self.positive,
            "reliability": self.reliability.as_object(),
        }


def made_cases(pairs: Sequence[Document], composed: float, seed: int = _SEED) -> list[TrainingCase]:
    """One changed case of each pair; a share of the cases is composed instead."""
    if not pairs:
        raise DataError("has no item with triples and a text", remedy="is it the right input?")
    knowledge = Knowledge.of(pairs)
    composer = Composer(knowledge)
    cases = Cases(pairs, knowledge, seed=seed, composer=composer, composed=composed)
    return [cases.case(number, pair) for number, pair in enumerate(pairs)]


def fit_weighing(
    cases: Sequence[TrainingCase],
    verify: Callable[[Sequence[Item]], Sequence[VerifierOutput]],
    progress: Progress | None = None,
) -> Mapping[str, WeighingResult]:
    """The weighers of `stated` and `unsupported`."""
    facts: Rows = []
    words: Rows = []
    for first in range(0, len(cases), _BATCH):
        batch = cases[first : first + _BATCH]
        items = [
            Item(str(number), tuple(case.document.triples), case.document.text)
            for number, case in enumerate(batch, first)
        ]
        signs = [read_signs(item) for item in items]
        asked = [own.as_text_has_it(item) for item, own in zip(items, signs, strict=True)]
        read = zip(batch, signs, verify(asked), strict=True)
        for number, (case, own, check) in enumerate(read, first):
            _collect(case, number, own, check, facts, words)
        if progress is not None:
            progress(first + len(batch), len(cases))
    return {"stated": _fit(facts, FACT_SIGNS), "unsupported": _fit(words, WORD_SIGNS)}


def write_weighing(
    folder: Path, fitted: Mapping[str, WeighingResult], source: str
) -> dict[str, Any]:
    """Write the weighers into the `calibration.json` of a folder; the rest of it is kept."""
    written = {**{name: one.as_object() for name, one in fitted.items()}, "fitted_on": source}
    text = json.dumps({**known_parts(folder), "nli": written}, ensure_ascii=False, indent=2)
    write_files(folder, {CALIBRATION: f"{text}\n".encode()})
    seal(folder)
    read_weighing.cache_clear()  # so that metrics of this process use the new fit
    return written


def _collect(
    case: TrainingCase, number: int, signs: Signs, check: VerifierOutput, facts: Rows, words: Rows
) -> None:
    document = case.document
    for logit, own, label in zip(check.stated, signs.facts, document.stated, strict=True):
        if label != UNKNOWN and logit is not None:
            known = [float(name in own) for name in FACT_SIGNS]
            if WRONG_VALUE not in own:  # a wrong value decides by itself
                facts.append(([logit, *known], label, number))
    of_words = signs.of_words(check.offsets)
    for logit, own, (start, end) in zip(check.unsupported, of_words, check.offsets, strict=True):
        if logit is None:
            continue
        wrong = is_inside(start, end, document.unsupported)
        if wrong or not is_inside(start, end, document.unclear):
            if WRONG_VALUE in own:
                continue
            words.append(
                ([logit, *(float(name in own) for name in WORD_SIGNS)], int(wrong), number)
            )


def _fit(rows: Rows, names: Sequence[str]) -> WeighingResult:
    values = np.array([features for features, _, _ in rows], dtype=np.float64)
    labels = np.array([label for _, label, _ in rows], dtype=np.float64)
    folds = np.array([number % _FOLDS for _, _, number in rows])
    if len(rows) < 2 * _FOLDS or labels.min() == labels.max():
        raise DataError("too few cases for a fit", remedy="give more texts that state their graph")
    fitted = fit_logistic(values, labels)
    if fitted[0] <= 0:
        raise DataError(
            "the verifier's logits are not higher for true claims",
            remedy="is it trained? give weights with a verifier from adequa train verifier",
        )
    chances = np.zeros(len(rows))
    for fold in range(_FOLDS):
        inside = folds == fold
        rest = fit_logistic(values[~inside], labels[~inside])
        chances[inside] = 1 / (1 + np.exp(-_odds(values[inside], rest)))
    slope, *signs, offset = fitted.tolist()
    bare = reliability(1 / (1 + np.exp(-np.clip(values[:, 0], -30, 30))), labels)
    weigher = Weigher(slope, offset, dict(zip(names, signs, strict=True)))
    return WeighingResult(weigher, len(rows), int(labels.sum()), bare, reliability(chances, labels))


def _odds(values: Vector, weights: Vector) -> Vector:
    odds: Vector = np.clip(values @ weights[:-1] + weights[-1], -30, 30)
    return odds


def fit_logistic(
    values: Vector,
    labels: Vector,
    shares: Vector | None = None,
    penalties: Sequence[float] | None = None,
) -> Vector:
    """Logistic regression by Newton's method with a small L2 penalty, except on the offset.

    `shares` says how much each row counts, 1 unless given; `penalties` has that of each feature.
    """
    rows = np.hstack([values, np.ones((len(values), 1))])
    hold = np.full(rows.shape[1], _HOLD)
    if penalties is not None:
        hold[:-1] = penalties
    hold[-1] = 1e-6
    weights = np.zeros(rows.shape[1])
    count = np.ones(len(rows)) if shares is None else shares
    for _ in range(_ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (count * (chances - labels)) + hold * weights
        curve = (rows * (count * chances * (1 - chances))[:, None]).T @ rows + np.diag(hold)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return weights
