"""A study as tables for people: criteria across, metrics down, the best of a column marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from adequa.correlate.ceiling import ONE_RATER
from adequa.correlate.measuring import ACCURACY, SOFT_ACCURACY
from adequa.correlate.model import Agreement, Beaten, Ranking, Study
from adequa.correlate.objects import to_rows
from adequa.errors import UnknownName
from adequa.tables import Cell, Column, Table

__all__ = ["FORMATS", "TITLES", "render", "variables"]

FORMATS = ("text", "markdown", "latex", "csv")
TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    ACCURACY: "Pairwise accuracy (acc_eq, ε calibrated on these ratings)",
    SOFT_ACCURACY: "Soft pairwise accuracy",
}
_LEVELS = {
    "text": "texts of all systems in one pool",
    "item": "over the systems of each input, then averaged",
    "system-mean": "over the texts of each system, then averaged",
    "system": "systems by their means",
}
_GROUPS = {"item": "inputs", "system-mean": "systems"}
_BEST = "*"
Place = tuple[str, str, str]
"""Subset, level and coefficient: what one table is about."""


def render(study: Study, form: str) -> str:
    """All tables and notes in a form; CSV is one table, a row a result, with values as they are."""
    if form not in FORMATS:
        raise UnknownName("table", form, FORMATS)
    if form == "csv":
        return _long(study).csv()
    tables = [*_tables(study)]
    if form == "latex":
        notes = [f"% {note}" for note in _notes(study)]
        return "\n\n".join([*(table.latex() for table in tables), "\n".join(notes)])
    if form == "markdown":
        notes = [f"- {note}" for note in _notes(study)]
        return "\n\n".join([*(table.markdown() for table in tables), "\n".join(notes)])
    notes = [f"note: {note}" for note in _notes(study)]
    return "\n\n".join([*(table.text() for table in tables), "\n".join(notes)])


def _tables(study: Study) -> Iterator[Table]:
    direction = study.higher_is_better
    for (subset, level, coefficient), found in _by_place(study.results).items():
        rows = list(found)
        if (level, subset) == ("text", "all"):
            rows += [one for one in study.ceiling if one.coefficient == coefficient]
        title = f"{TITLES[coefficient]}, {_LEVELS[level]}"
        if subset != "all":
            title += f", subset {subset}"
        yield _agreements(title, rows, direction, study)
    for (_, _, coefficient), people in _by_place(study.ceiling).items():
        metrics = [one for one in study.footing if one.coefficient == coefficient]
        title = (
            f"{TITLES[coefficient]} with the mean of all raters but one, by text and rater left out"
        )
        yield _agreements(title, [*metrics, *people], direction, study)
    for place, compared in _by_place(study.comparisons).items():
        yield _comparisons(place, compared, study)
    for place, found in _by_place(study.matrices).items():
        yield _matrix(place, found, study)
    for ranking in study.ranking:
        yield _ranking(ranking)


def _by_place(found: Iterable[Any]) -> dict[Place, list[Any]]:
    places: dict[Place, list[Any]] = {}
    for one in found:
        places.setdefault((one.subset, one.level, one.coefficient), []).append(one)
    return places


def _agreements(
    title: str, found: Sequence[Agreement], direction: Mapping[str, bool], study: Study
) -> Table:
    cells = {(one.metric, one.criterion): one for one in found}
    metrics, criteria = _names(found)
    best = {name: _best(found, name, direction) for name in criteria}
    counts = {one.n for one in found if one.metric != ONE_RATER}
    if len(counts) == 1:
        title += f" (n = {counts.pop():,}"
        title += f"; [{study.options.confidence:.0%} interval])" if _has_intervals(found) else ")"
    with_groups = any(one.groups is not None for one in found)
    rows: list[list[Cell]] = []
    for metric in metrics:
        row: list[Cell] = [metric]
        for criterion in criteria:
            one = cells.get((metric, criterion))
            value = None if one is None else _oriented(one, direction)
            row.append(_cell(one, _BEST if value is not None and value == best[criterion] else ""))
        if with_groups:
            row.append(_range([one.groups for one in found if one.metric == metric]))
        if len(counts) > 1:
            row.append(_range([one.n for one in found if one.metric == metric]))
        rows.append(row)
    headings: list[str | Column] = ["metric", *(Column(name, align="right") for name in criteria)]
    if with_groups:
        headings.append(Column(_GROUPS[found[0].level], align="right"))
    if len(counts) > 1:
        headings.append(Column("n", align="right"))
    return Table(title, headings, rows)


def _names(found: Sequence[Agreement]) -> tuple[list[str], list[str]]:
    return (
        list(dict.fromkeys(one.metric for one in found)),
        list(dict.fromkeys(one.criterion for one in found)),
    )


def _best(
    found: Sequence[Agreement], criterion: str, direction: Mapping[str, bool]
) -> float | None:
    oriented = [_oriented(one, direction) for one in found if one.criterion == criterion]
    return max((value for value in oriented if value is not None), default=None)


def _has_intervals(found: Sequence[Agreement]) -> bool:
    return any(one.interval for one in found)


def _oriented(one: Agreement, direction: Mapping[str, bool]) -> float | None:
    """Accuracies are turned round already; correlations keep their sign."""
    if one.value is None or one.metric == ONE_RATER:
        return None
    turned = not direction[one.metric] and one.coefficient in ("pearson", "spearman", "kendall")
    return -one.value if turned else one.value


def _cell(one: Agreement | None, mark: str) -> str | None:
    if one is None or one.value is None:
        return None
    shown = f"{one.value:.3f}{mark}"
    if one.interval is not None:
        shown += f" [{one.interval[0]:.2f}, {one.interval[1]:.2f}]"
    if one.epsilon is not None:
        shown += f" ε {one.epsilon:.3g}"
    return shown.replace("-0.000", "0.000")


def _range(counts: Iterable[int | None]) -> str | None:
    there = [count for count in counts if count is not None]
    if not there:
        return None
    least, most = min(there), max(there)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def _comparisons(place: Place, compared: Sequence[Beaten], study: Study) -> Table:
    subset, level, coefficient = place
    alpha = 1 - study.options.confidence
    with_williams = any(one.williams_p is not None for one in compared)
    rows: list[list[Cell]] = []
    for one in compared:
        winner = None
        if one.permutation_corrected is not None and one.permutation_corrected < alpha:
            winner = one.metric if (one.difference or 0) > 0 else one.against
        row: list[Cell] = [one.metric, one.criterion, one.difference]
        row += [_chance(one.permutation_p), _chance(one.permutation_corrected)]
        if with_williams:
            row += [_chance(one.williams_p), _chance(one.williams_corrected)]
        rows.append([*row, winner])
    headings: list[str | Column] = [
        "metric",
        "criterion",
        "difference",
        Column("p PERM-BOTH", align="right"),
        Column("corrected", align="right"),
    ]
    if with_williams:
        headings.append(Column("p Williams", align="right"))
        headings.append(Column("corrected (Williams)", align="right"))
    title = f"Against {study.against}: {TITLES[coefficient]}, {_LEVELS[level]}"
    title += "" if subset == "all" else f", subset {subset}"
    return Table(title, [*headings, "better"], rows)


def _chance(p: float | None) -> str | None:
    """A p-value, never shown as zero."""
    return None if p is None else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def variables(found: Sequence[Agreement]) -> list[str]:
    """The names along both sides of a matrix, from its pairs."""
    return list(dict.fromkeys(name for one in found for name in (one.metric, one.criterion)))


def _matrix(place: Place, found: Sequence[Agreement], study: Study) -> Table:
    subset, level, coefficient = place
    names = variables(found)
    cells = {frozenset((one.metric, one.criterion)): one for one in found}
    alpha = 1 - study.options.confidence
    rows: list[list[Cell]] = []
    for number, name in enumerate(names):
        row: list[Cell] = [name]
        for other in names[:number]:
            one = cells[frozenset((name, other))]
            unsure = one.p is not None and one.p >= alpha
            shown = None if one.value is None else f"{one.value:.2f}".replace("-0.00", "0.00")
            row.append(f"({shown})" if unsure and shown is not None else shown)
        rows.append([*row, *[""] * (len(names) - number)])
    title = f"Everything with everything: {TITLES[coefficient]}, {_LEVELS[level]}"
    title += "" if subset == "all" else f", subset {subset}"
    title += f"; in brackets: p is {alpha:.3g} or more"
    return Table(title, ["", *(Column(name, align="right") for name in names)], rows)


def _ranking(ranking: Ranking) -> Table:
    together = "not defined" if ranking.kendall is None else f"{ranking.kendall:.3f}"
    title = (
        f"Systems by {ranking.metric} ({ranking.kind}): Kendall between both rankings {together}"
    )
    rows: list[list[Cell]] = [
        [
            rank.sample_rank,
            rank.system,
            rank.sample,
            rank.texts,
            rank.whole,
            rank.all_texts,
            rank.whole_rank,
            f"{rank.change:+d}" if rank.change else "",
        ]
        for rank in ranking.ranks
    ]
    headings: list[str | Column] = ["rank", "system", "on rated texts", "rated"]
    headings += ["on all texts", "all", "rank on all", Column("change", align="right")]
    return Table(title, headings, rows)


def _notes(study: Study) -> list[str]:
    own = [f"{_BEST} the best of its column; intervals: {study.options.n:,} resamples of inputs"]
    if any(one.groups is not None for one in study.results):
        own.append(
            "inputs, systems: those a mean is over; where a metric or people give all the same "
            "value there is no coefficient"
        )
    if study.matrices:
        own.append("p takes texts for independent, which those on one input are not")
    if study.ceiling:
        own.append(
            f"{ONE_RATER}: one rater with the mean of the others, over "
            f"{study.ceiling[0].n:,} pairs of text and rater"
        )
    if study.comparisons:
        own.append("corrected: Holm, over metrics and criteria of a table; better: by PERM-BOTH")
    return [*own, *study.notes]


def _long(study: Study) -> Table:
    rows = to_rows(study)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table("", names, [[row.get(name) for name in names] for row in rows])
