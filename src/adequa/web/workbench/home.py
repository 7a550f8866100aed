"""The home page: the open runs and campaigns, and a form to upload a file."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from adequa.errors import AdequaError, MissingExtra
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import DATABASE, read_campaign
from adequa.readers import format_names, open_source, reader_class
from adequa.readers.explanation import Preview, preview
from adequa.run import open_run
from adequa.web.api.app import parse_format, upload_suffix
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Record, Runs, folder_id
from adequa.web.bodies import Bodies, require_type
from adequa.web.errors import Refusal, refusal_of
from adequa.web.limits import ServerSettings, format_bytes
from adequa.web.security import no_form_token
from adequa.web.workbench.site import WorkbenchSite

if TYPE_CHECKING:
    from adequa.human.campaign.model import Overview


@dataclass(frozen=True)
class CampaignProgress:
    """The progress of a campaign; `overview` is None before it is first served."""

    overview: Overview | None = None
    problem: str | None = None

    @property
    def share(self) -> float:
        """The share of the needed judgments that have been given."""
        if self.overview is None or not self.overview.total.needed:
            return 0.0
        return self.overview.total.answered / self.overview.total.needed


@dataclass(frozen=True)
class OpenedCampaign:
    """A campaign's folder as it was when the server started; its database is only read."""

    id: str
    folder: Path
    campaign: Campaign
    texts: tuple[SampledText, ...]

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def needed(self) -> int:
        """The number of judgments that the sample needs."""
        return self.campaign.raters_per_text * sum(text.is_shown for text in self.texts)

    @property
    def systems(self) -> Mapping[str, int]:
        """The number of texts by system."""
        return Counter(text.item.system for text in self.texts)

    @property
    def tasks(self) -> Mapping[str, int]:
        """The number of texts by task."""
        return Counter(text.task for text in self.texts)

    def progress(self) -> CampaignProgress:
        """The current progress, from the database."""
        path = self.folder / DATABASE
        if not path.is_file() or not path.stat().st_size:
            return CampaignProgress()
        try:
            from adequa.human.campaign.assignment import Layout, Plan
            from adequa.human.campaign.database import sql
            from adequa.human.campaign.store import look_over
        except MissingExtra:
            return CampaignProgress(problem="reading its database needs the package sqlalchemy")
        plan = Plan(self.campaign, self.texts, Layout.of(self.texts, self.campaign.raters_per_text))
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        engine = sql.create_engine(
            "sqlite+pysqlite://", creator=lambda: sqlite3.connect(address, uri=True, timeout=5)
        )
        try:
            with engine.connect() as connection:
                return CampaignProgress(look_over(connection, plan))
        except (sql.exc.SQLAlchemyError, LookupError):
            # Of another version, or for other texts: `adequa human serve` says which.
            return CampaignProgress(problem="its database does not match these files")
        finally:
            engine.dispose()


def open_campaign(folder: Path) -> OpenedCampaign:
    """Open a campaign by its folder."""
    campaign, texts = read_campaign(folder)
    return OpenedCampaign(folder_id(folder), folder, campaign, tuple(texts))


PREVIEW_BYTES = 256 * 1024
"""The beginning of a file that its preview needs."""


def _preview(content: bytes, name: str, format_: str | None, *, is_cut: bool) -> Preview:
    suffix = upload_suffix(name)
    if is_cut:
        content = _whole_part(content, suffix)
    with tempfile.TemporaryDirectory(prefix="adequa-preview-") as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(content)
        try:
            return preview(open_source(path, format=format_))
        except AdequaError as error:
            raise refusal_of(error, where="the upload") from None


def _whole_part(content: bytes, suffix: str) -> bytes:
    """The whole lines, or the whole objects of a list, of the beginning of a file."""
    if suffix == ".json" and content.lstrip().startswith(b"["):
        end = max(content.rfind(b"},\n"), content.rfind(b"}, "), content.rfind(b"},{"))
        return content if end < 0 else content[: end + 1] + b"]"
    return content[: content.rfind(b"\n") + 1]


@dataclass(frozen=True)
class HomePages:
    """The home page, the pages of campaigns, and the login link."""

    site: WorkbenchSite
    engine: ScoringEngine
    runs: Runs
    settings: ServerSettings
    bodies: Bodies
    campaigns: Sequence[OpenedCampaign] = ()
    _facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages."""
        return [
            Route("/", self.home),
            Route("/campaigns/{id}", self.campaign),
            Route("/preview", self.preview, methods=["POST"]),
            Route("/in/{key}", self.sign_in),
        ]

    async def home(self, request: Request) -> Response:
        """All runs and campaigns."""

        def look() -> tuple[list[Any], list[Any]]:
            records = [self.runs.get(raw["id"]) for raw in self.runs.list()]
            return (
                [(record.object, self._fact(record)) for record in reversed(records)],
                [(one, one.progress()) for one in self.campaigns],
            )

        runs, campaigns = await run_in_threadpool(look)
        return self.site.page(
            request,
            "home.html",
            here="home",
            runs=runs,
            campaigns=campaigns,
            formats=[(name, reader_class(name).doc) for name in format_names()],
            metrics=list(self.engine.metrics),
            most=format_bytes(self.settings.max_upload),
            preview_bytes=PREVIEW_BYTES,
            scripts=("upload.js",),
        )

    async def preview(self, request: Request) -> Response:
        """How the beginning of a file would be read: its columns, and which become facts."""
        if not self.site.access.is_form(request.headers):
            raise no_form_token()
        require_type(request, "application/octet-stream")
        given = request.query_params
        written = given.get("format") or None
        format_ = None if written is None else parse_format(written)
        parts = self.bodies.parts(
            request, most_bytes=PREVIEW_BYTES, seconds=self.settings.body_seconds
        )
        content = b"".join([part async for part in parts])
        name = given.get("name", "upload")
        found = await run_in_threadpool(
            _preview, content, name, format_, is_cut=given.get("cut") == "1"
        )
        return JSONResponse(asdict(found))

    async def campaign(self, request: Request) -> Response:
        """The progress of one campaign."""
        wanted = request.path_params["id"]
        found = next((one for one in self.campaigns if one.id == wanted), None)
        if found is None:
            message = "there is no such campaign"
            raise Refusal(404, "no_such_campaign", message, "see the home page for all campaigns")
        progress = await run_in_threadpool(found.progress)
        return self.site.page(
            request, "campaign.html", here="home", opened=found, progress=progress
        )

    async def sign_in(self, request: Request) -> Response:
        """Sign in by the link that the server printed, and go to the home page."""
        access, address = self.site.access, request.client.host if request.client else "unknown"
        access.wrong_links.require(address)
        if not access.is_key(request.path_params["key"]):
            access.wrong_links.take(address)
            message = "this link is incomplete or belongs to another server"
            raise Refusal(404, "wrong_link", message, "copy the whole link that was printed")
        response = RedirectResponse("/", 303)
        access.begin(request, response)
        return response

    def _fact(self, record: Record) -> Mapping[str, Any] | None:
        """The counts that the list shows for a run; read once, because a run does not change."""
        if record.status != "done":
            return None
        if record.id not in self._facts:
            try:
                systems = open_run(record.folder).summary["systems"]
                verdicts = [one.get("verdicts", {}) for one in systems.values()]
                self._facts[record.id] = {
                    "systems": len(systems),
                    "OK": sum(one.get("OK", 0) for one in verdicts),
                    "judged": sum(count for one in verdicts for count in one.values()),
                }
            except (AdequaError, LookupError, TypeError, AttributeError):
                return None  # its own page shows what is wrong with it
        return self._facts[record.id]
