"""The numbers that the paper on entailment (Dušek and Kasner 2020) prints, and what is near them.

The version at hand prints accuracy alone. That not_OK is what recall and precision are of, the
thresholds and the correlation are those of the authors' own evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Dataset = Literal["webnlg", "e2e"]
Wording = Literal["backoff", "templates"]

ACCURACY: Mapping[tuple[Dataset, Wording], float] = {
    ("webnlg", "backoff"): 0.768,
    ("webnlg", "templates"): 0.775,
    ("e2e", "backoff"): 0.874,
    ("e2e", "templates"): 0.933,
}
"""Section 3: how often the metric's OK or not_OK is that of people, or of E2E's script."""

EXAMINED = 100
REEXAMINED: Mapping[Dataset, int] = {"webnlg": 42, "e2e": 45}
"""Of so many of the metric's errors these were none: the metric was right."""

REASONS: Mapping[Dataset, str] = {
    "webnlg": "a threshold on a scale, imprecise templates, low ratings for poor grammar",
    "e2e": "values in other words, errors of the script, edge cases, hallucinations beyond slots",
}
"""What the authors found in them."""

EQUAL, CLOSE = 0.005, 0.02


def against(ours: float | None, paper: float | None) -> str | None:
    """How a figure stands to the paper's; None where one of them is not there.

    >>> against(0.772, 0.775), against(0.76, 0.775), against(0.81, 0.775)
    ('equal', 'close', 'different (higher)')
    """
    if ours is None or paper is None:
        return None
    distance = round(abs(ours - paper), 9)
    if distance <= EQUAL:
        return "equal"
    if distance <= CLOSE:
        return "close"
    return f"different ({'higher' if ours > paper else 'lower'})"
