"""A finished run on disk: `manifest.json`, `scores.jsonl` and `summary.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adequa.codec import result_from_object
from adequa.data import Result
from adequa.errors import AdequaError, DataError, RunError
from adequa.files import lines
from adequa.metrics import load_metric
from adequa.metrics.base import Metric
from adequa.strict_json import load_object

MANIFEST = "manifest.json"
SCORES = "scores.jsonl"
SUMMARY = "summary.json"


@dataclass(frozen=True)
class Run:
    """A finished run."""

    path: Path
    manifest: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.resolve().name

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The lines of `scores.jsonl` as plain objects with their numbers; faster than results."""
        path = self.path / SCORES
        for number, line in lines(path):
            try:
                yield number, load_object(line)
            except DataError as error:
                raise error.at(path, number) from None

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
            try:
                metric = load_metric(entry["name"], **entry["settings"])
            except AdequaError:
                continue
            built[label] = metric
        return built

    @property
    def summary(self) -> Mapping[str, Any]:
        """Per system and metric: mean, interval, counts, corpus value."""
        return read_json(self.path / SUMMARY)


def open_run(path: Run | Path | str) -> Run:
    """Open a finished run, which may be open already; anything else is a RunError."""
    if isinstance(path, Run):
        return path
    path = Path(path)
    if not path.is_dir():
        raise RunError(f"{path} is not a folder; name the folder that `adequa score --out` wrote")
    if not (path / MANIFEST).is_file():
        raise RunError(f"{path} is not a run: it has no {MANIFEST}; name what `--out` named")
    manifest = read_json(path / MANIFEST)
    if manifest.get("status") != "complete":
        raise RunError(f"{path} is not finished; complete it with the same command and --resume")
    return Run(path, manifest)


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
