"""How much each member of a similarity weighs, and what its values mean to people.

The members enter with equal weights after their spread is taken out: a trial on other ratings
showed that weights fitted on one campaign do worse on the next. Ratings decide only the last step,
a curve from the mean of the members to a value between 0 and 1; it changes no order of texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from adequa.errors import DataError
from adequa.metrics.members import Blend, Member, Members

__all__ = ["PARTS", "fit_blend", "fit_blends"]

PARTS: Mapping[str, Mapping[str, float]] = {
    "bi": {"bi": 1.0},
    "cross": {"stated": 1.0, "supported": 1.0, "tokens": 1.0},
    "models": {"bi": 1.0, "stated": 1.0, "supported": 1.0, "tokens": 1.0},
    "ensemble": {"bi": 1.0, "stated": 1.0, "supported": 1.0, "tokens": 1.0, "entities": 1.0},
}
"""The members of each part of the metric, with their weights."""
_LEAST = 10


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
            "texts": len(ratings),
        }
    return entry


def fit_blend(
    members: Sequence[Members], ratings: Sequence[float], weights: Mapping[str, float]
) -> Blend:
    """Means and spreads of the members, and the logistic curve nearest to the ratings."""
    import numpy as np
    from scipy.optimize import curve_fit
    from scipy.special import expit

    known = [
        (row, rating)
        for row, rating in zip(members, ratings, strict=True)
        if all(getattr(row, name) is not None for name in weights)
    ]
    if len(known) < _LEAST:
        raise DataError(
            f"{len(known)} texts have a rating and every member",
            remedy=f"give at least {_LEAST} rated texts",
        )
    chosen = {}
    for name, weight in weights.items():
        values = np.array([getattr(row, name) for row, _ in known], dtype=float)
        chosen[name] = Member(float(values.mean()), max(float(values.std()), 1e-6), weight)
    plain = Blend(chosen, 1.0, 0.0)
    means = np.array([plain.mean(row) for row, _ in known], dtype=float)
    goals = np.array([rating for _, rating in known], dtype=float)

    def curve(mean: object, slope: float, offset: float) -> object:
        return expit(slope * np.asarray(mean) + offset)

    (slope, offset), _ = curve_fit(curve, means, goals, p0=(1.0, 0.0), maxfev=10_000)
    if slope <= 0:
        raise DataError(
            "the ratings fall where the members rise",
            remedy="is a higher rating a better one? turn the scale round otherwise",
        )
    return Blend(chosen, round(float(slope), 6), round(float(offset), 6))
