"""Start-up: `import adequa` and `adequa --help` against `import typer`, and loaded modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.clock import best_of

TARGET = 3.0
HEAVY = ("scipy", "torch", "transformers", "starlette", "fastapi", "uvicorn", "sqlalchemy")


def measure(data: Path) -> list[dict[str, object]]:
    """Seconds above an empty interpreter as ratios, and the heavy modules that were loaded."""
    del data
    empty = _start("pass")
    typer = _start("import typer") - empty
    library = _start("import adequa") - empty
    helping = _start(_help()) - empty
    rows: list[dict[str, object]] = [
        {
            "figure": f"{name} / import typer (an empty interpreter's time taken off)",
            "value": seconds / typer,
            "target": f"≤ {TARGET}",
            "reached": seconds / typer <= TARGET,
        }
        for name, seconds in (("import adequa", library), ("adequa --help", helping))
    ]
    probe = f"import sys; loaded = [n for n in {HEAVY!r} if n in sys.modules]; print(len(loaded))"
    for name, code in (("import adequa", "import adequa"), ("adequa --help", _help())):
        output = subprocess.run(
            [sys.executable, "-c", f"{code}\n{probe}"], capture_output=True, text=True, check=True
        ).stdout
        count = int(output.strip().splitlines()[-1])
        rows.append(
            {
                "figure": f"heavy packages loaded by {name}",
                "value": count,
                "target": "0",
                "reached": count == 0,
            }
        )
    return rows


def _help() -> str:
    return (
        "import sys; sys.argv = ['adequa', '--help']\n"
        "from adequa.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass"
    )


def _start(code: str) -> float:
    command = [sys.executable, "-c", code]
    return best_of(lambda: subprocess.run(command, capture_output=True, check=True), repeats=9)
