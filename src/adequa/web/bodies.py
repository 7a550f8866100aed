"""Bodies of requests: read within bounds of size and time, and parsed strictly by other threads.

The API, the workbench and the campaign read every body here.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

from adequa.errors import DataError
from adequa.files import is_deeper, load_object, reject_constant, reject_repeated
from adequa.web.errors import Refusal
from adequa.web.limits import RequestLimits, format_bytes, whole_number

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
