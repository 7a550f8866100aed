"""Scoring of items: in memory, in batches, and shard by shard in one process or in several.

A batch ends when it has its number of items, or as much data as was scored in some two seconds
before. So progress shows within seconds and a kill loses seconds of work, whatever the metrics and
however long the texts. How items are divided into batches changes no score.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import secrets
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from adequa.codec import item_fields, item_to_object, result_to_object
from adequa.data import Item, Result, Score
from adequa.errors import ModelError, RunError, load_extra
from adequa.files import dump_line
from adequa.metrics import Scorer, plugin_errors
from adequa.progress import Progress, silent
from adequa.run.shards import Feed, ItemHash, Part, Shard, append, damaged, write_item
from adequa.run.verdicts import join

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_SECONDS = 2.0
"""What a batch should take: a kill loses about as much, and progress shows as often."""
_FIRST_WEIGHT = 4_000
"""Characters of the first batch, some ten items, before the speed is known."""
_MOST_WEIGHT = 4_000_000
"""Characters of any batch."""
_LOOK_SECONDS = 0.5
"""Between two looks at the shards that other processes score."""


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


class ScoredBatch(NamedTuple):
    """Some items with their scores."""

    lines: list[dict[str, Any]]
    """The lines of the run, as JSON objects."""
    items: list[bytes]
    """The items alone, as they are hashed."""
    data: bytes
    """The lines as they are written."""


def _owners(metrics: Mapping[str, Scorer]) -> dict[str, Scorer]:
    """The metrics themselves, by label: a cache holds its metric."""
    return {label: getattr(metric, "metric", metric) for label, metric in metrics.items()}


def _paced(most_items: int, metrics: Mapping[str, Scorer]) -> _Pace:
    at_once = [getattr(one, "at_once", 1) for one in _owners(metrics).values()]
    return _Pace(most_items, max(at_once, default=1))


def scored_batches(
    results: Iterable[Result], metrics: Mapping[str, Scorer], *, batch_size: int
) -> Iterator[ScoredBatch]:
    """The lines of the run, batch by batch.

    A batch has at most `batch_size` items, and takes some seconds at most unless a single item
    takes longer.
    """
    pace = _paced(batch_size, metrics)
    for batch in pace.batches(results):
        started = time.perf_counter()
        scored = _encode(extend_results(batch, metrics))
        pace.learn(batch, time.perf_counter() - started)
        yield scored


def _encode(results: Iterable[Result]) -> ScoredBatch:
    rows, items, data = [], [], []
    for result in results:
        raw = result_to_object(result)
        item = item_fields(raw)
        written = write_item(item)
        rest = dump_line({name: raw[name] for name in raw if name not in item})
        rows.append(raw)
        items.append(written)
        data += [written[:-2], b", ", rest[1:].encode()]  # one object of two: {…} and {…}
    return ScoredBatch(rows, items, b"".join(data))


@dataclass(frozen=True)
class ShardWork:
    """What it takes to score the shards of a run; it can be sent to another process."""

    folder: Path
    """That of the shards."""
    feed: Feed
    scorers: Mapping[str, Scorer]
    labels: frozenset[str]
    """All metrics of a line, also those that it has already."""
    batch_size: int


class ShardScorer:
    """Scores shards one after the other; its process loads the models once."""

    def __init__(self, work: ShardWork) -> None:
        self._work = work
        self._position = 0
        self._stream: Iterator[Result] | None = None

    def score(self, shard: Shard, check: Callable[[], None] = lambda: None) -> None:
        """Score what is missing of a shard; `check` is called before each batch is written."""
        work, part, started = self._work, Part(self._work.folder, shard), time.perf_counter()
        with part.locked():
            if part.is_whole:
                return
            found, tally = part.keep_lines(work.labels)
            results = self._results(shard)
            first = ItemHash()
            for result in itertools.islice(results, found.total.items):
                first.add(write_item(item_to_object(result.item)))
            if first.total != found.total:
                raise damaged(part.begun)
            with part.appending() as stream:
                for batch in scored_batches(results, work.scorers, batch_size=work.batch_size):
                    check()
                    append(stream, batch.data, work.folder)
                    for raw, item in zip(batch.lines, batch.items, strict=True):
                        found.add(item)
                        tally.add(raw)
            if found.total != shard.list:
                problem = f"the items of the shard {shard.number}/{shard.count} are not those of "
                raise RunError(f"{problem}the plan: the input has changed; force=True starts again")
            part.complete(tally, time.perf_counter() - started)

    def _results(self, shard: Shard) -> Iterator[Result]:
        """The items of a shard; an input without parts is read on from the shard before."""
        if shard.within is not None:
            yield from self._work.feed.within(shard.within, shard.first)
            return
        if self._stream is None or self._position > shard.first:
            self._stream, self._position = self._work.feed.results(), 0
        skipped = shard.first - self._position
        for result in itertools.islice(self._stream, skipped, skipped + shard.items):
            self._position = shard.first
            yield result
        self._position = shard.first + shard.items


class Watch:
    """Shows how far the shards of a run are: the lines in their files, whoever writes them."""

    def __init__(
        self, parts: Iterable[Part], progress: Progress, check: Callable[[], None] = lambda: None
    ) -> None:
        self._open = list(parts)
        self._total = sum(part.shard.items for part in self._open)
        self._whole = 0
        self._seen: dict[Path, tuple[int, int]] = {}
        self._progress = progress
        self._check = check

    def look(self) -> None:
        """Report the progress, and check the input."""
        self._check()
        still = []
        for part in self._open:
            if part.is_whole:
                self._whole += part.shard.items
                self._seen.pop(part.begun, None)
            else:
                still.append(part)
                self._count(part.begun)
        self._open = still
        self._progress(self._whole + sum(lines for _, lines in self._seen.values()), self._total)

    def _count(self, path: Path) -> None:
        with contextlib.suppress(OSError), path.open("rb") as stream:
            end, lines = self._seen.get(path, (0, 0))
            stream.seek(end)
            while block := stream.read(1 << 20):
                end += len(block)
                lines += block.count(b"\n")
            self._seen[path] = end, lines


def _require_several(work: ShardWork) -> None:
    """Refuse metrics that must be computed in one process."""
    for label, one in _owners(work.scorers).items():
        if getattr(one, "one_process", False):
            raise RunError(
                f"{label} has a budget, which is counted in one process; give jobs=1, and add "
                "the other metrics to the run"
            )


class Engine(Protocol):
    """Where shards are scored."""

    @property
    def jobs(self) -> int:
        """The number of processes."""

    def score(self, work: ShardWork, shards: Sequence[Shard], watch: Watch) -> None:
        """Score all shards; `watch` looks at them every now and then."""


@dataclass(frozen=True)
class LocalEngine:
    """Scores in this process, or in several on this machine."""

    jobs: int = 1

    def score(self, work: ShardWork, shards: Sequence[Shard], watch: Watch) -> None:
        """Score the shards; the processes end with this one, also if it is killed."""
        watch.look()
        if self.jobs == 1:
            scorer = ShardScorer(work)
            for shard in shards:
                scorer.score(shard, check=watch.look)
            watch.look()
            return
        from concurrent.futures.process import BrokenProcessPool

        _require_several(work)
        try:
            self._in_processes(work, shards, watch)
        except BrokenProcessPool:
            raise RunError(
                "a worker process died (out of memory?); what was scored is kept: "
                "continue with resume=True, and fewer jobs"
            ) from None

    def _in_processes(self, work: ShardWork, shards: Sequence[Shard], watch: Watch) -> None:
        import multiprocessing
        from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait

        # Spawned, not forked: the same on every system, and safe with threads in native libraries.
        context = multiprocessing.get_context("spawn")
        theirs, ours = context.Pipe(duplex=False)
        is_complete = False
        with ProcessPoolExecutor(self.jobs, context, _start_worker, (work, theirs)) as pool:
            try:
                with _interrupts_held():  # the first one starts the processes
                    waiting = {pool.submit(_score_in_worker, shard) for shard in shards}
                while waiting:
                    done, waiting = wait(waiting, _LOOK_SECONDS, FIRST_EXCEPTION)
                    for future in done:
                        future.result()
                    watch.look()
                is_complete = True
            finally:
                if not is_complete:  # an error or Ctrl-C: the workers end within their batch
                    ours.close()
        ours.close()
        theirs.close()


IN_PROCESS = LocalEngine()


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


_scorer: ShardScorer | None = None


def _start_worker(work: ShardWork, parent: Connection) -> None:
    global _scorer  # noqa: PLW0603  # each worker loads the metrics once
    _scorer = ShardScorer(work)
    end_with_parent(parent)


def _score_in_worker(shard: Shard) -> None:
    if _scorer is not None:
        _scorer.score(shard)


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


_RETRIES = 3
"""How often a shard may lose its actor: more often, it is the shard and not the machine."""
_ray_token = ""


@dataclass(frozen=True)
class RayEngine:
    """Scores in a pool of Ray actors, on this machine or on a cluster.

    Ray starts the processes, on whatever machines it has, and tells which of them are lost. The
    shards are files that the actors read and write themselves: Ray's own readers and writers change
    values (`"007"` to 7) and split lines at U+2028.
    """

    jobs: int = 1
    address: str | None = None
    """That of a cluster; by default `$RAY_ADDRESS`, else a new one on this machine."""

    def score(self, work: ShardWork, shards: Sequence[Shard], watch: Watch) -> None:
        """Score the shards; those of an actor that is lost go to another one."""
        watch.look()
        if not shards:
            return
        _require_several(work)
        ray = load_extra("ray", "ray")
        with self._connected(ray):
            # One stays free: actors on every CPU leave none for the tasks of Ray, which hangs.
            free = int(ray.cluster_resources().get("CPU", 0)) - 1
            if free < 1:
                raise RunError("the Ray cluster has one CPU, and one is left free; add a CPU")
            pool = _RayPool(ray, work, min(self.jobs, free, len(shards)))
            try:
                pool.score(shards, watch)
            finally:
                pool.end()

    @contextlib.contextmanager
    def _connected(self, ray: Any) -> Iterator[None]:
        """Connect to Ray, unless this process has done so; what we started ends with the block."""
        if ray.is_initialized():
            yield
            return
        global _ray_token  # noqa: PLW0603  # Ray remembers the first one of a process
        before = dict(os.environ)
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        options: dict[str, Any] = {"address": self.address or os.environ.get("RAY_ADDRESS")}
        if options["address"] is None:
            # In the environment, so that Ray does not leave a file with a token in the home folder.
            _ray_token = _ray_token or secrets.token_hex(32)
            os.environ.setdefault("RAY_AUTH_TOKEN", _ray_token)
            options = {"address": "local", "num_cpus": self.jobs + 1, "include_dashboard": False}
        try:
            try:
                ray.init(**options, logging_level="ERROR", log_to_driver=False)
            except Exception as error:  # noqa: BLE001  # Ray raises many, some of no class of its own
                raise RunError(f"Ray cannot be started or reached ({error})") from None
            yield
        finally:
            ray.shutdown()
            for name in os.environ.keys() - before.keys():
                if name.startswith("RAY_"):
                    del os.environ[name]
            os.environ.update(before)


class _RayScorer(ShardScorer):
    """In an actor: relative paths mean what they mean to the process that started it."""

    def __init__(self, work: ShardWork, folder: str) -> None:
        with contextlib.suppress(OSError):
            os.chdir(folder)
        super().__init__(work)


class _RayPool:
    """Actors that take one shard after the other, and what each of them is doing."""

    def __init__(self, ray: Any, work: ShardWork, size: int) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(_RayScorer)
        self._work = ray.put(work)
        self._doing: dict[Any, tuple[Any, Shard | None]] = {}
        self._idle: list[Any] = []
        self._losses: Counter[int] = Counter()
        for _ in range(size):
            self._start()

    def _start(self) -> None:
        actor = self._actor.remote(self._work, str(Path.cwd()))
        self._doing[actor.__ray_ready__.remote()] = actor, None

    def score(self, shards: Sequence[Shard], watch: Watch) -> None:
        """Score all shards."""
        waiting, count = deque(shards), 0
        while count < len(shards):
            done, _ = self._ray.wait([*self._doing], timeout=_LOOK_SECONDS)
            for one in done:
                actor, shard = self._doing.pop(one)
                if self._is_done(one, shard):
                    self._idle.append(actor)
                    count += shard is not None
                elif shard is not None:
                    waiting.appendleft(shard)
            while self._idle and waiting:
                actor, shard = self._idle.pop(), waiting.popleft()
                self._doing[actor.score.remote(shard)] = actor, shard
            watch.look()

    def _is_done(self, one: Any, shard: Shard | None) -> bool:
        """Whether an actor has done its work; one that is lost is replaced."""
        try:
            self._ray.get(one)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            number = 0 if shard is None else shard.number
            self._losses[number] += 1
            if self._losses[number] > _RETRIES:
                what = "Ray cannot start its actors" if shard is None else f"shard {number} failed"
                raise RunError(
                    f"{what} ({error}); what was scored is kept: continue with resume=True"
                ) from None
            self._start()
            return False
        return True

    def end(self) -> None:
        """End all actors, also in the middle of their work."""
        for actor in [*self._idle, *(actor for actor, _ in self._doing.values())]:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)
