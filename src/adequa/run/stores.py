"""Inputs and runs on object stores (`s3://`, `gs://`, `hf://`), by fsspec.

A store has no locks and cannot append or rename, but a file on it appears whole. So a run is
written in a folder of this machine and uploaded when it is complete, its manifest last; of a run in
shards, each process uploads its own part. The plan is the same for all, whoever is the first.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from adequa.errors import DataError, MissingExtra, RunError
from adequa.run.folder import MANIFEST, SCORES, SHARDS, SUMMARY, peek_json, read_json


@contextlib.contextmanager
def local_input(url: str) -> Iterator[Path]:
    """A copy of a file on a store, for the block."""
    with tempfile.TemporaryDirectory(prefix="adequa-input-") as folder:
        copy = Path(folder) / PurePosixPath(url).name
        files, there = _open(url)
        try:
            files.get_file(there, str(copy))
        except FileNotFoundError:
            raise DataError(f"{url} does not exist", remedy="check the address") from None
        yield copy


@contextlib.contextmanager
def local_run(url: str, *, shard: str | None = None) -> Iterator[Path]:
    """A folder for a run on a store, whose new files are uploaded at the end of the block.

    With the name of a shard, only the plan and this shard are looked at.
    """
    files, there = _open(url)
    with tempfile.TemporaryDirectory(prefix="adequa-run-") as name:
        folder = Path(name) / "run"
        pulled = _pull(files, there, folder, shard)
        yield folder
        _push(files, there, folder, pulled, is_shard=shard is not None)


def _open(url: str) -> tuple[Any, str]:
    """The file system of an address, and the path there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtra("ray", "fsspec") from None
    try:
        files, there = url_to_fs(url)
    except (ImportError, ValueError) as error:  # the package of a store, or a store nobody knows
        raise RunError(f"{url} cannot be opened ({error})") from None
    return files, there.rstrip("/")


def _pull(files: Any, there: str, folder: Path, shard: str | None) -> set[str]:
    """Download a run, if there is one; the names of its files."""
    files.invalidate_cache()
    wanted = [f"{there}/{MANIFEST}"]
    if shard is None:
        wanted += [f"{there}/{SCORES}", f"{there}/{SUMMARY}", *files.glob(f"{there}/{SHARDS}/*")]
    else:
        wanted += [f"{there}/{SHARDS}/{shard}.json", f"{there}/{SHARDS}/{shard}.jsonl"]
    pulled = set()
    for one in wanted:
        if files.exists(one):
            name = one.removeprefix(there).lstrip("/")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            files.get_file(one, str(folder / name))
            pulled.add(name)
    return pulled


def _push(files: Any, there: str, folder: Path, pulled: set[str], *, is_shard: bool) -> None:
    """Upload what is new, and remove what is gone; the manifest of a complete run is the last."""
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if is_shard and MANIFEST not in pulled:
        _push_plan(files, there, folder)
    for name in sorted(present - ({MANIFEST, *pulled} if is_shard else {MANIFEST})):
        files.put_file(str(folder / name), f"{there}/{name}")
    if not is_shard:
        files.put_file(str(folder / MANIFEST), f"{there}/{MANIFEST}")
        for name in pulled - present:
            files.rm_file(f"{there}/{name}")


def _push_plan(files: Any, there: str, folder: Path) -> None:
    """Upload the plan, unless another process was faster; a RunError if its plan is another."""
    path = folder / MANIFEST
    with contextlib.suppress(FileExistsError):
        files.pipe_file(f"{there}/{MANIFEST}", path.read_bytes(), mode="create")
        return
    with tempfile.TemporaryDirectory(prefix="adequa-plan-") as name:
        other = Path(name) / MANIFEST
        files.get_file(f"{there}/{MANIFEST}", str(other))
        first, second = read_json(other), peek_json(path)
        if any(first.get(key) != second.get(key) for key in (SHARDS, "planned", "metrics")):
            raise RunError(f"{there} was begun with other data or settings; name another folder")
