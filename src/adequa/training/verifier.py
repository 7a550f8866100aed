"""Training of the verifier: what a text states of its graph, and which words the graph supports.

It learns from cases: right pairs, and pairs changed so that every label is known.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from adequa.errors import SettingError
from adequa.perturb import (
    UNKNOWN,
    Change,
    Document,
    Knowledge,
    LabelledDocument,
    Operator,
    draw,
    read_marks,
)
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
from adequa.stats import area_under_curve
from adequa.training import setup

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


Array = npt.NDArray[Any]
HEADS = ("stated", "unsupported", "disfluent")
"""The verifier's logits of a token, in their order."""
_DEV_SEED = 99
_LONGEST_DEV = 512


@dataclass
class HeldOutFigures:
    """The verifier's logits on cases whose labels are known, gathered case by case."""

    labels: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    logits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    found: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """For each fault and each triple that is not stated: whether the verifier finds that."""

    def add(self, fault: str, tokens: Array, labels: Array, pair: float, supported: int) -> None:
        """Add one case: logits and labels of its tokens, one column per head, and of the pair."""
        for column, name in enumerate(HEADS):
            known = labels[:, column] != UNKNOWN
            self.labels[name].extend(labels[known, column].tolist())
            self.logits[name].extend(tokens[known, column].tolist())
        self.found[fault].extend((tokens[labels[:, 0] == 0, 0] < 0).tolist())
        if supported != UNKNOWN:
            self.labels["supported"].append(supported)
            self.logits["supported"].append(pair)

    def figures(self) -> dict[str, float]:
        """Area under the curve of each head, accuracy where a decision is made, and by fault."""
        figures: dict[str, float] = {}
        for name, labels in self.labels.items():
            area = area_under_curve(labels, self.logits[name])
            if area is not None:
                figures[f"auc_{name}"] = round(area, 4)
        for name in ("stated", "supported"):
            if self.labels[name]:
                decided = np.asarray(self.logits[name]) > 0
                right = decided == (np.asarray(self.labels[name]) == 1)
                figures[f"accuracy_{name}"] = round(float(right.mean()), 4)
        for fault, found in sorted(self.found.items()):
            if found:
                figures[f"found_{fault}"] = round(float(np.mean(found)), 4)
        return figures


@dataclass(frozen=True, kw_only=True)
class VerifierSettings(setup.TrainingSettings):
    """The defaults are the recipe of the shipped verifier."""

    steps: int = 1500
    batch: int = 32
    rate: float = 1e-4
    frozen: int = 0
    longest: int = 320
    look_every: int = 200
    save_every: int = 200
    gold: tuple[Path, ...] = ()
    """Texts with mentions marked by people (the enriched corpus); else the detector finds them."""
    faults: Mapping[str, float] = field(
        default_factory=lambda: {name: weight for name, (_, weight) in FAULTS.items()}
    )
    """The weight of each fault."""
    composer: ComposerFactory | None = None
    """Makes cases from scratch; a checkout has `research.recipe.composer.Composer`."""
    composed: float = 0.0
    """The share of cases that the composer makes; 0.3 for the shipped verifier."""
    cases: int = 750
    """The largest number of held-out texts that are changed and evaluated on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        setup.validate_mixture("fault", self.faults, list(FAULTS))
        if not 0 <= self.composed <= 1:
            raise SettingError(f"composed is {self.composed}: give a share from 0 to 1")
        if self.composed and self.composer is None:
            raise SettingError(f"composed is {self.composed}, and there is no composer: give one")

    def recipe(self) -> dict[str, Any]:
        """The common part, the faults and the composer."""
        name = getattr(self.composer, "__qualname__", None)  # it decides over the fluff, too
        own = {"faults": dict(self.faults), "composer": name, "composed": self.composed}
        return super().recipe() | own


def train_verifier(
    settings: VerifierSettings, progress: setup.Progress | None = None
) -> setup.TrainingResult:
    """Train, evaluate on held-out data now and then, and write a checkpoint that `export` reads."""
    base = setup.prepare(settings)
    corpus = setup.read_corpus(settings.data, settings.format, progress)
    gold = setup.read_corpus(settings.gold, None, progress)
    held_out = setup.read_corpus(settings.dev, settings.format, progress)
    marked = {item.text: read_marks(item) for item in gold.items}
    pairs = setup.read_pairs(corpus.items, marked=marked, progress=progress)
    dev = setup.read_pairs(held_out.items)
    setup.validate_pairs(settings, pairs, dev)
    dev = [dev[place] for place in setup.spread(len(dev), settings.cases)]
    knowledge = Knowledge.of(pairs)
    composer = None if settings.composer is None else settings.composer(knowledge)
    tokens = setup.read_tokenizer(base.folder)
    cases = Cases(
        pairs,
        knowledge,
        settings.seed,
        faults={name: (FAULTS[name][0], weight) for name, weight in settings.faults.items()},
        composer=composer,
        composed=settings.composed,
    )
    known = Knowledge([*knowledge.graphs, *(pair.triples for pair in dev)], dev)
    dev_cases = Cases(dev, known, seed=_DEV_SEED, composer=composer)

    from adequa.training.torch_data import CaseCollator, VerifierEvaluation
    from adequa.training.torch_fit import run_training
    from adequa.training.torch_networks import VerifierNetwork

    longest = max(settings.longest, min(_LONGEST_DEV, base.positions))
    evaluation = VerifierEvaluation(
        [dev_cases.case(number, pair) for number, pair in enumerate(dev)],
        CaseCollator(dev_cases, tokens, longest=longest),
    )
    return run_training(
        "verifier",
        settings,
        base,
        build=VerifierNetwork,
        collator=CaseCollator(cases, tokens, settings.batch, settings.longest),
        evaluation=evaluation if dev else None,
        material={
            "data": [*corpus.names, *({**one, "use": "places"} for one in gold.names)],
            "dev": [*held_out.names],
            "pairs": len(pairs),
        },
        progress=progress,
    )
