"""The API as a web application, for any ASGI server; the workbench's pages stand beside it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import Scope

from adequa import __version__
from adequa.errors import AdequaError
from adequa.web.api.endpoint import RESPONSES, SCHEMAS, Endpoint, json_of, routes_of
from adequa.web.api.guard import Guard, ServerAccess
from adequa.web.api.run_endpoints import RunEndpoints
from adequa.web.api.runs import Runs
from adequa.web.api.score_endpoints import ScoreEndpoints
from adequa.web.api.scoring import ScoringEngine
from adequa.web.api.settings import ServerSettings
from adequa.web.errors import Refusal, refusal_of, respond
from adequa.web.security import HEADERS, SecurityHeaders

# ---
# The OpenAPI 3.1 document, put together from what stands beside each endpoint.
# ---

PREFIX = "/v1"
_ABOUT = (
    "Does a text say all and only what its data says? Scores, verdicts and the places they come "
    "from. Every refusal is an object `error` with a code, a message and a remedy."
)


def document(endpoints: Sequence[Endpoint], labels: Sequence[str], settings: ServerSettings) -> Any:
    """What a server with these metrics and limits does."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        methods = paths.setdefault(PREFIX + endpoint.path, {})
        methods[endpoint.method.lower()] = endpoint.operation
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "adequa", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": {"schemas": _schemas(labels, settings), "responses": dict(RESPONSES)},
    }
    if settings.token is not None:
        bearer = {"type": "http", "scheme": "bearer"}
        described["components"]["securitySchemes"] = {"token": bearer}
        described["security"] = [{"token": []}]
    return described


def _schemas(labels: Sequence[str], settings: ServerSettings) -> dict[str, Any]:
    """The shapes with this server's names and limits in them."""
    schemas = copy.deepcopy(dict(SCHEMAS))
    schemas["MetricName"] = {"enum": list(labels)}
    schemas["ManyToScore"]["properties"]["items"]["maxItems"] = settings.max_items
    for name in ("Item", "OneToScore"):
        properties = schemas[name]["properties"]
        properties["text"]["maxLength"] = settings.max_text
        properties["triples"]["anyOf"][0]["maxItems"] = settings.max_triples
    return schemas


Answer = Callable[[Scope, Refusal], Response]


def api_endpoints(engine: ScoringEngine, runs: Runs, settings: ServerSettings) -> list[Endpoint]:
    """Every address of the API, the one of its description included."""
    own: list[Endpoint] = []

    async def describe(_request: Request) -> Response:
        return JSONResponse(document(own, list(engine.metrics), settings))

    own += [
        *ScoreEndpoints(engine, settings).endpoints,
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


def api_app(engine: ScoringEngine, runs: Runs, *, settings: ServerSettings) -> Starlette:
    """The API under `/v1`; `engine` and `runs` stay the caller's to start and close."""
    return guarded(routes_of(api_endpoints(engine, runs, settings), PREFIX), settings)


def guarded(
    routes: Sequence[BaseRoute],
    settings: ServerSettings,
    doors: ServerAccess | None = None,
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
            Refusal: refused,
            AdequaError: refused,
            HTTPException: refused,
            Exception: broken,
        },
    )
    app.router.redirect_slashes = False
    return app
