"""The built-in sample: forty invented graphs, each with a text by three invented systems.

`careful` says all and only the data, `hasty` leaves facts out, `dreamer` adds or replaces some.
What is wrong with a text stands in `meta["expected"]`: its verdict, the triples that are missing
and the spans that are unsupported. A replaced value is both: its triple is missing, and the value
in its place is unsupported.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["sample_path"]


def sample_path() -> Path:
    """The file of the sample, JSON lines in the Item contract."""
    # The package is always installed as files (a wheel is unpacked), so this is a path on disk.
    return Path(str(files("adequa.sample") / "items.jsonl"))
