"""The metrics by name, and how to get one; one file per metric, and `nli` as a package."""

from adequa.metrics.base import Metric, Scorer, plugin_errors
from adequa.metrics.registry import (
    DEFAULT,
    ENTRY_POINT_GROUP,
    TABLE,
    load_metric,
    metric_class,
    names,
    resolve,
)

__all__ = [
    "DEFAULT", "ENTRY_POINT_GROUP", "TABLE", "Metric", "Scorer", "load_metric", "metric_class",
    "names", "plugin_errors", "resolve",
]  # fmt: skip
