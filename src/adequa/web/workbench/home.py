"""The first page: runs and campaigns that are open, and a place to put a file."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from adequa.errors import AdequaError, MissingExtra
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import read_campaign
from adequa.readers import TABLE, reader_class
from adequa.run import SUMMARY, read_json
from adequa.web.api.runs import Record, Runs
from adequa.web.api.scoring import ScoringEngine
from adequa.web.api.settings import ServerSettings, shown_bytes
from adequa.web.errors import Refusal
from adequa.web.workbench.pages import WorkbenchSite

if TYPE_CHECKING:
    from adequa.human.campaign.model import Overview

# ---
# Campaigns as the workbench shows them: read only, from their folder and their database.
# ---

_DATABASE = "campaign.db"


@dataclass(frozen=True)
class CampaignStanding:
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

    def standing(self) -> CampaignStanding:
        """What the database says now; nothing is written to it."""
        path = self.folder / _DATABASE
        if not path.is_file() or not path.stat().st_size:
            return CampaignStanding()
        try:
            from adequa.human.campaign.assignment import Layout, Plan
            from adequa.human.campaign.database import sql
            from adequa.human.campaign.store import look_over
        except MissingExtra:
            return CampaignStanding(problem="its database needs the package sqlalchemy to be read")
        plan = Plan(self.campaign, self.texts, Layout.of(self.texts, self.campaign.raters_per_text))
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        engine = sql.create_engine(
            "sqlite+pysqlite://", creator=lambda: sqlite3.connect(address, uri=True, timeout=5)
        )
        try:
            with engine.connect() as connection:
                return CampaignStanding(look_over(connection, plan))
        except (sql.exc.SQLAlchemyError, LookupError):
            # Of another version, or of other texts: the command that serves it says which.
            return CampaignStanding(problem="its database does not fit these files")
        finally:
            engine.dispose()


def open_campaign(folder: Path) -> OpenedCampaign:
    """A campaign by its folder; what is wrong with it is raised here."""
    campaign, texts = read_campaign(folder)
    digest = hashlib.sha256(str(folder.resolve()).encode(errors="replace"))
    return OpenedCampaign(digest.hexdigest()[:16], folder, campaign, tuple(texts))


@dataclass(frozen=True)
class HomePages:
    """The first page, the campaigns' pages, and the link that lets a browser in."""

    site: WorkbenchSite
    engine: ScoringEngine
    runs: Runs
    settings: ServerSettings
    campaigns: Sequence[OpenedCampaign] = ()
    _facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        """Where the pages are."""
        return [
            Route("/", self.home),
            Route("/campaigns/{id}", self.campaign),
            Route("/in/{key}", self.let_in),
        ]

    async def home(self, request: Request) -> Response:
        """All there is."""

        def look() -> tuple[list[Any], list[Any]]:
            records = [self.runs.get(raw["id"]) for raw in self.runs.list()]
            return (
                [(record.object, self._fact(record)) for record in reversed(records)],
                [(one, one.standing()) for one in self.campaigns],
            )

        runs, campaigns = await run_in_threadpool(look)
        return self.site.page(
            request,
            "home.html",
            here="home",
            runs=runs,
            campaigns=campaigns,
            formats=[(name, reader_class(name).doc) for name in TABLE],
            metrics=list(self.engine.metrics),
            most=shown_bytes(self.settings.max_upload),
            scripts=("upload.js",),
        )

    async def campaign(self, request: Request) -> Response:
        """How one campaign stands."""
        wanted = request.path_params["id"]
        found = next((one for one in self.campaigns if one.id == wanted), None)
        if found is None:
            message = "there is no such campaign"
            raise Refusal(
                404, "no_such_campaign", message, "those there are stand on the first page"
            )
        standing = await run_in_threadpool(found.standing)
        return self.site.page(
            request, "campaign.html", here="home", opened=found, standing=standing
        )

    async def let_in(self, request: Request) -> Response:
        """The link that the server printed: on to the first page, with a session."""
        doors, address = self.site.doors, request.client.host if request.client else "unknown"
        wait = doors.wrong_links.wait(address)
        if wait > 0:
            message = "too many wrong links came from this address"
            raise Refusal(429, "too_many", message, "wait a little and try again", wait=wait)
        if not doors.is_key(request.path_params["key"]):
            doors.wrong_links.take(address)
            message = "this link is not complete, or it is of another server"
            raise Refusal(404, "wrong_link", message, "copy the whole link that was printed")
        response = RedirectResponse("/", 303)
        doors.begin(response, secure=request.url.scheme == "https")
        return response

    def _fact(self, record: Record) -> Mapping[str, Any] | None:
        """What the list says of a run: read once, for a run does not change."""
        if record.status != "done":
            return None
        if record.id not in self._facts:
            try:
                systems = read_json(record.folder / SUMMARY)["systems"]
                verdicts = [one.get("verdicts", {}) for one in systems.values()]
                self._facts[record.id] = {
                    "systems": len(systems),
                    "OK": sum(one.get("OK", 0) for one in verdicts),
                    "judged": sum(count for one in verdicts for count in one.values()),
                }
            except (AdequaError, LookupError, TypeError, AttributeError):
                return None  # its own page says what is wrong with it
        return self._facts[record.id]
