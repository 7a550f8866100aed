"""`kill -9` at random moments, then `--resume`: the same bytes every time."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.items import write_items

CYCLES = 200
ITEMS = 2_000


def measure(data: Path) -> list[dict[str, object]]:
    """Cycles with other bytes than an undisturbed run, and kills that hit a living process."""
    del data
    generator = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items = folder / "items.jsonl"
        write_items(items, ITEMS)
        started = time.perf_counter()
        subprocess.run(_command(items, folder / "whole"), check=True, capture_output=True)
        seconds = time.perf_counter() - started
        wanted = (folder / "whole" / "scores.jsonl").read_bytes()
        different = hits = kept = 0
        for cycle in range(CYCLES):
            out = folder / f"run-{cycle}"
            jobs = 2 if cycle % 4 == 3 else 1
            # From before the first line to after the last: the folder's own life is what we cut.
            outcome = _killed(items, out, generator.uniform(0, seconds), jobs)
            hits += outcome
            scores = out / "scores.jsonl"
            kept += scores.is_file() and 0 < scores.stat().st_size < len(wanted)
            subprocess.run(
                [*_command(items, out, jobs), "--resume"], check=True, capture_output=True
            )
            different += scores.read_bytes() != wanted
            sys.stderr.write(f"\rcycle {cycle + 1} of {CYCLES}")
        sys.stderr.write("\n")
    return [
        {
            "figure": f"{CYCLES} × kill -9 and --resume on {ITEMS:,} items: runs with other bytes",
            "value": different,
            "target": "0",
            "reached": different == 0,
        },
        {
            "figure": "kills that met a living process / that left a partly written run",
            "value": f"{hits} / {kept}",
            "target": "most / many",
            "reached": hits > CYCLES // 2 and kept > CYCLES // 10,
        },
    ]


def _command(items: Path, out: Path, jobs: int = 1) -> list[str]:
    code = "from adequa.cli import main; main()"
    options = ["-m", "bleu", "--batch-size", "20", "--jobs", str(jobs), "--quiet"]
    return [sys.executable, "-c", code, "score", str(items), "--out", str(out), *options]


def _killed(items: Path, out: Path, after: float, jobs: int) -> bool:
    with subprocess.Popen(
        _command(items, out, jobs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(after)
        alive = process.poll() is None
        process.kill()
    return alive
