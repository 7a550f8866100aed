"""Addresses and ports: bound before anything is promised."""

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

from adequa.errors import DataError, RunError, ServiceError, SettingError
from adequa.files import locked

if TYPE_CHECKING:
    from starlette.applications import Starlette


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host's address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket on a port; port 0 takes a free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named TCP, or asyncio does not know that it is and leaves Nagle's delay of 40 ms on.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise ServiceError(
            f"the host {host!r}",
            f"is not known ({error})",
            "give --host an address of this machine",
        ) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise ServiceError(
            f"port {port} of {host}",
            f"cannot be had ({error.strerror})",
            "something else may be using it: give another --port",
        ) from None
    return bound


def url_of(bound: socket.socket, host: str) -> str:
    """The address of what listens there."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"


# ---
# The application on a port, with an end to connections that only pretend to ask.
# ---

_HEAD_SECONDS = 20.0
_MOST_CONNECTIONS = 2048


def server_of(
    app: Starlette,
    *,
    head_seconds: float = _HEAD_SECONDS,
    started: Callable[[], None] | None = None,
) -> uvicorn.Server:
    """A server for one application; `.run(sockets=[…])` serves until it is stopped."""
    config = uvicorn.Config(
        app,
        http=type("Protocol", (_Hurried,), {"head_seconds": head_seconds}),
        ws="none",
        # An access log would hold what people ask for.
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        timeout_keep_alive=30,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=10,
    )
    return _Server(config, started)


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._say = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._say is not None:
            self._say()


class _Hurried(H11Protocol):
    """A connection must bring the whole head of a request in time: uvicorn alone waits for ever."""

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
        """The clock runs while a head is awaited, and parts of it do not set it back."""
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


# ---
# What a server is started with: who may ask, and where its runs are kept.
# ---

_SHORTEST_TOKEN = 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def checked_token(host: str, file: Path | None) -> str | None:
    """The token in a file; a host that others can reach must have one."""
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
        raise DataError(
            f"its first line is no token of {_SHORTEST_TOKEN} characters or more",
            path=file,
            remedy="openssl rand -hex 32 > FILE",
        )
    return token


def hosts_of(host: str) -> tuple[str, ...]:
    """The names by which a server without a token may be asked for."""
    return tuple(dict.fromkeys((*_LOOPBACK, host.lower())))


@contextmanager
def kept_folder(folder: Path | None) -> Iterator[Path]:
    """The folder for runs, held against a second server; without one, until the end only."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="adequa-runs-") as name:
            yield Path(name)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("ab")
    except OSError as error:
        raise RunError(f"{folder} cannot be written ({error.strerror}); name another") from None
    with lock, locked(lock, folder):
        yield folder
