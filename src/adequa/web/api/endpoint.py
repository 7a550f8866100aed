"""An address of the API: the route and its part of the OpenAPI document, from one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adequa.web.api.errors import Refused

__all__ = ["Endpoint", "Parameter", "json_of", "routes_of"]

Handler = Callable[[Request], Awaitable[Response]]

_MEANINGS = {
    400: "The request cannot be read.",
    401: "The token is missing or wrong.",
    403: "Not for other sites' pages.",
    404: "There is no such thing.",
    408: "The body came too slowly.",
    409: "Not in this state.",
    413: "More than is allowed at once.",
    415: "Not a kind of body that is read here.",
    421: "Not a name of this server.",
    422: "It was read, and something in it is wrong.",
    429: "Too many runs are waiting.",
    500: "A fault of the server.",
    501: "A format that needs a package this server lacks.",
    503: "Busy, or it took too long; Retry-After says when to try again.",
}
_ALWAYS = (400, 401, 403, 421, 503)


def json_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON body of a schema, as OpenAPI writes it."""
    return {"application/json": {"schema": schema}}


@dataclass(frozen=True)
class Parameter:
    """One value in the query."""

    name: str
    schema: Mapping[str, Any]
    doc: str

    @property
    def object(self) -> dict[str, Any]:
        """As OpenAPI writes it."""
        return {"name": self.name, "in": "query", "description": self.doc, "schema": self.schema}


@dataclass(frozen=True)
class Endpoint:
    """One method of one path; `answers` are the bodies by status, `refusals` further statuses."""

    method: str
    path: str
    name: str
    doc: str
    handler: Handler
    answers: Mapping[int, tuple[str, Mapping[str, Any]]]
    refusals: Sequence[int] = ()
    parameters: Sequence[Parameter] = ()
    body: Mapping[str, Any] | None = None
    in_path: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def operation(self) -> dict[str, Any]:
        """Its part of the OpenAPI document."""
        placed = [
            {"name": name, "in": "path", "required": True, "schema": schema}
            for name, schema in self.in_path.items()
        ]
        operation: dict[str, Any] = {
            "operationId": self.name,
            "summary": self.doc.partition("\n")[0],
            "description": self.doc,
            "parameters": [*placed, *(parameter.object for parameter in self.parameters)],
            "responses": {
                **{
                    str(status): {"description": doc, "content": content}
                    for status, (doc, content) in self.answers.items()
                },
                **{
                    str(status): {"$ref": f"#/components/responses/{status}"}
                    for status in sorted({*_ALWAYS, *self.refusals})
                },
            },
        }
        if self.body is not None:
            operation["requestBody"] = {"required": True, "content": self.body}
        return operation

    async def __call__(self, request: Request) -> Response:
        """Answer a request whose query has nothing unknown in it, and nothing twice."""
        known = [parameter.name for parameter in self.parameters]
        seen = set()
        for name, _ in request.query_params.multi_items():
            if name not in known or name in seen:
                raise Refused(
                    400,
                    "wrong_query",
                    "the query has something unknown or twice",
                    f"it may have: {', '.join(known) or 'nothing'}",
                    where=name[:100],
                )
            seen.add(name)
        return await self.handler(request)


def routes_of(endpoints: Sequence[Endpoint], prefix: str) -> list[Route]:
    """A route a path, which knows the methods of all its endpoints."""
    paths: dict[str, dict[str, Endpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [
        Route(prefix + path, _switch(methods), methods=list(methods))
        for path, methods in paths.items()
    ]


def _switch(methods: Mapping[str, Endpoint]) -> Handler:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await methods[method](request)

    return answer


RESPONSES: Mapping[str, Any] = {
    str(status): {
        "description": meaning,
        "content": json_of({"$ref": "#/components/schemas/Error"}),
    }
    for status, meaning in _MEANINGS.items()
}
"""The refusals, for the document's components."""
