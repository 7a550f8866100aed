"""The scoring engine: requests of many clients, gathered into batches for a few workers.

One thread per worker takes from a shared queue whatever waits there, so a lone request starts at
once and batches form by themselves when there is more to do than workers. Requests take turns
within a batch, so a long one does not hold up the short ones behind it. A batch that fails or is
too slow is tried again request by request, so no request fails because of another.

A worker is a process of its own, which may die or hang without harm to the server. It returns the
lines of `scores.jsonl`, so that the server's process only has to send them on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from adequa.codec import result_to_object
from adequa.data import Item, Triple
from adequa.errors import AdequaError, ModelError
from adequa.files import dump_line
from adequa.metrics import Metric
from adequa.run import end_with_parent, score_items
from adequa.tables import one_line
from adequa.web.errors import Refusal, log_failure

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class ProcessLost(Exception):
    """A child process died."""


class ProcessTimeout(ProcessLost):
    """A child process did not answer in time."""


class ChildProcess:
    """Runs `target(pipe, *args)` in a process of its own; safe to end from any thread."""

    def __init__(
        self, target: Callable[..., None], *args: Any, is_background: bool = False
    ) -> None:
        self._plan = (target, args, is_background)
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._is_ended = False

    def start(self) -> bool:
        """Start the process; False if it was ended before it began."""
        import multiprocessing

        # Spawned, not forked: the same on every system, and safe with threads.
        context = multiprocessing.get_context("spawn")
        with self._lock:
            if self._is_ended:
                return False
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_run, args=(theirs, *self._plan), daemon=True)
            self._process.start()
            theirs.close()
        return True

    def send(self, value: Any) -> None:
        """Send the process a value; a ProcessLost if it has died."""
        try:
            self._connection.send(value)
        except OSError:
            raise ProcessLost("the process had died") from None

    def receive(self, seconds: float | None = None) -> Any:
        """The next value the process sends, waited for at most `seconds`."""
        try:
            if not self._connection.poll(seconds):
                raise ProcessTimeout(f"scoring took longer than {seconds:g} seconds")
            return self._connection.recv()
        except (EOFError, OSError):
            raise ProcessLost("the process died") from None

    def end(self) -> None:
        """Kill the process, or keep it from starting."""
        with self._lock:
            self._is_ended = True
            if self._process is not None and self._process.is_alive():
                self._process.kill()
                self._process.join(5)

    @property
    def _connection(self) -> Connection:
        if self._pipe is None:
            raise ProcessLost("the process was not started")
        return self._pipe


def _run(
    pipe: Connection, target: Callable[..., None], args: tuple[Any, ...], is_background: bool
) -> None:
    """The child: ends when the server ends, however that happens, and leaves Ctrl-C to it."""
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    if is_background:
        with contextlib.suppress(OSError, AttributeError):
            os.nice(5)  # requests that somebody is waiting for go first
    target(pipe, *args)


_WARM = Item("1", (Triple("Blue_Spice", "eatType", "pub"),), "Blue Spice is a pub in Cambridge.")
_START_SECONDS = 300.0
_SHARE = 4
"""Items that a request may add to a batch before the next request's turn; not measured on data."""
_SMOOTHING = 0.1
"""Weight of the last batch in the mean seconds per item, which only feeds Retry-After."""


class Worker(Protocol):
    """Scores batches, one at a time."""

    def start(self) -> None:
        """Load the metrics, and raise what cannot be loaded."""

    def score(self, items: Sequence[Item], labels: Sequence[str], seconds: float) -> list[bytes]:
        """One line per item; raises ProcessLost if it takes longer."""

    def close(self) -> None:
        """Release everything."""


class InProcess:
    """A worker in a process of its own, which is started again if it was lost."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics
        self._child: ChildProcess | None = None

    def start(self) -> None:
        """Start the process and wait until its metrics are loaded."""
        child = self._child = ChildProcess(_serve, self.metrics)
        child.start()
        self._receive(child, _START_SECONDS)

    def score(self, items: Sequence[Item], labels: Sequence[str], seconds: float) -> list[bytes]:
        """One line per item; the process is ended if it takes longer."""
        if self._child is None:
            self.start()
        child = self._child
        if child is None:
            raise ProcessLost("the worker was closed")
        try:
            child.send((items, labels))
        except ProcessLost:
            self.close()
            raise
        lines: list[bytes] = self._receive(child, seconds)
        return lines

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _receive(self, child: ChildProcess, seconds: float) -> Any:
        try:
            value = child.receive(seconds)
        except ProcessLost:
            self.close()
            raise
        if isinstance(value, Exception):
            raise value
        return value


def scored_lines(
    items: Sequence[Item], metrics: Mapping[str, Metric], labels: Sequence[str]
) -> list[bytes]:
    """The lines of a run for items, without their line ends."""
    results = score_items(items, {label: metrics[label] for label in labels})
    return [dump_line(result_to_object(result))[:-1].encode() for result in results]


def _serve(pipe: Connection, metrics: Mapping[str, Metric]) -> None:
    """The worker process: batches in, lines or an error out, until the server closes the pipe."""
    items: Sequence[Item] = [_WARM]
    labels: Sequence[str] = list(metrics)
    while True:
        answer: Any
        try:
            answer = scored_lines(items, metrics, labels)
        except AdequaError as error:
            sys.stderr.write(f"adequa: {one_line(str(error))}\n")
            answer = error
        except Exception as error:  # noqa: BLE001  # a broken metric must not end the worker
            log_failure()
            answer = ModelError(f"a metric failed with {type(error).__name__}")
        pipe.send(answer)
        try:
            items, labels = pipe.recv()
        except (EOFError, OSError):
            return


@dataclass(eq=False)
class _Request:
    items: Sequence[Item]
    labels: tuple[str, ...]
    future: Future[list[bytes]]
    lines: dict[int, bytes] = field(default_factory=dict)
    """The lines delivered so far, by the places of their items."""
    taken: int = 0


_Part = tuple[_Request, int]
"""One item of a request, by its place in it."""


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
        self._pace = 0.05  # seconds per item of one worker: a guess until the first batch

    @property
    def workers(self) -> int:
        """The number of batches scored at the same time."""
        return len(self._workers)

    @property
    def waiting(self) -> int:
        """The number of items that no worker has taken yet."""
        return self._waiting

    @property
    def wait(self) -> float:
        """Estimated seconds until the queue is done."""
        return self._waiting * self._pace / len(self._workers)

    @property
    def is_full(self) -> bool:
        """Whether the queue has no room for another item."""
        return self._waiting >= self.room

    def start(self) -> None:
        """Load the metrics in every worker, and raise the first failure."""
        failures: list[Exception] = []

        def load(worker: Worker) -> None:
            try:
                worker.start()
            except ProcessLost as error:
                remedy = "if the memory is short, give fewer processes: jobs=1"
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
        """One line per item, later; cancel the future to give up. Refused if the queue is full."""
        request = _Request(items, tuple(labels), Future())
        with self._changed:
            if self._closed:
                raise stopping()
            if self._waiting and self._waiting + len(items) > self.room:
                raise self.full()
            self._queue.append(request)
            self._waiting += len(items)
            self._changed.notify(len(items))
        request.future.add_done_callback(lambda _: self._forget(request))
        return request.future

    def full(self) -> Refusal:
        """The refusal of a request for which the queue has no room."""
        message = f"{self._waiting} items are waiting already"
        remedy = "try again after the seconds in Retry-After"
        return Refusal(503, "busy", message, remedy, wait=max(1.0, self.wait))

    def close(self) -> None:
        """Stop; waiting requests are refused."""
        with self._changed:
            self._closed = True
            left = list(self._queue)
            self._changed.notify_all()
        for request in left:
            _fail(request, stopping())
        for worker in self._workers:
            worker.close()
        for thread in self._threads:
            thread.join(5)

    def _forget(self, request: _Request) -> None:
        """Remove a request that is done, failed or given up from the queue."""
        with self._changed:
            if request in self._queue:
                self._queue.remove(request)
                self._waiting -= len(request.items) - request.taken

    def _drive(self, worker: Worker) -> None:
        while batch := self._take():
            try:
                self._score(worker, batch)
            except Exception as error:  # noqa: BLE001  # one failure must not stop the others
                log_failure()
                for request, _ in batch:
                    _fail(request, error)

    def _take(self) -> list[_Part]:
        """The next batch, all with the same metrics; waits for one, and is empty at the end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._queue or self._closed)
            idle, self._idle = self._idle, self._idle - 1
            if self._closed:
                return []
            # The queue is shared among the idle workers.
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
            # A mixed batch is ended sooner: its requests then get the full time, one by one.
            seconds = self.seconds if alone else self.seconds / 4
            lines = worker.score(items, requests[0].labels, seconds)
        except (AdequaError, ProcessLost) as error:
            if self._closed:
                return
            if alone:
                sys.stderr.write(f"adequa: a request failed: {one_line(str(error))}\n")
                _fail(requests[0], _as_refusal(error))
                return
            for request in requests:
                if not request.future.done():
                    self._score(worker, [part for part in batch if part[0] is request])
            return
        pace = (time.perf_counter() - started) / len(batch)
        self._pace += _SMOOTHING * (pace - self._pace)
        for (request, place), line in zip(batch, lines, strict=True):
            self._deliver(request, place, line)

    def _deliver(self, request: _Request, place: int, line: bytes) -> None:
        with self._changed:
            request.lines[place] = line
            is_whole = len(request.lines) == len(request.items)
        if is_whole:
            with contextlib.suppress(InvalidStateError):  # given up in the meantime
                request.future.set_result([line for _, line in sorted(request.lines.items())])


def _as_refusal(error: Exception) -> Exception:
    if not isinstance(error, ProcessLost):
        return error
    remedy = "send fewer or shorter items, or start a run"
    return Refusal(503, "timeout", str(error), remedy, wait=1)


def stopping() -> Refusal:
    """The refusal of a server that is shutting down."""
    return Refusal(503, "stopping", "the server is stopping", "try again later", wait=5)


def _fail(request: _Request, error: Exception) -> None:
    with contextlib.suppress(InvalidStateError):
        request.future.set_exception(error)
