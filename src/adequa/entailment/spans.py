"""From what is said of single words to stretches a person would mark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adequa.entailment.evidence import Stretch

__all__ = ["Word", "stretches", "words_of"]

_WORD = re.compile(r"[^\W_]")
_END = re.compile(r"[.!?;]\s")
_LITTLE = frozenset(
    {
        *(
            "a",
            "an",
            "and",
            "as",
            "at",
            "by",
            "for",
            "from",
            "his",
            "in",
            "into",
            "is",
            "it",
            "its",
        ),
        *("of", "on", "or", "that", "the", "their", "this", "to", "was", "were", "which", "who"),
        "with",
    }
)
_LONG_RUN = 8
_BRIDGE = 2
"""So many words between two unsupported ones go with them, if they are little or in doubt."""
_DOUBT = 0.35
"""The share of the threshold from which a word is in doubt."""


class Word(NamedTuple):
    """A word of the text, and how likely the data does not support it."""

    start: int
    end: int
    unsupported: float


def words_of(
    text: str, offsets: Sequence[tuple[int, int]], unsupported: Sequence[float]
) -> list[Word]:
    """Pieces that stand side by side as one word, as doubtful as its worst piece.

    Signs of their own are left out: nobody doubts a comma.
    """
    found: list[Word] = []
    for (start, end), doubt in zip(offsets, unsupported, strict=True):
        if not _WORD.search(text, start, end):
            continue
        if found and found[-1].end == start:
            last = found.pop()
            found.append(Word(last.start, end, max(last.unsupported, doubt)))
        else:
            found.append(Word(start, end, doubt))
    return found


def stretches(
    text: str,
    words: Sequence[Word],
    threshold: float,
    values: Sequence[tuple[int, int]] = (),
) -> list[Stretch]:
    """The runs of words that the data does not support, as wide as a person would mark them.

    Little or doubtful words between two that are not supported stay, unless a sentence ends there.
    In a short run, `values` (wrong names, numbers and dates) are stretches of their own.
    """
    flagged = [number for number, word in enumerate(words) if word.unsupported >= threshold]
    runs: list[list[int]] = []
    for number in flagged:
        if runs and _together(text, words, runs[-1][-1], number, threshold):
            runs[-1].append(number)
        else:
            runs.append([number])
    found = []
    for run in runs:
        for part in _parted(words, run, values):
            doubt = max(words[number].unsupported for number in part)
            start, end = words[part[0]].start, words[part[-1]].end
            found.append(Stretch(start, end, "span", doubt))
    return found


def _parted(
    words: Sequence[Word], run: list[int], values: Sequence[tuple[int, int]]
) -> list[list[int]]:
    """A short run with each value of it apart, and what stands between."""
    if run[-1] - run[0] >= _LONG_RUN:
        return [run]
    parts: list[list[int]] = []
    before: int | None = None
    for number in run:
        word = words[number]
        own = next(
            (
                place
                for place, (start, end) in enumerate(values)
                if start < word.end and word.start < end
            ),
            None,
        )
        if parts and own == before:
            parts[-1].append(number)
        else:
            parts.append([number])
        before = own
    return parts


def _together(text: str, words: Sequence[Word], one: int, other: int, threshold: float) -> bool:
    between = words[one + 1 : other]
    gap = text[words[one].end : words[other].start]
    if _END.search(gap) or len(between) > _BRIDGE:
        return False
    return all(
        word.unsupported >= threshold * _DOUBT or text[word.start : word.end].lower() in _LITTLE
        for word in between
    )
