"""The training of the record reader, which can be stopped and resumed exactly. Imports torch.

The network is a verifier: its head `unsupported` learns from the words of a sentence, the head of
the pair whether the sentence has a fault. A wrong sentence must be worse than its faithful twin by
a margin. It starts from the relation reader, which can read who did what to whom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from adequa.training.setup import TrainingResult, open_folder, prepare, read_tokenizer
from adequa.training.torch_data import padded
from adequa.training.torch_fit import silence
from adequa.training.torch_networks import VerifierNetwork
from research.records.cases import Batches, Case, Row, Source
from research.records.figures import HeldOutText, RowLogits, measure
from research.relations.torch_training import Parts, StackSettings, StackTraining, load_network

MARGIN, ABOVE = 2.0, 0.3
"""How much worse a wrong sentence should be than its twin, and the weight of that in the loss. Not
chosen by a comparison."""
WORDS = 2.0
"""The weight of the words in the loss; the sentence has 1. Not chosen by a comparison."""
WRONG_WORDS = 2.0
"""The weight of a wrong word, of which there is one in ten. Not chosen by a comparison."""
LIMITS = (
    "English sentences beside at most some 200 word pieces of a record. It does not calculate, and "
    "is told by rules which values the record explains. Weakest on totals, on comparisons of "
    "numbers and on additions that sound like the data; see docs/metrics/nli.md."
)
"""What the card of the model says of its limits."""


@dataclass(frozen=True, kw_only=True)
class RecordSettings(StackSettings):
    """The defaults are the recipe of the shipped record reader."""

    steps: int = 1000
    batch: int = 2048
    stacks: int = 2
    average: float = 0.99
    relations: float = 0.3
    """The share of cases that come from the groups of the relation reader."""

    def recipe(self) -> dict[str, Any]:
        """The common part, the loss and the mixture."""
        more = {"margin": MARGIN, "above": ABOVE, "words": WORDS, "wrong_words": WRONG_WORDS}
        return {**super().recipe(), **more, "relations": self.relations}


def step_losses(
    network: VerifierNetwork, stacks: Sequence[Sequence[Case]]
) -> Iterator[tuple[Tensor, Parts]]:
    """The shares of the stacks in a step's loss, one by one."""
    for stack in stacks:
        parts = case_losses(network, stack)
        loss = WORDS * parts["words"] + parts["fault"] + ABOVE * parts.get("margin", 0.0)
        yield (
            loss / len(stacks),
            {name: float(one.detach()) / len(stacks) for name, one in parts.items()},
        )


def case_losses(network: VerifierNetwork, stack: Sequence[Case]) -> dict[str, Tensor]:
    """The parts of the loss of some cases, as means over what they have."""
    rows = [row for case in stack for row in case.rows]
    tokens, pair = network.logits(
        padded([[*row.ids] for row in rows]),
        padded([[1] * len(row.ids) for row in rows]),
        padded([[*row.types] for row in rows]),
    )
    words = torch.cat([tokens[number, list(row.places), 1] for number, row in enumerate(rows)])
    labels = torch.tensor([float(one) for row in rows for one in row.labels])
    wrong = torch.tensor([float(row.is_wrong) for row in rows])
    parts = {
        "words": functional.binary_cross_entropy_with_logits(
            words, labels, weight=1 + (WRONG_WORDS - 1) * labels
        ),
        "fault": functional.binary_cross_entropy_with_logits(pair, wrong),
    }
    first, worse = 0, []
    for case in stack:
        worse += [(first + one, first + other) for one, other in case.worse]
        first += len(case.rows)
    if worse:
        gaps = pair[[one for one, _ in worse]] - pair[[other for _, other in worse]]
        parts["margin"] = functional.relu(MARGIN - gaps).mean()
    return parts


def logits_of(network: VerifierNetwork, rows: Sequence[Row], size: int = 4096) -> list[RowLogits]:
    """The answers of a network for some rows."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].ids))
    found: list[RowLogits] = [(0.0, np.zeros(0, np.float32))] * len(rows)
    while order:
        count = 1
        while count < len(order) and (count + 1) * len(rows[order[count]].ids) <= size:
            count += 1
        chosen, order = order[:count], order[count:]
        own = [rows[place] for place in chosen]
        with torch.inference_mode():
            tokens, pair = network.logits(
                padded([list(one.ids) for one in own]),
                padded([[1] * len(one.ids) for one in own]),
                padded([list(one.types) for one in own]),
            )
        for number, place in enumerate(chosen):
            words = tokens[number, list(rows[place].places), 1].numpy().copy()
            found[place] = float(pair[number]), words
    return found


def train_records(
    settings: RecordSettings,
    sources: Sequence[Source],
    held_out: Sequence[HeldOutText] = (),
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] | None = None,
) -> TrainingResult:
    """Train and write a checkpoint that `adequa export` reads, with its log beside it."""
    base = prepare(settings)
    record: dict[str, Any] = {
        "kind": "records",
        "base": base.name,
        "recipe": settings.recipe(),
        "seed": settings.seed,
        "data": [{"name": one.name, "items": one.items} for one in sources],
    }
    open_folder(settings, record)
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    with silence():
        network = load_network(base, read_tokenizer(base.folder), settings)
    if base.training.get("kind") != "records":  # the pair means something else there
        torch.nn.init.normal_(network.pair.weight, std=0.02)
        torch.nn.init.zeros_(network.pair.bias)
    network.train()
    batches = Batches(
        sources,
        settings.seed,
        pool=settings.pool,
        size=settings.batch,
        stacks=settings.stacks,
    )
    training = StackTraining(settings, network, batches.steps, step_losses, _size)
    look = (lambda: measure(lambda rows: logits_of(network, rows), held_out)) if held_out else None
    log = training.run(look, stop, progress)
    record["limits"] = LIMITS
    training.write(base, record, log)
    return TrainingResult(settings.out, sum(one.items for one in sources), log, record)


def _size(stack: Sequence[Case]) -> tuple[int, int]:
    rows = [row for case in stack for row in case.rows]
    return len(rows), sum(len(row.ids) for row in rows)
