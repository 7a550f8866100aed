"""The manifest of a run: its inputs and metrics, and the check before a run is resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.errors import RunError
from adequa.metrics.base import Metric
from adequa.readers import Source
from adequa.run.folder import MANIFEST
from adequa.settings import plain_settings


def plan_run(source: Source, metrics: Mapping[str, Metric], total: int) -> dict[str, Any]:
    """The manifest of a run that is about to start."""
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
        "counts": {"items": total},
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


def check_same(out: Path, begun: Mapping[str, Any], plan: Mapping[str, Any]) -> bool:
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
