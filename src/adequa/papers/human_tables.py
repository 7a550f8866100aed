"""The numbers Shimorina, Gardent, Narayan and Perez-Beltrachini (2018) print: Tables 1 to 3.

"WebNLG Challenge: Human Evaluation Results", 15 January 2018. Names of systems are those of the
files of the challenge's outputs, `reference` the human texts (WEBNLG in the paper).

Tables 2 and 3 print *Semantics* and *Grammar* under each other's heading: what they call Semantics
has the means of the column `grammar` of the released judgments, and the text's Spearman correlation
of METEOR and semantics, 0.73, is that of the column `semantics`. Here a criterion is what it is in
the judgments; `HEADINGS` says where it stands in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

__all__ = [
    "CRITERIA",
    "HEADINGS",
    "HUMAN",
    "METRICS",
    "PARTS",
    "SAMPLE",
    "Ranked",
    "Rated",
    "alike",
]

SAMPLE = 223
"""Texts of each of the ten systems that people rated."""

CRITERIA = ("semantics", "grammar", "fluency")
PARTS = (None, "seen", "unseen")
"""All texts (Table 2), and those of seen and of unseen categories (Table 3)."""
HEADINGS: Mapping[str, str] = {
    "semantics": "Grammar",
    "grammar": "Semantics",
    "fluency": "Fluency",
}


class Rated(NamedTuple):
    """A row of Table 2 or 3."""

    mean: float
    group: str


class Ranked(NamedTuple):
    """A row of Table 1; `low` and `high` are the first and last rank it may have."""

    low: int
    high: int
    value: float
    sample: str
    """Its groups on the sample."""
    all: str
    """Its group on all 1,862 texts."""


METRICS: Mapping[str, Mapping[str, Ranked]] = {
    "meteor": {
        "UPF-FORGe": Ranked(1, 2, 0.39, "A", "A"),
        "Tilburg-SMT": Ranked(1, 3, 0.38, "AB", "B"),
        "Melbourne": Ranked(2, 3, 0.38, "B", "C"),
        "Tilburg-NMT": Ranked(4, 7, 0.34, "C", "D"),
        "ADAPT": Ranked(4, 7, 0.34, "C", "E"),
        "PKUWriter": Ranked(4, 7, 0.33, "C", "E"),
        "Tilburg-Pipeline": Ranked(4, 7, 0.32, "C", "E"),
        "Baseline": Ranked(8, 8, 0.26, "D", "F"),
        "UIT-VNU-HCM": Ranked(9, 9, 0.08, "E", "G"),
    },
    "ter": {
        "Melbourne": Ranked(1, 1, 0.44, "A", "A"),
        "PKUWriter": Ranked(2, 5, 0.51, "B", "C"),
        "Tilburg-SMT": Ranked(2, 7, 0.52, "BC", "B"),
        "Tilburg-Pipeline": Ranked(2, 7, 0.53, "BC", "C"),
        "UPF-FORGe": Ranked(2, 7, 0.54, "BC", "C"),
        "Baseline": Ranked(6, 7, 0.56, "C", "D"),
        "Tilburg-NMT": Ranked(6, 7, 0.57, "C", "D"),
        "ADAPT": Ranked(8, 8, 0.72, "D", "E"),
        "UIT-VNU-HCM": Ranked(9, 9, 0.84, "E", "E"),
    },
    "bleu": {
        "Melbourne": Ranked(1, 1, 48.05, "A", "A"),
        "Tilburg-SMT": Ranked(2, 3, 45.90, "B", "B"),
        "PKUWriter": Ranked(2, 3, 43.71, "B", "C"),
        "UPF-FORGe": Ranked(4, 6, 40.03, "C", "C"),
        "Baseline": Ranked(4, 7, 37.81, "CD", "E"),
        "Tilburg-Pipeline": Ranked(5, 8, 37.34, "CD", "D"),
        "ADAPT": Ranked(4, 7, 36.73, "CD", "F"),
        "Tilburg-NMT": Ranked(7, 8, 35.98, "E", "D"),
        "UIT-VNU-HCM": Ranked(9, 9, 5.25, "F", "G"),
    },
}
"""Table 1, systems as the paper orders them."""

HUMAN: Mapping[tuple[str, str | None], Mapping[str, Rated]] = {
    ("grammar", None): {
        "reference": Rated(2.61, "a"),
        "UPF-FORGe": Rated(2.47, "b"),
        "Melbourne": Rated(2.39, "c"),
        "PKUWriter": Rated(2.39, "c"),
        "Baseline": Rated(2.36, "c"),
        "ADAPT": Rated(2.31, "c"),
        "Tilburg-Pipeline": Rated(2.19, "d"),
        "Tilburg-NMT": Rated(2.16, "e"),
        "Tilburg-SMT": Rated(1.96, "f"),
        "UIT-VNU-HCM": Rated(1.39, "g"),
    },
    ("semantics", None): {
        "reference": Rated(2.77, "a"),
        "UPF-FORGe": Rated(2.68, "b"),
        "Tilburg-SMT": Rated(2.42, "c"),
        "ADAPT": Rated(2.30, "c"),
        "Melbourne": Rated(2.30, "d"),
        "Tilburg-Pipeline": Rated(2.20, "e"),
        "PKUWriter": Rated(2.08, "f"),
        "Tilburg-NMT": Rated(1.99, "g"),
        "Baseline": Rated(1.86, "h"),
        "UIT-VNU-HCM": Rated(1.42, "i"),
    },
    ("fluency", None): {
        "reference": Rated(2.58, "a"),
        "UPF-FORGe": Rated(2.34, "b"),
        "PKUWriter": Rated(2.34, "b"),
        "Melbourne": Rated(2.27, "cb"),
        "ADAPT": Rated(2.26, "cb"),
        "Baseline": Rated(2.25, "c"),
        "Tilburg-Pipeline": Rated(2.07, "d"),
        "Tilburg-NMT": Rated(2.01, "e"),
        "Tilburg-SMT": Rated(1.81, "f"),
        "UIT-VNU-HCM": Rated(1.38, "g"),
    },
    ("grammar", "seen"): {
        "ADAPT": Rated(2.66, "a"),
        "reference": Rated(2.62, "b"),
        "Baseline": Rated(2.51, "c"),
        "UPF-FORGe": Rated(2.50, "c"),
        "PKUWriter": Rated(2.50, "c"),
        "Melbourne": Rated(2.46, "d"),
        "Tilburg-Pipeline": Rated(2.33, "e"),
        "Tilburg-NMT": Rated(2.23, "f"),
        "Tilburg-SMT": Rated(2.14, "g"),
        "UIT-VNU-HCM": Rated(1.51, "h"),
    },
    ("grammar", "unseen"): {
        "reference": Rated(2.59, "a"),
        "UPF-FORGe": Rated(2.40, "b"),
        "Melbourne": Rated(2.27, "c"),
        "PKUWriter": Rated(2.17, "d"),
        "Baseline": Rated(2.07, "e"),
        "Tilburg-NMT": Rated(2.01, "e"),
        "Tilburg-Pipeline": Rated(1.91, "f"),
        "ADAPT": Rated(1.63, "g"),
        "Tilburg-SMT": Rated(1.61, "g"),
        "UIT-VNU-HCM": Rated(1.14, "h"),
    },
    ("semantics", "seen"): {
        "reference": Rated(2.76, "a"),
        "ADAPT": Rated(2.73, "a"),
        "UPF-FORGe": Rated(2.71, "a"),
        "Melbourne": Rated(2.48, "b"),
        "Tilburg-SMT": Rated(2.47, "b"),
        "Tilburg-Pipeline": Rated(2.46, "b"),
        "PKUWriter": Rated(2.23, "c"),
        "Baseline": Rated(2.21, "c"),
        "Tilburg-NMT": Rated(2.14, "c"),
        "UIT-VNU-HCM": Rated(1.55, "d"),
    },
    ("semantics", "unseen"): {
        "reference": Rated(2.79, "a"),
        "UPF-FORGe": Rated(2.62, "a"),
        "Tilburg-SMT": Rated(2.30, "b"),
        "Melbourne": Rated(1.93, "c"),
        "PKUWriter": Rated(1.77, "c"),
        "Tilburg-Pipeline": Rated(1.70, "cd"),
        "Tilburg-NMT": Rated(1.69, "cd"),
        "ADAPT": Rated(1.45, "de"),
        "Baseline": Rated(1.17, "e"),
        "UIT-VNU-HCM": Rated(1.16, "e"),
    },
    ("fluency", "seen"): {
        "ADAPT": Rated(2.62, "a"),
        "reference": Rated(2.57, "b"),
        "PKUWriter": Rated(2.44, "c"),
        "Baseline": Rated(2.40, "c"),
        "UPF-FORGe": Rated(2.36, "d"),
        "Melbourne": Rated(2.35, "d"),
        "Tilburg-Pipeline": Rated(2.21, "e"),
        "Tilburg-NMT": Rated(2.10, "f"),
        "Tilburg-SMT": Rated(2.01, "g"),
        "UIT-VNU-HCM": Rated(1.50, "h"),
    },
    ("fluency", "unseen"): {
        "reference": Rated(2.61, "a"),
        "UPF-FORGe": Rated(2.31, "b"),
        "PKUWriter": Rated(2.14, "c"),
        "Melbourne": Rated(2.11, "c"),
        "Baseline": Rated(1.94, "d"),
        "Tilburg-NMT": Rated(1.85, "e"),
        "Tilburg-Pipeline": Rated(1.78, "f"),
        "ADAPT": Rated(1.55, "g"),
        "Tilburg-SMT": Rated(1.44, "h"),
        "UIT-VNU-HCM": Rated(1.14, "i"),
    },
}
"""Tables 2 and 3 by criterion (as in the judgments) and part, systems as the paper orders them."""


def alike(groups: Mapping[str, str]) -> frozenset[frozenset[str]]:
    """The pairs of systems that share a letter.

    >>> sorted(map(sorted, alike({"A": "a", "B": "ab", "C": "b", "D": "c"})))
    [['A', 'B'], ['B', 'C']]
    """
    return frozenset(
        frozenset((one, other))
        for one, other in combinations(groups, 2)
        if set(groups[one]) & set(groups[other])
    )
