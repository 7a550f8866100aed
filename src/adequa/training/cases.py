"""What the verifier learns from: right pairs, and pairs spoilt so that every label is known."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from adequa.training.drafts import Draft, sentences_of, start_draft
from adequa.training.graph_faults import add_triples, drop_triple, invert_triple, replace_triple
from adequa.training.material import Knowledge, Pair
from adequa.training.noise import make_noise
from adequa.training.text_faults import (
    add_background,
    add_sentence,
    cut_short,
    drop_sentence,
    exchange_names,
    negate,
    swap_name,
    wrong_value,
)

__all__ = ["FAULTS", "Case", "Cases", "Fault"]

Fault = Callable[[Draft, Knowledge, random.Random], bool]
FAULTS: Mapping[str, tuple[Fault | None, float]] = {
    "none": (None, 0.18),
    "replaced": (replace_triple, 0.13),
    "inverted": (invert_triple, 0.15),
    "dropped": (drop_triple, 0.1),
    "name": (swap_name, 0.12),
    "value": (wrong_value, 0.06),
    "exchanged": (exchange_names, 0.09),
    "sentence_less": (drop_sentence, 0.05),
    "cut": (cut_short, 0.03),
    "sentence_more": (None, 0.04),
    "background": (add_background, 0.02),
    "negated": (negate, 0.03),
}
"""Each fault and how often it is made."""
ADDED = 0.55
"""How often triples are added that the text does not state."""
NOISE = 0.15
JOINED = 0.06
"""How often a pair is two pairs, one after the other: long texts with many facts."""


@dataclass(frozen=True)
class Case:
    """A draft and the fault that was made."""

    fault: str
    draft: Draft


@dataclass
class Cases:
    """Case `i` is always the same, whoever asks: training can resume, and be repeated."""

    pairs: Sequence[Pair]
    knowledge: Knowledge
    seed: int = 0
    faults: Mapping[str, tuple[Fault | None, float]] = field(default_factory=lambda: FAULTS)

    def __post_init__(self) -> None:
        self._sentences: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        for pair in self.pairs:
            for place in sentences_of(pair.text):
                inside = frozenset(
                    entity for entity, start, end in pair.spans if place.start <= start < place.end
                )
                if inside:
                    sentence = pair.text[place.start : place.end]
                    self._sentences[pair.category].append((sentence, inside))

    def case(self, number: int, pair: Pair | None = None) -> Case:
        """The case of a number; of a random pair unless one is given."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        chosen = pair or chance.choice(self.pairs)
        if chance.random() < JOINED:
            chosen = _joined(chosen, chance.choice(self.pairs))
        draft = start_draft(chosen)
        fault = self._spoil(draft, chosen, chance)
        if chance.random() < ADDED:
            add_triples(draft, self.knowledge, chance)
        if chance.random() < NOISE:
            make_noise(draft, chance)
        order = chance.sample(range(len(draft.triples)), len(draft.triples))
        draft.triples = [draft.triples[place] for place in order]
        draft.stated = [draft.stated[place] for place in order]
        return Case(fault, draft)

    def _spoil(self, draft: Draft, pair: Pair, chance: random.Random) -> str:
        names = list(self.faults)
        weights = [weight for _, weight in self.faults.values()]
        for name in chance.choices(names, weights, k=3):
            make = self.faults[name][0]
            if name == "none":
                return name
            if name == "sentence_more":
                if add_sentence(draft, self._sentences[pair.category], chance):
                    return name
            elif make is not None and make(draft, self.knowledge, chance):
                return name
        return "none"


def _joined(one: Pair, other: Pair) -> Pair:
    """Two pairs as one; facts both have are there once."""
    gap = " "
    shift = len(one.text) + len(gap)
    moved = tuple((entity, start + shift, end + shift) for entity, start, end in other.spans)
    triples = tuple(dict.fromkeys((*one.triples, *other.triples)))
    return Pair(triples, one.text + gap + other.text, one.category, one.spans + moved, one.entry)
