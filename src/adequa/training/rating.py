"""The rating head of a verifier: a linear layer fitted on what people said of texts.

The verifier itself does not change, so that what else stands on it has seen no rating.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adequa.errors import DataError
from adequa.metrics.members import Members, RatingHead

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["EVIDENCE", "fit_head", "out_of_fold"]

EVIDENCE = ("stated", "weakest", "supported", "tokens", "worst_word", "fluent")
"""The members that the head reads beside the state."""
PENALTY = 1000.0
FAVOUR = 10.0
"""How much less the evidence is penalised than the numbers of the state, in units of spread: it
was made to mean something. Both were chosen by the out-of-fold figures on the ratings of 2017."""


def fit_head(
    states: Sequence[NDArray[np.float32]],
    members: Sequence[Members],
    ratings: Sequence[float],
    penalty: float = PENALTY,
) -> RatingHead:
    """Ridge regression on standardised columns; ratings are from 0 to 1."""
    import numpy as np

    rows = _rows(states, members)
    goals = np.asarray(ratings, dtype=float)
    if len(rows) < 2 or len(rows) != len(goals):
        raise DataError(
            f"{len(rows)} texts and {len(goals)} ratings", remedy="give each text its rating"
        )
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread < 1e-9] = 1.0
    favour = np.ones(rows.shape[1])
    favour[-len(EVIDENCE) :] = FAVOUR
    columns = (rows - mean) / spread * favour
    inner = columns.T @ columns + penalty * np.eye(columns.shape[1])
    weights = np.linalg.solve(inner, columns.T @ (goals - goals.mean())) * favour / spread
    offset = float(goals.mean() - mean @ weights)
    size = rows.shape[1] - len(EVIDENCE)
    return RatingHead(
        tuple(round(float(weight), 7) for weight in weights[:size]),
        {
            name: round(float(weight), 7)
            for name, weight in zip(EVIDENCE, weights[size:], strict=True)
        },
        round(offset, 7),
    )


def out_of_fold(
    states: Sequence[NDArray[np.float32]],
    members: Sequence[Members],
    ratings: Sequence[float],
    groups: Sequence[str],
    folds: int = 10,
    seed: int = 0,
) -> list[float]:
    """What a head fitted without an item's group says of it: texts of one graph stay together."""
    names = sorted(set(groups))
    if len(names) < 2:
        raise DataError(
            f"the rated texts are of {len(names)} graphs", remedy="give texts of several graphs"
        )
    random.Random(seed).shuffle(names)  # noqa: S311
    fold = {name: place % folds for place, name in enumerate(names)}
    values = [0.0] * len(ratings)
    for number in range(min(folds, len(names))):
        inside = [place for place, name in enumerate(groups) if fold[name] == number]
        outside = [place for place, name in enumerate(groups) if fold[name] != number]
        head = fit_head(
            [states[place] for place in outside],
            [members[place] for place in outside],
            [ratings[place] for place in outside],
        )
        for place in inside:
            values[place] = head(states[place], members[place]) or 0.0
    return values


def _rows(states: Sequence[NDArray[np.float32]], members: Sequence[Members]) -> Floats:
    import numpy as np

    evidence = [[getattr(one, name) for name in EVIDENCE] for one in members]
    if any(value is None for row in evidence for value in row):
        raise DataError(
            "the verifier could not read all of a text", remedy="leave out what is too long"
        )
    return np.hstack([np.asarray(states, dtype=float), np.asarray(evidence, dtype=float)])
