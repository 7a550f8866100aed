"""The first page: runs and campaigns that are open, and a place to put a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from adequa.errors import AdequaError
from adequa.readers import TABLE, reader_class
from adequa.run.folder import SUMMARY, read_json
from adequa.web.api.errors import Refused
from adequa.web.api.runs import Record, Runs
from adequa.web.api.scoring import Engine
from adequa.web.api.settings import Settings, shown_bytes
from adequa.web.workbench.campaigns import OpenedCampaign
from adequa.web.workbench.pages import Site

__all__ = ["HomePages"]


@dataclass(frozen=True)
class HomePages:
    """The first page, the campaigns' pages, and the link that lets a browser in."""

    site: Site
    engine: Engine
    runs: Runs
    settings: Settings
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
            raise Refused(
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
            raise Refused(429, "too_many", message, "wait a little and try again", wait=wait)
        if not doors.is_key(request.path_params["key"]):
            doors.wrong_links.take(address)
            message = "this link is not complete, or it is of another server"
            raise Refused(404, "wrong_link", message, "copy the whole link that was printed")
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
