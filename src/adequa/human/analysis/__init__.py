"""Analysis of human judgments: means, significance groups and ranks of systems."""

from adequa.human.analysis.study import (
    Analysis,
    AnalysisSettings,
    Sample,
    analyse,
    significance_groups,
)
from adequa.human.analysis.tables import (
    FORMATS,
    analysis_pictures,
    analysis_tables,
    analysis_to_object,
    render_analysis,
    render_preferences,
)

__all__ = ["FORMATS", "Analysis", "AnalysisSettings", "Sample"]
__all__ += ["analyse", "analysis_pictures", "analysis_tables", "analysis_to_object"]
__all__ += ["render_analysis", "render_preferences", "significance_groups"]
