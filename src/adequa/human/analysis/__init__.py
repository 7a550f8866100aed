"""Analysis of human judgments: means, significance groups and ranks of systems."""

from adequa.human.analysis.groups import Grouping, Sample, significance_groups
from adequa.human.analysis.study import Analysis, AnalysisSettings, analyse
from adequa.human.analysis.tables import (
    FORMATS,
    analysis_pictures,
    analysis_tables,
    analysis_to_object,
    render_analysis,
)

__all__ = [
    "FORMATS",
    "Analysis",
    "AnalysisSettings",
    "Grouping",
    "Sample",
    "analyse",
    "analysis_pictures",
    "analysis_tables",
    "analysis_to_object",
    "render_analysis",
    "significance_groups",
]
