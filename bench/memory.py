"""Peak memory of `adequa score` with a cheap metric at 100 thousand and at a million items."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.items import write_items

COUNTS = (100_000, 1_000_000)
LIMIT_MB = 400
FLAT = 1.3
PLUGIN = Path(__file__).resolve().parents[1] / "tests" / "plugin"


def measure(data: Path) -> list[dict[str, object]]:
    """The resident peak of the whole process, as the kernel counts it."""
    del data
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            path = Path(folder) / f"{count}.jsonl"
            write_items(path, count)
            peaks[count] = _peak_megabytes(path, Path(folder) / f"run-{count}")
            path.unlink()
    small, large = (peaks[count] for count in COUNTS)
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


_CODE = """
import resource, sys
sys.path.insert(0, {plugin!r})
from pathlib import Path
from adequa_words import Words
from adequa.readers import open_source
from adequa.run import score_run
score_run(open_source(Path({path!r})), {{"words": Words()}}, Path({out!r}))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _peak_megabytes(path: Path, out: Path) -> float:
    code = _CODE.format(plugin=str(PLUGIN / "src"), path=str(path), out=str(out))
    output = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    ).stdout
    return float(output.strip().splitlines()[-1])
