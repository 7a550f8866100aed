"""Training of the verifier: what a text states of its graph, and which words the graph supports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.errors import SettingError
from adequa.perturb import UNKNOWN, Knowledge, read_marks
from adequa.stats import area_under_curve
from adequa.training import setup
from adequa.training.cases import FAULTS, Cases, ComposerFactory

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
