"""Which browser may come in: a session by a link where the server has a token, and form tokens.

A page's cookie is a session. Whatever a browser with a session changes, it must send the session's
form token along, which only our own pages can read. Programs use the token itself and no cookie.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping

from starlette.requests import cookie_parser
from starlette.responses import Response

from adequa.web.campaign.limits import Rate, Throttle
from adequa.web.campaign.tokens import Session, Tokens

__all__ = ["FORM_TOKEN", "Doors"]

FORM_TOKEN = "x-form-token"  # noqa: S105  # the name of a header
_SECONDS = 30 * 24 * 3600
_WRONG_LINKS = Rate(20, 1 / 30)


class Doors:
    """The sessions of one server; with a token they outlive it, without one they do not."""

    def __init__(self, token: str | None) -> None:
        secret = secrets.token_bytes(32)
        if token is not None:
            secret = hashlib.sha256(b"adequa workbench\0" + token.encode()).digest()
        self.tokens = Tokens(secret)
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
