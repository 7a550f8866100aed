"""BLEU, chrF++ and TER through sacrebleu: its numbers at text level and at corpus level.

A run keeps each text's statistics, so the corpus value is sacrebleu's own and not a mean. Items may
have different numbers of references. An absent reference is absent: sacrebleu's command line counts
an empty line of a reference file as an empty reference instead, which shortens BLEU's reference
length and TER's average; `pad_references` does the same on purpose.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal

from rapidfuzz.distance import Levenshtein
from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import BLEU, CHRF, TER, lib_ter

from adequa.data import Item, Score
from adequa.errors import ModelError
from adequa.metrics.base import (
    NO_REFERENCES,
    Metric,
    references_of,
    require_at_least,
    require_choices,
)

# ---
# The one place that knows sacrebleu from inside: a text's statistics, and the score of their sum.
#
# Its public functions give a score for a text or for a corpus, but not the statistics that lead
# from one to the other, which a run keeps. The methods used here are those every sacrebleu metric
# must define since 2.0; a test compares them with the public functions, so a new sacrebleu that
# differs is noticed.
# ---

SACREBLEU_VERSION: str = sacrebleu_version

_NEEDED = (
    "_compute_score_from_stats",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_preprocess_segment",
)
_LONGEST_REMEMBERED = 2000
"""Longer references, in characters, are prepared anew each time: their n-grams fill the memory."""


class SacrebleuEngine:
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


class TerEngine(SacrebleuEngine):
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
        """The edits to `words`, and the steps that lead there."""
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


@dataclass(frozen=True)
class _Sacrebleu(Metric):
    """What the three have in common."""

    best: ClassVar[float] = 100.0
    worst: ClassVar[float] = 0.0
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    pad_references: int = field(
        default=0,
        kw_only=True,
        metadata={
            "doc": "fill up each item's references to this many with empty ones, as sacrebleu's "
            "command line does for empty lines; 0 takes them as they are"
        },
    )

    def __post_init__(self) -> None:
        require_choices(self)
        require_at_least(self, "pad_references", 0)

    @abstractmethod
    def _engines(self) -> tuple[SacrebleuEngine, SacrebleuEngine]:
        """Sacrebleu for a text, and for a corpus."""

    def score(self, items: Sequence[Item]) -> list[Score]:
        """Sacrebleu's sentence score of each item, with what the corpus value needs of it."""
        return [self._score(item) for item in items]

    def _score(self, item: Item) -> Score:
        references = references_of(item)
        if not references:
            return Score(None, reason=NO_REFERENCES)
        references += ("",) * (self.pad_references - len(references))
        engine = _engines_of(self)[0]
        statistics = engine.statistics(item.text, references)
        return Score(engine.value(statistics), tuple(statistics))

    def corpus(self, totals: Sequence[float]) -> float:
        """Sacrebleu's corpus score."""
        return _engines_of(self)[1].value(totals)

    def provenance(self) -> Mapping[str, object]:
        """The version of sacrebleu."""
        return {"sacrebleu": SACREBLEU_VERSION}

    def sacrebleu_signature(self, references: int | None = None) -> str:
        """The signature sacrebleu prints for the corpus value; `None`: their number varies."""
        return _engines_of(self)[1].signature(references)


@lru_cache(maxsize=64)
def _engines_of(metric: _Sacrebleu) -> tuple[SacrebleuEngine, SacrebleuEngine]:
    # Outside of the metric, which stays a frozen value that can be hashed and sent to a worker.
    return metric._engines()  # noqa: SLF001


@dataclass(frozen=True)
class Bleu(_Sacrebleu):
    """BLEU (Papineni et al. 2002)."""

    name: ClassVar[str] = "bleu"
    doc: ClassVar[str] = "BLEU by sacrebleu: words and phrases shared with the references"

    lowercase: bool = field(default=False, metadata={"doc": "ignore case"})
    tokenize: Literal["13a", "char", "intl", "none", "zh"] = field(
        default="13a", metadata={"doc": "sacrebleu's tokeniser"}
    )
    smooth_method: Literal["exp", "floor", "add-k", "none"] = field(
        default="exp", metadata={"doc": "what replaces a precision of zero"}
    )
    smooth_value: float | None = field(
        default=None, metadata={"doc": "for floor and add-k; none is sacrebleu's default"}
    )
    max_order: int = field(default=4, metadata={"doc": "the longest n-grams, in words"})
    effective_order: bool = field(
        default=True,
        metadata={"doc": "leave out n-grams longer than the text; the corpus value never does"},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, "max_order", 1)
        if self.smooth_value is not None:
            require_at_least(self, "smooth_value", 0)

    def _engines(self) -> tuple[SacrebleuEngine, SacrebleuEngine]:
        text, corpus = (
            BLEU(
                lowercase=self.lowercase,
                force=True,
                tokenize=self.tokenize,
                smooth_method=self.smooth_method,
                smooth_value=self.smooth_value,
                max_ngram_order=self.max_order,
                effective_order=effective_order,
            )
            for effective_order in (self.effective_order, False)
        )
        return SacrebleuEngine(text, remembered=2048), SacrebleuEngine(corpus, remembered=0)


@dataclass(frozen=True)
class Chrf(_Sacrebleu):
    """chrF (Popović 2015) and, as set here, chrF++ (Popović 2017)."""

    name: ClassVar[str] = "chrf"
    doc: ClassVar[str] = "chrF++ by sacrebleu: characters and words shared with the best reference"

    char_order: int = field(default=6, metadata={"doc": "the longest n-grams, in characters"})
    word_order: int = field(
        default=2, metadata={"doc": "the longest n-grams, in words: 2 is chrF++, 0 chrF"}
    )
    beta: int = field(default=2, metadata={"doc": "how much recall weighs against precision"})
    lowercase: bool = field(default=False, metadata={"doc": "ignore case"})
    whitespace: bool = field(default=False, metadata={"doc": "count spaces as characters"})
    eps_smoothing: bool = field(
        default=False, metadata={"doc": "smooth as chrF++.py does, not as sacrebleu"}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for setting, least in (("char_order", 1), ("word_order", 0), ("beta", 1)):
            require_at_least(self, setting, least)

    def _engines(self) -> tuple[SacrebleuEngine, SacrebleuEngine]:
        metric = CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )
        # Its n-grams are five times those of BLEU, hence few are kept.
        engine = SacrebleuEngine(metric, remembered=128)
        return engine, engine


@dataclass(frozen=True)
class Ter(_Sacrebleu):
    """Translation edit rate (Snover et al. 2006): edits for each hundred words of reference."""

    name: ClassVar[str] = "ter"
    doc: ClassVar[str] = "TER by sacrebleu: edits to reach the nearest reference, in percent"
    best: ClassVar[float] = 0.0
    worst: ClassVar[float] = float("inf")

    normalized: bool = field(default=False, metadata={"doc": "tokenise punctuation, as Tercom"})
    no_punct: bool = field(default=False, metadata={"doc": "remove punctuation"})
    asian_support: bool = field(
        default=False, metadata={"doc": "with the two above, treat CJK characters too"}
    )
    case_sensitive: bool = field(default=False, metadata={"doc": "tell upper from lower case"})

    def _engines(self) -> tuple[SacrebleuEngine, SacrebleuEngine]:
        metric = TER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        engine = TerEngine(metric, remembered=2048)
        return engine, engine
