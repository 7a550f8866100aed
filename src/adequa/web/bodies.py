"""Bodies of requests: read within bounds of size and time, and parsed strictly.

The API, the workbench and the campaign read every body here.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

from adequa.errors import DataError
from adequa.files import load_object, reject_constant
from adequa.web.errors import Refusal
from adequa.web.limits import CampaignLimits, ServerSettings, format_bytes, whole_number

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
Fields = Mapping[str, Sequence[str]]
_MOST_FIELDS = 5000


@dataclass
class Bodies:
    """Reads the bodies of one server and bounds the bytes that are being read in total."""

    most_bytes: int
    seconds: float
    most_bytes_at_once: int
    most_depth: int = 32
    remedy: str = "send less"
    """For a body that is too large."""
    held: int = 0

    @classmethod
    def of_server(cls, settings: ServerSettings) -> Bodies:
        """The reader of the API and the workbench."""
        return cls(
            most_bytes=settings.max_body,
            seconds=settings.body_seconds,
            most_bytes_at_once=settings.bodies,
            most_depth=settings.max_depth,
            remedy="send it in parts, or send a file as a run: POST /v1/runs",
        )

    @classmethod
    def of_campaign(cls, limits: CampaignLimits) -> Bodies:
        """The reader of a campaign's pages."""
        return cls(
            most_bytes=limits.body_bytes,
            seconds=limits.body_seconds,
            most_bytes_at_once=64 << 20,
            remedy="reload the page and enter less",
        )

    async def json(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request."""
        self._require_type(request, JSON)
        return parse_json(await self._whole(request), most_depth=self.most_depth)

    async def form(self, request: Request) -> Fields:
        """The fields of a form, each with all its values."""
        self._require_type(request, FORM)
        return parse_form(await self._whole(request))

    async def parts(
        self, request: Request, *, most_bytes: int, seconds: float
    ) -> AsyncIterator[bytes]:
        """The body as it arrives; each part may take `self.seconds`, all of it `seconds`."""
        _require_length(request, most_bytes, self.remedy)
        stream = request.stream().__aiter__()
        ends = time.monotonic() + seconds
        size = 0
        while True:
            left = min(ends - time.monotonic(), self.seconds)
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

    async def _whole(self, request: Request) -> bytes:
        body = bytearray()
        parts = self.parts(request, most_bytes=self.most_bytes, seconds=self.seconds)
        try:
            async for part in parts:
                self.held += len(part)
                body += part
                if self.held > self.most_bytes_at_once:
                    message = "too many large requests at once"
                    raise Refusal(503, "busy", message, "try again later", wait=2)
        finally:
            self.held -= len(body)
        return bytes(body)

    def _require_type(self, request: Request, wanted: str) -> None:
        given = media_type(request)
        if given != wanted:
            kind = f"is of type {given[:100]!r}" if given else "has no content type"
            remedy = f"send it with Content-Type: {wanted}"
            where = "Content-Type"
            raise Refusal(415, "wrong_content_type", f"the body {kind}", remedy, where=where)


def media_type(request: Request) -> str:
    """The content type of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def parse_form(body: bytes) -> Fields:
    """The fields of a URL-encoded form, each with all its values."""
    try:
        return parse_qs(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise _unreadable("is not a form", "reload the page") from None


def parse_json(body: bytes, *, most_depth: int = 32) -> dict[str, Any]:
    """An unambiguous JSON object: no duplicate name, no NaN, no lone surrogate."""
    value = parse_json_value(body)
    if type(value) is not dict:
        raise Refusal(422, "wrong_data", "the body is not an object", where="body")
    if _is_deeper(value, most_depth):
        message = f"the body is nested more than {most_depth} levels deep"
        raise Refusal(422, "too_deep", message, "flatten it")
    return value


def parse_json_value(body: bytes) -> Any:
    """Any JSON value, parsed as strictly as `parse_json` does."""
    try:
        return load_object(body.decode(), decode=_decode)
    except UnicodeDecodeError as error:
        raise _unreadable(f"is not UTF-8 (byte {error.start + 1})", "send UTF-8") from None
    except DataError as error:
        is_syntax = error.problem.startswith("is not JSON")
        raise _unreadable(
            error.problem, "send one JSON object" if is_syntax else error.remedy
        ) from None


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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"has {twice[:100]!r} twice in one object", remedy="keep one")
    return found


_decode = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=reject_constant).decode


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
