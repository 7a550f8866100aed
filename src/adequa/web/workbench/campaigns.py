"""Campaigns as the workbench shows them: read only, from their folder and their database."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from adequa.errors import MissingExtra
from adequa.human.campaign.folder import read_campaign
from adequa.human.campaign.model import Campaign, SampledText

if TYPE_CHECKING:
    from adequa.human.campaign.records import Overview

__all__ = ["OpenedCampaign", "Standing", "open_campaign"]

_DATABASE = "campaign.db"


@dataclass(frozen=True)
class Standing:
    """How a campaign stands; `overview` is None before it is served for the first time."""

    overview: Overview | None = None
    problem: str | None = None

    @property
    def share(self) -> float:
        """Of the judgments that are wanted, those that were given."""
        if self.overview is None or not self.overview.total.needed:
            return 0.0
        return self.overview.total.answered / self.overview.total.needed


@dataclass(frozen=True)
class OpenedCampaign:
    """A campaign's folder, as it was when the server was started."""

    id: str
    folder: Path
    campaign: Campaign
    texts: tuple[SampledText, ...]

    @property
    def name(self) -> str:
        """Of the folder, as one would write it behind `adequa human serve`."""
        return self.folder.resolve().name

    @property
    def needed(self) -> int:
        """Judgments that the sample asks for."""
        return self.campaign.raters_per_text * sum(text.is_shown for text in self.texts)

    @property
    def systems(self) -> Mapping[str, int]:
        """Texts by system."""
        return Counter(text.item.system for text in self.texts)

    @property
    def tasks(self) -> Mapping[str, int]:
        """Texts by task."""
        return Counter(text.task for text in self.texts)

    def standing(self) -> Standing:
        """What the database says now; nothing is written to it."""
        path = self.folder / _DATABASE
        if not path.is_file() or not path.stat().st_size:
            return Standing()
        try:
            from adequa.human.campaign.claiming import Plan
            from adequa.human.campaign.handing_out import Layout
            from adequa.human.campaign.overview import look_over
            from adequa.human.campaign.tables import sql
        except MissingExtra:
            return Standing(problem="its database needs the package sqlalchemy to be read")
        plan = Plan(self.campaign, self.texts, Layout.of(self.texts, self.campaign.raters_per_text))
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        engine = sql.create_engine(
            "sqlite+pysqlite://", creator=lambda: sqlite3.connect(address, uri=True, timeout=5)
        )
        try:
            with engine.connect() as connection:
                return Standing(look_over(connection, plan))
        except (sql.exc.SQLAlchemyError, LookupError):
            # Of another version, or of other texts: the command that serves it says which.
            return Standing(problem="its database does not fit these files")
        finally:
            engine.dispose()


def open_campaign(folder: Path) -> OpenedCampaign:
    """A campaign by its folder; what is wrong with it is raised here."""
    campaign, texts = read_campaign(folder)
    digest = hashlib.sha256(str(folder.resolve()).encode(errors="replace"))
    return OpenedCampaign(digest.hexdigest()[:16], folder, campaign, tuple(texts))
