"""A stream of items scored into a folder, resumable at any moment."""

from __future__ import annotations

from adequa.run.folder import Run, open_run
from adequa.run.writer import add_metrics, score_run

__all__ = ["Run", "add_metrics", "open_run", "score_run"]
