"""Text that says the same words over and over: degenerate output, and sentences said twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Repetition", "find_repetitions"]

# A run of up to eight words said three times or more, one time after the other.
_LOOP = re.compile(
    r"\b((?:[^\W_]+[^\w\n.!?]{1,3}){1,8}?)\1{2,}|\b([^\W_]{2,})(?:\s+\2\b){2,}", re.IGNORECASE
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_LEAST_WORDS = 4
_LONGEST = 20_000


class Repetition(NamedTuple):
    """Words said again, and a sentence about it."""

    start: int
    end: int
    why: str


def find_repetitions(text: str) -> Iterator[Repetition]:
    """Loops of words, and whole sentences that stand twice; the first 20,000 characters.

    >>> [text for *_, text in find_repetitions("the dish of the dish of the dish of rice")]
    ["'the dish of' is said 3 times in a row"]
    """
    text = text[:_LONGEST]
    end = 0
    for match in _LOOP.finditer(text):
        unit = (match[1] or match[2]).strip()
        times = round(len(match[0].strip()) / max(len(match[1] or match[2] + " "), 1))
        end = match.start() + len(match[0].rstrip())
        yield Repetition(match.start(), end, f"{unit!r} is said {max(times, 3)} times in a row")
    seen: set[str] = set()
    for match in _SENTENCE.finditer(text):
        words = re.findall(r"[^\W_]+", match[0].lower())
        key = " ".join(words)
        if len(words) >= _LEAST_WORDS and key in seen and match.start() >= end:
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            yield Repetition(start, match.end(), "this sentence is said twice")
        seen.add(key)
