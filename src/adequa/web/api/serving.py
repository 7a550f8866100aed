"""The application on a port, with an end to connections that only pretend to ask."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["server_of"]

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
