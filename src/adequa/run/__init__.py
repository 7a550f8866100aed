"""Runs: items scored into a folder that can be resumed at any moment."""

from __future__ import annotations

from adequa.run.cache import default_folder
from adequa.run.engines import encoded_batches, end_with_parent, extend_results, score_items
from adequa.run.folder import (
    MANIFEST,
    SCORES,
    SUMMARY,
    Run,
    count_lines,
    open_run,
    read_json,
)
from adequa.run.plan import describe_metrics
from adequa.run.summary import log_run, summary_table
from adequa.run.verdicts import OVERRULED, join
from adequa.run.writer import add_metrics, score_run, with_cache

__all__ = [
    "MANIFEST",
    "OVERRULED",
    "SCORES",
    "SUMMARY",
    "Run",
    "add_metrics",
    "count_lines",
    "default_folder",
    "describe_metrics",
    "encoded_batches",
    "end_with_parent",
    "extend_results",
    "join",
    "log_run",
    "open_run",
    "read_json",
    "score_items",
    "score_run",
    "summary_table",
    "with_cache",
]
