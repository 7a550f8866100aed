"""The presentation of an examination: conclusions in words, JSON, tables and heat maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from adequa.analysis.doctor.examination import (
    AcceptanceThreshold,
    Advice,
    Alarms,
    Examination,
    MetricCell,
    MissedCase,
    Share,
)
from adequa.charts import heat_map
from adequa.errors import require_known
from adequa.tables import (
    NOTHING,
    TABLE_FORMS,
    Cell,
    Column,
    Table,
    as_json,
    escape_markdown,
    one_line,
    rounded,
)

Sight = Literal["no", "hardly", "part", "likely", "yes", "unknown"]

_OPENINGS: Mapping[Sight, str] = {
    "no": "{first} cannot see",
    "hardly": "{first} seems unable to see",
    "part": "{first} can see only in part",
    "likely": "{first} seems able to see",
    "yes": "{first} can see",
    "unknown": "There are too few cases to say whether {name} can see",
}
_MOST, _FEW, _CHANCE = 0.75, 0.25, 0.5
"""Shares of cases that count as most and as hardly any, and what chance gives for a score without a
verdict. They only choose words; there is no record of the data they were chosen on."""
_WIDE = 0.5
"""An interval as wide as this is uninformative; no record of the data it was chosen on."""


def conclusions(examination: Examination) -> list[str]:
    """A few sentences per metric: which faults it sees, which not, and its false alarms."""
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
    name = first = metric
    if metric not in examination.signatures:
        name, first = "the joined verdict", "The joined verdict"
    for sight, opening in _OPENINGS.items():
        if sight in found:
            yield f"{opening.format(name=name, first=first)} {_listed(found[sight])}."
    if silent:
        yield f"Its score falls where its verdict stays: {_listed(silent)}."
    if astray:
        yield f"It seldom points at the right place of {_listed(astray)}."
    if alarms.any.total:
        yield f"It complains of {alarms.any} unchanged texts."
    else:
        yield "It gives no verdicts: a case counts where the score falls."


def _measure(cell: MetricCell) -> Share:
    """The share that counts: of the verdicts, or of the score of a metric that gives none."""
    return cell.noticed if cell.noticed.total else cell.falls


def _sight(cell: MetricCell) -> Sight:
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


def _falls_silently(cell: MetricCell) -> bool:
    """Whether the score is lower in most cases, and the verdict the same in most."""
    interval = cell.falls.interval
    if interval is None or not cell.noticed.total:
        return False
    return interval[0] >= _MOST and cell.noticed.count * 2 < cell.noticed.total


def _listed(things: list[str]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"


def to_object(
    examination: Examination, *, missed: Sequence[MissedCase] = (), advice: Sequence[Advice] = ()
) -> dict[str, Any]:
    """The examination as a JSON object."""
    return {
        "originals": examination.originals,
        "metrics": dict(examination.signatures),
        "perturbations": [
            {
                "name": made.perturbation.name,
                "side": made.perturbation.side,
                "change": made.perturbation.doc,
                "kinds": sorted(made.perturbation.kinds),
                "items": made.items,
                "allowed": made.allowed,
                "cases": len(made.cases),
            }
            for made in examination.made
        ],
        "cells": [cell_object(cell) for cell in examination.cells],
        "unchanged": [
            {
                "metric": one.metric,
                "texts": examination.originals,
                "score": rounded(one.score),
                "not_scorable": one.unscored,
                "complains": _share_object(one.any),
                "omission": _share_object(one.omission),
                "hallucination": _share_object(one.hallucination),
            }
            for one in examination.alarms
        ],
        "conclusions": conclusions(examination),
        "missed": [_missed_object(one) for one in missed],
        "thresholds": [_advice_object(one) for one in advice],
    }


def cell_object(cell: MetricCell) -> dict[str, Any]:
    """One metric on one perturbation as a JSON object."""
    return {
        "perturbation": cell.perturbation,
        "metric": cell.metric,
        "cases": len(cell.seen),
        "not_scorable": cell.unscored,
        "falls": _share_object(cell.falls),
        "ties": cell.ties,
        "change": rounded(cell.change),
        "auc": rounded(cell.auc),
        "noticed": _share_object(cell.noticed),
        "right_place": _share_object(cell.located),
    }


def _share_object(share: Share) -> dict[str, Any]:
    interval = share.interval
    return {
        "count": share.count,
        "total": share.total,
        "value": rounded(share.value),
        "interval": None if interval is None else [rounded(end) for end in interval],
    }


def _missed_object(missed: MissedCase) -> dict[str, Any]:
    case = missed.case
    return {
        "metric": missed.metric,
        "perturbation": missed.perturbation,
        "system": case.original.system,
        "id": case.original.id,
        "what": case.change.what,
        "scores": [rounded(missed.original), rounded(missed.changed)],
        "before": {"text": case.original.text, "spans": [list(one) for one in case.change.before]},
        "after": {
            "text": case.changed.text,
            "spans": [list(one) for one in case.change.after],
            "triples": [list(one) for one in case.changed.triples],
        },
    }


def _advice_object(advice: Advice) -> dict[str, Any]:
    return {
        "metric": advice.metric,
        "labelled": advice.labelled,
        "bad": advice.bad,
        "risk": advice.target,
        "level": advice.level,
        "recommended": advice.chosen and _step_object(advice.chosen),
        "why": advice.why,
        "curve": [_step_object(one) for one in advice.curve],
    }


def _step_object(step: AcceptanceThreshold) -> dict[str, Any]:
    return {
        "threshold": step.threshold,
        "coverage": _share_object(step.coverage),
        "risk": _share_object(step.risk),
        "bound": rounded(step.bound),
    }


FORMATS = (*TABLE_FORMS, "csv", "json")

_LEGENDS = (
    (
        "score falls: cases in which the changed copy scores worse than its original (ties are in "
        "the next column); AUC: how well the score separates all originals from all changed copies;"
        " noticed: cases in which the verdict has a right fault that the original's had not (an "
        "original with that fault already counts as not noticed); right place: cases in which a "
        "finding is at the change, and none was on the original. In brackets Wilson's 95 % "
        "intervals."
    ),
    (
        "Complaints about unchanged texts are false alarms only if the texts are right: the shares "
        "are upper bounds."
    ),
    (
        "Cases are made where adequa's own detector finds the names, so names that it overlooks "
        "are not tested, which favours esa; and faults made by rule are plainer than those that "
        "systems make."
    ),
)


def render(
    examination: Examination,
    form: str = "text",
    *,
    missed: Sequence[MissedCase] = (),
    advice: Sequence[Advice] = (),
) -> str:
    """The examination in one of the formats, without a newline at the end."""
    if form == "json":
        return as_json(to_object(examination, missed=missed, advice=advice))
    if form == "csv":
        return _long_table(examination).csv()
    require_known("format", [form], FORMATS)
    tables = [TABLE_FORMS[form](table) for table in doctor_tables(examination, advice)]
    words = [*_LEGENDS, *conclusions(examination), *(one.why + "." for one in advice)]
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
    """Metrics by perturbations; the cases; the unchanged texts; thresholds of each metric."""
    return [
        _cells_table(examination),
        _made_table(examination),
        _alarms_table(examination),
        *(_curve_table(one) for one in advice),
    ]


def _cells_table(examination: Examination) -> Table:
    """A change that no item allowed has no row; the next table says so."""
    return Table.of(
        "What each metric sees",
        [cell for cell in examination.cells if cell.seen],
        {
            "perturbation": "perturbation",
            "metric": "metric",
            "cases": lambda cell: len(cell.seen),
            Column("score falls", align="right"): lambda cell: _shown(cell.falls),
            "ties": lambda cell: cell.ties if cell.falls.total else None,
            Column("mean change", 3): "change",
            Column("AUC", 2): "auc",
            Column("noticed", align="right"): lambda cell: _shown(cell.noticed),
            Column("right place", align="right"): lambda cell: _shown(cell.located),
        },
    )


def _shown(share: Share) -> str:
    interval = share.interval
    if share.value is None or interval is None:
        return NOTHING
    return f"{share.value:.2f} ({interval[0]:.2f}–{interval[1]:.2f})"


def _made_table(examination: Examination) -> Table:
    return Table.of(
        f"What was changed: {examination.originals:,} items, each in some ways",
        examination.made,
        {
            "perturbation": "perturbation.name",
            "side": "perturbation.side",
            "change": "perturbation.doc",
            "items": "items",
            "allow it": "allowed",
            "cases": lambda made: len(made.cases),
        },
    )


def _alarms_table(examination: Examination) -> Table:
    return Table.of(
        "Each metric on the unchanged texts",
        examination.alarms,
        {
            "metric": "metric",
            "texts": lambda _: examination.originals,
            Column("mean score", 3): "score",
            "not scorable": "unscored",
            Column("complains", align="right"): lambda one: _shown(one.any),
            Column("omission", align="right"): lambda one: _shown(one.omission),
            Column("hallucination", align="right"): lambda one: _shown(one.hallucination),
        },
    )


def _curve_table(advice: Advice) -> Table:
    return Table.of(
        f"Texts accepted by {advice.metric}: {advice.labelled:,} labelled, {advice.bad:,} bad, "
        f"risk wanted at most {advice.target:g}",
        advice.curve,
        {
            Column("threshold", 4): "threshold",
            "accepted": "coverage.count",
            Column("coverage", 2): "coverage.value",
            "bad": "risk.count",
            Column("risk", align="right"): lambda one: _shown(one.risk),
            Column("risk below", 3): "bound",
            "": lambda one: "recommended" if one == advice.chosen else "",
        },
    )


def _long_table(examination: Examination) -> Table:
    """One row per cell, for a spreadsheet."""
    records = [cell_object(cell) for cell in examination.cells]
    rows: list[list[Cell]] = [
        [value["value"] if isinstance(value, dict) else value for value in record.values()]
        for record in records
    ]
    return Table("", list(records[0]), rows)


_PICTURES: Mapping[str, tuple[str, Callable[[MetricCell], float | None]]] = {
    "score-falls": ("Share of changed texts with a worse score", lambda cell: cell.falls.value),
    "noticed": ("Share of changes that the verdict notices", lambda cell: cell.noticed.value),
    "right-place": ("Share of changes that a finding points at", lambda cell: cell.located.value),
}


def doctor_pictures(examination: Examination) -> dict[str, str]:
    """Heat maps of perturbations by metrics as SVG; a metric without values is left out."""
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
