"""The API as a web application, for any ASGI server; the workbench's pages stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import Scope

from adequa.errors import AdequaError
from adequa.web.api.endpoint import Endpoint, json_of, routes_of
from adequa.web.api.errors import Refused, refusal_of, respond
from adequa.web.api.guard import Doors, Guard
from adequa.web.api.openapi import PREFIX, document
from adequa.web.api.run_endpoints import RunEndpoints
from adequa.web.api.runs import Runs
from adequa.web.api.score_endpoints import Scoring
from adequa.web.api.scoring import Engine
from adequa.web.api.settings import Settings
from adequa.web.security import HEADERS, SecurityHeaders

__all__ = ["api_app", "api_endpoints", "guarded"]

Answer = Callable[[Scope, Refused], Response]


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
    return guarded(routes_of(api_endpoints(engine, runs, settings), PREFIX), settings)


def guarded(
    routes: Sequence[BaseRoute],
    settings: Settings,
    doors: Doors | None = None,
    answer: Answer = lambda _scope, refused: respond(refused),
) -> Starlette:
    """Routes behind the guard; `answer` makes the response to whatever is refused."""

    async def refused(request: Request, error: Exception) -> Response:
        response = answer(request.scope, refusal_of(error))
        if isinstance(error, HTTPException):
            response.headers.update(error.headers or {})
        return response

    async def broken(request: Request, error: Exception) -> Response:
        response = answer(request.scope, refusal_of(error))
        response.headers.update(HEADERS)  # it is made outside of the middleware
        return response

    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Guard, settings=settings, doors=doors, answer=answer),
        ],
        exception_handlers={
            Refused: refused,
            AdequaError: refused,
            HTTPException: refused,
            Exception: broken,
        },
    )
    app.router.redirect_slashes = False
    return app
