"""An evaluation campaign: its settings and texts, who gets which text, and the answers.

`CampaignStore` and `export_answers` need sqlalchemy (extra `web`), so they are loaded on first use.
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
    from adequa.human.campaign.store import CampaignStore, export_answers

__all__ = ["ITEMS", "PRESETS", "SPANS", "AnswerChoice", "Campaign", "CampaignStore", "Eligibility"]
__all__ += ["NothingLeft", "Overview", "Page", "Question", "Rater", "SampledText"]
__all__ += ["campaign_to_object", "export_answers", "is_campaign", "read_campaign", "read_settings"]
__all__ += ["write_campaign"]


def __getattr__(name: str) -> Any:
    if name not in ("CampaignStore", "export_answers"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from adequa.human.campaign import store

    return getattr(store, name)
