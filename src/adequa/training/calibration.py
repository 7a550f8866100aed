"""Learns from labelled cases what a logit is worth: Platt's line or isotonic steps.

Platt (1999) draws a line through the log-odds; labels are softened by his prior, so that cases
which can be told apart without a mistake give no infinite slope. Isotonic regression assumes no
more than that a higher logit is no less likely; it needs more cases. For a group, such as the cases
of one predicate, a line is fitted on top and held near the identity: a few labels move it a little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.models.calibration import Calibration, Line
from adequa.readers import PlacedItem, open_source

# ---
# Are probabilities what they say? Claimed against true, bin by bin.
# ---


@dataclass(frozen=True, slots=True)
class Bin:
    """The cases whose probability lies between two bounds; means of no case are 0."""

    low: float
    high: float
    count: int
    claimed: float
    """The mean probability."""
    true: float
    """The share of label 1."""


@dataclass(frozen=True)
class Reliability:
    """All bins, and what they come to."""

    bins: Sequence[Bin]
    error: float
    """The expected calibration error: the distance of claimed and true, weighted by count."""
    brier: float
    """The mean squared distance of probability and label."""

    def as_object(self) -> dict[str, Any]:
        """As JSON has it."""
        rows = [
            {"low": one.low, "high": one.high, "count": one.count}
            | {"claimed": round(one.claimed, 6), "true": round(one.true, 6)}
            for one in self.bins
        ]
        return {"error": round(self.error, 6), "brier": round(self.brier, 6), "bins": rows}


def reliability(
    probabilities: npt.ArrayLike, labels: npt.ArrayLike, *, bins: int = 10
) -> Reliability:
    """Bins of equal width; a probability on a bound belongs to the bin above it, 1 to the last.

    >>> reliability([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 0], bins=2).error
    0.25
    """
    values = np.asarray(probabilities, dtype=np.float64)
    known = np.asarray(labels, dtype=np.float64)
    if values.shape != known.shape or values.ndim != 1 or not len(values):
        raise ValueError(
            f"{values.shape} probabilities and {known.shape} labels cannot be compared"
        )
    bounds = np.linspace(0, 1, bins + 1)
    places = np.clip(np.searchsorted(bounds, values, side="right") - 1, 0, bins - 1)
    found = []
    for number in range(bins):
        inside = places == number
        count = int(inside.sum())
        found.append(
            Bin(
                float(round(bounds[number], 6)),
                float(round(bounds[number + 1], 6)),
                count,
                float(values[inside].mean()) if count else 0.0,
                float(known[inside].mean()) if count else 0.0,
            )
        )
    error = sum(one.count * abs(one.claimed - one.true) for one in found) / len(values)
    return Reliability(found, error, float(((values - known) ** 2).mean()))


Method = Literal["platt", "isotonic"]
METHODS: tuple[Method, ...] = ("platt", "isotonic")
Vector = npt.NDArray[np.float64]

_FOLDS = 5
_HOLD = 2.0
"""How strongly a group's line is held near the identity: as by so many labels, about."""
_ROUNDS = 100
_IDENTITY = (1.0, 0.0)


class LabelledCase(NamedTuple):
    """A logit, whether what it claims was true, and the group and item it belongs to."""

    logit: float
    label: int
    group: str = ""
    item: str = ""


@dataclass(frozen=True)
class CalibrationResult:
    """A calibration, on how much it rests, and how reliable probabilities are before and after.

    After is out of fold: each item is judged by a calibration that has not seen it.
    """

    calibration: Calibration
    cases: int
    positive: int
    counts: dict[str, int]
    before: Reliability
    after: Reliability

    def as_object(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            **self.calibration.as_object(),
            "cases": self.cases,
            "positive": self.positive,
            "group_cases": self.counts,
            "before": self.before.as_object(),
            "after": self.after.as_object(),
        }


def fit_platt(logits: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[float, float]:
    """Slope and offset of the log-odds; labels are 0 and 1.

    >>> slope, offset = fit_platt([-2, -1, 1, 2] * 10, [0, 0, 1, 1] * 10)
    >>> slope > 1, abs(offset) < 0.01
    (True, True)
    """
    values, known = _vectors(logits, labels)
    positive = float(known.sum())
    high, low = (positive + 1) / (positive + 2), 1 / (len(known) - positive + 2)
    return _newton(values, np.where(known == 1, high, low), (0.0, 0.0), 1e-9)


def fit_isotonic(logits: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[tuple[float, float], ...]:
    """Points (logit, log-odds) of the best rising steps, by pooling adjacent violators.

    Half a case is added to either label of a step: no probability is 0 or 1.
    """
    values, known = _vectors(logits, labels)
    places, numbers, counts = np.unique(values, return_inverse=True, return_counts=True)
    positives = np.bincount(numbers.reshape(-1), weights=known, minlength=len(places))
    steps: list[tuple[float, float, float, float]] = []  # positive, count, first and last logit
    for place, positive, count in zip(
        places.tolist(), positives.tolist(), counts.tolist(), strict=True
    ):
        step = (positive, float(count), place, place)
        while steps and steps[-1][0] * step[1] >= step[0] * steps[-1][1]:
            before = steps.pop()
            step = (before[0] + step[0], before[1] + step[1], before[2], step[3])
        steps.append(step)
    points: dict[float, float] = {}
    highest = -np.inf
    for positive, number, first, last in steps:
        # What is added to a short step may put it below a longer one before it.
        highest = max(highest, float(np.log((positive + 0.5) / (number - positive + 0.5))))
        points[first] = points[last] = round(highest, 6)
    return tuple(sorted(points.items()))


def calibrate(
    cases: Sequence[LabelledCase],
    *,
    method: Method = "platt",
    least: int = 10,
    bins: int = 10,
) -> CalibrationResult:
    """Fit all cases, then each group of at least `least`; groups named "" are none."""
    labels = np.array([case.label for case in cases], dtype=np.float64)
    logits = np.array([case.logit for case in cases], dtype=np.float64)
    if len(cases) < 2 * _FOLDS or labels.min() == labels.max():
        raise DataError(
            f"{len(cases)} cases, {int(labels.sum())} of them positive: too few to calibrate on",
            remedy=f"label at least {2 * _FOLDS}, some of them 1 and some 0",
        )
    calibration = _fit(cases, method, least)
    if calibration.line.slope <= 0 or _falls(calibration):
        raise DataError(
            "the labels run against the logits: the higher the logit, the rarer is label 1",
            remedy="is 1 the label of what is stated, or supported?",
        )
    counts: dict[str, int] = {}
    for case in cases:
        if case.group in calibration.groups:
            counts[case.group] = counts.get(case.group, 0) + 1
    items = {name: number for number, name in enumerate(dict.fromkeys(map(_item, cases)))}
    folds = [items[_item(case)] % _FOLDS for case in cases]
    after = np.zeros(len(cases))
    for fold in range(_FOLDS):
        inside = [number for number, own in enumerate(folds) if own == fold]
        others = [case for case, own in zip(cases, folds, strict=True) if own != fold]
        if inside:
            fitted = _fit(others, method, least)
            groups = [cases[number].group for number in inside]
            after[inside] = fitted.probabilities(logits[inside], groups)
    return CalibrationResult(
        calibration,
        len(cases),
        int(labels.sum()),
        counts,
        reliability(Calibration().probabilities(logits), labels, bins=bins),
        reliability(after, labels, bins=bins),
    )


def _item(case: LabelledCase) -> str | LabelledCase:
    """Cases of one item go into one fold; a case without an item is one of its own."""
    return case.item or case


def _fit(cases: Sequence[LabelledCase], method: Method, least: int) -> Calibration:
    logits = np.array([case.logit for case in cases], dtype=np.float64)
    labels = np.array([case.label for case in cases], dtype=np.float64)
    if method == "isotonic":
        whole = Calibration(points=fit_isotonic(logits, labels))
    else:
        whole = Calibration(Line(*fit_platt(logits, labels)))
    members: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        if case.group:
            members.setdefault(case.group, []).append(number)
    chances = whole.probabilities(logits)
    odds = np.log(chances) - np.log1p(-chances)
    lines = {
        name: Line(*_newton(odds[numbers], labels[numbers], _IDENTITY, _HOLD))
        for name, numbers in sorted(members.items())
        if len(numbers) >= least
    }
    return Calibration(whole.line, whole.points, lines)


def _falls(calibration: Calibration) -> bool:
    return bool(calibration.points) and calibration.points[0][1] == calibration.points[-1][1]


def _vectors(logits: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[Vector, Vector]:
    values, known = np.asarray(logits, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if values.shape != known.shape or values.ndim != 1 or not len(values):
        raise ValueError(f"{values.shape} logits and {known.shape} labels do not fit together")
    if not np.isfinite(values).all() or not np.isin(known, (0.0, 1.0)).all():
        raise ValueError("a logit is a finite number, a label 0 or 1")
    return values, known


def _newton(
    values: Vector, targets: Vector, centre: tuple[float, float], hold: float
) -> tuple[float, float]:
    """The line that makes the targets likeliest, held near a centre; no step makes it worse."""
    middle = np.array(centre)
    rows = np.stack([values, np.ones_like(values)])

    def loss(line: Vector) -> float:
        odds = line @ rows
        return float(
            np.logaddexp(0, odds).sum() - targets @ odds + hold / 2 * ((line - middle) ** 2).sum()
        )

    line = middle.copy()
    now = loss(line)
    for _ in range(_ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(line @ rows, -30, 30)))
        slope = rows @ (chances - targets) + hold * (line - middle)
        curve = (rows * (chances * (1 - chances))) @ rows.T + max(hold, 1e-12) * np.eye(2)
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while size > 1e-6 and loss(line - size * step) > now:
            size /= 2
        line = line - size * step
        before, now = now, loss(line)
        if before - now < 1e-10:
            break
    return float(line[0]), float(line[1])


# ---
# Labelled items as cases to calibrate on; a logit is in the file, or the verifier's.
# ---

Head = Literal["stated", "supported"]
HEADS: tuple[Head, ...] = ("stated", "supported")
Ask = Callable[[Sequence[Item]], "list[list[float | None]]"]
"""The log-odds of each item: one a triple for `stated`, else one."""
_WORDS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1, "0.0": 0, "1.0": 1}
_BATCH = 256


def read_labelled(
    path: Path | str,
    *,
    head: Head = "stated",
    label: str = "label",
    logit: str | None = None,
    ask: Ask | None = None,
    format: str | None = None,  # noqa: A002
    progress: Callable[[int, int], None] | None = None,
) -> list[LabelledCase]:
    """The cases of a file: for `stated` one a triple, its predicate the group; else one an item.

    `label` and `logit` name fields of `meta`, which are columns of a table: one value, or of
    `stated` a list with one for each triple; null is not known. Without `logit`
    whoever is to be calibrated gives the log-odds.
    """
    if (logit is None) == (ask is None):
        raise SettingError("give the field that has the logits, or whom to ask, and not both")
    placed = list(open_source(path, format=format).placed())
    found: list[LabelledCase] = []
    for first in range(0, len(placed), _BATCH):
        batch = placed[first : first + _BATCH]
        if ask is None:
            logits = [_values(one, logit or "", head, _number) for one in batch]
        else:
            logits = ask([one.item for one in batch])
        for one, values in zip(batch, logits, strict=True):
            found += _cases(one.item, values, _values(one, label, head, _truth), head)
        if progress is not None:
            progress(first + len(batch), len(placed))
    if not found:
        raise DataError("has no labels", path=path, remedy=f"give meta.{label}: 0, 1 or null")
    return found


def _cases(
    item: Item, logits: Sequence[float | None], labels: Sequence[float | None], head: Head
) -> Iterator[LabelledCase]:
    name = f"{item.system}\0{item.id}"
    groups = [triple.predicate for triple in item.triples] if head == "stated" else [""]
    for value, known, group in zip(logits, labels, groups, strict=True):
        if value is not None and known is not None:
            yield LabelledCase(value, int(known), group, name)


def _values(
    placed: PlacedItem, name: str, head: Head, read: Callable[[Any], float | None]
) -> list[float | None]:
    """A field of `meta` as one value a case; an item without it has none that are known."""
    item = placed.item
    wanted = len(item.triples) if head == "stated" else 1
    raw = item.meta.get(name)
    given = raw if isinstance(raw, list | tuple) else [raw] * (wanted if raw is None else 1)
    if len(given) != wanted:
        problem = f"meta.{name} has {len(given)} values where {wanted} are expected"
        remedy = "give a list with one for each triple" if head == "stated" else "give one value"
        raise DataError(problem, path=placed.path, line=placed.line, remedy=remedy)
    try:
        return [read(value) for value in given]
    except (TypeError, ValueError):
        raise DataError(
            f"meta.{name} is {raw!r}",
            path=placed.path,
            line=placed.line,
            remedy="give 0, 1 or null" if read is _truth else "give a number or null",
        ) from None


def _truth(value: Any) -> float | None:
    if value is None or value == "":
        return None
    known = _WORDS.get(str(value).strip().lower())
    if known is None:
        raise ValueError(value)
    return known


def _number(value: Any) -> float | None:
    if value is None or value == "":
        return None
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number
