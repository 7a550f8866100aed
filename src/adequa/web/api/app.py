"""The API as a web application, for any ASGI server; the workbench's pages stand beside it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from adequa.errors import AdequaError
from adequa.web.api.endpoint import Endpoint, json_of, routes_of
from adequa.web.api.errors import Refused, refusal_of, respond
from adequa.web.api.guard import Guard
from adequa.web.api.openapi import PREFIX, document
from adequa.web.api.run_endpoints import RunEndpoints
from adequa.web.api.runs import Runs
from adequa.web.api.score_endpoints import Scoring
from adequa.web.api.scoring import Engine
from adequa.web.api.settings import Settings
from adequa.web.campaign.security import HEADERS, SecurityHeaders

__all__ = ["api_app", "api_endpoints", "workbench_app"]


def api_endpoints(engine: Engine, runs: Runs, settings: Settings) -> list[Endpoint]:
    """Every address of the API, the one of its description included."""
    own: list[Endpoint] = []

    async def describe(_request: Request) -> Response:
        return JSONResponse(document(own, list(engine.metrics), settings))

    own += [
        *Scoring(engine, settings).endpoints,
        *RunEndpoints(engine, runs, settings).endpoints,
        Endpoint(
            "GET",
            "/openapi.json",
            "openapi",
            "This description.",
            describe,
            {200: ("OpenAPI 3.1.", json_of({"type": "object"}))},
        ),
    ]
    return own


def api_app(engine: Engine, runs: Runs, *, settings: Settings) -> Starlette:
    """The API under `/v1`; `engine` and `runs` stay the caller's to start and close."""
    return workbench_app(engine, runs, settings=settings)


def workbench_app(
    engine: Engine, runs: Runs, *, settings: Settings, pages: Sequence[BaseRoute] = ()
) -> Starlette:
    """The API under `/v1`, and pages wherever else they want to be, behind the same guard."""
    app = Starlette(
        routes=[
            *routes_of(api_endpoints(engine, runs, settings), PREFIX),
            *pages,
        ],
        middleware=[Middleware(SecurityHeaders), Middleware(Guard, settings=settings)],
        exception_handlers={
            Refused: _refused,
            AdequaError: _refused,
            HTTPException: _refused,
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False
    return app


async def _refused(_request: Request, error: Exception) -> Response:
    headers = error.headers if isinstance(error, HTTPException) else None
    return respond(refusal_of(error), headers)


async def _broken(_request: Request, error: Exception) -> Response:
    # This response is made outside of the middleware.
    return respond(refusal_of(error), HEADERS)
