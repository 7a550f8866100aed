"""Scoring of items in memory and in batches, in this process or in several, in input order."""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adequa.codec import result_to_object
from adequa.data import Item, Result, Score
from adequa.errors import ModelError, RunError
from adequa.files import dump_line
from adequa.metrics import Scorer
from adequa.run.verdicts import join

if TYPE_CHECKING:
    from concurrent.futures import Future


def score_items(items: Iterable[Item], metrics: Mapping[str, Scorer]) -> list[Result]:
    """One result per item, in order."""
    return extend_results([Result(item, {}) for item in items], metrics)


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
    scores = metric.score(items)
    if len(scores) != len(items):
        raise ModelError(
            f"the metric {label!r} gave {len(scores)} scores for {len(items)} items; "
            "it must give one for each, in order"
        )
    for item, score in zip(items, scores, strict=True):
        if score.value is not None and not math.isfinite(score.value):
            raise ModelError(
                f"the metric {label!r} gave {score.value} for the item {item.id!r}; "
                "a metric that cannot score an item must give None and a reason"
            )
    return scores


_worker_metrics: Mapping[str, Scorer] = {}


def encoded_batches(
    results: Iterable[Result], metrics: Mapping[str, Scorer], *, batch_size: int, jobs: int
) -> Iterator[tuple[int, bytes]]:
    """The lines of the run, batch by batch: the number of items, and their bytes."""
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
    global _worker_metrics  # noqa: PLW0603  # each worker loads the metrics once
    _worker_metrics = metrics
    end_with_parent()


def end_with_parent() -> None:
    """End this process as soon as its parent ends: a killed parent cannot stop its children."""
    import multiprocessing

    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _encode_in_worker(batch: list[Result]) -> bytes:
    return _encode(batch, _worker_metrics)
