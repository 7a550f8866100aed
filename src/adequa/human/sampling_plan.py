"""From a sample to a campaign: tasks, control items, and how many people are needed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adequa.data import Item, Rating
from adequa.errors import DataError
from adequa.fields import natural_order
from adequa.human.campaign.model import Campaign, Question, SampledText
from adequa.human.judgments import Key, gather
from adequa.human.sampling import Sample

__all__ = ["Need", "empty_texts", "needs", "sampled_texts", "with_controls"]

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
