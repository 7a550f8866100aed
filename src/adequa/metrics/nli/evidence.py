"""Evidence from the verifier: all facts and all words in one pass.

A second pass asks what the data says instead. Where a stretch has no support and some fact is not
stated, the fact's value is put in place of the stretch: if the text would then state the fact, the
stretch contradicts it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from adequa.data import Item
from adequa.metrics.nli.signs import WRONG_VALUE, Signs, Weighing, read_signs
from adequa.metrics.nli.templates import Cues
from adequa.models.calibration import Calibration
from adequa.text.values import word_triple

if TYPE_CHECKING:
    from adequa.models.verifier import VerifierOutput

# ---
# What a model says of a text and its facts, before anything is decided.
# ---

Level = Literal["text", "sentence", "clause", "span"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text that the data may not support."""

    start: int
    end: int
    level: Level
    unsupported: float | None
    """The probability that the data does not support it; None where it could not be read."""
    contradicted: float | None = None
    """The probability that the data says otherwise, where the model tells that apart."""
    fact: int | None = None
    """Which triple says otherwise, where that is known."""
    garbled: bool = False
    """Whether its words are not well formed, so that nobody can tell what they say."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The two directions of one item; probabilities, and None for what could not be read."""

    stated: tuple[float | None, ...]
    """How likely the text states each triple."""
    stretches: tuple[Stretch, ...]
    """Parts of the text, in its order and apart from each other, at the finest level there is."""
    supported: float | None
    """How likely the data supports the text as a whole."""
    value: float | None
    """All and only: from 0 to 1, for the score."""


EvidenceSource = Callable[[Sequence[Item]], "list[Evidence]"]
"""Asks a model about items that have triples and text; one answer an item, in their order."""

# ---
# From what is said of single words to stretches a person would mark.
# ---

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


Verify = Callable[[Sequence[Item]], "Sequence[VerifierOutput]"]

_FLOOR = 1e-4
_SURE = 0.0
"""The log-odds above which a fact would be stated, had the text its value."""
_RISE = 2.0
"""And by so much they must rise: a fact that was nearly stated is not what the words deny."""
_MOST_WORDS = 6
_MOST_TRIED = 6
"""Stretches longer than this are no values; and so many places of an item are tried."""


@dataclass(frozen=True)
class VerifierEvidence:
    """The verifier's logits, the entities' signs, and a calibration on top."""

    verify: Verify
    weighing: Weighing = field(default_factory=Weighing)
    calibration: Calibration | None = None
    """What the user's labels say of `stated`; groups are predicates."""
    threshold: float = 0.5
    """From where a word counts as unsupported."""
    least: float = 0.5
    """From where a fact counts as stated: only one that is not can be denied."""
    entities: bool = True
    cues: Cues | None = None
    """Words without which a fact is not stated, where the data's kind is known."""

    def __call__(self, items: Sequence[Item]) -> list[Evidence]:
        """One answer an item."""
        signs, asked = self._read(items)
        checked = self.verify(asked)
        found = [
            self._evidence(item, check, sign)
            for item, check, sign in zip(items, checked, signs, strict=True)
        ]
        return self._contradictions(asked, checked, found)

    def log_odds(self, items: Sequence[Item]) -> list[list[float | None]]:
        """The log-odds of each fact of each item: what a calibration is fitted on."""
        signs, asked = self._read(items)
        return [
            self.odds(item, check, sign)
            for item, check, sign in zip(items, self.verify(asked), signs, strict=True)
        ]

    def _read(self, items: Sequence[Item]) -> tuple[list[Signs | None], list[Item]]:
        """The entities' signs, and the items as the verifier is asked about them."""
        if not self.entities:
            return [None] * len(items), list(items)
        signs = [read_signs(item) for item in items]
        asked = [sign.as_text_has_it(item) for item, sign in zip(items, signs, strict=True)]
        return list(signs), asked

    def odds(self, item: Item, check: VerifierOutput, signs: Signs | None) -> list[float | None]:
        """The log-odds of each fact, before a calibration."""
        facts = signs.facts if signs is not None else ((),) * len(item.triples)
        if self.cues is not None:
            facts = tuple(
                (*own, WRONG_VALUE) if self.cues.absent(triple, item.text) else own
                for triple, own in zip(item.triples, facts, strict=True)
            )
        return [
            None if logit is None else self.weighing.stated(logit, own)
            for logit, own in zip(check.stated, facts, strict=True)
        ]

    def _evidence(self, item: Item, check: VerifierOutput, signs: Signs | None) -> Evidence:
        stated = self._calibrated(item, self.odds(item, check, signs))
        doubts = [
            None
            if logit is None
            else _likely(self.weighing.unsupported(logit, signs.of_word(*place) if signs else ()))
            for logit, place in zip(check.unsupported, check.offsets, strict=True)
        ]
        known = [doubt for doubt in doubts if doubt is not None]
        if len(known) < len(doubts) or not known:
            whole = Stretch(0, len(item.text), "text", None)
            return Evidence(stated, (whole,), None, None)
        words = words_of(item.text, check.offsets, known)
        values = [one[:2] for one in signs.unexplained] if signs is not None else []
        found = stretches(item.text, words, self.threshold, values)
        found = _with_garbled(item.text, check, found, self.threshold)
        supported = 1 - max((word.unsupported for word in words), default=0.0)
        value = _value(stated, [1 - word.unsupported for word in words])
        return Evidence(stated, tuple(found), supported, value)

    def _calibrated(self, item: Item, odds: Sequence[float | None]) -> tuple[float | None, ...]:
        if self.calibration is None:
            return tuple(None if one is None else _likely(one) for one in odds)
        known = {number: one for number, one in enumerate(odds) if one is not None}
        groups = [item.triples[number].predicate for number in known]
        chances = self.calibration.probabilities([*known.values()], groups)
        by_place = dict(zip(known, chances.tolist(), strict=True))
        return tuple(by_place.get(number) for number in range(len(odds)))

    def _contradictions(
        self, items: Sequence[Item], checked: Sequence[VerifierOutput], found: list[Evidence]
    ) -> list[Evidence]:
        tried: list[tuple[int, int, int]] = []
        changed: list[Item] = []
        for number, (item, evidence) in enumerate(zip(items, found, strict=True)):
            for place, fact in _candidates(item, evidence, self.least):
                stretch = evidence.stretches[place]
                text = item.text[: stretch.start] + _said(item, fact) + item.text[stretch.end :]
                tried.append((number, place, fact))
                changed.append(replace(item, text=text))
        if not tried:
            return found
        denied: list[tuple[float, int, int, int]] = []
        for (number, place, fact), check in zip(tried, self.verify(changed), strict=True):
            now, before = check.stated[fact], checked[number].stated[fact]
            if now is None or before is None or now < _SURE:
                continue
            if before < _SURE and now - before < _RISE:  # else the entities alone were against it
                continue
            denied.append((now, number, place, fact))
        taken: set[tuple[int, str, int]] = set()
        for logit, number, place, fact in sorted(denied, reverse=True):
            own = {(number, "stretch", place), (number, "fact", fact)}
            if own & taken:  # a fact denies one stretch, and a stretch one fact: the likeliest
                continue
            taken |= own
            evidence = found[number]
            parts = list(evidence.stretches)
            parts[place] = replace(parts[place], contradicted=_likely(logit), fact=fact)
            found[number] = replace(evidence, stretches=tuple(parts))
        return found


def _with_garbled(
    text: str, check: VerifierOutput, found: Sequence[Stretch], threshold: float
) -> list[Stretch]:
    """The stretches, and those whose words are surely out of place where they stand."""
    slips = words_of(text, check.offsets, [_likely(logit) for logit in check.disfluent])
    apart = [
        replace(one, garbled=True)
        for one in stretches(text, slips, threshold)
        if all(one.end <= other.start or other.end <= one.start for other in found)
    ]
    return sorted([*found, *apart], key=lambda one: one.start) if apart else list(found)


def _candidates(item: Item, evidence: Evidence, least: float) -> list[tuple[int, int]]:
    """Stretches and facts that may be about the same thing: two numbers, or two names."""
    unstated = [
        number
        for number, chance in enumerate(evidence.stated)
        if chance is not None and chance < least
    ]
    pairs = []
    for place, stretch in enumerate(evidence.stretches):
        words = item.text[stretch.start : stretch.end]
        if len(words.split()) > _MOST_WORDS:
            continue
        alike = [number for number in unstated if _kind(_said(item, number)) == _kind(words)]
        pairs += [(place, number) for number in alike]
    return pairs[:_MOST_TRIED]


def _kind(words: str) -> str:
    """Roughly what a value is, by its letters; in a text without capitals names are words."""
    if any(map(str.isdigit, words)):
        return "number"
    return "words"


def _said(item: Item, fact: int) -> str:
    return word_triple(item.triples[fact], item.terms)[2]


def _value(stated: Sequence[float | None], supported: Sequence[float]) -> float | None:
    """All and only: the mean fact is stated, and the mean word supported, both geometric."""
    known = [chance for chance in stated if chance is not None]
    if len(known) < len(stated) or not known:
        return None
    return _mean(known) * _mean(supported)


def _mean(chances: Sequence[float]) -> float:
    if not chances:
        return 1.0
    return math.exp(sum(math.log(max(chance, _FLOOR)) for chance in chances) / len(chances))


def _likely(odds: float) -> float:
    if odds > 0:
        return 1 / (1 + math.exp(-odds))
    return math.exp(odds) / (1 + math.exp(odds))
