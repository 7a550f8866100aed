"""Every metric and criterion against every other: Tables 2, 3 and 7 to 22 of the ESA paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from adequa.errors import DataError
from adequa.metrics import load_metric
from adequa.papers.correlations_cells import Matrices
from adequa.papers.correlations_data import Study, read_study
from adequa.papers.correlations_sections import (
    differences,
    picture,
    readings,
    side_by_side,
    summary,
    tables_of,
)
from adequa.papers.esa import Reproduction, Year
from adequa.papers.esa_data import YEARS, Progress

__all__ = ["reproduce_correlations"]

RESAMPLES = 300
"""Of the entries of 2020, of which half are public."""


def reproduce_correlations(
    data: Path,
    years: Sequence[int] = YEARS,
    *,
    detector: str = "adequa",
    seed: int = 0,
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None,
) -> Reproduction:
    """The tables of each year of which `data` has rated texts; `progress` opens a bar by title."""
    signature = load_metric("esa", detector=detector).signature
    if not data.is_dir():
        raise DataError("is no folder", path=data, remedy="name the one that holds webnlg2020")
    found = []
    for year in years:
        shown = progress(f"scoring {year}") if progress else nullcontext(_silent)
        with shown as advance:
            study = read_study(data, year, detector, advance)
        found.append(_year(study, seed))
    if not any(year.sections for year in found):
        raise DataError(
            "has no rated texts: " + "; ".join(year.absent[0] for year in found if year.absent),
            path=data,
            remedy="it should hold webnlg2020 and webnlg2017, each with test, systems and human",
        )
    return Reproduction(signature, found)


def _silent(done: int, total: int) -> None:
    del done, total


def _year(study: Study, seed: int) -> Year:
    if not study.ids:
        return Year(study.year, (), study.absent or ["human ratings of any text"])
    # The texts of 2017 are all there: what differs there is no chance of a sample.
    matrices = Matrices(study, n=RESAMPLES if study.year == 2020 else 0, seed=seed)
    sections = [summary(matrices)]
    if study.year == 2017:
        sections.append(readings(matrices))
    sections.append(differences(matrices))
    tables = tables_of(study.year)
    sections += [side_by_side(matrices, table) for table in tables]
    files = {f"table{table.number:02}.svg": picture(matrices, table) for table in tables}
    return Year(study.year, sections, study.absent, files)
