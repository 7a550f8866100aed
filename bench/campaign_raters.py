"""Simulated raters over HTTP, who answer text after text and record the accepted answers."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

__all__ = ["Crowd", "SimulatedRater"]

_SLOT = re.compile(rb'action="/text/(\d+)"')
_TOKEN = re.compile(rb'name="form_token" value="([^"]+)"')
_PATIENCE = 60.0


@dataclass
class Crowd:
    """The common state of all raters: the server's address, their pace, and their measurements."""

    port: int
    questions: tuple[str, ...]
    period: float = 0.0
    """Seconds between two answers of a rater; 0 means as fast as the server allows."""
    stopping: bool = False
    answering: list[float] = field(default_factory=list)
    """Seconds from sending an answer until it was accepted."""
    showing: list[float] = field(default_factory=list)
    """Seconds until the next text arrived."""
    retries: int = 0
    accepted: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    """The answers that the server confirmed, by rater and slot."""
    problems: list[str] = field(default_factory=list)


@dataclass
class SimulatedRater:
    """One rater with one connection; a failed request is sent again."""

    crowd: Crowd
    number: int
    link: str
    cookie: str = ""
    finished: bool = False
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    waiting: tuple[int, bytes, dict[str, int]] | None = None
    """An answer that was sent but not confirmed."""

    async def work(self) -> None:
        """Answer until there is nothing left or the crowd is to stop."""
        chance = random.Random(self.number)
        if self.crowd.period:
            await asyncio.sleep(chance.random() * self.crowd.period)
        while not self.crowd.stopping and not self.finished:
            started = time.perf_counter()
            await self._one(chance)
            left = self.crowd.period * chance.uniform(0.5, 1.5) - (time.perf_counter() - started)
            if self.crowd.period and left > 0:
                await asyncio.sleep(left)
        self.leave()

    def leave(self) -> None:
        """Hang up."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None

    async def _one(self, chance: random.Random) -> None:
        if not self.cookie:
            _, headers, _ = await self._ask("GET", urlsplit(self.link).path)
            self.cookie = headers["set-cookie"].partition(";")[0]
        if self.waiting is None:
            started = time.perf_counter()
            status, _, body = await self._ask("GET", "/text")
            self.crowd.showing.append(time.perf_counter() - started)
            slot, token = _SLOT.search(body), _TOKEN.search(body)
            if status != 200 or slot is None or token is None:
                if b"Nothing to do just now" in body:
                    await asyncio.sleep(0.5)
                    return
                self.finished = True
                if status != 200:
                    self.crowd.problems.append(f"r{self.number:03d}: {status} for a text")
                return
            given = {question: chance.choice([1, 2, 3]) for question in self.crowd.questions}
            fields = {f"q:{name}": value for name, value in given.items()}
            form = fields | {"form_token": token[1].decode(), "seconds": "12.5"}
            self.waiting = int(slot[1]), urlencode(form).encode(), given
        number, form_body, given = self.waiting
        started = time.perf_counter()
        status, headers, _ = await self._ask("POST", f"/text/{number}", form_body)
        self.crowd.answering.append(time.perf_counter() - started)
        if status == 303 and headers["location"].endswith("/text"):
            self.crowd.accepted[self.number, number] = given
        else:
            self.crowd.problems.append(f"r{self.number:03d}: {status} for an answer")
        self.waiting = None

    async def _ask(
        self, method: str, path: str, body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Ask until there is a response: a server that is away comes back."""
        patience = time.monotonic() + _PATIENCE
        while True:
            is_old = self.streams is not None
            try:
                return await asyncio.wait_for(self._exchange(method, path, body), _PATIENCE)
            except (OSError, EOFError, asyncio.TimeoutError):
                self.leave()
                if time.monotonic() > patience:
                    raise
                if is_old:
                    continue  # servers close what was idle for some seconds
                self.crowd.retries += 1
                await asyncio.sleep(0.1)

    async def _exchange(
        self, method: str, path: str, body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.crowd.port)
        reader, writer = self.streams
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.crowd.port}",
            f"Cookie: {self.cookie}",
            f"Content-Length: {len(body)}",
            "Content-Type: application/x-www-form-urlencoded",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in filter(None, head[1:]):
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        return int(head[0].split()[1]), headers, content
