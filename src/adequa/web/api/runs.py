"""The runs of a server: files scored in the background, each in a folder with a name of our own.

    <folder>/<id>/run.json     the run as clients see it
    <folder>/<id>/input/…      the upload
    <folder>/<id>/scored/…     the run folder

One run is scored at a time, in a process of its own that can be ended and that gives way to the
requests of `/v1/score`.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import sys
import threading
import time
from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from adequa.caches import MEGABYTE, Cache
from adequa.errors import AdequaError, DataError
from adequa.files import file_version, write_json
from adequa.metrics import Metric
from adequa.progress import Progress
from adequa.run import MANIFEST, SCORES, SUMMARY, Run, open_run, read_json
from adequa.tables import one_line
from adequa.web.api.engine import ChildProcess, ProcessLost, ProcessTimeout
from adequa.web.api.openapi import RunInfo, RunProgress
from adequa.web.errors import ErrorBody, Refusal, log_failure, refusal_of
from adequa.web.limits import ServerSettings

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_ID = re.compile(r"[0-9a-f]{16}")
_STATE = "run.json"
_STOPPED = Refusal(
    503, "stopped", "the server stopped before the run was finished", "start it again"
)
_BATCH = 64
"""Items between two reports of progress."""
_RETRY_SECONDS = 5.0
"""Between two attempts to write the state of a run to a disk that was full."""


class RunProcess(ChildProcess):
    """The process that scores one upload."""

    def __init__(
        self,
        file: Path,
        format_: str,
        metrics: Mapping[str, Metric],
        out: Path,
        coverage: str | None = None,
    ) -> None:
        super().__init__(_score_upload, file, format_, metrics, out, coverage, is_background=True)

    def run(self, seconds: float, progress: Progress) -> ErrorBody | None:
        """Score the upload; the error for the client, or None."""
        if not self.start():
            return None
        ends = time.monotonic() + seconds
        try:
            while True:
                kind, value = self.receive(max(0.0, ends - time.monotonic()))
                if kind == "end":
                    return cast("ErrorBody | None", value)
                progress(*value)
        except ProcessTimeout:
            return Refusal(503, "timeout", "the run took too long", "split the file").body
        except ProcessLost:
            remedy = "the file may be too large for the server's memory: split it"
            return Refusal(500, "died", "the scoring process died", remedy).body
        finally:
            self.end()


def _score_upload(
    pipe: Connection,
    file: Path,
    format_: str,
    metrics: Mapping[str, Metric],
    out: Path,
    coverage: str | None,
) -> None:
    """Score an upload in a process; sends progress, then an error or None."""
    from adequa.readers import open_source
    from adequa.run import score_run

    error: ErrorBody | None = None
    try:
        score_run(
            open_source(file, format=format_, coverage=coverage),
            metrics,
            out,
            batch_size=_BATCH,
            progress=lambda done, total: pipe.send(("progress", (done, total))),
        )
    except AdequaError as known:
        error = refusal_of(known, where="the upload").body
    except Exception as unknown:  # noqa: BLE001  # for the client; the log has the traceback
        log_failure()
        error = refusal_of(unknown).body
    pipe.send(("end", error))


@dataclass(eq=False, kw_only=True)
class Record(RunInfo):
    """One run and what only the server knows of it."""

    folder: Path
    """The run folder, as `adequa score --out` writes it."""
    process: RunProcess | None = field(default=None, repr=False)

    def report(self, done: int, total: int) -> None:
        """Set the progress."""
        self.progress = RunProgress(done, total)

    @property
    def object(self) -> dict[str, Any]:
        """The run as clients see it, without any path."""
        info = {one.name: getattr(self, one.name) for one in fields(RunInfo)}
        return asdict(RunInfo(**info))


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
        self.lines = LineIndex()
        self._unkept: set[Record] = set()
        self._records: dict[str, Record] = {}
        self._queue: deque[Record] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._records.update((record.id, record) for record in map(_opened, opened))
        self._find()

    def list(self) -> list[dict[str, Any]]:
        """All runs as clients see them, the newest last."""
        with self._changed:
            return [record.object for record in self._records.values()]

    def get(self, id_: str) -> Record:
        """The run with an id; refused if there is none."""
        record = self._records.get(id_)
        if record is None:
            remedy = "see /v1/runs for the existing runs"
            raise Refusal(404, "no_such_run", "there is no such run", remedy)
        return record

    def finished(self, id_: str) -> Record:
        """The run with an id; refused unless it has scores, and all of them.

        Its files are read once and again when they have changed, so it may take a while.
        """
        record = self.get(id_)
        if record.status != "done":
            message = f"the run is {record.status}, so it has no scores"
            raise Refusal(409, "not_done", message, "wait until its status is done")
        open_served(record.folder)
        return record

    def open(self, id_: str) -> Run:
        """The run with an id, opened; refused unless it has scores and its files are complete."""
        return open_served(self.finished(id_).folder)

    def require_room(self) -> None:
        """Refuse if another run would be too many."""
        with self._changed:
            if len(self._queue) >= self.settings.waiting_runs:
                message = f"{len(self._queue)} runs are waiting already"
                raise Refusal(429, "too_many_waiting", message, "wait for one to end", wait=30)
            if len(self._records) >= self.settings.max_runs:
                message = f"the server keeps at most {self.settings.max_runs} runs"
                raise Refusal(409, "too_many_runs", message, "delete some")

    def begin_upload(self, suffix: str) -> tuple[str, Path]:
        """A new id, and the file to write its upload to."""
        id_ = secrets.token_hex(8)
        file = self.folder / id_ / "input" / f"upload{suffix}"
        try:
            file.parent.mkdir(parents=True)
        except OSError:
            self.drop_upload(id_)
            raise
        return id_, file

    def drop_upload(self, id_: str) -> None:
        """Delete an upload that did not become a run."""
        shutil.rmtree(self.folder / id_, ignore_errors=True)

    def add(
        self,
        id_: str,
        *,
        file: Path,
        name: str,
        format_: str,
        labels: Sequence[str],
        coverage: str | None = None,
    ) -> Record:
        """Queue a run of an upload."""
        # Runs are listed in this order, and two may start within a second.
        created = datetime.now(timezone.utc).isoformat(timespec="microseconds")
        scored = self.folder / id_ / "scored"
        record = Record(
            id=id_, name=name, created=created, format=format_, metrics=list(labels), folder=scored
        )
        metrics = {label: self.metrics[label] for label in labels}
        record.process = RunProcess(file, format_, metrics, scored, coverage)
        with self._changed:
            # Written before it is queued: what was promised to a client survives a restart.
            write_json(self.folder / id_ / _STATE, record.object)
            self._records[id_] = record
            self._queue.append(record)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return record

    def cancel(self, id_: str) -> Record:
        """Stop a run; idempotent, but a run that is over cannot be stopped."""
        record = self.get(id_)
        with self._changed:
            if record.status in ("done", "failed"):
                message = f"the run is {record.status} already"
                raise Refusal(409, "over", message, "delete it if you do not want it")
            if record.status != "cancelled":
                record.status = "cancelled"
                if record in self._queue:
                    self._queue.remove(record)
                self._keep(record)
        if record.process is not None:
            record.process.end()
        return record

    def delete(self, id_: str) -> None:
        """Delete a run with all its files; one that is not over is stopped first."""
        record = self.get(id_)
        if record.opened:
            message = "the run is a folder the server was started with"
            raise Refusal(409, "opened", message, "delete the folder itself")
        if record.status in ("queued", "running"):
            self.cancel(id_)
        with self._changed:
            self._records.pop(id_, None)
            self._unkept.discard(record)
        shutil.rmtree(self.folder / id_, ignore_errors=True)

    def close(self) -> None:
        """Stop the current run; the next server on this folder reports it as stopped."""
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
                again = _RETRY_SECONDS if self._unkept else None
                self._changed.wait_for(lambda: self._queue or self._closed, again)
                if self._closed:
                    return
                for record in list(self._unkept):
                    self._keep(record)
                if not self._queue:
                    continue
                record = self._queue.popleft()
                record.status = "running"
                self._keep(record)
            error = self._score(record)
            with self._changed:
                if record.status == "running" and not self._closed:  # otherwise it was stopped
                    record.status, record.error = "failed" if error else "done", error
                    self._keep(record)
                record.process = None

    def _score(self, record: Record) -> ErrorBody | None:
        """Score a run; whatever goes wrong is the error of this run and not of the queue."""
        process = record.process
        try:
            return (
                None if process is None else process.run(self.settings.run_seconds, record.report)
            )
        except Exception as error:  # noqa: BLE001  # for the client; the log has the traceback
            log_failure()
            return refusal_of(error).body

    def _keep(self, record: Record) -> None:
        """Write the state of a run; if the disk is full it is tried again later."""
        folder = self.folder / record.id
        self._unkept.discard(record)
        try:
            if folder.is_dir():
                write_json(folder / _STATE, record.object)
        except OSError as error:
            self._unkept.add(record)
            sys.stderr.write(f"adequa: the state of a run cannot be written ({error.strerror})\n")

    def _find(self) -> None:
        """Load the runs that an earlier server left in the folder, oldest first."""
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        found = []
        for folder in folders:
            if not _ID.fullmatch(folder.name) or not (folder / _STATE).is_file():
                continue
            try:
                record = _read(folder)
            except (AdequaError, KeyError, TypeError):
                continue  # not ours, or damaged
            if record.status in ("queued", "running"):
                is_done = _is_finished(record.folder)
                record.status, record.error = (
                    ("done", None) if is_done else ("failed", _STOPPED.body)
                )
                self._keep(record)
            found.append(record)
        found.sort(key=lambda record: (record.created, record.id))
        self._records.update((record.id, record) for record in found)


def _read(folder: Path) -> Record:
    raw = read_json(folder / _STATE)
    if raw["status"] == "done":
        open_run(folder / "scored")
    raw["progress"] = RunProgress(**raw["progress"])
    raw["error"] = ErrorBody(**raw["error"]) if raw["error"] else None
    return Record(**raw | {"id": folder.name}, folder=folder / "scored")


def open_served(folder: Path) -> Run:
    """A run that the server has; refused if its files were changed or deleted since."""
    try:
        return open_run(folder)
    except AdequaError as error:
        if not all((folder / name).is_file() for name in (MANIFEST, SCORES, SUMMARY)):
            message = "the files of this run no longer exist"
            raise Refusal(410, "gone", message, "score it again") from None
        sys.stderr.write(f"adequa: {one_line(str(error))}\n")
        message = "the files of this run are damaged or incomplete"
        raise Refusal(410, "damaged", message, "score it again") from None


def _is_finished(folder: Path) -> bool:
    try:
        open_run(folder)
    except AdequaError:
        return False
    return True


def folder_id(folder: Path) -> str:
    """An id for a folder that the server was started with; it does not reveal the path."""
    return hashlib.sha256(str(folder.resolve()).encode(errors="replace")).hexdigest()[:16]


def _opened(run: Run) -> Record:
    total = run.manifest["counts"]["items"]
    return Record(
        id=folder_id(run.path),
        name=run.name,
        created=run.manifest["created"],
        format=run.manifest["inputs"]["reader"],
        metrics=list(run.manifest["metrics"]),
        folder=run.path,
        status="done",
        progress=RunProgress(total, total),
        opened=True,
    )


class LineIndex:
    """The positions of lines in files, cached; safe to use from any thread.

    A page of a long file is read without reading the lines before it.
    """

    def __init__(self, max_bytes: int = 64 * MEGABYTE) -> None:
        # Eight bytes per line: 64 MB are eight million lines.
        self._known: Cache[array[int]] = Cache(max_bytes, lambda starts: 8 * len(starts))

    def _starts(self, path: Path) -> array[int]:
        return self._known.get_or_make(file_version(path), lambda: _starts_of(path))

    def page(self, path: Path, offset: int, limit: int) -> tuple[int, list[bytes]]:
        """The number of lines, and some of them without their line ends."""
        starts = self._starts(path)
        total = len(starts) - 1
        first, last = min(offset, total), min(offset + limit, total)
        if first == last:
            return total, []
        with path.open("rb") as stream:
            stream.seek(starts[first])
            block = stream.read(starts[last] - starts[first])
        return total, block.removesuffix(b"\n").split(b"\n")


def _starts_of(path: Path) -> array[int]:
    starts = array("Q", [0])
    line = b"\n"
    with path.open("rb") as stream:
        for line in stream:
            starts.append(starts[-1] + len(line))
    if not line.endswith(b"\n"):
        raise DataError("ends within a line", path=path, line=len(starts) - 1)
    return starts
