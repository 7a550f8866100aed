"""Child processes of a server: spawned, heard through a pipe, and killed at any moment."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adequa.run import end_with_parent

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
