"""Runs that the server scores in the background, each in a folder whose name is ours.

    <folder>/<id>/run.json     what a client is told
    <folder>/<id>/input/…      the upload
    <folder>/<id>/scored/…     the run

One is scored at a time, in a process of its own that can be ended, and that yields to the requests
of `/v1/score`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import threading
import time
import traceback
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.errors import AdequaError
from adequa.files import write_json
from adequa.metrics.base import Metric
from adequa.run import Run, open_run, read_json
from adequa.web.api.scoring import live_with_parent
from adequa.web.api.settings import ServerSettings
from adequa.web.errors import Refusal, refusal_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# ---
# One run in a process of its own: watched while it goes, ended at any moment.
# ---

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
                return Refusal(503, "timeout", "the run took too long", remedy).object
            try:
                kind, value = pipe.recv()
            except (EOFError, OSError):
                remedy = "is the file too large for the server's memory? split it"
                return Refusal(500, "died", "the scoring process died", remedy).object
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


_ID = re.compile(r"[0-9a-f]{16}")
_STATE = "run.json"
_STOPPED = Refusal(503, "stopped", "the server stopped before the run was done", "start it again")


@dataclass(eq=False)
class Record:
    """One run and how far it is."""

    id: str
    name: str
    created: str
    format: str | None
    metrics: tuple[str, ...]
    folder: Path
    """Of the run itself, as `adequa score --out` writes it."""
    status: str = "queued"
    done: int = 0
    total: int | None = None
    error: Mapping[str, Any] | None = None
    opened: bool = False
    process: RunProcess | None = field(default=None, repr=False)

    @property
    def object(self) -> dict[str, Any]:
        """What a client is told: no path."""
        return {
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "created": self.created,
            "format": self.format,
            "metrics": list(self.metrics),
            "progress": {"done": self.done, "total": self.total},
            "error": self.error,
            "opened": self.opened,
        }


class Runs:
    """All runs of a server; safe to use from any thread."""

    def __init__(
        self,
        folder: Path,
        metrics: Mapping[str, Metric],
        settings: ServerSettings,
        opened: Sequence[Run] = (),
    ) -> None:
        self.folder, self.metrics, self.settings = folder, metrics, settings
        self._records: dict[str, Record] = {}
        self._queue: deque[Record] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        for run in opened:
            record = _opened(run)
            self._records[record.id] = record
        self._find()

    def list(self) -> list[dict[str, Any]]:
        """All of them, the newest last."""
        with self._changed:
            return [record.object for record in self._records.values()]

    def get(self, id_: str) -> Record:
        """The run of an id; refused where there is none."""
        record = self._records.get(id_)
        if record is None:
            remedy = "the runs there are stand at /v1/runs"
            raise Refusal(404, "no_such_run", "there is no such run", remedy)
        return record

    def finished(self, id_: str) -> Record:
        """The run of an id, if it has scores to show."""
        record = self.get(id_)
        if record.status != "done":
            message = f"the run is {record.status}, so it has no scores"
            raise Refusal(409, "not_done", message, "look at its status first")
        return record

    def check_room(self) -> None:
        """Refuse where another run would be too many."""
        with self._changed:
            if len(self._queue) >= self.settings.waiting_runs:
                message = f"{len(self._queue)} runs are waiting already"
                raise Refusal(429, "too_many_waiting", message, "wait for one to end", wait=30)
            if len(self._records) >= self.settings.max_runs:
                message = f"the server keeps {self.settings.max_runs} runs at most"
                raise Refusal(409, "too_many_runs", message, "delete some")

    def begin_upload(self, suffix: str) -> tuple[str, Path]:
        """A new id, and the file that its upload is to be written to."""
        id_ = secrets.token_hex(8)
        file = self.folder / id_ / "input" / f"upload{suffix}"
        file.parent.mkdir(parents=True)
        return id_, file

    def drop_upload(self, id_: str) -> None:
        """Forget an upload that did not become a run."""
        shutil.rmtree(self.folder / id_, ignore_errors=True)

    def add(self, id_: str, file: Path, name: str, format_: str, labels: Sequence[str]) -> Record:
        """A run of an upload, to be scored when its turn comes."""
        # Runs are listed in this order, and two may begin within a second.
        created = datetime.now(timezone.utc).isoformat(timespec="microseconds")
        scored = self.folder / id_ / "scored"
        record = Record(id_, name, created, format_, tuple(labels), scored)
        metrics = {label: self.metrics[label] for label in labels}
        record.process = RunProcess(file, format_, metrics, scored)
        with self._changed:
            self._records[id_] = record
            self._queue.append(record)
            self._keep(record)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return record

    def cancel(self, id_: str) -> Record:
        """Stop a run; once more is no harm, and what is over cannot be stopped."""
        record = self.get(id_)
        with self._changed:
            if record.status in ("done", "failed"):
                message = f"the run is {record.status} already"
                raise Refusal(409, "over", message, "delete it if it is not wanted")
            if record.status != "cancelled":
                record.status = "cancelled"
                if record in self._queue:
                    self._queue.remove(record)
                self._keep(record)
        if record.process is not None:
            record.process.end()
        return record

    def delete(self, id_: str) -> None:
        """Stop a run if it is not over, and delete it with all its files."""
        record = self.get(id_)
        if record.opened:
            message = "the run is a folder that the server was started with"
            raise Refusal(409, "opened", message, "delete the folder where it lies")
        if record.status in ("queued", "running"):
            self.cancel(id_)
        with self._changed:
            self._records.pop(id_, None)
        shutil.rmtree(self.folder / id_, ignore_errors=True)

    def close(self) -> None:
        """Stop what runs; it is told so by the next server on this folder."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            processes = [record.process for record in self._records.values() if record.process]
        for process in processes:
            process.end()
        if self._thread is not None:
            self._thread.join(10)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if self._closed:
                    return
                record = self._queue.popleft()
                record.status = "running"
                self._keep(record)
            self._end(record, self._score(record))

    def _score(self, record: Record) -> Mapping[str, Any] | None:
        assert record.process is not None  # noqa: S101  # for the type checker

        def progress(done: int, total: int) -> None:
            record.done, record.total = done, total

        return record.process.run(self.settings.run_seconds, progress)

    def _end(self, record: Record, error: Mapping[str, Any] | None) -> None:
        with self._changed:
            if record.status == "running" and not self._closed:  # else it was stopped
                record.status = "failed" if error else "done"
                record.error = error
                self._keep(record)
            record.process = None

    def _keep(self, record: Record) -> None:
        folder = self.folder / record.id
        if folder.is_dir():
            write_json(folder / _STATE, record.object)

    def _find(self) -> None:
        """The runs that an earlier server left in the folder, oldest first."""
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        found = []
        for folder in folders:
            if not _ID.fullmatch(folder.name) or not (folder / _STATE).is_file():
                continue
            try:
                record = _read(folder)
            except (AdequaError, KeyError, TypeError):
                continue  # not ours, or damaged: nothing of it can be shown
            if record.status in ("queued", "running"):
                record.status, record.error = "failed", _STOPPED.object
                self._keep(record)
            found.append(record)
        found.sort(key=lambda record: (record.created, record.id))
        self._records.update((record.id, record) for record in found)


def _read(folder: Path) -> Record:
    raw = read_json(folder / _STATE)
    if raw["status"] == "done":
        open_run(folder / "scored")
    progress = raw["progress"]
    return Record(
        folder.name,
        str(raw["name"]),
        str(raw["created"]),
        raw["format"],
        tuple(raw["metrics"]),
        folder / "scored",
        raw["status"],
        progress["done"],
        progress["total"],
        raw["error"],
    )


def _opened(run: Run) -> Record:
    id_ = hashlib.sha256(str(run.path.resolve()).encode(errors="replace")).hexdigest()[:16]
    total = run.manifest["counts"]["items"]
    metrics = tuple(run.manifest["metrics"])
    format_ = run.manifest["inputs"]["reader"]
    created = run.manifest["created"]
    return Record(
        id_, run.name, created, format_, metrics, run.path, "done", total, total, opened=True
    )


# ---
# Some lines of a long file, without reading those before them each time.
# ---


class LineIndex:
    """Remembers where the lines of the files last asked for begin; safe from any thread."""

    def __init__(self, most_files: int = 8) -> None:
        self._known: OrderedDict[tuple[str, int, int], array[int]] = OrderedDict()
        self._lock = threading.Lock()
        self._most = most_files

    def page(self, path: Path, offset: int, limit: int) -> tuple[int, list[bytes]]:
        """How many lines there are, and some of them without their line ends."""
        starts = self._starts(path)
        total = len(starts) - 1
        first, last = min(offset, total), min(offset + limit, total)
        if first == last:
            return total, []
        with path.open("rb") as stream:
            stream.seek(starts[first])
            block = stream.read(starts[last] - starts[first])
        return total, block.removesuffix(b"\n").split(b"\n")

    def _starts(self, path: Path) -> array[int]:
        status = path.stat()
        key = (str(path), status.st_size, status.st_mtime_ns)
        with self._lock:
            if key not in self._known:
                self._known[key] = _starts_of(path)
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
            return self._known[key]


def _starts_of(path: Path) -> array[int]:
    starts = array("Q", [0])
    with path.open("rb") as stream:
        for line in stream:
            starts.append(starts[-1] + len(line))
    return starts
