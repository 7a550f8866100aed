"""A small campaign with a real store and a real application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from adequa.data import Item, Triple
from adequa.human.campaign.model import Campaign, Eligibility, Question, SampledText
from adequa.human.campaign.settings import PRESETS, SPANS, write_campaign

SECRET = bytes(range(32))
FACTS = (
    Triple("MV_Alba", "homePort", "Oban"),
    Triple("MV_Alba", "builtIn", "1974"),
    Triple("Oban", "isPartOf", "Argyll_and_Bute"),
    Triple("Argyll_and_Bute", "country", "Scotland"),
)
TEXTS = (
    "The ferry MV Alba, built in 1974, sails from Oban in Scotland.",
    "Oban is home to the <script>document.title = 'taken'</script> MV Alba & others.",
    "MV Alba 🚢 was built in cafe\u0301-loving O\u0308ban 👩‍👩‍👧 in 1974.",
)
RULES = (
    "Read the data first, then the text.\n\nJudge the text by the data alone, whatever you may "
    "know yourself."
)
CAMPAIGN = Campaign(
    "ferries",
    "Texts about ferries",
    PRESETS["webnlg2017"],
    instructions=RULES,
    eligibility=(Eligibility("english", "Do you read English daily?", ("yes", "no"), ("yes",)),),
    raters_per_text=2,
    texts_per_rater=3,
)


def texts_of(strings: tuple[str, ...], systems: tuple[str, ...] = ("T5", "LSTM")) -> list[Any]:
    return [
        SampledText(
            Item(f"Id{number}", FACTS, string, system, "Ship", "en"),
            "large" if number % 2 else "small",
            {"category": "Ship", "size": str(number)},
        )
        for number, string in enumerate(strings)
        for system in systems
    ]


@dataclass
class Place:
    """A campaign with its store, its application and its keys."""

    folder: Path
    store: Any
    app: Any
    tokens: Any

    def rater_link(self, number: int) -> str:
        return f"/r/{self.tokens.numbered('rater', number)}"

    @property
    def organiser_link(self) -> str:
        return f"/organise/{self.tokens.token('organiser')}"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Callable[..., Place]]:
    """Makes a campaign: what is asked, of which texts, and options of the application."""
    from adequa.human.campaign.store import CampaignStore
    from adequa.web.campaign.app import campaign_app
    from adequa.web.security import SignedTokens

    opened = []

    def make(
        questions: tuple[Question, ...] | None = None,
        texts: tuple[str, ...] | list[SampledText] = TEXTS,
        *,
        raters: int = 3,
        clock: Callable[[], float] | None = None,
        rules: dict[str, Any] | None = None,
        **options: Any,
    ) -> Place:
        folder = tmp_path / f"campaign-{len(opened)}"
        campaign = replace(CAMPAIGN, **(rules or {}))
        if questions is not None:
            campaign = replace(campaign, questions=questions)
        sampled = texts if isinstance(texts, list) else texts_of(texts)
        write_campaign(folder, campaign, sampled)
        store = CampaignStore.open(folder, **({"clock": clock} if clock else {}))
        opened.append(store)
        store.add_raters(raters)
        app = campaign_app(store, secret=SECRET, **options)
        return Place(folder, store, app, SignedTokens(SECRET))

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def every_kind() -> tuple[Question, ...]:
    """Choices, a slider, and marks."""
    return (PRESETS["webnlg2017"][0], PRESETS["webnlg2020"][0], SPANS)
