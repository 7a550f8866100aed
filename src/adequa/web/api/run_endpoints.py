"""`/v1/runs`: files scored in the background, looked at page by page, downloaded, deleted."""

from __future__ import annotations

import typing
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from adequa.errors import AdequaError
from adequa.readers import SUFFIXES, TABLE, open_source, reader_class, recognise
from adequa.run import SCORES, SUMMARY, read_json
from adequa.settings import Spec, build
from adequa.web.api.bodies import Bodies, media_type
from adequa.web.api.endpoint import Endpoint, Parameter, json_of, ref
from adequa.web.api.runs import LineIndex, Runs
from adequa.web.api.score_endpoints import chosen_labels
from adequa.web.api.scoring import ScoringEngine
from adequa.web.api.settings import ServerSettings
from adequa.web.errors import Refusal, refusal_of

_KINDS = ("application/x-ndjson", "application/octet-stream")
_ID = {"id": {"type": "string", "pattern": "^[0-9a-f]{16}$"}}
_LONGEST_NAME = 200
_MOST_UPLOADS = 4


class RunEndpoints:
    """The endpoints of runs."""

    def __init__(self, engine: ScoringEngine, runs: Runs, settings: ServerSettings) -> None:
        self.engine, self.runs, self.settings = engine, runs, settings
        self.bodies, self.lines = Bodies(settings), LineIndex()
        self._uploads = 0

    @property
    def endpoints(self) -> list[Endpoint]:
        """Each with its part of the OpenAPI document."""
        run = json_of(ref("Run"))
        one: dict[str, Any] = {"in_path": _ID}
        return [
            Endpoint(
                "GET",
                "/runs",
                "listRuns",
                "The runs there are.",
                self.list_runs,
                {200: ("The newest last.", json_of(ref("Runs")))},
            ),
            Endpoint(
                "POST",
                "/runs",
                "startRun",
                "Score a file in the background.\n\nThe body is the file as it is. Its name is "
                "only shown, and its ending may tell the format; the folder is the server's.",
                self.start,
                {202: ("It waits for its turn.", run)},
                refusals=(408, 409, 413, 415, 422, 429),
                parameters=(
                    Parameter(
                        "format",
                        {"enum": sorted(TABLE)},
                        "One of /v1/formats, options as in `csv:key=value`; JSON lines if neither "
                        "this nor the name tells.",
                    ),
                    Parameter("name", {"type": "string", "maxLength": 200}, "To be shown."),
                    Parameter(
                        "metrics", {"$ref": "#/components/schemas/MetricName"}, "Apart by commas."
                    ),
                ),
                body={kind: {"schema": {}} for kind in _KINDS},
            ),
            Endpoint(
                "GET",
                "/runs/{id}",
                "getRun",
                "One run, and how far it is.",
                self.show,
                {200: ("It.", run)},
                refusals=(404,),
                **one,
            ),
            Endpoint(
                "DELETE",
                "/runs/{id}",
                "deleteRun",
                "Stop a run if it goes on, and delete all its files.",
                self.delete,
                {204: ("It is gone.", {})},
                refusals=(404, 409),
                **one,
            ),
            Endpoint(
                "POST",
                "/runs/{id}/cancel",
                "cancelRun",
                "Stop a run; once more is no harm.",
                self.cancel,
                {200: ("It is stopped.", run)},
                refusals=(404, 409),
                **one,
            ),
            Endpoint(
                "GET",
                "/runs/{id}/summary",
                "summary",
                "A run in numbers: means, intervals, counts, verdicts.",
                self.summary,
                {200: ("Its summary.json.", json_of(ref("Summary")))},
                refusals=(404, 409),
                **one,
            ),
            Endpoint(
                "GET",
                "/runs/{id}/scores",
                "scores",
                "Some of a run's results.",
                self.scores,
                {200: ("In the order of the file.", json_of(ref("Page")))},
                refusals=(404, 409),
                parameters=(
                    Parameter("offset", {"type": "integer", "minimum": 0}, "How many to skip."),
                    Parameter(
                        "limit", {"type": "integer", "minimum": 1, "maximum": 1000}, "How many."
                    ),
                ),
                **one,
            ),
            Endpoint(
                "GET",
                "/runs/{id}/scores.jsonl",
                "download",
                "All of a run's results as a file.",
                self.download,
                {200: ("scores.jsonl", {"application/x-ndjson": {"schema": {"type": "string"}}})},
                refusals=(404, 409),
                **one,
            ),
        ]

    async def list_runs(self, _request: Request) -> Response:
        """All runs."""
        return JSONResponse({"runs": self.runs.list()})

    async def start(self, request: Request) -> Response:
        """Take an upload and let it wait for its turn."""
        self.runs.check_room()
        if media_type(request) not in _KINDS:
            raise Refusal(
                415,
                "wrong_content_type",
                f"the body is {media_type(request)[:100] or 'of no kind'!r}",
                f"send the file itself, with Content-Type: {' or '.join(_KINDS)}",
                where="Content-Type",
            )
        query = request.query_params
        name = query.get("name", "upload")
        if len(name) > _LONGEST_NAME:
            message = f"the name has more than {_LONGEST_NAME} characters"
            raise Refusal(422, "wrong_query", message, "shorten it", where="name")
        asked = query.get("metrics")
        labels = chosen_labels(None if asked is None else asked.split(","), self.engine)
        written = query.get("format")
        format_ = None if written is None else checked_format(written)
        if self._uploads >= _MOST_UPLOADS:
            raise Refusal(503, "busy", "other uploads go on", "try again later", wait=5)
        self._uploads += 1
        try:
            id_, file = self.runs.begin_upload(_suffix(name))
            try:
                await self._save(request, file)
                if format_ is None:
                    format_ = await run_in_threadpool(_recognised, file)
                record = await run_in_threadpool(self.runs.add, id_, file, name, format_, labels)
            except BaseException:
                self.runs.drop_upload(id_)
                raise
        finally:
            self._uploads -= 1
        return JSONResponse(record.object, 202, headers={"Location": f"/v1/runs/{id_}"})

    async def show(self, request: Request) -> Response:
        """One run."""
        return JSONResponse(self.runs.get(request.path_params["id"]).object)

    async def cancel(self, request: Request) -> Response:
        """Stop one."""
        record = await run_in_threadpool(self.runs.cancel, request.path_params["id"])
        return JSONResponse(record.object)

    async def delete(self, request: Request) -> Response:
        """Delete one."""
        await run_in_threadpool(self.runs.delete, request.path_params["id"])
        return Response(status_code=204)

    async def summary(self, request: Request) -> Response:
        """The numbers of one."""
        folder = self.runs.finished(request.path_params["id"]).folder
        return JSONResponse(await run_in_threadpool(read_json, folder / SUMMARY))

    async def scores(self, request: Request) -> Response:
        """A page of one."""
        record = self.runs.finished(request.path_params["id"])
        offset = _whole(request, "offset", 0, 0, 10**12)
        limit = _whole(request, "limit", 50, 1, 1000)
        path = record.folder / SCORES
        total, lines = await run_in_threadpool(self.lines.page, path, offset, limit)
        head = f'{{"total": {total}, "offset": {offset}, "results": ['.encode()
        return Response(head + b", ".join(lines) + b"]}", media_type="application/json")

    async def download(self, request: Request) -> Response:
        """All of one."""
        record = self.runs.finished(request.path_params["id"])
        return FileResponse(
            record.folder / SCORES,
            media_type="application/x-ndjson",
            filename=f"scores-{record.id}.jsonl",
        )

    async def _save(self, request: Request, file: Path) -> None:
        settings = self.settings
        parts: AsyncIterator[bytes] = self.bodies.parts(
            request, settings.max_upload, settings.upload_seconds
        )
        with file.open("wb") as stream:
            async for part in parts:
                stream.write(part)
            if not stream.tell():
                raise Refusal(422, "empty", "the upload is empty", "send a file with items")


def checked_format(written: str) -> str:
    """A format and its options, none of which may name a file of the server."""
    try:
        spec = Spec.parse(written[:1000])
        target = reader_class(spec.name)
        hints = typing.get_type_hints(target)
        for key in spec.settings:
            hint = hints.get(key)
            if hint is Path or Path in typing.get_args(hint):
                raise Refusal(
                    422,
                    "settings_refused",
                    f"the option {key!r} names a file, which a request cannot",
                    "use `adequa score` for it",
                    where="format",
                )
        build(spec.name, target, spec.settings)
    except AdequaError as error:
        raise refusal_of(error, where="format") from None
    return written


def _suffix(name: str) -> str:
    """The ending of a name if it is one we know: nothing else of a name meets the disk."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in SUFFIXES else ".jsonl"


def _recognised(file: Path) -> str:
    try:
        found = recognise(file)
        open_source(file, format=found)
    except AdequaError as error:
        raise refusal_of(error, where="the upload") from None
    return found


def _whole(request: Request, name: str, default: int, least: int, most: int) -> int:
    written = request.query_params.get(name)
    if written is None:
        return default
    if written.isascii() and written.isdecimal() and len(written) < 14:
        number = int(written)
        if least <= number <= most:
            return number
    message = f"{name!r} is no whole number from {least} to {most}"
    raise Refusal(400, "wrong_query", message, where=name)
