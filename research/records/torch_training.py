"""The training of the record reader, which can be stopped and resumed exactly. Imports torch.

The network is a verifier: its head `unsupported` and that of the pair learn whether a sentence
contradicts a fact, the former at the beginning of the fact. A wrong sentence must be worse than its
faithful twin by a margin. It starts from a reader of small graphs, that from the relation reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from adequa.training.setup import TrainingResult, open_folder, prepare, read_tokenizer
from adequa.training.torch_data import padded
from adequa.training.torch_fit import silence
from adequa.training.torch_networks import VerifierNetwork
from research.records.cases import Batches, Case, Row, Source
from research.records.figures import HeldOutText, measure
from research.relations.torch_training import Parts, StackSettings, StackTraining, load_network

MARGIN, ABOVE = 2.0, 0.3
"""How much worse a wrong sentence should be than its twin, and the weight of that in the loss. Not
chosen by a comparison."""
FACT, WRONG = 2.0, 2.0
"""The weight of the answer at the fact, where that of the pair has 1, and in it of contradicted
facts, which are one row in four. Not chosen by a comparison."""
LIMITS = (
    "English sentences beside single facts of a record. It does not calculate, and sees neither "
    "comparisons nor totals of several facts; see docs/metrics/nli.md."
)
"""What the card of the model says of its limits."""


@dataclass(frozen=True, kw_only=True)
class RecordSettings(StackSettings):
    """The defaults are the recipe of the shipped record reader."""

    steps: int = 1000
    batch: int = 1024
    stacks: int = 2
    average: float = 0.99
    relations: float = 0.25
    """The share of cases that come from the groups of the relation reader."""

    def recipe(self) -> dict[str, Any]:
        """The common part, the loss and the mixture."""
        more = {"margin": MARGIN, "above": ABOVE, "fact": FACT, "wrong": WRONG}
        return {**super().recipe(), **more, "relations": self.relations}


def step_losses(
    network: VerifierNetwork, stacks: Sequence[Sequence[Case]]
) -> Iterator[tuple[Tensor, Parts]]:
    """The shares of the stacks in a step's loss, one by one."""
    for stack in stacks:
        parts = case_losses(network, stack)
        loss = FACT * parts["fact"] + parts["pair"] + ABOVE * parts.get("margin", 0.0)
        yield (
            loss / len(stacks),
            {name: float(one.detach()) / len(stacks) for name, one in parts.items()},
        )


def case_losses(network: VerifierNetwork, stack: Sequence[Case]) -> dict[str, Tensor]:
    """The parts of the loss of some cases, as means over what they have."""
    rows = [row for case in stack for row in case.rows]
    facts, pair = _logits(network, rows)
    wrong = torch.tensor([float(row.wrong) for row in rows])
    parts = {
        "fact": functional.binary_cross_entropy_with_logits(
            facts, wrong, weight=1 + (WRONG - 1) * wrong
        ),
        "pair": functional.binary_cross_entropy_with_logits(pair, wrong),
    }
    first, worse = 0, []
    for case in stack:
        worse += [(first + one, first + other) for one, other in case.worse]
        first += len(case.rows)
    if worse:
        gaps = pair[[one for one, _ in worse]] - pair[[other for _, other in worse]]
        parts["margin"] = functional.relu(MARGIN - gaps).mean()
    return parts


def _logits(network: VerifierNetwork, rows: Sequence[Row]) -> tuple[Tensor, Tensor]:
    """The logits of some rows: at the fact, and of the pair."""
    tokens, pair = network.logits(
        padded([[*row.ids] for row in rows]),
        padded([[1] * len(row.ids) for row in rows]),
        padded([[0] * row.mark + [1] * (len(row.ids) - row.mark) for row in rows]),
    )
    return tokens[range(len(rows)), [row.mark for row in rows], 1], pair


def logits_of(network: VerifierNetwork, rows: Sequence[Row], size: int = 4096) -> list[float]:
    """The answers of a network at the facts of some rows."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].ids))
    found = [0.0] * len(rows)
    network.eval()
    while order:
        count = 1
        while count < len(order) and (count + 1) * len(rows[order[count]].ids) <= size:
            count += 1
        chosen, order = order[:count], order[count:]
        with torch.inference_mode():
            logits, _ = _logits(network, [rows[place] for place in chosen])
        for place, logit in zip(chosen, logits.tolist(), strict=True):
            found[place] = logit
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
