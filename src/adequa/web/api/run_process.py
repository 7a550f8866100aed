"""One run in a process of its own: watched while it goes, ended at any moment."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.errors import AdequaError
from adequa.metrics.base import Metric
from adequa.web.api.errors import Refused, refusal_of
from adequa.web.api.workers import live_with_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["RunProcess"]

_BATCH = 64
"""Items between two signs of progress."""


class RunProcess:
    """An upload to be scored."""

    def __init__(self, file: Path, format_: str, metrics: Mapping[str, Metric], out: Path) -> None:
        self._plan = (file, format_, metrics, out)
        self._lock = threading.Lock()
        self._process: Any = None
        self._ended = False

    def run(self, seconds: float, progress: Callable[[int, int], None]) -> Mapping[str, Any] | None:
        """Score it; what went wrong, as a client is told, or None."""
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        with self._lock:
            if self._ended:
                return None
            process = context.Process(target=_score, args=(theirs, *self._plan), daemon=True)
            process.start()
            self._process = process
        theirs.close()
        try:
            return self._watch(ours, time.monotonic() + seconds, progress)
        finally:
            ours.close()
            self.end()
            process.join()

    def end(self) -> None:
        """End it, or see that it does not begin."""
        with self._lock:
            self._ended = True
            if self._process is not None and self._process.is_alive():
                self._process.kill()
                self._process.join(5)

    def _watch(
        self, pipe: Connection, ends: float, progress: Callable[[int, int], None]
    ) -> Mapping[str, Any] | None:
        while True:
            if not pipe.poll(max(0.0, ends - time.monotonic())):
                remedy = "split the file"
                return Refused(503, "timeout", "the run took too long", remedy).object
            try:
                kind, value = pipe.recv()
            except (EOFError, OSError):
                remedy = "is the file too large for the server's memory? split it"
                return Refused(500, "died", "the scoring process died", remedy).object
            if kind == "progress":
                progress(*value)
            else:
                error: Mapping[str, Any] | None = value
                return error


def _score(
    pipe: Connection, file: Path, format_: str, metrics: Mapping[str, Metric], out: Path
) -> None:
    """What the process does."""
    from adequa.readers import open_source
    from adequa.run import score_run

    live_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)  # requests that somebody waits for go first
    error: Mapping[str, Any] | None = None
    try:
        score_run(
            open_source(file, format=format_),
            metrics,
            out,
            batch_size=_BATCH,
            progress=lambda done, total: pipe.send(("progress", (done, total))),
        )
    except AdequaError as known:
        error = refusal_of(known, where="the upload").object
    except Exception as unknown:  # noqa: BLE001  # a client is told, the log has the traceback
        traceback.print_exc()
        error = refusal_of(unknown).object
    pipe.send(("end", error))
