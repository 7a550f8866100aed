"""A stream of items scored into a folder, resumable at any moment."""

from adequa.run.folder import Run, open_run
from adequa.run.write import add_metrics, score_run

__all__ = ["Run", "add_metrics", "open_run", "score_run"]
