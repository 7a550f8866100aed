"""`python -m bench [NAME…]`: every bench, or those named, as one table."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

from adequa.tables import Table

NAMES = (
    "counts",
    "read_webnlg",
    "read_jsonl",
    "read_rdf",
    "start_up",
    "sacrebleu_agreement",
    "kill_resume",
    "memory",
    "esa_speed",
    "similarity_speed",
    "retrieval_speed",
    "relations",
    "nli_perturbations",
    "nli_quintd",
    "nli_speed",
    "human_mace",
    "api",
    "human_load",
    "report",
    "install_size",
)


def main() -> int:
    """Run the benches and print what they measured; 1 where a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--data", type=Path, default=default_data(), help="the research data")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    rows: list[list[str]] = []
    missed = 0
    for name in arguments.names or NAMES:
        sys.stderr.write(f"{name} …\n")
        module = importlib.import_module(f"bench.{name}")
        if getattr(module, "NEEDS_DATA", False) and not arguments.data.is_dir():
            rows.append([name, "–", "–", f"n/a: no data at {arguments.data}"])
            continue
        for row in module.measure(arguments.data):
            missed += not row["reached"]
            value = row["value"]
            shown = f"{value:.3g}" if isinstance(value, float) else str(value)
            rows.append(
                [str(row["figure"]), shown, str(row["target"]), "yes" if row["reached"] else "NO"]
            )
    print(Table("", ["figure", "measured", "target", "reached"], rows).text())
    return 1 if missed else 0


def default_data() -> Path:
    """`$ADEQUA_DATA`, or where it lies beside the project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ADEQUA_DATA", beside))


if __name__ == "__main__":
    sys.exit(main())
