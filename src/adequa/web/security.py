"""What every response carries, and whether a form comes from a page of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""A response that says its own, as the files that never change do, keeps it."""


class SecurityHeaders:
    """Adds the headers to each response, also to the ones made for errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the headers back."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                own = {name.lower() for name, _ in given}
                given += [pair for pair in self.headers.items() if pair[0] not in own]
                message = {**message, "headers": given}
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def is_own_origin(headers: Mapping[str, str], base_url: str | None) -> bool:
    """Whether a request that changes something comes from this server's pages, as far as it says.

    Under `no-referrer` browsers send `Origin: null` with a form, so what they say of the site
    counts where they say it. A request that says nothing is judged by its form token alone.
    """
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin", "null")
    if origin == "null":
        return True
    own = {headers.get("host", "")}
    if base_url is not None:
        own.add(urlsplit(base_url).netloc)
    return urlsplit(origin).netloc in own
