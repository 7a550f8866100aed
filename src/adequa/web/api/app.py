"""The endpoints of the HTTP API: scoring on request, and runs scored in the background."""

from __future__ import annotations

import asyncio
import json
import sys
import typing
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, fields
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from adequa import __version__
from adequa.data import Item
from adequa.errors import AdequaError, DataError, UnknownName
from adequa.files import kind_of
from adequa.readers import (
    SUFFIXES,
    format_names,
    open_source,
    parse_coverage,
    reader_class,
    recognise,
)
from adequa.readers.records import read_object
from adequa.run import OVERRULED, describe_metrics
from adequa.settings import Spec, build
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.openapi import (
    FormatInfo,
    Health,
    MetricInfo,
    Operation,
    document,
    json_content,
    operation,
    operations_of,
    query,
    ref,
    routes_of,
)
from adequa.web.api.runs import Runs
from adequa.web.errors import Refusal, refusal_of, respond
from adequa.web.limits import Bodies, ServerSettings, require_type, whole_number
from adequa.web.security import Guard, secured_app

_ITEM_FIELDS = tuple(field.name for field in fields(Item))
_OPTIONAL: Mapping[str, tuple[type, ...]] = {
    "references": (list,),
    "terms": (dict,),
    "meta": (dict,),
    "paths": (list,),
    "record": (dict, list),
}
_UPLOAD_TYPES = ("application/x-ndjson", "application/octet-stream")
_LONGEST_NAME = 200
_LONGEST_FORMAT = 1000
_MOST_UPLOADS = 4


def api_operations(
    engine: ScoringEngine, runs: Runs, settings: ServerSettings, bodies: Bodies
) -> list[Operation]:
    """All operations of the API, including the one of its description."""
    description = _Description(engine, settings)
    scores = ScoreEndpoints(engine, settings, bodies)
    files = RunEndpoints(engine, runs, settings, bodies)
    description.operations = list(operations_of(scores, files, description))
    return description.operations


def server_bodies(settings: ServerSettings) -> Bodies:
    """The reader of all bodies of one server."""
    return Bodies(settings, remedy="send it in parts, or send a file as a run: POST /v1/runs")


def api_app(engine: ScoringEngine, runs: Runs, *, settings: ServerSettings) -> Starlette:
    """The API under `/v1`; the caller starts and closes `engine` and `runs`."""
    return secured_app(
        routes_of(api_operations(engine, runs, settings, server_bodies(settings))),
        limits=settings,
        answer=lambda _scope, refusal: respond(refusal),
        middleware=[Middleware(Guard, settings=settings)],
    )


class _Description:
    """The endpoint that describes all the others."""

    operations: Sequence[Operation] = ()

    def __init__(self, engine: ScoringEngine, settings: ServerSettings) -> None:
        self.engine, self.settings = engine, settings

    @operation("GET /openapi.json", "openapi", "OpenAPI 3.1.", returns={"type": "object"})
    async def describe(self, _request: Request) -> Response:
        """The OpenAPI description of the API."""
        return JSONResponse(document(self.operations, list(self.engine.metrics), self.settings))


_MOST_TRACED = 20
"""Items of one request that get events of their own; a span holds 128 events by default."""


def trace_results(lines: Sequence[bytes]) -> None:
    """Describe results in the current span of OpenTelemetry, if the server runs under it.

    The names are those of its conventions for generative AI (`gen_ai.evaluation.…`). It is not
    imported here: where nobody has imported it, there is no span.
    """
    trace = sys.modules.get("opentelemetry.trace")
    span = trace and trace.get_current_span()
    if span is None or not span.is_recording():
        return
    results = [json.loads(line) for line in lines]
    span.set_attribute("adequa.version", __version__)
    span.set_attribute("adequa.items", len(results))
    for verdict, count in Counter(one["verdict"] or "none" for one in results).items():
        span.set_attribute(f"adequa.verdicts.{verdict}", count)
    for result in results[:_MOST_TRACED]:
        why = "; ".join(one["why"] for one in result["findings"] if one["detail"] != OVERRULED)
        for name, value in result["scores"].items():
            told = {
                "adequa.id": result["id"],
                "gen_ai.evaluation.name": name,
                "gen_ai.evaluation.score.value": value,
                "gen_ai.evaluation.score.label": result["verdicts"].get(name),
                "gen_ai.evaluation.explanation": why[:1000] or None,
            }
            event = {key: part for key, part in told.items() if part is not None}
            span.add_event("gen_ai.evaluation.result", event)


class ScoreEndpoints:
    """The endpoints that score items and describe the server."""

    def __init__(self, engine: ScoringEngine, settings: ServerSettings, bodies: Bodies) -> None:
        self.engine, self.settings, self.bodies = engine, settings, bodies
        self._described: dict[str, Any] | None = None

    @operation(
        "POST /score",
        "score",
        "The scores and verdicts.",
        returns={"anyOf": [ref("Result"), ref("Results")]},
        refusals=(408, 413, 415, 422, 500),
        body=json_content({"anyOf": [ref("OneToScore"), ref("ManyToScore")]}),
    )
    async def score(self, request: Request) -> Response:
        """Score one text, or many.

        A single item is answered with its result, `items` with `results` in the same order.
        """
        if self.engine.is_full:
            raise self.engine.full()  # before the body is read: a flood must cost little
        items, labels, is_single = await self.bodies.json(request, self.read)
        lines = await awaited(request, self.engine.submit(items, labels), self.settings.seconds)
        trace_results(lines)
        body = lines[0] if is_single else b'{"results": [' + b", ".join(lines) + b"]}"
        return Response(body, media_type="application/json")

    @operation("GET /metrics", "metrics", "In the order of their scores.", returns="Metrics")
    async def list_metrics(self, _request: Request) -> Response:
        """The metrics of this server."""
        if self._described is None:
            described = []
            for label, entry in describe_metrics(self.engine.metrics).items():
                metric = self.engine.metrics[label]
                entry |= {"label": label, "doc": metric.doc}
                entry["needs_references"] = metric.needs_references
                described.append({one.name: entry[one.name] for one in fields(MetricInfo)})
            self._described = {"metrics": described}
        return JSONResponse(self._described)

    @operation("GET /formats", "formats", "By name.", returns="Formats")
    async def list_formats(self, _request: Request) -> Response:
        """The file formats that a run can be made from."""
        formats = [asdict(FormatInfo(name, reader_class(name).doc)) for name in format_names()]
        return JSONResponse({"formats": formats})

    @operation("GET /health", "health", "It answers.", returns="Health")
    async def health(self, _request: Request) -> Response:
        """Whether the server has room for more requests."""
        engine = self.engine
        status: Any = "busy" if engine.is_full else "ok"
        health = Health(status, __version__, workers=engine.workers, waiting=engine.waiting)
        return JSONResponse(asdict(health))

    def read(self, raw: dict[str, Any]) -> tuple[list[Item], list[str], bool]:
        """The items and metrics of a request, and whether it is a single item without a list."""
        labels = chosen_labels(raw.pop("metrics", None), self.engine)
        if "items" in raw:
            return self._items(raw), labels, False
        return [self._item(raw, 1, "body")], labels, True

    def _items(self, raw: Mapping[str, Any]) -> list[Item]:
        unknown = sorted(raw.keys() - {"items"})
        if unknown:
            message = f"unexpected field {unknown[0][:100]!r} beside 'items'"
            raise Refusal(422, "wrong_data", message, "put it into each item", where="body")
        given = raw["items"]
        if type(given) is not list:
            raise Refusal(422, "wrong_data", f"'items' is {kind_of(given)}, not a list")
        if not given:
            raise Refusal(422, "wrong_data", "'items' is empty", "send at least one")
        if len(given) > self.settings.max_items:
            message = f"{len(given)} items exceed the limit of {self.settings.max_items}"
            remedy = "send them in parts, or send a file as a run: POST /v1/runs"
            raise Refusal(413, "too_many_items", message, remedy, where="items")
        return [self._item(one, place + 1, f"items[{place}]") for place, one in enumerate(given)]

    def _item(self, raw: Any, number: int, where: str) -> Item:
        settings = self.settings
        if type(raw) is dict:
            raw = {"id": str(number), **raw}
            _require_types(raw, where)
        triples = raw.get("triples") if type(raw) is dict else None
        if type(triples) is list and len(triples) > settings.max_triples:
            raise _too_much(f"{len(triples)} triples", settings.max_triples, where)
        if type(triples) is str:
            self._require_short(len(triples), where)
        if type(raw) is dict and raw.get("triples") is None:
            _require_record(raw, where)
        try:
            item = read_object(raw, position=number)
        except AdequaError as error:
            raise refusal_of(_for_body(error), where=where) from None
        if len(item.triples) > settings.max_triples:
            raise _too_much(f"{len(item.triples)} triples", settings.max_triples, where)
        self._require_short(sum(len(part) for triple in item.triples for part in triple), where)
        for text in (item.text, *item.references):
            if len(text) > settings.max_text:
                raise _too_much(f"{len(text)} characters of text", settings.max_text, where)
        return item

    def _require_short(self, characters: int, where: str) -> None:
        if characters > self.settings.max_data:
            raise _too_much(f"{characters} characters of data", self.settings.max_data, where)


def _require_types(raw: Mapping[str, Any], where: str) -> None:
    """Refuse unknown fields, which a client may have misspelt, and 0 or "" instead of null."""
    unknown = sorted(raw.keys() - _ITEM_FIELDS)
    if unknown:
        message = f"unknown field {unknown[0][:100]!r}"
        remedy = f"known fields: {', '.join(_ITEM_FIELDS)}; put anything else into 'meta'"
        raise Refusal(422, "wrong_data", message, remedy, where=where)
    for name, kinds in _OPTIONAL.items():
        value = raw.get(name)
        if value is not None and type(value) not in kinds:
            wanted = " or ".join(kind_of(kind()) for kind in kinds)
            message = f"{name!r} is {kind_of(value)}, not {wanted}"
            raise Refusal(422, "wrong_data", message, "leave it out if there is none", where=where)


def _require_record(raw: dict[str, Any], where: str) -> None:
    """Refuse an item that has neither triples nor a record; take away what is null."""
    raw.pop("triples", None)
    if type(raw.get("record")) not in (dict, list):
        message = "has no 'triples', and no 'record' in their place"
        remedy = "send 'triples', or the data as a JSON object: 'record'"
        raise Refusal(422, "wrong_data", message, remedy, where=where)
    if "text" not in raw:
        raise Refusal(422, "wrong_data", "has no 'text'", 'an empty text is ""', where=where)
    if raw["text"] is None:
        raw["text"] = ""


def _for_body(error: AdequaError) -> AdequaError:
    """Here the id is optional, so no remedy may ask for it."""
    if isinstance(error, DataError) and error.problem.startswith("has no "):
        return DataError(error.problem, remedy="an item needs 'triples' or 'record', and 'text'")
    return error


def _too_much(what: str, most: int, where: str) -> Refusal:
    message = f"{what} exceed the limit of {most}"
    return Refusal(413, "item_too_large", message, "split the item", where=where)


def chosen_labels(given: Any, engine: ScoringEngine) -> list[str]:
    """The metrics a request asks for, in the server's order, without settings."""
    if given is None:
        return list(engine.metrics)
    if type(given) is not list or not given or any(type(one) is not str for one in given):
        message = "'metrics' is not a list of names"
        raise Refusal(422, "wrong_data", message, 'write ["esa"]', where="metrics")
    for label in given:
        if label in engine.metrics:
            continue
        if ":" in label or "=" in label:
            message = "a request cannot set a metric's settings"
            remedy = f"choose from: {', '.join(engine.metrics)}; others are chosen when the "
            remedy += "server is started"
            raise Refusal(422, "settings_refused", message, remedy, where="metrics")
        raise refusal_of(UnknownName("metric", label[:100], engine.metrics), where="metrics")
    if len(set(given)) < len(given):
        message = "'metrics' names a metric twice"
        raise Refusal(422, "wrong_data", message, "keep one", where="metrics")
    return [label for label in engine.metrics if label in given]


async def awaited(request: Request, future: Future[list[bytes]], seconds: float) -> Sequence[bytes]:
    """The lines; given up if they take too long or the client disconnects."""
    scored = asyncio.wrap_future(future)
    left = asyncio.ensure_future(_disconnected(request))
    both: set[asyncio.Future[Any]] = {scored, left}
    try:
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if scored.done():
            return scored.result()
        if left.done():
            raise Refusal(400, "gone", "the client disconnected")
        message = f"not finished within {seconds:g} seconds"
        remedy = "send fewer items at once, or start a run: POST /v1/runs"
        raise Refusal(503, "timeout", message, remedy, wait=seconds)
    finally:
        left.cancel()
        scored.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class RunEndpoints:
    """The endpoints of runs: files scored in the background."""

    def __init__(
        self, engine: ScoringEngine, runs: Runs, settings: ServerSettings, bodies: Bodies
    ) -> None:
        self.engine, self.runs, self.settings = engine, runs, settings
        self.bodies, self._uploads = bodies, 0

    @operation("GET /runs", "listRuns", "The newest last.", returns="Runs")
    async def list_runs(self, _request: Request) -> Response:
        """All runs."""
        return JSONResponse({"runs": self.runs.list()})

    @operation(
        "POST /runs",
        "startRun",
        "The run is queued.",
        returns="Run",
        status=202,
        refusals=(408, 409, 413, 415, 422, 429, 507),
        parameters=(
            query(
                "format",
                {"enum": format_names()},
                "One of /v1/formats, with options as in `csv:key=value`; recognised by default.",
            ),
            query("name", {"type": "string", "maxLength": _LONGEST_NAME}, "For display."),
            query(
                "coverage",
                {"enum": ["all", "selected"]},
                "Whether texts must say every fact; by default those of triples must.",
            ),
            query("metrics", ref("MetricName"), "Comma-separated."),
        ),
        body={kind: {"schema": {}} for kind in _UPLOAD_TYPES},
    )
    async def start(self, request: Request) -> Response:
        """Score a file in the background.

        The body is the file itself. Its name is only displayed, and its ending may reveal the
        format; the server chooses the folder.
        """
        self.runs.require_room()
        require_type(request, *_UPLOAD_TYPES)
        given = request.query_params
        name = given.get("name", "upload")
        if len(name) > _LONGEST_NAME:
            message = f"the name has more than {_LONGEST_NAME} characters"
            raise Refusal(422, "wrong_query", message, "shorten it", where="name")
        asked = given.get("metrics")
        labels = chosen_labels(None if asked is None else asked.split(","), self.engine)
        written = given.get("format")
        format_ = None if written is None else parse_format(written)
        try:
            coverage = parse_coverage(given.get("coverage"))
        except AdequaError as error:
            raise refusal_of(error, where="coverage") from None
        if self._uploads >= _MOST_UPLOADS:
            raise Refusal(503, "busy", "other uploads are in progress", "try again later", wait=5)
        self._uploads += 1
        try:
            id_, file = self.runs.begin_upload(upload_suffix(name))
            try:
                await self._save(request, file)
                if format_ is None:
                    format_ = await run_in_threadpool(_recognised, file)
                record = await run_in_threadpool(
                    self.runs.add,
                    id_,
                    file=file,
                    name=name,
                    format_=format_,
                    labels=labels,
                    coverage=coverage,
                )
            except BaseException:
                self.runs.drop_upload(id_)
                raise
        finally:
            self._uploads -= 1
        return JSONResponse(record.object, 202, headers={"Location": f"/v1/runs/{id_}"})

    @operation("GET /runs/{id}", "getRun", "The run.", returns="Run")
    async def show(self, request: Request) -> Response:
        """A run and its progress."""
        return JSONResponse(self.runs.get(request.path_params["id"]).object)

    @operation("DELETE /runs/{id}", "deleteRun", "The run is deleted.", status=204, refusals=(409,))
    async def delete(self, request: Request) -> Response:
        """Delete a run with all its files; one in progress is cancelled first."""
        await run_in_threadpool(self.runs.delete, request.path_params["id"])
        return Response(status_code=204)

    @operation(
        "POST /runs/{id}/cancel",
        "cancelRun",
        "The run is cancelled.",
        returns="Run",
        refusals=(409,),
    )
    async def cancel(self, request: Request) -> Response:
        """Cancel a run; idempotent."""
        record = await run_in_threadpool(self.runs.cancel, request.path_params["id"])
        return JSONResponse(record.object)

    @operation(
        "GET /runs/{id}/summary",
        "summary",
        "The summary.json of the run.",
        returns="Summary",
        refusals=(409, 410),
    )
    async def summary(self, request: Request) -> Response:
        """A run in numbers: means, intervals, counts, verdicts."""
        run = await run_in_threadpool(self.runs.open, request.path_params["id"])
        return JSONResponse(run.summary)

    @operation(
        "GET /runs/{id}/scores",
        "scores",
        "In the order of the file.",
        returns="Page",
        refusals=(409, 410),
        parameters=(
            query("offset", {"type": "integer", "minimum": 0}, "Results to skip."),
            query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 1000}, "Results to return."
            ),
        ),
    )
    async def scores(self, request: Request) -> Response:
        """A page of a run's results."""
        run = await run_in_threadpool(self.runs.open, request.path_params["id"])
        offset = _whole(request, "offset", default=0, least=0, most=10**12 - 1)
        limit = _whole(request, "limit", default=50, least=1, most=1000)
        total, lines = await run_in_threadpool(self.runs.lines.page, run.scores_path, offset, limit)
        head = f'{{"total": {total}, "offset": {offset}, "results": ['.encode()
        return Response(head + b", ".join(lines) + b"]}", media_type="application/json")

    @operation(
        "GET /runs/{id}/scores.jsonl",
        "download",
        "scores.jsonl",
        returns={"type": "string"},
        media_type="application/x-ndjson",
        refusals=(409, 410),
    )
    async def download(self, request: Request) -> Response:
        """All results of a run as a file."""
        id_ = request.path_params["id"]
        run = await run_in_threadpool(self.runs.open, id_)
        name = f"scores-{id_}.jsonl"
        return FileResponse(run.scores_path, media_type="application/x-ndjson", filename=name)

    async def _save(self, request: Request, file: Path) -> None:
        settings = self.settings
        parts = self.bodies.parts(
            request, most_bytes=settings.max_upload, seconds=settings.upload_seconds
        )
        with file.open("wb") as stream:
            async for part in parts:
                stream.write(part)
            if not stream.tell():
                raise Refusal(422, "empty", "the upload is empty", "send a file with items")


def parse_format(written: str) -> str:
    """A format and its options, none of which may name a file of the server."""
    if len(written) > _LONGEST_FORMAT:
        message = f"the format has more than {_LONGEST_FORMAT} characters"
        raise Refusal(422, "wrong_query", message, "shorten it", where="format")
    try:
        spec = Spec.parse(written)
        target = reader_class(spec.name)
        hints = typing.get_type_hints(target)
        for key in spec.settings:
            if _may_be_path(hints.get(key)):
                message = f"the option {key!r} names a file, which a request must not do"
                remedy = "use `adequa score` instead"
                raise Refusal(422, "settings_refused", message, remedy, where="format")
        build(spec.name, target, spec.settings)
    except AdequaError as error:
        raise refusal_of(error, where="format") from None
    return written


def _may_be_path(hint: Any) -> bool:
    """Whether a type hint has a path in it, however deep."""
    return hint is Path or any(map(_may_be_path, typing.get_args(hint)))


def upload_suffix(name: str) -> str:
    """The ending of a name if it is known; no other part of a name reaches the disk."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in SUFFIXES else ".jsonl"


def _recognised(file: Path) -> str:
    try:
        found = recognise(file)
        open_source(file, format=found)
    except AdequaError as error:
        raise refusal_of(error, where="the upload") from None
    return found


def _whole(request: Request, name: str, *, default: int, least: int, most: int) -> int:
    written = request.query_params.get(name)
    if written is None:
        return default
    number = whole_number(written)
    if number is not None and least <= number <= most:
        return number
    message = f"{name!r} is not a whole number from {least} to {most}"
    raise Refusal(400, "wrong_query", message, where=name)
