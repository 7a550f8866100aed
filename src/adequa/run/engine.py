"""Batches of items through the metrics, in this process or in several; the order never changes."""

from __future__ import annotations

import itertools
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from adequa.codec import dump_line, result_to_object
from adequa.data import Result
from adequa.errors import RunError
from adequa.metrics.base import Scorer
from adequa.scoring import extend_results

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["encoded_batches"]

_worker_metrics: Mapping[str, Scorer] = {}


def encoded_batches(
    results: Iterable[Result], metrics: Mapping[str, Scorer], *, batch_size: int, jobs: int
) -> Iterator[tuple[int, bytes]]:
    """The lines of the run, batch by batch: how many items, and their bytes."""
    batches = _batched(results, batch_size)
    if jobs == 1:
        for batch in batches:
            yield len(batch), _encode(batch, metrics)
        return
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield from _in_processes(batches, metrics, jobs)
    except BrokenProcessPool:
        raise RunError(
            "a worker process died (out of memory?); what was scored is kept: "
            "continue with --resume, and fewer --jobs"
        ) from None


def _batched(results: Iterable[Result], size: int) -> Iterator[list[Result]]:
    iterator = iter(results)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


def _encode(batch: list[Result], metrics: Mapping[str, Scorer]) -> bytes:
    scored = extend_results(batch, metrics)
    return "".join(dump_line(result_to_object(result)) for result in scored).encode()


def _in_processes(
    batches: Iterator[list[Result]], metrics: Mapping[str, Scorer], jobs: int
) -> Iterator[tuple[int, bytes]]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Spawned, not forked: the same on every system, and safe with threads in native libraries.
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), _start_worker, (metrics,)
    ) as pool:
        waiting: deque[tuple[int, Future[bytes]]] = deque()
        try:
            for batch in batches:
                waiting.append((len(batch), pool.submit(_encode_in_worker, batch)))
                if len(waiting) > 2 * jobs:  # bounded, so that memory does not grow with the input
                    count, future = waiting.popleft()
                    yield count, future.result()
            while waiting:
                count, future = waiting.popleft()
                yield count, future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def _start_worker(metrics: Mapping[str, Scorer]) -> None:
    global _worker_metrics  # noqa: PLW0603  # one set of metrics a worker, loaded once
    _worker_metrics = metrics
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent cannot stop its workers, so they watch it."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _encode_in_worker(batch: list[Result]) -> bytes:
    return _encode(batch, _worker_metrics)
