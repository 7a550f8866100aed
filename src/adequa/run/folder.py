"""The folder of a run: `manifest.json`, `scores.jsonl` and `summary.json`."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.codec import result_from_object
from adequa.data import Coverage, Result
from adequa.errors import AdequaError, DataError, RunError
from adequa.files import lines, load_object
from adequa.metrics import Metric, load_metric
from adequa.readers import Source
from adequa.settings import plain_settings

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
            with contextlib.suppress(AdequaError):
                built[label] = load_metric(entry["name"], **entry["settings"])
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


def plan_run(
    source: Source, metrics: Mapping[str, Metric], coverages: Mapping[Coverage, int]
) -> dict[str, Any]:
    """The manifest of a run that is about to start; `coverages` counts its items."""
    return {
        "format": 1,
        "version": __version__,
        "status": "running",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "inputs": {
            "path": str(source.path),
            "reader": source.format,
            "settings": plain_settings(source.reader),
            "texts": {system: str(path) for system, path in source.texts.items()},
            "files": [_fingerprint(path) for path in source.files],
        },
        "metrics": describe_metrics(metrics),
        "coverage": "mixed" if len(coverages) > 1 else "".join(coverages) or "all",
        "counts": {"items": sum(coverages.values())},
    }


def describe_metrics(metrics: Mapping[str, Metric]) -> dict[str, Any]:
    """The metrics by label, with everything needed to build them again."""
    return {
        label: {
            "name": metric.name,
            "settings": plain_settings(metric),
            "signature": metric.signature,
            "higher_is_better": metric.higher_is_better,
            "best": _json_number(metric.best),
            "worst": _json_number(metric.worst),
        }
        for label, metric in metrics.items()
    }


def _json_number(value: float) -> float | str:
    return value if abs(value) != float("inf") else str(value)


def _fingerprint(path: Path) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            size += len(block)
    return {"path": str(path), "sha256": digest.hexdigest(), "bytes": size}


def require_same(out: Path, begun: Mapping[str, Any], plan: Mapping[str, Any]) -> bool:
    """Whether the run is complete; raises if it was begun with other data or settings."""
    try:
        old_metrics = {label: entry["signature"] for label, entry in begun["metrics"].items()}
        old_inputs = _essence(begun["inputs"])
        status = begun["status"]
    except (KeyError, TypeError, AttributeError):
        raise RunError(f"{out / MANIFEST} is not a run's manifest; use --force") from None
    new_metrics = {label: entry["signature"] for label, entry in plan["metrics"].items()}
    differences = [
        f"{label}: {old_metrics.get(label, 'absent')} then, {new_metrics.get(label, 'absent')} now"
        for label in [*old_metrics, *(new for new in new_metrics if new not in old_metrics)]
        if old_metrics.get(label) != new_metrics.get(label)
    ]
    new_inputs = _essence(plan["inputs"])
    differences += [name for name in old_inputs if old_inputs[name] != new_inputs[name]]
    if begun.get("coverage", "all") != plan["coverage"]:
        differences.append("the coverage differs")
    if differences:
        raise RunError(
            f"{out} was begun with other data or settings ({'; '.join(differences)}); "
            "give the same ones, or replace the run with --force"
        )
    return bool(status == "complete")


def _essence(inputs: Mapping[str, Any]) -> dict[str, object]:
    return {
        "the format differs": (inputs["reader"], inputs["settings"]),
        "the systems of --texts differ": list(inputs["texts"]),
        "an input file has changed": [file["sha256"] for file in inputs["files"]],
    }
