"""Requests of many clients, gathered into batches for a few workers.

A thread a worker takes from one queue whatever waits there, so a lone request starts at once and
batches form by themselves when there is more to do than workers. Requests take turns within a
batch, so a long one does not hold up the short ones behind it. What fails or is too slow is tried
again request by request, so nobody's request fails for another's.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from adequa.codec import result_to_object
from adequa.data import Item, Triple
from adequa.errors import AdequaError, ModelError
from adequa.metrics.base import Metric
from adequa.run import score_items
from adequa.strict_json import dump_line
from adequa.web.errors import Refusal

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# ---
# Where items are scored: a process of its own, which may die or hang without harm to the server.
#
# A worker gives the lines of `scores.jsonl`, so that the server's process has nothing left to do
# but to send them on.
# ---

_WARM = Item("1", (Triple("Blue_Spice", "eatType", "pub"),), "Blue Spice is a pub in Cambridge.")
_START_SECONDS = 300.0


class WorkerLost(Exception):
    """A worker died, or was ended because it took too long."""


class Worker(Protocol):
    """Scores batches, one at a time."""

    def start(self) -> None:
        """Be ready to score at full speed; what cannot be loaded is raised here."""

    def score(self, items: Sequence[Item], labels: Sequence[str], seconds: float) -> list[bytes]:
        """A line an item; raises WorkerLost where it takes longer."""

    def close(self) -> None:
        """Let go of everything."""


def lines_of(
    items: Sequence[Item], metrics: Mapping[str, Metric], labels: Sequence[str]
) -> list[bytes]:
    """The lines of a run for items, without their line ends."""
    results = score_items(items, {label: metrics[label] for label in labels})
    return [dump_line(result_to_object(result))[:-1].encode() for result in results]


class InThread:
    """Scores in the calling thread: for metrics that no other process could load. Never ended."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics

    def start(self) -> None:
        """Load what the metrics load late."""
        lines_of([_WARM], self.metrics, list(self.metrics))

    def score(self, items: Sequence[Item], labels: Sequence[str], seconds: float) -> list[bytes]:
        """A line an item, however long it takes."""
        del seconds
        return lines_of(items, self.metrics, labels)

    def close(self) -> None:
        """Nothing is held."""


class InProcess:
    """Scores in a process of its own, which is started anew where it was lost."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics
        self._process: Any = None
        self._pipe: Connection | None = None

    def start(self) -> None:
        """Start the process and wait until its models are loaded."""
        self._answer(self._started(), _START_SECONDS)

    def score(self, items: Sequence[Item], labels: Sequence[str], seconds: float) -> list[bytes]:
        """A line an item; the process is ended where it takes longer."""
        if self._pipe is None:
            self.start()
        pipe = self._pipe
        assert pipe is not None  # noqa: S101  # for the type checker
        try:
            pipe.send((items, labels))
        except OSError:
            self.close()
            raise WorkerLost("the worker process had died") from None
        lines: list[bytes] = self._answer(pipe, seconds)
        return lines

    def close(self) -> None:
        """End the process."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _started(self) -> Connection:
        import multiprocessing

        # Spawned, not forked: the same on every system, and safe with threads.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, self.metrics), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe

    def _answer(self, pipe: Connection, seconds: float) -> Any:
        try:
            if not pipe.poll(seconds):
                self.close()
                raise WorkerLost(f"scoring took longer than {seconds:g} seconds")
            kind, value = pipe.recv()
        except (OSError, EOFError):
            self.close()
            raise WorkerLost("the worker process died") from None
        if kind == "error":
            raise value
        return value


def _work(pipe: Connection, metrics: Mapping[str, Metric]) -> None:
    """What the process does: batches in, lines out, until the server closes the pipe."""
    live_with_parent()
    items: Sequence[Item] = [_WARM]
    labels: Sequence[str] = list(metrics)
    while True:
        pipe.send(_said(items, metrics, labels))
        try:
            items, labels = pipe.recv()
        except (EOFError, OSError):
            return


def _said(
    items: Sequence[Item], metrics: Mapping[str, Metric], labels: Sequence[str]
) -> tuple[str, Any]:
    try:
        return "lines", lines_of(items, metrics, labels)
    except AdequaError as error:
        sys.stderr.write(f"adequa: {error}\n")
        return "error", error
    except Exception as error:  # noqa: BLE001  # a fault in a metric must not take the server along
        traceback.print_exc()
        return "error", ModelError(f"a metric failed with {type(error).__name__}")


def live_with_parent() -> None:
    """For a child: end when the server ends, however it ends, and leave Ctrl-C to the server."""
    import multiprocessing

    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_SHARE = 4
"""Items a request may put into a batch before the next one's turn."""
_SMOOTHING = 0.1


@dataclass(eq=False)
class _Request:
    items: Sequence[Item]
    labels: tuple[str, ...]
    future: Future[list[bytes]]
    lines: list[bytes] = field(default_factory=list)
    taken: int = 0
    missing: int = 0

    def __post_init__(self) -> None:
        self.lines = [b""] * len(self.items)
        self.missing = len(self.items)


_Part = tuple[_Request, int]
"""One item: whose, and which of them."""


class ScoringEngine:
    """The metrics of a server, behind a bounded queue; safe to use from any thread."""

    def __init__(
        self,
        metrics: Mapping[str, Metric],
        *,
        workers: int = 1,
        make: Callable[[Mapping[str, Metric]], Worker] = InProcess,
        waiting: int = 512,
        batch: int = 16,
        seconds: float = 60.0,
    ) -> None:
        self.metrics = dict(metrics)
        self.room, self.batch, self.seconds = waiting, batch, seconds
        self._workers = [make(self.metrics) for _ in range(workers)]
        self._threads: list[threading.Thread] = []
        self._queue: deque[_Request] = deque()
        self._changed = threading.Condition()
        self._waiting = 0
        self._idle = 0
        self._closed = False
        self._pace = 0.05  # seconds an item, of one worker

    @property
    def workers(self) -> int:
        """How many batches are scored at once."""
        return len(self._workers)

    @property
    def waiting(self) -> int:
        """Items that no worker has taken yet."""
        return self._waiting

    @property
    def wait(self) -> float:
        """Seconds, about, until what waits now is done."""
        return self._waiting * self._pace / len(self._workers)

    @property
    def is_full(self) -> bool:
        """Whether not even one more item may wait."""
        return self._waiting >= self.room

    def start(self) -> None:
        """Load the metrics in every worker, and raise what cannot be loaded."""
        failures: list[Exception] = []

        def load(worker: Worker) -> None:
            try:
                worker.start()
            except WorkerLost as error:
                remedy = "is there memory for so many --jobs?"
                failures.append(ModelError(f"the metrics cannot be loaded: {error}; {remedy}"))
            except AdequaError as error:
                failures.append(error)

        loading = [threading.Thread(target=load, args=(worker,)) for worker in self._workers]
        for thread in loading:
            thread.start()
        for thread in loading:
            thread.join()
        if failures:
            self.close()
            raise failures[0]
        for worker in self._workers:
            thread = threading.Thread(target=self._drive, args=(worker,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def submit(self, items: Sequence[Item], labels: Sequence[str]) -> Future[list[bytes]]:
        """A line an item, later; cancel the future to give up on it. Refused where it is full."""
        request = _Request(items, tuple(labels), Future())
        with self._changed:
            if self._closed:
                raise Refusal(503, "stopping", "the server is stopping", "try again later", wait=5)
            if self._waiting and self._waiting + len(items) > self.room:
                raise self.full()
            self._queue.append(request)
            self._waiting += len(items)
            self._changed.notify(len(items))
        request.future.add_done_callback(lambda _: self._forget(request))
        return request.future

    def full(self) -> Refusal:
        """What is said to a request for which there is no room."""
        return Refusal(
            503,
            "busy",
            f"{self._waiting} items are waiting already",
            "wait as long as Retry-After says and send it again",
            wait=max(1.0, self.wait),
        )

    def close(self) -> None:
        """Stop; what still waits is refused."""
        with self._changed:
            self._closed = True
            left = list(self._queue)
            self._changed.notify_all()
        for request in left:
            stopping = Refusal(503, "stopping", "the server is stopping", "try again later", wait=5)
            _fail(request, stopping)
        for worker in self._workers:
            worker.close()
        for thread in self._threads:
            thread.join(5)

    def _forget(self, request: _Request) -> None:
        """Done, failed or given up: nothing of it waits any longer."""
        with self._changed:
            if request in self._queue:
                self._queue.remove(request)
                self._waiting -= len(request.items) - request.taken

    def _drive(self, worker: Worker) -> None:
        while batch := self._take():
            try:
                self._score(worker, batch)
            except Exception as error:  # noqa: BLE001  # a fault of ours must not stop the others
                traceback.print_exc()
                for request, _ in batch:
                    _fail(request, error)

    def _take(self) -> list[_Part]:
        """The next batch, all of the same metrics; waits for one, and is empty at the end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._queue or self._closed)
            idle, self._idle = self._idle, self._idle - 1
            if self._closed:
                return []
            # What waits is shared among those who have nothing to do.
            wanted = min(self.batch, -(-self._waiting // idle))
            labels = self._queue[0].labels
            parts: list[_Part] = []
            others: list[_Request] = []
            while self._queue and len(parts) < wanted:
                request = self._queue.popleft()
                if request.labels != labels:
                    others.append(request)
                    continue
                end = min(len(request.items), request.taken + min(_SHARE, wanted - len(parts)))
                parts += [(request, place) for place in range(request.taken, end)]
                request.taken = end
                if end < len(request.items):
                    self._queue.append(request)
            self._queue.extendleft(reversed(others))
            self._waiting -= len(parts)
            return parts

    def _score(self, worker: Worker, batch: list[_Part]) -> None:
        requests = list(dict.fromkeys(request for request, _ in batch))
        alone = len(requests) == 1
        items = [request.items[place] for request, place in batch]
        started = time.perf_counter()
        try:
            # In company a slow one is ended sooner: then each gets all the time there is, alone.
            seconds = self.seconds if alone else self.seconds / 4
            lines = worker.score(items, requests[0].labels, seconds)
        except (AdequaError, WorkerLost) as error:
            if self._closed:
                return
            if alone:
                sys.stderr.write(f"adequa: a request failed: {error}\n")
                _fail(requests[0], _told(error))
                return
            for request in requests:
                if not request.future.done():
                    self._score(worker, [part for part in batch if part[0] is request])
            return
        pace = (time.perf_counter() - started) / len(batch)
        self._pace += _SMOOTHING * (pace - self._pace)
        for (request, place), line in zip(batch, lines, strict=True):
            self._give(request, place, line)

    def _give(self, request: _Request, place: int, line: bytes) -> None:
        with self._changed:
            request.lines[place] = line
            request.missing -= 1
            is_whole = not request.missing
        if is_whole:
            with contextlib.suppress(InvalidStateError):  # given up meanwhile
                request.future.set_result(request.lines)


def _told(error: Exception) -> Exception:
    if not isinstance(error, WorkerLost):
        return error
    remedy = "send fewer or shorter items, or start a run"
    return Refusal(503, "timeout", str(error), remedy, wait=1)


def _fail(request: _Request, error: Exception) -> None:
    with contextlib.suppress(InvalidStateError):
        request.future.set_exception(error)
