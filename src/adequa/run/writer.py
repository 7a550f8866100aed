"""Scoring into a run folder: begin, resume, add. Killed at any moment, nothing is lost or doubled.

`scores.jsonl` only ever grows by whole batches of lines, so whatever a kill leaves is a run's
beginning plus at most one torn line. `manifest.json` is written before the first score and says
`running` until the summary stands; both JSON files are replaced whole or not at all.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from adequa import __version__
from adequa.data import Result
from adequa.errors import DataError, RunError
from adequa.files import locked, write_json
from adequa.metrics.base import Metric, Scorer
from adequa.readers import Source
from adequa.run.cache import cached
from adequa.run.engines import encoded_batches
from adequa.run.folder import MANIFEST, SCORES, SUMMARY, Run, open_run, read_json
from adequa.run.manifest import check_same, describe_metrics, plan_run
from adequa.run.summary import summarise
from adequa.strict_json import load_object

Progress = Callable[[int, int], None]
"""Called with the items done and the items in all."""

ADDED = "scores.jsonl.adding"
_DEFAULT_BATCH = 256


def _silent(done: int, total: int) -> None:
    del done, total


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
    progress: Progress = _silent,
) -> Run:
    """Score a source into the folder `out`; same bytes whatever the jobs, batches and resumes."""
    started = time.perf_counter()
    total = source.count()  # reads it all once: what is wrong shows before hours of scoring
    manifest = plan_run(source, metrics, total)
    if _prepare(out, manifest, resume=resume, force=force):
        return open_run(out)
    with (out / SCORES).open("ab+") as stream, locked(stream, out):
        done = _keep_whole_lines(stream)
        items = itertools.islice(source.placed(), max(done - 1, 0), None)
        if done:
            _check_continues(stream, next(items).item.key, out)
        results = (Result(placed.item, {}) for placed in items)
        _write(stream, results, cached(metrics, cache), done, total, jobs, batch_size, progress)
    return _finish(out, manifest, metrics, started)


def add_metrics(
    run: Run,
    metrics: Mapping[str, Metric],
    *,
    jobs: int = 1,
    batch_size: int = _DEFAULT_BATCH,
    cache: Path | None = None,
    progress: Progress = _silent,
) -> Run:
    """Add metrics to a finished run, from its own lines; until the end the old run stays whole."""
    started = time.perf_counter()
    known = sorted(metrics.keys() & run.manifest["metrics"].keys())
    if known:
        raise RunError(
            f"{run.path} has the metric {known[0]!r} already; give it an alias: x={known[0]}"
        )
    manifest = {
        **run.manifest,
        "metrics": {**run.manifest["metrics"], **describe_metrics(metrics)},
        "version": __version__,
    }
    temporary = run.path / ADDED
    with temporary.open("ab") as stream, locked(stream, run.path):
        stream.truncate(0)
        total = run.manifest["counts"]["items"]
        _write(stream, run.results(), cached(metrics, cache), 0, total, jobs, batch_size, progress)
    # A kill from here on leaves lines that know more than the manifest: adding again mends it.
    temporary.replace(run.path / SCORES)
    return _finish(run.path, manifest, {**run.metrics(), **metrics}, started)


def _prepare(out: Path, plan: Mapping[str, Any], *, resume: bool, force: bool) -> bool:
    """Make the folder ready for the plan; whether the run stands there complete already."""
    if resume and force:
        raise RunError("--resume continues a run and --force replaces it; give one of them")
    if out.exists() and not out.is_dir():
        raise RunError(f"{out} is a file; name a folder for the run")
    present = {entry.name for entry in out.iterdir()} if out.is_dir() else set()
    if MANIFEST in present:
        if resume:
            return check_same(out, read_json(out / MANIFEST), plan)
        if not force:
            raise RunError(
                f"{out} holds a run already; --resume continues it, --force replaces it, "
                "or name another folder"
            )
        for name in (MANIFEST, SUMMARY, SCORES, ADDED):
            (out / name).unlink(missing_ok=True)
    elif present - {MANIFEST + ".new"}:
        raise RunError(f"{out} holds other files and no run; name a new or empty folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / MANIFEST, plan)
    except OSError as error:
        raise RunError(f"{out} cannot be written ({error.strerror}); name another folder") from None
    return False


def _keep_whole_lines(stream: IO[bytes]) -> int:
    """Cut off what a kill left of a torn line; how many lines remain."""
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


def _check_continues(stream: IO[bytes], key: tuple[str, str], out: Path) -> None:
    """The last line kept must be the item before the one that comes next."""
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
        raise RunError(f"{out / SCORES} was damaged or edited; --force begins anew")


def _write(
    stream: IO[bytes],
    results: Iterable[Result],
    metrics: Mapping[str, Scorer],
    done: int,
    total: int,
    jobs: int,
    batch_size: int,
    progress: Progress,
) -> None:
    progress(done, total)
    for count, data in encoded_batches(results, metrics, batch_size=batch_size, jobs=jobs):
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
    seconds = time.perf_counter() - started
    counts = {
        "items": summary["items"],
        "systems": {system: entry["items"] for system, entry in summary["systems"].items()},
    }
    timings = {"seconds": round(seconds, 3)}
    write_json(
        out / MANIFEST, {**manifest, "status": "complete", "counts": counts, "timings": timings}
    )
    return open_run(out)
