"""What the verifier learns from: right pairs, and pairs spoilt so that every label is known."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from adequa.perturb.drafts import Draft, sentences_of, start_draft
from adequa.perturb.graphs import add_triples, drop_triple, invert_triple, replace_triple
from adequa.perturb.noise import make_noise
from adequa.perturb.pairs import GraphTextPair, Knowledge
from adequa.perturb.rewording import middles_of, phrases_of, rename, reword
from adequa.perturb.texts import (
    add_background,
    add_fluff,
    add_sentence,
    cut_short,
    drop_sentence,
    exchange_names,
    negate,
    swap_name,
    unsay,
    wrong_relation,
    wrong_value,
)
from adequa.training.composer import Composer

Fault = Callable[[Draft, Knowledge, random.Random], bool]
FAULTS: Mapping[str, tuple[Fault | None, float]] = {
    "none": (None, 0.18),
    "replaced": (replace_triple, 0.13),
    "inverted": (invert_triple, 0.15),
    "dropped": (drop_triple, 0.1),
    "name": (swap_name, 0.12),
    "value": (wrong_value, 0.06),
    "exchanged": (exchange_names, 0.09),
    "sentence_less": (drop_sentence, 0.08),
    "cut": (cut_short, 0.03),
    "sentence_more": (None, 0.04),
    "background": (add_background, 0.02),
    "negated": (negate, 0.03),
    "fluff": (None, 0.05),
    "relation": (wrong_relation, 0.1),
    "unsaid": (unsay, 0.04),
}
"""Each fault and how often it is made."""
ADDED = 0.55
"""How often triples are added that the text does not state."""
NOISE = 0.15
JOINED = 0.06
"""How often a pair is two pairs, one after the other: long texts with many facts."""
COMPOSED = 0.3
"""How often a case is put together from phrases of our own, in place of a pair."""
RENAMED = 0.2
REWORDED = 0.2
"""How often the names of a pair, and its predicates, are others than those of the data."""


@dataclass(frozen=True)
class TrainingCase:
    """A draft and the fault that was made."""

    fault: str
    draft: Draft


@dataclass
class Cases:
    """Case `i` is always the same, whoever asks: training can resume, and be repeated."""

    pairs: Sequence[GraphTextPair]
    knowledge: Knowledge
    seed: int = 0
    faults: Mapping[str, tuple[Fault | None, float]] = field(default_factory=lambda: FAULTS)
    composed: float = 0.0
    """The share of cases that are composed; there are none for held-out pairs."""

    def __post_init__(self) -> None:
        self._composer = Composer(self.knowledge)
        self._phrases = phrases_of(self.pairs)
        self.knowledge.middles = middles_of(self._phrases)
        self._sentences: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        for pair in self.pairs:
            for place in sentences_of(pair.text):
                inside = frozenset(
                    entity for entity, start, end in pair.spans if place.start <= start < place.end
                )
                if inside:
                    sentence = pair.text[place.start : place.end]
                    self._sentences[pair.category].append((sentence, inside))

    def case(self, number: int, pair: GraphTextPair | None = None) -> TrainingCase:
        """The case of a number; of a random pair unless one is given."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        if chance.random() < self.composed:
            return TrainingCase("composed", self._composed(chance))
        chosen = pair or chance.choice(self.pairs)
        if chance.random() < JOINED:
            chosen = _joined(chosen, chance.choice(self.pairs))
        draft = start_draft(chosen)
        if chance.random() < RENAMED:
            rename(draft, self.knowledge, chance)
        fault = self._spoil(draft, chosen, chance)
        if chance.random() < ADDED:
            add_triples(draft, self.knowledge, chance)
        if chance.random() < NOISE:
            make_noise(draft, chance)
        if chance.random() < REWORDED:
            reword(draft, self._phrases, chance)
        return TrainingCase(fault, _mixed(draft, chance))

    def _composed(self, chance: random.Random) -> Draft:
        draft = self._composer.draft(chance)
        if chance.random() < NOISE / 2:
            make_noise(draft, chance)
        return _mixed(draft, chance)

    def _spoil(self, draft: Draft, pair: GraphTextPair, chance: random.Random) -> str:
        names = list(self.faults)
        weights = [weight for _, weight in self.faults.values()]
        for name in chance.choices(names, weights, k=3):
            make = self.faults[name][0]
            if name == "none":
                return name
            if name == "sentence_more":
                if add_sentence(draft, self._sentences[pair.category], chance):
                    return name
            elif name == "fluff":
                add_fluff(draft, *self._composer.fluff(chance), chance)
                return name
            elif make is not None and make(draft, self.knowledge, chance):
                return name
        return "none"


def _mixed(draft: Draft, chance: random.Random) -> Draft:
    """The triples in any order, which must tell nothing."""
    order = chance.sample(range(len(draft.triples)), len(draft.triples))
    draft.triples = [draft.triples[place] for place in order]
    draft.stated = [draft.stated[place] for place in order]
    return draft


def _joined(one: GraphTextPair, other: GraphTextPair) -> GraphTextPair:
    """Two pairs as one; facts both have are there once."""
    gap = " "
    shift = len(one.text) + len(gap)
    moved = tuple((entity, start + shift, end + shift) for entity, start, end in other.spans)
    triples = tuple(dict.fromkeys((*one.triples, *other.triples)))
    said = one.said + other.said if one.said and other.said else ()
    text = one.text + gap + other.text
    return GraphTextPair(triples, text, one.category, one.spans + moved, one.entry, said)
