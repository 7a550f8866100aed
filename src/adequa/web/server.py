"""Servers: the address they listen on, the process that serves, and their token and folder."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from adequa.errors import DataError, ServiceError, SettingError
from adequa.files import locked

if TYPE_CHECKING:
    from starlette.applications import Starlette

_HEAD_SECONDS = 20.0
"""For the whole head of a request; browsers need well under a second."""
_MOST_CONNECTIONS = 2048
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
        remedy = "give --host an address of this machine"
        raise ServiceError(f"the host {host!r}", f"is unknown ({error})", remedy) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        problem = f"is not available ({error.strerror})"
        remedy = "another program may be using it: choose another --port"
        raise ServiceError(f"port {port} of {host}", problem, remedy) from None
    return bound


def url_of(bound: socket.socket, host: str) -> str:
    """The URL of a listening socket."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"


def server_of(
    app: Starlette,
    *,
    head_seconds: float = _HEAD_SECONDS,
    started: Callable[[], None] | None = None,
    behind_proxy: bool = False,
) -> uvicorn.Server:
    """A server for one application; `.run(sockets=[…])` serves until it is stopped.

    With `behind_proxy` the client addresses a proxy names are believed, if it runs on this machine
    or is named in the environment variable FORWARDED_ALLOW_IPS.
    """
    config = uvicorn.Config(
        app,
        http=type("Protocol", (_ImpatientProtocol,), {"head_seconds": head_seconds}),
        ws="none",
        # An access log would contain login links and queries.
        access_log=False,
        log_level="warning",
        proxy_headers=behind_proxy,
        server_header=False,
        lifespan="off",
        timeout_keep_alive=30,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=10,
    )
    return _Server(config, started)


class _Server(uvicorn.Server):
    """Calls back when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._started is not None:
            self._started()


class _ImpatientProtocol(H11Protocol):
    """Closes connections that do not send the whole head of a request in time.

    uvicorn itself waits without a limit.
    """

    head_seconds = _HEAD_SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Run the timer while a head is awaited; parts of a head do not reset it."""
        is_awaited = self.cycle is None or self.cycle.response_complete
        if not is_awaited and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif is_awaited and self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self._too_slow)

    def _too_slow(self) -> None:
        self._timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def read_token(host: str, file: Path | None) -> str | None:
    """The token in a file; required for an address that other machines can reach."""
    if file is None:
        if is_loopback(host):
            return None
        raise SettingError(
            f"{host} can be reached from other machines, so it needs a token: write one to a file "
            "(openssl rand -hex 32 > token) and give --token-file token"
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
