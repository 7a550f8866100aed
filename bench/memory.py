"""Peak memory of `adequa score` for many items, and for items with many facts.

Many items are scored by a cheap metric, at 100 thousand and at a million. Items of 500 triples,
each with a graph of its own, are scored by `esa`, whose caches of graphs and names are the largest.
All its caches are bounded in bytes, and the last of them, that of judgments, is full after 260 such
items. The part `bounded` shows with an eighth of the bounds that nothing else grows: 40 items fill
the caches there, and 160 stand for 1,280. Ten thousand items take about half an hour:
`python -m bench memory --part wide --items 300 10000`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.growth import made_item
from bench.items import write_items

COUNTS = (100_000, 1_000_000)
LIMIT_MB = 400
FLAT = 1.3
WIDE_COUNTS = (100, 300)
WIDE_TRIPLES = 500
WIDE_LIMIT_MB = 600
BOUNDED_COUNTS = (40, 160)
PARTS = ("many", "wide", "bounded")
OPTIONS = ("parts", "sizes")
BOUNDED_FLAT = 1.1
PLUGIN = Path(__file__).resolve().parents[1] / "tests" / "plugin"
_CODE = """
import resource, sys
from adequa.cli import main
try:
    main()
finally:
    sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
"""
_EIGHTH = """
import adequa.caches
adequa.caches.MEGABYTE >>= 3  # before the caches are made
"""


def measure(
    data: Path, *, parts: Sequence[str] = PARTS, sizes: Sequence[int] = WIDE_COUNTS
) -> list[dict[str, object]]:
    """The resident peak of the whole process, as counted by the kernel; `sizes` are of `wide`."""
    del data
    measures: dict[str, Callable[[Path], list[dict[str, object]]]] = {
        "many": _many,
        "wide": partial(_wide, counts=sizes),
        "bounded": _bounded,
    }
    with tempfile.TemporaryDirectory() as name:
        return [row for part in PARTS if part in parts for row in measures[part](Path(name))]


def _many(folder: Path) -> list[dict[str, object]]:
    site = folder / "site"
    _install_metric(site)
    peaks = []
    for count in COUNTS:
        path = folder / f"{count}.jsonl"
        write_items(path, count)
        peaks.append(_peak_megabytes(path, folder / f"run-{count}", site))
        path.unlink()
    small, large = peaks
    return [
        {
            "figure": f"peak memory of adequa score, {COUNTS[1]:,} items (MB)",
            "value": round(large),
            "target": f"< {LIMIT_MB}",
            "reached": large < LIMIT_MB,
        },
        {
            "figure": f"the same / its peak at {COUNTS[0]:,} items",
            "value": large / small,
            "target": f"≤ {FLAT} (flat)",
            "reached": large / small <= FLAT,
        },
    ]


def _wide(folder: Path, counts: Sequence[int]) -> list[dict[str, object]]:
    few, many = min(counts), max(counts)
    small, large = (_wide_peak(folder, count) for count in (few, many))
    return [
        {
            "figure": f"peak memory of esa, {many:,} items of {WIDE_TRIPLES} triples (MB)",
            "value": round(large),
            "target": f"< {WIDE_LIMIT_MB}",
            "reached": large < WIDE_LIMIT_MB,
        },
        {
            "figure": f"the same / its peak at {few:,} items",
            "value": large / small,
            "target": f"≤ {FLAT} (flat)",
            "reached": large / small <= FLAT,
        },
    ]


def _bounded(folder: Path) -> list[dict[str, object]]:
    small, large = (_wide_peak(folder, count, code=_EIGHTH + _CODE) for count in BOUNDED_COUNTS)
    return [
        {
            "figure": (
                f"peak memory of esa with an eighth of its caches, {BOUNDED_COUNTS[1]} items of "
                f"{WIDE_TRIPLES} triples / {BOUNDED_COUNTS[0]} items"
            ),
            "value": large / small,
            "target": f"≤ {BOUNDED_FLAT} (flat)",
            "reached": large / small <= BOUNDED_FLAT,
        }
    ]


def _wide_peak(folder: Path, count: int, code: str = _CODE) -> float:
    """The peak for items with many facts, none of which has a fact of another."""
    path = folder / f"wide-{count}.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            item = made_item(WIDE_TRIPLES, 1_000, seed=number)
            raw = {"id": str(number), "triples": item.triples, "text": item.text}
            stream.write(json.dumps(raw) + "\n")
    return _peak_megabytes(path, folder / f"run-wide-{count}", metric="esa", code=code)


def _install_metric(target: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target)]
    subprocess.run([*command, str(PLUGIN)], check=True, capture_output=True)


def _peak_megabytes(
    path: Path, out: Path, site: Path | None = None, metric: str = "words", code: str = _CODE
) -> float:
    command = [sys.executable, "-c", code, "score", str(path), "-m", metric, "--out", str(out)]
    paths = [site, os.environ.get("PYTHONPATH")]
    output = subprocess.run(
        [*command, "--quiet"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, filter(None, paths)))},
    ).stderr
    return float(output.strip().splitlines()[-1])
