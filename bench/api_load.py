"""Load for an HTTP server on loopback: many connections, in one thread, with the time of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["Answer", "at_a_rate", "closed_loop", "percentile"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one request; a status of 0 is a broken connection."""

    status: int
    seconds: float


class _Connection:
    """Keeps its connection, and reconnects if the server closed it."""

    def __init__(self, url: str) -> None:
        split = urlsplit(url)
        self.host, self.port = split.hostname or "", split.port or 80
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> Answer:
        started = time.perf_counter()
        status = 0
        for is_kept in (self.streams is not None, False):
            try:
                status = await self._post(body)
                break
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                if not is_kept:  # else the server had closed it, as it may
                    break
        return Answer(status, time.perf_counter() - started)

    async def _post(self, body: bytes) -> int:
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        head = (
            f"POST /v1/score HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(answer.partition("content-length:")[2].partition("\r\n")[0])
        await reader.readexactly(length)
        if "connection: close" in answer:
            self.close()
        return int(answer.split(" ", 2)[1])

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


def closed_loop(url: str, bodies: Sequence[bytes], connections: int) -> list[Answer]:
    """Send every body once; each connection sends the next after its answer."""

    async def all_of_them() -> list[Answer]:
        waiting = iter(bodies)
        answers = await asyncio.gather(*(_send(url, waiting) for _ in range(connections)))
        return [answer for some in answers for answer in some]

    return asyncio.run(all_of_them())


async def _send(url: str, waiting: Iterator[bytes]) -> list[Answer]:
    connection = _Connection(url)
    answers = [await connection.post(body) for body in waiting]
    connection.close()
    return answers


def at_a_rate(url: str, bodies: Sequence[bytes], rate: float, seconds: float) -> list[Answer]:
    """Send bodies repeatedly at a fixed rate, without waiting for earlier answers."""

    async def all_of_them() -> list[Answer]:
        idle: list[_Connection] = []
        tasks: set[asyncio.Task[None]] = set()
        answers: list[Answer] = []

        async def one(body: bytes) -> None:
            connection = idle.pop() if idle else _Connection(url)
            answers.append(await connection.post(body))
            idle.append(connection)

        started = time.perf_counter()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, started + number / rate - time.perf_counter()))
            task = asyncio.create_task(one(bodies[number % len(bodies)]))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        for connection in idle:
            connection.close()
        return answers

    return asyncio.run(all_of_them())


def percentile(values: Sequence[float], share: float) -> float:
    """The quantile of the values at a share."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
