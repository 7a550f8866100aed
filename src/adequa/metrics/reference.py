"""BLEU, chrF++ and TER through sacrebleu: its numbers at text level and at corpus level.

A run keeps each text's statistics, so the corpus value is sacrebleu's own and not a mean. Items may
have different numbers of references. An absent reference is absent: sacrebleu's command line counts
an empty line of a reference file as an empty reference instead, which shortens BLEU's reference
length and TER's average; `pad_references` does the same on purpose.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Literal

from sacrebleu.metrics import BLEU, CHRF, TER

from adequa.data import Item, Score
from adequa.metrics.base import Metric
from adequa.metrics.checks import NO_REFERENCES, check_choices, check_least, references_of
from adequa.metrics.sufficient import SACREBLEU_VERSION, Engine, TerEngine

__all__ = ["Bleu", "Chrf", "Ter"]


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
        check_choices(self)
        check_least(self, "pad_references", 0)

    @abstractmethod
    def _engines(self) -> tuple[Engine, Engine]:
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
def _engines_of(metric: _Sacrebleu) -> tuple[Engine, Engine]:
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
        check_least(self, "max_order", 1)
        if self.smooth_value is not None:
            check_least(self, "smooth_value", 0)

    def _engines(self) -> tuple[Engine, Engine]:
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
        return Engine(text, remembered=2048), Engine(corpus, remembered=0)


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
            check_least(self, setting, least)

    def _engines(self) -> tuple[Engine, Engine]:
        metric = CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )
        # Its n-grams are five times those of BLEU, hence few are kept.
        engine = Engine(metric, remembered=128)
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

    def _engines(self) -> tuple[Engine, Engine]:
        metric = TER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        engine = TerEngine(metric, remembered=2048)
        return engine, engine
