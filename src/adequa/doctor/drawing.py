"""An examination as heat maps: perturbations by metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adequa.doctor.examination import Cell, Examination
from adequa.pictures.heat_map import heat_map

__all__ = ["doctor_pictures"]

_PICTURES: Mapping[str, tuple[str, Callable[[Cell], float | None]]] = {
    "score-falls": ("Share of changed texts with a worse score", lambda cell: cell.falls.value),
    "noticed": ("Share of changes that the verdict notices", lambda cell: cell.noticed.value),
    "right-place": ("Share of changes that a finding points at", lambda cell: cell.located.value),
}


def doctor_pictures(examination: Examination) -> dict[str, str]:
    """The pictures by name, as SVG; a metric that has no value at all has no column."""
    rows = [made.perturbation.name for made in examination.made]
    pictures = {}
    for name, (title, value) in _PICTURES.items():
        columns = {
            metric: [value(examination.cell(metric, row)) for row in rows]
            for metric in examination.metrics
        }
        drawn = {key: own for key, own in columns.items() if any(one is not None for one in own)}
        if drawn:
            values = [[own[place] for own in drawn.values()] for place in range(len(rows))]
            pictures[name] = heat_map(rows, list(drawn), values, title=title, low=0.0)
    return pictures
