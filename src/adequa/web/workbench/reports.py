"""HTML reports of runs, written on request in a process of their own, once for each run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.errors import AdequaError, RunError
from adequa.run import SCORES
from adequa.web.api.runs import Record
from adequa.web.api.scoring import live_with_parent
from adequa.web.errors import refusal_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_MOST_TEXTS = 30_000
"""Of a larger run the file shows that many, evenly chosen; its numbers are of all."""


@dataclass
class ReportTask:
    """A report that is being written."""

    share: float = 0.0
    future: Future[Path] | None = None


class Reports:
    """The reports of one server; `folder` is for those of runs that lie elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(1, "report")
        self._lock = threading.Lock()
        self._writing: dict[Path, ReportTask] = {}
        self._processes: list[Any] = []

    async def get(self, record: Record, *, wait: float = 3.0) -> Path | ReportTask:
        """The report of a run, or how far it is where it takes longer than `wait` seconds."""
        path = self._path(record)
        if path.is_file() and path.stat().st_mtime >= (record.folder / SCORES).stat().st_mtime:
            return path
        with self._lock:
            writing = self._writing.get(path)
            if writing is None:
                writing = self._writing[path] = ReportTask()
                writing.future = self._pool.submit(self._write, record, path, writing)
        assert writing.future is not None  # noqa: S101  # for the type checker
        await asyncio.wait([asyncio.wrap_future(writing.future)], timeout=wait)
        return writing.future.result() if writing.future.done() else writing

    def close(self) -> None:
        """End what is being written."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()

    def _path(self, record: Record) -> Path:
        if record.opened:
            return self._folder / "reports" / f"{record.id}.html"
        return record.folder.parent / "report.html"

    def _write(self, record: Record, path: Path, writing: ReportTask) -> Path:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        process = context.Process(
            target=_work, args=(theirs, record.folder, path, record.name), daemon=True
        )
        process.start()
        self._processes.append(process)
        theirs.close()
        try:
            while True:
                kind, value = ours.recv()
                if kind == "share":
                    writing.share = value
                elif value is None:
                    return path
                else:
                    raise value
        except (EOFError, OSError):
            raise RunError("the report could not be written: its process died") from None
        finally:
            ours.close()
            process.kill()
            process.join()
            self._processes.remove(process)
            with self._lock:
                self._writing.pop(path, None)


def _work(pipe: Connection, folder: Path, path: Path, title: str) -> None:
    """What the process does."""
    from adequa.report import write_report

    live_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)  # requests that somebody waits for go first
    error: Exception | None = None
    try:
        write_report(
            [folder],
            path,
            title=f"Adequacy of {title}",
            max_items=_MOST_TEXTS,
            force=True,
            progress=lambda done, total: pipe.send(("share", done / max(1, total))),
        )
    except AdequaError as known:
        error = known
    except Exception as unknown:  # noqa: BLE001  # the page is told, the log has the traceback
        traceback.print_exc()
        error = refusal_of(unknown)
    pipe.send(("end", error))
