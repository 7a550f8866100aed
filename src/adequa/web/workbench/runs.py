"""The pages of runs: a run in tables, its texts page by page, one text, and what to download."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from adequa.report import SEEN, Axis, axis, digits_for
from adequa.run import open_run
from adequa.run.folder import SUMMARY
from adequa.web.api.runs import Record, Runs
from adequa.web.errors import Refusal
from adequa.web.workbench.index import (
    FactCounts,
    Indexes,
    IndexProgress,
    Numbers,
    RunIndex,
    TextSelection,
)
from adequa.web.workbench.pages import WorkbenchSite
from adequa.web.workbench.reports import Reports, ReportTask

# ---
# A run in tables: its systems, and its texts by category, size, seen and predicate.
# ---

_MOST_ROWS = 30
_VERDICTS = ("OK", "omission", "hallucination", "hallucination+omission")


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system of a run; values are mean, half of the interval's width or None, not scorable."""

    name: str
    texts: int
    values: tuple[tuple[float | None, tuple[float, float] | None, int], ...]
    verdicts: tuple[tuple[str, int], ...]

    @property
    def judged(self) -> int:
        """Texts with a verdict."""
        return sum(count for name, count in self.verdicts if name)


def system_table(
    summary: Mapping[str, Any], manifest: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[SystemRow]]:
    """Metrics and systems, from what the run itself sums up."""
    rows = [_row(name, one, manifest["metrics"]) for name, one in summary["systems"].items()]
    measures = []
    for place, (label, entry) in enumerate(manifest["metrics"].items()):
        ends = [end for row in rows for end in _ends(row.values[place])]
        scale: Axis = axis(ends)
        measures.append(
            {
                "name": label,
                "higher": bool(entry["higher_is_better"]),
                "digits": digits_for(ends),
                "axis": scale,
                "signature": entry["signature"],
            }
        )
    return measures, rows


def _row(name: str, one: Mapping[str, Any], metrics: Mapping[str, Any]) -> SystemRow:
    values = []
    for label in metrics:
        found = one.get("metrics", {}).get(label, {})
        low, high = found.get("low"), found.get("high")
        reach = None if low is None or high is None else (low, high)
        values.append((found.get("mean"), reach, found.get("not_scorable", 0)))
    counts, texts = one.get("verdicts", {}), one.get("items", 0)
    verdicts = [(verdict, counts.get(verdict, 0)) for verdict in _VERDICTS]
    verdicts.append(("", texts - sum(count for _, count in verdicts)))
    return SystemRow(name, texts, tuple(values), tuple(verdicts))


def _ends(value: tuple[float | None, tuple[float, float] | None, int]) -> list[float | None]:
    return [value[0], *(value[1] or ())]


@dataclass(frozen=True, slots=True)
class RunSlice:
    """The texts of one category, size or kind, of all systems."""

    value: str
    texts: int
    judged: int
    not_ok: int
    omission: int
    hallucination: int
    means: tuple[float | None, ...]


def slice_tables(index: RunIndex) -> list[tuple[str, list[RunSlice], int]]:
    """By dimension: its slices, the largest ones if they are many, and how many were left out."""
    sizes = np.unique(index.size)
    dimensions: list[tuple[str, Numbers, Sequence[str]]] = [
        ("category", index.category, index.categories),
        ("size", np.searchsorted(sizes, index.size), [str(size) for size in sizes]),
        ("seen", index.seen, [name or "" for name in SEEN]),
    ]
    tables = []
    for name, codes, values in dimensions:
        slices = [one for one in _slices(index, codes, values) if one.value and one.texts]
        if len(slices) > 1:
            largest = sorted(slices, key=lambda one: -one.texts)[:_MOST_ROWS]
            shown = [one for one in slices if one in largest]
            if name == "category":
                shown.sort(key=lambda one: one.value)
            tables.append((name, shown, len(slices) - len(shown)))
    return tables


def _slices(index: RunIndex, codes: Numbers, values: Sequence[str]) -> list[RunSlice]:
    def counts(mask: Numbers) -> list[int]:
        return [int(one) for one in np.bincount(codes[mask], minlength=len(values))]

    verdict = index.verdict
    columns = [
        counts(np.ones(index.count, dtype=bool)),
        counts(verdict > 0),
        counts(verdict > 1),
        counts((verdict == 2) | (verdict == 4)),
        counts(verdict >= 3),
    ]
    means = [_means(index.scores[label], codes, len(values)) for label in index.labels]
    each = zip(values, *columns, *means, strict=True)
    return [
        RunSlice(value, texts, judged, not_ok, omission, hallucination, tuple(found))
        for value, texts, judged, not_ok, omission, hallucination, *found in each
    ]


def _means(scores: Numbers, codes: Numbers, count: int) -> list[float | None]:
    known = ~np.isnan(scores)
    totals = np.bincount(codes[known], weights=scores[known], minlength=count)
    counts = np.bincount(codes[known], minlength=count)
    return [
        float(total / many) if many else None for total, many in zip(totals, counts, strict=True)
    ]


def predicate_rows(index: RunIndex) -> tuple[list[tuple[str, FactCounts]], int]:
    """Predicates by how often they are at fault, and how many were left out."""
    faulty = [
        (name, counts)
        for name, counts in index.predicates.items()
        if counts.missing or counts.contradicted
    ]
    faulty.sort(key=lambda pair: (-pair[1].missing - pair[1].contradicted, pair[0]))
    return faulty[:_MOST_ROWS], max(0, len(faulty) - _MOST_ROWS)


PAGE = 50
_MOST_OPTIONS = 400
_NO_TEXT = "there is no such text in this run"


@dataclass(frozen=True)
class RunPages:
    """Everything below `/runs`."""

    site: WorkbenchSite
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
        if isinstance(index, IndexProgress):
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
        if isinstance(index, IndexProgress):
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
        """One text, beside that of another system if one was chosen."""
        record = self.runs.finished(request.path_params["id"])
        index = await self.indexes.get(record.folder)
        if isinstance(index, IndexProgress):
            return self._reading(request, record, index)
        query = request.query_params
        system, id_, other = query.get("system", ""), query.get("id", ""), query.get("vs", "")
        row = await run_in_threadpool(index.find, system, id_)
        if row is None:
            raise Refusal(404, "no_such_text", _NO_TEXT, "go back to the list of its texts")
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
        if isinstance(report, ReportTask):
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

    def _reading(self, request: Request, record: Record, reading: IndexProgress) -> Response:
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
    return f"/runs/{run}/texts?{TextSelection(**choice).query()}"


def _page_number(request: Request) -> int:
    given = request.query_params.get("page", "1")
    return max(1, int(given)) if given.isascii() and given.isdecimal() and len(given) < 9 else 1
