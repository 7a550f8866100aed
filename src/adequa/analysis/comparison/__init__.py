"""Comparison of the systems of one or several runs, with significance tests."""

from adequa.analysis.comparison.significance import (
    Procedure,
    Significance,
    SystemExclusion,
    SystemPair,
    SystemValue,
    TestName,
    measure_systems,
)
from adequa.analysis.comparison.study import Comparison, Slice, compare, correct_pairs
from adequa.analysis.comparison.systems import (
    CorpusValue,
    Measure,
    choose_yardsticks,
    corpus_value,
    load_systems,
)
from adequa.analysis.comparison.tables import (
    FORMATS,
    comparison_tables,
    comparison_to_object,
    render_comparison,
)

__all__ = [
    "FORMATS",
    "Comparison",
    "CorpusValue",
    "Measure",
    "Procedure",
    "Significance",
    "Slice",
    "SystemExclusion",
    "SystemPair",
    "SystemValue",
    "TestName",
    "choose_yardsticks",
    "compare",
    "comparison_tables",
    "comparison_to_object",
    "corpus_value",
    "correct_pairs",
    "load_systems",
    "measure_systems",
    "render_comparison",
]
