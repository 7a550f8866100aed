"""The numbers printed in paper 003.

Figures 1 to 3 and 6 to 8 are pictures without numbers; their numbers here are from the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CorpusCounts(NamedTuple):
    """A row of Table 1; the columns of texts and graphs are announced but not printed."""

    pairs: int
    properties: int
    entities: int


STATISTICS: Mapping[str, CorpusCounts] = {
    "TeKGen": CorpusCounts(6_310_061, 1041, 3_939_696),
    "T-REx": CorpusCounts(6_000_336, 675, 3_188_309),
    "KELM": CorpusCounts(15_616_551, 261_405, 5_073_603),
    "WebNLG-DB": CorpusCounts(13_212, 372, 3210),
    "WebNLG-WD": CorpusCounts(10_384, 188, 2783),
    "WikiChunks": CorpusCounts(30_000, 468, 20_318),
}
"""Table 1."""


class PrintedFigure(NamedTuple):
    """Recall at 1 and 10 as stated in the abstract and in section 5."""

    model: str
    first: float
    tenth: float | None


RETRIEVAL = (
    PrintedFigure("all-mpnet-base-v2, not trained on graphs (baseline)", 0.4, None),
    PrintedFigure("all_datasets_hard_negatives", 0.8, 0.99),
    PrintedFigure("all_datasets_hardinv_negatives", 0.8, None),
)
"""Results on WebNLG; by section 6.2 the accuracy of the last one is the same."""

INVERSIONS: Mapping[str, float] = {
    "all_datasets_hard_negatives": 0.38,
    "the same, fine-tuned on 2017's ratings": 0.30,
    "all_datasets_hardinv_negatives, fine-tuned, ensemble": 0.14,
}
"""Figure 5: the share of inverted triples more similar to the text than the right one."""

INVERTED_PAIRS = 2793
"""The pairs of WebNLG-INV, from single-triple graphs of all of WebNLG-WD."""

BI_CROSS = 0.66
"""Pearson correlation of bi-encoder and cross-encoder scores, section 6.2."""

RATED_TEXTS = 2848
"""The rated texts of 2020: 16 systems, 178 entries."""

CORRELATIONS: Mapping[tuple[str, str], float] = {
    ("similarity", "pearson"): 0.546,
    ("similarity", "spearman"): 0.39,
    ("bleurt", "pearson"): 0.493,
    ("bleurt", "spearman"): 0.437,
}
"""Figure 6, means over three criteria and all 178 entries: similarity as read off the picture,
BLEURT by the differences in section 6.3 (+0.053 and -0.047)."""
