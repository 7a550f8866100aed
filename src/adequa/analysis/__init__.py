"""Analysis of runs: comparison of systems, correlation and spans against people, gates."""

from adequa.analysis.comparison import Comparison, compare, render_comparison
from adequa.analysis.correlation import Options, Study, correlate, render_study
from adequa.analysis.gate import Gate, Limit, evaluate_gate, parse_limit
from adequa.analysis.spans import SpanStudy, compare_spans, render_spans

__all__ = ["Comparison", "Gate", "Limit", "Options", "SpanStudy", "Study"]
__all__ += ["compare", "compare_spans", "correlate", "evaluate_gate", "parse_limit"]
__all__ += ["render_comparison", "render_spans", "render_study"]
