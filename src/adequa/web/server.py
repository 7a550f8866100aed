"""Servers: the address they listen on, the process that serves, and their token and folder."""

from __future__ import annotations

import asyncio
import logging
import socket
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import DefaultFormatter
from uvicorn.protocols.http.h11_impl import H11Protocol

from adequa.errors import DataError, ServiceError, SettingError
from adequa.files import locked
from adequa.tables import printable
from adequa.web.limits import RequestLimits

if TYPE_CHECKING:
    from starlette.applications import Starlette

_BACKLOG = 2048
"""Connections that the system keeps until they are accepted."""
_ACCEPTED_AT_ONCE = 64
"""So many are accepted before any of them can be closed again; all have an open file."""
_RESERVED_FILES = 256
"""Files that are not connections: the database's, a run's, those accepted at once."""
_FEWEST_CONNECTIONS = 16
_SHORTEST_TOKEN = 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, bound before any address is printed; port 0 takes a free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named TCP, or asyncio does not recognise it and leaves Nagle's delay of 40 ms on.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        remedy = "give host=… as an address of this machine"
        raise ServiceError(f"the host {host!r}", f"is unknown ({error})", remedy) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        problem = f"is not available ({error.strerror})"
        remedy = "another program may be using it: choose another one with port=…"
        raise ServiceError(f"port {port} of {host}", problem, remedy) from None
    return bound


def url_of(bound: socket.socket, host: str) -> str:
    """The URL of a listening socket."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"


def server_of(
    app: Starlette,
    limits: RequestLimits,
    *,
    started: Callable[[], None] | None = None,
    behind_proxy: bool = False,
) -> uvicorn.Server:
    """A server for one application; `.run(sockets=[…])` serves until it is stopped.

    With `behind_proxy` the client addresses a proxy names are believed, if it runs on this machine
    or is named in the environment variable FORWARDED_ALLOW_IPS.
    """
    most = min(limits.connections, most_connections())
    bounds = {"limits": limits, "open": Connections(most)}
    config = uvicorn.Config(
        app,
        log_config=_LOGGING,
        http=type("Protocol", (_BoundedProtocol,), bounds),
        ws="none",
        # An access log would contain login links and queries.
        access_log=False,
        log_level="warning",
        proxy_headers=behind_proxy,
        server_header=False,
        lifespan="off",
        # Whole seconds: uvicorn's type says so.
        timeout_keep_alive=max(1, round(limits.idle_seconds)),
        h11_max_incomplete_event_size=limits.max_head,
        backlog=_ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=10,
    )
    return _Server(config, started)


class LogFormatter(DefaultFormatter):
    """The messages of uvicorn; what they quote of a request or an exception is escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """The message, and the traceback if there is one."""
        return printable(super().format(record))


_LOGGING: dict[str, Any] = LOGGING_CONFIG | {
    "formatters": LOGGING_CONFIG["formatters"]
    | {"default": {"()": LogFormatter, "fmt": "%(levelprefix)s %(message)s", "use_colors": False}}
}


class _Server(uvicorn.Server):
    """Calls back when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_BACKLOG)  # asyncio uses one number for this and for accepting at once
        if self._started is not None:
            self._started()


def most_connections() -> int:
    """As many connections as the process may have open files, less those it needs itself."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return RequestLimits.connections
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return RequestLimits.connections
    return max(_FEWEST_CONNECTIONS, files - _RESERVED_FILES)


class Connections:
    """The open connections of a server, at most `most` of them.

    One that is too many takes the place of one that waits for the head of a request: first of those
    that never sent one, then of idle ones, and among these the oldest from the address that has
    most. A request that is being answered is never cut off.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._waiting: OrderedDict[_BoundedProtocol, None] = OrderedDict()
        self._busy: set[_BoundedProtocol] = set()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._busy)

    def wait(self, connection: _BoundedProtocol) -> None:
        """Count a connection as waiting for a head, from now on."""
        self._busy.discard(connection)
        if connection not in self._waiting:
            self._waiting[connection] = None

    def serve(self, connection: _BoundedProtocol) -> None:
        """Count a connection as being answered."""
        self._waiting.pop(connection, None)
        self._busy.add(connection)

    def remove(self, connection: _BoundedProtocol) -> None:
        """Forget a closed connection."""
        self._waiting.pop(connection, None)
        self._busy.discard(connection)

    def make_room(self) -> None:
        """Close connections beyond the bound; if all the others are busy, the newest."""
        while len(self) > self.most and self._waiting:
            connection = self._least_missed()
            self.remove(connection)
            connection.transport.abort()

    def _least_missed(self) -> _BoundedProtocol:
        *older, newest = self._waiting  # the newest has had no time to send anything
        candidates = [one for one in older if not one.is_proven] or older or [newest]
        counts = Counter(one.address for one in candidates)
        most = max(counts.values())
        return next(one for one in candidates if counts[one.address] == most)


class _BoundedProtocol(H11Protocol):
    """Counts its connection, and closes it if a head is not sent or an answer not read in time.

    uvicorn itself waits for both without a limit.
    """

    limits: RequestLimits
    open: Connections
    is_proven = False
    """Whether the connection has sent a whole head."""
    _head_timer: asyncio.TimerHandle | None = None
    _send_timer: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """The client's address, without its port."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.open.wait(self)
        self.open.make_room()
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_connection()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_connection()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._send_timer = self.loop.call_later(self.limits.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._send_timer is not None and not self.transport.is_closing():
            self._send_timer.cancel()
            self._send_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.open.remove(self)
        for timer in (self._head_timer, self._send_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    @property
    def _is_waiting(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        """Run the timer while a head is awaited; parts of a head do not reset it."""
        self._watch_connection()
        if not self._is_waiting and self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        elif self._is_waiting and self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self._too_slow)

    def _watch_connection(self) -> None:
        if self.transport.is_closing():
            if self._send_timer is None:  # what is left to send must be read in time, too
                later = self.loop.call_later
                self._send_timer = later(self.limits.send_seconds, self.transport.abort)
        elif self._is_waiting:
            self.open.wait(self)
        else:
            self.is_proven = True
            self.open.serve(self)

    def _too_slow(self) -> None:
        self._head_timer = None
        if self._is_waiting:
            self.transport.close()
            self._watch_connection()


def read_token(host: str, file: Path | None) -> str | None:
    """The token in a file; required for an address that other machines can reach."""
    if file is None:
        if is_loopback(host):
            return None
        raise SettingError(
            f"{host} can be reached from other machines, so it needs a token: write one to a file "
            '(openssl rand -hex 32 > token) and give token_file="token"'
        )
    try:
        token = file.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        raise DataError("cannot be read", path=file, remedy="name a file with a token") from None
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or any(map(str.isspace, token)):
        problem = f"its first line is not a token of {_SHORTEST_TOKEN} or more characters"
        raise DataError(problem, path=file, remedy="openssl rand -hex 32 > FILE")
    return token


def hosts_of(host: str) -> tuple[str, ...]:
    """The host names a server without a token answers to."""
    return tuple(dict.fromkeys((*_LOOPBACK, host.lower())))


@contextmanager
def kept_folder(folder: Path | None) -> Iterator[Path]:
    """The folder for runs, locked against a second server; temporary if none is given."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="adequa-runs-") as name:
            yield Path(name)
        return
    with locked(folder):
        yield folder
