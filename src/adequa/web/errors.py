"""Refusals: one exception for every request that is not served, answered as JSON or as a page."""

from __future__ import annotations

import errno
import math
import sys
import traceback
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Annotated

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
from adequa.tables import printable

_LONGEST_MESSAGE = 400
_FULL = {errno.ENOSPC, errno.EDQUOT}
_ADDRESSES = {
    404: ("not_found", "see /v1/openapi.json for the available addresses"),
    405: ("method_not_allowed", "see the Allow header for the available methods"),
}
"""Codes and remedies of the refusals that the router makes."""
_ASK = "ask the operator of this server to look at its log"
_HEADINGS = {
    400: "The request could not be read",
    401: "Sign in first",
    404: "Not found",
    403: "Not allowed",
    405: "Not possible here",
    409: "Something has changed",
    410: "No longer there",
    413: "Too large",
    421: "Unknown server name",
    422: "Something is missing or wrong",
    429: "Please wait a moment",
    431: "Too large",
    500: "Something went wrong",
    503: "Please wait a moment",
    507: "The disk of the server is full",
}
_PARAGRAPHS = {
    "not_found": "There is no page at this address.",
    "method_not_allowed": "This address does not accept this kind of request.",
}


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The `error` object of a JSON answer."""

    code: Annotated[str, "Stable, for programs."]
    message: Annotated[str, "What is wrong, for people."]
    remedy: Annotated[str | None, "What to do about it."]
    where: Annotated[str | None, "The place in the input."]


class Refusal(Exception):
    """A request that is not served; `wait` is the number of seconds before a retry makes sense."""

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
    def body(self) -> ErrorBody:
        """The `error` object of the JSON answer."""
        return ErrorBody(self.code, self.message, self.remedy, self.where)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer, whatever its form."""
        headers = {}
        if self.wait is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.wait)))
        return headers

    @property
    def heading(self) -> str:
        """The heading of the answer as a page."""
        return _HEADINGS.get(self.status) or HTTPStatus(self.status).phrase

    @property
    def paragraphs(self) -> list[str]:
        """The text of the answer as a page."""
        if self.code in _PARAGRAPHS:
            return [_PARAGRAPHS[self.code]]
        place = f" ({self.where})" if self.where else ""
        parts = (self.message + place, self.remedy)
        return [_sentence(part) for part in parts if part]


def refusal_of(error: Exception, *, where: str | None = None) -> Refusal:
    """The refusal for any exception; it names no folder of the server."""
    if isinstance(error, Refusal):
        return error
    if is_disk_full(error):
        return disk_full()
    if isinstance(error, DataError):
        place = where if error.line is None else f"{where or 'the input'}, line {error.line}"
        return Refusal(422, "wrong_data", _one_line(error.problem), error.remedy, where=place)
    if isinstance(error, UnknownName):
        message = _one_line(f"unknown {error.kind} {error.name!r}")
        remedy = f"choose from: {', '.join(error.choices) or 'none'}"
        return Refusal(422, "unknown_name", message, remedy, where=where)
    if isinstance(error, SettingError):
        return Refusal(422, "wrong_setting", str(error), where=where)
    if isinstance(error, HTTPException):
        known = _ADDRESSES.get(error.status_code, ("refused", None))
        phrase = HTTPStatus(error.status_code).phrase.lower()
        return Refusal(error.status_code, known[0], phrase, known[1])
    if isinstance(error, MissingExtra):
        remedy = "ask the operator of this server to install it"
        return Refusal(501, "not_installed", str(error), remedy, where=where)
    if isinstance(error, ModelError | RunError):
        return Refusal(500, "cannot_score", "the metrics failed on this input", _ASK, where=where)
    message = "error in adequa" if isinstance(error, AdequaError) else "internal error"
    return Refusal(500, "internal", message, _ASK)


def log_failure() -> None:
    """Write the exception that is being handled to the log; nothing in its message is obeyed."""
    sys.stderr.write(printable(traceback.format_exc()))


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error comes from a disk without room, also by way of other errors."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def disk_full() -> Refusal:
    """The refusal of a request for which the server's disk has no room."""
    message = "the disk of the server is full, so nothing of this request was kept"
    remedy = "try again later, and tell the operator of this server"
    return Refusal(507, "disk_full", message, remedy, wait=60)


def respond(refusal: Refusal) -> Response:
    """The answer to a refused request as JSON."""
    return JSONResponse({"error": asdict(refusal.body)}, refusal.status, headers=refusal.headers)


def _one_line(text: str) -> str:
    """A message on one line of bounded length, whatever an offending value contained."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
