"""The cases a verifier learns from: right pairs, and pairs changed so that every label is known."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from adequa.errors import SettingError
from adequa.perturb import Change, Document, Knowledge, LabelledDocument, Operator, draw
from adequa.perturb.documents import join_documents
from adequa.perturb.graphs import add_unstated_triples, drop_triple, invert_triple, replace_triple
from adequa.perturb.paraphrases import add_slips, rename, reword
from adequa.perturb.texts import (
    add_background,
    add_fluff,
    add_sentence,
    change_relation,
    change_value,
    cut_short,
    drop_sentence,
    negate,
    remove_relation,
    rename_entity,
    swap_entities,
)

FAULTS: Mapping[str, tuple[Operator | None, float]] = {
    "none": (None, 0.18),
    "replaced": (replace_triple, 0.13),
    "inverted": (partial(invert_triple, named=False), 0.15),
    "dropped": (partial(drop_triple, named=False), 0.1),
    "name": (rename_entity, 0.12),
    "value": (change_value, 0.06),
    "exchanged": (partial(swap_entities, named=False), 0.09),
    "sentence_less": (partial(drop_sentence, certain=False), 0.08),
    "cut": (cut_short, 0.03),
    "sentence_more": (partial(add_sentence, anywhere=True), 0.04),
    "background": (add_background, 0.02),
    "negated": (partial(negate, adverbs=("not", "not", "never", "no longer")), 0.03),
    "fluff": (None, 0.05),
    "relation": (change_relation, 0.1),
    "unsaid": (remove_relation, 0.04),
}
"""The faults with their operators and weights. These weights and the shares below are the recipe of
the shipped verifier, chosen by hand; docs/training.md has the trials."""
ADDED = 0.55
"""The share of cases with additional triples that the text does not state."""
NOISE = 0.15
"""The share of cases with slips of language."""
JOINED = 0.06
"""The share of cases that are two pairs, one after the other: long texts with many facts."""
COMPOSED = 0.3
"""The share of cases that a composer makes, in place of a pair."""
RENAMED = 0.2
REWORDED = 0.2
"""The shares of pairs with other names, and with other words for the predicates."""
_TRIES = 3


class CaseComposer(Protocol):
    """Makes cases from scratch, such as `research.recipe.composer` of a checkout."""

    def compose(self, chance: random.Random) -> LabelledDocument:
        """A text and a graph, with their labels."""

    def fluff(self, chance: random.Random) -> tuple[str, bool]:
        """A phrase that no data supports, and whether it is a whole sentence."""


ComposerFactory = Callable[[Knowledge], CaseComposer]


@dataclass(frozen=True)
class TrainingCase:
    """A labelled text with its graph, and the name of the fault that was made."""

    fault: str
    document: LabelledDocument


@dataclass
class Cases:
    """Case `i` is always the same, so that a training can be resumed and repeated."""

    documents: Sequence[Document]
    knowledge: Knowledge
    seed: int = 0
    faults: Mapping[str, tuple[Operator | None, float]] = field(default_factory=lambda: FAULTS)
    composer: CaseComposer | None = None
    """Without it no case is composed, and the fault `fluff` is not made."""
    composed: float = 0.0
    """The share of cases that are composed; held-out documents have none."""

    def __post_init__(self) -> None:
        if self.composed and self.composer is None:
            raise SettingError(f"composed is {self.composed}, and there is no composer: give one")

    def case(self, number: int, document: Document | None = None) -> TrainingCase:
        """The case of a number, made of a random document unless one is given."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        if self.composer is not None and chance.random() < self.composed:
            labelled = self.composer.compose(chance)
            if chance.random() < NOISE / 2:
                add_slips(labelled, chance)
            return TrainingCase("composed", _shuffled(labelled, chance))
        chosen = document or chance.choice(self.documents)
        if chance.random() < JOINED:
            chosen = join_documents(chosen, chance.choice(self.documents))
        if chance.random() < RENAMED:
            chosen = rename(chosen, self.knowledge, chance)
        labelled = LabelledDocument.of(chosen)
        fault, change = self._fault(chosen, chance)
        if change is not None:
            labelled.apply(change)
        if chance.random() < ADDED:
            add_unstated_triples(labelled, self.knowledge, chance)
        if chance.random() < NOISE:
            add_slips(labelled, chance)
        if chance.random() < REWORDED:
            reword(labelled, self.knowledge.phrases, chance)
        return TrainingCase(fault, _shuffled(labelled, chance))

    def _fault(self, document: Document, chance: random.Random) -> tuple[str, Change | None]:
        """A fault that the document allows; none after a few that it does not."""
        weights = [weight for _, weight in self.faults.values()]
        for name in chance.choices(list(self.faults), weights, k=_TRIES):
            operator = self.faults[name][0]
            if name == "none":
                break
            if name == "fluff" and self.composer is not None and document.sentences:
                phrase, sentence = self.composer.fluff(chance)
                return name, add_fluff(document, phrase, sentence=sentence, chance=chance)
            change = operator and draw(operator, document, self.knowledge, chance)
            if change:
                return name, change
        return "none", None


def _shuffled(labelled: LabelledDocument, chance: random.Random) -> LabelledDocument:
    """The triples in random order, so that their order reveals nothing."""
    order = chance.sample(range(len(labelled.triples)), len(labelled.triples))
    labelled.triples = [labelled.triples[place] for place in order]
    labelled.stated = [labelled.stated[place] for place in order]
    return labelled
