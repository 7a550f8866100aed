"""The folder of a run: `manifest.json`, `scores.jsonl` and `summary.json`, and how it is opened.

Every reader of runs opens them by `open_run`, which refuses a run that is not complete. The
manifest decides: it has the size and sha256 of the other two files, and a writer that replaces a
complete run leaves the new files beside the old ones, with the ending `.next`, until it has
replaced the manifest. So a run changes in one step, and a writer that is killed after this step
leaves a run that can be read; the next writer completes its renames (`settle`).

Inputs and runs may be on object stores (`s3://`, `gs://`, `hf://`; by fsspec). A store has no locks
and cannot append or rename, but a file on it appears whole. So a run is written in a folder of this
machine and uploaded when it is complete, its manifest last; of a run in shards, each process
uploads its own part. The plan is the same for all, whoever is the first.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from adequa.codec import result_from_object
from adequa.data import Result
from adequa.errors import AdequaError, DataError, RunError, load_extra
from adequa.files import decode_own, lines, load_object
from adequa.metrics import Metric, load_metric
from adequa.settings import file_hash
from adequa.tables import counted

MANIFEST = "manifest.json"
SCORES = "scores.jsonl"
SUMMARY = "summary.json"
SHARDS = "shards"
"""The folder of the shards of a run that is not complete, and the entry of a plan that lists them.
"""
NEXT = ".next"
"""The ending of files that will replace those without it."""

_RESUME = "score it with the same settings and resume=True to complete it"
_AGAIN = "score it again with force=True"
_SHOWN_OF = 2000
"""Lines that a notebook reads to show the worst texts of a run; some tenths of a second."""
_MOMENT, _MOMENTS = 0.05, 6
"""Seconds between looks at a run whose files do not fit together, and their number: a writer needs
about a millisecond from one rename to the next."""


@dataclass(frozen=True)
class Run:
    """A finished run."""

    path: Path
    manifest: Mapping[str, Any]

    def __repr__(self) -> str:
        items = "" if self.items is None else f", {counted(self.items, 'item')}"
        return f"Run({str(self.path)!r}{items}: {', '.join(self.manifest.get('metrics', ()))})"

    def _repr_html_(self) -> str:
        from adequa.marks import results_html
        from adequa.run.summary import summary_table, unscored_lines

        table = summary_table(self.summary, self.manifest).html()
        table += "".join(f"<div>{escape(line)}</div>" for line in unscored_lines(self.summary))
        texts = results_html(itertools.islice(self.results(), _SHOWN_OF))
        if (self.items or 0) > _SHOWN_OF:
            texts = f"<p>The worst of the first {_SHOWN_OF:,} texts:</p>{texts}"
        return f"<div><b>{escape(self.name)}</b></div>{table}{texts}"

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.resolve().name

    @property
    def scores_path(self) -> Path:
        """The file with one line per item."""
        return _current(self.path, SCORES, self.manifest)

    @property
    def summary_path(self) -> Path:
        """The file with the summary."""
        return _current(self.path, SUMMARY, self.manifest)

    @property
    def items(self) -> int | None:
        """The number of items; None if the manifest does not say it."""
        counts = self.manifest.get("counts")
        count = counts.get("items") if isinstance(counts, dict) else None
        return count if type(count) is int else None

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The lines of `scores.jsonl` as plain objects with their numbers; faster than results."""
        path, number = self.scores_path, 0
        for number, line in lines(path, is_bounded=False):
            try:
                raw = load_object(line, decode=decode_own)
            except DataError as error:
                raise error.at(path, number) from None
            self._require_metrics(path, number, raw)
            yield number, raw
        if self.items is not None and number != self.items:
            raise RunError(f"{path} changed while it was read; read it again when it is complete")

    def _require_metrics(self, path: Path, number: int, raw: Any) -> None:
        """Raise if a line has scores of other metrics than the manifest lists."""
        scores = raw.get("scores") if type(raw) is dict else None
        metrics = self.manifest.get("metrics")
        if type(scores) is dict and type(metrics) is dict and scores.keys() != metrics.keys():
            found, listed = ", ".join(scores) or "none", ", ".join(metrics) or "none"
            raise RunError(
                f"{path}:{number}: has scores of {found}, but {MANIFEST} lists {listed}; {_AGAIN}"
            )

    def results(self) -> Iterator[Result]:
        """The result of each item, in input order."""
        for number, raw in self.objects():
            try:
                yield result_from_object(raw)
            except DataError as error:
                raise error.at(self.path / SCORES, number) from None

    def metrics(self) -> dict[str, Metric]:
        """The metrics of the run; one that cannot be built again (a Python object) is left out."""
        built: dict[str, Metric] = {}
        for label, entry in self.manifest["metrics"].items():
            with contextlib.suppress(AdequaError):
                built[label] = load_metric(entry["name"], **entry["settings"])
        return built

    @property
    def summary(self) -> Mapping[str, Any]:
        """Per system and metric: mean, interval, counts, corpus value."""
        return read_json(self.summary_path)


def open_run(path: Run | Path | str) -> Run:
    """Open a complete run, which may be open already; anything else is a RunError."""
    if isinstance(path, Run):
        return path
    path = Path(path)
    if not path.is_dir():
        raise RunError(f"{path} is not a folder; name the folder that `adequa score` wrote")
    if not (path / MANIFEST).is_file():
        raise RunError(
            f"{path} is not a run: it has no {MANIFEST}; name the folder that `adequa score` wrote"
        )
    for _ in range(_MOMENTS):
        run = Run(path, read_json(path / MANIFEST))
        if run.manifest.get("status") != "complete":
            parts = [*(path / SHARDS).glob("*.jsonl*")] or [path / SCORES]
            done = sum(map(count_lines, parts))
            so_far = "" if run.items is None else f" ({done:,} of {run.items:,} items are scored)"
            raise RunError(f"{path} is not finished{so_far}; {_RESUME}")
        problem = _find_problem(run)
        if problem is None:
            return run
        time.sleep(_MOMENT)  # a writer may be between two renames
    raise RunError(
        f"{path} is not complete: {problem}; {_RESUME}, or with force=True to replace it"
    )


def _find_problem(run: Run) -> str | None:
    """Why the files of a run are not those of its manifest; None if they are."""
    if run.items is None:
        return f"{MANIFEST} does not say how many items it has"
    try:
        described = _describes_files(run.manifest)
        for name in (SCORES, SUMMARY) if described else ():
            path, wanted = _current(run.path, name, run.manifest), run.manifest["files"][name]
            if path.stat().st_size != wanted["bytes"]:
                found = count_lines(path) if name == SCORES else run.items
                if found != run.items:
                    return f"{name} has {found:,} of {run.items:,} items"
                return f"{name} was changed after it was written"
        if not described and (found := count_lines(run.path / SCORES)) != run.items:
            return f"{SCORES} has {found:,} of {run.items:,} items"
    except OSError as error:
        return f"{Path(error.filename or run.path).name} cannot be read ({error.strerror})"
    return None


def _describes_files(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest has the sizes and hashes of the other files; earlier versions had not."""
    files = manifest.get("files")
    return isinstance(files, dict) and all(
        isinstance(files.get(name), dict) and {"bytes", "sha256"} <= files[name].keys()
        for name in (SCORES, SUMMARY)
    )


def _current(folder: Path, name: str, manifest: Mapping[str, Any]) -> Path:
    """The file that a manifest means: the one of this name, or the one that will replace it."""
    beside = folder / (name + NEXT)
    return beside if is_meant(beside, name, manifest) else folder / name


def is_meant(path: Path, name: str, manifest: Mapping[str, Any]) -> bool:
    """Whether a file has the size and the content that a manifest gives a name."""
    if not _describes_files(manifest):
        return False
    wanted = manifest["files"][name]
    try:
        if path.stat().st_size != wanted["bytes"]:
            return False
        return file_hash(path) == str(wanted["sha256"])
    except OSError:
        return False


def describe_file(path: Path) -> dict[str, Any]:
    """The size and hash of a file of a run, for its manifest."""
    return {"bytes": path.stat().st_size, "sha256": file_hash(path)}


def settle(folder: Path) -> None:
    """Complete what a writer that was killed had left to do after it had replaced the manifest.

    For the holder of the lock only.
    """
    draft = folder / (MANIFEST + NEXT)
    committed, drafted = peek_json(folder / MANIFEST), peek_json(draft)
    if drafted and drafted.get("id") != committed.get("id"):
        return  # its files are not complete yet
    for name in (SCORES, SUMMARY):
        beside = folder / (name + NEXT)
        if is_meant(beside, name, committed):
            draft.unlink(missing_ok=True)  # first: without it, nothing is left to be continued
            beside.replace(folder / name)
    if committed.get("status") == "complete":
        for shards in (folder / SHARDS, folder / (SHARDS + NEXT)):
            shutil.rmtree(shards, ignore_errors=True)


def count_lines(path: Path) -> int:
    """The number of complete lines of a file; 0 if it cannot be read."""
    count = 0
    with contextlib.suppress(OSError), path.open("rb") as stream:
        while block := stream.read(1 << 20):
            count += block.count(b"\n")
    return count


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a run; raises a RunError if it cannot be read."""
    try:
        raw = load_object(path.read_text(encoding="utf-8"))
    except DataError as error:
        raise error.at(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path} cannot be read ({error}); score again into a new folder") from None
    if not isinstance(raw, dict):
        raise RunError(f"{path} is not a JSON object; score again into a new folder")
    return raw


def peek_json(path: Path) -> dict[str, Any]:
    """A JSON object of a run; empty if it is absent or damaged."""
    try:
        return read_json(path)
    except AdequaError:
        return {}


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
    fsspec = load_extra("ray", "fsspec.core")
    try:
        files, there = fsspec.url_to_fs(url)
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
