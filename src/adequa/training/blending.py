"""How much each member of a similarity weighs, and what its values mean to people.

The members enter with equal weights after their spread is taken out: a trial on other ratings
showed that weights fitted on one campaign do worse on the next. Ratings decide only the last step,
a curve from the mean of the members to a value between 0 and 1; it changes no order of texts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from adequa.errors import DataError
from adequa.metrics.members import Blend, Member, Members

__all__ = ["PARTS", "fit_blend", "fit_blends"]

PARTS: Mapping[str, Mapping[str, float]] = {
    "bi": {"bi": 1.0},
    "cross": {"rated": 1.0},
    "models": {"bi": 1.0, "rated": 1.0},
    "ensemble": {"bi": 1.0, "rated": 1.0, "entities": 1.0},
}
"""The members of each part of the metric, with their weights."""
_LEAST = 10
_LEAST_SPREAD = 1e-6
"""Less than the digits of a model can be trusted for."""


def fit_blends(
    members: Sequence[Members], ratings: Sequence[float], source: str
) -> dict[str, object]:
    """The `similarity` entry of a calibration file; ratings are from 0 to 1."""
    entry: dict[str, object] = {}
    for part, weights in PARTS.items():
        blend = fit_blend(members, ratings, weights)
        entry[part] = {
            "members": {name: asdict(member) for name, member in blend.members.items()},
            "slope": blend.slope,
            "offset": blend.offset,
            "fitted_on": source,
            "texts": len(_known(members, ratings, weights)),
        }
    return entry


def fit_blend(
    members: Sequence[Members], ratings: Sequence[float], weights: Mapping[str, float]
) -> Blend:
    """Means and spreads of the members, and the logistic curve nearest to the ratings."""
    import numpy as np
    from scipy.optimize import OptimizeWarning, curve_fit
    from scipy.special import expit

    known = _known(members, ratings, weights)
    if len(known) < _LEAST:
        raise DataError(
            f"{len(known)} texts have a rating and every member",
            remedy=f"give at least {_LEAST} rated texts",
        )
    chosen = {}
    for name, weight in weights.items():
        values = np.array([getattr(row, name) for row, _ in known], dtype=float)
        chosen[name] = Member(float(values.mean()), float(values.std()), weight)
        if chosen[name].spread < _LEAST_SPREAD:
            raise DataError(
                f"{name} is the same for all {len(known)} texts: it tells none from another",
                remedy="give texts of several systems, good and bad",
            )
    plain = Blend(chosen, 1.0, 0.0)
    means = np.array([plain.mean(row) for row, _ in known], dtype=float)
    goals = np.array([rating for _, rating in known], dtype=float)

    def curve(mean: object, slope: float, offset: float) -> object:
        return expit(slope * np.asarray(mean) + offset)

    try:
        with warnings.catch_warnings():  # how sure it is of the curve is of no use here
            warnings.simplefilter("ignore", OptimizeWarning)
            (slope, offset), _ = curve_fit(curve, means, goals, p0=(1.0, 0.0), maxfev=10_000)
    except RuntimeError as error:
        raise DataError(
            f"no curve fits the ratings ({error})", remedy="give more ratings, or other texts"
        ) from None
    slope, offset = round(float(slope), 6), round(float(offset), 6)
    if slope <= 0:
        raise DataError(
            "the ratings do not rise where the members do",
            remedy="is a higher rating a better one? turn the scale round otherwise",
        )
    return Blend(chosen, slope, offset)


def _known(
    members: Sequence[Members], ratings: Sequence[float], names: Iterable[str]
) -> list[tuple[Members, float]]:
    """The texts that have every member, with their ratings."""
    wrong = [rating for rating in ratings if not 0 <= rating <= 1]
    if wrong:
        raise DataError(
            f"a rating is {wrong[0]:g}",
            remedy="bring ratings to 0–1: (value - lowest) / (highest - lowest)",
        )
    return [
        (row, rating)
        for row, rating in zip(members, ratings, strict=True)
        if all(getattr(row, name) is not None for name in names)
    ]
