"""The campaign as a web application, for any ASGI server."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adequa.errors import ServiceError
from adequa.web.campaign.organiser import OrganiserPages
from adequa.web.campaign.pages import STATIC, static_file
from adequa.web.campaign.rater import RaterPages
from adequa.web.campaign.site import CampaignSite
from adequa.web.limits import CampaignRefusal, RateLimits
from adequa.web.security import HEADERS, SecurityHeaders
from adequa.web.tokens import SignedTokens

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from adequa.human.campaign.store import CampaignStore

_HEADINGS = {
    400: "That could not be read",
    401: "Please sign in",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    409: "Something changed meanwhile",
    413: "Too much at once",
    429: "A moment, please",
    500: "Something went wrong",
    503: "A moment, please",
}
_LOG = logging.getLogger(__name__)


def campaign_app(
    store: CampaignStore,
    *,
    secret: bytes,
    base_url: str | None = None,
    joining: bool = False,
    limits: RateLimits | None = None,
) -> Starlette:
    """The pages of a campaign; `store` stays the caller's to close.

    `base_url` is the address people use where a proxy stands before this process: its path, if it
    has one, comes before every address, and over https the cookies are for https alone.
    """
    site = CampaignSite(store, SignedTokens(secret), limits or RateLimits(), base_url, joining)

    async def refused(_request: Request, error: Exception) -> Response:
        if not isinstance(
            error, CampaignRefusal
        ):  # pragma: no cover  # registered for Refused alone
            raise error
        response = _page(site, error.status, error.words)
        if error.wait is not None:
            response.headers["Retry-After"] = f"{error.wait:.0f}"
        return response

    async def standard(_request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        response = _page(site, status, "There is nothing at this address, or not in this way.")
        if isinstance(error, HTTPException):
            response.headers.update(error.headers or {})
        return response

    async def unavailable(_request: Request, error: Exception) -> Response:
        _LOG.error("%s", error)
        words = "The answers cannot be reached just now. What was saved is safe: try again soon."
        response = _page(site, 503, words)
        response.headers["Retry-After"] = "10"
        return response

    async def broken(_request: Request, _error: Exception) -> Response:
        words = "Something went wrong on our side. What was saved is safe. Please try again."
        response = _page(site, 500, words)
        # This response is made outside of the middleware.
        response.headers.update(HEADERS)
        return response

    app = Starlette(
        routes=[
            Route("/static/{name}", _static),
            *OrganiserPages(site).routes,
            *RaterPages(site).routes,
        ],
        middleware=[Middleware(SecurityHeaders), Middleware(_WithoutPrefix, prefix=site.root)],
        exception_handlers={
            CampaignRefusal: refused,
            HTTPException: standard,
            ServiceError: unavailable,
            Exception: broken,
        },
    )
    app.router.redirect_slashes = False
    app.state.site = site
    return app


class _WithoutPrefix:
    """Lets a proxy pass on the path of the base address or strip it, as it likes."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app, self.prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if self.prefix and (path == self.prefix or path.startswith(self.prefix + "/")):
            scope = {**scope, "path": path.removeprefix(self.prefix) or "/"}
        await self.app(scope, receive, send)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    # Each address carries the version of its file, so it may be kept for good.
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_file(name), headers={"Content-Type": STATIC[name], **kept})


def _page(site: CampaignSite, status: int, words: str) -> Response:
    heading = _HEADINGS.get(status) or HTTPStatus(status).phrase
    return site.message(heading, words, status=status)
