"""METEOR (Lavie and Agarwal 2007) with exact words, stems and WordNet synonyms.

Tokens, stems and synonyms are NLTK's (extra `nltk`), and so is the way of aligning: in stages, each
on what the one before left over, from the end of the text and to the last free place of the
reference. This greedy alignment does not have the fewest chunks; published numbers were computed
with it. The Java METEOR 1.5, which also knows paraphrases and other weights, gives other numbers.

The alignment is our own because NLTK's `meteor_score` can look up stems only, where most words are
not in WordNet any more (`look_up=words` looks up the words); tests compare it with NLTK's.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from adequa.data import Item, Score
from adequa.metrics.base import NO_REFERENCES, REFERENCE_LIMITS, Metric, require_valid
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
