"""BLEU, chrF++ and TER by sacreBLEU: its numbers at text level and at corpus level.

A run keeps each text's statistics, so the corpus value is sacreBLEU's own and not a mean. Items may
have different numbers of references. An absent reference is absent: sacreBLEU's command line counts
an empty line of a reference file as an empty reference instead, which shortens BLEU's reference
length and TER's average; `pad_references` does the same on purpose.

`SacrebleuEngine` is the only place that uses sacreBLEU's internal methods: the public functions
give a score for a text or for a corpus, but not the statistics that lead from one to the other. The
methods are those that every sacreBLEU metric must define since 2.0. A test compares them with the
public functions, so that a new sacreBLEU that differs is noticed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import BLEU, CHRF, TER

from adequa.caches import MEGABYTE, Cache
from adequa.data import Item, Score
from adequa.errors import ModelError
from adequa.metrics.base import (
    NO_REFERENCES,
    REFERENCE_LIMITS,
    Metric,
    references_of,
    require_valid,
)
from adequa.settings import setting

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SACREBLEU_VERSION: str = sacrebleu_version

_NEEDED = (
    "_compute_score_from_stats",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_preprocess_segment",
)
_PREPARED: Cache[Any] = Cache(64 * MEGABYTE)
"""References as sacreBLEU prepares them, by engine: the same ones recur with every system."""
_ENGINES = itertools.count()
_LOG_OF_ZERO = -9999999999.0
"""What sacreBLEU takes for the logarithm of zero."""


class SacrebleuEngine:
    """A sacreBLEU metric object that gives statistics, and scores of their sums."""

    def __init__(self, metric: Any) -> None:
        missing = [name for name in _NEEDED if not hasattr(metric, name)]
        if missing:
            raise ModelError(
                f"{type(metric).__name__} is not a metric object as sacrebleu 2 has them "
                f"(it has no {missing[0]}; sacrebleu is {SACREBLEU_VERSION})"
            )
        self.metric = metric
        self._number = next(_ENGINES)

    def statistics(self, text: str, references: tuple[str, ...]) -> list[Any]:
        """The statistics of one text against its best reference or all, as the metric has it."""
        prepared = _PREPARED.get_or_make(
            (self._number, references), lambda: self._prepare(references)
        )
        segment = self.metric._preprocess_segment(text)  # noqa: SLF001
        return list(self.metric._compute_segment_statistics(segment, prepared))  # noqa: SLF001

    def score(self, text: str, references: tuple[str, ...]) -> Score:
        """The score of one text with its statistics; none without references."""
        if not references:
            return Score(None, reason=NO_REFERENCES)
        statistics = self.statistics(text, references)
        return Score(self.value(statistics), tuple(statistics))

    def value(self, totals: Sequence[float]) -> float:
        """The score of a text or of a corpus from its statistics or their sum."""
        return float(self.metric._compute_score_from_stats(list(totals)).score)  # noqa: SLF001

    def signature(self, references: int | None) -> str:
        """The signature of sacreBLEU itself; `None` stands for a varying number of references."""
        self.metric.num_refs = -1 if references is None else references
        return str(self.metric.get_signature())

    def _prepare(self, references: tuple[str, ...]) -> Any:
        ready = [self.metric._preprocess_segment(reference) for reference in references]  # noqa: SLF001
        return self.metric._extract_reference_info(ready)  # noqa: SLF001


@dataclass(frozen=True)
class _Sacrebleu(Metric):
    """The common part of BLEU, chrF++ and TER."""

    limits: ClassVar[str] = REFERENCE_LIMITS
    best: ClassVar[float] = 100.0
    worst: ClassVar[float] = 0.0
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    pad_references: int = field(
        default=0,
        kw_only=True,
        metadata={
            "doc": "fill up each item's references to this many with empty ones, as sacrebleu's "
            "command line does for empty lines; 0 takes them as they are",
            "at_least": 0,
        },
    )

    def __post_init__(self) -> None:
        require_valid(self)

    _object: ClassVar[type[Any]]
    """The class of sacreBLEU, whose options have the names of the settings."""

    def _engines(self) -> tuple[SacrebleuEngine, SacrebleuEngine]:
        """The engine for a text and the one for a corpus."""
        own = (one.name for one in fields(self) if one.name != "pad_references")
        engine = SacrebleuEngine(self._object(**{name: getattr(self, name) for name in own}))
        return engine, engine

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The sentence score of each item, with the statistics that the corpus value needs."""
        return [_engines_of(self)[0].score(item.text, self._references(item)) for item in items]

    def _references(self, item: Item) -> tuple[str, ...]:
        found = references_of(item)
        return found and found + ("",) * (self.pad_references - len(found))

    def corpus(self, totals: Sequence[float]) -> float:
        """The corpus score."""
        return _engines_of(self)[1].value(totals)

    def corpus_values(self, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The corpus score of each row, as sacreBLEU computes it for one."""
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return self._corpus_values(totals)

    def _corpus_values(self, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        raise NotImplementedError

    def provenance(self) -> Mapping[str, object]:
        """The version of sacreBLEU."""
        return {"sacrebleu": SACREBLEU_VERSION}

    def sacrebleu_signature(self, references: int | None = None) -> str:
        """The signature sacreBLEU prints for the corpus value; `None` if references vary."""
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

    lowercase: bool = setting(False, "ignore case")
    tokenize: Literal["13a", "char", "intl", "none", "zh"] = setting("13a", "sacrebleu's tokeniser")
    smooth_method: Literal["exp", "floor", "add-k", "none"] = setting(
        "exp", "what replaces a precision of zero"
    )
    smooth_value: float | None = setting(
        None, "for floor and add-k; none is sacrebleu's default", at_least=0
    )
    max_order: int = setting(4, "the longest n-grams, in words", at_least=1)
    effective_order: bool = setting(
        True, "leave out n-grams longer than the text; the corpus value never does"
    )

    def _engines(self) -> tuple[SacrebleuEngine, SacrebleuEngine]:
        same = ("lowercase", "tokenize", "smooth_method", "smooth_value")
        options = {name: getattr(self, name) for name in same}
        text, corpus = (
            BLEU(**options, force=True, max_ngram_order=self.max_order, effective_order=effective)
            for effective in (self.effective_order, False)
        )
        return SacrebleuEngine(text), SacrebleuEngine(corpus)

    def _corpus_values(self, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        order, method = self.max_order, self.smooth_method
        default = BLEU.SMOOTH_DEFAULTS[method]
        smooth = default if self.smooth_value is None else self.smooth_value
        length, reference = totals[:, 0], totals[:, 1]
        right, counted = totals[:, 2 : 2 + order].copy(), totals[:, 2 + order :].copy()
        if method == "add-k":
            right[:, 1:] += smooth
            counted[:, 1:] += smooth
        precision = 100 * right / counted
        missed = right == 0
        if method == "exp":  # halved again for each order without a match
            precision = np.where(missed, 100 / (2.0 ** missed.cumsum(axis=1) * counted), precision)
        elif method == "floor":
            precision = np.where(missed, 100 * smooth / counted, precision)
        # No n-grams of an order: it and all longer ones have a precision of zero.
        precision[(counted == 0).cumsum(axis=1) > 0] = 0.0
        logarithms = np.where(precision == 0, _LOG_OF_ZERO, np.log(precision))
        penalty = np.where(length < reference, np.exp(1 - reference / length), 1.0)
        penalty[(length == 0) & (reference > 0)] = 0.0
        values: npt.NDArray[np.float64] = penalty * np.exp(logarithms.sum(axis=1) / order)
        values[~totals[:, 2 : 2 + order].any(axis=1)] = 0.0
        return values


@dataclass(frozen=True)
class Chrf(_Sacrebleu):
    """chrF (Popović 2015) and, as set here, chrF++ (Popović 2017)."""

    name: ClassVar[str] = "chrf"
    doc: ClassVar[str] = "chrF++ by sacrebleu: characters and words shared with the best reference"

    char_order: int = setting(6, "the longest n-grams, in characters", at_least=1)
    word_order: int = setting(2, "the longest n-grams, in words: 2 is chrF++, 0 chrF", at_least=0)
    beta: int = setting(2, "how much recall weighs against precision", at_least=1)
    lowercase: bool = setting(False, "ignore case")
    whitespace: bool = setting(False, "count spaces as characters")
    eps_smoothing: bool = setting(False, "smooth as chrF++.py does, not as sacrebleu")

    _object: ClassVar[type[Any]] = CHRF

    def _corpus_values(self, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        factor, tiny = self.beta**2, 1e-16
        found, wanted, right = totals[:, 0::3], totals[:, 1::3], totals[:, 2::3]
        precision = np.where(found > 0, right / found, tiny)
        recall = np.where(wanted > 0, right / wanted, tiny)
        if self.eps_smoothing:
            below = factor * precision + recall
            scores = np.where(below > 0, (1 + factor) * precision * recall / below, tiny)
            return np.asarray(100 * scores.sum(axis=1) / scores.shape[1])
        usable = (found > 0) & (wanted > 0)
        orders = np.maximum(usable.sum(axis=1), 1)
        precision = np.where(usable, precision, 0.0).sum(axis=1) / orders
        recall = np.where(usable, recall, 0.0).sum(axis=1) / orders
        values = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.where(precision + recall > 0, 100 * values, 0.0)


@dataclass(frozen=True)
class Ter(_Sacrebleu):
    """Translation edit rate (Snover et al. 2006): edits for each hundred words of reference."""

    name: ClassVar[str] = "ter"
    doc: ClassVar[str] = "TER by sacrebleu: edits to reach the nearest reference, in percent"
    best: ClassVar[float] = 0.0
    worst: ClassVar[float] = float("inf")

    normalized: bool = setting(False, "tokenise punctuation, as Tercom")
    no_punct: bool = setting(False, "remove punctuation")
    asian_support: bool = setting(False, "with the two above, treat CJK characters too")
    case_sensitive: bool = setting(False, "tell upper from lower case")
    _object: ClassVar[type[Any]] = TER

    def _corpus_values(self, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        edits, words = totals[:, 0], totals[:, 1]
        return np.where(words > 0, 100 * (edits / words), 100.0 * (edits > 0))
