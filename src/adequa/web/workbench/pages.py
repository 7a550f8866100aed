"""Templates and the files beside them, read once; every page is made here, its values escaped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from adequa.__about__ import __version__
from adequa.report.figures import percent, written
from adequa.report.packing import script_json
from adequa.report.page import asset
from adequa.web.campaign import pages as campaign_pages
from adequa.web.templates import page_environment, version_of
from adequa.web.workbench.doors import Doors

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["STATIC", "Site", "static_file"]

_SCRIPT, _STYLE = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
_OWN = (
    "workbench.css",
    "theme.js",
    "browse.js",
    "graph.js",
    "live.js",
    "upload.js",
    "waiting.js",
    "working.js",
)
_REPORT = ("components.css", "components.js", "report.css")
"""Drawn alike in the report and here, from the same files."""
STATIC: Mapping[str, str] = {
    **{name: _STYLE if name.endswith(".css") else _SCRIPT for name in (*_REPORT, *_OWN)},
    "icon.svg": "image/svg+xml",
}


@cache
def static_file(name: str) -> bytes:
    """A file that the pages load."""
    if name in _REPORT:
        return asset(name).encode()
    if name == "icon.svg":
        return campaign_pages.static_file(name)
    return (files("adequa.web.workbench") / "static" / name).read_bytes()


class Site:
    """What the handlers of all pages share: how to answer a browser."""

    def __init__(self, doors: Doors) -> None:
        self.doors = doors

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """A rendered page; a browser without a session gets one, if it may and nothing is wrong."""
        response = Response(status_code=status, media_type="text/html")
        session = self.doors.session(request.headers)
        if session is None and not self.doors.is_locked and status < 400:
            session = self.doors.begin(response, secure=request.url.scheme == "https")
        token = "" if session is None else self.doors.tokens.form_token(session)
        common: dict[str, Any] = {"here": "", "refresh": None, "scripts": (), "form_token": token}
        common |= {"is_in": session is not None or not self.doors.is_locked}
        body = _environment().get_template(template).render(**(common | values))
        # A name or a text may hold what UTF-8 cannot: it is shown as a question mark.
        response.body = body.encode("utf-8", "replace")
        response.headers["content-length"] = str(len(response.body))
        return response

    def message(
        self, request: Request, heading: str, *paragraphs: str, status: int = 200
    ) -> Response:
        """A page that only says something."""
        return self.page(request, "message.html", status, heading=heading, paragraphs=paragraphs)


@cache
def _environment() -> Environment:
    made = page_environment("adequa.web.workbench")
    made.filters |= {
        "number": written,
        "counted": _counted,
        "day": _day,
        "script_json": script_json,
    }
    made.globals |= {
        "version": version_of(STATIC, static_file),
        "release": __version__,
        "percent": percent,
    }
    return made


def _counted(number: int) -> str:
    return f"{number:,}"


def _day(moment: str) -> str:
    """Of a moment as manifests write it, what a reader wants: 2026-11-16 10:21."""
    return moment[:16].replace("T", " ")
