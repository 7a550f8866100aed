"""The detector against gold mentions: the paper's section 4.2, with the entities on top.

A mention is right when the gold has one of the same entity with the same letters in that text, each
gold mention used once (a multiset): what counts is case folded, without accents, letters and digits
only. The lenient figure allows a normalised edit distance of 0.2 between the letters.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

__all__ = ["Agreement", "Counts", "NamedSpan", "agree", "mention_key"]

LENIENT_DISTANCE = 0.2


class NamedSpan(NamedTuple):
    """An entity and the words of a text that mention it; `kind` is the gold's type of mention."""

    entity: str
    text: str
    kind: str = ""


def mention_key(string: str) -> str:
    """The letters that two mentions must share to be the same.

    >>> mention_key("the São-Paulo's ")
    'thesaopaulos'
    """
    plain = unicodedata.normalize("NFKD", string.casefold())
    return "".join(filter(str.isalnum, plain))


@dataclass
class Counts:
    """Right ones, and how many there were on each side."""

    right_found: int = 0
    found: int = 0
    right_gold: int = 0
    gold: int = 0

    @property
    def precision(self) -> float | None:
        """The share of what was found that is right; None where nothing was found."""
        return self.right_found / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of the gold that was found; None where there is none."""
        return self.right_gold / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Their harmonic mean."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def add(self, right: int, found: int, gold: int) -> None:
        """Count one text's mentions of one entity, or whatever else is counted."""
        self.right_found += right
        self.right_gold += right
        self.found += found
        self.gold += gold

    def figures(self) -> dict[str, float | None]:
        """For JSON."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass
class Agreement:
    """All figures over a corpus; add a text at a time."""

    exact: Counts = field(default_factory=Counts)
    lenient: Counts = field(default_factory=Counts)
    entities: Counts = field(default_factory=Counts)
    by_type: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    texts: int = 0
    not_annotated: int = 0
    """Texts without a gold mention: nothing says whether what is found in them is right."""

    def figures(self) -> dict[str, object]:
        """For JSON: the contract of `adequa mentions`."""
        return {
            "exact": self.exact.figures(),
            "lenient": self.lenient.figures(),
            "entities": self.entities.figures(),
            "by_type": {
                kind: {"recall": counts.recall, "gold": counts.gold}
                for kind, counts in sorted(self.by_type.items())
            },
            "texts": self.texts,
            "not_annotated": self.not_annotated,
            "mentions": {"gold": self.exact.gold, "found": self.exact.found},
        }


def agree(
    pairs: Iterable[tuple[Sequence[NamedSpan], Sequence[NamedSpan]]],
) -> Agreement:
    """The figures over texts, each given as the spans found and the spans of the gold."""
    agreement = Agreement()
    for found, gold in pairs:
        if gold:
            _add(agreement, found, gold)
        else:
            agreement.not_annotated += 1
    return agreement


def _add(agreement: Agreement, found: Sequence[NamedSpan], gold: Sequence[NamedSpan]) -> None:
    agreement.texts += 1
    found_by, gold_by = _by_entity(found), _by_entity(gold)
    agreement.entities.add(len(found_by.keys() & gold_by.keys()), len(found_by), len(gold_by))
    exact = 0
    lenient = 0
    for entity, wanted in gold_by.items():
        right = wanted & found_by.get(entity, Counter())
        exact += right.total()
        lenient += right.total() + _near(found_by.get(entity, Counter()) - right, wanted - right)
    sizes = sum(map(Counter.total, found_by.values())), sum(map(Counter.total, gold_by.values()))
    agreement.exact.add(exact, *sizes)
    agreement.lenient.add(lenient, *sizes)
    left = {entity: Counter(keys) for entity, keys in found_by.items()}
    for span in gold:
        counts = agreement.by_type[span.kind or "all"]
        key = mention_key(span.text)
        counts.gold += 1
        if left.get(span.entity, Counter())[key]:
            left[span.entity][key] -= 1
            counts.right_gold += 1


def _by_entity(spans: Sequence[NamedSpan]) -> Mapping[str, Counter[str]]:
    keys: dict[str, Counter[str]] = {}
    for span in spans:
        keys.setdefault(span.entity, Counter())[mention_key(span.text)] += 1
    return keys


def _near(found: Counter[str], gold: Counter[str]) -> int:
    """How many of the gold find a partner within the lenient distance, nearest pairs first."""
    pairs = sorted(
        (distance, mine, theirs)
        for mine in found
        for theirs in gold
        if (distance := Levenshtein.normalized_distance(mine, theirs)) <= LENIENT_DISTANCE
    )
    right = 0
    for _, mine, theirs in pairs:
        both = min(found[mine], gold[theirs])
        right += both
        found[mine] -= both
        gold[theirs] -= both
    return right
