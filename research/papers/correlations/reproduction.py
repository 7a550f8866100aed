"""The correlations of all metrics and criteria: Tables 2, 3 and 7 to 22 of paper 001."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from adequa.charts import heat_map
from adequa.errors import DataError
from adequa.metrics import load_metric
from adequa.progress import silent
from adequa.tables import Cell, Column, Table
from research.papers.correlations.cells import KINDS, ComparedCell, Matrices, kind_of
from research.papers.correlations.data import (
    FILE,
    PAPER,
    CorrelationStudy,
    read_rated,
    score_study,
    without_references,
)
from research.papers.correlations.printed import CORRELATION_TABLES, ESA, NAMES, PrintedTable
from research.papers.esa.correlations import UNCERTAIN, Given, require_columns
from research.papers.esa.data import YEARS, Detection, require_effect
from research.papers.esa.printed import RATED_TEXTS
from research.papers.section import (
    MARKS,
    Chapter,
    Reproduction,
    Section,
    Shown,
    counts,
    require_folder,
    shown_pair,
    without_zero,
)

MISNAMED = 10
"""The caption of Table 10 says Spearman, but its values are Kendall's."""

_MARK_COLUMNS: tuple[str | Column, ...] = (*MARKS, Column("mean |difference|"))

_DETECTOR = (
    "ESA and the number of undetected entities depend on the detector, and ours differs from the "
    "paper's"
)


def tables_of(year: int) -> list[PrintedTable]:
    """The paper's tables of a year, by number."""
    return [table for table in CORRELATION_TABLES.values() if table.year == year]


def summary(matrices: Matrices) -> Section:
    """One line per table: the numbers of equal, close and different cells."""
    year = matrices.study.year
    rows: list[list[Cell]] = []
    records: list[dict[str, object]] = []
    for table in tables_of(year):
        for coefficient in _readings_of(table):
            cells = matrices.compare(table, coefficient=coefficient)
            texts = len(matrices.study.subsets[table.subset])
            printed = RATED_TEXTS[year][table.subset]
            read = coefficient if coefficient == table.coefficient else f"read as {coefficient}"
            inside = [cell.inside for cell in cells if cell.inside is not None]
            held = f"{sum(inside)} of {len(inside)}" if inside else None
            about: list[Cell] = [table.number, read, table.subset, texts, printed, len(cells)]
            rows.append([*about, *_marked(cells), held])
            records.append(
                {
                    "table": table.number,
                    "coefficient": coefficient,
                    "subset": table.subset,
                    "texts": texts,
                    "paper_texts": printed,
                    **counts(cell.mark for cell in cells),
                    "mean_difference": _mean_distance(cells),
                    "inside": sum(inside) if inside else None,
                }
            )
    columns = ("table", "coefficient", "subset", "texts", "paper's", "cells", *_MARK_COLUMNS)
    title = f"WebNLG {year}: the paper's cells next to ours"
    notes = [
        "equal: rounds to the paper's two decimals; close: within 0.02",
        *_explanations(matrices.study),
    ]
    table_of_tables = Table(title, (*columns, "in our interval"), rows)
    return Section("summary", [table_of_tables], {}, notes, records)


def _readings_of(table: PrintedTable) -> Sequence[str]:
    return ("spearman", "kendall") if table.number == MISNAMED else (table.coefficient,)


def _marked(cells: Sequence[ComparedCell]) -> list[Cell]:
    return [*counts(cell.mark for cell in cells).values(), _mean_distance(cells)]


def _mean_distance(cells: Iterable[ComparedCell]) -> float | None:
    found = [cell.distance for cell in cells if cell.distance is not None]
    return sum(found) / len(found) if found else None


def _explanations(study: CorrelationStudy) -> list[str]:
    """The causes of the differences, as far as the data shows them."""
    notes = [f"n/a: {name}: {reason}" for name, reason in study.reasons.items()]
    return notes + (_of_2020(study) if study.year == 2020 else _of_2017(study))


def _of_2020(study: CorrelationStudy) -> list[str]:
    public = (
        f"{len(set(study.ids))} of the 178 rated entries are public; the paper uses all; in "
        "our interval: the paper's number is in our 95 % bootstrap interval over entries (Pearson "
        "and Spearman)"
    )
    own = (
        "the versions of the metrics differ from the paper's, so cells of metrics fit less well "
        "than those between criteria"
    )
    sources = [f"{name}: {source}" for name, source in study.sources.items()]
    return [public, *sources, own, _DETECTOR]


def _of_2017(study: CorrelationStudy) -> list[str]:
    values = (
        f"values: {PAPER}, found by a search on Tables 9 and 11; the tables of the subsets, which "
        "the search did not use, also fit better with it (see the readings)"
        if study.reading == PAPER
        else f"values: {FILE}; without the sample's references there is no other reading"
    )
    return [
        values,
        "all texts: cells without ESA do not depend on the detector (see the readings)",
        "the caption of Table 10 says Spearman; its values are Kendall's, nearly as in Table 11",
        _DETECTOR,
    ]


def differences(matrices: Matrices) -> Section:
    """The differences by kind of cell and by metric."""
    year = matrices.study.year
    every = [
        (table, cell)
        for table in tables_of(year)
        for cell in matrices.compare(table, coefficient=_readings_of(table)[-1])
    ]
    kinds = [
        [kind, subset, len(cells), *_marked(cells)]
        for kind in KINDS
        for subset in RATED_TEXTS[year]
        if (cells := [c for t, c in every if kind_of(c.pair) == kind and t.subset == subset])
    ]
    names = [
        [name, len(cells), *_marked(cells)]
        for name in NAMES[year]
        if (cells := [c for t, c in every if name in c.pair and t.subset == "all"])
    ]
    tables = [
        Table(
            f"Differences by kind of cell, {year}",
            ("cells of", "subset", "cells", *_MARK_COLUMNS),
            kinds,
        ),
        Table(
            f"Differences by name, all texts, {year}", ("cells of", "cells", *_MARK_COLUMNS), names
        ),
    ]
    return Section("differences", tables)


def readings(matrices: Matrices) -> Section:
    """Which texts and values the tables of 2017 are based on, from the cells without ESA."""
    study = matrices.study
    rows: list[list[Cell]] = []
    for table in sorted(tables_of(study.year), key=lambda one: (one.subset != "all", one.number)):
        for values in study.columns:
            for subset in (table.subset, without_references(table.subset)):
                for coefficient in _readings_of(table):
                    cells = [
                        cell
                        for cell in matrices.compare(
                            table, coefficient=coefficient, reading=values, subset=subset
                        )
                        if ESA not in cell.pair
                    ]
                    texts = len(study.subsets[subset])
                    about: list[Cell] = [table.number, coefficient, subset, texts, values]
                    rows.append([*about, len(cells), *_marked(cells)])
    columns = ("table", "coefficient", "texts of", "texts", "values", "cells", *_MARK_COLUMNS)
    title = "Which texts and values, 2017: cells without ESA under each reading"
    texts_of = (
        "section 6.1 says 2,007 texts, the captions say 2,230: the tables of all texts fit 2,230 "
        "texts, including human references; Table 2 fits better without them"
    )
    found = (
        f"{PAPER}: NLTK's BLEU with smoothing 3, split at spaces, against only the first sampled "
        "reference, and 1 for human references, whose TER is 0 (the file says 1)"
    )
    return Section("readings", [Table(title, columns, rows)], {}, [texts_of, found])


def side_by_side(matrices: Matrices, table: PrintedTable) -> Section:
    """One whole table, each row of the paper above ours."""
    cells = {cell.pair: cell for cell in matrices.compare(table)}
    names = NAMES[table.year]
    rows: list[list[Cell]] = []
    for name in names[:-1]:
        row = [cells.get((name, other)) for other in names[1:]]
        number = f"{names.index(name) + 1} {name}"
        rows.append([number, "paper", *_each(row, lambda cell: _printed(table, cell))])
        rows.append(["", "ours", *_each(row, _ours)])
    texts = len(matrices.study.subsets[table.subset])
    title = (
        f"Table {table.number}, {table.year}: {table.coefficient.title()}, "
        f"{_subset_words(table.subset)}, {texts:,} texts "
        f"(paper {RATED_TEXTS[table.year][table.subset]:,})"
    )
    headings = [
        Column(f"{place} {ESA}" if other == ESA else str(place), align="right")
        for place, other in enumerate(names[1:], 2)
    ]
    records = [_record(table, cell, texts) for cell in cells.values()]
    shown = Table(title, ["metric", "", *headings], rows)
    drawn = {f"table{table.number:02}.svg": partial(picture, matrices, table)}
    return Section(f"table{table.number}", [shown], records=records, files=drawn)


def _subset_words(subset: str) -> str:
    return "all texts" if subset == "all" else f"{subset[-1]} or more undetected entities"


def _each(row: Sequence[ComparedCell | None], show: Callable[[ComparedCell], str]) -> list[Cell]:
    return ["" if cell is None else show(cell) for cell in row]


def _printed(table: PrintedTable, cell: ComparedCell) -> str:
    # A blank in the place of our mark aligns the decimal points.
    shown = without_zero(cell.printed)
    return f"({shown})" if cell.pair in table.uncertain else f"{shown} "


def _ours(cell: ComparedCell) -> str:
    return shown_pair(cell.value, cell.printed)


def _record(table: PrintedTable, cell: ComparedCell, texts: int) -> Mapping[str, object]:
    return {
        "first": cell.pair[0],
        "second": cell.pair[1],
        "paper": cell.printed,
        "paper_uncertain": cell.pair in table.uncertain,
        "ours": cell.value,
        "p": cell.ours.p if cell.ours else None,
        "interval": cell.interval,
        "texts": cell.ours.pairs if cell.ours else texts,
        "mark": cell.mark,
    }


def picture(matrices: Matrices, table: PrintedTable) -> str:
    """A heat map with our values below the diagonal and the paper's above it."""
    names = NAMES[table.year]
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    crossed = []
    for cell in matrices.compare(table):
        column, row = (names.index(name) for name in cell.pair)
        values[row][column], values[column][row] = cell.value, cell.printed
        if cell.ours is not None and cell.ours.p >= UNCERTAIN:
            crossed.append((row, column))
        if cell.pair in table.uncertain:
            crossed.append((column, row))
    texts = "all texts" if table.subset == "all" else f"≥ {table.subset[-1]} undetected"
    coefficient = table.coefficient.title()
    title = f"Table {table.number}, {coefficient}, {texts} (above: paper, below: ours)"
    return heat_map(names, names, values, title=title, crossed=crossed)


RESAMPLES = 300
"""Resamples of the entries of 2020, half of which are public."""


def reproduce_correlations(
    data: Path,
    years: Sequence[int] = YEARS,
    *,
    detection: Detection | None = None,
    given: Given | None = None,
    seed: int = 0,
    progress: Shown | None = None,
) -> Reproduction:
    """Reproduce the tables of each year for which `data` has rated texts.

    `detection` are settings of `esa`; `given` are metrics for rows of the tables.
    """
    require_columns(years, given or {})
    chosen = detection or {}
    signature = load_metric("esa", **chosen).signature
    require_folder(data, "webnlg2020 and webnlg2017")
    corpora = [read_rated(data, year) for year in years]
    require_effect(corpora, chosen)
    found = []
    for corpus in corpora:
        shown = progress(f"scoring {corpus.year}") if progress else nullcontext(silent)
        with shown as advance:
            study = score_study(corpus, chosen, advance, given)
        found.append(_chapter(study, seed))
    if not any(year.sections for year in found):
        raise DataError(
            "has no rated texts: " + "; ".join(year.absent[0] for year in found if year.absent),
            path=data,
            remedy="it should hold webnlg2020 and webnlg2017, each with test, systems and human",
        )
    return Reproduction(found, signature, "years")


def _chapter(study: CorrelationStudy, seed: int) -> Chapter:
    name, heading = str(study.year), f"WebNLG {study.year}"
    if not study.ids:
        return Chapter(name, heading, absent=study.absent or ["human ratings of any text"])
    # All texts of 2017 are public, so differences are not due to sampling.
    matrices = Matrices(study, n=RESAMPLES if study.year == 2020 else 0, seed=seed)
    sections = [summary(matrices)]
    if study.year == 2017:
        sections.append(readings(matrices))
    sections.append(differences(matrices))
    sections += [side_by_side(matrices, table) for table in tables_of(study.year)]
    return Chapter(name, heading, sections, study.absent)
