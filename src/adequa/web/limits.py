"""How much a server accepts: sizes, times, numbers of requests, and rates per client."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from adequa.errors import SettingError
from adequa.web.errors import Refusal

_UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


@dataclass(frozen=True)
class RequestLimits:
    """What a server accepts from the network; the API, the workbench and the campaign share it.

    None of the limits was measured on data: each is far above normal use and far below what would
    exhaust a laptop. A request that exceeds one is answered with the limit's name.
    """

    connections: int = 1000
    """Open at the same time; fewer where the system allows the process fewer files."""
    idle_seconds: float = 30.0
    """Between two requests of a connection."""
    max_head: int = 32 << 10
    """Bytes of address and headers."""
    head_seconds: float = 20.0
    """For the whole head of a request; browsers need well under a second."""
    send_seconds: float = 30.0
    """Without progress in sending an answer, to a client that does not read it."""
    in_flight: int = 256
    """Requests that are being answered at the same time."""
    max_body: int = 8 << 20
    body_seconds: float = 20.0
    """For sending a body, and for each part of an upload."""
    bodies: int = 64 << 20
    """Bytes of all bodies that are being read or parsed at the same time."""
    max_depth: int = 32
    """Levels of nesting in a JSON body."""
    max_keys: int = 64_000
    """Names in a JSON body, counted as its colons before it is parsed."""
    max_values: int = 250_000
    """Values in a JSON body, counted as its commas and opening brackets before it is parsed: the
    parser is in C and holds up every other thread, here for less than a tenth of a second."""
    max_fields: int = 5_000
    """Fields of a form."""


@dataclass(frozen=True)
class ServerSettings(RequestLimits):
    """The limits of `adequa serve` and who may use it; the defaults suit one machine and one user.

    None of these limits was measured on data either.
    """

    token: str | None = field(default=None, repr=False)
    """The token for `Authorization: Bearer`; None lets in everyone who can reach the port."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1")
    """The names in `Host` that are answered without a token, against DNS rebinding."""
    max_upload: int = 512 << 20
    max_items: int = 1000
    max_text: int = 20_000
    max_triples: int = 1_000
    max_data: int = 250_000
    """Characters of an item's data: 1,000 triples of 250 characters."""
    seconds: float = 60.0
    """For scoring one request, including its time in the queue."""
    upload_seconds: float = 1_800.0
    waiting: int = 512
    """Items in the queue; a single request may bring `max_items` to an idle server."""
    max_runs: int = 200
    waiting_runs: int = 16
    run_seconds: float = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` requests at once and `per_second` in the long run."""

    burst: float
    per_second: float


@dataclass(frozen=True)
class CampaignLimits(RequestLimits):
    """The limits of a campaign's server; the defaults are far above what a person does."""

    max_body: int = 256 << 10
    wrong_links: Rate = Rate(20, 1 / 30)
    """Per address; only wrong links count."""
    joins: Rate = Rate(500, 1.0)
    """Per address: a whole class may share one."""
    answers: Rate = Rate(60, 2.0)
    """Per rater."""
    drafts: Rate = Rate(120, 4.0)
    """Per rater; a heartbeat counts as a draft."""


@dataclass
class Throttle:
    """One token bucket per key, refilled at a steady rate.

    Keys unseen for longest are forgotten, so memory is bounded. The count is per process.
    """

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    most_keys: int = 20_000
    _buckets: OrderedDict[Hashable, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, key: Hashable) -> float:
        """Seconds until the next request is allowed; 0 if it is allowed now."""
        missing = 1.0 - self._level(key)
        return max(0.0, missing / self.rate.per_second)

    def take(self, key: Hashable) -> None:
        """Count one request."""
        self._buckets[key] = (self._level(key) - 1.0, self.clock())
        self._buckets.move_to_end(key)
        while len(self._buckets) > self.most_keys:
            self._buckets.popitem(last=False)

    def require(self, key: Hashable) -> None:
        """Refuse if the bucket is empty, without counting."""
        wait = self.wait(key)
        if wait > 0:
            message = "too many requests in a short time"
            raise Refusal(429, "too_many", message, "wait a little and try again", wait=wait)

    def allow(self, key: Hashable) -> None:
        """Refuse if the bucket is empty, otherwise count one request."""
        self.require(key)
        self.take(key)

    def _level(self, key: Hashable) -> float:
        level, then = self._buckets.get(key, (self.rate.burst, self.clock()))
        return min(self.rate.burst, level + (self.clock() - then) * self.rate.per_second)


def whole_number(digits: str) -> int | None:
    """A number that a client wrote in at most twelve digits; None for anything else."""
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= 12
    return int(digits) if is_number else None


def bytes_of(text: str) -> int:
    """A size as people write it.

    >>> bytes_of("8MB"), bytes_of("512 kb"), bytes_of("100")
    (8388608, 524288, 100)
    """
    stripped = text.strip().upper()
    digits = stripped.rstrip("KMGB ")
    unit = stripped[len(digits) :].strip()
    number = whole_number(digits)
    if number is None or unit not in _UNITS:
        raise SettingError(f"{text!r} is not a size; write 8MB, 512KB or a number of bytes")
    return number * _UNITS[unit]


def format_bytes(count: int) -> str:
    """A size for a message.

    >>> format_bytes(8 << 20), format_bytes(100)
    ('8 MB', '100 bytes')
    """
    for unit in ("GB", "MB", "KB"):
        if count >= _UNITS[unit]:
            return f"{count / _UNITS[unit]:.4g} {unit}"
    return f"{count} bytes"
