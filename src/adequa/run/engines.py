"""Scoring of items in memory and in batches, in this process or in several, in input order.

A batch ends when it has its number of items, or as much data as was scored in some two seconds
before. So progress shows within seconds and a kill loses seconds of work, whatever the metrics and
however long the texts. How items are divided into batches changes no score.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adequa.codec import result_to_object
from adequa.data import Item, Result, Score
from adequa.errors import ModelError, RunError
from adequa.files import dump_line
from adequa.metrics import Scorer, plugin_errors
from adequa.progress import Progress, silent
from adequa.run.verdicts import join

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

_SECONDS = 2.0
"""What a batch should take: a kill loses about as much, and progress shows as often."""
_FIRST_WEIGHT = 4_000
"""Characters of the first batch, some ten items, before the speed is known."""
_MOST_WEIGHT = 4_000_000
"""Characters of any batch: three batches per process wait in memory."""


def score_items(
    items: Iterable[Item], metrics: Mapping[str, Scorer], progress: Progress = silent
) -> list[Result]:
    """One result per item, in order."""
    results = [Result(item, {}) for item in items]
    if progress is silent:
        return extend_results(results, metrics)
    pace, done = _paced(len(results), metrics), list[Result]()
    progress(0, len(results))
    for batch in pace.batches(results):
        started = time.perf_counter()
        done += extend_results(batch, metrics)
        pace.learn(batch, time.perf_counter() - started)
        progress(len(done), len(results))
    return done


def extend_results(results: Sequence[Result], metrics: Mapping[str, Scorer]) -> list[Result]:
    """The results with the scores of further metrics."""
    if not results:
        return []
    items = [result.item for result in results]
    columns = {label: _valid_scores(label, metric, items) for label, metric in metrics.items()}
    return [
        join(result, {label: scores[position] for label, scores in columns.items()})
        for position, result in enumerate(results)
    ]


def _valid_scores(label: str, metric: Scorer, items: Sequence[Item]) -> list[Score]:
    """The scores of a metric; raises if they break the interface, as those of a plug-in may."""
    with plugin_errors(label, getattr(metric, "metric", metric)):  # a cache holds its metric
        scores = metric.score(items)
    if not isinstance(scores, Sequence) or not all(isinstance(one, Score) for one in scores):
        raise ModelError(f"the metric {label!r} must give a list of adequa.Score objects")
    if len(scores) != len(items):
        raise ModelError(
            f"the metric {label!r} gave {len(scores)} scores for {len(items)} items; "
            "it must give one for each, in order"
        )
    for item, score in zip(items, scores, strict=True):
        if score.value is not None and not _is_number(score.value):
            raise ModelError(
                f"the metric {label!r} gave {score.value!r} for the item {item.id!r}; "
                "a metric that cannot score an item must give None and a reason"
            )
    return list(scores)


def _is_number(value: object) -> bool:
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


class _Pace:
    """How much data a batch may have, learnt from the time that batches took."""

    def __init__(self, most_items: int, least_items: int = 1) -> None:
        self._most_items = most_items
        self._least_items = least_items
        self._most_weight = float(_FIRST_WEIGHT)

    def batches(self, results: Iterable[Result]) -> Iterator[list[Result]]:
        """The results in batches; what is learnt decides where the next one ends."""
        batch: list[Result] = []
        weight = 0
        for result in results:
            one = _weight(result)
            is_full = len(batch) >= self._least_items and weight + one > self._most_weight
            if batch and (len(batch) == self._most_items or is_full):
                yield batch
                batch, weight = [], 0
            batch.append(result)
            weight += one
        if batch:
            yield batch

    def learn(self, batch: Sequence[Result], seconds: float) -> None:
        """Take account of a batch that was scored."""
        fitting = _SECONDS * sum(map(_weight, batch)) / max(seconds, 1e-6)
        # At most four times as much as before: one fast batch does not make all texts fast.
        self._most_weight = max(1.0, min(fitting, 4 * self._most_weight, _MOST_WEIGHT))


def _weight(result: Result) -> int:
    """About the number of characters of an item."""
    item = result.item
    triples = sum(len(s) + len(p) + len(o) for s, p, o in item.triples)
    return len(item.text) + triples + sum(map(len, item.references))


def _owners(metrics: Mapping[str, Scorer]) -> dict[str, Scorer]:
    """The metrics themselves, by label: a cache holds its metric."""
    return {label: getattr(metric, "metric", metric) for label, metric in metrics.items()}


def _paced(most_items: int, metrics: Mapping[str, Scorer]) -> _Pace:
    at_once = [getattr(one, "at_once", 1) for one in _owners(metrics).values()]
    return _Pace(most_items, max(at_once, default=1))


_worker_metrics: Mapping[str, Scorer] = {}


def encoded_batches(
    results: Iterable[Result], metrics: Mapping[str, Scorer], *, batch_size: int, jobs: int
) -> Generator[tuple[int, bytes], None, None]:
    """The lines of the run, batch by batch: the number of items, and their bytes.

    A batch has at most `batch_size` items, and takes some seconds at most unless a single item
    takes longer.
    """
    owners = _owners(metrics)
    pace = _paced(batch_size, metrics)
    single = [label for label, one in owners.items() if getattr(one, "one_process", False)]
    if single and jobs > 1:
        raise RunError(
            f"{single[0]} has a budget, which is counted in one process; give jobs=1, and add "
            "the other metrics to the run"
        )
    if jobs == 1:
        for batch in pace.batches(results):
            data, seconds = _encode(batch, metrics)
            pace.learn(batch, seconds)
            yield len(batch), data
        return
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield from _in_processes(results, pace, metrics, jobs)
    except BrokenProcessPool:
        raise RunError(
            "a worker process died (out of memory?); what was scored is kept: "
            "continue with resume=True, and fewer jobs"
        ) from None


def _encode(batch: list[Result], metrics: Mapping[str, Scorer]) -> tuple[bytes, float]:
    """The lines of a batch, and the seconds that it took."""
    started = time.perf_counter()
    scored = extend_results(batch, metrics)
    data = "".join(dump_line(result_to_object(result)) for result in scored).encode()
    return data, time.perf_counter() - started


def _in_processes(
    results: Iterable[Result], pace: _Pace, metrics: Mapping[str, Scorer], jobs: int
) -> Iterator[tuple[int, bytes]]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Spawned, not forked: the same on every system, and safe with threads in native libraries.
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    waiting: deque[tuple[list[Result], Future[tuple[bytes, float]]]] = deque()

    def oldest() -> tuple[int, bytes]:
        batch, future = waiting.popleft()
        data, seconds = future.result()
        pace.learn(batch, seconds)
        return len(batch), data

    is_complete = False
    with ProcessPoolExecutor(jobs, context, _start_worker, (metrics, theirs)) as pool:
        try:
            for batch in pace.batches(results):
                with _interrupts_held():  # the first one starts the processes
                    waiting.append((batch, pool.submit(_encode_in_worker, batch)))
                if len(waiting) > 2 * jobs:  # bounded, so that memory does not grow with the input
                    yield oldest()
            while waiting:
                yield oldest()
            is_complete = True
        finally:
            if not is_complete:  # an error or Ctrl-C: the workers end in the middle of their batch
                ours.close()
    ours.close()
    theirs.close()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, and keep it from processes that are started: their parent ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(metrics: Mapping[str, Scorer], parent: Connection) -> None:
    global _worker_metrics  # noqa: PLW0603  # each worker loads the metrics once
    _worker_metrics = metrics
    end_with_parent(parent)


def end_with_parent(also: Connection | None = None) -> None:
    """End this process as soon as its parent ends, or closes the other end of a connection.

    A killed parent cannot stop its children.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()

    def watch() -> None:
        sentinels = [] if parent is None else [parent.sentinel]
        wait([*sentinels, *([] if also is None else [also])])
        os._exit(1)

    if parent is not None or also is not None:
        threading.Thread(target=watch, daemon=True).start()


def _encode_in_worker(batch: list[Result]) -> tuple[bytes, float]:
    return _encode(batch, _worker_metrics)
