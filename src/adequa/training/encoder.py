"""Trains the bi-encoder: texts and graphs into one space (paper 003, section 4)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adequa.errors import SettingError
from adequa.perturb.graphs import KINDS, Graph
from adequa.perturb.pairs import GraphTextPair, Knowledge, pairs_of
from adequa.training.pipeline import (
    Progress,
    TrainingResult,
    TrainingSettings,
    check_mixture,
    check_pairs,
    prepare,
    read_corpus,
)
from adequa.training.tokens import TokenReader

# ---
# Which pairs meet in a batch, and what each is told apart from.
# ---

Mixture = Mapping[str, float]
MIXTURE: Mixture = {"replaced": 0.3, "inverted": 0.35, "dropped": 0.175, "added": 0.175}
"""How often each kind of negative graph is made; an empty mixture leaves in-batch negatives."""


@dataclass
class ContrastiveBatches:
    """Batch `i` is always the same, whoever asks and in whatever order: training can resume.

    A batch has graphs of nearly one size, so that little is padding. Half of it are neighbours:
    texts on the same category or entities, which are harder to tell apart than any others.
    """

    pairs: Sequence[GraphTextPair]
    knowledge: Knowledge
    size: int = 48
    seed: int = 0
    mixture: Mixture = field(default_factory=lambda: MIXTURE)
    neighbours: float = 0.5
    small: float = 0.0
    """The share of batches with graphs of one or two triples: cheap, and in them an inversion is
    all that is wrong."""

    def __post_init__(self) -> None:
        self._by_size: dict[int, list[int]] = defaultdict(list)
        self._by_entity: dict[str, list[int]] = defaultdict(list)
        self._by_category: dict[str, list[int]] = defaultdict(list)
        self._few = [place for place, pair in enumerate(self.pairs) if len(pair.triples) == 1]
        for number, pair in enumerate(self.pairs):
            self._by_size[len(pair.triples)].append(number)
            self._by_category[pair.category].append(number)
            for entity in {end for triple in pair.triples for end in (triple[0], triple[2])}:
                self._by_entity[entity].append(number)

    def batch(self, number: int) -> tuple[list[GraphTextPair], list[Graph]]:
        """Pairs of different graphs, and further graphs that are wrong for all of them."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        anchor = chance.randrange(len(self.pairs))
        if self._few and chance.random() < self.small:
            anchor = chance.choice(self._few)
        chosen = self._choose(anchor, chance)
        pairs = [self.pairs[place] for place in chosen]
        graphs = [self._negative(pair.triples, chance) for pair in pairs] if self.mixture else []
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
        take(self._by_category[self.pairs[anchor].category], close)
        take([*self._by_size[size], *self._by_size[size + 1]], self.size)
        return list(chosen.values())

    def _negative(self, graph: Graph, chance: random.Random) -> Graph | None:
        names = list(self.mixture)
        weights = list(self.mixture.values())
        first = chance.choices(names, weights)[0]
        for name in dict.fromkeys([first, *names]):
            made = KINDS[name](graph, self.knowledge, chance)
            if made is not None:
                return tuple(chance.sample(made, len(made)))
        return None


_LONGEST_LOOK = 256


@dataclass(frozen=True, kw_only=True)
class EncoderSettings(TrainingSettings):
    """The defaults are the recipe of the first stage of the shipped encoder."""

    steps: int = 420
    batch: int = 48
    rate: float = 1.2e-4
    frozen: int = 2
    longest: int = 160
    look_every: int = 150
    save_every: int = 150
    negatives: Mapping[str, float] = field(default_factory=lambda: dict(MIXTURE))
    """How often each kind of negative graph is made; none leaves the others of the batch."""
    small: float = 0.0
    """The share of batches with graphs of one or two triples."""
    queries: int = 350
    """At most so many held-out graphs look for their text."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_mixture("negative", self.negatives, list(KINDS))
        if not 0 <= self.small <= 1:
            raise SettingError(f"small is {self.small}: give a share from 0 to 1")

    def recipe(self) -> dict[str, Any]:
        """The common part, and what a batch is made of."""
        return {**super().recipe(), "negatives": dict(self.negatives), "small": self.small}


def train_encoder(settings: EncoderSettings, progress: Progress | None = None) -> TrainingResult:
    """Train, look at held-out data now and then, and write a checkpoint that `export` reads."""
    base = prepare(settings)
    corpus = read_corpus(settings.data, settings.format, progress)
    held_out = read_corpus(settings.dev, settings.format, progress)
    pairs = pairs_of(corpus.items, places=False)
    dev = pairs_of(held_out.items, places=False)
    check_pairs(settings, pairs, dev)
    knowledge = Knowledge([pair.triples for pair in pairs])
    tokens = TokenReader.read(base.folder)
    batches = ContrastiveBatches(
        pairs,
        knowledge,
        size=settings.batch,
        seed=settings.seed,
        # A kind of weight 0 is never made, not even where no other can be.
        mixture={name: weight for name, weight in settings.negatives.items() if weight > 0},
        small=settings.small,
    )

    from adequa.training.torch_data import ContrastiveCollator
    from adequa.training.torch_fit import run_training
    from adequa.training.torch_looks import EncoderLook
    from adequa.training.torch_networks import EncoderNetwork

    longest = max(settings.longest, min(_LONGEST_LOOK, base.positions))
    return run_training(
        "encoder",
        settings,
        base,
        EncoderNetwork,
        ContrastiveCollator(batches, tokens, settings.longest),
        EncoderLook(dev, knowledge, tokens, longest, settings.queries) if dev else None,
        {"data": [*corpus.names], "dev": [*held_out.names], "pairs": len(pairs)},
        progress,
    )
