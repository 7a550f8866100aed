"""Small runs whose scores a test chooses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from adequa.codec import result_to_object
from adequa.data import Item, Result, Triple
from adequa.files import dump_line

WriteRun = Callable[..., Path]

EDITS = {"name": "ter", "settings": {}, "signature": "ter|version:1", "higher_is_better": False}
PLAIN = {"name": "?", "settings": {}, "signature": "good|version:1", "higher_is_better": True}


def result(
    system: str,
    number: int,
    scores: Mapping[str, float | None],
    statistics: Mapping[str, Sequence[float]] | None = None,
    **fields: Any,
) -> Result:
    """A line of a run; the triples follow from the number unless given."""
    triples = fields.pop("triples", None) or (Triple(f"Entity_{number}", "is", str(number)),)
    item = Item(f"Id{number}", triples, "a text", system=system, **fields)
    rows = {label: tuple(row) for label, row in (statistics or {}).items()}
    return Result(item, scores, statistics=rows)


@pytest.fixture
def write_run(tmp_path: Path) -> WriteRun:
    """Writes results as the run `name`; `metrics` are the manifest's."""

    def write(
        results: Iterable[Result], name: str = "run", metrics: Mapping[str, Any] | None = None
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        lines = [dump_line(result_to_object(one)) for one in results]
        (folder / "scores.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
        manifest = {"status": "complete", "counts": {"items": len(lines)}}
        manifest |= {"metrics": metrics or {"good": PLAIN}}
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return folder

    return write
