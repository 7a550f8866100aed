"""Training of the bi-encoder: texts and graphs in one space (paper 003, section 4)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.errors import SettingError
from adequa.perturb import Document, Knowledge, Operator, draw
from adequa.perturb.graphs import add_further_triple, drop_triple, invert_triple, replace_triple
from adequa.perturb.knowledge import Graph
from adequa.training import setup

NEGATIVES: Mapping[str, Operator] = {
    "replaced": replace_triple,
    "inverted": partial(invert_triple, named=False),
    "dropped": partial(drop_triple, named=False),
    "added": add_further_triple,
}
"""The kinds of negative graphs by name."""
Array = npt.NDArray[Any]
Mixture = Mapping[str, float]
MIXTURE: Mixture = {"replaced": 0.3, "inverted": 0.35, "dropped": 0.175, "added": 0.175}
"""The weights of the kinds of negative graphs in the recipe of the shipped encoder, chosen by hand
(docs/training.md); with an empty mixture only the other graphs of the batch are negatives."""


@dataclass
class ContrastiveBatches:
    """Batch `i` is always the same, so that a training can be resumed and repeated.

    A batch has graphs of nearly one size, so that there is little padding. Half of it are
    neighbours: texts of the same category or entities, which are harder to tell apart.
    """

    pairs: Sequence[Document]
    knowledge: Knowledge
    size: int = 48
    seed: int = 0
    mixture: Mixture = field(default_factory=lambda: MIXTURE)
    neighbours: float = 0.5
    small: float = 0.0
    """The share of batches with graphs of one or two triples: they are cheap, and an inversion is
    the only thing that can be wrong in them."""

    def __post_init__(self) -> None:
        self._by_size: dict[int, list[int]] = defaultdict(list)
        self._by_entity: dict[str, list[int]] = defaultdict(list)
        self._by_category: dict[str, list[int]] = defaultdict(list)
        self._few = [place for place, pair in enumerate(self.pairs) if len(pair.triples) == 1]
        for number, pair in enumerate(self.pairs):
            self._by_size[len(pair.triples)].append(number)
            self._by_category[pair.item.category or ""].append(number)
            for entity in {end for triple in pair.triples for end in (triple[0], triple[2])}:
                self._by_entity[entity].append(number)

    def batch(self, number: int) -> tuple[list[Document], list[Graph]]:
        """Pairs of different graphs, and further graphs that are wrong for all of them."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        anchor = chance.randrange(len(self.pairs))
        if self._few and chance.random() < self.small:
            anchor = chance.choice(self._few)
        chosen = self._choose(anchor, chance)
        pairs = [self.pairs[place] for place in chosen]
        graphs = [self._negative(pair, chance) for pair in pairs] if self.mixture else []
        return pairs, [graph for graph in graphs if graph is not None]

    def _choose(self, anchor: int, chance: random.Random) -> list[int]:
        size = len(self.pairs[anchor].triples)
        chosen: dict[frozenset[object], int] = {}

        def take(pool: Sequence[int], most: int) -> None:
            for _ in range(4 * most):
                if len(chosen) >= most or not pool:
                    return
                place = chance.choice(pool)
                pair = self.pairs[place]
                if abs(len(pair.triples) - size) <= 1:
                    chosen.setdefault(frozenset(pair.triples), place)

        close = round(self.size * self.neighbours)
        chosen[frozenset(self.pairs[anchor].triples)] = anchor
        for triple in self.pairs[anchor].triples:
            take(self._by_entity[triple.subject], close // 2)
        take(self._by_category[self.pairs[anchor].item.category or ""], close)
        take([*self._by_size[size], *self._by_size[size + 1]], self.size)
        return list(chosen.values())

    def _negative(self, pair: Document, chance: random.Random) -> Graph | None:
        names = list(self.mixture)
        first = chance.choices(names, list(self.mixture.values()))[0]
        for name in dict.fromkeys([first, *names]):
            change = draw(NEGATIVES[name], pair, self.knowledge, chance)
            if change is not None and change.triples is not None:
                return tuple(chance.sample(change.triples, len(change.triples)))
        return None


_LONGEST_DEV = 256


def recalls(graphs: Array, texts: Array, own: Sequence[int]) -> dict[str, float]:
    """How often a graph's own text is among the first; a tie counts against it.

    `graphs` and `texts` are unit vectors, `own` the number of each graph's text.
    """
    similarities = graphs @ texts.T
    right = similarities[np.arange(len(graphs)), np.asarray(own)]
    ranks = (similarities >= right[:, None]).sum(axis=1)
    return {f"r@{first}": float((ranks <= first).mean()) for first in (1, 10)}


def inversion_rate(texts: Array, right: Array, inverted: Array) -> float:
    """The share of inverted triples that are at least as near to the text as the right one."""
    near, turned = (texts * right).sum(axis=1), (texts * inverted).sum(axis=1)
    return float((turned >= near).mean())


@dataclass(frozen=True, kw_only=True)
class EncoderSettings(setup.TrainingSettings):
    """The defaults are the recipe of the first stage of the shipped encoder."""

    steps: int = 420
    batch: int = 48
    rate: float = 1.2e-4
    frozen: int = 2
    longest: int = 160
    look_every: int = 150
    save_every: int = 150
    negatives: Mapping[str, float] = field(default_factory=lambda: dict(MIXTURE))
    """The weight of each kind of negative graph; without any, only the rest of the batch counts."""
    small: float = 0.0
    """The share of batches with graphs of one or two triples."""
    queries: int = 350
    """The largest number of held-out graphs whose text is searched for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        setup.validate_mixture("negative", self.negatives, list(NEGATIVES))
        if not 0 <= self.small <= 1:
            raise SettingError(f"small is {self.small}: give a share from 0 to 1")

    def recipe(self) -> dict[str, Any]:
        """The common part, and the composition of a batch."""
        return {**super().recipe(), "negatives": dict(self.negatives), "small": self.small}


def train_encoder(
    settings: EncoderSettings, progress: setup.Progress | None = None
) -> setup.TrainingResult:
    """Train, evaluate on held-out data now and then, and write a checkpoint that `export` reads."""
    base = setup.prepare(settings)
    corpus = setup.read_corpus(settings.data, settings.format, progress)
    held_out = setup.read_corpus(settings.dev, settings.format, progress)
    pairs = setup.read_pairs(corpus.items, locate=False)
    dev = setup.read_pairs(held_out.items, locate=False)
    setup.validate_pairs(settings, pairs, dev)
    knowledge = Knowledge.of(pairs)
    tokens = setup.read_tokenizer(base.folder)
    batches = ContrastiveBatches(
        pairs,
        knowledge,
        size=settings.batch,
        seed=settings.seed,
        # A kind of weight 0 is never made, not even where no other can be.
        mixture={name: weight for name, weight in settings.negatives.items() if weight > 0},
        small=settings.small,
    )

    from adequa.training.torch_data import ContrastiveCollator, EncoderEvaluation
    from adequa.training.torch_fit import run_training
    from adequa.training.torch_networks import EncoderNetwork

    longest = max(settings.longest, min(_LONGEST_DEV, base.positions))
    return run_training(
        "encoder",
        settings,
        base,
        build=EncoderNetwork,
        collator=ContrastiveCollator(batches, tokens, settings.longest),
        evaluation=EncoderEvaluation(dev, knowledge, tokens, longest, settings.queries)
        if dev
        else None,
        material={"data": [*corpus.names], "dev": [*held_out.names], "pairs": len(pairs)},
        progress=progress,
    )
