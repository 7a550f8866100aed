"""How much a server accepts: sizes, times, numbers of requests, and rates per client.

The API, the workbench and the campaign read every body here (`Bodies`), within bounds of size and
time; other threads parse it strictly.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

from adequa.errors import DataError, SettingError
from adequa.files import is_deeper, load_object, reject_constant, reject_repeated
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


JSON, FORM = "application/json", "application/x-www-form-urlencoded"
Fields = Mapping[str, Sequence[str]]
T = TypeVar("T")
_PARSERS = 2
"""Threads that parse, so that a flood of bodies waits here and not in the event loop."""
_MOST_DIGITS = 300
"""Of an integer: the time to read one grows with the square of its length, and no float has more
than 309 digits before the point."""


class Bodies:
    """Reads the bodies of one server and bounds the bytes that are held in total."""

    def __init__(self, limits: RequestLimits, *, remedy: str = "send less") -> None:
        """`remedy` is for a body that is too large."""
        self.limits, self.remedy = limits, remedy
        self.held = 0
        self._parsers = ThreadPoolExecutor(_PARSERS, "parse")

    async def json(self, request: Request, read: Callable[[dict[str, Any]], T]) -> T:
        """What `read` makes of the JSON object of a request, in the thread that parses it."""
        require_type(request, JSON)
        return await self._parsed(request, lambda body: read(parse_json(body, self.limits)))

    async def form(self, request: Request) -> Fields:
        """The fields of a form, each with all its values."""
        require_type(request, FORM)
        most = self.limits.max_fields
        return await self._parsed(request, lambda body: parse_form(body, most_fields=most))

    async def parts(
        self, request: Request, *, most_bytes: int, seconds: float
    ) -> AsyncIterator[bytes]:
        """The body as it arrives; each part may take `body_seconds`, all of it `seconds`."""
        _require_length(request, most_bytes, self.remedy)
        stream = request.stream().__aiter__()
        ends = time.monotonic() + seconds
        size = 0
        while True:
            left = min(ends - time.monotonic(), self.limits.body_seconds)
            try:
                part = await asyncio.wait_for(stream.__anext__(), max(left, 0.0))
            except StopAsyncIteration:
                return
            except asyncio.TimeoutError:
                message = "the body arrived too slowly"
                raise Refusal(408, "too_slow", message, "try again over a faster line") from None
            except ClientDisconnect:
                message = "the connection closed before the end of the body"
                raise Refusal(400, "incomplete", message) from None
            size += len(part)
            if size > most_bytes:
                raise _too_large(most_bytes, self.remedy)
            yield part

    async def _parsed(self, request: Request, parse: Callable[[bytes], T]) -> T:
        """Read a whole body and parse it in another thread; it counts as held until then."""
        limits, body = self.limits, bytearray()
        parts = self.parts(request, most_bytes=limits.max_body, seconds=limits.body_seconds)
        try:
            async for part in parts:
                self.held += len(part)
                body += part
                if self.held > limits.bodies:
                    message = "too many large requests at once"
                    raise Refusal(503, "busy", message, "try again later", wait=2)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._parsers, lambda: parse(bytes(body)))
        finally:
            self.held -= len(body)


def require_type(request: Request, *wanted: str) -> None:
    """Refuse a body of another content type."""
    given = media_type(request)
    if given not in wanted:
        kind = f"is of type {given[:100]!r}" if given else "has no content type"
        remedy = f"send it with Content-Type: {' or '.join(wanted)}"
        where = "Content-Type"
        raise Refusal(415, "wrong_content_type", f"the body {kind}", remedy, where=where)


def media_type(request: Request) -> str:
    """The content type of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def parse_form(body: bytes, *, most_fields: int = RequestLimits.max_fields) -> Fields:
    """The fields of a URL-encoded form, each with all its values."""
    try:
        return parse_qs(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=most_fields,
        )
    except ValueError:
        raise _unreadable("is not a form", "reload the page") from None


def parse_json(body: bytes, limits: RequestLimits | None = None) -> dict[str, Any]:
    """An unambiguous JSON object: no duplicate name, no NaN, no lone surrogate."""
    limits = limits or RequestLimits()
    value = parse_json_value(body, limits)
    if type(value) is not dict:
        raise Refusal(422, "wrong_data", "the body is not an object", where="body")
    return value


def parse_json_value(body: bytes, limits: RequestLimits | None = None) -> Any:
    """Any JSON value, parsed as strictly as `parse_json` does."""
    limits = limits or RequestLimits()
    _require_few(body.count(b":"), limits.max_keys, "names")
    counts = (body.count(mark) for mark in (b",", b"[", b"{"))
    _require_few(sum(counts), limits.max_values, "values")
    try:
        value = load_object(body.decode(), decode=_decode)
    except UnicodeDecodeError as error:
        raise _unreadable(f"is not UTF-8 (byte {error.start + 1})", "send UTF-8") from None
    except DataError as error:
        is_syntax = error.problem.startswith("is not JSON")
        raise _unreadable(
            error.problem, "send one JSON object" if is_syntax else error.remedy
        ) from None
    if is_deeper(value, limits.max_depth):
        message = f"the body is nested more than {limits.max_depth} levels deep"
        raise Refusal(422, "too_deep", message, "flatten it")
    return value


def _require_few(count: int, most: int, what: str) -> None:
    if count > most:
        message = f"the body has more than {most:,} {what}"
        raise Refusal(413, f"too_many_{what}", message, "send it in parts", where="body")


def _require_length(request: Request, most: int, remedy: str) -> None:
    """Refuse by the headers alone, before any of the body is read."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        message = "the body is compressed"
        raise Refusal(415, "compressed", message, "send it uncompressed", where="Content-Encoding")
    declared = request.headers.get("content-length")
    if declared is None:
        return
    if not (declared.isascii() and declared.isdecimal()):
        message = "the length is not a number"
        raise Refusal(400, "wrong_length", message, where="Content-Length")
    length = whole_number(declared)
    if length is None or length > most:
        raise _too_large(most, remedy)


def _too_large(most: int, remedy: str) -> Refusal:
    return Refusal(413, "too_large", f"the body is larger than {format_bytes(most)}", remedy)


def _unreadable(problem: str, remedy: str | None) -> Refusal:
    return Refusal(400, "unreadable", f"the body {problem}", remedy, where="body")


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        problem = f"has a number of more than {_MOST_DIGITS} digits"
        raise DataError(problem, remedy="write it as a string")
    return int(digits)


_decode = json.JSONDecoder(
    object_pairs_hook=reject_repeated, parse_constant=reject_constant, parse_int=_integer
).decode
