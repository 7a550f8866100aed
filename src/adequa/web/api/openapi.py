"""The OpenAPI 3.1 document, derived from the operations and from the dataclasses they exchange."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import types
import typing
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adequa import __version__
from adequa.data import Item, Result, Term, Triple
from adequa.web.errors import ErrorBody, Refusal
from adequa.web.limits import ServerSettings

PREFIX = "/v1"
RUN_ID = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_ID_PARAMETER = {"name": "id", "in": "path", "required": True, "schema": RUN_ID}
Handler = Callable[[Request], Awaitable[Response]]
Schema = Mapping[str, Any]
Marked = typing.TypeVar("Marked", bound=Callable[..., Awaitable[Response]])

_ABOUT = (
    "Does a text say all and only what its data says? Scores, verdicts and the evidence for them. "
    "Every refusal is an object `error` with a code, a message and a remedy."
)
_REFUSALS = {
    400: "The request cannot be read.",
    401: "The token is missing or wrong.",
    403: "Refused to pages of other sites.",
    404: "Not found.",
    408: "The body arrived too slowly.",
    409: "Not possible in the current state.",
    410: "The files of the run are gone or damaged.",
    413: "More than is allowed at once.",
    415: "A content type that is not accepted here.",
    421: "Not a name of this server.",
    422: "The request was read, but something in it is wrong.",
    429: "Too many runs are waiting.",
    431: "Address and headers are too large.",
    500: "An error of the server.",
    501: "A format that needs a package this server lacks.",
    503: "Busy, or it took too long; Retry-After says when to try again.",
    507: "The disk of the server is full.",
}
_ALWAYS = (400, 401, 403, 421, 431, 503)
_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric of the server."""

    label: str
    name: str
    doc: str
    signature: str
    higher_is_better: bool
    best: float | str
    worst: float | str
    needs_references: bool


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """A format of files."""

    name: str
    doc: str


@dataclass(frozen=True, slots=True)
class Health:
    """How busy the server is."""

    status: Literal["ok", "busy"]
    version: str
    workers: int
    waiting: int


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Items scored and items in total, once known."""

    done: int = 0
    total: int | None = None


@dataclass(eq=False, kw_only=True)
class RunInfo:
    """A run as a client sees it, without any path of the server."""

    id: str
    name: str
    status: Literal["queued", "running", "done", "failed", "cancelled"] = "queued"
    created: str
    format: str | None
    metrics: list[str]
    progress: RunProgress = field(default_factory=RunProgress)
    error: ErrorBody | None = None
    opened: Annotated[bool, "A folder the server was started with; it is not deleted."] = False


def schema_of(hint: Any) -> dict[str, Any]:
    """The JSON schema of a type hint; `Annotated` adds a description."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return schema_of(args[0]) | {"description": args[1]}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if hint is Triple:
        return copy.deepcopy(dict(_TRIPLE))
    if hint is Any:
        return {}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return _union([schema_of(one) for one in args if one is not type(None)], type(None) in args)
    if dataclasses.is_dataclass(hint):
        return object_schema(hint)
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(args[1])}
    if origin is not None and issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(args[0])}
    raise TypeError(f"no JSON schema for {hint!r}")


def object_schema(noun: Any, *, without: Sequence[str] = ()) -> dict[str, Any]:
    """The schema of a dataclass as an answer: every field is present."""
    hints = typing.get_type_hints(noun, include_extras=True)
    names = [one.name for one in dataclasses.fields(noun) if one.name not in without]
    properties = {name: schema_of(hints[name]) for name in names}
    closed = {"additionalProperties": False} if noun is ErrorBody else {}
    return _object(names, properties) | closed


def input_schema(noun: Any, *, own: Mapping[str, Schema], required: Sequence[str]) -> Schema:
    """The schema of a dataclass as a request: fields with a default may be null or left out."""
    hints = typing.get_type_hints(noun)
    properties = {}
    for one in dataclasses.fields(noun):
        properties[one.name] = own.get(one.name) or _union([schema_of(hints[one.name])], True)
    made = {"type": "object", "additionalProperties": False, "properties": properties}
    return made | ({"required": list(required)} if required else {})


def _union(schemas: Sequence[dict[str, Any]], with_null: bool) -> dict[str, Any]:
    if with_null and len(schemas) == 1 and "enum" in schemas[0]:
        return {"enum": [*schemas[0]["enum"], None]}
    if any(not isinstance(one.get("type"), str | list) or "required" in one for one in schemas):
        nulls: list[Schema] = [{"type": "null"}] if with_null else []
        return {"anyOf": [*schemas, *nulls]}
    kinds: list[str] = []
    for one in schemas:
        kinds += [one["type"]] if isinstance(one["type"], str) else one["type"]
    kinds += ["null"] if with_null and "null" not in kinds else []
    rest = {key: value for one in schemas for key, value in one.items() if key != "type"}
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **rest}


def ref(name: str) -> dict[str, str]:
    """A reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def json_content(schema: Schema) -> dict[str, Any]:
    """A JSON body of a schema, as OpenAPI writes it."""
    return {"application/json": {"schema": schema}}


def _object(required: Sequence[str], properties: Mapping[str, Schema]) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": dict(properties)}


def _listed(name: str, schema: Schema) -> dict[str, Any]:
    return _object([name], {name: {"type": "array", "items": schema}})


_TRIPLE: Schema = {
    "type": "array",
    "minItems": 3,
    "maxItems": 3,
    "items": {"type": "string", "minLength": 1},
    "description": "Subject, predicate, object.",
}
_PART = r"[A-Za-z0-9_]+"
_FACT = rf"{_PART} \| {_PART} \| {_PART}"


def _schemas(labels: Sequence[str], settings: ServerSettings) -> dict[str, Any]:
    """The named schemas, with the metrics and limits of one server."""
    triples = {
        "description": "The data: triples, or one string in a linearised form.",
        "anyOf": [
            {"type": "array", "minItems": 1, "maxItems": settings.max_triples, "items": _TRIPLE},
            {
                "type": "string",
                "pattern": f"^{_FACT}( && {_FACT})*$",
                "description": "The other forms that `adequa check` reads are accepted too.",
            },
        ],
    }
    id_ = {
        "type": ["string", "integer"],
        "minLength": 1,
        "description": "Defaults to the item's position.",
    }
    text = {
        "type": ["string", "null"],
        "maxLength": settings.max_text,
        "description": "May be empty; null means that the system gave no text.",
    }
    meta = {"type": ["object", "null"], "description": "Anything; returned unchanged."}
    term = input_schema(Term, own={}, required=())
    terms = {"type": ["object", "null"], "additionalProperties": term}
    own: dict[str, Any] = {"id": id_, "triples": triples, "text": text}
    own |= {"meta": meta, "terms": terms}
    own["record"] = {
        "type": ["object", "array", "null"],
        "description": "The data as JSON, in place of triples.",
    }
    paths = {"type": ["array", "null"], "items": {"type": "string"}}
    own["paths"] = paths | {"description": "The JSON pointer of each triple in the record."}
    item = dict(input_schema(Item, own=own, required=("text",)))
    data = {"type": ["object", "array"]}
    item["anyOf"] = [
        {"required": ["triples"]},
        {"required": ["record"], "properties": {"record": data}},
    ]
    metrics = {
        "type": ["array", "null"],
        "minItems": 1,
        "uniqueItems": True,
        "items": ref("MetricName"),
        "description": "Names from /v1/metrics; all of them by default.",
    }
    items = {"type": "array", "minItems": 1, "maxItems": settings.max_items, "items": ref("Item")}
    results = {"results": {"type": "array", "items": ref("Result")}}
    count = {"type": "integer"}
    run = object_schema(RunInfo)
    run["properties"]["id"] = RUN_ID
    closed = {"additionalProperties": False}
    return {
        "Error": _object(["error"], {"error": object_schema(ErrorBody)}) | closed,
        "Item": item,
        "OneToScore": {**item, "properties": {**item["properties"], "metrics": metrics}},
        "ManyToScore": _object(["items"], {"items": items, "metrics": metrics}) | closed,
        "MetricName": {"enum": list(labels)},
        "Result": _result_schema(),
        "Results": _object(["results"], results),
        "Page": _object(
            ["results", "total", "offset"], {**results, "total": count, "offset": count}
        ),
        "Metric": object_schema(MetricInfo),
        "Metrics": _listed("metrics", ref("Metric")),
        "Formats": _listed("formats", object_schema(FormatInfo)),
        "Health": object_schema(Health),
        "Run": run,
        "Runs": _listed("runs", ref("Run")),
        "Summary": {
            "type": "object",
            "required": ["items", "systems"],
            "description": "The summary.json of a run.",
        },
    }


def _result_schema() -> dict[str, Any]:
    """A line of `scores.jsonl`: the fields of the item that are always there, then the result's."""
    optional = [one.name for one in dataclasses.fields(Item)][3:]
    item = object_schema(Item, without=optional)
    result = object_schema(Result, without=("item", "statistics", "reasons"))
    scores = result["properties"]["scores"]["additionalProperties"]
    scores["description"] = "null: not scorable."
    for name in ("facts", "findings", "mentions"):
        for offset in ("start", "end"):
            place = result["properties"][name]["items"]["properties"][offset]
            place["description"] = "In code points of `text`, counted from 0."
    required = item["required"] + result["required"]
    reasons = schema_of(typing.get_type_hints(Result)["reasons"])
    reasons["description"] = "Why metrics did not score the text, by metric; absent if all did."
    properties = item["properties"] | result["properties"] | {"reasons": reasons}
    line = _object(required, properties)
    return line | {"description": "A line of the scores.jsonl of a run."}


def query(name: str, schema: Schema, doc: str) -> Schema:
    """One parameter of the query, as OpenAPI writes it."""
    return {"name": name, "in": "query", "description": doc, "schema": schema}


@dataclass(frozen=True)
class Operation:
    """One method of one path: its answer, and the refusals beyond those of its path."""

    method: str
    path: str
    name: str
    answer: str
    handler: Handler
    doc: str
    returns: str | Schema | None = None
    """The schema of the answer or the name of one; None without a body."""
    media_type: str = "application/json"
    status: int = 200
    refusals: Sequence[int] = ()
    parameters: Sequence[Schema] = ()
    body: Schema | None = None

    @property
    def object(self) -> dict[str, Any]:
        """The operation as OpenAPI writes it."""
        placed = [_ID_PARAMETER] if "{id}" in self.path else []
        schema = ref(self.returns) if isinstance(self.returns, str) else self.returns
        content = {} if schema is None else {self.media_type: {"schema": schema}}
        statuses = sorted({*_ALWAYS, *self.refusals, *((404,) if placed else ())})
        described: dict[str, Any] = {
            "operationId": self.name,
            "summary": self.doc.partition("\n")[0],
            "description": self.doc,
            "parameters": [*placed, *self.parameters],
            "responses": {
                str(self.status): {"description": self.answer, "content": content},
                **{str(one): {"$ref": f"#/components/responses/{one}"} for one in statuses},
            },
        }
        body = (
            {} if self.body is None else {"requestBody": {"required": True, "content": self.body}}
        )
        return described | body

    async def __call__(self, request: Request) -> Response:
        """Answer a request whose query has no unknown and no repeated parameter."""
        known = [parameter["name"] for parameter in self.parameters]
        given = Counter(name for name, _ in request.query_params.multi_items())
        for name, count in given.items():
            if name not in known or count > 1:
                message = "the query has an unknown or repeated parameter"
                remedy = f"allowed parameters: {', '.join(known) or 'none'}"
                raise Refusal(400, "wrong_query", message, remedy, where=name[:100])
        return await self.handler(request)


def operation(route: str, name: str, answer: str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a method as the handler of an `Operation`; its docstring is the operation's text."""
    method, path = route.split()

    def mark(handler: Marked) -> Marked:
        options["doc"] = inspect.getdoc(handler) or ""
        handler.__dict__["operation"] = partial(Operation, method, path, name, answer, **options)
        return handler

    return mark


def operations_of(*groups: object) -> Iterator[Operation]:
    """The operations of objects whose methods are marked as handlers."""
    for group in groups:
        for name, function in vars(type(group)).items():
            if hasattr(function, "operation"):
                yield function.operation(handler=getattr(group, name))


def routes_of(operations: Sequence[Operation]) -> list[Route]:
    """One route per path, which knows all its methods."""
    paths: dict[str, dict[str, Operation]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method] = one
    return [
        Route(PREFIX + path, _switch(methods), methods=list(methods))
        for path, methods in paths.items()
    ]


def _switch(methods: Mapping[str, Operation]) -> Handler:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await methods[method](request)

    return answer


def document(
    operations: Sequence[Operation], labels: Sequence[str], settings: ServerSettings
) -> dict[str, Any]:
    """The OpenAPI document of a server with these metrics and limits."""
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(PREFIX + one.path, {})[one.method.lower()] = one.object
    responses = {
        str(status): {"description": meaning, "content": json_content(ref("Error"))}
        for status, meaning in _REFUSALS.items()
    }
    components = {"schemas": _schemas(labels, settings), "responses": responses}
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "adequa", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": components,
    }
    if settings.token is not None:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described
