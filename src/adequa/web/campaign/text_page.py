"""What the page of one text is filled with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from adequa.human.campaign.model import Campaign
from adequa.human.campaign.records import Page
from adequa.web.campaign.forms import cleaned_draft
from adequa.web.campaign.graph import drawing
from adequa.web.campaign.showing import facts_by_subject, pieces, shown

__all__ = ["text_values"]

_BEAT_SECONDS = 60
"""Between two signs of life of a page that is looked at."""


def text_values(
    campaign: Campaign,
    page: Page,
    *,
    correcting: bool = False,
    given: Mapping[str, Any] | None = None,
    problems: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """The data, the text and the questions, with the draft, or with what was just given."""
    item, questions = page.text.item, campaign.questions
    subjects = facts_by_subject(item)
    marking = any(question.labels for question in questions)
    return {
        "slot": page.slot,
        "progress": page.progress,
        "seconds": round(page.seconds if seconds is None else seconds, 1),
        "beat": max(2, min(_BEAT_SECONDS, campaign.return_after // 3)),
        "questions": questions,
        "omission_questions": [question for question in questions if question.omissions],
        "draft": cleaned_draft(questions, page.draft if given is None else given),
        "problems": problems or {},
        "correcting": correcting,
        "can_go_back": not correcting and page.progress.total_done > 0,
        "subjects": subjects,
        # Its words are escaped where it is drawn.
        "graph": Markup(drawing(subjects, "The data as a drawing")),  # noqa: S704
        "lang": item.lang,
        "text": shown(item.text),
        "marking": marking,
        "pieces": pieces(item.text) if marking else (),
        "instructions": shown(campaign.instructions).strip(),
    }
