"""A run in the making: the plan, its shards, and the one step that completes it.

A new run is written in place, under the names of a run. What replaces a run (`--force`) or extends
it (`--add`) is written beside it, under names that end in `.next`, and the run stays as it is until
the new one is complete. Both are continued after a kill, shard by shard.

The plan is the manifest before the first score: which items are to be scored, from which files, by
which metrics and in which shards. A run is complete when the items of its shards are the planned
ones, in the same order.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.errors import DataError, RunError
from adequa.files import sync_folder, write_json
from adequa.metrics import Metric, plugin_errors
from adequa.readers import Source
from adequa.run.folder import (
    MANIFEST,
    NEXT,
    SCORES,
    SHARDS,
    SUMMARY,
    Run,
    describe_file,
    open_run,
    peek_json,
    read_json,
    settle,
)
from adequa.run.shards import (
    ItemList,
    Part,
    Shard,
    SourceFeed,
    damaged,
    plan_shards,
    planned_shards,
    write_errors,
)
from adequa.run.summary import Tally
from adequa.settings import file_hash, plain_settings


def new_id() -> str:
    """What tells a plan from any other, be it for the same run."""
    return secrets.token_hex(8)


def plan_run(source: Source, metrics: Mapping[str, Metric], count: int) -> dict[str, Any]:
    """The manifest of a run that is about to start, with its items in so many shards.

    Reads the whole input, so that its errors show before hours of scoring.
    """
    feed = SourceFeed(source)
    items, shards = plan_shards(feed, count)
    return {
        "format": 1,
        "id": new_id(),
        "version": __version__,
        "status": "running",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "inputs": describe_inputs(source),
        "metrics": describe_metrics(metrics),
        "coverage": "mixed" if len(feed.coverages) > 1 else "".join(feed.coverages),
        **with_items(items, shards),
    }


def describe_inputs(source: Source, *, is_hashed: bool = True) -> dict[str, Any]:
    """The files of a source and how they are read; without their hashes if so told."""
    return {
        "path": source.label or str(source.path),
        "reader": source.format,
        "settings": plain_settings(source.reader),
        "texts": {system: str(path) for system, path in source.texts.items()},
        "files": [_fingerprint(path, source, is_hashed=is_hashed) for path in source.files],
    }


def with_items(items: ItemList, shards: Sequence[Shard]) -> dict[str, Any]:
    """The items of a plan, for its manifest."""
    return {
        "planned": asdict(items),
        # From the beginning; the counts of a complete run are what was found.
        "counts": {"items": items.items},
        "shards": [
            {"first": one.first, "items": one.items, "sha256": one.sha256}
            | ({} if one.within is None else one.within._asdict())
            for one in shards
        ],
    }


def planned_items(manifest: Mapping[str, Any]) -> ItemList | None:
    """The items that a manifest plans; None in a manifest of an earlier version."""
    planned = manifest.get("planned")
    if not isinstance(planned, dict):
        return None
    return ItemList(planned.get("items", -1), planned.get("sha256", ""))


def describe_metrics(metrics: Mapping[str, Metric]) -> dict[str, Any]:
    """The metrics by label, with everything needed to build them again."""
    return {label: _describe(label, metric) for label, metric in metrics.items()}


def _describe(label: str, metric: Metric) -> dict[str, Any]:
    with plugin_errors(label, metric):
        return {
            "name": metric.name,
            "settings": plain_settings(metric),
            "signature": metric.signature,
            "higher_is_better": metric.higher_is_better,
            "best": _json_number(metric.best),
            "worst": _json_number(metric.worst),
        }


def _json_number(value: float) -> float | str:
    return value if abs(value) != float("inf") else str(value)


def _fingerprint(path: Path, source: Source, *, is_hashed: bool) -> dict[str, Any]:
    shown = source.label if source.label and path == source.path else str(path)
    try:
        digest = file_hash(path) if is_hashed else None
        return {"path": shown, "sha256": digest, "bytes": path.stat().st_size}
    except OSError as error:
        raise DataError.of_file(error, path) from None


def require_same(out: Path, begun: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    """Raise if a run was begun with other data or settings than planned."""
    try:
        old_metrics = _signatures(begun)
        old_inputs = _essence(begun["inputs"])
    except (KeyError, TypeError, AttributeError):
        raise RunError(f"{out} has a manifest that is not a run's; use force=True") from None
    new_metrics, new_inputs = _signatures(plan), _essence(plan["inputs"])
    if None in new_inputs[_FILES]:  # a shard reads a part; the hash of its items is compared later
        old_inputs[_FILES], new_inputs[_FILES] = (
            [file["bytes"] for file in one["inputs"]["files"]] for one in (begun, plan)
        )
    differences = [
        f"{label}: {old_metrics.get(label, 'absent')} then, {new_metrics.get(label, 'absent')} now"
        for label in {**old_metrics, **new_metrics}
        if old_metrics.get(label) != new_metrics.get(label)
    ]
    differences += [name for name in old_inputs if old_inputs[name] != new_inputs[name]]
    if "coverage" in plan and begun.get("coverage", "all") != plan["coverage"]:
        differences.append("the coverage differs")
    if differences:
        raise RunError(
            f"{out} was begun with other data or settings ({'; '.join(differences)}); "
            "give the same ones, or replace the run with force=True"
        )


def _signatures(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {label: entry["signature"] for label, entry in manifest["metrics"].items()}


_FILES = "an input file has changed"


def _essence(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "the format differs": (inputs["reader"], inputs["settings"]),
        "the systems of the texts differ": list(inputs["texts"]),
        _FILES: [file["sha256"] for file in inputs["files"]],
    }


OWN_FILES = frozenset(
    name + ending
    for name in (MANIFEST, SCORES, SUMMARY)
    for ending in ("", ".new", NEXT, NEXT + ".new")
)
"""Every name that a writer gives a file, beside those in the folder of shards."""
_NAMED = 5
"""So many missing shards are named one by one."""


@dataclass(frozen=True)
class Draft:
    """The files of a run that is being written; for the holder of the folder's lock."""

    folder: Path
    is_beside: bool = False

    def _path(self, name: str) -> Path:
        return self.folder / (name + NEXT if self.is_beside else name)

    @property
    def scores(self) -> Path:
        """The file that the lines of all shards are copied to."""
        return self._path(SCORES)

    @property
    def shards(self) -> Path:
        """The folder of the shards."""
        return self._path(SHARDS)

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as it was written; empty if none was begun."""
        return peek_json(self._path(MANIFEST))

    @property
    def is_begun(self) -> bool:
        """Whether there is a plan."""
        return self._path(MANIFEST).is_file()

    def read_plan(self) -> dict[str, Any]:
        """The plan as it was written; a RunError if it cannot be read."""
        return read_json(self._path(MANIFEST))

    def parts(self) -> list[Part]:
        """The parts of all planned shards."""
        return [Part(self.shards, shard) for shard in planned_shards(self.plan)]

    def begin(self, plan: Mapping[str, Any]) -> None:
        """Drop what was kept, and write the plan."""
        with write_errors(self.folder):
            # First: no line passes for one of another plan. A worker whose parent was killed may
            # still write for a moment, so each part is dropped by the holder of its lock.
            for part in self.parts():
                with part.locked():
                    part.begun.unlink(missing_ok=True)
                    part.path.unlink(missing_ok=True)
            shutil.rmtree(self.shards, ignore_errors=True)
            self.scores.unlink(missing_ok=True)
            write_json(self._path(MANIFEST), plan)

    def revise(self, plan: Mapping[str, Any]) -> None:
        """Replace the plan, and keep the lines."""
        with write_errors(self.folder):
            write_json(self._path(MANIFEST), plan)

    def adopt_lines(self) -> None:
        """Make the lines of a run that has no shards the begun part of its only shard."""
        part, *others = self.parts()
        if others or part.is_whole or part.begun.exists() or not self.scores.exists():
            return
        with write_errors(self.folder):
            self.shards.mkdir(exist_ok=True)
            self.scores.replace(part.begun)

    def complete(self, plan: Mapping[str, Any], metrics: Mapping[str, Any], seconds: float) -> Run:
        """Make the draft the run of its folder, if every planned item is there once."""
        parts = self.parts()
        missing = [part.shard for part in parts if not part.is_whole]
        if missing:
            numbers = ", ".join(str(shard.number) for shard in missing[:_NAMED])
            more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
            first = f"{missing[0].number}/{missing[0].count}"
            raise RunError(
                f"{self.folder} lacks {len(missing):,} of {len(parts):,} shards ({numbers}{more}); "
                f"score shard {first} … with the settings of the run, or all with resume=True"
            )
        planned = planned_items(plan)
        if planned is None or sum(part.shard.items for part in parts) != planned.items:
            raise damaged(self._path(MANIFEST))
        tally, digest, scoring = Tally(), hashlib.sha256(), 0.0
        with write_errors(self.folder), self.scores.open("wb") as stream:
            for part in parts:
                own, took = part.copy(stream, digest)
                tally.merge(own)
                scoring += took
            stream.flush()
            os.fsync(stream.fileno())
        summary = tally.summary(metrics)
        if summary["items"] != planned.items:
            raise damaged(self.scores)
        systems = {system: entry["items"] for system, entry in summary["systems"].items()}
        manifest = {name: value for name, value in plan.items() if name not in ("adds", SHARDS)} | {
            "counts": {"items": summary["items"], "systems": systems},
            "timings": {"seconds": round(seconds, 3), "scoring": round(scoring, 3)},
        }
        return self._commit(manifest, summary, digest.hexdigest())

    def _commit(self, manifest: Mapping[str, Any], summary: Mapping[str, Any], sha256: str) -> Run:
        """Make the draft the run, in one step: the replacement of the manifest."""
        with write_errors(self.folder):
            path = self._path(SUMMARY)
            write_json(path, summary)
            scores = {"bytes": self.scores.stat().st_size, "sha256": sha256}
            files = {SCORES: scores, SUMMARY: describe_file(path)}
            sync_folder(self.folder)
            write_json(self.folder / MANIFEST, {**manifest, "files": files, "status": "complete"})
            sync_folder(self.folder)
            settle(self.folder)
        return open_run(self.folder)
