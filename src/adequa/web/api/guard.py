"""Who is let in at all: the names and tokens of a server, other sites' pages, and how many at once.

Without a token a server trusts whoever reaches its port, which on loopback are the programs of this
machine. A page of another site in a browser is one too: it is kept out by the name it has to use
(DNS rebinding), and by what browsers say of where a request comes from.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from starlette.datastructures import Headers

from adequa.web.api.settings import ServerSettings
from adequa.web.errors import Refusal, respond
from adequa.web.security import is_own_origin

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SEND_SECONDS = 30.0
_SMALL = 1 << 16


class ServerAccess(Protocol):
    """How browsers come in, which have a session in place of the token."""

    def is_open(self, path: str) -> bool:
        """Whether an address is for everybody."""

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has a session."""

    def is_form(self, headers: Mapping[str, str]) -> bool:
        """Whether a page of ours sent a request, for its own session."""


class Guard:
    """Middleware before everything else; `answer` makes the response to what is refused."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        doors: ServerAccess | None = None,
        answer: Callable[[Scope, Refusal], Response] | None = None,
    ) -> None:
        self.app, self.settings, self.doors = app, settings, doors
        self._answer = answer or (lambda _scope, refused: respond(refused))
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before any of its body is read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refused is not None:
            response = self._answer(scope, refused)
            if refused.status == 401:
                response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        self._in_flight += 1
        try:
            await self.app(scope, receive, _in_time(send))
        finally:
            self._in_flight -= 1

    def _refusal(self, method: str, path: str, headers: Headers) -> Refusal | None:
        token, doors = self.settings.token, self.doors
        known = doors is not None and doors.is_known(headers)
        if token is None:
            if _name(headers.get("host", "")) not in self.settings.hosts:
                return Refusal(
                    421,
                    "wrong_host",
                    "this server does not answer to that name",
                    "use http://127.0.0.1 or http://localhost",
                    where="Host",
                )
        elif not (_has(headers, token) or known or (doors and doors.is_open(path))):
            return Refusal(
                401,
                "no_token",
                "the token is missing or wrong",
                "send Authorization: Bearer TOKEN",
                where="Authorization",
            )
        if method not in ("GET", "HEAD"):
            if not is_own_origin(headers, None):
                message = "other sites' pages may not use this server"
                return Refusal(403, "foreign_origin", message, where="Origin")
            if known and doors is not None and not doors.is_form(headers):
                message = "this does not come from a page of the session"
                return Refusal(403, "no_form_token", message, "reload the page")
        if self._in_flight >= self.settings.in_flight:
            message = f"{self._in_flight} requests are being answered already"
            return Refusal(503, "busy", message, "send fewer at once", wait=2)
        return None


def _has(headers: Headers, token: str) -> bool:
    kind, _, given = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    return same and kind.lower() == "bearer"


def _name(host: str) -> str:
    """The host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _in_time(send: Send) -> Send:
    """A client that does not take its answer must not hold it in memory for ever."""

    async def sent(message: Message) -> None:
        if len(message.get("body", b"")) < _SMALL:
            await send(message)
        else:
            await asyncio.wait_for(send(message), _SEND_SECONDS)

    return sent
