"""From a sample to a campaign: tasks, control items, and how many people are needed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adequa.data import Item, Rating
from adequa.errors import DataError, UnknownName
from adequa.fields import natural_order
from adequa.files import lines
from adequa.human.campaign.model import Campaign, Question, SampledText
from adequa.human.campaign.settings import (
    PRESETS,
    SPANS,
    campaign_from_object,
    campaign_to_object,
    is_campaign,
    questions_from_object,
)
from adequa.human.judgments import Key, gather
from adequa.human.sampling.sample import Sample
from adequa.strict_json import load_object

CONTROL_CELL = {"control": "yes"}
"""The cell of texts that were not drawn and are there because their answer is known."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one task asks for."""

    task: str
    inputs: int
    texts: int
    shown: int
    judgments: int
    raters: int
    """The fewest who can give all judgments, each up to the limit and no text twice."""


def sampled_texts(sample: Sample, task: Callable[[Item], str]) -> list[SampledText]:
    """Every system's text of every drawn input, input after input."""
    return [
        SampledText(item, task(item), drawn.cell) for drawn in sample.inputs for item in drawn.texts
    ]


def with_controls(
    texts: Sequence[SampledText],
    file: Path,
    pool: Sequence[Item],
    questions: Sequence[Question],
    task: Callable[[Item], str],
) -> list[SampledText]:
    """The texts with the answers that a file of ratings says are right.

    Texts of the pool that were not drawn join for the sake of their answers.
    """
    drawn = {text.item.key for text in texts}
    there = {item.key: item for item in pool} | {text.item.key: text.item for text in texts}
    known = gather([file], items=pool)
    try:
        controls = _by_text(known, {question.name: question for question in questions})
        _check_shown(sorted(controls), there)
    except DataError as error:
        raise error.at(file) from None
    return [
        *(replace(text, control=controls.get(text.item.key, {})) for text in texts),
        *(
            SampledText(there[key], task(there[key]), CONTROL_CELL, controls[key])
            for key in sorted(controls.keys() - drawn)
        ),
    ]


def _check_shown(controls: Iterable[Key], there: Mapping[Key, Item]) -> None:
    for system, one in controls:
        if (system, one) not in there:
            raise DataError(
                f"the control item {one!r} of {system!r} is not among the texts",
                remedy="its system and id are written as in the run",
            )
        if not there[system, one].text.strip():
            raise DataError(
                f"the control item {one!r} of {system!r} is empty and shown to nobody",
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
                remedy=f"asked are {', '.join(questions)}",
            )
        if not _on_scale(question, rating.value):
            raise DataError(
                f"{where} has {rating.value:g} for {rating.criterion!r}, which nobody can answer",
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
    """What each task asks for, in the order of their names."""
    tasks: dict[str, list[SampledText]] = {}
    for text in texts:
        tasks.setdefault(text.task, []).append(text)
    found = []
    for name in sorted(tasks, key=natural_order):
        shown = sum(text.is_shown for text in tasks[name])
        judgments = shown * campaign.raters_per_text
        share = math.ceil(judgments / campaign.texts_per_rater)
        found.append(
            Need(
                name,
                len({text.item.id for text in tasks[name]}),
                len(tasks[name]),
                shown,
                judgments,
                max(share, campaign.raters_per_text) if shown else 0,
            )
        )
    return found


def empty_texts(texts: Iterable[SampledText]) -> dict[str, int]:
    """How many texts of each system nobody is shown; systems without any are not named."""
    counts = Counter(text.item.system for text in texts if not text.is_shown)
    return dict(sorted(counts.items()))


# ---
# A campaign's settings from what an organiser gives: names of questions, and files.
# ---

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")


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
    """The settings of a campaign, checked as if they were read; `rules` are fields of Campaign."""
    asked = read_questions(questions)
    if spans and SPANS.name not in [question.name for question in asked]:
        asked = (*asked, SPANS)
    shown = "" if instructions is None else _text(instructions).strip()
    written = campaign_to_object(Campaign(name, title or name, asked, shown)) | rules
    if eligibility is None:
        return campaign_from_object(written)
    campaign_from_object(written)  # what is wrong from here on is the file's
    raw = _json(eligibility)
    try:
        return campaign_from_object(written | {"eligibility": _inside(raw, "eligibility")})
    except DataError as error:
        raise error.at(eligibility) from None


def read_questions(named: str) -> tuple[Question, ...]:
    """The questions of a preset, or of a JSON file: a list of them, or a campaign's settings."""
    if named in PRESETS:
        return PRESETS[named]
    path = Path(named)
    if not path.exists() and path.suffix.lower() != ".json":
        raise UnknownName("set of questions", named, [*PRESETS, "FILE.json"])
    try:
        return questions_from_object(_inside(_json(path), "questions"))
    except DataError as error:
        raise error.at(path) from None


def campaign_name(folder: Path | None) -> str:
    """A name for a campaign from that of its folder.

    >>> campaign_name(Path("campaigns/Fähren 2025"))
    'F-hren-2025'
    """
    name = "" if folder is None else folder.resolve().name
    return _NOT_IN_NAMES.sub("-", name).strip("-_.")[:64] or "campaign"


def check_new(folder: Path) -> None:
    """Raise where a campaign cannot be written into a folder without touching what is there."""
    if is_campaign(folder):
        raise DataError("holds a campaign already", path=folder, remedy="name another folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError("is there already", path=folder, remedy="name a new folder")


def _inside(raw: Any, field: str) -> Any:
    """A list that may stand alone or in the settings of another campaign."""
    return raw[field] if isinstance(raw, Mapping) and field in raw else raw


def _json(path: Path) -> Any:
    try:
        return load_object(_text(path))
    except DataError as error:
        raise error.at(path) from None


def _text(path: Path) -> str:
    return "\n".join(line for _, line in lines(path))
