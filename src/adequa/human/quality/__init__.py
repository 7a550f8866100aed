"""Quality control: the agreement of raters, and the raters to review before the analysis."""

from adequa.human.quality.raters import Quality, QualitySettings, assess_raters, of_criteria
from adequa.human.quality.report import (
    FORMATS,
    QualityReport,
    quality_report,
    quality_to_object,
    write_quality_report,
)

__all__ = ["FORMATS", "Quality", "QualityReport", "QualitySettings"]
__all__ += ["assess_raters", "of_criteria", "quality_report", "quality_to_object"]
__all__ += ["write_quality_report"]
