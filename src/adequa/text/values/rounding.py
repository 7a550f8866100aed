"""How exactly a text gives a number: rounded, "about", "just over", "nearly", "more than".

`hedge_at` reads the words around a number, and `interval_of` tells which values of the data the
number may stand for.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Literal, NamedTuple

Hedge = Literal[
    "none", "about", "just over", "over", "at least", "just under", "under", "at most", "either"
]
"""`either` is "over" or "under", which may also mean during or below: exact values count too."""


class Interval(NamedTuple):
    """The least and greatest value that a number may stand for, ends included."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether the value is in it."""
        return self.low <= value <= self.high


_BEFORE: dict[Hedge, str] = {
    "just over": (
        r"(?:just|a\slittle|a\sbit|slightly|a\stouch|a\sshade|marginally|barely)\s"
        r"(?:over|above|more\sthan|longer\sthan|higher\sthan|greater\sthan|past|beyond)"
    ),
    "just under": (
        r"(?:just|a\slittle|a\sbit|slightly|a\stouch|a\sshade|marginally)\s"
        r"(?:under|below|less\sthan|fewer\sthan|shorter\sthan|lower\sthan|short\sof|shy\sof)"
        r"|nearly|almost|not\squite|approaching|nearing|close\sto|practically"
    ),
    "at least": r"at\sleast|no\s(?:fewer|less)\sthan|not\sless\sthan|≥\s?|a\sminimum\sof|minimum",
    "at most": (
        r"at\smost|no\smore\sthan|not\smore\sthan|(?<!add\s)(?<!adds\s)(?<!added\s)up\sto|as\s(?:many|much|high|long)\sas|≤\s?"
        r"|a\smaximum\sof|maximum"
    ),
    "over": (
        r"(?:well\s)?more\sthan|well\s(?:over|above)"
        r"|exceeding|exceeds?|exceeded|surpass(?:es|ed|ing)|upwards\sof|in\sexcess\sof|>\s?"
    ),
    "under": r"(?:well\s)?(?:less|fewer)\sthan|well\s(?:under|below)|<\s?",
    "either": (
        r"over|above|under|below|beyond|(?:greater|longer|higher|older|better|larger|bigger|shorter"
        r"|lower|younger|smaller|warmer|colder)\sthan"
    ),
    "about": (
        r"about|around|roughly|approximately|approx\.?|circa|c\.|ca\.|some|an?\sestimated|~\s?|≈\s?"
        r"|in\sthe\sregion\sof|on\sthe\sorder\sof|near"
    ),
}
_HEDGE = re.compile(
    r"(?<!\w)(?:"
    + "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in _BEFORE.items())
    + r")\s?(?:an?\s(?=\d))?[$€£]?\Z"
)
_AFTER = re.compile(r"\s?(?P<at_least>\+|or\smore|or\sabove|plus)(?!\w)|\s?(?P<about>or\sso|-odd)")
_WINDOW = 32
_NEGATION = re.compile(
    r"(?:(?<!\w)(?:no|not|nobody|none|never|without|cannot|neither)(?!\w)|n['’]t(?!\w))"
)
_NEGATED: dict[str, Hedge] = {"over": "at most", "under": "at least"}


def hedge_at(lower: str, start: int, end: int) -> tuple[Hedge, int]:
    """The hedge of a number at a place of a lower-case text, and the start of its words.

    >>> hedge_at("nearly 30 g", 7, 11)
    ('just under', 0)
    """
    before = _HEDGE.search(lower, max(0, start - _WINDOW), start)
    if before:
        # Only the hedge that touches the number counts; a longer one begins further left.
        name = next(name for name, words in before.groupdict().items() if words)
        hedge: Hedge = name.replace("_", " ")  # type: ignore[assignment]
        if hedge in _NEGATED and _NEGATION.search(
            lower, max(0, before.start() - _WINDOW), before.start()
        ):
            hedge = _NEGATED[hedge]  # "nobody may order more than six"
        return hedge, before.start()
    after = _AFTER.match(lower, end)
    if after:
        return ("at least" if after["at_least"] else "about"), start
    return "none", start


# The shares below were chosen by hand on the open part of bench/challenges/records.
_ABOUT = 0.1
"""How far "about 9" may be off: a number of one significant digit; else one unit of its last."""
_JUST = 0.1
"""How far "just over 400" may be off."""
_MORE = 0.2
"""How far "more than 420" may be off; "more than 400" may be up to 500."""
_TINY = 1e-9


def interval_of(seen: Decimal, hedge: Hedge = "none") -> Interval:
    """The values that a number may stand for: rounded to its last digit, or as the hedge says.

    The final zeros of a whole number may come from rounding, as in "20,800"; two digits always
    count, so that "20,000" is not 24,000. A value of exactly the number is never "more than" it;
    "at least" and "at most" name a limit, which the data has as it is.

    >>> interval_of(Decimal("20800")).holds(20_849), interval_of(Decimal("1.5")).holds(1.56)
    (True, False)
    """
    number = float(seen)
    digits, place = _precision(seen)
    half = 0.5 * 10.0**place
    size = abs(number)
    step = 10.0**place
    least = _TINY * max(size, 1.0)
    if hedge == "none":
        return Interval(number - half - least, number + half + least)
    if hedge == "about":
        wide = max(_ABOUT * size, half) if digits < 2 else step
        return Interval(number - wide - least, number + wide + least)
    if hedge in ("at least", "at most"):
        return Interval(number - half - least, number + half + least)
    just = max(step, _JUST * size)
    far = 10.0 ** math.floor(math.log10(size)) if digits < 2 and size else max(step, _MORE * size)
    spans: dict[str, Interval] = {
        "just over": Interval(number + least, number + just),
        "over": Interval(number + least, number + far),
        "just under": Interval(number - just, number - least),
        "under": Interval(number - far, number - least),
        "either": Interval(number - far, number + far),
    }
    return spans[hedge]


def _precision(seen: Decimal) -> tuple[int, int]:
    """The number of significant digits, and the power of ten of the last one."""
    _, digits, exponent = seen.as_tuple()
    if not isinstance(exponent, int):
        return 1, 0
    figures = "".join(map(str, digits)).lstrip("0") or "0"
    if exponent < 0:
        return len(figures), exponent
    zeros = len(figures) - len(figures.rstrip("0")) if figures != "0" else 0
    significant = len(figures) - zeros
    return significant, exponent + min(zeros, max(len(figures) - 2, 0))
