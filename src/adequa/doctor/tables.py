"""An examination as tables, with its conclusions, as text or for machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from adequa.doctor.examination import Examination, Share
from adequa.doctor.examples import Missed
from adequa.doctor.objects import cell_object, to_object
from adequa.doctor.thresholds import Advice
from adequa.doctor.words import conclusions
from adequa.errors import UnknownName
from adequa.tables import NOTHING, Cell, Column, Table, escape_markdown, one_line

__all__ = ["FORMATS", "doctor_tables", "render"]

_WRITERS: Mapping[str, Callable[[Table], str]] = {
    "text": Table.text,
    "markdown": Table.markdown,
    "latex": Table.latex,
    "csv": Table.csv,
}
FORMATS = (*_WRITERS, "json")

_LEGEND = (
    "score falls: cases in which the changed copy scores worse than its original (ties apart, in "
    "the next column); AUC: how well the score tells all originals from all changed copies; "
    "noticed: cases in which the verdict has a right fault that the original's had not (an "
    "original with that fault already counts as not noticed); right place: cases in which a "
    "finding is at the change, and none was on the original. In brackets Wilson's 95 % intervals."
)
_UPPER = (
    "What a metric says of unchanged texts are false alarms only as far as the texts are right: "
    "the shares are upper bounds."
)
_SELECTION = (
    "Cases are made where adequa's own detector finds the names, so what it overlooks is not asked "
    "for, which favours esa; and faults made by rule are plainer than those that systems make."
)


def render(
    examination: Examination,
    form: str = "text",
    *,
    missed: Sequence[Missed] = (),
    advice: Sequence[Advice] = (),
) -> str:
    """All of it in one of the formats, without a newline at the end."""
    if form == "json":
        return json.dumps(
            to_object(examination, missed=missed, advice=advice),
            ensure_ascii=False,
            allow_nan=False,
            indent=2,
        )
    if form not in _WRITERS:
        raise UnknownName("format", form, FORMATS)
    if form == "csv":
        return _long_table(examination).csv()
    tables = [_WRITERS[form](table) for table in doctor_tables(examination, advice)]
    words = [
        _LEGEND,
        _UPPER,
        _SELECTION,
        *conclusions(examination),
        *(one.why + "." for one in advice),
    ]
    remarks = [one_line(remark) for remark in words]
    examples = ["\n".join(one_line(line) for line in one.lines()) for one in missed]
    if form == "latex":
        written = [line for part in (*remarks, *examples) for line in part.split("\n")]
        return "\n\n".join([*tables, "\n".join(f"% {line}" for line in written)])
    if form == "markdown":
        remarks = [escape_markdown(remark) for remark in remarks]
        examples = [f"```\n{one.replace('```', '` ` `')}\n```" for one in examples]
    return "\n\n".join([*tables, *remarks, *examples])


def doctor_tables(examination: Examination, advice: Sequence[Advice] = ()) -> list[Table]:
    """Metrics by perturbations; what was made; the unchanged; thresholds of each metric."""
    return [
        _cells_table(examination),
        _made_table(examination),
        _alarms_table(examination),
        *(_curve_table(one) for one in advice),
    ]


def _cells_table(examination: Examination) -> Table:
    columns: list[str | Column] = [
        "perturbation",
        "metric",
        "cases",
        Column("score falls", align="right"),
        "ties",
        Column("mean change", 3),
        Column("AUC", 2),
        Column("noticed", align="right"),
        Column("right place", align="right"),
    ]
    rows: list[list[Cell]] = [
        [
            cell.perturbation,
            cell.metric,
            len(cell.seen),
            _shown(cell.falls),
            cell.ties if cell.falls.total else None,
            cell.change,
            cell.auc,
            _shown(cell.noticed),
            _shown(cell.located),
        ]
        for cell in examination.cells
    ]
    return Table("What each metric sees", columns, rows)


def _shown(share: Share) -> str:
    interval = share.interval
    if share.value is None or interval is None:
        return NOTHING
    return f"{share.value:.2f} ({interval[0]:.2f}–{interval[1]:.2f})"


def _made_table(examination: Examination) -> Table:
    title = f"What was changed: {examination.originals:,} items, each in some ways"
    rows: list[list[Cell]] = [
        [
            made.perturbation.name,
            made.perturbation.side,
            made.perturbation.doc,
            made.items,
            made.allowed,
            len(made.cases),
        ]
        for made in examination.made
    ]
    return Table(title, ["perturbation", "side", "change", "items", "allow it", "cases"], rows)


def _alarms_table(examination: Examination) -> Table:
    columns: list[str | Column] = [
        "metric",
        "texts",
        Column("mean score", 3),
        "not scorable",
        Column("complains", align="right"),
        Column("omission", align="right"),
        Column("hallucination", align="right"),
    ]
    rows: list[list[Cell]] = [
        [
            one.metric,
            examination.originals,
            one.score,
            one.unscored,
            _shown(one.any),
            _shown(one.omission),
            _shown(one.hallucination),
        ]
        for one in examination.alarms
    ]
    return Table("What each metric says of the unchanged texts", columns, rows)


def _curve_table(advice: Advice) -> Table:
    title = (
        f"Texts accepted by {advice.metric}: {advice.labelled:,} labelled, {advice.bad:,} bad, "
        f"risk wanted at most {advice.target:g}"
    )
    columns: list[str | Column] = [
        Column("threshold", 4),
        "accepted",
        Column("coverage", 2),
        "bad",
        Column("risk", align="right"),
        Column("risk below", 3),
        "",
    ]
    rows: list[list[Cell]] = [
        [
            one.threshold,
            one.coverage.count,
            one.coverage.value,
            one.risk.count,
            _shown(one.risk),
            one.bound,
            "recommended" if one == advice.chosen else "",
        ]
        for one in advice.curve
    ]
    return Table(title, columns, rows)


def _long_table(examination: Examination) -> Table:
    """A row a cell, for a spreadsheet."""
    records = [cell_object(cell) for cell in examination.cells]
    columns = list(records[0])
    rows: list[list[Cell]] = []
    for record in records:
        row: list[Cell] = []
        for name in columns:
            value = record[name]
            row.append(value["value"] if isinstance(value, dict) else value)
        rows.append(row)
    return Table("", columns, rows)
