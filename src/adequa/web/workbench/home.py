"""The workbench as a web application, with its home page and its live page, behind one guard.

The home page has the open runs and campaigns and a form for uploads; the live page scores data and
a text while somebody types.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from adequa.codec import result_from_object, result_to_page
from adequa.data import Item
from adequa.errors import AdequaError, DataError, MissingExtra
from adequa.files import load_object
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import DATABASE, read_campaign
from adequa.readers import format_names, open_source, read_pasted, reader_class
from adequa.readers.explanation import Preview, preview
from adequa.readers.records import with_text
from adequa.run import open_run
from adequa.text.linearised import linearise
from adequa.web.api.app import (
    api_operations,
    awaited,
    chosen_labels,
    parse_format,
    server_bodies,
    upload_suffix,
)
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.openapi import PREFIX, routes_of
from adequa.web.api.runs import Record, Runs, folder_id
from adequa.web.errors import Refusal, refusal_of, respond
from adequa.web.limits import Bodies, ServerSettings, format_bytes, require_type
from adequa.web.security import Guard, no_form_token, secured_app
from adequa.web.workbench.index import BackgroundTask, Indexes, RunIndex
from adequa.web.workbench.runs import Reports, RunPages
from adequa.web.workbench.site import PAGES, WorkbenchAccess, WorkbenchSite

if TYPE_CHECKING:
    from adequa.human.campaign.model import Overview


@dataclass(frozen=True)
class CampaignProgress:
    """The progress of a campaign; `overview` is None before it is first served."""

    overview: Overview | None = None
    problem: str | None = None

    @property
    def share(self) -> float:
        """The share of the needed judgments that have been given."""
        if self.overview is None or not self.overview.total.needed:
            return 0.0
        return self.overview.total.answered / self.overview.total.needed


@dataclass(frozen=True)
class OpenedCampaign:
    """A campaign's folder as it was when the server started; its database is only read."""

    id: str
    folder: Path
    campaign: Campaign
    texts: tuple[SampledText, ...]

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def needed(self) -> int:
        """The number of judgments that the sample needs."""
        return self.campaign.raters_per_text * sum(text.is_shown for text in self.texts)

    @property
    def systems(self) -> Mapping[str, int]:
        """The number of texts by system."""
        return Counter(text.item.system for text in self.texts)

    @property
    def tasks(self) -> Mapping[str, int]:
        """The number of texts by task."""
        return Counter(text.task for text in self.texts)

    def progress(self) -> CampaignProgress:
        """The current progress, from the database."""
        path = self.folder / DATABASE
        if not path.is_file() or not path.stat().st_size:
            return CampaignProgress()
        try:
            from adequa.human.campaign.assignment import Layout, Plan
            from adequa.human.campaign.database import sql
            from adequa.human.campaign.store import look_over
        except MissingExtra:
            return CampaignProgress(problem="reading its database needs the package sqlalchemy")
        plan = Plan(self.campaign, self.texts, Layout.of(self.texts, self.campaign.raters_per_text))
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        engine = sql.create_engine(
            "sqlite+pysqlite://", creator=lambda: sqlite3.connect(address, uri=True, timeout=5)
        )
        try:
            with engine.connect() as connection:
                return CampaignProgress(look_over(connection, plan))
        except (sql.exc.SQLAlchemyError, LookupError):
            # Of another version, or for other texts: `adequa human serve` says which.
            return CampaignProgress(problem="its database does not match these files")
        finally:
            engine.dispose()


def open_campaign(folder: Path) -> OpenedCampaign:
    """Open a campaign by its folder."""
    campaign, texts = read_campaign(folder)
    return OpenedCampaign(folder_id(folder), folder, campaign, tuple(texts))


PREVIEW_BYTES = 256 * 1024
"""The beginning of a file that its preview needs."""


def _preview(content: bytes, name: str, format_: str | None, *, is_cut: bool) -> Preview:
    suffix = upload_suffix(name)
    if is_cut:
        content = _whole_part(content, suffix)
    with tempfile.TemporaryDirectory(prefix="adequa-preview-") as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(content)
        try:
            return preview(open_source(path, format=format_))
        except AdequaError as error:
            raise refusal_of(error, where="the upload") from None


def _whole_part(content: bytes, suffix: str) -> bytes:
    """The whole lines, or the whole objects of a list, of the beginning of a file."""
    if suffix == ".json" and content.lstrip().startswith(b"["):
        end = max(content.rfind(b"},\n"), content.rfind(b"}, "), content.rfind(b"},{"))
        return content if end < 0 else content[: end + 1] + b"]"
    return content[: content.rfind(b"\n") + 1]


@dataclass(frozen=True)
class HomePages:
    """The home page, the pages of campaigns, and the login link."""

    site: WorkbenchSite
    engine: ScoringEngine
    runs: Runs
    settings: ServerSettings
    bodies: Bodies
    campaigns: Sequence[OpenedCampaign] = ()
    _facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages."""
        return [
            Route("/", self.home),
            Route("/campaigns/{id}", self.campaign),
            Route("/preview", self.preview, methods=["POST"]),
            Route("/in/{key}", self.sign_in),
        ]

    async def home(self, request: Request) -> Response:
        """All runs and campaigns."""

        def look() -> tuple[list[Any], list[Any]]:
            records = [self.runs.get(raw["id"]) for raw in self.runs.list()]
            return (
                [(record.object, self._fact(record)) for record in reversed(records)],
                [(one, one.progress()) for one in self.campaigns],
            )

        runs, campaigns = await run_in_threadpool(look)
        return self.site.page(
            request,
            "home.html",
            here="home",
            runs=runs,
            campaigns=campaigns,
            formats=[(name, reader_class(name).doc) for name in format_names()],
            metrics=list(self.engine.metrics),
            most=format_bytes(self.settings.max_upload),
            preview_bytes=PREVIEW_BYTES,
            scripts=("upload.js",),
        )

    async def preview(self, request: Request) -> Response:
        """How the beginning of a file would be read: its columns, and which become facts."""
        if not self.site.access.is_form(request.headers):
            raise no_form_token()
        require_type(request, "application/octet-stream")
        given = request.query_params
        written = given.get("format") or None
        format_ = None if written is None else parse_format(written)
        parts = self.bodies.parts(
            request, most_bytes=PREVIEW_BYTES, seconds=self.settings.body_seconds
        )
        content = b"".join([part async for part in parts])
        name = given.get("name", "upload")
        found = await run_in_threadpool(
            _preview, content, name, format_, is_cut=given.get("cut") == "1"
        )
        return JSONResponse(asdict(found))

    async def campaign(self, request: Request) -> Response:
        """The progress of one campaign."""
        wanted = request.path_params["id"]
        found = next((one for one in self.campaigns if one.id == wanted), None)
        if found is None:
            message = "there is no such campaign"
            raise Refusal(404, "no_such_campaign", message, "see the home page for all campaigns")
        progress = await run_in_threadpool(found.progress)
        return self.site.page(
            request, "campaign.html", here="home", opened=found, progress=progress
        )

    async def sign_in(self, request: Request) -> Response:
        """Sign in by the link that the server printed, and go to the home page."""
        access, address = self.site.access, request.client.host if request.client else "unknown"
        access.wrong_links.require(address)
        if not access.is_key(request.path_params["key"]):
            access.wrong_links.take(address)
            message = "this link is incomplete or belongs to another server"
            raise Refusal(404, "wrong_link", message, "copy the whole link that was printed")
        response = RedirectResponse("/", 303)
        access.begin(request, response)
        return response

    def _fact(self, record: Record) -> Mapping[str, Any] | None:
        """The counts that the list shows for a run; read once, because a run does not change."""
        if record.status != "done":
            return None
        if record.id not in self._facts:
            try:
                systems = open_run(record.folder).summary["systems"]
                verdicts = [one.get("verdicts", {}) for one in systems.values()]
                self._facts[record.id] = {
                    "systems": len(systems),
                    "OK": sum(one.get("OK", 0) for one in verdicts),
                    "judged": sum(count for one in verdicts for count in one.values()),
                }
            except (AdequaError, LookupError, TypeError, AttributeError):
                return None  # its own page shows what is wrong with it
        return self._facts[record.id]


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


class Workbench:
    """Pages at `/`, the API under `/v1`; the caller closes `engine` and `runs`."""

    def __init__(
        self,
        engine: ScoringEngine,
        runs: Runs,
        *,
        settings: ServerSettings,
        campaigns: Sequence[OpenedCampaign] = (),
    ) -> None:
        self.access = WorkbenchAccess(settings.token)
        senders = {label: one.sends_to for label, one in engine.metrics.items() if one.sends_to}
        self.site = WorkbenchSite(self.access, senders)
        self.indexes, self.reports = Indexes(), Reports(runs.folder)
        bodies = server_bodies(settings)
        routes = [
            *routes_of(api_operations(engine, runs, settings, bodies)),
            *HomePages(
                site=self.site,
                engine=engine,
                runs=runs,
                settings=settings,
                bodies=bodies,
                campaigns=campaigns,
            ).routes,
            *RunPages(self.site, runs, self.indexes, self.reports).routes,
            *LivePages(
                site=self.site,
                engine=engine,
                runs=runs,
                indexes=self.indexes,
                settings=settings,
                bodies=bodies,
            ).routes,
            PAGES.route,
        ]
        guard = Middleware(Guard, settings=settings, browsers=self.access, answer=self._answer)
        self.app = secured_app(routes, limits=settings, answer=self._answer, middleware=[guard])

    def close(self) -> None:
        """Stop the work in the background."""
        self.indexes.close()
        self.reports.close()

    def _answer(self, scope: Scope, refusal: Refusal) -> Response:
        """JSON for programs and scripts, a page for people."""
        request = Request(scope)
        is_page = "text/html" in request.headers.get("accept", "")
        if scope["path"].startswith(PREFIX + "/") or not is_page:
            return respond(refusal)
        return self.site.refuse(request, refusal)
