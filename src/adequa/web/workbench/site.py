"""The shared parts of the workbench's pages: access for browsers, and rendering."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.requests import Request, cookie_parser
from starlette.responses import Response

from adequa import __version__
from adequa.report.page import asset, script_json
from adequa.tables import interval_words, percent, written
from adequa.web.errors import Refusal
from adequa.web.limits import CampaignLimits, Throttle
from adequa.web.pages import Pages
from adequa.web.security import FORM_TOKEN, Session, Sessions, SignedTokens

_LINK = "workbench"


class WorkbenchAccess:
    """The sessions of one server; with a token they outlive it, without one they do not.

    A browser signs in by the link that the server prints. Programs use the token and no cookie.
    """

    def __init__(self, token: str | None) -> None:
        secret = secrets.token_bytes(32)
        if token is not None:
            secret = hashlib.sha256(b"adequa workbench\0" + token.encode()).digest()
        self.tokens = SignedTokens(secret)
        self.sessions = Sessions(self.tokens, "workbench")
        self.is_locked = token is not None
        self.wrong_links = Throttle(CampaignLimits().wrong_links)

    @property
    def first_page(self) -> str:
        """The path where a browser begins; the link neither is nor reveals the server's token."""
        return f"/in/{self.tokens.token(_LINK)}" if self.is_locked else ""

    def is_key(self, given: str) -> bool:
        """Whether the last part of a link is right."""
        return self.tokens.is_token(_LINK, given)

    def is_open(self, path: str) -> bool:
        """Whether an address is open to everyone: the login link and static files."""
        return path.startswith(("/in/", "/static/"))

    def session(self, headers: Mapping[str, str]) -> Session | None:
        """The session in the cookie of a request."""
        return self.sessions.find(cookie_parser(headers.get("cookie", "")))

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has a session."""
        return self.session(headers) is not None

    def is_form(self, headers: Mapping[str, str]) -> bool:
        """Whether a page of ours sent this request, within its own session."""
        session = self.session(headers)
        given = headers.get(FORM_TOKEN, "")
        return session is not None and self.sessions.is_form_token(session, given)

    def begin(self, request: Request, response: Response) -> Session:
        """A new session, whose cookie goes with the response."""
        return self.sessions.begin(response, secure=request.url.scheme == "https")


class WorkbenchSite:
    """Renders the pages for browsers."""

    def __init__(self, access: WorkbenchAccess, senders: Mapping[str, str]) -> None:
        self.access = access
        self.senders = senders
        """The metrics that send texts to a service, and to which host."""

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """A rendered page; a browser without a session gets one, if it may and nothing is wrong."""
        response = Response(status_code=status, media_type="text/html")
        access = self.access
        session = access.session(request.headers)
        if session is None and not access.is_locked and status < 400:
            session = access.begin(request, response)
        token = "" if session is None else access.sessions.form_token(session)
        common: dict[str, Any] = {"here": "", "refresh": None, "scripts": (), "form_token": token}
        common["senders"] = self.senders
        common |= {"is_in": session is not None or not access.is_locked}
        response.body = PAGES.render(template, **(common | values))
        response.headers["content-length"] = str(len(response.body))
        return response

    def refuse(self, request: Request, refusal: Refusal) -> Response:
        """The answer to a refused request, as a page."""
        paragraphs = refusal.paragraphs
        if refusal.status == 401:
            paragraphs = ["This browser is not signed in: open the link that adequa serve printed."]
        shown = {"heading": refusal.heading, "paragraphs": paragraphs}
        response = self.page(request, "message.html", refusal.status, **shown)
        response.headers.update(refusal.headers)
        return response


def _counted(number: int) -> str:
    return f"{number:,}"


def _day(moment: str) -> str:
    """A moment of a manifest without its seconds: 2026-11-16 10:21."""
    return moment[:16].replace("T", " ")


def _report_asset(name: str) -> bytes:
    return asset(name).encode()


PAGES = Pages(
    package="adequa.web.workbench",
    static=(
        "workbench.css",
        "theme.js",
        "browse.js",
        "graph.js",
        "live.js",
        "upload.js",
        "waiting.js",
        "working.js",
    ),
    # The report and the workbench draw texts with the same files.
    shared={
        name: partial(_report_asset, name)
        for name in ("components.css", "components.js", "report.css")
    },
    filters={"number": written, "counted": _counted, "day": _day, "script_json": script_json},
    values={"release": __version__, "percent": percent, "interval_words": interval_words},
)
