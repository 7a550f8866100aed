"""A run in the making: the plan, the lines that are kept, and the one step that completes it.

A new run is written in place, under the names of a run: its lines are there from the first batch
on. What replaces a run (`--force`) or extends it (`--add`) is written beside it, under names that
end in `.next`, and the run stays as it is until the new one is complete. Both are continued after a
kill: lines are appended in whole batches, and an incomplete last line is cut off.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from adequa.errors import DataError, RunError
from adequa.files import decode_own, lines, load_object, sync_folder, write_json
from adequa.run.folder import (
    MANIFEST,
    NEXT,
    SCORES,
    SUMMARY,
    Run,
    describe_files,
    open_run,
    peek_json,
    read_json,
    settle,
)
from adequa.run.plan import ItemHash, ItemList

OWN_FILES = frozenset(
    name + ending
    for name in (MANIFEST, SCORES, SUMMARY)
    for ending in ("", ".new", NEXT, NEXT + ".new")
)
"""Every name that a writer gives a file."""
_EVIDENCE = {"mentions", "facts", "findings", "verdicts", "verdict"}
"""What every line has beside its item and its scores."""


@dataclass(frozen=True)
class Draft:
    """The files of a run that is being written; for the holder of the folder's lock."""

    folder: Path
    is_beside: bool = False

    def _path(self, name: str) -> Path:
        return self.folder / (name + NEXT if self.is_beside else name)

    @property
    def scores(self) -> Path:
        """The file that the lines are appended to."""
        return self._path(SCORES)

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

    def begin(self, plan: Mapping[str, Any]) -> None:
        """Drop what was kept, and write the plan."""
        with write_errors(self.folder):
            self.scores.unlink(missing_ok=True)  # first: no line passes for one of another plan
            write_json(self._path(MANIFEST), plan)

    def revise(self, plan: Mapping[str, Any]) -> None:
        """Replace the plan, and keep the lines."""
        with write_errors(self.folder):
            write_json(self._path(MANIFEST), plan)

    def keep_lines(self, labels: frozenset[str]) -> ItemList:
        """Cut off an incomplete last line; the items of the other lines.

        Raises a RunError if a line is not one of these metrics.
        """
        if not self.scores.exists():
            return ItemHash().total
        with write_errors(self.folder):
            _cut(self.scores)
        kept = ItemHash()
        for number, line in lines(self.scores, is_bounded=False):
            try:
                raw = load_object(line, decode=decode_own)
                is_whole = raw.keys() >= _EVIDENCE and raw["scores"].keys() == labels
            except (DataError, TypeError, KeyError, AttributeError):
                is_whole = False
            if not is_whole:
                raise damaged(self.scores, number)
            kept.add_line(raw)
        return kept.total

    def objects(self) -> Iterator[dict[str, Any]]:
        """The lines as plain objects."""
        for number, line in lines(self.scores, is_bounded=False):
            try:
                yield load_object(line, decode=decode_own)
            except DataError:
                raise damaged(self.scores, number) from None

    @contextlib.contextmanager
    def appending(self) -> Iterator[IO[bytes]]:
        """The stream for further lines, without a buffer; on the disk at the end."""
        with write_errors(self.folder):
            stream = self.scores.open("ab", buffering=0)
        with stream:
            yield stream
            with write_errors(self.folder):
                os.fsync(stream.fileno())

    def commit(self, manifest: Mapping[str, Any], summary: Mapping[str, Any]) -> Run:
        """Make the draft the run, in one step: the replacement of the manifest."""
        with write_errors(self.folder):
            path = self._path(SUMMARY)
            write_json(path, summary)
            files = describe_files(scores=self.scores, summary=path)
            sync_folder(self.folder)
            write_json(self.folder / MANIFEST, {**manifest, "files": files, "status": "complete"})
            sync_folder(self.folder)
            settle(self.folder)
        return open_run(self.folder)


def append(stream: IO[bytes], data: bytes, folder: Path) -> None:
    """Write all bytes; a RunError if the disk is full."""
    with write_errors(folder):
        left = memoryview(data)
        while left:
            left = left[stream.write(left) :]


@contextlib.contextmanager
def write_errors(folder: Path) -> Iterator[None]:
    """Turn the OSError of a write into a RunError with the remedy."""
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{folder} cannot be written ({error.strerror or error}); what was scored is kept: "
            "make room or change the permissions, then repeat the command, with resume=True "
            "unless it added metrics"
        ) from None


def damaged(path: Path, line: int | None = None) -> RunError:
    """The error of a file with lines that are not those of its plan."""
    place = path if line is None else f"{path}:{line}"
    return RunError(f"{place} was damaged or edited; force=True replaces the run")


def _cut(path: Path) -> None:
    """Cut off an incomplete last line."""
    with path.open("rb+") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            start = max(end - (1 << 20), 0)
            stream.seek(start)
            found = stream.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        stream.truncate(end)
