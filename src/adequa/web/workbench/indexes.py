"""The indexes of the runs last looked at, made in the background, and what was last chosen."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from adequa.run import open_run
from adequa.run.folder import SCORES
from adequa.web.api.errors import Refused
from adequa.web.workbench.choosing import Choice, Chosen, choose
from adequa.web.workbench.index import RunIndex, build_index

__all__ = ["Indexes", "Reading"]

_KEPT_RUNS = 8
_KEPT_CHOICES = 32


@dataclass
class Reading:
    """An index that is being made; `share` is what is done of it."""

    share: float = 0.0
    future: Future[RunIndex] | None = None


class Indexes:
    """Safe to use from any thread; one run is read at a time."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "index")
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._known: OrderedDict[tuple[str, int, int], Reading] = OrderedDict()
        self._chosen: OrderedDict[tuple[int, Choice], tuple[RunIndex, Chosen]] = OrderedDict()

    async def get(self, folder: Path, *, wait: float = 1.5) -> RunIndex | Reading:
        """The index of a run, or how far it is where it takes longer than `wait` seconds."""
        reading = self._reading(folder)
        assert reading.future is not None  # noqa: S101  # for the type checker
        await asyncio.wait([asyncio.wrap_future(reading.future)], timeout=wait)
        return reading.future.result() if reading.future.done() else reading

    def choose(self, index: RunIndex, choice: Choice) -> Chosen:
        """The rows of a choice; turning a page does not search again."""
        key = id(index), choice
        with self._lock:
            if key in self._chosen:
                self._chosen.move_to_end(key)
                return self._chosen[key][1]
        chosen = choose(index, choice)
        with self._lock:
            # The index is kept along, so that its number is not given to another one.
            self._chosen[key] = index, chosen
            while len(self._chosen) > _KEPT_CHOICES:
                self._chosen.popitem(last=False)
        return chosen

    def close(self) -> None:
        """Begin nothing more, and stop what is being read: a large run would hold up the end."""
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _reading(self, folder: Path) -> Reading:
        try:
            status = (folder / SCORES).stat()
        except OSError:
            message = "the files of this run are not there any more"
            raise Refused(410, "gone", message, "score it again") from None
        key = str(folder), status.st_size, status.st_mtime_ns
        with self._lock:
            known = self._known.get(key)
            if known is None or (known.future and known.future.done() and known.future.exception()):
                known = self._known[key] = Reading()
                known.future = self._pool.submit(_read, folder, known, self._closed)
            self._known.move_to_end(key)
            while len(self._known) > _KEPT_RUNS:
                self._known.popitem(last=False)
            return known


def _read(folder: Path, reading: Reading, closed: threading.Event) -> RunIndex:
    def tell(share: float) -> None:
        reading.share = share
        if closed.is_set():
            raise Refused(503, "stopping", "the server is stopping", "try again later", wait=5)

    return build_index(open_run(folder), tell)
