"""The size of a core install: a fresh virtualenv, no extras, no weights."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_MB = 400
ROOT = Path(__file__).resolve().parents[1]


def measure(data: Path) -> list[dict[str, object]]:
    """Megabytes on disk of the virtualenv, pip included."""
    del data
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run(
            [str(venv / "bin" / "pip"), "install", "--quiet", str(ROOT)],
            check=True,
            capture_output=True,
        )
        size = sum(path.lstat().st_blocks * 512 for path in venv.rglob("*")) / 1e6
    return [
        {
            "figure": "core install, fresh virtualenv with pip (MB)",
            "value": round(size),
            "target": f"≤ {LIMIT_MB}",
            "reached": size <= LIMIT_MB,
        }
    ]
