"""Access control: login links, sessions, the guard, origins, bounds, and the headers of responses.

Without a token a server trusts everyone who can reach its port; on loopback these are the programs
of this machine. A page of another site in a browser is one of them: it is kept out by the host name
it has to use (DNS rebinding) and by what browsers say about the origin of a request.

Login links and sessions carry their own proof: HMACs of one secret, without a table. A link holds a
token: the MAC of its purpose, or a number with the MAC of purpose and number. Each purpose has its
own MAC, so a token of one kind never passes for another. Opening a link begins a session, which is
in the cookie: it differs from the link and expires. Every request that changes something must carry
the session's form token, which only our own pages can read.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request

from adequa.errors import AdequaError, DataError
from adequa.files import open_private, write_errors
from adequa.web.errors import Refusal, is_disk_full, refusal_of, respond
from adequa.web.limits import RequestLimits, ServerSettings, format_bytes, whole_number

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from adequa.web.workbench.site import WorkbenchAccess


SECRET_FILE = "secret.key"  # noqa: S105  # the name of the file
FORM_TOKEN = "x-form-token"  # noqa: S105  # the name of a header
_BYTES = 32
_SESSION_SECONDS = 30 * 24 * 3600
_LONGEST = 200
"""No token of ours is longer, so a longer one is refused without computing a MAC."""


@dataclass(frozen=True)
class SignedTokens:
    """Makes and verifies tokens with one secret."""

    secret: bytes = field(repr=False)
    clock: Callable[[], float] = time.time

    @property
    def mark(self) -> str:
        """Distinguishes the cookies of several servers on one host; reveals nothing."""
        return self.token("mark")[:8]

    def token(self, purpose: str) -> str:
        """The token of a purpose: 160 bits in letters and digits only.

        Mail programs cut links at other characters.
        """
        digest = hmac.digest(self.secret, purpose.encode(), "sha256")
        return b32encode(digest[:20]).decode("ascii").lower()

    def is_token(self, purpose: str, given: str) -> bool:
        """Whether a token is the one of a purpose."""
        return _same(given, self.token(purpose))

    def numbered(self, purpose: str, number: int) -> str:
        """The token of a purpose for one number, which it shows."""
        return f"{number}-{self.token(f'{purpose} {number}')}"

    def number(self, purpose: str, given: str) -> int | None:
        """The number in a token of a purpose; None if the token is not genuine."""
        number = whole_number(given.partition("-")[0])
        is_genuine = number is not None and _same(given, self.numbered(purpose, number))
        return number if is_genuine else None


@dataclass(frozen=True, slots=True)
class Session:
    """A visitor who has signed in; `number` is a rater's, and 0 for roles without numbers."""

    number: int
    cookie: str


@dataclass(frozen=True)
class Sessions:
    """The sessions of one role, in signed cookies; a cookie of another role is not accepted."""

    tokens: SignedTokens
    role: str
    is_numbered: bool = False
    path: str = "/"

    @property
    def cookie_name(self) -> str:
        """The name of the cookie."""
        return f"adequa_{self.role}_{self.tokens.mark}"

    def new(self, number: int = 0) -> Session:
        """A session that begins now."""
        who = str(number) if self.is_numbered else self.role[0]
        body = f"{who}-{int(self.tokens.clock())}-{secrets.token_hex(8)}"
        return Session(number, f"{body}-{self._proof(body)}")

    def begin(self, response: Response, *, secure: bool, number: int = 0) -> Session:
        """A session that begins now, with its cookie on the response."""
        session = self.new(number)
        response.set_cookie(
            self.cookie_name,
            session.cookie,
            max_age=_SESSION_SECONDS,
            path=self.path,
            secure=secure,
            httponly=True,
            # Lax, not strict: a link in a mail leads here, and the redirect must carry the cookie.
            samesite="lax",
        )
        return session

    def find(self, cookies: Mapping[str, str]) -> Session | None:
        """The session in a request's cookies: None if forged, expired or of another role."""
        cookie = cookies.get(self.cookie_name, "")
        if not cookie.isascii() or len(cookie) > _LONGEST:
            return None
        who, *rest = cookie.split("-", 3)
        if len(rest) != 3 or (not who.isdecimal() if self.is_numbered else who != self.role[0]):
            return None
        body = "-".join((who, *rest[:2]))
        if not _same(cookie, f"{body}-{self._proof(body)}"):
            return None
        # From here on the parts are our own, so the numbers are numbers.
        if self.tokens.clock() - int(rest[0]) > _SESSION_SECONDS:
            return None
        return Session(int(who) if self.is_numbered else 0, cookie)

    def form_token(self, session: Session) -> str:
        """What each form of a session must send along, so that no other site can send it."""
        return self.tokens.token(f"form {session.cookie}")

    def is_form_token(self, session: Session, token: str) -> bool:
        """Whether a form was made for this session."""
        return _same(token, self.form_token(session))

    def _proof(self, body: str) -> str:
        return self.tokens.token(f"session {body}")


def load_secret(folder: Path | str) -> bytes:
    """A folder's secret, created on first use and readable by its owner only."""
    path = Path(folder) / SECRET_FILE
    own = write_errors(path, remedy="use a folder that you can write to")
    with own, contextlib.suppress(FileExistsError), open_private(path) as file:
        file.write(secrets.token_hex(_BYTES) + "\n")
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        remedy = "run the server as the file's owner"
        raise DataError.of_file(error, path, remedy=remedy) from None
    except ValueError:
        secret = b""
    if len(secret) < _BYTES:
        raise DataError(
            f"is not a key of {_BYTES} bytes",
            path=path,
            remedy="delete it to get a new one; all links then change",
        )
    return secret


def _same(given: str, right: str) -> bool:
    """Compare in constant time; as bytes, because strings beyond ASCII cannot be compared so."""
    if len(given) > _LONGEST:
        return False
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("ascii"))


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
"""A response that sets one of these itself, as static files do, keeps its own."""

Answer = Callable[["Scope", Refusal], "Response"]


def secured_app(
    routes: Sequence[BaseRoute],
    *,
    limits: RequestLimits,
    answer: Answer,
    middleware: Sequence[Middleware] = (),
) -> Starlette:
    """An application with bounds and security headers; `answer` responds to every refusal."""

    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, OSError) and not is_disk_full(error):
            raise error  # handled as any other exception, which is logged
        response = answer(request.scope, refusal_of(error))
        if isinstance(error, HTTPException):
            response.headers.update(error.headers or {})
        elif not isinstance(error, Refusal | AdequaError | OSError):
            response.headers.update(HEADERS)  # this response is made outside of the middleware
        return response

    bounds = Middleware(RequestBounds, limits=limits, answer=answer)
    app = Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders), bounds, *middleware],
        exception_handlers=dict.fromkeys(
            (Refusal, AdequaError, HTTPException, OSError, Exception), refuse
        ),
    )
    app.router.redirect_slashes = False
    return app


class SecurityHeaders:
    """Middleware that adds the security headers to each response, also to errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to its response."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                own = {name.lower() for name, _ in given}
                given += [pair for pair in self.headers.items() if pair[0] not in own]
                message = {**message, "headers": given}
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class RequestBounds:
    """Middleware that bounds heads and the requests in flight.

    `adequa.web.server` bounds the connections, `adequa.web.limits` the bodies.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits, answer: Answer) -> None:
        self.app, self.limits = app, limits
        self._answer = answer
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await self._answer(scope, refusal)(scope, exchange.receive, exchange.send)
            return
        self._in_flight += 1
        try:
            await self.app(scope, exchange.receive, exchange.send)
        finally:
            self._in_flight -= 1

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = sum(len(name) + len(value) for name, value in scope["headers"])
        address = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if headers + address > self.limits.max_head:
            message = f"address and headers are larger than {format_bytes(self.limits.max_head)}"
            return Refusal(431, "head_too_large", message, "send fewer or shorter ones")
        if self._in_flight >= self.limits.in_flight:
            message = f"{self._in_flight} requests are being answered already"
            return Refusal(503, "busy", message, "send fewer at once", wait=2)
        return None


class _Exchange:
    """One request and its answer; closes the connection if nobody will read the rest of a body."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0").strip("0")
        self._is_read = not length and "transfer-encoding" not in headers

    async def receive(self) -> Message:
        """The next part of the body."""
        message = await self._receive()
        self._is_read = self._is_read or not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start" and not self._is_read:
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await self._send(message)


def is_own_origin(headers: Mapping[str, str], base_url: str | None) -> bool:
    """Whether a request that changes something comes from this server's pages, by its headers.

    Under `no-referrer` browsers send `Origin: null` with a form, so `Sec-Fetch-Site` decides where
    it is present. A request without either is judged by its form token alone.
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


class Guard:
    """Middleware of `adequa serve` that refuses requests before any of their body is read.

    `browsers` lets in browsers, which have a session instead of the token.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        browsers: WorkbenchAccess | None = None,
        answer: Answer = lambda _scope, refusal: respond(refusal),
    ) -> None:
        self.app, self.settings, self.browsers = app, settings, browsers
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refusal is None:
            await self.app(scope, receive, send)
            return
        response = self._answer(scope, refusal)
        if refusal.status == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        await response(scope, receive, send)

    def _refusal(self, method: str, path: str, headers: Headers) -> Refusal | None:
        token, browsers = self.settings.token, self.browsers
        known = browsers is not None and browsers.is_known(headers)
        if token is None:
            if _host_name(headers.get("host", "")) not in self.settings.hosts:
                message = "this server does not answer to that name"
                remedy = "use http://127.0.0.1 or http://localhost"
                return Refusal(421, "wrong_host", message, remedy, where="Host")
        elif not (_has_token(headers, token) or known or (browsers and browsers.is_open(path))):
            message, remedy = "the token is missing or wrong", "send Authorization: Bearer TOKEN"
            return Refusal(401, "no_token", message, remedy, where="Authorization")
        if method not in ("GET", "HEAD"):
            if not is_own_origin(headers, None):
                message = "pages of other sites may not use this server"
                return Refusal(403, "foreign_origin", message, where="Origin")
            if known and browsers is not None and not browsers.is_form(headers):
                return no_form_token()
        return None


def no_form_token() -> Refusal:
    """The refusal of a change that no page of the session asked for."""
    message = "this request does not come from a page of your session"
    return Refusal(403, "no_form_token", message, "reload the page")


def _has_token(headers: Headers, token: str) -> bool:
    kind, _, given = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    return same and kind.lower() == "bearer"


def _host_name(host: str) -> str:
    """The host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
