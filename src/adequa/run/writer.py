"""The writer of runs: starts, resumes and extends them without losing or repeating an item.

`scores.jsonl` grows only by whole batches of lines, so a killed process leaves the beginning of a
run and at most one incomplete line. `manifest.json` is written before the first score, and its
status is `running` until the summary is written; both JSON files are replaced as a whole.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from adequa import __version__
from adequa.data import Result
from adequa.errors import DataError, RunError
from adequa.files import load_object, locked, write_json
from adequa.metrics import Metric, Scorer
from adequa.progress import Progress, silent
from adequa.readers import Source
from adequa.run.cache import CachedMetric
from adequa.run.engines import encoded_batches
from adequa.run.folder import (
    MANIFEST,
    SCORES,
    SUMMARY,
    Run,
    describe_metrics,
    open_run,
    plan_run,
    read_json,
    require_same,
)
from adequa.run.summary import summarise

ADDED = "scores.jsonl.adding"
_DEFAULT_BATCH = 256
"""Items per batch; affects speed and memory, never a score. No record of a measurement."""


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
    # Reads the whole input, so that its errors show before hours of scoring.
    coverages = source.coverages()
    total = sum(coverages.values())
    manifest = plan_run(source, metrics, coverages)
    if _prepare(out, manifest, resume=resume, force=force):
        return open_run(out)
    with (out / SCORES).open("ab+") as stream, locked(stream, out):
        done = _keep_whole_lines(stream)
        items = itertools.islice(source.placed(), max(done - 1, 0), None)
        if done:
            _require_continuation(stream, next(items).item.key, out)
        results = (Result(placed.item, {}) for placed in items)
        scorers = with_cache(metrics, cache)
        batches = encoded_batches(results, scorers, batch_size=batch_size, jobs=jobs)
        _write(stream, batches, done=done, total=total, progress=progress)
    return _finish(out, manifest, metrics, started)


def add_metrics(
    run: Run,
    metrics: Mapping[str, Metric],
    *,
    jobs: int = 1,
    batch_size: int = _DEFAULT_BATCH,
    cache: Path | None = None,
    progress: Progress = silent,
) -> Run:
    """Add metrics to a finished run, which stays unchanged until all of them are scored."""
    started = time.perf_counter()
    known = sorted(metrics.keys() & run.manifest["metrics"].keys())
    if known:
        problem = f"{run.path} has the metric {known[0]!r} already"
        raise RunError(f"{problem}; give it an alias: x={known[0]}")
    described = {**run.manifest["metrics"], **describe_metrics(metrics)}
    manifest = {**run.manifest, "metrics": described, "version": __version__}
    temporary = run.path / ADDED
    with temporary.open("ab") as stream, locked(stream, run.path):
        stream.truncate(0)
        total = run.manifest["counts"]["items"]
        scorers = with_cache(metrics, cache)
        batches = encoded_batches(run.results(), scorers, batch_size=batch_size, jobs=jobs)
        _write(stream, batches, done=0, total=total, progress=progress)
    # A kill after this leaves lines with more metrics than the manifest; adding again repairs it.
    temporary.replace(run.path / SCORES)
    return _finish(run.path, manifest, {**run.metrics(), **metrics}, started)


def with_cache(metrics: Mapping[str, Metric], folder: Path | None) -> Mapping[str, Scorer]:
    """The metrics, the expensive ones with a cache if a folder is given."""
    if folder is None:
        return metrics
    return {
        label: CachedMetric(metric, folder) if metric.expensive else metric
        for label, metric in metrics.items()
    }


def _prepare(out: Path, plan: Mapping[str, Any], *, resume: bool, force: bool) -> bool:
    """Prepare the folder for the plan; True if the run is already complete."""
    if resume and force:
        raise RunError("--resume continues a run and --force replaces it; give one of them")
    if out.exists() and not out.is_dir():
        raise RunError(f"{out} is a file; name a folder for the run")
    present = {entry.name for entry in out.iterdir()} if out.is_dir() else set()
    if MANIFEST in present:
        if resume:
            return require_same(out, read_json(out / MANIFEST), plan)
        if not force:
            raise RunError(
                f"{out} already contains a run; --resume continues it, --force replaces it, "
                "or name another folder"
            )
        for name in (MANIFEST, SUMMARY, SCORES, ADDED):
            (out / name).unlink(missing_ok=True)
    elif present - {MANIFEST + ".new"}:
        raise RunError(f"{out} contains other files, not a run; name a new or empty folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / MANIFEST, plan)
    except OSError as error:
        raise RunError(f"{out} cannot be written ({error.strerror}); name another folder") from None
    return False


def _keep_whole_lines(stream: IO[bytes]) -> int:
    """Cut off an incomplete last line; the number of whole lines."""
    stream.seek(0)
    count = end = position = 0
    while block := stream.read(1 << 20):
        count += block.count(b"\n")
        last = block.rfind(b"\n")
        if last >= 0:
            end = position + last + 1
        position += len(block)
    stream.truncate(end)
    return count


def _require_continuation(stream: IO[bytes], key: tuple[str, str], out: Path) -> None:
    """Raise unless the last line kept is the item before the next one."""
    size = stream.seek(0, os.SEEK_END)
    window = 4096
    while True:
        stream.seek(max(size - window, 0))
        tail = stream.read()
        start = tail.rfind(b"\n", 0, len(tail) - 1)
        if start >= 0 or window >= size:
            break
        window *= 4
    try:
        raw = load_object(tail[start + 1 :].decode())
        found = (raw.get("system", ""), raw["id"])
    except (DataError, UnicodeDecodeError, KeyError, AttributeError):
        found = None
    if found != key:
        raise RunError(f"{out / SCORES} was damaged or edited; --force replaces the run")


def _write(
    stream: IO[bytes],
    batches: Iterable[tuple[int, bytes]],
    *,
    done: int,
    total: int,
    progress: Progress,
) -> None:
    progress(done, total)
    for count, data in batches:
        stream.write(data)
        stream.flush()
        done += count
        progress(done, total)
    os.fsync(stream.fileno())


def _finish(
    out: Path, manifest: Mapping[str, Any], metrics: Mapping[str, Metric], started: float
) -> Run:
    run = Run(out, manifest)
    summary = summarise((raw for _, raw in run.objects()), metrics)
    write_json(out / SUMMARY, summary)
    systems = {system: entry["items"] for system, entry in summary["systems"].items()}
    counts = {"items": summary["items"], "systems": systems}
    timings = {"seconds": round(time.perf_counter() - started, 3)}
    complete = {"status": "complete", "counts": counts, "timings": timings}
    write_json(out / MANIFEST, {**manifest, **complete})
    return open_run(out)
