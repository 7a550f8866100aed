"""Where items are scored: a process of its own, which may die or hang without harm to the server.

A worker gives the lines of `scores.jsonl`, so that the server's process has nothing left to do but
to send them on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from adequa.codec import dump_line, result_to_object
from adequa.data import Item, Triple
from adequa.errors import AdequaError, ModelError
from adequa.metrics.base import Metric
from adequa.scoring import score_items

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["InProcess", "InThread", "Worker", "WorkerLost", "live_with_parent"]

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
