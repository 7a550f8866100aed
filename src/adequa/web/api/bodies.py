"""Bodies of requests: read within bounds of size and time, and parsed strictly."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import ClientDisconnect, Request

from adequa.errors import DataError
from adequa.strict_json import load_object, reject_constant
from adequa.web.api.settings import ServerSettings, shown_bytes
from adequa.web.errors import Refusal

_SLOW = "the body came too slowly"


class Bodies:
    """Reads bodies for one server, and knows how many bytes are being read in all."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.held = 0

    async def object(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request."""
        if media_type(request) != "application/json":
            raise Refusal(
                415,
                "wrong_content_type",
                f"the body is {media_type(request) or 'of no kind'!r}",
                "send JSON with Content-Type: application/json",
                where="Content-Type",
            )
        return parsed(await self._whole(request), self.settings.max_depth)

    async def parts(self, request: Request, most: int, seconds: float) -> AsyncIterator[bytes]:
        """The body as it comes; a part may take `body_seconds`, and all of it `seconds`."""
        self._check_head(request, most)
        stream = request.stream().__aiter__()
        ends = time.monotonic() + seconds
        size = 0
        while True:
            left = min(ends - time.monotonic(), self.settings.body_seconds)
            try:
                part = await asyncio.wait_for(stream.__anext__(), max(left, 0.0))
            except StopAsyncIteration:
                return
            except asyncio.TimeoutError:
                raise Refusal(408, "too_slow", _SLOW, "send it again, faster") from None
            except ClientDisconnect:
                raise Refusal(400, "incomplete", "the body ended before its end") from None
            size += len(part)
            if size > most:
                raise _too_large(most)
            yield part

    async def _whole(self, request: Request) -> bytes:
        body = bytearray()
        settings = self.settings
        try:
            async for part in self.parts(request, settings.max_body, settings.body_seconds):
                self.held += len(part)
                body += part
                if self.held > settings.bodies:
                    raise Refusal(
                        503, "busy", "too many large requests at once", "try again later", wait=2
                    )
        finally:
            self.held -= len(body)
        return bytes(body)

    def _check_head(self, request: Request, most: int) -> None:
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Refusal(
                415,
                "compressed",
                "the body is compressed",
                "send it as it is",
                where="Content-Encoding",
            )
        declared = request.headers.get("content-length")
        if declared is None:
            return
        if not (declared.isascii() and declared.isdecimal()):
            raise Refusal(400, "wrong_length", "the length is no number", where="Content-Length")
        if len(declared) > 15 or int(declared) > most:
            raise _too_large(most)


def media_type(request: Request) -> str:
    """The kind of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _too_large(most: int) -> Refusal:
    return Refusal(
        413,
        "too_large",
        f"the body is larger than {shown_bytes(most)}",
        "send it in parts, or a file as a run: POST /v1/runs",
    )


def parsed(body: bytes, most_depth: int) -> dict[str, Any]:
    """A JSON object, of which nothing is ambiguous: no name twice, no NaN, no lone surrogate."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise _unreadable(f"is not UTF-8 (byte {error.start + 1})", "send UTF-8") from None
    try:
        value = load_object(text, decode=_decode)
    except DataError as error:
        remedy = error.remedy
        if error.problem.startswith("is not JSON"):
            remedy = "send one JSON object"
        raise _unreadable(error.problem, remedy) from None
    if type(value) is not dict:
        raise Refusal(422, "wrong_data", "the body is not an object", where="body")
    if _is_deeper(value, most_depth):
        raise Refusal(
            422, "too_deep", f"the body is nested more than {most_depth} deep", "flatten it"
        )
    return value


def _unreadable(problem: str, remedy: str | None) -> Refusal:
    return Refusal(400, "unreadable", f"the body {problem}", remedy, where="body")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"has {twice[:100]!r} twice in one object", remedy="keep one")
    return found


_decode = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=reject_constant).decode


def _is_deeper(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most):
        level = [
            inner
            for one in level
            for inner in (one.values() if type(one) is dict else one)
            if type(inner) in (dict, list)
        ]
        if not level:
            return False
    return True
