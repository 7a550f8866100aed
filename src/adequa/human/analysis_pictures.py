"""Mean scores over the values of a breakdown, a line a system: a picture a criterion and field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adequa.human.analysis_model import Analysis, Part
from adequa.pictures.series import series_chart

__all__ = ["analysis_pictures"]


def analysis_pictures(analysis: Analysis) -> dict[str, str]:
    """SVG texts by the name of their file, without its ending."""
    pictures: dict[str, str] = {}
    for field, parts in analysis.by.items():
        for criterion in analysis.criteria:
            rated = [part for part in parts if part.of(criterion)]
            name = _file_name(f"{criterion}-by-{field}", pictures)
            pictures[name] = _picture(analysis, criterion, field, rated)
    return pictures


def _picture(analysis: Analysis, criterion: str, field: str, parts: Sequence[Part]) -> str:
    means = [
        (str(part.name), {score.system: score.mean for score in part.of(criterion)})
        for part in parts
    ]
    lines = {
        system: [(name, found.get(system)) for name, found in means] for system in analysis.systems
    }
    return series_chart(
        lines,
        title=f"{criterion}: mean by {field}",
        x_label=field,
        y_label=f"mean {criterion}",
    )


def _file_name(wanted: str, taken: dict[str, str]) -> str:
    """Letters, digits, dots and dashes only, for a criterion may be called anything."""
    plain = re.sub(r"[^\w.-]+", "-", wanted).strip(".-") or "picture"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain}-{number}", number + 1
    return name
