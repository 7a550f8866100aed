"""The one place that knows sacrebleu from inside: a text's statistics, and the score of their sum.

Its public functions give a score for a text or for a corpus, but not the statistics that lead from
one to the other, which a run keeps. The methods used here are those every sacrebleu metric must
define since 2.0; a test compares them with the public functions, so a new sacrebleu that differs
is noticed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rapidfuzz.distance import Levenshtein
from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import lib_ter

from adequa.errors import ModelError

__all__ = ["SACREBLEU_VERSION", "Engine", "TerEngine"]

SACREBLEU_VERSION: str = sacrebleu_version

_NEEDED = (
    "_compute_score_from_stats",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_preprocess_segment",
)
_LONGEST_REMEMBERED = 2000
"""Longer references, in characters, are prepared anew each time: their n-grams fill the memory."""


class Engine:
    """A sacrebleu metric object, taken apart; references that recur are prepared once."""

    def __init__(self, metric: Any, remembered: int) -> None:
        missing = [name for name in _NEEDED if not hasattr(metric, name)]
        if missing:
            raise ModelError(
                f"{type(metric).__name__} is not a metric object as sacrebleu 2 has them "
                f"(it has no {missing[0]}; sacrebleu is {SACREBLEU_VERSION})"
            )
        self.metric = metric
        self._remember = lru_cache(maxsize=remembered)(self._prepare)

    def statistics(self, text: str, references: tuple[str, ...]) -> list[Any]:
        """The statistics of one text against its best reference or all, as the metric has it."""
        long = sum(map(len, references)) > _LONGEST_REMEMBERED
        prepared = self._prepare(references) if long else self._remember(references)
        return self._compare(self.metric._preprocess_segment(text), prepared)  # noqa: SLF001

    def value(self, totals: Sequence[float]) -> float:
        """The score of a text or of a corpus from its statistics or their sum."""
        return float(self.metric._compute_score_from_stats(list(totals)).score)  # noqa: SLF001

    def signature(self, references: int | None) -> str:
        """Sacrebleu's own signature, `None` for a variable number of references."""
        self.metric.num_refs = -1 if references is None else references
        return str(self.metric.get_signature())

    def _prepare(self, references: tuple[str, ...]) -> Any:
        ready = [self.metric._preprocess_segment(reference) for reference in references]  # noqa: SLF001
        return self.metric._extract_reference_info(ready)  # noqa: SLF001

    def _compare(self, text: str, prepared: Any) -> list[Any]:
        return list(self.metric._compute_segment_statistics(text, prepared))  # noqa: SLF001


class TerEngine(Engine):
    """TER with sacrebleu's search for shifts, and a faster edit distance inside it.

    Sacrebleu tries hundreds of shifts a text and computes the distance of each, with its steps, in
    a matrix of pairs; nearly all of its time goes there.
    """

    def _compare(self, text: str, prepared: Any) -> list[Any]:
        words = text.split()
        references: list[list[str]] = prepared["ref_words"]
        edits = min(_edits(words, reference) for reference in references)
        return [edits, sum(map(len, references)) / len(references)]


def _edits(text: list[str], reference: list[str]) -> int:
    """The edits and shifts that turn a text into a reference, as sacrebleu counts them."""
    if not reference:
        return len(text)
    # A character a word: the distance then compares strings. Words that are not in the reference
    # match nothing, so one character can stand for all of them.
    letters = {word: chr(number) for number, word in enumerate(dict.fromkeys(reference), 1)}
    distance = Distance([letters[word] for word in reference])
    words = [letters.get(word, "\0") for word in text]
    shifts = checked = 0
    while True:
        distance.shift_from(words)
        gain, shifted, checked = lib_ter._shift(words, distance.reference, distance, checked)  # noqa: SLF001
        if checked >= lib_ter._MAX_SHIFT_CANDIDATES or gain <= 0:  # noqa: SLF001
            return shifts + distance.before
        shifts += 1
        words = shifted


class Distance:
    """Stands in for sacrebleu's `BeamEditDistance` while one text is being shifted.

    It gives the distance and the steps of the text itself, and the distance of each trial, exactly
    where the trial is nearer; of the others, which are never taken, a lower bound.
    """

    def __init__(self, reference: list[str]) -> None:
        self.reference = reference
        self.before = 0
        self._letters = "".join(reference)
        self._text: list[str] = []
        self._matrix: list[list[int]] = []
        self._steps = ""

    def shift_from(self, words: list[str]) -> None:
        """Begin with this text."""
        self._matrix = _band(words, self.reference, [list(range(len(self.reference) + 1))])
        self._text, self._steps = words, _steps(self._matrix, words, self.reference)
        self.before = self._matrix[-1][-1]

    def __call__(self, words: list[str]) -> tuple[int, str]:
        if words is self._text:
            return self.before, self._steps
        distance = Levenshtein.distance("".join(words), self._letters)
        if distance >= self.before or self._inside_band(distance, len(words)):
            return distance, ""
        pairs = enumerate(zip(words, self._text, strict=True))
        same = next((place for place, (new, old) in pairs if new != old), len(words))
        # A shift leaves the beginning of the text, and with it those rows, as they were.
        return _band(words, self.reference, self._matrix[: same + 1])[-1][-1], ""

    def _inside_band(self, distance: int, length: int) -> bool:
        """Whether every best way keeps to the band of the matrix that sacrebleu looks at.

        A way with d edits that ends k cells off the diagonal of a square leaves the slanted one by
        at most (d + k) / 2, and by one more where sacrebleu rounds it down.
        """
        width: int = lib_ter._BEAM_WIDTH  # noqa: SLF001
        off = abs(len(self.reference) - length)
        return len(self.reference) < width or distance + off <= 2 * (width - 1)


def _band(words: list[str], reference: list[str], known: list[list[int]]) -> list[list[int]]:
    """The matrix of edit distances, beginning with rows that are known.

    It is filled in the band that sacrebleu looks at, and infinite elsewhere.
    """
    width: int = lib_ter._BEAM_WIDTH  # noqa: SLF001
    infinite: int = lib_ter._INT_INFINITY  # noqa: SLF001
    size = len(reference) + 1
    ratio = len(reference) / len(words) if words else 1.0
    if ratio / 2 > width:
        width = math.ceil(ratio / 2 + width)
    matrix = list(known)
    for number in range(len(known), len(words) + 1):
        middle = math.floor(number * ratio)
        start = max(0, middle - width)
        end = size if number == len(words) else min(size, middle + width)
        word, above, row = words[number - 1], matrix[-1], [infinite] * size
        left = infinite
        if start == 0:
            row[0] = left = above[0] + 1
            start = 1
        for column in range(start, end):
            cost = above[column - 1]
            if word != reference[column - 1]:
                cost += 1
            if above[column] < cost:
                cost = above[column] + 1
            left = cost if cost <= left else left + 1
            row[column] = left
        matrix.append(row)
    return matrix


def _steps(matrix: list[list[int]], words: list[str], reference: list[str]) -> str:
    """The steps of the edit, of several equal ones those sacrebleu prefers."""
    row, column = len(words), len(reference)
    steps: list[str] = []
    while row or column:
        cost = matrix[row][column]
        same = row and column and words[row - 1] == reference[column - 1]
        if row and column and matrix[row - 1][column - 1] + (not same) == cost:
            steps.append(lib_ter._OP_NOP if same else lib_ter._OP_SUB)  # noqa: SLF001
            row, column = row - 1, column - 1
        elif row and matrix[row - 1][column] + 1 == cost:
            steps.append(lib_ter._OP_DEL)  # noqa: SLF001
            row -= 1
        else:
            steps.append(lib_ter._OP_INS)  # noqa: SLF001
            column -= 1
    return "".join(reversed(steps))
