"""The numbers printed in paper 002 (Dušek and Kasner, 2020), and the comparison with them.

Our version of the paper prints only accuracy. The thresholds, the correlation, and recall and
precision of not_OK are those of the authors' own evaluation.
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
"""Section 3: the accuracy of OK or not_OK against people, or against E2E's script."""

EXAMINED = 100
REEXAMINED: Mapping[Dataset, int] = {"webnlg": 42, "e2e": 45}
"""The errors among the 100 examined in which the metric was right."""

REASONS: Mapping[Dataset, str] = {
    "webnlg": "a threshold on a scale, imprecise templates, low ratings for poor grammar",
    "e2e": "values in other words, errors of the script, edge cases, hallucinations beyond slots",
}
"""The causes that the authors found."""

EQUAL, CLOSE = 0.005, 0.02
"""The largest differences that count as equal and as close; no record of the data for `CLOSE`."""


def against(ours: float | None, paper: float | None) -> str | None:
    """The comparison of a figure with the paper's; None if one of them is missing.

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
