"""The organiser's pages: how it goes, who takes part, another round, and the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from adequa.errors import AdequaError
from adequa.human.campaign.export import export_lines
from adequa.web.campaign.server import links_of
from adequa.web.campaign.site import CampaignSite
from adequa.web.limits import CampaignRefusal
from adequa.web.tokens import Session

REFRESH_SECONDS = 30
_MOST_AT_ONCE = 1000
_CHUNK = 64 * 1024
_EXPORTS = {
    "ratings.jsonl": ("jsonl", "application/x-ndjson", "JSON lines"),
    "ratings.csv": ("csv", "text/csv; charset=utf-8", "CSV"),
    "factgenie.jsonl": ("factgenie", "application/x-ndjson", "factgenie"),
}
"""By the name of the file: format, media type, and what the button says."""


@dataclass(frozen=True)
class OrganiserPages:
    """Everything under the organiser's link."""

    site: CampaignSite

    @property
    def routes(self) -> list[Route]:
        """Where the pages are."""
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
        """The organiser's link."""
        site, address = self.site, self.site.address_of(request)
        site.wrong_links.check(address)
        if not site.tokens.is_organiser(request.path_params["token"]):
            site.wrong_links.take(address)
            raise CampaignRefusal(
                404, "This link is not complete. Please copy all of it and try again."
            )
        return site.signed_in(site.tokens.new_session(None), "/organise")

    async def overview(self, request: Request) -> Response:
        """How the campaign stands; the page looks again by itself."""
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
        """Who takes part, and their links."""
        session = self._session(request)
        raters = await self.site.call(self.site.store.raters)
        base = self.site.base_url or str(request.base_url)
        links = links_of(base, self.site.tokens, raters, joining=self.site.is_open)
        return self.site.page(
            "raters.html",
            here="raters",
            raters=[(rater, links.raters[rater.name]) for rater in raters],
            joining=links.joining,
            most=_MOST_AT_ONCE,
            form_token=self.site.form_token(session),
        )

    async def add_raters(self, request: Request) -> Response:
        """More raters."""
        session = self._session(request)
        fields = await self.site.form(request, session)
        given = (fields.get("count") or [""])[-1].strip()
        digits = given.isascii() and given.isdecimal() and len(given) < 6
        if not digits or not 1 <= int(given) <= _MOST_AT_ONCE:
            raise CampaignRefusal(400, f"Please add from 1 to {_MOST_AT_ONCE:,} raters at a time.")
        await self.site.call(self.site.store.add_raters, int(given))
        return self.site.to("/organise/raters")

    async def choose_round(self, request: Request) -> Response:
        """Whom another round is to do without: first to tick, then to confirm."""
        session = self._session(request)
        overview = await self.site.call(self.site.store.overview)
        chosen = set(request.query_params.getlist("exclude"))
        asking = "sure" in request.query_params
        return self.site.page(
            "round.html",
            here="round",
            overview=overview,
            now=self.site.clock(),
            chosen=[one for one in overview.raters if one.rater.name in chosen],
            asking=asking,
            form_token=self.site.form_token(session),
        )

    async def start_round(self, request: Request) -> Response:
        """Begin another round, once it was confirmed; a page sent twice begins one round."""
        session = self._session(request)
        fields = await self.site.form(request, session)
        if fields.get("round") != [str((await self.site.call(self.site.store.overview)).round)]:
            raise CampaignRefusal(409, "Another round has begun meanwhile. Please look again.")
        excluded = fields.get("exclude", ())
        try:
            report = await self.site.call(self.site.store.start_round, exclude=excluded)
        except AdequaError as error:
            raise CampaignRefusal(400, str(error)) from None
        return self.site.message(
            f"Round {report.round} has begun",
            f"Excluded: {', '.join(report.excluded) or 'nobody'}. "
            f"{report.set_aside:,} answers no longer count, and {report.open:,} judgments are "
            "open. Links of the other raters go on as before.",
            onward=("/organise", "To the overview"),
        )

    async def export(self, request: Request) -> Response:
        """All answers so far, as a file."""
        self._session(request)
        name = request.path_params["name"]
        if name not in _EXPORTS:
            raise CampaignRefusal(404, "There is no such export.")
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
        return self.site.session(request, organiser=True)


def _chunks(lines: Iterator[str]) -> Iterator[bytes]:
    """Lines in larger parts: each part is a turn of a thread."""
    waiting, size = [], 0
    for line in lines:
        waiting.append(line.encode())
        size += len(waiting[-1])
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)
