"""An evaluation campaign: its settings and texts, who gets which text, and the answers.

`CampaignStore` and `export` need sqlalchemy (extra `web`), so they are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adequa.human.campaign.model import (
    AnswerChoice,
    Campaign,
    Eligibility,
    NothingLeft,
    Overview,
    Page,
    Question,
    Rater,
    SampledText,
)
from adequa.human.campaign.settings import (
    ITEMS,
    PRESETS,
    SPANS,
    campaign_to_object,
    is_campaign,
    read_campaign,
    read_settings,
    write_campaign,
)

if TYPE_CHECKING:
    from adequa.human.campaign.export import export_answers
    from adequa.human.campaign.store import CampaignStore

__all__ = ["ITEMS", "PRESETS", "SPANS", "AnswerChoice", "Campaign", "CampaignStore", "Eligibility"]
__all__ += ["NothingLeft", "Overview", "Page", "Question", "Rater", "SampledText"]
__all__ += ["campaign_to_object", "export_answers", "is_campaign", "read_campaign", "read_settings"]
__all__ += ["write_campaign"]

_LATE = {"CampaignStore": "store", "export_answers": "export"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
