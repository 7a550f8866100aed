"""Correlation of metrics with human ratings, with confidence intervals."""

from adequa.analysis.correlation.agreement import MetricAgreement, MetricDifference, Options
from adequa.analysis.correlation.study import (
    FORMATS,
    Study,
    correlate,
    draw_matrices,
    render_study,
    study_tables,
    study_to_object,
)

__all__ = ["FORMATS", "MetricAgreement", "MetricDifference", "Options", "Study"]
__all__ += ["correlate", "draw_matrices", "render_study", "study_tables", "study_to_object"]
