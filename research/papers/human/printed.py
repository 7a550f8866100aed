"""The numbers printed in paper 004: Tables 1 to 3.

Shimorina, Gardent, Narayan and Perez-Beltrachini (2018), "WebNLG Challenge: Human Evaluation
Results", 15 January 2018. Systems are named as in the files of the challenge's outputs; `reference`
are the human texts (WEBNLG in the paper).

Tables 2 and 3 print *Semantics* and *Grammar* under each other's heading: the column headed
Semantics has the means of `grammar` in the released judgments, and the Spearman correlation of
METEOR and semantics in the text, 0.73, is that of `semantics`. Here criteria are named as in the
judgments; `HEADINGS` has their headings in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

SAMPLE = 223
"""The number of rated texts of each of the ten systems."""

CRITERIA = ("semantics", "grammar", "fluency")
PARTS = (None, "seen", "unseen")
"""All texts (Table 2), and those of seen and unseen categories (Table 3)."""
HEADINGS: Mapping[str, str] = {
    "semantics": "Grammar",
    "grammar": "Semantics",
    "fluency": "Fluency",
}


class PrintedRating(NamedTuple):
    """A row of Table 2 or 3."""

    mean: float
    group: str


class PrintedRank(NamedTuple):
    """A row of Table 1; `low` and `high` are the first and last possible rank."""

    low: int
    high: int
    value: float
    sample: str
    """The groups on the sample."""
    all: str
    """The group on all 1,862 texts."""


METRICS: Mapping[str, Mapping[str, PrintedRank]] = {
    "meteor": {
        "UPF-FORGe": PrintedRank(1, 2, 0.39, "A", "A"),
        "Tilburg-SMT": PrintedRank(1, 3, 0.38, "AB", "B"),
        "Melbourne": PrintedRank(2, 3, 0.38, "B", "C"),
        "Tilburg-NMT": PrintedRank(4, 7, 0.34, "C", "D"),
        "ADAPT": PrintedRank(4, 7, 0.34, "C", "E"),
        "PKUWriter": PrintedRank(4, 7, 0.33, "C", "E"),
        "Tilburg-Pipeline": PrintedRank(4, 7, 0.32, "C", "E"),
        "Baseline": PrintedRank(8, 8, 0.26, "D", "F"),
        "UIT-VNU-HCM": PrintedRank(9, 9, 0.08, "E", "G"),
    },
    "ter": {
        "Melbourne": PrintedRank(1, 1, 0.44, "A", "A"),
        "PKUWriter": PrintedRank(2, 5, 0.51, "B", "C"),
        "Tilburg-SMT": PrintedRank(2, 7, 0.52, "BC", "B"),
        "Tilburg-Pipeline": PrintedRank(2, 7, 0.53, "BC", "C"),
        "UPF-FORGe": PrintedRank(2, 7, 0.54, "BC", "C"),
        "Baseline": PrintedRank(6, 7, 0.56, "C", "D"),
        "Tilburg-NMT": PrintedRank(6, 7, 0.57, "C", "D"),
        "ADAPT": PrintedRank(8, 8, 0.72, "D", "E"),
        "UIT-VNU-HCM": PrintedRank(9, 9, 0.84, "E", "E"),
    },
    "bleu": {
        "Melbourne": PrintedRank(1, 1, 48.05, "A", "A"),
        "Tilburg-SMT": PrintedRank(2, 3, 45.90, "B", "B"),
        "PKUWriter": PrintedRank(2, 3, 43.71, "B", "C"),
        "UPF-FORGe": PrintedRank(4, 6, 40.03, "C", "C"),
        "Baseline": PrintedRank(4, 7, 37.81, "CD", "E"),
        "Tilburg-Pipeline": PrintedRank(5, 8, 37.34, "CD", "D"),
        "ADAPT": PrintedRank(4, 7, 36.73, "CD", "F"),
        "Tilburg-NMT": PrintedRank(7, 8, 35.98, "E", "D"),
        "UIT-VNU-HCM": PrintedRank(9, 9, 5.25, "F", "G"),
    },
}
"""Table 1, systems in the paper's order."""

HUMAN: Mapping[tuple[str, str | None], Mapping[str, PrintedRating]] = {
    ("grammar", None): {
        "reference": PrintedRating(2.61, "a"),
        "UPF-FORGe": PrintedRating(2.47, "b"),
        "Melbourne": PrintedRating(2.39, "c"),
        "PKUWriter": PrintedRating(2.39, "c"),
        "Baseline": PrintedRating(2.36, "c"),
        "ADAPT": PrintedRating(2.31, "c"),
        "Tilburg-Pipeline": PrintedRating(2.19, "d"),
        "Tilburg-NMT": PrintedRating(2.16, "e"),
        "Tilburg-SMT": PrintedRating(1.96, "f"),
        "UIT-VNU-HCM": PrintedRating(1.39, "g"),
    },
    ("semantics", None): {
        "reference": PrintedRating(2.77, "a"),
        "UPF-FORGe": PrintedRating(2.68, "b"),
        "Tilburg-SMT": PrintedRating(2.42, "c"),
        "ADAPT": PrintedRating(2.30, "c"),
        "Melbourne": PrintedRating(2.30, "d"),
        "Tilburg-Pipeline": PrintedRating(2.20, "e"),
        "PKUWriter": PrintedRating(2.08, "f"),
        "Tilburg-NMT": PrintedRating(1.99, "g"),
        "Baseline": PrintedRating(1.86, "h"),
        "UIT-VNU-HCM": PrintedRating(1.42, "i"),
    },
    ("fluency", None): {
        "reference": PrintedRating(2.58, "a"),
        "UPF-FORGe": PrintedRating(2.34, "b"),
        "PKUWriter": PrintedRating(2.34, "b"),
        "Melbourne": PrintedRating(2.27, "cb"),
        "ADAPT": PrintedRating(2.26, "cb"),
        "Baseline": PrintedRating(2.25, "c"),
        "Tilburg-Pipeline": PrintedRating(2.07, "d"),
        "Tilburg-NMT": PrintedRating(2.01, "e"),
        "Tilburg-SMT": PrintedRating(1.81, "f"),
        "UIT-VNU-HCM": PrintedRating(1.38, "g"),
    },
    ("grammar", "seen"): {
        "ADAPT": PrintedRating(2.66, "a"),
        "reference": PrintedRating(2.62, "b"),
        "Baseline": PrintedRating(2.51, "c"),
        "UPF-FORGe": PrintedRating(2.50, "c"),
        "PKUWriter": PrintedRating(2.50, "c"),
        "Melbourne": PrintedRating(2.46, "d"),
        "Tilburg-Pipeline": PrintedRating(2.33, "e"),
        "Tilburg-NMT": PrintedRating(2.23, "f"),
        "Tilburg-SMT": PrintedRating(2.14, "g"),
        "UIT-VNU-HCM": PrintedRating(1.51, "h"),
    },
    ("grammar", "unseen"): {
        "reference": PrintedRating(2.59, "a"),
        "UPF-FORGe": PrintedRating(2.40, "b"),
        "Melbourne": PrintedRating(2.27, "c"),
        "PKUWriter": PrintedRating(2.17, "d"),
        "Baseline": PrintedRating(2.07, "e"),
        "Tilburg-NMT": PrintedRating(2.01, "e"),
        "Tilburg-Pipeline": PrintedRating(1.91, "f"),
        "ADAPT": PrintedRating(1.63, "g"),
        "Tilburg-SMT": PrintedRating(1.61, "g"),
        "UIT-VNU-HCM": PrintedRating(1.14, "h"),
    },
    ("semantics", "seen"): {
        "reference": PrintedRating(2.76, "a"),
        "ADAPT": PrintedRating(2.73, "a"),
        "UPF-FORGe": PrintedRating(2.71, "a"),
        "Melbourne": PrintedRating(2.48, "b"),
        "Tilburg-SMT": PrintedRating(2.47, "b"),
        "Tilburg-Pipeline": PrintedRating(2.46, "b"),
        "PKUWriter": PrintedRating(2.23, "c"),
        "Baseline": PrintedRating(2.21, "c"),
        "Tilburg-NMT": PrintedRating(2.14, "c"),
        "UIT-VNU-HCM": PrintedRating(1.55, "d"),
    },
    ("semantics", "unseen"): {
        "reference": PrintedRating(2.79, "a"),
        "UPF-FORGe": PrintedRating(2.62, "a"),
        "Tilburg-SMT": PrintedRating(2.30, "b"),
        "Melbourne": PrintedRating(1.93, "c"),
        "PKUWriter": PrintedRating(1.77, "c"),
        "Tilburg-Pipeline": PrintedRating(1.70, "cd"),
        "Tilburg-NMT": PrintedRating(1.69, "cd"),
        "ADAPT": PrintedRating(1.45, "de"),
        "Baseline": PrintedRating(1.17, "e"),
        "UIT-VNU-HCM": PrintedRating(1.16, "e"),
    },
    ("fluency", "seen"): {
        "ADAPT": PrintedRating(2.62, "a"),
        "reference": PrintedRating(2.57, "b"),
        "PKUWriter": PrintedRating(2.44, "c"),
        "Baseline": PrintedRating(2.40, "c"),
        "UPF-FORGe": PrintedRating(2.36, "d"),
        "Melbourne": PrintedRating(2.35, "d"),
        "Tilburg-Pipeline": PrintedRating(2.21, "e"),
        "Tilburg-NMT": PrintedRating(2.10, "f"),
        "Tilburg-SMT": PrintedRating(2.01, "g"),
        "UIT-VNU-HCM": PrintedRating(1.50, "h"),
    },
    ("fluency", "unseen"): {
        "reference": PrintedRating(2.61, "a"),
        "UPF-FORGe": PrintedRating(2.31, "b"),
        "PKUWriter": PrintedRating(2.14, "c"),
        "Melbourne": PrintedRating(2.11, "c"),
        "Baseline": PrintedRating(1.94, "d"),
        "Tilburg-NMT": PrintedRating(1.85, "e"),
        "Tilburg-Pipeline": PrintedRating(1.78, "f"),
        "ADAPT": PrintedRating(1.55, "g"),
        "Tilburg-SMT": PrintedRating(1.44, "h"),
        "UIT-VNU-HCM": PrintedRating(1.14, "i"),
    },
}
"""Tables 2 and 3 by criterion (as in the judgments) and part, in the paper's order."""


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
