"""How near a number of ours is to a printed one: equal, close or different."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["CLOSE", "MARKS", "SIGNS", "counts", "mark", "shown_pair"]

CLOSE = 0.02
"""Numbers of two decimals are close within this."""

EQUAL, NEAR, DIFFERENT, ABSENT = MARKS = ("equal", "close", "different", "n/a")

SIGNS: Mapping[str, str] = {EQUAL: "=", NEAR: "~", DIFFERENT: "≠", ABSENT: ""}
"""A mark as one character beside the number."""


def mark(
    ours: float | None, printed: float | None, *, digits: int = 2, close: float = CLOSE
) -> str:
    """Equal where ours rounds to what is printed, close where it is at most `close` away.

    >>> mark(0.734, 0.73), mark(0.75, 0.73), mark(0.751, 0.73), mark(None, 0.73)
    ('equal', 'close', 'different', 'n/a')
    """
    if ours is None or printed is None or not (math.isfinite(ours) and math.isfinite(printed)):
        return ABSENT
    # Printed numbers come from rounding as ours do: half a unit of the last digit either way.
    if abs(ours - printed) <= 0.5 * 10**-digits + 1e-9:
        return EQUAL
    return NEAR if abs(ours - printed) <= close + 1e-9 else DIFFERENT


def counts(marks: Iterable[str]) -> dict[str, int]:
    """How often each mark stands there, those that do not as zero."""
    found = Counter(marks)
    return {one: found[one] for one in MARKS}


def shown_pair(ours: float | None, printed: float | None, digits: int = 2) -> str:
    """Ours with its sign, for a cell below or beside the printed number.

    >>> shown_pair(0.734, 0.73), shown_pair(-0.5, 0.73), shown_pair(None, 0.73)
    ('.73=', '-.50≠', 'n/a')
    """
    if ours is None:
        return "n/a"
    return without_zero(ours, digits) + SIGNS[mark(ours, printed, digits=digits)]


def without_zero(value: float, digits: int = 2) -> str:
    """A number below one without the zero before its point, which narrow tables have no room for.

    >>> without_zero(-0.5), without_zero(1.0), without_zero(-0.001)
    ('-.50', '1.00', '.00')
    """
    text = f"{abs(value):.{digits}f}"
    sign = "-" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)
