"""Metrics that compare a text with references: BLEU, chrF++ and TER by sacreBLEU; NLTK's.

A run keeps each text's statistics, so the corpus value is sacreBLEU's own and not a mean. Items may
have different numbers of references. An absent reference is absent: sacreBLEU's command line counts
an empty line of a reference file as an empty reference instead, which shortens BLEU's reference
length and TER's average; `pad_references` does the same on purpose.

`SacrebleuEngine` is the only place that uses sacreBLEU's internal methods: the public functions
give a score for a text or for a corpus, but not the statistics that lead from one to the other. The
methods are those that every sacreBLEU metric must define since 2.0. A test compares them with the
public functions, so that a new sacreBLEU that differs is noticed.

BLEU by NLTK is the "BLEU NLTK" of the WebNLG challenges and later papers. It differs from
sacreBLEU's in its words (`tokenize`), in its smoothing and in its scale, 0 to 1. With the default
settings the corpus value is that of the 2020 challenge's script, except where NLTK's trained
sentence splitter and the rules of `adequa.metrics.tokens` cut a text differently. Counts, brevity
penalty and smoothing 1 to 4 are NLTK's. The last step is our own because a run keeps counts and
adds them up, while NLTK computes a corpus value from all texts at once; so are smoothing 5 and 7,
for which NLTK asks the last text of the corpus, and for its 5-grams whatever the weights. Smoothing
0 is a single line, and NLTK's prints a warning for every zero.

METEOR (Lavie and Agarwal 2007) takes tokens, stems and synonyms from NLTK, and aligns as NLTK does:
in stages, each on what the one before left over, from the end of the text and to the last free
place of the reference. This greedy alignment does not have the fewest chunks; published numbers
were computed with it. The Java METEOR 1.5, which also knows paraphrases and other weights, gives
other numbers. The alignment is our own because NLTK's `meteor_score` can look up stems only, where
most words are not in WordNet any more (`look_up=words` looks up the words); tests compare the two.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import BLEU, CHRF, TER

from adequa.caches import MEGABYTE, Cache
from adequa.data import Item, Score
from adequa.errors import ModelError, SettingError
from adequa.metrics.base import (
    NO_REFERENCES,
    REFERENCE_LIMITS,
    Metric,
    references_of,
    require_valid,
)
from adequa.metrics.tokens import (
    TOKENIZE_DOC,
    Tokenize,
    find_wordnet,
    fingerprint,
    item_tokens,
    nltk_version,
    open_wordnet,
    require_nltk,
    stem,
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


_UNIFORM = (0.25, 0.25, 0.25, 0.25)


class _Counts(NamedTuple):
    """The n-grams that a text or a corpus shares with its references.

    `matches` and `totals` are by n-gram order from 1 to one more than is weighed, because smoothing
    5 and 7 look at the next order.
    """

    length: int
    reference_length: int
    matches: Sequence[int]
    totals: Sequence[int]


@dataclass(frozen=True)
class SentenceBleu(Metric):
    """BLEU with clipped precisions, the closest reference's length, and a choice of smoothing.

    Smoothing (Chen and Cherry 2014): 0 none, 1 a small count, 2 add one, 3 halves (NIST), 4 halves
    by length, 5 the mean of neighbouring orders, 7 both 4 and 5. A blank reference counts as none.
    """

    name: ClassVar[str] = "bleu_nltk"
    doc: ClassVar[str] = "BLEU by NLTK (extra nltk): text by text, smoothed, from 0 to 1"
    limits: ClassVar[str] = REFERENCE_LIMITS
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    smoothing: Literal[0, 1, 2, 3, 4, 5, 7] = setting(
        3, "the method of Chen and Cherry; 5 and 7 can exceed 1"
    )
    weights: tuple[float, ...] = setting(_UNIFORM, "of n-grams of one word, of two and so on")
    tokenize: Tokenize = setting("treebank", TOKENIZE_DOC)
    lowercase: bool = setting(False, "ignore case")
    epsilon: float = setting(0.1, "the small count of smoothing 1", at_least=0)
    k: float = setting(5.0, "the constant of smoothing 4 and 7", at_least=sys.float_info.min)
    auto_reweigh: bool = setting(
        False, "weigh fewer orders, uniformly, if a text has fewer than four words"
    )

    def __post_init__(self) -> None:
        require_valid(self)
        if not self.weights or any(not math.isfinite(w) or w < 0 for w in self.weights):
            raise SettingError(f"{self.name}:weights are numbers from 0, not {self.weights}")
        require_nltk()

    def score(self, items: Sequence[Item]) -> list[Score]:
        """NLTK's sentence BLEU of each item."""
        return [self._score(item) for item in items]

    def _score(self, item: Item) -> Score:
        words, others = item_tokens(item, self.tokenize, lowercase=self.lowercase)
        if not others:
            return Score(None, reason=NO_REFERENCES)
        counts = _count(words, others, orders=len(self.weights) + 1)
        flat = (counts.length, counts.reference_length, *counts.matches, *counts.totals)
        return Score(self._value(counts), flat)

    def corpus(self, totals: Sequence[float]) -> float:
        """NLTK's corpus BLEU; smoothing 5 and 7 use all texts."""
        length, reference_length, *counts = map(round, totals)
        orders = len(self.weights) + 1
        return self._value(_Counts(length, reference_length, counts[:orders], counts[orders:]))

    def provenance(self) -> Mapping[str, object]:
        """The version of NLTK."""
        return {"nltk": nltk_version()}

    def _value(self, counts: _Counts) -> float:
        from nltk.translate.bleu_score import brevity_penalty

        if counts.matches[0] == 0:
            return 0.0
        weights = self.weights
        if self.auto_reweigh and counts.length < len(_UNIFORM) and weights == _UNIFORM:
            weights = (1 / counts.length,) * counts.length
        logarithms = (
            weight * math.log(precision)
            for weight, precision in zip(weights, self._precisions(counts), strict=False)
            if precision > 0
        )
        penalty: float = brevity_penalty(counts.reference_length, counts.length)
        return penalty * math.exp(math.fsum(logarithms))

    def _precisions(self, counts: _Counts) -> list[float]:
        """The smoothed precisions by order, at least as many as there are weights."""
        from nltk.translate.bleu_score import Fraction, SmoothingFunction

        def smooth(method: int) -> list[float]:
            fractions = [Fraction(*pair, _normalize=False) for pair in pairs]
            function = getattr(SmoothingFunction(epsilon=self.epsilon, k=self.k), f"method{method}")
            found: list[Any] = function(fractions, [], (), hyp_len=counts.length)
            return list(map(float, found))

        pairs = list(zip(counts.matches, counts.totals, strict=True))
        plain = [match / total for match, total in pairs]
        if self.smoothing == 0:
            return [precision or sys.float_info.min for precision in plain]
        if self.smoothing == 5:
            return _average(plain)
        if self.smoothing == 7:  # the order after the last takes part unsmoothed
            return _average([*smooth(4)[:-1], plain[-1]])
        return smooth(self.smoothing)


def _count(text: Sequence[str], references: Sequence[Sequence[str]], *, orders: int) -> _Counts:
    from nltk.translate.bleu_score import closest_ref_length, modified_precision

    shares = [modified_precision(references, text, order) for order in range(1, orders + 1)]
    return _Counts(
        len(text),
        closest_ref_length(references, len(text)),
        [share.numerator for share in shares],
        [share.denominator for share in shares],
    )


def _average(precisions: Sequence[float]) -> list[float]:
    """The mean of each order, of the one before as already averaged, and of the one after."""
    averaged, before = [], precisions[0] + 1
    for precision, after in itertools.pairwise(precisions):
        before = (before + precision + after) / 3
        averaged.append(before)
    return averaged


Placed = list[tuple[int, str]]
"""Words that are not yet aligned, with their places."""
Pair = tuple[int, int]


@dataclass(frozen=True)
class Meteor(Metric):
    """The weighted mean of precision and recall on aligned words, less a penalty for disorder.

    The best of the references counts; a blank one counts as none.
    """

    name: ClassVar[str] = "meteor"
    doc: ClassVar[str] = (
        "METEOR (extra nltk): words aligned with the best reference, also by stem and synonym"
    )
    limits: ClassVar[str] = REFERENCE_LIMITS
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    wordnet: Path | None = setting(
        None, "WordNet's folder; none looks at $WNSEARCHDIR, $WNHOME and usual places"
    )
    synonyms: bool = setting(True, "align synonyms too; false does without WordNet")
    look_up: Literal["stems", "words"] = setting(
        "stems", "what is looked up in WordNet: stems, as NLTK does, or the words"
    )
    alpha: float = setting(0.9, "how much recall weighs, from 0 to 1", at_least=0, at_most=1)
    beta: float = setting(3.0, "how fast the penalty grows with disorder", at_least=0)
    gamma: float = setting(0.5, "the greatest penalty, from 0 to 1", at_least=0, at_most=1)
    tokenize: Tokenize = setting("treebank", TOKENIZE_DOC)
    lowercase: bool = setting(True, "ignore case")

    def __post_init__(self) -> None:
        require_valid(self)
        require_nltk()
        if self.synonyms:
            find_wordnet(self.wordnet)  # before hours of scoring, not after

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The METEOR of each item against its best reference."""
        stages = self._stages()
        return [self._score(item, stages) for item in items]

    def _score(self, item: Item, stages: Sequence[_Stage]) -> Score:
        words, others = item_tokens(item, self.tokenize, lowercase=self.lowercase)
        if not others:
            return Score(None, reason=NO_REFERENCES)
        return Score(max(self._compare(words, reference, stages) for reference in others))

    def _stages(self) -> list[_Stage]:
        stages = [_Stage(str, _same), _Stage(_stem, _same)]
        if self.synonyms:
            known = open_wordnet(find_wordnet(self.wordnet)).synonyms
            written = _stem if self.look_up == "stems" else str
            stages.append(_Stage(written, lambda word: (*known(word.lower()), word)))
        return stages

    def _compare(
        self, text: Sequence[str], reference: Sequence[str], stages: Iterable[_Stage]
    ) -> float:
        pairs = _align(text, reference, stages)
        if not pairs:
            return 0.0
        precision, recall = len(pairs) / len(text), len(pairs) / len(reference)
        mean = (precision * recall) / (self.alpha * precision + (1 - self.alpha) * recall)
        disorder = _chunks(pairs) / len(pairs)
        penalty: float = self.gamma * disorder**self.beta
        return (1 - penalty) * mean

    def provenance(self) -> Mapping[str, object]:
        """The version of NLTK, the stages, and the content of WordNet wherever its folder is."""
        if not self.synonyms:
            return {"nltk": nltk_version(), "wordnet": None, "stages": "exact+stem"}
        digest = fingerprint(find_wordnet(self.wordnet))
        return {"nltk": nltk_version(), "wordnet": digest, "stages": "exact+stem+synonym"}


@dataclass(frozen=True)
class _Stage:
    """How words are written to be compared, and which words a word of the text matches."""

    written: Callable[[str], str]
    matches: Callable[[str], Iterable[str]]


def _same(word: str) -> tuple[str, ...]:
    return (word,)


def _stem(word: str) -> str:
    # With the extensions to Porter's algorithm that NLTK's METEOR has.
    return stem(word.lower(), extended=True)


def _align(text: Sequence[str], reference: Sequence[str], stages: Iterable[_Stage]) -> list[Pair]:
    """Pairs of places that match, in the order of the text."""
    pairs: list[Pair] = []
    left, right = list(enumerate(text)), list(enumerate(reference))
    for stage in stages:
        found = dict(_match(left, right, stage))
        pairs += found.items()
        taken = set(found.values())
        left = [placed for placed in left if placed[0] not in found]
        right = [placed for placed in right if placed[0] not in taken]
    return sorted(pairs)


def _match(left: Placed, right: Placed, stage: _Stage) -> Iterable[Pair]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in right:
        places[stage.written(word)].append(place)
    for place, word in reversed(left):
        free = [places[match] for match in stage.matches(stage.written(word)) if places.get(match)]
        if free:
            yield place, max(free, key=lambda stack: stack[-1]).pop()


def _chunks(pairs: Sequence[Pair]) -> int:
    """The number of runs in which both places rise by one."""
    return 1 + sum(
        after != (before[0] + 1, before[1] + 1) for before, after in itertools.pairwise(pairs)
    )
