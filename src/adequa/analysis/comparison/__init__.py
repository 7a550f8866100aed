"""Comparison of the systems of one or several runs, with significance tests."""

from adequa.analysis.comparison.study import (
    Comparison,
    Procedure,
    Significance,
    SystemExclusion,
    SystemPair,
    SystemValue,
    TestName,
    compare,
    correct_pairs,
    measure_systems,
)
from adequa.analysis.comparison.systems import (
    CorpusValue,
    Measure,
    choose_yardsticks,
    corpus_value,
    load_systems,
)
from adequa.analysis.comparison.tables import FORMATS, comparison_tables, render_comparison

__all__ = ["FORMATS", "Comparison", "CorpusValue", "Measure", "Procedure", "Significance"]
__all__ += ["SystemExclusion", "SystemPair", "SystemValue", "TestName"]
__all__ += ["choose_yardsticks", "compare", "comparison_tables", "corpus_value", "correct_pairs"]
__all__ += ["load_systems", "measure_systems", "render_comparison"]
