"""An address of the API: the route and its part of the OpenAPI document, from one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adequa.web.errors import ERROR_SCHEMA, Refusal

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
                raise Refusal(
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

# ---
# The shapes that requests and answers share, for the OpenAPI document.
# ---

_TEXT: Mapping[str, Any] = {"type": "string"}
_MAYBE_TEXT: Mapping[str, Any] = {"type": ["string", "null"]}
_PLACE: Mapping[str, Any] = {
    "type": ["integer", "null"],
    "description": "In code points of `text`, counted from 0.",
}
_SHARE: Mapping[str, Any] = {"type": ["number", "null"]}
_VERDICTS = ["OK", "omission", "hallucination", "hallucination+omission"]
_TRIPLE: Mapping[str, Any] = {
    "type": "array",
    "minItems": 3,
    "maxItems": 3,
    "items": {"type": "string", "minLength": 1},
    "description": "Subject, predicate, object.",
}
_TRIPLES: Mapping[str, Any] = {
    "description": "The data: triples, or one string in a linearised form.",
    "anyOf": [
        {"type": "array", "minItems": 1, "maxItems": 1000, "items": _TRIPLE},
        {
            "type": "string",
            "pattern": r"^[A-Za-z0-9_]+ \| [A-Za-z0-9_]+ \| [A-Za-z0-9_]+"
            r"( && [A-Za-z0-9_]+ \| [A-Za-z0-9_]+ \| [A-Za-z0-9_]+)*$",
            "description": "The other forms that `adequa check` reads are read too.",
        },
    ],
}
_ITEM: Mapping[str, Any] = {
    "type": "object",
    "required": ["triples", "text"],
    "additionalProperties": False,
    "properties": {
        "id": {
            "type": ["string", "integer"],
            "minLength": 1,
            "description": "Its place, where not given.",
        },
        "triples": _TRIPLES,
        "text": {
            "type": ["string", "null"],
            "maxLength": 20_000,
            "description": "May be empty; null is a system that gave nothing.",
        },
        "system": _MAYBE_TEXT,
        "category": _MAYBE_TEXT,
        "lang": _MAYBE_TEXT,
        "references": {"type": ["array", "null"], "items": _TEXT},
        "meta": {"type": ["object", "null"], "description": "Anything; it comes back."},
        "terms": {
            "type": ["object", "null"],
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": dict.fromkeys(("label", "iri", "datatype", "lang"), _MAYBE_TEXT),
            },
        },
    },
}
_METRICS: Mapping[str, Any] = {
    "type": ["array", "null"],
    "minItems": 1,
    "uniqueItems": True,
    "items": {"$ref": "#/components/schemas/MetricName"},
    "description": "Of the ones at /v1/metrics; all of them where this is not given.",
}


def ref(name: str) -> dict[str, str]:
    """A reference to one of the shapes."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _list(inner: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": inner}


def _by_name(inner: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": inner}


_SAID = _object(
    id=_TEXT,
    triples=_list(_TRIPLE),
    text=_TEXT,
    scores=_by_name({"type": ["number", "null"], "description": "null: not scorable."}),
    mentions=_list(
        _object(
            entity=_TEXT,
            start={"type": "integer"},
            end={"type": "integer"},
            method=_TEXT,
            distance={"type": "number"},
        )
    ),
    facts=_list(
        _object(
            triple=_TRIPLE,
            status={"enum": ["stated", "missing", "contradicted", "unchecked"]},
            confidence=_SHARE,
            start=_PLACE,
            end=_PLACE,
        )
    ),
    findings=_list(
        _object(
            metric=_TEXT,
            kind={"enum": ["omission", "hallucination"]},
            detail=_TEXT,
            triple={"anyOf": [_TRIPLE, {"type": "null"}]},
            entity=_MAYBE_TEXT,
            start=_PLACE,
            end=_PLACE,
            confidence=_SHARE,
            why=_TEXT,
        )
    ),
    verdicts=_by_name({"enum": _VERDICTS}),
    verdict={"enum": [*_VERDICTS, None]},
)
_RUN = _object(
    id={"type": "string", "pattern": "^[0-9a-f]{16}$"},
    name=_TEXT,
    status={"enum": ["queued", "running", "done", "failed", "cancelled"]},
    created=_TEXT,
    format=_MAYBE_TEXT,
    metrics=_list(_TEXT),
    progress=_object(done={"type": "integer"}, total={"type": ["integer", "null"]}),
    error={"anyOf": [ERROR_SCHEMA["properties"]["error"], {"type": "null"}]},
    opened={"type": "boolean", "description": "A folder of the server, which is not deleted."},
)

SCHEMAS: Mapping[str, Any] = {
    "Error": ERROR_SCHEMA,
    "Item": _ITEM,
    "OneToScore": {
        **_ITEM,
        "properties": {**_ITEM["properties"], "metrics": _METRICS},
    },
    "ManyToScore": {
        "type": "object",
        "required": ["items"],
        "additionalProperties": False,
        "properties": {
            "items": {"type": "array", "minItems": 1, "maxItems": 1000, "items": ref("Item")},
            "metrics": _METRICS,
        },
    },
    "Result": {**_SAID, "description": "A line of a run's scores.jsonl."},
    "Results": _object(results=_list(ref("Result"))),
    "Page": _object(
        total={"type": "integer"}, offset={"type": "integer"}, results=_list(ref("Result"))
    ),
    "Metric": _object(
        label=_TEXT,
        name=_TEXT,
        doc=_TEXT,
        signature=_TEXT,
        higher_is_better={"type": "boolean"},
        best={"type": ["number", "string"]},
        worst={"type": ["number", "string"]},
        needs_references={"type": "boolean"},
    ),
    "Metrics": _object(metrics=_list(ref("Metric"))),
    "Formats": _object(formats=_list(_object(name=_TEXT, doc=_TEXT))),
    "Health": _object(
        status={"enum": ["ok", "busy"]},
        version=_TEXT,
        workers={"type": "integer"},
        waiting={"type": "integer"},
    ),
    "Run": _RUN,
    "Runs": _object(runs=_list(ref("Run"))),
    "Summary": {
        "type": "object",
        "required": ["items", "systems"],
        "description": "A run's summary.json.",
    },
}
