"""The matrices of a study as heat maps."""

from __future__ import annotations

import re
from pathlib import Path

from adequa.correlate.model import Agreement, Study
from adequa.correlate.tables import TITLES, variables
from adequa.errors import DataError
from adequa.pictures.heat_map import heat_map
from adequa.pictures.saving import save_picture

__all__ = ["draw"]


def draw(study: Study, folder: Path, *, png: bool = False) -> list[Path]:
    """A picture a matrix, and where each was written; the folder is made where it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot be made ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    places: dict[tuple[str, str, str], list[Agreement]] = {}
    for one in study.matrices:
        places.setdefault((one.coefficient, one.level, one.subset), []).append(one)
    written = []
    for (coefficient, level, subset), found in places.items():
        svg = _picture(study, f"{TITLES[coefficient]}, level {level}, {subset} texts", found)
        stem = re.sub(r"[^\w-]+", "-", f"{coefficient}-{level}-{subset}")
        for suffix in (".svg", ".png") if png else (".svg",):
            path = folder / (stem + suffix)
            save_picture(svg, path)
            written.append(path)
    return written


def _picture(study: Study, title: str, found: list[Agreement]) -> str:
    names = variables(found)
    cells = {(one.metric, one.criterion): one for one in found}
    alpha = 1 - study.options.confidence
    values: list[list[float | None]] = []
    crossed = set()
    for r, name in enumerate(names):
        row: list[float | None] = []
        for c, other in enumerate(names):
            one = cells.get((other, name)) if c < r else None
            row.append(1.0 if c == r else one.value if one else None)
            if one is not None and one.p is not None and one.p >= alpha:
                crossed.add((r, c))
        values.append(row)
    return heat_map(names, names, values, title=title, crossed=crossed)
