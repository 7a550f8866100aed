"""The workbench as a web application: its pages and the API, behind one guard."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from adequa.web.api.app import api_operations, server_bodies
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.openapi import PREFIX, routes_of
from adequa.web.api.runs import Runs
from adequa.web.errors import Refusal, respond
from adequa.web.limits import ServerSettings
from adequa.web.security import Guard, secured_app
from adequa.web.workbench.home import HomePages, LivePages, OpenedCampaign
from adequa.web.workbench.index import Indexes
from adequa.web.workbench.runs import Reports, RunPages
from adequa.web.workbench.site import PAGES, WorkbenchAccess, WorkbenchSite


class Workbench:
    """Pages at `/`, the API under `/v1`; the caller closes `engine` and `runs`."""

    def __init__(
        self,
        engine: ScoringEngine,
        runs: Runs,
        *,
        settings: ServerSettings,
        campaigns: Sequence[OpenedCampaign] = (),
    ) -> None:
        self.access = WorkbenchAccess(settings.token)
        self.site = WorkbenchSite(self.access)
        self.indexes, self.reports = Indexes(), Reports(runs.folder)
        bodies = server_bodies(settings)
        routes = [
            *routes_of(api_operations(engine, runs, settings, bodies)),
            *HomePages(
                site=self.site,
                engine=engine,
                runs=runs,
                settings=settings,
                bodies=bodies,
                campaigns=campaigns,
            ).routes,
            *RunPages(self.site, runs, self.indexes, self.reports).routes,
            *LivePages(
                site=self.site,
                engine=engine,
                runs=runs,
                indexes=self.indexes,
                settings=settings,
                bodies=bodies,
            ).routes,
            PAGES.route,
        ]
        guard = Middleware(Guard, settings=settings, browsers=self.access, answer=self._answer)
        self.app = secured_app(routes, limits=settings, answer=self._answer, middleware=[guard])

    def close(self) -> None:
        """Stop the work in the background."""
        self.indexes.close()
        self.reports.close()

    def _answer(self, scope: Scope, refusal: Refusal) -> Response:
        """JSON for programs and scripts, a page for people."""
        request = Request(scope)
        is_page = "text/html" in request.headers.get("accept", "")
        if scope["path"].startswith(PREFIX + "/") or not is_page:
            return respond(refusal)
        return self.site.refuse(request, refusal)
