"""Text that says the same words over and over: degenerate output, and sentences said twice."""

from __future__ import annotations

from typing import NamedTuple

from adequa.entities.text import PreparedText

__all__ = ["Repetition", "find_repetitions"]

_LONGEST_UNIT = 8
_LEAST_TIMES = 3
_LEAST_SENTENCE = 4
_MOST_WORDS = 20_000


class Repetition(NamedTuple):
    """Words said again, and a sentence about it."""

    start: int
    end: int
    why: str


def find_repetitions(text: PreparedText) -> tuple[Repetition, ...]:
    """Loops of up to eight words said three times or more, and whole sentences that stand twice.

    >>> text = PreparedText("the dish of the dish of the dish of rice")
    >>> [found.why for found in find_repetitions(text)]
    ["'the dish of' is said 3 times in a row"]
    """
    words = text.words[:_MOST_WORDS]
    found: list[Repetition] = []
    if len(words) - len(set(words)) >= _LEAST_TIMES - 1 and _beats(words):
        found = _loops(words, text)
    if len(words) >= 2 * _LEAST_SENTENCE and text.sentences[len(words) - 1]:
        found += _sentences(words, text, found)
    return tuple(found)


def _beats(words: list[str]) -> bool:
    """Whether some word comes three times at equal, short distances: without it, no loop."""
    last: dict[str, tuple[int, int]] = {}
    for place, word in enumerate(words):
        before, step = last.get(word, (place, 0))
        gap = place - before
        if gap and gap == step and gap <= _LONGEST_UNIT:
            return True
        last[word] = place, gap
    return False


def _loops(words: list[str], text: PreparedText) -> list[Repetition]:
    found: list[Repetition] = []
    done = 0
    for length in range(1, min(_LONGEST_UNIT, len(words) // _LEAST_TIMES) + 1):
        run = 0
        for place in range(len(words) - length + 1):
            if place < len(words) - length and words[place] == words[place + length]:
                run += 1
                continue
            times = run // length + 1
            if times < _LEAST_TIMES:
                run = 0
                continue
            first = place - run
            unit = " ".join(words[first : first + length])
            # Figures repeat in figures (1000 1000 1000); words of one letter in initials.
            last = first + times * length - 1
            listed = length == 1 and "," in text.string[text.starts[first] : text.ends[last]]
            if first >= done and len(unit) > 1 and not unit.isdigit() and not listed:
                why = f"{unit!r} is said {times} times in a row"
                found.append(Repetition(text.starts[first], text.ends[last], why))
                done = last + 1
            run = 0
    return found


def _sentences(words: list[str], text: PreparedText, loops: list[Repetition]) -> list[Repetition]:
    found: list[Repetition] = []
    seen: set[tuple[str, ...]] = set()
    first = 0
    numbers = text.sentences
    for place in range(1, len(words) + 1):
        if place < len(words) and numbers[place] == numbers[first]:
            continue
        sentence = tuple(words[first:place])
        start, end = text.starts[first], text.ends[place - 1]
        if len(sentence) >= _LEAST_SENTENCE:
            if sentence in seen and all(end <= one.start or one.end <= start for one in loops):
                found.append(Repetition(start, end, "this sentence is said twice"))
            seen.add(sentence)
        first = place
    return found
