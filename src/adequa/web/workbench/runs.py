"""The pages of runs: tables, texts page by page, one text, and downloads."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Container, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from adequa.errors import AdequaError, RunError
from adequa.report.summary import axis, reading_notes
from adequa.report.tallies import FactTally
from adequa.report.texts import MOST_WORST
from adequa.run import unscored_lines
from adequa.tables import digits_for
from adequa.web.api.engine import ChildProcess, ProcessLost
from adequa.web.api.runs import Record, Runs, open_served
from adequa.web.errors import Refusal, log_failure, refusal_of
from adequa.web.limits import whole_number
from adequa.web.workbench.index import BackgroundTask, Indexes, RunIndex, TextSelection
from adequa.web.workbench.site import WorkbenchSite

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# Chosen for the length of a page, not on data.
PAGE = 50
_MOST_ROWS = 30
_MOST_OPTIONS = 400
_MOST_REPORT_TEXTS = 30_000
"""A report of a larger run shows this many texts, evenly chosen; its numbers cover all."""
_VERDICTS = ("OK", "omission", "hallucination", "hallucination+omission")


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system of a run; a value is a number, its interval or None, and the count not scorable."""

    name: str
    texts: int
    values: tuple[tuple[float | None, tuple[float, float] | None, int], ...]
    verdicts: tuple[tuple[str, int], ...]

    @property
    def judged(self) -> int:
        """The number of texts with a verdict."""
        return sum(count for name, count in self.verdicts if name)


def system_table(
    summary: Mapping[str, Any], manifest: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[SystemRow]]:
    """The metrics and systems of a run's summary.

    As in the report, a metric with a corpus value is shown by it, and all others by the mean.
    """
    by_corpus = {
        label
        for one in summary["systems"].values()
        for label, found in one.get("metrics", {}).items()
        if isinstance(found.get("corpus"), (int, float))
    }
    rows = [
        _row(name, one, manifest["metrics"], by_corpus) for name, one in summary["systems"].items()
    ]
    measures = []
    for place, (label, entry) in enumerate(manifest["metrics"].items()):
        values = [row.values[place] for row in rows]
        ends = [end for value, reach, _ in values for end in (value, *(reach or ()))]
        higher, signature = bool(entry["higher_is_better"]), entry["signature"]
        shown = {"digits": digits_for(ends), "axis": axis(ends), "signature": signature}
        kind = "corpus" if label in by_corpus else "mean"
        measures.append({"name": label, "kind": kind, "higher": higher, **shown})
    return measures, rows


def _row(
    name: str, one: Mapping[str, Any], metrics: Mapping[str, Any], by_corpus: Container[str]
) -> SystemRow:
    values = []
    for label in metrics:
        found = one.get("metrics", {}).get(label, {})
        low, high = found.get("low"), found.get("high")
        reach, value = None, found.get("mean")
        if label in by_corpus:
            value = found.get("corpus")  # a summary has no interval of it
        elif low is not None and high is not None:
            reach = low, high
        values.append((value, reach, found.get("not_scorable", 0)))
    counts, texts = one.get("verdicts", {}), one.get("items", 0)
    verdicts = [(verdict, counts.get(verdict, 0)) for verdict in _VERDICTS]
    verdicts.append(("", texts - sum(count for _, count in verdicts)))
    return SystemRow(name, texts, tuple(values), tuple(verdicts))


def predicate_rows(index: RunIndex) -> tuple[list[tuple[str, FactTally]], int]:
    """Predicates by the number of their faults, and the number left out."""
    faulty = [(name, index.predicates[name]) for name in index.at_fault]
    faulty.sort(key=lambda pair: (-pair[1].missing - pair[1].contradicted, pair[0]))
    return faulty[:_MOST_ROWS], max(0, len(faulty) - _MOST_ROWS)


class Reports:
    """HTML reports, written on request in a process of their own, once per run.

    `folder` is for the reports of runs outside of the server's own folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(1, "report")
        self._lock = threading.Lock()
        self._writing: dict[Path, BackgroundTask[Path]] = {}
        self._children: set[ChildProcess] = set()

    async def get(self, record: Record, *, wait: float = 3.0) -> Path | BackgroundTask[Path]:
        """The report of a run, or its progress if it takes longer than `wait` seconds."""
        path = self._path(record)
        run = await run_in_threadpool(open_served, record.folder)
        if path.is_file() and path.stat().st_mtime >= run.scores_path.stat().st_mtime:
            return path
        with self._lock:
            task = self._writing.get(path)
            if task is None:
                task = self._writing[path] = BackgroundTask()
                task.future = self._pool.submit(self._write, record, path, task)
        return await task.wait(wait)

    def close(self) -> None:
        """End the writing of reports."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in list(self._children):
            child.end()

    def _path(self, record: Record) -> Path:
        if record.opened:
            return self._folder / "reports" / f"{record.id}.html"
        return record.folder.parent / "report.html"

    def _write(self, record: Record, path: Path, task: BackgroundTask[Path]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        child = ChildProcess(_write_report, record.folder, path, record.name, is_background=True)
        self._children.add(child)
        try:
            child.start()
            while isinstance(value := child.receive(), float):
                task.share = value
            if value is not None:
                raise value
            return path
        except ProcessLost:
            raise RunError("the report could not be written: its process died") from None
        finally:
            child.end()
            self._children.discard(child)
            with self._lock:
                self._writing.pop(path, None)


def _write_report(pipe: Connection, folder: Path, path: Path, title: str) -> None:
    """Write a report in a process; sends progress as floats, then an error or None."""
    from adequa.report import write_report

    error: Exception | None = None
    try:
        write_report(
            [folder],
            path,
            title=f"Adequacy of {title}",
            max_items=_MOST_REPORT_TEXTS,
            force=True,
            progress=lambda done, total: pipe.send(float(done / max(1, total))),
        )
    except AdequaError as known:
        error = refusal_of(known)
    except Exception as unknown:  # noqa: BLE001  # for the page; the log has the traceback
        log_failure()
        error = refusal_of(unknown)
    pipe.send(error)


@dataclass(frozen=True)
class RunPages:
    """The pages under `/runs`."""

    site: WorkbenchSite
    runs: Runs
    indexes: Indexes
    reports: Reports

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages."""
        return [
            Route("/runs/{id}", self.overview),
            Route("/runs/{id}/texts", self.texts),
            Route("/runs/{id}/item", self.item),
            Route("/runs/{id}/summary.json", self.summary),
            Route("/runs/{id}/report.html", self.report),
        ]

    async def overview(self, request: Request) -> Response:
        """The tables of a run, or its progress."""
        record = self.runs.get(request.path_params["id"])
        if record.status != "done":
            scripts = ("working.js",)
            return self.site.page(request, "working.html", run=record.object, scripts=scripts)
        await run_in_threadpool(self.runs.finished, record.id)
        index = await self.indexes.get(record.folder)
        if isinstance(index, BackgroundTask):
            return self._reading(request, record, index)
        run = await run_in_threadpool(open_served, record.folder)

        measures, systems = await run_in_threadpool(system_table, run.summary, run.manifest)
        predicates, left_out = predicate_rows(index)
        faulty = await run_in_threadpool(self.indexes.choose, index, TextSelection(verdict="fault"))
        rows = [int(row) for row in faulty.rows[:MOST_WORST]]
        worst = await run_in_threadpool(lambda: [index.line(row) for row in rows])
        return self.site.page(
            request,
            "overview.html",
            here="runs",
            run=record.object,
            manifest=run.manifest,
            measures=measures,
            systems=systems,
            slices=await run_in_threadpool(index.slices.tables, _MOST_ROWS),
            predicates=predicates,
            predicates_left_out=left_out,
            verdicts=_verdict_counts(systems),
            unscored=unscored_lines(run.summary),
            worst=worst,
            readings=await run_in_threadpool(lambda: reading_notes(run.metrics())),
            item_link=_item_link,
            has_confidence=not np.isnan(index.confidence).all(),
            texts_link=_texts_link,
            scripts=("working.js",),
        )

    async def texts(self, request: Request) -> Response:
        """The selected texts, page by page."""
        record = await run_in_threadpool(self.runs.finished, request.path_params["id"])
        index = await self.indexes.get(record.folder)
        if isinstance(index, BackgroundTask):
            return self._reading(request, record, index)
        choice = TextSelection.read(request.query_params)
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
        """One text, beside that of another system if one is selected."""
        record = await run_in_threadpool(self.runs.finished, request.path_params["id"])
        index = await self.indexes.get(record.folder)
        if isinstance(index, BackgroundTask):
            return self._reading(request, record, index)
        query = request.query_params
        system, id_, other = query.get("system", ""), query.get("id", ""), query.get("vs", "")
        row = await run_in_threadpool(index.find, system, id_)
        if row is None:
            message = "there is no such text in this run"
            raise Refusal(404, "no_such_text", message, "go back to the list of texts")
        beside = index.beside(row)
        compared = other if other in beside and other != system else ""
        names = [system, *([compared] if compared else [])]
        rest = [name for name in beside if name not in names]
        lines = await run_in_threadpool(
            lambda: {name: index.line(beside[name]) for name in (*names, *rest)}
        )
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
        """The summary of a run as a file."""
        id_ = request.path_params["id"]
        run = await run_in_threadpool(self.runs.open, id_)
        name = f"summary-{id_}.json"
        return FileResponse(run.summary_path, media_type="application/json", filename=name)

    async def report(self, request: Request) -> Response:
        """The run as one HTML file, written on the first request."""
        record = await run_in_threadpool(self.runs.finished, request.path_params["id"])
        report = await self.reports.get(record)
        if isinstance(report, BackgroundTask):
            heading = "The report is being written"
            words = "The download starts as soon as the report is ready."
            onward = f"/runs/{record.id}"
            return self._waiting(request, report, heading, words, onward=onward, refresh=2)
        # As a download: a page of this server must not contain inline scripts.
        return FileResponse(report, media_type="text/html", filename=f"report-{record.id}.html")

    def _reading(
        self, request: Request, record: Record, reading: BackgroundTask[RunIndex]
    ) -> Response:
        words = "A run is read once before it can be browsed. This page refreshes by itself."
        heading = f"Reading {record.name}"
        return self._waiting(request, reading, heading, words, onward="", refresh=1)

    def _waiting(
        self, request: Request, task: BackgroundTask[Any], heading: str, words: str, **values: Any
    ) -> Response:
        values |= {"heading": heading, "words": words, "share": task.share}
        return self.site.page(request, "waiting.html", scripts=("waiting.js",), **values)


def _verdict_counts(systems: list[SystemRow]) -> dict[str, int]:
    """The number of texts that are judged, have a fault, have each kind of fault, and are OK."""
    counts = Counter({"judged": sum(row.judged for row in systems)})
    for row in systems:
        for verdict, count in row.verdicts:
            if verdict:
                counts["fault"] += count if verdict != "OK" else 0
                counts.update(dict.fromkeys(verdict.split("+"), count))
    return {name: counts[name] for name in ("judged", "fault", "omission", "hallucination", "OK")}


def _cards(index: RunIndex, rows: list[int], compare: str) -> list[list[dict[str, Any]]]:
    """Lines to show, one per text or two side by side."""
    known = compare in index.systems
    others = [index.beside(row).get(compare, row) if known else row for row in rows]
    pairs = zip(rows, others, strict=True)
    return [[index.line(one) for one in dict.fromkeys(pair)] for pair in pairs]


def _options(index: RunIndex) -> dict[str, list[str]]:
    """The options of each filter; the longest lists are cut."""
    sizes = sorted({int(size) for size in index.size})
    return {
        "system": [name for name in index.systems if name],
        "category": sorted(name for name in index.categories if name)[:_MOST_OPTIONS],
        "size": [str(size) for size in sizes],
        "seen": ["seen", "unseen"] if index.seen.any() else [],
        "predicate": sorted(index.at_fault)[:_MOST_OPTIONS],
    }


def _labels(index: RunIndex) -> list[dict[str, Any]]:
    """The metrics with their direction, for the script that formats scores."""
    return [{"name": label, "higher": index.higher[label]} for label in index.labels]


def _item_link(run: str, system: str, id_: str, other: str = "") -> str:
    query = {"system": system, "id": id_, "vs": other}
    return f"/runs/{run}/item?{urlencode({key: value for key, value in query.items() if value})}"


def _texts_link(run: str, **choice: str) -> str:
    return f"/runs/{run}/texts?{TextSelection(**choice).query()}"


def _page_number(request: Request) -> int:
    return max(1, whole_number(request.query_params.get("page", "1")) or 1)
