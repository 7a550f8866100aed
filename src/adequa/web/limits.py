"""How much one address or one rater may ask for: sizes, rates, and the time to send a body."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import dataclass, field


class CampaignRefusal(Exception):
    """A request that is not served: the status, words for the page, and seconds to wait."""

    def __init__(self, status: int, words: str, *, wait: float | None = None) -> None:
        self.status, self.words, self.wait = status, words, wait
        super().__init__(status, words)


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` at once, and `per_second` in the long run."""

    burst: float
    per_second: float


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The limits of a server; the defaults are far above what a person does."""

    body_bytes: int = 256 * 1024
    body_seconds: float = 20.0
    wrong_links: Rate = Rate(20, 1 / 30)
    """By address; only links that were wrong count."""
    joins: Rate = Rate(500, 1.0)
    """By address: a whole class may sit behind one."""
    answers: Rate = Rate(60, 2.0)
    """By rater."""
    drafts: Rate = Rate(120, 4.0)
    """By rater; a sign of life is a draft too."""


@dataclass
class Throttle:
    """A bucket a key, filled at a steady rate; keys long unseen are forgotten, so memory is bound.

    In one process only: with several, each keeps its own count.
    """

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    most_keys: int = 20_000
    _buckets: OrderedDict[Hashable, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, key: Hashable) -> float:
        """Seconds until the next is allowed; 0 if it is now."""
        missing = 1.0 - self._level(key)
        return max(0.0, missing / self.rate.per_second)

    def take(self, key: Hashable) -> None:
        """Count one."""
        self._buckets[key] = (self._level(key) - 1.0, self.clock())
        self._buckets.move_to_end(key)
        while len(self._buckets) > self.most_keys:
            self._buckets.popitem(last=False)

    def check(self, key: Hashable) -> None:
        """Refuse where the bucket is empty, and count nothing."""
        wait = self.wait(key)
        if wait > 0:
            words = "That was too much in too short a time. Please wait a little and try again."
            raise CampaignRefusal(429, words, wait=math.ceil(wait))

    def allow(self, key: Hashable) -> None:
        """Refuse where the bucket is empty, else count one."""
        self.check(key)
        self.take(key)

    def _level(self, key: Hashable) -> float:
        level, then = self._buckets.get(key, (self.rate.burst, self.clock()))
        return min(self.rate.burst, level + (self.clock() - then) * self.rate.per_second)


async def read_body(
    stream: AsyncIterator[bytes], declared: str | None, limits: RateLimits
) -> bytes:
    """A request's body, refused as soon as it is known to be too long or takes too long."""
    too_long = CampaignRefusal(413, "That was more than a page of this campaign ever sends.")
    if declared is not None and (not declared.isdecimal() or int(declared) > limits.body_bytes):
        raise too_long

    async def gather() -> bytes:
        body = bytearray()
        async for chunk in stream:
            body += chunk
            if len(body) > limits.body_bytes:
                raise too_long
        return bytes(body)

    try:
        return await asyncio.wait_for(gather(), limits.body_seconds)
    except asyncio.TimeoutError:
        raise CampaignRefusal(408, "The connection was too slow. Please try again.") from None
