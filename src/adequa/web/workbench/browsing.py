"""The pages of runs: a run in tables, its texts page by page, one text, and what to download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from adequa.run import open_run
from adequa.run.folder import SUMMARY
from adequa.web.api.errors import Refused
from adequa.web.api.runs import Record, Runs
from adequa.web.workbench.choosing import Choice
from adequa.web.workbench.index import RunIndex
from adequa.web.workbench.indexes import Indexes, Reading
from adequa.web.workbench.pages import Site
from adequa.web.workbench.reports import Reports, Writing
from adequa.web.workbench.tables import predicate_rows, slice_tables, system_table

__all__ = ["RunPages"]

PAGE = 50
_MOST_OPTIONS = 400
_NO_TEXT = "there is no such text in this run"


@dataclass(frozen=True)
class RunPages:
    """Everything below `/runs`."""

    site: Site
    runs: Runs
    indexes: Indexes
    reports: Reports

    @property
    def routes(self) -> list[Route]:
        """Where the pages are."""
        return [
            Route("/runs/{id}", self.overview),
            Route("/runs/{id}/texts", self.texts),
            Route("/runs/{id}/item", self.item),
            Route("/runs/{id}/summary.json", self.summary),
            Route("/runs/{id}/report.html", self.report),
        ]

    async def overview(self, request: Request) -> Response:
        """A run in tables, or how far it is."""
        record = self.runs.get(request.path_params["id"])
        if record.status != "done":
            return self.site.page(
                request,
                "working.html",
                run=record.object,
                scripts=("working.js",),
            )
        index = await self.indexes.get(record.folder)
        if isinstance(index, Reading):
            return self._reading(request, record, index)
        run = await run_in_threadpool(open_run, record.folder)

        def values() -> dict[str, Any]:
            measures, systems = system_table(run.summary, run.manifest)
            predicates, left_out = predicate_rows(index)
            return {
                "measures": measures,
                "systems": systems,
                "slices": slice_tables(index),
                "predicates": predicates,
                "predicates_left_out": left_out,
            }

        shown = await run_in_threadpool(values)
        return self.site.page(
            request,
            "overview.html",
            here="runs",
            run=record.object,
            manifest=run.manifest,
            texts_link=_texts_link,
            scripts=("working.js",),
            **shown,
        )

    async def texts(self, request: Request) -> Response:
        """The texts that were chosen, some at a time."""
        record = self.runs.finished(request.path_params["id"])
        index = await self.indexes.get(record.folder)
        if isinstance(index, Reading):
            return self._reading(request, record, index)
        choice = Choice.read(request.query_params)
        chosen = await run_in_threadpool(self.indexes.choose, index, choice)
        pages = max(1, -(-len(chosen.rows) // PAGE))
        number = min(_page_number(request), pages)
        rows = [int(row) for row in chosen.rows[(number - 1) * PAGE : number * PAGE]]
        cards = await run_in_threadpool(_cards, index, rows, choice.compare)
        return self.site.page(
            request,
            "texts.html",
            here="runs",
            run=record.object,
            index=index,
            choice=choice,
            chosen=chosen,
            first=(number - 1) * PAGE + 1,
            last=(number - 1) * PAGE + len(rows),
            number=number,
            pages=pages,
            cards=cards,
            options=_options(index),
            item_link=_item_link,
            labels=_labels(index),
            scripts=("components.js", "browse.js"),
        )

    async def item(self, request: Request) -> Response:
        """One text, beside that of another system if one was chosen."""
        record = self.runs.finished(request.path_params["id"])
        index = await self.indexes.get(record.folder)
        if isinstance(index, Reading):
            return self._reading(request, record, index)
        query = request.query_params
        system, id_, other = query.get("system", ""), query.get("id", ""), query.get("vs", "")
        row = await run_in_threadpool(index.find, system, id_)
        if row is None:
            raise Refused(404, "no_such_text", _NO_TEXT, "go back to the list of its texts")
        beside = index.beside(row)
        compared = other if other in beside and other != system else ""
        names = [system, *([compared] if compared else [])]
        rest = [name for name in beside if name not in names]
        lines = {name: index.line(beside[name]) for name in (*names, *rest)}
        return self.site.page(
            request,
            "item.html",
            here="runs",
            run=record.object,
            line=lines[system],
            lines=lines,
            system=system,
            compared=compared,
            names=names,
            rest=rest,
            beside=list(beside),
            item_link=_item_link,
            labels=_labels(index),
            scripts=("components.js", "browse.js"),
        )

    async def summary(self, request: Request) -> Response:
        """The numbers of a run, as a file."""
        record = self.runs.finished(request.path_params["id"])
        return FileResponse(
            record.folder / SUMMARY,
            media_type="application/json",
            filename=f"summary-{record.id}.json",
        )

    async def report(self, request: Request) -> Response:
        """The run as one HTML file, written when it is first asked for."""
        record = self.runs.finished(request.path_params["id"])
        report = await self.reports.get(record)
        if isinstance(report, Writing):
            return self.site.page(
                request,
                "waiting.html",
                heading="The report is being written",
                words="It is downloaded as soon as it is there; this page can then be left.",
                share=report.share,
                onward=f"/runs/{record.id}",
                refresh=2,
                scripts=("waiting.js",),
            )
        # As a download: a page of ours must not be one with scripts inside.
        return FileResponse(report, media_type="text/html", filename=f"report-{record.id}.html")

    def _reading(self, request: Request, record: Record, reading: Reading) -> Response:
        return self.site.page(
            request,
            "waiting.html",
            heading=f"Reading {record.name}",
            words="A run is read once before it can be browsed; the page comes by itself.",
            onward="",
            share=reading.share,
            refresh=1,
            scripts=("waiting.js",),
        )


def _cards(index: RunIndex, rows: list[int], compare: str) -> list[list[dict[str, Any]]]:
    """Lines to be drawn, a text each or two side by side."""
    cards = []
    for row in rows:
        lines = [index.line(row)]
        other = index.beside(row).get(compare) if compare in index.systems else None
        if other is not None and other != row:
            lines.append(index.line(other))
        cards.append(lines)
    return cards


def _options(index: RunIndex) -> dict[str, list[str]]:
    """What there is to choose from, by filter; the longest lists are cut."""
    at_fault = [name for name, one in index.predicates.items() if one.missing or one.contradicted]
    sizes = sorted({int(size) for size in index.size})
    return {
        "system": [name for name in index.systems if name],
        "category": sorted(name for name in index.categories if name)[:_MOST_OPTIONS],
        "size": [str(size) for size in sizes],
        "seen": ["seen", "unseen"] if index.seen.any() else [],
        "predicate": sorted(at_fault)[:_MOST_OPTIONS],
    }


def _labels(index: RunIndex) -> list[dict[str, Any]]:
    """How the script writes scores."""
    return [{"name": label, "higher": index.higher[label]} for label in index.labels]


def _item_link(run: str, system: str, id_: str, other: str = "") -> str:
    query = {"system": system, "id": id_, "vs": other}
    return f"/runs/{run}/item?{urlencode({key: value for key, value in query.items() if value})}"


def _texts_link(run: str, **choice: str) -> str:
    return f"/runs/{run}/texts?{Choice(**choice).query()}"


def _page_number(request: Request) -> int:
    given = request.query_params.get("page", "1")
    return max(1, int(given)) if given.isascii() and given.isdecimal() and len(given) < 9 else 1
