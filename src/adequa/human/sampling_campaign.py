"""A campaign's settings from what an organiser gives: names of questions, and files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adequa.codec import load_object
from adequa.errors import DataError, UnknownName
from adequa.human.campaign.folder import is_campaign
from adequa.human.campaign.model import Campaign, Question
from adequa.human.campaign.questions import PRESETS, SPANS
from adequa.human.campaign.settings import (
    campaign_from_object,
    campaign_to_object,
    questions_from_object,
)
from adequa.readers.base import lines

__all__ = ["campaign_name", "check_new", "make_campaign", "read_questions"]

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
