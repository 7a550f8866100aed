"""What makes a similarity of models: rated texts in, the calibration of some weights out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adequa.data import Item, Rating
from adequa.errors import DataError, ModelError
from adequa.metrics.members import Members, Sources, read_check
from adequa.metrics.sources import (
    check_source,
    cosine_source,
    entity_source,
    has_words,
    read_blends,
    read_rating,
)
from adequa.models.shipped import weights
from adequa.stats.correlations import COEFFICIENTS
from adequa.training.blending import PARTS, fit_blend, fit_blends
from adequa.training.exporting.folder import seal, write_files
from adequa.training.rating import EVIDENCE, fit_head, out_of_fold

__all__ = [
    "CALIBRATION",
    "Fitted",
    "fit_similarity",
    "known_parts",
    "open_weights",
    "pair_ratings",
    "rated_source",
]

CALIBRATION = "calibration.json"
_BATCH = 256


@dataclass(frozen=True)
class Fitted:
    """How well each part agrees with the ratings: the head's own values are out of fold."""

    texts: int
    blank: int
    """Texts without a word, which are given 0 and fit nothing; the parts' figures count them."""
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
        raise DataError(
            "no rating is of any of these items", remedy="do systems and ids agree in both files?"
        )
    return found


def fit_similarity(
    folder: Path,
    rated: Sequence[tuple[Item, float]],
    source: str,
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """Fit the rating head and the blends of the weights in a folder, and write them into it.

    Texts that the verifier cannot read as a whole have no say.
    """
    known = known_parts(folder)
    pairs = [(item, value) for item, value in rated if item.triples and has_words(item.text)]
    name = str(folder)
    evidence = Sources(cosine_source(name, 1), entities=entity_source)
    verify = check_source(name, 1)
    members: list[Members] = []
    states, values, groups = [], [], []
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        items = [item for item, _ in batch]
        found = zip(batch, verify(items), evidence.gather(items), strict=True)
        for (item, value), check, others in found:
            own = read_check(check, others)
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
        # What is out of fold spreads as what is not seen will: the blend is fitted on that.
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
        read.cache_clear()  # a metric of this process is to see what was fitted
    blank = [value for item, value in rated if item.triples and not has_words(item.text)]
    return Fitted(len(values), len(blank), _figures(honest, values, blank))


def known_parts(folder: Path) -> dict[str, Any]:
    """What the calibration of some weights holds already; what is not fitted anew stays."""
    path = folder / CALIBRATION
    if not path.is_file():
        return {}
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error}); remove it, or mend it") from None
    if not isinstance(known, dict):
        raise ModelError(f"{path}: is no JSON object; remove it, or mend it")
    return known


def _figures(
    members: Sequence[Members], ratings: Sequence[float], blank: Sequence[float]
) -> dict[str, dict[str, float]]:
    """Of each member and each part: Pearson and Spearman with the ratings."""
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
    """How the card names what was fitted on, without the folders of this machine."""
    return f"{'/'.join(path.absolute().parts[1:][-2:])}, {criterion}"


def open_weights(folder: Path) -> None:
    """Raise where a folder holds no encoder and verifier."""
    files = weights(str(folder)).manifest["files"]
    if missing := [name for name in ("encoder.onnx", "verifier.onnx") if name not in files]:
        raise DataError(
            f"has no {' and no '.join(missing)}",
            path=folder,
            remedy="export both models into it: adequa export",
        )
