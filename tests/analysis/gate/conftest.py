"""Runs whose truth is known, written as the contract says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .known_runs import line

METRICS = ("esa", "nli")


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """A run with one item a number: how many of its four facts the text leaves out."""

    def write(
        name: str,
        missing: Sequence[int],
        *,
        system: str = "T5",
        esa: Sequence[float | None] = (),
        more: Sequence[dict[str, Any]] = (),
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        rows = [
            line(
                number,
                system=system,
                esa=esa[number] if esa else 1 - count / 10,
                missing=count,
                facts=4,
            )
            for number, count in enumerate(missing)
        ]
        rows += more
        (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        metrics = {
            label: {
                "name": label,
                "settings": {},
                "higher_is_better": True,
                "signature": f"{label}|version:0",
            }
            for label in METRICS
        }
        manifest = {"status": "complete", "metrics": metrics}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        systems = dict.fromkeys(row["system"] for row in rows)
        summary = {"systems": {name: {} for name in systems}}
        (folder / "summary.json").write_text(json.dumps(summary))
        return folder

    return write
