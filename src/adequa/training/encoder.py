"""Trains the bi-encoder: texts and graphs into one space (paper 003, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adequa.errors import SettingError
from adequa.training.batches import MIXTURE, ContrastiveBatches
from adequa.training.material import Knowledge, pairs_of
from adequa.training.negatives import KINDS
from adequa.training.pipeline import (
    Progress,
    Settings,
    Trained,
    check_mixture,
    check_pairs,
    prepare,
    read_corpus,
)
from adequa.training.tokens import Tokens

__all__ = ["EncoderSettings", "train_encoder"]

_LONGEST_LOOK = 256


@dataclass(frozen=True, kw_only=True)
class EncoderSettings(Settings):
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


def train_encoder(settings: EncoderSettings, progress: Progress | None = None) -> Trained:
    """Train, look at held-out data now and then, and write a checkpoint that `export` reads."""
    base = prepare(settings)
    corpus = read_corpus(settings.data, settings.format, progress)
    held_out = read_corpus(settings.dev, settings.format, progress)
    pairs = pairs_of(corpus.items, places=False)
    dev = pairs_of(held_out.items, places=False)
    check_pairs(settings, pairs, dev)
    knowledge = Knowledge([pair.triples for pair in pairs])
    tokens = Tokens.read(base.folder)
    batches = ContrastiveBatches(
        pairs,
        knowledge,
        size=settings.batch,
        seed=settings.seed,
        # A kind of weight 0 is never made, not even where no other can be.
        mixture={name: weight for name, weight in settings.negatives.items() if weight > 0},
        small=settings.small,
    )

    from adequa.training.torch_collate import ContrastiveCollator
    from adequa.training.torch_looks import EncoderLook
    from adequa.training.torch_networks import EncoderNetwork
    from adequa.training.torch_run import run_training

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
