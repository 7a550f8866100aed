"""Numbers in English words: cardinals, ordinals, and what looks like one and is not."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Spelt", "spelt_numbers"]


class Spelt(NamedTuple):
    """A number in words and where it stands."""

    start: int
    end: int
    value: int
    ordinal: bool


_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
          "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
             "nine": "ninth", "twelve": "twelfth"}  # fmt: skip


def _vocabulary() -> dict[str, tuple[str, int, bool]]:
    words = {word: ("one", n, False) for n, word in enumerate(_ONES)}
    words |= {word: ("ten", n, False) for n, word in enumerate(_TEENS, 10)}
    words |= {word: ("tens", 10 * n, False) for n, word in enumerate(_TENS, 2)}
    words |= {word: ("scale", n, False) for word, n in _SCALES.items()}
    for word, (kind, n, _) in list(words.items()):
        ordinal = _ORDINALS.get(word) or (word[:-1] + "ieth" if kind == "tens" else word + "th")
        if word != "zero":
            words[ordinal] = (kind, n, True)
    return words | {"dozen": ("dozen", 12, False), "a": ("a", 1, False)}


_VOCABULARY = _vocabulary()
_STEMS = (*_ONES, "ten", "eleven", "twel", "thir", "fif", "eigh", "twent", "fort", "hundred",
          "thousand", "llion", "dozen", "first", "second", "nin")  # fmt: skip
_ANY_WORD = (
    r"(?:a(?=\s{1,2}(?:dozen|hundred|thousand|million|billion|trillion)(?!\w))|"
    + "|".join(sorted((w for w in _VOCABULARY if w != "a"), key=len, reverse=True))
    + r")(?!\w)"
)
_WORD = re.compile(rf"(?<!\w){_ANY_WORD}")
_RUN = re.compile(rf"(?<!\w){_ANY_WORD}(?:(?:\s{{1,2}}|\s?-\s?)(?:and\s{{1,2}})?{_ANY_WORD})*")
_NOT_COUNTED = re.compile(r"(?<!\w)(?:half|no)[\s-]\Z")
_FRACTION = re.compile(
    r"[\s-]{1,2}(?:and\s{1,2}a\s{1,2})?(?:half|halves|quarters?|thirds"
    r"|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand)ths)(?!\w)"
)


def _follows(previous: str, kind: str, glue: str) -> bool:
    """Whether a word of one kind goes on with the number that a word of another kind began."""
    if "and" in glue and previous != "scale":
        return False
    if kind == "one":
        return previous in ("tens", "scale")
    if kind in ("ten", "tens"):
        return previous == "scale"
    return kind in ("scale", "dozen") and "and" not in glue


def _spelt(lower: str, run: re.Match[str]) -> list[Spelt]:
    """The numbers in a run of number words: "two thousand and five", but "five" and "six"."""
    numbers: list[Spelt] = []
    kind, start, end, total, current, limit, closed = "", 0, 0, 0, 0, 10**15, True
    for match in _WORD.finditer(lower, run.start(), run.end()):
        this, value, ordinal = _VOCABULARY[match[0]]
        more = not closed and _follows(kind, this, lower[end : match.start()])
        if more and this == "scale":
            # Hundreds multiply what is below a hundred; the greater ones must come down.
            more = current < 100 if value == 100 else value < limit
            more = more and current > 0
        if not more:
            if not closed:
                numbers.append(Spelt(start, end, total + current, False))
            start, total, current, limit = match.start(), 0, 0, 10**15
        if this == "scale":
            if value == 100:
                current = 100 * max(current, 1)
            else:
                total, current, limit = total + value * max(current, 1), 0, value
        else:
            current = current * value if this == "dozen" and current else current + value
        kind, end = this, match.end()
        closed = ordinal or this == "dozen"
        if closed:
            numbers.append(Spelt(start, end, total + current, ordinal))
    if not closed:
        numbers.append(Spelt(start, end, total + current, False))
    return numbers


def spelt_numbers(lower: str) -> list[Spelt]:
    """Every number in words of a lower-case text; fractions, half a dozen and no one are none."""
    if not any(stem in lower for stem in _STEMS):
        return []
    found: list[Spelt] = []
    for run in _RUN.finditer(lower):
        numbers = _spelt(lower, run)
        skip = False
        for index, number in enumerate(numbers):
            following = numbers[index + 1] if index + 1 < len(numbers) else None
            # "one third" is a fraction; "one second" is a time.
            fraction = (
                following is not None
                and following.ordinal
                and not number.ordinal
                and lower[following.start : following.end] != "second"
            )
            refused = skip or fraction or _FRACTION.match(lower, number.end)
            skip = fraction
            if not refused and not _NOT_COUNTED.search(
                lower, max(0, number.start - 6), number.start
            ):
                found.append(number)
    return found
