"""The writer of runs: starts, resumes and extends them without losing or repeating an item.

A writer holds the lock of the folder from its first look at it until its last rename. It plans the
items in shards, hands the shards to an engine, and makes them the run only if their items are the
planned ones (`Draft.complete`). Processes that score one shard each share the lock.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.codec import result_to_object
from adequa.data import Item, Result
from adequa.errors import RunError, SettingError
from adequa.files import LOCK, dump_line, locked
from adequa.metrics import Metric, Scorer
from adequa.progress import Progress, silent
from adequa.readers import Source
from adequa.run.cache import CachedMetric
from adequa.run.draft import (
    OWN_FILES,
    Draft,
    describe_inputs,
    describe_metrics,
    new_id,
    plan_run,
    planned_items,
    require_same,
    with_items,
)
from adequa.run.engines import IN_PROCESS, Engine, ShardWork, Watch
from adequa.run.folder import MANIFEST, SCORES, Run, count_lines, is_meant, open_run, settle
from adequa.run.shards import (
    Feed,
    ItemList,
    LinesFeed,
    Part,
    Shard,
    SourceFeed,
    damaged,
    plan_shards,
)

_DEFAULT_BATCH = 256
"""Most items per batch; affects speed and memory, never a score. No record of a measurement."""
_MANY_FILES, _SECONDS_BETWEEN_LOOKS = 100, 1.0
"""Whether an input has changed is seen after every batch; where a look takes a while, seldom."""
_SHARDS_PER_JOB = 8
"""The processes then wait for the last one for about a sixteenth of the time."""
_LEAST_BYTES, _MOST_BYTES = 1 << 12, 1 << 26
"""Of the input per shard: some ten items; and so much that a large run that was begun by one
process can be continued by many."""


def _require_source(source: Any) -> None:
    if not isinstance(source, Source):
        raise SettingError(
            f"the source of a run is a file, not a {type(source).__name__}: "
            "give adequa.read(path), or score items in memory with adequa.evaluate"
        )


def score_run(
    source: Source,
    metrics: Mapping[str, Metric],
    out: Path | str,
    *,
    engine: Engine = IN_PROCESS,
    batch_size: int = _DEFAULT_BATCH,
    resume: bool = False,
    force: bool = False,
    cache: Path | None = None,
    progress: Progress = silent,
) -> Run:
    """Score a source into the folder `out`.

    The bytes of `scores.jsonl` do not depend on the engine, the shards, the batch size or resumes.
    """
    started = time.perf_counter()
    _require_source(source)
    if resume and force:
        raise RunError("resume=True continues a run and force=True replaces it; give one of them")
    out = Path(out)
    _require_no_file(out)
    with locked(out):
        _require_run_or_nothing(out, replace=resume or force)
        _require_apart(out, source, metrics)
        settle(out)
        before = source.versions()
        feed = SourceFeed(source)
        plan = plan_run(source, metrics, _local_shards(feed, engine.jobs))
        source.require_unchanged(before)
        draft = _choose_draft(out, plan, resume=resume, force=force)
        if draft is None:
            return open_run(out)
        if resume and draft.is_begun:
            plan = _continued(draft.plan, plan)
            draft.revise(plan)
            draft.adopt_lines()
        else:
            draft.begin(plan)
        work = ShardWork(
            folder=draft.shards,
            feed=feed,
            scorers=with_cache(metrics, cache),
            labels=frozenset(metrics),
            batch_size=batch_size,
        )
        check = _seldom(lambda: source.require_unchanged(before), len(before))
        _score_parts(draft, work, engine, progress, check)
        source.require_unchanged(before)
        return draft.complete(plan, metrics, time.perf_counter() - started)


def score_shard(
    source: Source,
    metrics: Mapping[str, Metric],
    out: Path,
    *,
    number: int,
    count: int,
    batch_size: int = _DEFAULT_BATCH,
    cache: Path | None = None,
    progress: Progress = silent,
    waiting: Callable[[str], None] | None = None,
) -> list[Part]:
    """Score one of `count` shards of a run; the first process plans the run. All parts of the run.

    Any number of processes can do so at once, and twice without harm; `merge_run` makes the run of
    the shards.
    """
    _require_no_file(out)
    plan = {"inputs": describe_inputs(source, is_hashed=False)}
    plan["metrics"] = describe_metrics(metrics)
    _require_apart(out, source, metrics)
    draft = Draft(out)
    while True:
        with locked(out, is_shared=True, seconds=math.inf, waiting=waiting):
            if draft.is_begun:
                parts = _parts_of(draft, plan, number=number, count=count)
                if parts:
                    work = ShardWork(
                        folder=draft.shards,
                        feed=SourceFeed(source),
                        scorers=with_cache(metrics, cache),
                        labels=frozenset(metrics),
                        batch_size=batch_size,
                    )
                    part = parts[number - 1]
                    IN_PROCESS.score(work, [part.shard], Watch([part], progress))
                return parts
        with locked(out, seconds=math.inf, waiting=waiting):
            if not draft.is_begun:
                _require_run_or_nothing(out, replace=False)
                before = source.versions()
                planned = plan_run(source, metrics, count)
                source.require_unchanged(before)
                draft.begin(planned)


def _parts_of(draft: Draft, plan: Mapping[str, Any], *, number: int, count: int) -> list[Part]:
    """The parts of a run that was planned; none if it is complete."""
    begun = draft.read_plan()
    require_same(draft.folder, begun, plan)
    parts = draft.parts()
    if begun.get("status") == "complete":
        return []
    if len(parts) != count:
        planned = f"{draft.folder} was planned with {len(parts):,} shards, not {count:,}"
        raise RunError(
            f"{planned}; score shard {number}/{len(parts)} instead, or name another folder"
        )
    return parts


def merge_run(path: Path, metrics: Mapping[str, Metric] | None = None) -> Run:
    """Make the run of its shards; one that is complete is left as it is.

    The metrics are those of the plan; give them if they are Python objects without a name.
    """
    started = time.perf_counter()
    if not (path / MANIFEST).is_file():
        return open_run(path)
    with locked(path):
        settle(path)
        beside = Draft(path, is_beside=True)
        draft = beside if beside.is_begun else Draft(path)
        plan = draft.read_plan()
        if plan.get("status") == "complete":
            return open_run(path)
        built = {**Run(path, plan).metrics(), **(metrics or {})}
        absent = sorted(plan["metrics"].keys() - built.keys())
        if absent:
            problem = f"the metric {absent[0]!r} of {path} cannot be built here"
            raise RunError(f"{problem}; install its plug-in, or merge where it was scored")
        return draft.complete(plan, built, time.perf_counter() - started)


def add_metrics(
    run: Run,
    metrics: Mapping[str, Metric],
    *,
    engine: Engine = IN_PROCESS,
    batch_size: int = _DEFAULT_BATCH,
    cache: Path | None = None,
    progress: Progress = silent,
) -> Run:
    """Add metrics to a finished run, which stays unchanged until all of them are scored.

    What a killed process had scored of the same metrics is kept.
    """
    started = time.perf_counter()
    with locked(run.path):
        settle(run.path)
        run = open_run(run.path)  # another process may have added a metric since it was opened
        known = sorted(metrics.keys() & run.manifest["metrics"].keys())
        if known:
            problem = f"{run.path} has the metric {known[0]!r} already"
            raise RunError(f"{problem}; give it an alias: NAME={known[0]}")
        described = {**run.manifest["metrics"], **describe_metrics(metrics)}
        base = {name: value for name, value in run.manifest.items() if name != "files"}
        adds = {"metrics": list(metrics), "to": run.manifest.get("files") or run.manifest["counts"]}
        plan = {**base, "id": new_id(), "version": __version__, "status": "running", "adds": adds}
        plan["metrics"] = described
        draft = Draft(run.path, is_beside=True)
        begun = draft.plan
        if draft.is_begun and "adds" not in begun:
            raise RunError(
                f"{run.path} is about to be replaced: its replacement was interrupted; complete it "
                f"with the same settings and resume=True, or delete {MANIFEST}.next there"
            )
        feed = LinesFeed(run.scores_path)
        is_same = begun.get("adds") == adds and begun.get("metrics") == described
        if is_same and begun.get("shards"):
            plan = _continued(begun, plan)
            draft.revise(plan)
        else:
            items, shards = plan_shards(feed, _local_shards(feed, engine.jobs))
            if planned_items(run.manifest) not in (None, items):
                raise damaged(run.scores_path)
            plan |= with_items(items, shards)
            draft.begin(plan)
        work = ShardWork(
            folder=draft.shards,
            feed=feed,
            scorers=with_cache(metrics, cache),
            labels=frozenset(described),
            batch_size=batch_size,
        )
        _score_parts(draft, work, engine, progress)
        metrics = {**run.metrics(), **metrics}
        return draft.complete(plan, metrics, time.perf_counter() - started)


def score_lines(
    items: Iterable[Item],
    metrics: Mapping[str, Scorer],
    *,
    engine: Engine = IN_PROCESS,
    progress: Progress = silent,
) -> list[Result]:
    """The results of items in memory, as a run would have them; ids may be repeated."""
    with tempfile.TemporaryDirectory(prefix="adequa-lines-") as name:
        path = Path(name) / "items.jsonl"
        with path.open("wb") as stream:
            for item in items:
                stream.write(dump_line(result_to_object(Result(item, {}))).encode())
        feed = LinesFeed(path)
        _, shards = plan_shards(feed, _local_shards(feed, engine.jobs))
        folder, labels = Path(name) / "shards", frozenset(metrics)
        work = ShardWork(folder, feed, metrics, labels, _DEFAULT_BATCH)
        parts = [Part(folder, shard) for shard in shards]
        engine.score(work, shards, Watch(parts, progress))
        return [result for part in parts for result in LinesFeed(part.path).results()]


def _local_shards(feed: Feed, jobs: int) -> int:
    """The number of shards for so many processes: enough for all to end at about the same time."""
    size = feed.bytes
    wanted = 1 if jobs == 1 else max(jobs, min(_SHARDS_PER_JOB * jobs, size // _LEAST_BYTES))
    return max(wanted, size // _MOST_BYTES)


def _continued(begun: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of a run that was begun: its shards are planned once."""
    kept = {name: begun[name] for name in ("id", "created", "shards", "planned") if name in begun}
    if begun.get("shards") and begun.get("planned") == plan.get("planned", begun["planned"]):
        return {**plan, **kept}
    items = planned_items(plan) or ItemList(0, "")  # begun by an earlier version, or complete once
    shard = Shard(number=1, count=1, first=0, items=items.items, sha256=items.sha256)
    return {**plan, "created": begun.get("created"), **with_items(items, [shard])}


def _score_parts(
    draft: Draft,
    work: ShardWork,
    engine: Engine,
    progress: Progress,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Score the shards that are not whole."""
    parts = draft.parts()
    missing = [part.shard for part in parts if not part.is_whole]
    engine.score(work, missing, Watch(parts, progress, check))


def with_cache(metrics: Mapping[str, Metric], folder: Path | None) -> Mapping[str, Scorer]:
    """The metrics, the expensive ones with a cache if a folder is given."""
    if folder is None:
        return metrics
    return {
        label: CachedMetric(metric, folder) if metric.expensive else metric
        for label, metric in metrics.items()
    }


def _require_no_file(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise RunError(f"{out} is a file; name a folder for the run")


def _require_run_or_nothing(out: Path, *, replace: bool) -> None:
    """Raise unless the folder is empty, or holds a run that may be continued or replaced."""
    present = {entry.name for entry in out.iterdir()} - {LOCK}
    if MANIFEST in present and not replace:
        raise RunError(
            f"{out} already contains a run; resume=True continues it, force=True replaces "
            "it, or name another folder"
        )
    if MANIFEST not in present and present - {MANIFEST + ".new"}:
        raise RunError(f"{out} contains other files, not a run; name a new or empty folder")


def _require_apart(out: Path, source: Source, metrics: Mapping[str, Metric]) -> None:
    """Raise if a file that is read is one of those that the run will replace."""
    own = {_identity(out / name) for name in OWN_FILES} - {None}
    settings = [
        getattr(metric, field.name) for metric in metrics.values() for field in fields(metric)
    ]
    for path in [*source.files, *(value for value in settings if isinstance(value, Path))]:
        if _identity(path) in own:
            raise RunError(f"{path} is a file of the run {out} itself; name another folder for it")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _choose_draft(out: Path, plan: Mapping[str, Any], *, resume: bool, force: bool) -> Draft | None:
    """The draft that will be begun or continued; None if the run is complete already."""
    in_place, beside = Draft(out), Draft(out, is_beside=True)
    if force and in_place.is_begun:
        return beside
    if not (resume and in_place.is_begun):
        return in_place
    if beside.is_begun and "adds" not in beside.plan:
        try:
            require_same(out, beside.plan, plan)
        except RunError:
            pass  # another run was to replace this one
        else:
            return beside
    begun = in_place.read_plan()
    require_same(out, begun, plan)
    if begun.get("status") != "complete":
        return in_place
    try:
        open_run(out)
    except RunError:
        _require_repairable(in_place, begun)
        return in_place
    return None


def _require_repairable(draft: Draft, begun: Mapping[str, Any]) -> None:
    """Raise if the lines of a complete run were edited: only missing ones can be scored again."""
    is_cut = count_lines(draft.scores) < (Run(draft.folder, begun).items or 0)
    if not is_cut and not is_meant(draft.scores, SCORES, begun):
        raise damaged(draft.scores)


def _seldom(check: Callable[[], None], files: int) -> Callable[[], None]:
    """The check of so many files; of many, skipped if the last one was a moment ago."""
    if files < _MANY_FILES:
        return check
    last = time.monotonic()

    def maybe() -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LOOKS:
            check()
            last = time.monotonic()

    return maybe
