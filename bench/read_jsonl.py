"""Reading JSON lines, validation included, against a bare json.loads of each line."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import adequa
from bench.clock import ratio
from bench.items import write_items

TARGET = 4.0


def measure(data: Path) -> list[dict[str, object]]:
    """On generated items, and on the Quintd texts if available."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "items.jsonl"
        write_items(made, 20_000)
        files = {"20,000 made-up items": made}
        real = data / "quintd" / "wikidata-dev.jsonl"
        if real.is_file():
            files["quintd"] = real
        for name, path in files.items():
            ours, bare = ratio(lambda path=path: _read(path), lambda path=path: _bare(path))  # type: ignore[misc]
            rows.append(
                {
                    "figure": f"JSONL reading / json.loads, {name}",
                    "value": ours / bare,
                    "target": f"≤ {TARGET}",
                    "reached": ours / bare <= TARGET,
                }
            )
    return rows


def _read(path: Path) -> None:
    for _ in adequa.read(path):
        pass


def _bare(path: Path) -> None:
    with path.open("rb") as stream:
        for line in stream:
            json.loads(line)
