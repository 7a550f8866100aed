"""Human evaluation: sampling, campaigns, quality control, and the analysis of judgments."""

from adequa.human.analysis import Analysis, AnalysisSettings, analyse, render_analysis
from adequa.human.judgments import gather, named_raters, preferences, rating_files
from adequa.human.mace import Mace, fit_mace
from adequa.human.quality import QualitySettings, assess_raters, quality_report
from adequa.human.sampling import Sample, draw_sample, pool_texts

__all__ = ["Analysis", "AnalysisSettings", "Mace", "QualitySettings", "Sample"]
__all__ += ["analyse", "assess_raters", "draw_sample", "fit_mace", "gather", "named_raters"]
__all__ += ["pool_texts", "preferences", "quality_report", "rating_files", "render_analysis"]
