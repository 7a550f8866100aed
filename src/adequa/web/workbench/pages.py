"""Templates and the files beside them, read once; every page is made here, its values escaped."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.requests import Request, cookie_parser
from starlette.responses import Response

from adequa import __version__
from adequa.report import asset, percent, script_json, written
from adequa.web.campaign import pages as campaign_pages
from adequa.web.limits import Rate, Throttle
from adequa.web.templates import page_environment, version_of
from adequa.web.tokens import Session, SignedTokens

if TYPE_CHECKING:
    from jinja2 import Environment

# ---
# Which browser may come in: a session by a link where the server has a token, and form tokens.
#
# A page's cookie is a session. Whatever a browser with a session changes, it must send the
# session's form token along, which only our own pages can read. Programs use the token itself and
# no cookie.
# ---

FORM_TOKEN = "x-form-token"  # noqa: S105  # the name of a header
_SECONDS = 30 * 24 * 3600
_WRONG_LINKS = Rate(20, 1 / 30)


class BrowserAccess:
    """The sessions of one server; with a token they outlive it, without one they do not."""

    def __init__(self, token: str | None) -> None:
        secret = secrets.token_bytes(32)
        if token is not None:
            secret = hashlib.sha256(b"adequa workbench\0" + token.encode()).digest()
        self.tokens = SignedTokens(secret)
        self.is_locked = token is not None
        self.wrong_links = Throttle(_WRONG_LINKS)

    @property
    def first_page(self) -> str:
        """Where a browser begins: the link that lets it in is not the token, and no way to it."""
        return f"/in/{self.tokens.of_organiser}" if self.is_locked else ""

    def is_key(self, given: str) -> bool:
        """Whether the last part of a link is right."""
        return self.tokens.is_organiser(given)

    def is_open(self, path: str) -> bool:
        """Whether an address is for everybody: what lets in, and what the refusal is drawn with."""
        return path.startswith(("/in/", "/static/"))

    def session(self, headers: Mapping[str, str]) -> Session | None:
        """The session of a request's cookie, if it has one of ours."""
        cookie = cookie_parser(headers.get("cookie", "")).get(self._name, "")
        return self.tokens.session(cookie, organiser=True)

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has a session."""
        return self.session(headers) is not None

    def is_form(self, headers: Mapping[str, str]) -> bool:
        """Whether a page of ours sent this, for its own session."""
        session = self.session(headers)
        given = headers.get(FORM_TOKEN, "")
        return session is not None and self.tokens.is_form_token(session, given)

    def begin(self, response: Response, *, secure: bool) -> Session:
        """A new session, whose cookie goes with the response."""
        session = self.tokens.new_session(None)
        response.set_cookie(
            self._name,
            session.cookie,
            max_age=_SECONDS,
            path="/",
            secure=secure,
            httponly=True,
            # Lax, not strict: a link in a mail leads here, and the redirect must carry the cookie.
            samesite="lax",
        )
        return session

    @property
    def _name(self) -> str:
        return f"adequa_workbench_{self.tokens.mark}"


_SCRIPT, _STYLE = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
_OWN = (
    "workbench.css",
    "theme.js",
    "browse.js",
    "graph.js",
    "live.js",
    "upload.js",
    "waiting.js",
    "working.js",
)
_REPORT = ("components.css", "components.js", "report.css")
"""Drawn alike in the report and here, from the same files."""
STATIC: Mapping[str, str] = {
    **{name: _STYLE if name.endswith(".css") else _SCRIPT for name in (*_REPORT, *_OWN)},
    "icon.svg": "image/svg+xml",
}


@cache
def static_file(name: str) -> bytes:
    """A file that the pages load."""
    if name in _REPORT:
        return asset(name).encode()
    if name == "icon.svg":
        return campaign_pages.static_file(name)
    return (files("adequa.web.workbench") / "static" / name).read_bytes()


class WorkbenchSite:
    """What the handlers of all pages share: how to answer a browser."""

    def __init__(self, doors: BrowserAccess) -> None:
        self.doors = doors

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """A rendered page; a browser without a session gets one, if it may and nothing is wrong."""
        response = Response(status_code=status, media_type="text/html")
        session = self.doors.session(request.headers)
        if session is None and not self.doors.is_locked and status < 400:
            session = self.doors.begin(response, secure=request.url.scheme == "https")
        token = "" if session is None else self.doors.tokens.form_token(session)
        common: dict[str, Any] = {"here": "", "refresh": None, "scripts": (), "form_token": token}
        common |= {"is_in": session is not None or not self.doors.is_locked}
        body = _environment().get_template(template).render(**(common | values))
        # A name or a text may hold what UTF-8 cannot: it is shown as a question mark.
        response.body = body.encode("utf-8", "replace")
        response.headers["content-length"] = str(len(response.body))
        return response

    def message(
        self, request: Request, heading: str, *paragraphs: str, status: int = 200
    ) -> Response:
        """A page that only says something."""
        return self.page(request, "message.html", status, heading=heading, paragraphs=paragraphs)


@cache
def _environment() -> Environment:
    made = page_environment("adequa.web.workbench")
    made.filters |= {
        "number": written,
        "counted": _counted,
        "day": _day,
        "script_json": script_json,
    }
    made.globals |= {
        "version": version_of(STATIC, static_file),
        "release": __version__,
        "percent": percent,
    }
    return made


def _counted(number: int) -> str:
    return f"{number:,}"


def _day(moment: str) -> str:
    """Of a moment as manifests write it, what a reader wants: 2026-11-16 10:21."""
    return moment[:16].replace("T", " ")
