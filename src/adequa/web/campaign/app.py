"""The campaign as a web application, for any ASGI server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware

from adequa.web.campaign.organiser import OrganiserPages
from adequa.web.campaign.rater import RaterPages
from adequa.web.campaign.site import PAGES, CampaignSite
from adequa.web.limits import CampaignLimits
from adequa.web.security import secured_app
from adequa.web.sessions import SignedTokens

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from adequa.human.campaign.store import CampaignStore


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
