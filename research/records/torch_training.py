"""The training of the record reader, which can be stopped and resumed exactly. Imports torch.

The network is a verifier: at the beginning of the fact its head `unsupported` learns whether the
sentence contradicts it and its head `stated` whether it states it; at the words of the sentence the
former learns which are wrong. With several facts it learns whether they support the sentence. A
wrong sentence must be worse than its faithful twin by a margin. It starts from the relation reader.
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
STATED, WORDS = 0.5, 1.0
"""The weights of what a sentence states and of its wrong words, where that of the fact that it
contradicts has 1. Not chosen by a comparison."""
LIMITS = (
    "English sentences beside single facts of a record, or the twelve most like them. It does not "
    "calculate, and sees neither comparisons nor totals of several facts; see docs/metrics/nli.md."
)
"""What the card of the model says of its limits."""


@dataclass(frozen=True, kw_only=True)
class RecordSettings(StackSettings):
    """The defaults are those of the last stages of the shipped record reader."""

    steps: int = 1000
    batch: int = 1024
    stacks: int = 2
    average: float = 0.99
    relations: float = 0.12
    """The share of cases that come from the groups of the relation reader."""
    entailment: float = 0.0
    """The share of entailment pairs."""
    together: float = 0.0
    """The share of cases about records that have several facts."""

    def recipe(self) -> dict[str, Any]:
        """The common part, the loss and the mixture."""
        more = {"margin": MARGIN, "above": ABOVE, "stated": STATED, "words": WORDS}
        names = ("relations", "entailment", "together")
        shares = {name: getattr(self, name) for name in names}
        return {**super().recipe(), **more, **shares}


def step_losses(
    network: VerifierNetwork, stacks: Sequence[Sequence[Case]]
) -> Iterator[tuple[Tensor, Parts]]:
    """The shares of the stacks in a step's loss, one by one."""
    weights = {"fact": 1.0, "stated": STATED, "words": WORDS, "margin": ABOVE}
    for stack in stacks:
        parts = case_losses(network, stack)
        loss = torch.stack([weights[name] * one for name, one in parts.items()]).sum()
        yield (
            loss / len(stacks),
            {name: float(one.detach()) / len(stacks) for name, one in parts.items()},
        )


def case_losses(network: VerifierNetwork, stack: Sequence[Case]) -> dict[str, Tensor]:
    """The parts of the loss of some cases, as means over what they have."""
    rows = [row for case in stack for row in case.rows]
    tokens = _logits(network, rows)
    own = tokens[range(len(rows)), [row.mark for row in rows]]
    loss = functional.binary_cross_entropy_with_logits
    parts = {"fact": loss(own[:, 1], torch.tensor([float(row.wrong) for row in rows]))}
    known = [place for place, row in enumerate(rows) if row.stated is not None]
    if known:
        stated = torch.tensor([float(bool(rows[place].stated)) for place in known])
        parts["stated"] = loss(own[known, 0], stated)
    marked = [place for place, row in enumerate(rows) if row.words is not None]
    if marked:
        logits = torch.cat([tokens[place, 1 : rows[place].mark - 1, 1] for place in marked])
        wrong = torch.cat([_marks(rows[place]) for place in marked])
        parts["words"] = loss(logits, wrong)
    first, worse = 0, []
    for case in stack:
        worse += [(first + one, first + other) for one, other in case.worse]
        first += len(case.rows)
    if worse:
        gaps = own[[one for one, _ in worse], 1] - own[[other for _, other in worse], 1]
        parts["margin"] = functional.relu(MARGIN - gaps).mean()
    return parts


def _marks(row: Row) -> Tensor:
    """1 for each wrong word of a sentence, 0 for the others."""
    marks = torch.zeros(row.mark - 2)
    marks[[place - 1 for place in row.words or ()]] = 1.0
    return marks


def _logits(network: VerifierNetwork, rows: Sequence[Row]) -> Tensor:
    """The logits of all word numbers of some rows."""
    tokens, _ = network.logits(
        padded([[*row.ids] for row in rows]),
        padded([[1] * len(row.ids) for row in rows]),
        padded([[0] * row.mark + [1] * (len(row.ids) - row.mark) for row in rows]),
    )
    return tokens


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
            tokens = _logits(network, [rows[place] for place in chosen])
        for number, place in enumerate(chosen):
            found[place] = float(tokens[number, rows[place].mark, 1])
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
