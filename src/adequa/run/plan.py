"""The plan of a run, written into its manifest before the first score.

It says which items are to be scored, from which files and by which metrics. A run is complete when
the items in its `scores.jsonl` are the planned ones: the same items, in the same order.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from adequa import __version__
from adequa.codec import item_fields, item_to_object
from adequa.data import Coverage, Item
from adequa.errors import DataError, RunError
from adequa.files import dump_line
from adequa.metrics import Metric, plugin_errors
from adequa.readers import Source
from adequa.settings import file_hash, plain_settings

_Line = TypeVar("_Line", bound=Mapping[str, Any])


@dataclass(frozen=True)
class ItemList:
    """The number of items, and a hash of all of them in their order."""

    items: int
    sha256: str


class ItemHash:
    """Counts and hashes items one after the other."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._count = 0
        self._digest = hashlib.sha256()
        self._coverages: set[Coverage] = set()
        for item in items:
            self._coverages.add(item.coverage)
            self._add(item_to_object(item))

    def of_lines(self, raws: Iterable[_Line]) -> Iterator[_Line]:
        """The same lines of a run, whose items are added."""
        for raw in raws:
            self.add_line(raw)
            yield raw

    def add_line(self, raw: Mapping[str, Any]) -> None:
        """The item of the next line of a run."""
        self._add(item_fields(raw))

    def _add(self, raw: Mapping[str, Any]) -> None:
        self._count += 1
        self._digest.update(dump_line(raw).encode())

    @property
    def total(self) -> ItemList:
        """All of them, in their order."""
        return ItemList(self._count, self._digest.hexdigest())

    @property
    def coverage(self) -> str:
        """Of the items: `all`, `selected` or `mixed`."""
        return "mixed" if len(self._coverages) > 1 else "".join(self._coverages) or "all"


def new_id() -> str:
    """What tells a plan from any other, be it for the same run."""
    return secrets.token_hex(8)


def plan_run(source: Source, metrics: Mapping[str, Metric], items: ItemHash) -> dict[str, Any]:
    """The manifest of a run that is about to start, with the items of the source."""
    return {
        "format": 1,
        "id": new_id(),
        "version": __version__,
        "status": "running",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "inputs": {
            "path": source.label or str(source.path),
            "reader": source.format,
            "settings": plain_settings(source.reader),
            "texts": {system: str(path) for system, path in source.texts.items()},
            "files": [_fingerprint(path, source) for path in source.files],
        },
        "metrics": describe_metrics(metrics),
        "coverage": items.coverage,
        **_described(items.total),
    }


def with_items(plan: Mapping[str, Any], items: ItemList) -> dict[str, Any]:
    """The plan with its items."""
    return {**plan, **_described(items)}


def _described(items: ItemList) -> dict[str, Any]:
    # `counts` has the number from the beginning; the counts of a complete run are what was found.
    return {"planned": asdict(items), "counts": {"items": items.items}}


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


def _fingerprint(path: Path, source: Source) -> dict[str, Any]:
    shown = source.label if source.label and path == source.path else str(path)
    try:
        return {"path": shown, "sha256": file_hash(path), "bytes": path.stat().st_size}
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
    differences = [
        f"{label}: {old_metrics.get(label, 'absent')} then, {new_metrics.get(label, 'absent')} now"
        for label in {**old_metrics, **new_metrics}
        if old_metrics.get(label) != new_metrics.get(label)
    ]
    differences += [name for name in old_inputs if old_inputs[name] != new_inputs[name]]
    if begun.get("coverage", "all") != plan["coverage"]:
        differences.append("the coverage differs")
    if differences:
        raise RunError(
            f"{out} was begun with other data or settings ({'; '.join(differences)}); "
            "give the same ones, or replace the run with force=True"
        )


def _signatures(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {label: entry["signature"] for label, entry in manifest["metrics"].items()}


def _essence(inputs: Mapping[str, Any]) -> dict[str, object]:
    return {
        "the format differs": (inputs["reader"], inputs["settings"]),
        "the systems of the texts differ": list(inputs["texts"]),
        "an input file has changed": [file["sha256"] for file in inputs["files"]],
    }
