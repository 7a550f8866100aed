"""Runs: items scored into a folder that can be resumed at any moment."""

from __future__ import annotations

from adequa.run.cache import default_folder
from adequa.run.draft import describe_metrics
from adequa.run.engines import (
    Engine,
    LocalEngine,
    RayEngine,
    end_with_parent,
    extend_results,
    score_items,
)
from adequa.run.folder import (
    MANIFEST,
    SCORES,
    SUMMARY,
    Run,
    count_lines,
    local_input,
    local_run,
    open_run,
    read_json,
)
from adequa.run.summary import log_run, summary_table, unscored_line, unscored_lines
from adequa.run.verdicts import OVERRULED, join
from adequa.run.writer import (
    add_metrics,
    merge_run,
    score_lines,
    score_run,
    score_shard,
    with_cache,
)

__all__ = [
    "MANIFEST",
    "OVERRULED",
    "SCORES",
    "SUMMARY",
    "Engine",
    "LocalEngine",
    "RayEngine",
    "Run",
    "add_metrics",
    "count_lines",
    "default_folder",
    "describe_metrics",
    "end_with_parent",
    "extend_results",
    "join",
    "local_input",
    "local_run",
    "log_run",
    "merge_run",
    "open_run",
    "read_json",
    "score_items",
    "score_lines",
    "score_run",
    "score_shard",
    "summary_table",
    "unscored_line",
    "unscored_lines",
    "with_cache",
]
