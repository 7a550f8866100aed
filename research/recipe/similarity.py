"""The calibration of `similarity` on rated texts: a rating head of the verifier, and the blends.

The standardised members of a blend have equal weights: in a trial, weights fitted on one campaign
did worse on the next. The ratings only fit the last step, a curve from the mean of the members to a
value between 0 and 1, which does not change the order of texts. The rating head is a linear layer;
the verifier itself does not change, so its other uses have seen no ratings.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.data import Item, Rating
from adequa.errors import DataError, ModelError
from adequa.metrics.sources import (
    Blend,
    Member,
    Members,
    RatingHead,
    Sources,
    cosine_source,
    entity_source,
    fact_source,
    has_words,
    read_blends,
    read_rating,
    read_verifier_output,
    verifier_source,
)
from adequa.models import weights
from adequa.progress import Progress
from adequa.stats import COEFFICIENTS
from adequa.training.export import seal, write_files

PARTS: Mapping[str, Mapping[str, float]] = {
    "bi": {"bi": 1.0},
    "cross": {"rated": 1.0},
    "models": {"bi": 1.0, "rated": 1.0},
    "ensemble": {"bi": 1.0, "rated": 1.0, "entities": 1.0},
}
"""The members of each part of the metric, with their weights."""
_LEAST = 10
"""The fewest texts for a fit; no record of the data it was chosen on."""
_LEAST_SPREAD = 1e-6
"""Smaller than the numerical precision of a model."""


def fit_blends(
    members: Sequence[Members], ratings: Sequence[float], source: str
) -> dict[str, object]:
    """The `similarity` entry of a calibration file; ratings are from 0 to 1."""
    entry: dict[str, object] = {}
    for part, shares in PARTS.items():
        blend = fit_blend(members, ratings, shares)
        entry[part] = {
            "members": {name: asdict(member) for name, member in blend.members.items()},
            "slope": blend.slope,
            "offset": blend.offset,
            "fitted_on": source,
            "texts": len(_known(members, ratings, shares)),
        }
    return entry


def fit_blend(
    members: Sequence[Members], ratings: Sequence[float], weights: Mapping[str, float]
) -> Blend:
    """Means and spreads of the members, and the logistic curve that fits the ratings best."""
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
                f"{name} is the same for all {len(known)} texts",
                remedy="give texts of several systems, good and bad",
            )
    plain = Blend(chosen, 1.0, 0.0)
    means = np.array([plain.mean(row) for row, _ in known], dtype=float)
    goals = np.array([rating for _, rating in known], dtype=float)

    def curve(mean: object, slope: float, offset: float) -> object:
        return expit(slope * np.asarray(mean) + offset)

    try:
        with warnings.catch_warnings():  # the uncertainty of the curve is not used
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
            remedy="is a higher rating better? otherwise invert the scale",
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


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

EVIDENCE = (
    *("stated", "weakest", "facts", "weakest_fact"),
    *("supported", "tokens", "worst_word", "fluent"),
)
"""The members that the head uses in addition to the state."""
PENALTY = 1000.0
FAVOUR = 10.0
"""How much less the evidence is penalised than the state, in units of spread, since each evidence
has a meaning. Both were chosen by the out-of-fold figures on the ratings of WebNLG 2017."""


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
    """The out-of-fold values of the head; texts of one graph are in one fold."""
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
            "the verifier could not read all of a text", remedy="leave out texts that are too long"
        )
    return np.hstack([np.asarray(states, dtype=float), np.asarray(evidence, dtype=float)])


CALIBRATION = "calibration.json"
_BATCH = 256


@dataclass(frozen=True)
class FitResult:
    """The agreement of each part with the ratings; the head's values are out of fold."""

    texts: int
    blank: int
    """The texts without a word: they score 0 and are not fitted, but count in the figures."""
    figures: dict[str, dict[str, float]]


def pair_ratings(
    items: Iterable[Item], ratings: Iterable[Rating], criterion: str, lowest: float, highest: float
) -> list[tuple[Item, float]]:
    """The items that were rated, each with the mean of its ratings between 0 and 1."""
    if not lowest < highest:
        raise DataError(
            f"a scale from {lowest:g} to {highest:g}", remedy="give its lowest value first"
        )
    values: dict[tuple[str, str], list[float]] = {}
    criteria = set()
    for rating in ratings:
        criteria.add(rating.criterion)
        if rating.criterion.casefold() == criterion.casefold():
            if not lowest <= rating.value <= highest:
                raise DataError(
                    f"item {rating.id!r} of {rating.system!r} is rated {rating.value:g}, and the "
                    f"scale is from {lowest:g} to {highest:g}",
                    remedy="give the ends of the scale: --scale LOW,HIGH",
                )
            values.setdefault((rating.system, rating.id), []).append(rating.value)
    if not values:
        listed = ", ".join(sorted(criteria)) or "none"
        raise DataError(f"nothing is rated for {criterion!r}", remedy=f"there are: {listed}")
    found = [
        (item, (sum(own) / len(own) - lowest) / (highest - lowest))
        for item in items
        if (own := values.get(item.key))
    ]
    if not found:
        raise DataError("no item has a rating", remedy="do systems and ids agree in both files?")
    return found


def fit_similarity(
    folder: Path,
    rated: Sequence[tuple[Item, float]],
    source: str,
    progress: Progress | None = None,
) -> FitResult:
    """Fit the rating head and the blends of the weights in a folder, and write them into it.

    Texts that the verifier cannot read as a whole are left out.
    """
    known = known_parts(folder)
    pairs = [(item, value) for item, value in rated if item.triples and has_words(item.text)]
    name = str(folder)
    evidence = Sources(cosine_source(name, 1), entities=entity_source)
    verify, relate = verifier_source(name, 1), fact_source(name, 1)
    members: list[Members] = []
    states, values, groups = [], [], []
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        items = [item for item, _ in batch]
        relations = [None] * len(items) if relate is None else relate(items)
        found = zip(batch, verify(items), relations, evidence.gather(items), strict=True)
        for (item, value), check, facts, others in found:
            own = read_verifier_output(check, others, facts)
            if all(getattr(own, name) is not None for name in EVIDENCE):
                members.append(own)
                states.append(check.state)
                values.append(value)
                groups.append(item.id)
        if progress is not None:
            progress(min(start + _BATCH, len(pairs)), len(pairs))
    head = fit_head(states, members, values)
    unseen = out_of_fold(states, members, values, groups)
    honest = [replace(own, rated=value) for own, value in zip(members, unseen, strict=True)]
    entry = {
        # The blend is fitted on out-of-fold values, which vary like those of unseen texts.
        "similarity": fit_blends(honest, values, source),
        "rating": {
            "state": head.state,
            "members": dict(head.members),
            "offset": head.offset,
            "fitted_on": source,
            "texts": len(values),
        },
    }
    text = json.dumps({**known, **entry}, indent=1)
    write_files(folder, {CALIBRATION: f"{text}\n".encode()})
    seal(folder)
    for read in (read_blends, read_rating):
        read.cache_clear()  # so that metrics of this process use the new fit
    blank = [value for item, value in rated if item.triples and not has_words(item.text)]
    return FitResult(len(values), len(blank), _figures(honest, values, blank))


def known_parts(folder: Path) -> dict[str, Any]:
    """The existing calibration of weights; parts that are not fitted again are kept."""
    path = folder / CALIBRATION
    if not path.is_file():
        return {}
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error}); remove or repair it") from None
    if not isinstance(known, dict):
        raise ModelError(f"{path}: is not a JSON object; remove or repair it")
    return known


def _figures(
    members: Sequence[Members], ratings: Sequence[float], blank: Sequence[float]
) -> dict[str, dict[str, float]]:
    """Pearson and Spearman correlations of each member and each part with the ratings."""
    values = [*ratings, *blank]
    columns: dict[str, list[float | None]] = {
        name: [*(getattr(row, name) for row in members), *[None] * len(blank)]
        for name in Members.__slots__
    }
    for part, parts in PARTS.items():
        blend = fit_blend(members, ratings, parts)
        columns[f"{part} (part)"] = [*(blend(row) for row in members), *[0.0] * len(blank)]
    figures = {}
    for name, column in columns.items():
        known = [(one, other) for one, other in zip(column, values, strict=True) if one is not None]
        if known:
            left, right = [one for one, _ in known], [other for _, other in known]
            found = {key: COEFFICIENTS[key](left, right) for key in ("pearson", "spearman")}
            figures[name] = {key: one.value for key, one in found.items() if one is not None}
    return figures


def rated_source(path: Path, criterion: str) -> str:
    """The name of the fitting data for the card, without the folders of this machine."""
    return f"{'/'.join(path.absolute().parts[1:][-2:])}, {criterion}"


def open_weights(folder: Path, *models: str) -> None:
    """Raise unless a folder has some models: `encoder`, `verifier`."""
    files = weights(str(folder)).manifest["files"]
    if missing := [f"{name}.onnx" for name in models if f"{name}.onnx" not in files]:
        raise DataError(
            f"has no {' and no '.join(missing)}",
            path=folder,
            remedy="export what is missing into it: adequa export",
        )
