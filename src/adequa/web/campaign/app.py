"""The campaign as a web application, for any ASGI server, and the pages of its organiser.

They show the progress, raters and their links, and exports, and start another round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from adequa.errors import AdequaError
from adequa.human.campaign.assignment import RoundStarted
from adequa.human.campaign.store import export_lines
from adequa.web.campaign.rater import RaterPages
from adequa.web.campaign.site import PAGES, CampaignSite, campaign_links, client_address
from adequa.web.errors import Refusal
from adequa.web.limits import CampaignLimits, whole_number
from adequa.web.security import Session, SignedTokens, secured_app

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from adequa.human.campaign.store import CampaignStore

REFRESH_SECONDS = 30
_MOST_AT_ONCE = 1000
_CHUNK = 64 * 1024
_EXPORTS = {
    "ratings.jsonl": ("jsonl", "application/x-ndjson", "JSON lines"),
    "ratings.csv": ("csv", "text/csv; charset=utf-8", "CSV"),
    "factgenie.jsonl": ("factgenie", "application/x-ndjson", "factgenie"),
}
"""By the name of the file: format, media type and label of the button."""


@dataclass(frozen=True)
class OrganiserPages:
    """Everything under the organiser's link."""

    site: CampaignSite

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages."""
        return [
            Route("/organise", self.overview),
            Route("/organise/raters", self.raters),
            Route("/organise/raters", self.add_raters, methods=["POST"]),
            Route("/organise/round", self.choose_round),
            Route("/organise/round", self.start_round, methods=["POST"]),
            Route("/organise/export/{name}", self.export),
            Route("/organise/{token}", self.sign_in),
        ]

    async def sign_in(self, request: Request) -> Response:
        """Sign in by the organiser's link."""
        site, address = self.site, client_address(request)
        site.wrong_links.require(address)
        if not site.tokens.is_token("organiser", request.path_params["token"]):
            raise site.wrong_link(address)
        return site.sign_in(site.organisers, "/organise")

    async def overview(self, request: Request) -> Response:
        """The progress of the campaign, on a page that refreshes by itself."""
        self._session(request)
        return self.site.page(
            "overview.html",
            here="overview",
            refresh=REFRESH_SECONDS,
            overview=await self.site.call(self.site.store.overview),
            now=self.site.clock(),
            exports=[(name, label) for name, (_, _, label) in _EXPORTS.items()],
        )

    async def raters(self, request: Request) -> Response:
        """The raters and their links."""
        session = self._session(request)
        raters = await self.site.call(self.site.store.raters)
        base = self.site.base_url or str(request.base_url)
        links = campaign_links(base, self.site.tokens, raters, joining=self.site.is_open)
        return self.site.page(
            "raters.html",
            here="raters",
            raters=[(rater, links.raters[rater.name]) for rater in raters],
            joining=links.joining,
            most=_MOST_AT_ONCE,
            form_token=self.site.organisers.form_token(session),
        )

    async def add_raters(self, request: Request) -> Response:
        """Add raters."""
        session = self._session(request)
        fields = await self.site.form(request, self.site.organisers, session)
        count = whole_number((fields.get("count") or [""])[-1].strip())
        if count is None or not 1 <= count <= _MOST_AT_ONCE:
            message = "the number of raters is not valid"
            remedy = f"add between 1 and {_MOST_AT_ONCE:,} raters at a time"
            raise Refusal(400, "wrong_count", message, remedy)
        await self.site.call(self.site.store.add_raters, count)
        return self.site.to("/organise/raters")

    async def choose_round(self, request: Request) -> Response:
        """Choose the raters to exclude from another round, then confirm."""
        session = self._session(request)
        overview = await self.site.call(self.site.store.overview)
        chosen = set(request.query_params.getlist("exclude"))
        return self.site.page(
            "round.html",
            here="round",
            overview=overview,
            now=self.site.clock(),
            chosen=[one for one in overview.raters if one.rater.name in chosen],
            asking="sure" in request.query_params,
            form_token=self.site.organisers.form_token(session),
        )

    async def start_round(self, request: Request) -> Response:
        """Start another round once confirmed; a form sent twice starts one round."""
        session = self._session(request)
        fields = await self.site.form(request, self.site.organisers, session)
        after = whole_number((fields.get("round") or [""])[-1])
        if after is None:
            raise Refusal(400, "wrong_round", "the round is not a number", "reload the page")
        excluded = fields.get("exclude", ())
        try:
            start = self.site.store.start_round
            report = await self.site.call(start, exclude=excluded, after=after)
        except RoundStarted:
            message = "another round has been started in the meantime"
            remedy = "look at the progress again"
            raise Refusal(409, "round_started", message, remedy) from None
        except AdequaError as error:
            raise Refusal(400, "wrong_round", str(error)) from None
        return self.site.message(
            f"Round {report.round} has started",
            f"Excluded: {', '.join(report.excluded) or 'nobody'}. "
            f"{report.set_aside:,} answers no longer count, and {report.open:,} judgments are "
            "open. The links of the other raters remain valid.",
            onward=("/organise", "Show progress"),
        )

    async def export(self, request: Request) -> Response:
        """Export all answers so far as a file."""
        self._session(request)
        name = request.path_params["name"]
        if name not in _EXPORTS:
            raise Refusal(404, "no_such_export", "there is no such export")
        format_, media_type, _ = _EXPORTS[name]
        store, every = self.site.store, "every" in request.query_params
        return StreamingResponse(
            _chunks(export_lines(store, format_, every=every)),
            headers={
                "Content-Type": media_type,
                "Content-Disposition": f'attachment; filename="{store.campaign.name}-{name}"',
            },
        )

    def _session(self, request: Request) -> Session:
        return self.site.session(request, self.site.organisers)


def _chunks(lines: Iterator[str]) -> Iterator[bytes]:
    """Lines joined into larger parts, each of which costs one switch of threads."""
    waiting, size = [], 0
    for line in lines:
        waiting.append(line.encode())
        size += len(waiting[-1])
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def campaign_app(
    store: CampaignStore,
    *,
    secret: bytes,
    base_url: str | None = None,
    joining: bool = False,
    limits: CampaignLimits | None = None,
) -> Starlette:
    """The pages of a campaign; the caller closes `store`.

    `base_url` is the address people use if a proxy stands before this process: its path, if any,
    precedes every address, and over https the cookies are for https only.
    """
    limits = limits or CampaignLimits()
    site = CampaignSite(
        store=store,
        tokens=SignedTokens(secret),
        limits=limits,
        base_url=base_url,
        is_open=joining,
    )
    app = secured_app(
        [PAGES.route, *OrganiserPages(site).routes, *RaterPages(site).routes],
        limits=limits,
        answer=lambda _scope, refusal: site.refuse(refusal),
        middleware=[Middleware(_WithoutPrefix, prefix=site.root)],
    )
    app.state.site = site
    return app


class _WithoutPrefix:
    """Lets a proxy either pass on the path of the base address or strip it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app, self.prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if self.prefix and (path == self.prefix or path.startswith(self.prefix + "/")):
            scope = {**scope, "path": path.removeprefix(self.prefix) or "/"}
        await self.app(scope, receive, send)
