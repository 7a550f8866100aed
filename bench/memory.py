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
    """The resident peak of the whole process, as counted by the kernel."""
    del data
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        _install_metric(site)
        for count in COUNTS:
            path = Path(folder) / f"{count}.jsonl"
            write_items(path, count)
            peaks[count] = _peak_megabytes(path, Path(folder) / f"run-{count}", site)
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
from adequa.cli import main
try:
    main()
finally:
    sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
"""


def _install_metric(target: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target)]
    subprocess.run([*command, str(PLUGIN)], check=True, capture_output=True)


def _peak_megabytes(path: Path, out: Path, site: Path) -> float:
    command = [sys.executable, "-c", _CODE, "score", str(path), "-m", "words", "--out", str(out)]
    output = subprocess.run(
        [*command, "--quiet"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(site)},
    ).stderr
    return float(output.strip().splitlines()[-1])
