"""The workbench as a web application: pages, and the API beneath them, behind one guard."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from adequa.web.api.app import PREFIX, api_endpoints, guarded
from adequa.web.api.bodies import Bodies
from adequa.web.api.endpoint import routes_of
from adequa.web.api.runs import Runs
from adequa.web.api.scoring import ScoringEngine
from adequa.web.api.settings import ServerSettings
from adequa.web.errors import Refusal, respond
from adequa.web.workbench.home import HomePages, OpenedCampaign
from adequa.web.workbench.index import Indexes
from adequa.web.workbench.live import LivePages
from adequa.web.workbench.pages import STATIC, BrowserAccess, WorkbenchSite, static_file
from adequa.web.workbench.reports import Reports
from adequa.web.workbench.runs import RunPages

_HEADINGS = {
    401: "Please open the link",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    409: "Not in this state",
    421: "Another name, please",
    429: "A moment, please",
    503: "A moment, please",
}
_NO_SESSION = "This browser is not signed in: open the link that adequa serve printed."


class Workbench:
    """What the pages hold beside the API's engine and runs."""

    def __init__(
        self,
        engine: ScoringEngine,
        runs: Runs,
        *,
        settings: ServerSettings,
        campaigns: Sequence[OpenedCampaign] = (),
    ) -> None:
        self.doors = BrowserAccess(settings.token)
        self.site = WorkbenchSite(self.doors)
        self.indexes, self.reports = Indexes(), Reports(runs.folder)
        pages = [
            *HomePages(self.site, engine, runs, settings, campaigns).routes,
            *RunPages(self.site, runs, self.indexes, self.reports).routes,
            *LivePages(self.site, engine, runs, self.indexes, settings, Bodies(settings)).routes,
            Route("/static/{name}", _static),
        ]
        api = routes_of(api_endpoints(engine, runs, settings), PREFIX)
        self.app = guarded([*api, *pages], settings, self.doors, self._answer)

    def close(self) -> None:
        """Stop what goes on in the background."""
        self.indexes.close()
        self.reports.close()

    def _answer(self, scope: Scope, refused: Refusal) -> Response:
        """JSON for programs and scripts, a page for people."""
        request = Request(scope)
        wanted = "text/html" in request.headers.get("accept", "")
        if scope["path"].startswith(PREFIX + "/") or not wanted:
            return respond(refused)
        heading = _HEADINGS.get(refused.status, "That did not work")
        place = f" ({refused.where})" if refused.where else ""
        words = [_sentence(refused.message + place)]
        if refused.status == 401:
            words = [_NO_SESSION]
        elif refused.code == "not_found":
            words = ["There is nothing at this address."]
        elif refused.remedy:
            words.append(_sentence(refused.remedy))
        response = self.site.message(request, heading, *words, status=refused.status)
        if refused.wait is not None:
            response.headers["Retry-After"] = respond(refused).headers["Retry-After"]
        return response


def workbench_app(
    engine: ScoringEngine,
    runs: Runs,
    *,
    settings: ServerSettings,
    campaigns: Sequence[OpenedCampaign] = (),
) -> Starlette:
    """Pages at `/`, the API under `/v1`; `engine` and `runs` stay the caller's to close."""
    return Workbench(engine, runs, settings=settings, campaigns=campaigns).app


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    # Each address carries the version of its file, so it may be kept for good.
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_file(name), headers={"Content-Type": STATIC[name], **kept})


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")
