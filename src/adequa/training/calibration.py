"""Calibration of logits on labelled cases, by Platt's line or isotonic steps.

Platt (1999) fits a line to the log-odds; labels are softened by his prior, so that separable cases
do not give an infinite slope. Isotonic regression assumes only that probability does not fall as
the logit rises; it needs more cases. For a group, such as the cases of one predicate, a line is
fitted on top and regularised towards the identity, so that a few labels move it only a little.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.models import Calibration, Line
from adequa.progress import Progress
from adequa.readers import PlacedItem, open_source
from adequa.stats.reliability import Reliability, reliability

# Fits

Method = Literal["platt", "isotonic"]
METHODS: tuple[Method, ...] = ("platt", "isotonic")
Vector = npt.NDArray[np.float64]

_FOLDS = 5
_HOLD = 2.0
"""The regularisation of a group's line towards the identity, worth about as many labels. There is
no record of the data it was chosen on; kept for stable calibrations."""
_ROUNDS = 100
_IDENTITY = (1.0, 0.0)


class LabelledCase(NamedTuple):
    """A logit, its label (0 or 1), and the group and item it belongs to."""

    logit: float
    label: int
    group: str = ""
    item: str = ""


@dataclass(frozen=True)
class CalibrationResult:
    """A calibration, its numbers of cases, and the reliability before and after.

    `after` is out of fold: each item is judged by a calibration that has not seen it.
    """

    calibration: Calibration
    cases: int
    positive: int
    counts: dict[str, int]
    before: Reliability
    after: Reliability

    def as_object(self) -> dict[str, Any]:
        """The result as a JSON object."""
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
    for place, positive, count in np.stack([places, positives, counts], axis=1).tolist():
        step = (positive, count, place, place)
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
    cases: Sequence[LabelledCase], *, method: Method = "platt", least: int = 10, bins: int = 10
) -> CalibrationResult:
    """Fit all cases, then each group of at least `least` cases; the name "" is not a group."""
    labels = np.array([case.label for case in cases], dtype=np.float64)
    logits = np.array([case.logit for case in cases], dtype=np.float64)
    if len(cases) < 2 * _FOLDS or labels.min() == labels.max():
        raise DataError(
            f"{len(cases)} cases, {int(labels.sum())} of them positive: too few to calibrate on",
            remedy=f"label at least {2 * _FOLDS}, some of them 1 and some 0",
        )
    calibration = _fit(cases, method, least)
    if calibration.line.slope <= 0 or _falls(calibration):
        problem = "the labels run against the logits: the higher the logit, the rarer is label 1"
        raise DataError(problem, remedy="check that label 1 means stated, or supported")
    counts = dict(Counter(case.group for case in cases if case.group in calibration.groups))
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
    """The key of the fold: cases of one item belong together, a case without an item is alone."""
    return case.item or case


def _fit(cases: Sequence[LabelledCase], method: Method, least: int) -> Calibration:
    logits = np.array([case.logit for case in cases], dtype=np.float64)
    labels = np.array([case.label for case in cases], dtype=np.float64)
    if method == "isotonic":
        whole = Calibration(points=fit_isotonic(logits, labels))
    else:
        whole = Calibration(Line(*fit_platt(logits, labels)))
    members: dict[str, list[int]] = defaultdict(list)
    for number, case in enumerate(cases):
        members[case.group].append(number)
    chances = whole.probabilities(logits)
    odds = np.log(chances) - np.log1p(-chances)
    lines = {
        name: Line(*_newton(odds[numbers], labels[numbers], _IDENTITY, _HOLD))
        for name, numbers in sorted(members.items())
        if name and len(numbers) >= least
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
    """The maximum-likelihood line, regularised towards a centre; no step increases the loss."""
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


# Labelled items as cases

Head = Literal["stated", "supported"]
HEADS: tuple[Head, ...] = ("stated", "supported")
Ask = Callable[[Sequence[Item]], "list[list[float | None]]"]
"""Gives the log-odds of each item: one per triple for `stated`, else one."""
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
    progress: Progress | None = None,
) -> list[LabelledCase]:
    """The cases of a file: for `stated` one per triple, grouped by predicate; else one per item.

    `label` and `logit` name fields of `meta`, which are columns of a table: one value, or for
    `stated` a list with one value per triple; null means unknown. Without `logit` the function
    `ask` gives the log-odds.
    """
    if (logit is None) == (ask is None):
        raise SettingError("give either the field that has the logits or a function for them")
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
    """A field of `meta` as one value per case; for an item without it all are unknown."""
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
