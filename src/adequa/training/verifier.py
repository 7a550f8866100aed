"""Trains the verifier: what a text states of its graph, and what the graph supports of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adequa.errors import SettingError
from adequa.perturb.pairs import Knowledge, gather, pairs_of
from adequa.training.cases import COMPOSED, FAULTS, Cases
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
from adequa.training.watch import spread

_DEV_SEED = 99
_LONGEST_LOOK = 512


@dataclass(frozen=True, kw_only=True)
class VerifierSettings(TrainingSettings):
    """The defaults are the recipe of the shipped verifier."""

    steps: int = 1500
    batch: int = 32
    rate: float = 1e-4
    frozen: int = 0
    longest: int = 320
    look_every: int = 200
    save_every: int = 200
    gold: tuple[Path, ...] = ()
    """Texts whose mentions people marked (the enriched corpus); others the detector places."""
    faults: Mapping[str, float] = field(
        default_factory=lambda: {name: weight for name, (_, weight) in FAULTS.items()}
    )
    """How often each fault is made."""
    composed: float = COMPOSED
    """The share of cases that are composed of phrases of our own."""
    cases: int = 750
    """At most so many held-out texts are spoilt to look at."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_mixture("fault", self.faults, list(FAULTS))
        if not 0 <= self.composed <= 1:
            raise SettingError(f"composed is {self.composed}: give a share from 0 to 1")

    def recipe(self) -> dict[str, Any]:
        """The common part, and the faults."""
        return {**super().recipe(), "faults": dict(self.faults), "composed": self.composed}


def train_verifier(settings: VerifierSettings, progress: Progress | None = None) -> TrainingResult:
    """Train, look at held-out data now and then, and write a checkpoint that `export` reads."""
    base = prepare(settings)
    corpus = read_corpus(settings.data, settings.format, progress)
    marked = read_corpus(settings.gold, None, progress)
    held_out = read_corpus(settings.dev, settings.format, progress)
    total = len(corpus.items)

    def placed(done: int) -> None:
        if progress is not None:
            progress("texts", done, total)

    pairs = pairs_of(corpus.items, gather(marked.items), placed)
    dev = pairs_of(held_out.items)
    check_pairs(settings, pairs, dev)
    dev = [dev[place] for place in spread(len(dev), settings.cases)]
    graphs = [pair.triples for pair in pairs]
    tokens = TokenReader.read(base.folder)
    faults = {name: (FAULTS[name][0], weight) for name, weight in settings.faults.items()}
    cases = Cases(
        pairs, Knowledge(graphs), settings.seed, faults=faults, composed=settings.composed
    )
    known = Knowledge([*graphs, *(pair.triples for pair in dev)])
    spoilt = Cases(dev, known, seed=_DEV_SEED)

    from adequa.training.torch_data import CaseCollator
    from adequa.training.torch_fit import run_training
    from adequa.training.torch_looks import VerifierLook
    from adequa.training.torch_networks import VerifierNetwork

    longest = max(settings.longest, min(_LONGEST_LOOK, base.positions))
    look = VerifierLook(
        [spoilt.case(number, pair) for number, pair in enumerate(dev)],
        CaseCollator(spoilt, tokens, longest=longest),
    )
    return run_training(
        "verifier",
        settings,
        base,
        VerifierNetwork,
        CaseCollator(cases, tokens, settings.batch, settings.longest),
        look if dev else None,
        {
            "data": [*corpus.names, *({**one, "use": "places"} for one in marked.names)],
            "dev": [*held_out.names],
            "pairs": len(pairs),
        },
        progress,
    )
