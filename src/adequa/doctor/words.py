"""What the numbers say, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from adequa.doctor.examination import Alarms, Cell, Examination, Share

__all__ = ["conclusions"]

Sight = Literal["no", "hardly", "part", "likely", "yes", "unknown"]

_OPENINGS: Mapping[Sight, str] = {
    "no": "{name} cannot see",
    "hardly": "{name} seems unable to see",
    "part": "{name} can see only in part",
    "likely": "{name} seems able to see",
    "yes": "{name} can see",
    "unknown": "There are too few cases to say whether {name} can see",
}
# Most cases, hardly any; and for a score without a verdict, what chance gives.
_MOST, _FEW, _CHANCE = 0.75, 0.25, 0.5
_WIDE = 0.5
"""An interval as wide as this tells nothing."""


def conclusions(examination: Examination) -> list[str]:
    """Some sentences a metric: what it sees, what not, and how often it complains of the rest."""
    return [
        " ".join(_sentences(examination, metric, alarms))
        for metric, alarms in zip(examination.metrics, examination.alarms, strict=True)
    ]


def _sentences(examination: Examination, metric: str, alarms: Alarms) -> Iterator[str]:
    found: dict[Sight, list[str]] = {}
    silent: list[str] = []
    astray: list[str] = []
    for made in examination.made:
        if not made.cases:
            continue
        cell = examination.cell(metric, made.perturbation.name)
        what = made.perturbation.failing
        found.setdefault(_sight(cell), []).append(f"{what} ({_measure(cell)})")
        if _falls_silently(cell):
            silent.append(f"{what} ({cell.falls})")
        if cell.located.count * 2 < cell.noticed.count:
            astray.append(f"{what} ({cell.located})")
    name = metric if metric in examination.signatures else "the joined verdict"
    for sight, opening in _OPENINGS.items():
        if sight in found:
            yield f"{opening.format(name=name)} {_listed(found[sight])}."
    if silent:
        yield f"Its score falls where its verdict stays: {_listed(silent)}."
    if astray:
        yield f"It seldom points at the right place of {_listed(astray)}."
    if alarms.any.total:
        yield f"It complains of {alarms.any} unchanged texts."
    else:
        yield "It gives no verdicts: a case counts where the score falls."


def _measure(cell: Cell) -> Share:
    """What decides: the verdicts, or the score of a metric that gives none."""
    return cell.noticed if cell.noticed.total else cell.falls


def _sight(cell: Cell) -> Sight:
    share = _measure(cell)
    value, interval = share.value, share.interval
    if value is None or interval is None or interval[1] - interval[0] >= _WIDE:
        return "unknown"
    low, high = interval
    if value >= _MOST:
        return "yes" if low >= _MOST else "likely"
    if not cell.noticed.total:  # a score that changes at random falls half of the time
        return "no" if low <= _CHANCE else "part"
    if value <= _FEW:
        return "no" if high <= _FEW else "hardly"
    return "part"


def _falls_silently(cell: Cell) -> bool:
    """Whether the score is lower in most cases, and the verdict the same in most."""
    interval = cell.falls.interval
    if interval is None or not cell.noticed.total:
        return False
    return interval[0] >= _MOST and cell.noticed.count * 2 < cell.noticed.total


def _listed(things: list[str]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"
