"""The writer of runs: starts, resumes and extends them without losing or repeating an item.

A writer holds the lock of the folder from its first look at it until its last rename. It plans the
items, appends lines in batches of some seconds of work, and completes the run only if the items of
the lines are the planned ones (`Draft`, `finish`).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.data import Item, Result
from adequa.errors import RunError
from adequa.files import LOCK, locked
from adequa.metrics import Metric, Scorer
from adequa.progress import Progress, silent
from adequa.readers import Source
from adequa.run.cache import CachedMetric
from adequa.run.draft import OWN_FILES, Draft, append, damaged
from adequa.run.engines import encoded_batches
from adequa.run.folder import MANIFEST, SCORES, Run, count_lines, is_meant, open_run, settle
from adequa.run.plan import (
    ItemHash,
    ItemList,
    describe_metrics,
    new_id,
    plan_run,
    planned_items,
    require_same,
    with_items,
)
from adequa.run.summary import summarise

_DEFAULT_BATCH = 256
"""Most items per batch; affects speed and memory, never a score. No record of a measurement."""
_MANY_FILES, _SECONDS_BETWEEN_LOOKS = 100, 1.0
"""Whether an input has changed is seen after every batch; where a look takes a while, seldom."""


def score_run(
    source: Source,
    metrics: Mapping[str, Metric],
    out: Path,
    *,
    jobs: int = 1,
    batch_size: int = _DEFAULT_BATCH,
    resume: bool = False,
    force: bool = False,
    cache: Path | None = None,
    progress: Progress = silent,
) -> Run:
    """Score a source into the folder `out`.

    The bytes of `scores.jsonl` do not depend on jobs, batch size or resumes.
    """
    started = time.perf_counter()
    if resume and force:
        raise RunError("resume=True continues a run and force=True replaces it; give one of them")
    if out.exists() and not out.is_dir():
        raise RunError(f"{out} is a file; name a folder for the run")
    with locked(out):
        _require_run_or_nothing(out, replace=resume or force)
        _require_apart(out, source, metrics)
        settle(out)
        before = source.versions()
        # Reads the whole input, so that its errors show before hours of scoring.
        items = ItemHash(source)
        plan, planned = plan_run(source, metrics, items), items.total
        source.require_unchanged(before)
        draft = _choose_draft(out, plan, resume=resume, force=force)
        if draft is None:
            return open_run(out)
        is_continued = resume and draft.is_begun
        done = ItemHash().total
        if is_continued:
            plan["created"] = draft.plan.get("created", plan["created"])
            done = draft.keep_lines(frozenset(metrics))
            _require_beginning(draft, done, source)
            draft.revise(plan)
        else:
            draft.begin(plan)
        left = itertools.islice(source.placed(), done.items, planned.items)
        _append(
            draft,
            (Result(placed.item, {}) for placed in left),
            with_cache(metrics, cache),
            jobs=jobs,
            batch_size=batch_size,
            done=done.items,
            total=planned.items,
            progress=progress,
            check=_seldom(lambda: source.require_unchanged(before), len(before)),
        )
        source.require_unchanged(before)
        return finish(draft, plan, metrics, started)


def add_metrics(
    run: Run,
    metrics: Mapping[str, Metric],
    *,
    jobs: int = 1,
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
            raise RunError(f"{problem}; give it an alias: x={known[0]}")
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
                f"with the same command and --resume, or delete {MANIFEST}.next there"
            )
        done = ItemHash().total
        if begun.get("adds") == adds and begun.get("metrics") == described:
            done = draft.keep_lines(frozenset(described))
        planned = planned_items(run.manifest)
        if planned is None:
            planned = ItemHash(result.item for result in run.results()).total
        plan = with_items(plan, planned)
        if done.items:
            _require_beginning(draft, done, (result.item for result in run.results()))
            draft.revise(plan)
        else:
            draft.begin(plan)
        _append(
            draft,
            itertools.islice(run.results(), done.items, None),
            with_cache(metrics, cache),
            jobs=jobs,
            batch_size=batch_size,
            done=done.items,
            total=planned.items,
            progress=progress,
        )
        return finish(draft, plan, {**run.metrics(), **metrics}, started)


def finish(
    draft: Draft, plan: Mapping[str, Any], metrics: Mapping[str, Metric], started: float
) -> Run:
    """Make the draft the run of its folder, if its items are those of the plan."""
    found = ItemHash()
    summary = summarise(found.of_lines(draft.objects()), metrics)
    if found.total != planned_items(plan):
        raise damaged(draft.scores)
    systems = {system: entry["items"] for system, entry in summary["systems"].items()}
    manifest = {name: value for name, value in plan.items() if name != "adds"} | {
        "counts": {"items": summary["items"], "systems": systems},
        "timings": {"seconds": round(time.perf_counter() - started, 3)},
    }
    return draft.commit(manifest, summary)


def with_cache(metrics: Mapping[str, Metric], folder: Path | None) -> Mapping[str, Scorer]:
    """The metrics, the expensive ones with a cache if a folder is given."""
    if folder is None:
        return metrics
    return {
        label: CachedMetric(metric, folder) if metric.expensive else metric
        for label, metric in metrics.items()
    }


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


def _require_beginning(draft: Draft, done: ItemList, items: Iterable[Item]) -> None:
    """Raise unless the lines that are kept are those of the first items."""
    if ItemHash(itertools.islice(items, done.items)).total != done:
        raise damaged(draft.scores)


def _append(
    draft: Draft,
    results: Iterable[Result],
    scorers: Mapping[str, Scorer],
    *,
    jobs: int,
    batch_size: int,
    done: int,
    total: int,
    progress: Progress,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Score results and append their lines, batch by batch; `check` is called after each."""
    progress(done, total)
    batches = encoded_batches(results, scorers, batch_size=batch_size, jobs=jobs)
    with draft.appending() as stream, closing(batches):  # closed, it ends its processes at once
        for count, data in batches:
            check()
            append(stream, data, draft.folder)
            done += count
            progress(done, total)


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
