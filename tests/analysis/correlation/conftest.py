"""Small runs, score files and ratings whose values a test chooses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.codec import result_to_object
from adequa.data import Finding, Item, Result, Triple
from adequa.files import dump_line

METRICS = {
    "esa": {"name": "esa", "settings": {}, "signature": "esa|version:1", "higher_is_better": True},
    "ter": {"name": "ter", "settings": {}, "signature": "ter|version:1", "higher_is_better": False},
}


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes objects as JSON lines."""

    def call(name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        path = tmp_path / name
        path.write_text(lines(rows), encoding="utf-8")
        return path

    return call


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """Writes results as a run."""

    def call(
        results: Iterable[Result], name: str = "run", metrics: Mapping[str, Any] | None = None
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        lines = [dump_line(result_to_object(one)) for one in results]
        (folder / "scores.jsonl").write_text("".join(lines), encoding="utf-8")
        manifest = {"status": "complete", "counts": {"items": len(lines)}}
        manifest |= {"metrics": METRICS if metrics is None else metrics}
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return folder

    return call


def campaign(
    systems: int = 5, inputs: int = 12, raters: int = 3, seed: int = 0
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Single judgments of texts of a hidden quality, and scores of three metrics."""
    random = np.random.default_rng(seed)
    ratings, scores = [], []
    for system in range(systems):
        for number in range(inputs):
            quality = system + random.normal()
            name = {"id": f"Id{number}", "system": f"S{system}"}
            for rater in range(raters):
                for criterion, noise in (("fluency", 2.0), ("semantics", 0.7)):
                    value = round(quality + noise * random.normal(), 3)
                    ratings.append(
                        {**name, "rater": f"r{rater}", "criterion": criterion, "value": value}
                    )
            scores.append(
                {
                    **name,
                    "good": quality + 0.3 * random.normal(),
                    "bad": random.normal(),
                    "errors": -quality + 0.5 * random.normal(),
                }
            )
    return ratings, scores


def run_results(scores: Iterable[Mapping[str, Any]]) -> list[Result]:
    """A run's lines: esa is `good`, ter is `errors`; input n leaves n % 4 entities unnamed."""
    results = []
    for row in scores:
        number = int(row["id"][2:])
        triples = tuple(Triple(f"E{i}", "is", f"V{i}") for i in range(1 + number % 3))
        item = Item(
            row["id"],
            triples,
            "a text",
            system=row["system"],
            category=["Airport", "Food"][number % 2],
            meta={"seen": number % 2 == 0},
        )
        missing = [
            Finding(
                "esa+nli" if i else "esa",
                "omission",
                "overruled" if i == 1 else "missing",
                "",
                entity=f"E{i}",
            )
            for i in range(number % 4)
        ]
        others = [Finding("nli", "omission", "missing", "", entity="E9")]
        results.append(
            Result(
                item,
                {"esa": row["good"], "ter": row["errors"]},
                findings=(*missing, *others),
                statistics={"ter": (abs(row["errors"]), 1.0)},
            )
        )
    return results
