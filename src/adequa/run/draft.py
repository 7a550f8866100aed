"""A run in the making: the plan, its shards, and the one step that completes it.

A new run is written in place, under the names of a run. What replaces a run (`--force`) or extends
it (`--add`) is written beside it, under names that end in `.next`, and the run stays as it is until
the new one is complete. Both are continued after a kill, shard by shard.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adequa.errors import RunError
from adequa.files import sync_folder, write_json
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
from adequa.run.plan import planned_items
from adequa.run.shards import Part, damaged, planned_shards, write_errors
from adequa.run.summary import Tally

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
