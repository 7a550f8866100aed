"""The live page: data and a text, scored while somebody types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from adequa.codec import result_from_object, result_to_page
from adequa.data import Item
from adequa.errors import AdequaError, DataError
from adequa.files import load_object
from adequa.readers import read_pasted
from adequa.readers.records import with_text
from adequa.text.linearised import linearise
from adequa.web.api.app import awaited, chosen_labels
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.bodies import Bodies
from adequa.web.errors import Refusal, refusal_of
from adequa.web.limits import ServerSettings
from adequa.web.security import no_form_token
from adequa.web.workbench.index import BackgroundTask, Indexes, RunIndex
from adequa.web.workbench.site import WorkbenchSite


@dataclass(frozen=True, slots=True)
class LiveExample:
    """A small text with its data to try; each has another fault or form of data."""

    name: str
    triples: str
    text: str


_LIGHTHOUSE = """Skerry_Light | location | Orrin_Sound
Skerry_Light | builtIn | 1862
Skerry_Light | height | 34.0
Orrin_Sound | country | Scotland"""

EXAMPLES = (
    LiveExample(
        "Complete",
        _LIGHTHOUSE,
        "Skerry Light is a lighthouse in Orrin Sound, Scotland. It was built in 1862 and is 34 "
        "metres high.",
    ),
    LiveExample(
        "Omission",
        _LIGHTHOUSE,
        "Skerry Light stands in Orrin Sound, Scotland, and was built in 1862.",
    ),
    LiveExample(
        "Hallucination",
        _LIGHTHOUSE,
        "Skerry Light in Orrin Sound, Scotland, was built in 1862 by Marion Tulloch and is 34 "
        "metres high.",
    ),
    LiveExample(
        "Wrong number (JSON)",
        '[["Alva_Bridge", "crosses", "River_Devon"],\n ["Alva_Bridge", "length", "212"],\n'
        ' ["River_Devon", "flowsThrough", "Tillicoultry"]]',
        "Alva Bridge, 121 metres long, crosses the River Devon, which flows through Tillicoultry.",
    ),
    LiveExample(
        "Turtle",
        "@prefix : <http://example.org/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\n"
        ':cafe rdfs:label "The Quiet Kettle" ;\n  :food "soup" ;\n  :area "riverside" ;\n'
        "  :near :mill .\n"
        ':mill rdfs:label "Old Mill" .',
        "The Quiet Kettle serves soup by the riverside, near the Old Mill.",
    ),
)

_FIELDS = {"triples", "text", "metrics"}


@dataclass(frozen=True)
class LivePages:
    """`/live` and the requests of its script."""

    site: WorkbenchSite
    engine: ScoringEngine
    runs: Runs
    indexes: Indexes
    settings: ServerSettings
    bodies: Bodies

    @property
    def routes(self) -> list[Route]:
        """The routes of the page."""
        return [Route("/live", self.page), Route("/live/score", self.score, methods=["POST"])]

    async def page(self, request: Request) -> Response:
        """The form, filled with a text of a run if the address names one."""
        triples, text = await self._given(request)
        return self.site.page(
            request,
            "live.html",
            here="live",
            triples=triples,
            text=text,
            examples=EXAMPLES,
            metrics=[(label, metric.doc) for label, metric in self.engine.metrics.items()],
            needing=[label for label, one in self.engine.metrics.items() if one.needs_references],
            scripts=("components.js", "graph.js", "live.js"),
        )

    async def score(self, request: Request) -> Response:
        """The result of one text as a line of a run; refusals name their field."""
        if not self.site.access.is_form(request.headers):
            raise no_form_token()
        if self.engine.is_full:
            raise self.engine.full()
        item, labels = await self.bodies.json(request, self.read)
        future = self.engine.submit([item], labels)
        (line,) = await awaited(request, future, self.settings.seconds)
        return JSONResponse(result_to_page(result_from_object(load_object(line.decode()))))

    def read(self, raw: Mapping[str, Any]) -> tuple[Item, list[str]]:
        """The item and the metrics of a request."""
        return self._item(raw), chosen_labels(raw.get("metrics"), self.engine)

    def _item(self, raw: Mapping[str, Any]) -> Item:
        for name in ("triples", "text"):
            if type(raw.get(name)) is not str:
                raise Refusal(422, "wrong_data", f"{name!r} is not a string", where=name)
        if raw.keys() - _FIELDS:
            raise Refusal(422, "wrong_data", "the request has unknown fields", "reload the page")
        text, settings = raw["text"], self.settings
        if len(text) > settings.max_text:
            message = f"the text is longer than {settings.max_text:,} characters"
            raise Refusal(413, "too_large", message, "shorten it", where="text")
        if len(raw["triples"]) > settings.max_data:
            message = f"the data is longer than {settings.max_data:,} characters"
            raise Refusal(413, "too_large", message, "give fewer triples", where="triples")
        try:
            graph = read_pasted(raw["triples"])
        except AdequaError as error:
            raise refusal_of(_placed(error), where="triples") from None
        if len(graph.triples) > settings.max_triples:
            message = f"{len(graph.triples):,} triples exceed the limit of {settings.max_triples:,}"
            raise Refusal(413, "too_large", message, "give fewer", where="triples")
        plain = replace(graph, id="1", system="", references=(), meta={})
        return with_text(plain, text)

    async def _given(self, request: Request) -> tuple[str, str]:
        query = request.query_params
        if "run" not in query:
            return "", ""
        record = await run_in_threadpool(self.runs.finished, query["run"])
        index = await self.indexes.get(record.folder, wait=30.0)
        if isinstance(index, BackgroundTask):
            return "", ""
        return await run_in_threadpool(_filled, index, query.get("system", ""), query.get("id", ""))


def _filled(index: RunIndex, system: str, id_: str) -> tuple[str, str]:
    """The data and the text of a run's text, as they are typed; empty if there is no such text."""
    row = index.find(system, id_)
    if row is None:
        return "", ""
    line = index.line(row)
    try:
        return linearise(line["triples"], "newline"), line["text"]
    except DataError:  # it would not be read back the same
        return linearise(line["triples"], "json"), line["text"]


def _placed(error: AdequaError) -> AdequaError:
    """Put the line of the pasted data into the message, which is shown beside the field."""
    if not isinstance(error, DataError):
        return error
    if error.line is not None:
        return DataError(f"line {error.line} {error.problem}", remedy="correct it")
    if error.problem.startswith("is not JSON"):
        return DataError(f"the data {error.problem}", remedy="correct it")
    begins = error.problem.startswith(("is ", "has ", "holds ", "was ", "cannot "))
    return DataError(f"the data {error.problem}", remedy=error.remedy) if begins else error
