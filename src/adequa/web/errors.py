"""Every refusal of the API as one JSON object, with a status that fits it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from adequa.errors import (
    AdequaError,
    DataError,
    MissingExtra,
    ModelError,
    RunError,
    SettingError,
    UnknownName,
)

_CODES = {404: "not_found", 405: "method_not_allowed"}
_UNREAD = {401, 403, 408, 413, 415, 421}
"""Where the rest of a body may still be on its way, which nobody will read."""
_REMEDIES = {
    404: "the addresses there are stand in /v1/openapi.json",
    405: "the header Allow names the methods there are",
}

ERROR_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["error"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "remedy", "where"],
            "additionalProperties": False,
            "properties": {
                "code": {"type": "string", "description": "For programs; it stays the same."},
                "message": {"type": "string", "description": "What is wrong, for people."},
                "remedy": {"type": ["string", "null"], "description": "What to do about it."},
                "where": {"type": ["string", "null"], "description": "The place in the input."},
            },
        }
    },
}


class Refusal(Exception):
    """A request that is not served; `wait` is the seconds after which it may be."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        remedy: str | None = None,
        *,
        where: str | None = None,
        wait: float | None = None,
    ) -> None:
        self.status, self.code, self.message = status, code, message
        self.remedy, self.where, self.wait = remedy, where, wait
        super().__init__(status, code, message)

    @property
    def object(self) -> dict[str, Any]:
        """What the answer holds."""
        return {
            "code": self.code,
            "message": self.message,
            "remedy": self.remedy,
            "where": self.where,
        }


def refusal_of(error: Exception, *, where: str | None = None) -> Refusal:
    """The refusal for anything that can be raised; no folder of the server is named in it."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, DataError):
        place = where if error.line is None else f"{where or 'the input'}, line {error.line}"
        return Refusal(422, "wrong_data", _line(error.problem), error.remedy, where=place)
    if isinstance(error, UnknownName):
        known = ", ".join(error.choices) or "none"
        message = f"unknown {error.kind} {error.name!r}"
        return Refusal(422, "unknown_name", _line(message), f"there are: {known}", where=where)
    if isinstance(error, SettingError):
        return Refusal(422, "wrong_setting", str(error), where=where)
    if isinstance(error, HTTPException):
        code = _CODES.get(error.status_code, "refused")
        phrase = HTTPStatus(error.status_code).phrase.lower()
        return Refusal(error.status_code, code, phrase, _REMEDIES.get(error.status_code))
    if isinstance(error, MissingExtra):
        return Refusal(501, "not_installed", str(error), "ask who runs this server", where=where)
    if isinstance(error, ModelError | RunError):
        remedy = "ask who runs this server to look at its log"
        return Refusal(500, "cannot_score", "the metrics failed on this", remedy, where=where)
    known = "an error of adequa" if isinstance(error, AdequaError) else "a fault of adequa's own"
    return Refusal(500, "internal", known, "ask who runs this server to look at its log")


def respond(refused: Refusal, headers: Mapping[str, str] | None = None) -> Response:
    """The answer for a refusal."""
    response = JSONResponse({"error": refused.object}, refused.status, headers=dict(headers or {}))
    if refused.wait is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(refused.wait)))
    if refused.status in _UNREAD:
        response.headers["Connection"] = "close"
    return response


def _line(text: str) -> str:
    """One line, whatever an offending value contained, and not the whole of it."""
    text = " ".join(text.split())
    return text if len(text) <= 400 else text[:399] + "…"
