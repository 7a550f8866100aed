"""The plan of a run, written into its manifest before the first score.

It says which items are to be scored, from which files and by which metrics, and the shards they
fall into: byte ranges at line ends where each line is an item, ranges of items elsewhere. A run is
complete when the items of its shards are the planned ones: the same items, in the same order.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.errors import DataError, RunError
from adequa.metrics import Metric, plugin_errors
from adequa.readers import Source
from adequa.run.shards import ItemList, Shard, SourceFeed, plan_shards
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
