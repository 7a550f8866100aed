"""What the handlers of a campaign's pages share: the store, who is asking, and how to answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adequa.web.campaign.forms import Fields, read_form, read_object
from adequa.web.campaign.pages import rendered
from adequa.web.limits import CampaignRefusal, RateLimits, Throttle, read_body
from adequa.web.security import is_own_origin
from adequa.web.tokens import Session, SignedTokens

if TYPE_CHECKING:
    from adequa.human.campaign.store import CampaignStore

Given = ParamSpec("Given")
Made = TypeVar("Made")
_COOKIE_SECONDS = 30 * 24 * 3600


@dataclass
class CampaignSite:
    """One campaign being served."""

    store: CampaignStore
    tokens: SignedTokens
    limits: RateLimits = field(default_factory=RateLimits)
    base_url: str | None = None
    """The address people use, where it is not the one of this process."""
    is_open: bool = False
    """Whether new raters may join by the open link."""
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        split = urlsplit(self.base_url or "")
        self.root = split.path.rstrip("/")
        self.is_secure = split.scheme == "https"
        self.wrong_links = Throttle(self.limits.wrong_links)
        self.joins = Throttle(self.limits.joins)
        self.answers = Throttle(self.limits.answers)
        self.drafts = Throttle(self.limits.drafts)

    async def call(
        self, function: Callable[Given, Made], *args: Given.args, **options: Given.kwargs
    ) -> Made:
        """Something of the store, which waits for its database, off the event loop."""
        return await run_in_threadpool(function, *args, **options)

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A rendered page."""
        common = {"root": self.root, "title": self.store.campaign.title}
        body = rendered(template, **(common | values))
        return Response(body, status, media_type="text/html")

    def message(
        self,
        heading: str,
        *paragraphs: str,
        status: int = 200,
        onward: tuple[str, str] | None = None,
    ) -> Response:
        """A page that only says something, with a way on where there is one."""
        return self.page(
            "message.html", status, heading=heading, paragraphs=paragraphs, onward=onward
        )

    def to(self, path: str) -> Response:
        """On to another page of this campaign, with a GET."""
        return RedirectResponse(self.root + path, 303)

    def address_of(self, request: Request) -> str:
        """The address to count by."""
        return request.client.host if request.client else "unknown"

    def signed_in(self, session: Session, path: str) -> Response:
        """On to a page, with the session's cookie: the link stays in no later address."""
        response = self.to(path)
        response.set_cookie(
            self._cookie(organiser=session.number is None),
            session.cookie,
            max_age=_COOKIE_SECONDS,
            path=self.root + "/",
            secure=self.is_secure,
            httponly=True,
            # Lax, not strict: a link in a mail leads here, and the redirect must carry the cookie.
            samesite="lax",
        )
        return response

    def session(self, request: Request, *, organiser: bool) -> Session:
        """Whose request this is; refused where nobody is signed in."""
        cookie = request.cookies.get(self._cookie(organiser=organiser), "")
        session = self.tokens.session(cookie, organiser=organiser)
        if session is None:
            whose = "organiser's" if organiser else "personal"
            raise CampaignRefusal(
                401, f"Please open your {whose} link: this browser is not signed in."
            )
        return session

    def form_token(self, session: Session) -> str:
        """For a page's forms."""
        return self.tokens.form_token(session)

    async def form(self, request: Request, session: Session) -> Fields:
        """The fields of a form that a page of ours sent for this session."""
        body = await self._body(request, "application/x-www-form-urlencoded")
        fields = read_form(body)
        self._check(request, session, (fields.get("form_token") or [""])[-1])
        return fields

    async def object(self, request: Request, session: Session) -> Mapping[str, Any]:
        """The JSON that a script of ours sent for this session."""
        self._check(request, session, request.headers.get("x-form-token", ""))
        return read_object(await self._body(request, "application/json"))

    async def _body(self, request: Request, kind: str) -> bytes:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
            raise CampaignRefusal(
                415, "The page sent something of an unknown kind. Please reload it."
            )
        declared = request.headers.get("content-length")
        return await read_body(request.stream(), declared, self.limits)

    def _check(self, request: Request, session: Session, token: str) -> None:
        own = is_own_origin(request.headers, self.base_url)
        if not own or not self.tokens.is_form_token(session, token):
            raise CampaignRefusal(
                403, "This form is not from your session. Please go back and reload."
            )

    def _cookie(self, *, organiser: bool) -> str:
        return f"adequa_{'organiser' if organiser else 'rater'}_{self.tokens.mark}"
