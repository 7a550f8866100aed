"""Who is let in at all: the names and tokens of a server, other sites' pages, and how many at once.

Without a token a server trusts whoever reaches its port, which on loopback are the programs of this
machine. A page of another site in a browser is one too: it is kept out by the name it has to use
(DNS rebinding), and by what browsers say of where a request comes from.
"""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from adequa.web.api.errors import Refused, respond
from adequa.web.api.settings import Settings
from adequa.web.campaign.security import is_own_origin

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard"]

_SEND_SECONDS = 30.0
_SMALL = 1 << 16


class Guard:
    """Middleware before everything else."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before any of its body is read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope["method"], Headers(scope=scope))
        if refused is not None:
            extra = {"WWW-Authenticate": "Bearer"} if refused.status == 401 else None
            await respond(refused, extra)(scope, receive, send)
            return
        self._in_flight += 1
        try:
            await self.app(scope, receive, _in_time(send))
        finally:
            self._in_flight -= 1

    def _refusal(self, method: str, headers: Headers) -> Refused | None:
        token = self.settings.token
        if token is None:
            if _name(headers.get("host", "")) not in self.settings.hosts:
                return Refused(
                    421,
                    "wrong_host",
                    "this server does not answer to that name",
                    "use http://127.0.0.1 or http://localhost",
                    where="Host",
                )
        elif not _has(headers, token):
            return Refused(
                401,
                "no_token",
                "the token is missing or wrong",
                "send Authorization: Bearer TOKEN",
                where="Authorization",
            )
        if method not in ("GET", "HEAD") and not is_own_origin(headers, None):
            message = "other sites' pages may not use this server"
            return Refused(403, "foreign_origin", message, where="Origin")
        if self._in_flight >= self.settings.in_flight:
            message = f"{self._in_flight} requests are being answered already"
            return Refused(503, "busy", message, "send fewer at once", wait=2)
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
