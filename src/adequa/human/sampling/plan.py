"""From a sample to a campaign: tasks, control items, the raters needed, and the plan as tables."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from adequa.data import Item, Rating
from adequa.errors import DataError, UnknownName
from adequa.fields import grouped, natural_order
from adequa.files import errors_at, read_json, read_text
from adequa.human.campaign import settings
from adequa.human.campaign.model import Campaign, Question, SampledText
from adequa.human.judgments import Key, gather
from adequa.human.sampling.sample import Sample, SampleCell
from adequa.tables import Cell, Table, counted, rounded

CONTROL_CELL = {"control": "yes"}
"""The cell of texts that were added because their answer is known."""
SHORT = "*"
_MOST_NAMED = 12
"""Empty cells that the plan lists by name."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Need:
    """The work of one task."""

    task: str
    inputs: int
    texts: int
    shown: int
    judgments: int
    raters: int
    """The fewest raters who can give all judgments, each within the limit and no text twice."""


def sampled_texts(sample: Sample, task: Callable[[Item], str]) -> list[SampledText]:
    """Every system's text of every drawn input, input after input."""
    return [
        SampledText(item, task(item), drawn.cell) for drawn in sample.inputs for item in drawn.texts
    ]


def paired_texts(sample: Sample, task: Callable[[Item], str]) -> list[SampledText]:
    """Every two systems' texts of every drawn input, to be compared with each other."""
    made = []
    for drawn in sample.inputs:
        texts = sorted(drawn.texts, key=lambda item: item.system)
        for first, second in combinations(texts, 2):
            systems = [first.system, second.system]
            rival = {"systems": systems, "text": second.text}
            item = replace(first, system=" vs ".join(systems), meta={**first.meta, "rival": rival})
            made.append(SampledText(item, task(item), drawn.cell))
    if not made:
        raise DataError("there are no two systems to compare", remedy="give texts of two systems")
    return made


def require_symmetric(questions: Iterable[Question]) -> None:
    """Raise unless every question can be answered for either of two texts."""
    for question in questions:
        values = {choice.value for choice in question.choices}
        if not values or values != {-value for value in values}:
            raise DataError(
                f"the question {question.name!r} is not about two texts",
                remedy="give choices whose values are opposite numbers: 1, 0 and -1",
            )


def with_controls(
    texts: Sequence[SampledText],
    file: Path,
    pool: Sequence[Item],
    questions: Sequence[Question],
    task: Callable[[Item], str],
) -> list[SampledText]:
    """The texts with the right answers of a file of ratings.

    Texts of the pool that were not drawn are added if the file has their answers.
    """
    drawn = {text.item.key for text in texts}
    there = {item.key: item for item in pool} | {text.item.key: text.item for text in texts}
    known = gather([file], items=pool)
    with errors_at(file):
        controls = _by_text(known, {question.name: question for question in questions})
        _validate_controls(sorted(controls), there)
    return [
        *(replace(text, control=controls.get(text.item.key, {})) for text in texts),
        *(
            SampledText(there[key], task(there[key]), CONTROL_CELL, controls[key])
            for key in sorted(controls.keys() - drawn)
        ),
    ]


def _validate_controls(controls: Iterable[Key], there: Mapping[Key, Item]) -> None:
    for system, one in controls:
        if (system, one) not in there:
            raise DataError(
                f"the control item {one!r} of {system!r} is not among the texts",
                remedy="write its system and id as in the run",
            )
        if not there[system, one].text.strip():
            raise DataError(
                f"the control item {one!r} of {system!r} is empty and not shown to anybody",
                remedy="take it out of the controls",
            )


def _by_text(
    known: Iterable[Rating], questions: Mapping[str, Question]
) -> dict[Key, dict[str, float]]:
    controls: dict[Key, dict[str, float]] = {}
    for rating in known:
        where = f"the control item {rating.id!r} of {rating.system!r}"
        question = questions.get(rating.criterion)
        if question is None:
            raise DataError(
                f"{where} is about {rating.criterion!r}, which is not asked",
                remedy=f"the questions are {', '.join(questions)}",
            )
        if not _on_scale(question, rating.value):
            raise DataError(
                f"{where} has {rating.value:g} for {rating.criterion!r}, which is not on the scale",
                remedy="write a value of the question's scale",
            )
        answers = controls.setdefault((rating.system, rating.id), {})
        if answers.setdefault(rating.criterion, rating.value) != rating.value:
            raise DataError(
                f"{where} has two right values for {rating.criterion!r}", remedy="keep one"
            )
    return controls


def _on_scale(question: Question, value: float) -> bool:
    if question.kind == "choice":
        return value in [choice.value for choice in question.choices]
    if question.kind == "slider":
        return question.low <= value <= question.high
    return value >= 0 and value == int(value)


def needs(texts: Iterable[SampledText], campaign: Campaign) -> list[Need]:
    """The work of each task, in the order of their names."""
    tasks = grouped(texts, lambda text: text.task)
    found = []
    for name in sorted(tasks, key=natural_order):
        shown = sum(text.is_shown for text in tasks[name])
        judgments = shown * campaign.raters_per_text
        share = math.ceil(judgments / campaign.texts_per_rater)
        found.append(
            Need(
                task=name,
                inputs=len({text.item.id for text in tasks[name]}),
                texts=len(tasks[name]),
                shown=shown,
                judgments=judgments,
                raters=max(share, campaign.raters_per_text) if shown else 0,
            )
        )
    return found


def empty_texts(texts: Iterable[SampledText]) -> dict[str, int]:
    """By system: the number of empty texts, which are shown to nobody; only systems with any."""
    counts = Counter(text.item.system for text in texts if not text.is_shown)
    return dict(sorted(counts.items()))


def make_campaign(
    name: str,
    *,
    title: str | None = None,
    questions: str = "webnlg2017",
    spans: bool = False,
    instructions: Path | None = None,
    eligibility: Path | None = None,
    **rules: int,
) -> Campaign:
    """The settings of a campaign, validated like a file; `rules` are fields of Campaign."""
    asked = read_questions(questions)
    if spans and settings.SPANS.name not in [question.name for question in asked]:
        asked = (*asked, settings.SPANS)
    shown = "" if instructions is None else read_text(instructions).strip()
    written = settings.campaign_to_object(Campaign(name, title or name, asked, shown)) | rules
    if eligibility is None:
        return settings.campaign_from_object(written)
    settings.campaign_from_object(written)  # errors from here on are those of the file
    raw = read_json(eligibility)
    with errors_at(eligibility):
        return settings.campaign_from_object(written | {"eligibility": _inside(raw, "eligibility")})


def read_questions(named: str) -> tuple[Question, ...]:
    """The questions of a preset, or of a JSON file: a list of questions or a campaign."""
    if named in settings.PRESETS:
        return settings.PRESETS[named]
    path = Path(named)
    if not path.exists() and path.suffix.lower() != ".json":
        raise UnknownName("set of questions", named, [*settings.PRESETS, "FILE.json"])
    with errors_at(path):
        return settings.questions_from_object(_inside(read_json(path), "questions"))


def campaign_name(folder: Path | None) -> str:
    """A campaign's name, made from the name of its folder.

    >>> campaign_name(Path("campaigns/Fähren 2025"))
    'F-hren-2025'
    """
    name = "" if folder is None else folder.resolve().name
    return _NOT_IN_NAMES.sub("-", name).strip("-_.")[:64] or "campaign"


def require_new_folder(folder: Path) -> None:
    """Raise a DataError where the folder already has files, which must not be touched."""
    if settings.is_campaign(folder):
        raise DataError("is already a campaign", path=folder, remedy="name another folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError("already exists", path=folder, remedy="name a new folder")


def _inside(raw: Any, field: str) -> Any:
    """A list that stands alone or in the settings of another campaign."""
    return raw[field] if isinstance(raw, Mapping) and field in raw else raw


def cells_table(sample: Sample) -> Table:
    """Drawn and wanted inputs of each cell, the last field in the columns; short cells marked."""
    levels = [f"score ({', '.join(sample.levels)})"] if sample.levels[1:] else []
    title = f"Inputs drawn / wanted, by {' × '.join([*sample.by, *levels]) or 'nothing'}"
    if len(sample.by) < 2:
        heads = [sample.by[0] if sample.by else "inputs"]
        rows: list[list[Cell]] = [
            [*(one.values or ("all",)), one.inputs, _entry(one)] for one in sample.cells
        ]
        return Table(title, [*heads, "available", "drawn"], rows)
    down = grouped(sample.cells, lambda one: " · ".join(one.values[:-1]))
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


def render_sample(
    sample: Sample, texts: Sequence[SampledText], tasks: Sequence[Need], *, score: str | None
) -> str:
    """The cells, what was not filled or was left out, and the work of the campaign."""
    parts = [cells_table(sample).text()]
    parts.append("\n".join([*_unfilled(sample), *_notes(sample, score)]))
    parts.append(_sizes(sample, texts))
    columns = ["task", "inputs", "texts", "shown", "judgments", "raters (at least)"]
    parts.append(Table("Tasks", columns, [astuple(one) for one in tasks]).text())
    parts.append("\n".join(_needed(texts, tasks)))
    return "\n\n".join(part for part in parts if part)


def _unfilled(sample: Sample) -> list[str]:
    short = [cell for cell in sample.cells if cell.is_short and cell.inputs]
    empty = [cell for cell in sample.cells if not cell.inputs]
    lines = [
        f"{SHORT} {_place(sample, cell)}: {cell.wanted} wanted, "
        f"{counted(cell.inputs, 'input')} available"
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


def _notes(sample: Sample, score: str | None) -> list[str]:
    left_out, blurred = sample.left_out, sum(cell.blurred for cell in sample.cells)
    lacking = ", ".join(f"{name} {count:,}" for name, count in left_out.lacking.items())
    notes = {
        f"Levels ({', '.join(sample.levels)}) are equal parts of a cell by {score}, averaged "
        "over the systems of each input.": score is not None,
        f"For {counted(sample.partly_scored, 'input')} some system's text has no {score}.": (
            sample.partly_scored
        ),
        f"In {blurred} of {len(sample.cells)} cells equal scores lie on both sides of a border "
        f"between levels: there chance decides, not {score or 'the score'}.": blurred,
        f"{counted(sample.over, 'input')} more would have filled the cells.": sample.over,
        f"Left out: {counted(left_out.incomplete, 'input')} without a text of every system "
        f"(lacking: {lacking}).": left_out.incomplete,
        f"Left out: {counted(left_out.different, 'input')} with different data in some system.": (
            left_out.different
        ),
        f"Left out: {counted(left_out.not_scorable, 'input')} without a score.": (
            left_out.not_scorable
        ),
    }
    return [note for note, holds in notes.items() if holds]


def _sizes(sample: Sample, texts: Sequence[SampledText]) -> str:
    drawn = len(sample.inputs) * len(sample.systems)
    systems = counted(len(sample.systems), "system")
    line = f"{counted(len(sample.inputs), 'input')} × {systems} = {drawn:,} texts"
    controls = sum(bool(text.control) for text in texts)
    if controls:
        line += f"; {controls:,} control items, {len(texts) - drawn:,} of them outside the sample"
    return f"{line} (seed {sample.seed})"


def _needed(texts: Sequence[SampledText], tasks: Sequence[Need]) -> list[str]:
    fewest = raters(tasks)
    judgments = sum(one.judgments for one in tasks)
    every, one_each = fewest["every_task"], fewest["one_task"]
    need = f"{judgments:,} judgments, by at least {every:,} raters"
    if one_each > every:
        need += f" who work on every task, or {one_each:,} who work on one each"
    lines = [f"{need}."]
    empty = empty_texts(texts)
    if empty:
        counts = ", ".join(f"{system} {count:,}" for system, count in empty.items())
        lines.append(f"Empty texts are not shown and get the lowest score: {counts}.")
    return lines


def raters(tasks: Sequence[Need]) -> dict[str, int]:
    """The fewest raters, if each works on every task or on one task."""
    counts = [one.raters for one in tasks]
    return {"every_task": max(counts, default=0), "one_task": sum(counts)}


def sample_to_object(
    sample: Sample, texts: Sequence[SampledText], tasks: Sequence[Need], *, score: str | None
) -> dict[str, Any]:
    """The sample and the plan as JSON, with the drawn inputs."""
    cells = [
        {"cell": dict(zip(sample.by, cell.values, strict=True)), **asdict(cell)}
        for cell in sample.cells
    ]
    for cell in cells:
        del cell["values"]
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
            {"id": one.id, "cell": dict(one.cell), "score": rounded(one.score)}
            for one in sample.inputs
        ],
    }
