"""The numbers printed in paper 001 (Faille, Gatt and Gardent, 2021): tables, sections 5 and 6.

Systems are named as in the files of the challenges' outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from research.papers.correlations.printed import CORRELATION_TABLES, ESA

TEXTS: Mapping[int, int] = {2020: 1779, 2017: 1862}
"""The number of entries of the test sets, which is the number of texts per system."""


class Adequacy(NamedTuple):
    """A row of Table 1; `counts` are texts with 1, 2, 3, 4 and 5–8 undetected entities."""

    name: str
    counts: tuple[int, int, int, int, int]
    at_least_one: int
    percent: int
    type: str
    bleu_rank: int
    esa: float
    esa_1: float
    esa_2: float


SYSTEMS: Mapping[int, Mapping[str, Adequacy]] = {
    2020: {
        "RALI": Adequacy("RALI", (50, 1, 0, 0, 0), 51, 3, "Symb", 11, 0.99, 0.8, 0.6),
        "Baseline-FORGE2020": Adequacy(
            "Baseline-2020", (55, 1, 0, 0, 0), 56, 3, "Symb", 10, 0.99, 0.78, 0.6
        ),
        "Huawei_Noahs_Ark_Lab": Adequacy(
            "Huawei", (62, 4, 0, 0, 0), 66, 4, "T5", 12, 0.99, 0.79, 0.65
        ),
        "DANGNT-SGU": Adequacy("DANGNT-SGU", (98, 2, 1, 0, 0), 101, 6, "Symb", 9, 0.99, 0.76, 0.56),
        "Baseline-FORGE2017": Adequacy(
            "Baseline-2017", (94, 27, 0, 2, 7), 130, 7, "Symb", 15, 0.97, 0.65, 0.36
        ),
        "FBConvAI": Adequacy("FBConvAI", (154, 4, 0, 0, 0), 158, 9, "BART", 3, 0.98, 0.77, 0.62),
        "cuni-ufal": Adequacy(
            "cuni-ufal", (169, 11, 2, 0, 0), 182, 10, "mBART", 7, 0.98, 0.78, 0.65
        ),
        "Amazon_AI_(Shanghai)": Adequacy(
            "Amazon_AI", (175, 10, 0, 0, 0), 185, 10, "T5", 1, 0.98, 0.78, 0.69
        ),
        "OSU_Neural_NLG": Adequacy("OSU", (171, 13, 1, 0, 0), 185, 10, "T5", 2, 0.98, 0.78, 0.65),
        "CycleGT": Adequacy("CycleGT", (240, 25, 1, 0, 0), 266, 15, "T5", 8, 0.97, 0.81, 0.71),
        "NUIG-DSI": Adequacy("NUIG-DSI", (203, 62, 17, 0, 1), 283, 16, "T5", 4, 0.96, 0.76, 0.67),
        "bt5": Adequacy("bt5", (305, 45, 4, 0, 0), 354, 20, "T5", 5, 0.95, 0.76, 0.62),
        "TGen": Adequacy("TGen", (264, 78, 26, 15, 17), 400, 22, "T5", 6, 0.94, 0.72, 0.58),
        "NILC": Adequacy("NILC", (499, 123, 13, 5, 0), 640, 36, "BART", 16, 0.89, 0.69, 0.56),
        "ORANGE-NLG": Adequacy(
            "ORANGE", (600, 190, 45, 9, 2), 846, 48, "BART", 14, 0.83, 0.65, 0.5
        ),
        "UPC-POE": Adequacy("UPC-POE", (589, 230, 63, 19, 7), 908, 51, "T5", 13, 0.84, 0.7, 0.59),
    },
    2017: {
        "Tilburg-SMT": Adequacy(
            "Tilburg SMT", (179, 8, 0, 0, 0), 187, 10, "SMT", 2, 0.97, 0.7, 0.55
        ),
        "UPF-FORGe": Adequacy(
            "UPF-FORGe", (203, 18, 0, 0, 0), 221, 12, "Symb", 4, 0.97, 0.73, 0.56
        ),
        "Melbourne": Adequacy(
            "Melbourne", (371, 74, 11, 0, 0), 456, 24, "NMT", 1, 0.94, 0.76, 0.64
        ),
        "Tilburg-NMT": Adequacy(
            "Tilburg NMT", (555, 171, 20, 3, 0), 749, 40, "NMT", 6, 0.89, 0.72, 0.62
        ),
        "Tilburg-Pipeline": Adequacy(
            "Tilburg Pipeline", (304, 233, 122, 72, 49), 780, 42, "Symb", 5, 0.76, 0.42, 0.2
        ),
        "ADAPT": Adequacy("Adapt", (482, 295, 130, 52, 15), 974, 52, "NMT", 8, 0.76, 0.54, 0.38),
        "PKUWriter": Adequacy(
            "PKUWriter", (529, 282, 135, 106, 60), 1112, 60, "NMT", 3, 0.71, 0.52, 0.36
        ),
        "UIT-VNU-HCM": Adequacy(
            "UIT-DANGNT", (47, 138, 238, 317, 630), 1370, 74, "Symb", 9, 0.28, 0.02, 0.0
        ),
        "Baseline": Adequacy(
            "Baseline", (377, 398, 249, 207, 206), 1437, 77, "NMT", 7, 0.47, 0.31, 0.17
        ),
    },
}
"""Table 1 in its order, the best of each year first."""


class Hallucination(NamedTuple):
    """A row of Table 4: texts with a hallucinated entity, and those confirmed by a manual check."""

    texts: int
    checked: int
    distinct: int
    percent: float


HALLUCINATIONS: Mapping[int, Mapping[str, Hallucination]] = {
    2020: {
        "RALI": Hallucination(0, 0, 0, 0),
        "Baseline-FORGE2017": Hallucination(1, 1, 1, 0.1),
        "Baseline-FORGE2020": Hallucination(1, 1, 1, 0.1),
        "NUIG-DSI": Hallucination(4, 3, 3, 0.2),
        "UPC-POE": Hallucination(4, 4, 3, 0.2),
        "DANGNT-SGU": Hallucination(5, 5, 5, 0.3),
        "TGen": Hallucination(8, 7, 2, 0.5),
        "cuni-ufal": Hallucination(9, 7, 6, 0.5),
        "Amazon_AI_(Shanghai)": Hallucination(9, 9, 3, 0.5),
        "FBConvAI": Hallucination(17, 11, 6, 1),
        "CycleGT": Hallucination(19, 18, 10, 1),
        "OSU_Neural_NLG": Hallucination(20, 19, 3, 1),
        "bt5": Hallucination(36, 17, 3, 2),
        "Huawei_Noahs_Ark_Lab": Hallucination(48, 47, 28, 3),
        "NILC": Hallucination(117, 99, 66, 7),
        "ORANGE-NLG": Hallucination(288, 288, 60, 16),
    },
    2017: {
        "UIT-VNU-HCM": Hallucination(1, 0, 1, 0.1),
        "Tilburg-SMT": Hallucination(4, 0, 4, 0.2),
        "Tilburg-NMT": Hallucination(11, 4, 7, 0.6),
        "UPF-FORGe": Hallucination(12, 8, 4, 0.6),
        "Tilburg-Pipeline": Hallucination(14, 11, 6, 0.8),
        "Melbourne": Hallucination(114, 112, 24, 6),
        "ADAPT": Hallucination(241, 234, 151, 13),
        "PKUWriter": Hallucination(286, 283, 135, 15),
        "Baseline": Hallucination(754, 144, 147, 40),
    },
}
"""Table 4. The authors checked 144 of Baseline's 754 texts and confirmed all of them."""

SUBSETS = ("all", ">=1", ">=2")
"""All rated texts, and those with at least one or two undetected entities."""

RATED_TEXTS: Mapping[int, Mapping[str, int]] = {
    2020: {"all": 2848, ">=1": 470, ">=2": 104},
    2017: {"all": 2230, ">=1": 822, ">=2": 469},
}
"""The numbers of texts in the captions of the correlation tables."""

CORRELATIONS: Mapping[int, Mapping[tuple[str, str], Mapping[str, float]]] = {
    year: {
        (table.coefficient, table.subset): {
            name: value for (name, other), value in table.cells.items() if other == ESA
        }
        for table in CORRELATION_TABLES.values()
        if table.year == year
    }
    for year in TEXTS
}
"""The correlations of ESA_I with each metric and criterion, by coefficient and subset."""

TABLE_NUMBERS: Mapping[int, Mapping[tuple[str, str], int]] = {
    year: {
        (table.coefficient, table.subset): table.number
        for table in CORRELATION_TABLES.values()
        if table.year == year
    }
    for year in TEXTS
}
"""The numbers of the tables with these correlations."""

CASES: Mapping[int, Mapping[str, int]] = {
    2020: {"rated high, ESA low": 4, "rated low, ESA high": 20},
    2017: {"rated high, ESA low": 7, "rated low, ESA high": 41},
}
"""Section 6.2: the numbers of texts with strong disagreement."""

DISTINCT: Mapping[tuple[int, str], int] = {(2020, "RALI"): 9}
"""Footnote 5: the number of different entities among the undetected ones."""

CHECKED_SYSTEMS: Mapping[str, int] = {
    "RALI": 100,
    "Huawei_Noahs_Ark_Lab": 81,
    "FBConvAI": 52,
    "bt5": 49,
    "ORANGE-NLG": 13,
}
"""Section 5.2: the systems checked by hand, and the percentage of entities wrongly undetected."""
