"""A sample as people read it and as machines do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from adequa.human.campaign.model import SampledText
from adequa.human.sampling.plan import Need, empty_texts
from adequa.human.sampling.sample import Sample, SampleCell, SampleExclusion
from adequa.tables import Cell as TableCell
from adequa.tables import Table

SHORT = "*"
_MOST_NAMED = 12


def cells_table(sample: Sample) -> Table:
    """Drawn of wanted in each cell, the last field across; short cells are marked."""
    title = f"Inputs drawn of those wanted, by {_named(sample)}"
    if len(sample.by) < 2:
        heads = [sample.by[0] if sample.by else "inputs"]
        rows: list[list[TableCell]] = [
            [*(one.values or ("all",)), one.inputs, _entry(one)] for one in sample.cells
        ]
        return Table(title, [*heads, "there are", "drawn"], rows)
    down: dict[str, list[SampleCell]] = {}
    for one in sample.cells:
        down.setdefault(" · ".join(one.values[:-1]), []).append(one)
    across = dict.fromkeys(one.values[-1] for one in sample.cells)
    return Table(
        title,
        [" · ".join(sample.by[:-1]), *(f"{sample.by[-1]} {value}" for value in across)],
        [[name, *map(_entry, cells)] for name, cells in down.items()],
    )


def _entry(cell: SampleCell) -> str | None:
    if not cell.inputs:
        return None
    return f"{cell.drawn}/{cell.wanted}{SHORT if cell.is_short else ''}"


def _named(sample: Sample) -> str:
    fields = [*sample.by, *([f"score ({', '.join(sample.levels)})"] if sample.levels[1:] else [])]
    return " × ".join(fields) or "nothing"


def render(
    sample: Sample,
    texts: Sequence[SampledText],
    tasks: Sequence[Need],
    *,
    score: str | None,
) -> str:
    """The cells, what could not be filled or was left out, and what the campaign asks for."""
    parts = [cells_table(sample).text()]
    parts.append("\n".join([*_unfilled(sample), *_notes(sample, score)]))
    parts.append(_sizes(sample, texts))
    parts.append(_tasks_table(tasks).text())
    parts.append("\n".join(_needed(texts, tasks)))
    return "\n\n".join(part for part in parts if part)


def _unfilled(sample: Sample) -> list[str]:
    short = [cell for cell in sample.cells if cell.is_short and cell.inputs]
    empty = [cell for cell in sample.cells if not cell.inputs]
    lines = [
        f"{SHORT} {_place(sample, cell)}: {cell.wanted} wanted, {_inputs(cell.inputs)} there"
        for cell in short
    ]
    if empty:
        names = [_place(sample, cell) for cell in empty[:_MOST_NAMED]]
        more = " …" if len(empty) > _MOST_NAMED else ""
        lines.append(f"– {len(empty)} cells have no input: {'; '.join(names)}{more}")
    return lines or ["Every cell was filled."]


def _place(sample: Sample, cell: SampleCell) -> str:
    pairs = zip(sample.by, cell.values, strict=True)
    return ", ".join(f"{name} {value}" for name, value in pairs) or "all"


def _inputs(count: int) -> str:
    return f"{count:,} input{'' if count == 1 else 's'}"


def _notes(sample: Sample, score: str | None) -> list[str]:
    notes = []
    if score is not None:
        notes.append(
            f"Levels ({', '.join(sample.levels)}) are equal parts of a cell by {score}, averaged "
            "over the systems of each input."
        )
    if sample.partly_scored:
        notes.append(f"For {_inputs(sample.partly_scored)} some system's text has no {score}.")
    blurred = sum(cell.blurred for cell in sample.cells)
    if blurred:
        notes.append(
            f"In {blurred} of {len(sample.cells)} cells a border between two levels runs through "
            f"equal scores: there chance decides, not {score or 'the score'}."
        )
    if sample.over:
        notes.append(f"{_inputs(sample.over)} more would have filled the cells (--max).")
    return notes + _left_out(sample.left_out)


def _left_out(left_out: SampleExclusion) -> list[str]:
    notes = []
    if left_out.incomplete:
        lacking = ", ".join(f"{name} {count:,}" for name, count in left_out.lacking.items())
        notes.append(
            f"Left out: {_inputs(left_out.incomplete)} without a text of every system "
            f"(lacking: {lacking})."
        )
    if left_out.different:
        notes.append(f"Left out: {_inputs(left_out.different)} with other data in some system.")
    if left_out.not_scorable:
        notes.append(f"Left out: {_inputs(left_out.not_scorable)} without a score.")
    return notes


def _sizes(sample: Sample, texts: Sequence[SampledText]) -> str:
    drawn = len(sample.inputs) * len(sample.systems)
    systems = f"{len(sample.systems)} system{'' if len(sample.systems) == 1 else 's'}"
    line = f"{_inputs(len(sample.inputs))} × {systems} = {drawn:,} texts"
    controls = sum(bool(text.control) for text in texts)
    if controls:
        line += f"; {controls:,} control items, {len(texts) - drawn:,} of them beside the sample"
    return f"{line} (seed {sample.seed})"


def _tasks_table(tasks: Sequence[Need]) -> Table:
    return Table(
        "Tasks",
        ["task", "inputs", "texts", "shown", "judgments", "raters at least"],
        [[one.task, one.inputs, one.texts, one.shown, one.judgments, one.raters] for one in tasks],
    )


def _needed(texts: Sequence[SampledText], tasks: Sequence[Need]) -> list[str]:
    fewest = raters(tasks)
    judgments = sum(one.judgments for one in tasks)
    every, one_each = fewest["every_task"], fewest["one_task"]
    said = f"{judgments:,} judgments, by at least {every:,} raters"
    if one_each > every:
        said += f" who work on every task, or {one_each:,} who work on one each"
    lines = [f"{said}."]
    empty = empty_texts(texts)
    if empty:
        counts = ", ".join(f"{system} {count:,}" for system, count in empty.items())
        lines.append(f"Empty texts are not shown and get the lowest score: {counts}.")
    return lines


def raters(tasks: Sequence[Need]) -> dict[str, int]:
    """The fewest raters, by whether each works on every task or on one."""
    counts = [one.raters for one in tasks]
    return {"every_task": max(counts, default=0), "one_task": sum(counts)}


def to_object(
    sample: Sample,
    texts: Sequence[SampledText],
    tasks: Sequence[Need],
    *,
    score: str | None,
) -> dict[str, Any]:
    """The same for machines, and the drawn inputs one by one."""
    cells = [_cell_object(sample, cell) for cell in sample.cells]
    return {
        "seed": sample.seed,
        "by": list(sample.by),
        "score": score,
        "levels": list(sample.levels),
        "systems": list(sample.systems),
        "inputs": len(sample.inputs),
        "texts": len(texts),
        "shown": sum(text.is_shown for text in texts),
        "controls": sum(bool(text.control) for text in texts),
        "cells": cells,
        "unfilled": [one for one in cells if one["inputs"] < one["wanted"]],
        "partly_scored": sample.partly_scored,
        "blurred_cells": sum(cell.blurred for cell in sample.cells),
        "left_out": asdict(sample.left_out) | {"over_max": sample.over},
        "tasks": [asdict(one) for one in tasks],
        "judgments": sum(one.judgments for one in tasks),
        "raters": raters(tasks),
        "empty": empty_texts(texts),
        "sample": [
            {"id": one.id, "cell": dict(one.cell), "score": _rounded(one.score)}
            for one in sample.inputs
        ],
    }


def _cell_object(sample: Sample, cell: SampleCell) -> dict[str, Any]:
    values: Mapping[str, str] = dict(zip(sample.by, cell.values, strict=True))
    return {
        "cell": values,
        "inputs": cell.inputs,
        "wanted": cell.wanted,
        "drawn": cell.drawn,
        "blurred": cell.blurred,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
