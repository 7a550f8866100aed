"""Analysis of runs: comparison of systems, correlation with people, gates, and the doctor."""

from adequa.analysis.comparison import Comparison, compare, render_comparison
from adequa.analysis.correlation import Options, Study, correlate, render_study
from adequa.analysis.gate import Gate, Limit, evaluate_gate, parse_limit

__all__ = ["Comparison", "Gate", "Limit", "Options", "Study"]
__all__ += ["compare", "correlate", "evaluate_gate", "parse_limit", "render_comparison"]
__all__ += ["render_study"]
