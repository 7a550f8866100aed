"""The training of the relation reader, which can be stopped and resumed exactly. Imports torch.

The network is a verifier of which only the head `stated` learns. The loss has two parts: whether
each fact is stated, and a margin between facts of texts that differ in one thing. What is evaluated
and kept is a moving average of the weights.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from adequa.errors import DataError, SettingError
from adequa.files import replacing
from adequa.models import RelationReader, WordPiece
from adequa.models.relations import PLACEHOLDERS
from adequa.models.verifier import Run
from adequa.training.setup import (
    Base,
    TrainingResult,
    TrainingSettings,
    commit_of,
    open_folder,
    prepare,
    read_tokenizer,
)
from adequa.training.torch_data import padded
from adequa.training.torch_fit import silence, write_checkpoint
from adequa.training.torch_networks import VerifierNetwork, load_bert
from research.relations.figures import HeldOut
from research.relations.groups import RelationText
from research.relations.mixture import SHARES, Mixture
from research.relations.rows import Batches, FactRow, Stack, encode_premise
from research.relations.torch_growth import LayerGates

MARGIN = 3.0
"""How much higher the logit of a stated fact should be than that of its twin. This margin and its
weight have no record of the data they were chosen on."""
ABOVE = 0.4
"""The weight of the margin in the loss; the labels have 1."""
SURNAMES = (
    "smith", "jones", "miller", "davis", "wilson", "taylor", "thomas", "moore", "jackson", "harris",
    "clark", "lewis", "robinson", "allen", "scott", "adams", "nelson", "mitchell", "roberts",
    "turner",
)  # fmt: skip
"""Names of one piece each, whose vectors the placeholders get."""
ROLES = ("subject", "relation", "object")
"""Words whose vectors the role markers of a hypothesis get."""
LIMITS = (
    "English. Facts whose two ends the text names, and qualities of a thing that it names. Weakest "
    "on quantifiers, order in time, direction and other relations between the same names; see "
    "docs/results.md."
)
"""What the card of the model says of its limits."""
_STATE = "state.pt"
_LOG = "log.jsonl"
_LOG_EVERY = 25
_BATCH = 2048
"""Tokens per batch in evaluations; it affects speed alone."""
_HEAD_RATE = 5
"""The new head learns five times as fast as the layers below it."""

Parts = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class StackSettings(TrainingSettings):
    """The settings of a training on stacks of rows; `batch` is tokens per stack."""

    stacks: int = 3
    pool: int = 512
    rate: float = 1e-4
    warm_up: int = 60
    fall: float = 0.0
    """The share of the steps, at the end, over which the rate falls to a tenth."""
    average: float = 0.995
    """The decay of the moving average."""
    frozen: int = 0
    longest: int = 256
    look_every: int = 250
    save_every: int = 100
    grow: int = 0
    """The steps over which layers that `torch_growth` has added take effect."""
    bf16: bool = False
    """Multiply matrices in bfloat16: 1.6 to 2.6 times as fast on a processor that can."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stacks", "pool", "warm_up"):
            if getattr(self, name) < 1:
                raise SettingError(f"{name} is {getattr(self, name)}: give at least 1")
        for name in ("fall", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise SettingError(f"{name} is {getattr(self, name)}: give 0 or more, and below 1")

    def recipe(self) -> dict[str, Any]:
        """The common part, the batches and the schedule."""
        names = ("stacks", "pool", "warm_up", "fall", "average", "grow", "bf16")
        return {**super().recipe(), **{name: getattr(self, name) for name in names}}

    def rate_at(self, step: int) -> float:
        """The factor of the learning rate: a rise, a plateau, and perhaps a fall."""
        if step < self.warm_up:
            return (step + 1) / self.warm_up
        fall, left = int(self.steps * self.fall), self.steps - step
        return 1.0 if left >= fall else 0.1 + 0.9 * max(0, left) / fall


@dataclass(frozen=True, kw_only=True)
class RelationSettings(StackSettings):
    """The defaults are the recipe of the shipped relation reader."""

    lexicon: Path
    steps: int = 6000
    batch: int = 1024
    shares: Mapping[str, float] = field(default_factory=lambda: SHARES)
    """How often each kind of group is drawn."""
    permissive: bool = False
    """Whether only data that may be used commercially was read."""

    def recipe(self) -> dict[str, Any]:
        """The common part, the loss and the mixture."""
        more = {"margin": MARGIN, "above": ABOVE, "mixture": dict(self.shares)}
        return {**super().recipe(), **more}


# The network


def load_network(base: Base, tokens: WordPiece, settings: StackSettings) -> VerifierNetwork:
    """The network of a base model; an earlier stage keeps its heads and its word vectors."""
    torch.manual_seed(settings.seed)  # the heads begin at random
    bert = load_bert(base.folder, frozen=settings.frozen, layers=settings.layers)
    network = VerifierNetwork(bert)
    network.bf16 = settings.bf16
    heads = base.folder / "heads.safetensors"
    if heads.is_file():
        network.load_state_dict(load_file(heads), strict=False)
    else:
        set_placeholders(network, tokens)
    return network


def set_placeholders(network: VerifierNetwork, tokens: WordPiece) -> None:
    """Give placeholders and role markers the vectors of known words.

    In a base model they are words that were never seen, and nearly alike; the table stays frozen.
    """
    if missing := [word for word in (*SURNAMES, *ROLES, *PLACEHOLDERS) if word not in tokens.ids]:
        raise DataError(
            f"the base model has no word {missing[0]!r}", remedy="give an uncased English BERT"
        )
    table = network.bert.embeddings.word_embeddings.weight
    copies = dict(zip(PLACEHOLDERS, SURNAMES, strict=True))
    with torch.no_grad():
        for placeholder, name in copies.items():
            table[tokens.ids[placeholder]] = table[tokens.ids[name]]
        for marker, role in zip(tokens.markers, ROLES, strict=True):
            table[marker] = table[tokens.ids[role]]


def _logits(
    network: VerifierNetwork, rows: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> Tensor:
    """The logits of all tokens of some rows, which are word numbers and types."""
    ids = [own for own, _ in rows]
    mask = padded([[1] * len(own) for own in ids])
    tokens, _ = network.logits(padded(ids), mask, padded([types for _, types in rows]))
    return tokens


def open_run(network: VerifierNetwork) -> Run:
    """The network as a function from word numbers and types to logits, for a `RelationReader`."""

    def run(
        sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> list[Mapping[str, Any]]:
        rows = list(zip(sequences, types, strict=True))
        order = sorted(range(len(rows)), key=lambda place: len(rows[place][0]))
        found: list[Mapping[str, Any]] = [{}] * len(rows)
        while order:
            count = 1
            while count < len(order) and (count + 1) * len(rows[order[count]][0]) <= _BATCH:
                count += 1
            chosen, order = order[:count], order[count:]
            with torch.inference_mode():
                logits = _logits(network, [rows[place] for place in chosen]).float().numpy()
            for place, own in zip(chosen, logits, strict=True):
                found[place] = {"tokens": own[: len(rows[place][0])].copy()}
        return found

    return run


def measure(network: VerifierNetwork, tokens: WordPiece, held_out: HeldOut) -> dict[str, float]:
    """The figures of a network on held-out data."""
    network.eval()
    run = open_run(network)

    def entail(texts: Sequence[RelationText]) -> list[float]:
        rows = [encode_premise(tokens, text) for text in texts]
        outputs = run([row.ids for row in rows], [row.types for row in rows])
        return [float(out["tokens"][row.mark, 0]) for row, out in zip(rows, outputs, strict=True)]

    return held_out.measure(RelationReader(tokens, run).read, entail)


def load_checkpoint(folder: Path) -> tuple[VerifierNetwork, WordPiece]:
    """The network of a checkpoint, and its tokenizer."""
    with silence():
        network = VerifierNetwork(load_bert(folder))
    network.load_state_dict(load_file(folder / "heads.safetensors"), strict=False)
    return network, read_tokenizer(folder)


def average_checkpoints(
    folders: Sequence[Path], out: Path, held_out: HeldOut | None = None
) -> None:
    """Write the mean of the weights of several stages of one training.

    Its record is that of the last stage, with the figures of the mean on held-out data.
    """
    last = folders[-1]
    out.mkdir(parents=True, exist_ok=True)
    for name in ("model.safetensors", "heads.safetensors"):
        read = [load_file(folder / name) for folder in folders]
        if len({tuple(sorted(one)) for one in read}) > 1:
            raise DataError("are not stages of one training", path=last, remedy="give such stages")
        mean = {key: torch.stack([one[key] for one in read]).mean(0) for key in read[-1]}
        save_file(mean, out / name, metadata={"format": "pt"})
    record = json.loads((last / "training.json").read_text(encoding="utf-8"))
    record["mean_of_stages"] = len(folders)
    for name in ("config.json", "vocab.txt"):
        (out / name).write_bytes((last / name).read_bytes())
    record["figures"] = {"dev": measure(*load_checkpoint(out), held_out) if held_out else {}}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    (out / "training.json").write_text(f"{text}\n", encoding="utf-8")


# The loss


def count_parts(stacks: Sequence[Stack]) -> Parts:
    """The numbers by which the sums of a step's losses are divided."""
    rows = sum(len(group.rows) for stack in stacks for group in stack)
    above = sum(len(group.above) ** 0.5 for stack in stacks for group in stack)
    return {"stated": max(rows, 1.0), "above": max(above, 1.0)}


def step_losses(
    network: VerifierNetwork, stacks: Sequence[Stack]
) -> Iterator[tuple[Tensor, Parts]]:
    """The shares of the stacks in a step's loss, one by one."""
    totals = count_parts(stacks)
    return (stack_loss(network, stack, totals) for stack in stacks)


def stack_loss(network: VerifierNetwork, stack: Stack, totals: Parts) -> tuple[Tensor, Parts]:
    """The share of one stack in a step's loss, and its parts for the log.

    A group counts by the root of the number of its pairs.
    """
    rows: list[FactRow] = [row for group in stack for row in group.rows]
    tokens = _logits(network, [(row.ids, row.types) for row in rows])
    logits = tokens[range(len(rows)), [row.mark for row in rows], 0]
    labels = torch.tensor([float(row.label) for row in rows])
    parts = {"stated": functional.binary_cross_entropy_with_logits(logits, labels, reduction="sum")}
    first = 0
    gaps = []
    for group in stack:
        if group.above:
            higher = logits[[first + one for one, _ in group.above]]
            lower = logits[[first + other for _, other in group.above]]
            gap = functional.relu(MARGIN - (higher - lower)).mean()
            gaps.append(gap * len(group.above) ** 0.5)
        first += len(group.rows)
    parts["above"] = torch.stack(gaps).sum() if gaps else logits.sum() * 0
    loss = parts["stated"] / totals["stated"] + ABOVE * parts["above"] / totals["above"]
    return loss, {name: float(value.detach()) / totals[name] for name, value in parts.items()}


# The training


class MovingAverage:
    """A moving average of the weights that learn."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.values = {name: one.detach().clone() for name, one in _learning(network)}

    def add(self, network: nn.Module, step: int) -> None:
        """Add the weights after a step; the first ones are soon forgotten."""
        decay = min(self.decay, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, one in _learning(network):
                self.values[name].lerp_(one, 1 - decay)

    @contextmanager
    def applied(self, network: nn.Module) -> Iterator[None]:
        """The network with the average for its weights, until the block ends."""
        self._swap(network)
        try:
            yield
        finally:
            self._swap(network)

    def _swap(self, network: nn.Module) -> None:
        with torch.no_grad():
            for name, one in _learning(network):
                held = one.detach().clone()
                one.copy_(self.values[name])
                self.values[name] = held


def _learning(network: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    return ((name, one) for name, one in network.named_parameters() if one.requires_grad)


def build_optimiser(network: nn.Module, rate: float) -> torch.optim.AdamW:
    """AdamW: matrices decay, norms and biases do not; the heads learn faster."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = defaultdict(list)
    for name, one in _learning(network):
        speed = rate * (_HEAD_RATE if name.startswith(("tokens.", "pair.")) else 1)
        groups[speed, 0.01 if one.ndim > 1 else 0.0].append(one)
    return torch.optim.AdamW(
        [
            {"params": own, "lr": speed, "initial_lr": speed, "weight_decay": decay}
            for (speed, decay), own in groups.items()
        ]
    )


@dataclass
class TrainingPosition:
    """How far a training is: steps done, the next step's pool and place in it, rows and time."""

    step: int = 0
    pool: int = 0
    place: int = 0
    rows: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass
class StackTraining:
    """A training on stacks of rows, and its state as `state.pt` keeps it."""

    settings: StackSettings
    network: VerifierNetwork
    steps_of: Callable[[int], list[list[Any]]]
    """The steps of a pool, each with its stacks, the same whenever they are asked for."""
    losses: Callable[[VerifierNetwork, Sequence[Any]], Iterator[tuple[Tensor, Parts]]]
    """The shares of the stacks in a step's loss, and their parts for the log."""
    size: Callable[[Any], tuple[int, int]]
    """The rows and the word pieces of a stack."""
    average: MovingAverage = field(init=False)
    optimiser: torch.optim.AdamW = field(init=False)
    gates: LayerGates = field(init=False)
    done: TrainingPosition = field(default_factory=TrainingPosition)
    steps: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.average = MovingAverage(self.network, self.settings.average)
        self.optimiser = build_optimiser(self.network, self.settings.rate)
        self.gates = LayerGates(self.network, self.settings.grow)

    def resume(self) -> None:
        """Continue from the last saved state, where there is one."""
        path = self.settings.out / _STATE
        if path.is_file():
            state = torch.load(path, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.average.values = state["average"]
            self.optimiser.load_state_dict(state["optimiser"])
            torch.set_rng_state(state["generator"])
            self.done = TrainingPosition(**state["done"])

    def save(self) -> None:
        """Write the state, completely or not at all."""
        state = {
            "network": self.network.state_dict(),
            "average": self.average.values,
            "optimiser": self.optimiser.state_dict(),
            "generator": torch.get_rng_state(),
            "done": vars(self.done),
        }
        with replacing(self.settings.out / _STATE) as stream:
            torch.save(state, stream)

    def step(self) -> Parts:
        """Learn from the next step; return the parts of its loss."""
        done = self.done
        if not self.steps:
            self.steps = self.steps_of(done.pool)
        while done.place >= len(self.steps):
            done.pool, done.place = done.pool + 1, 0
            self.steps = self.steps_of(done.pool)
        begun = time.perf_counter()
        stacks = self.steps[done.place]
        self.gates.at(done.step)
        for group in self.optimiser.param_groups:
            group["lr"] = group["initial_lr"] * self.settings.rate_at(done.step)
        sums: Parts = defaultdict(float)
        for loss, parts in self.losses(self.network, stacks):
            loss.backward()
            for name, value in parts.items():
                sums[name] += value
        nn.utils.clip_grad_norm_([one for _, one in _learning(self.network)], 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.average.add(self.network, done.step)
        done.step += 1
        done.place += 1
        for rows, tokens in map(self.size, stacks):
            done.rows += rows
            done.tokens += tokens
        done.seconds += time.perf_counter() - begun
        return sums

    def run(
        self,
        measure: Callable[[], dict[str, float]] | None,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] | None,
    ) -> list[dict[str, float]]:
        """Train to the end or until `stop`, with figures every `look_every` steps; the log.

        A training that was stopped has saved its state, and continues from it.
        """
        settings = self.settings
        self.resume()
        log = _read_log(settings.out, self.done.step)
        sums: dict[str, list[float]] = defaultdict(list)
        while self.done.step < settings.steps and not stop():
            for name, value in self.step().items():
                sums[name].append(value)
            step = self.done.step
            line: dict[str, float] = {}
            if step % _LOG_EVERY == 0 or step == settings.steps:
                line = {name: round(float(np.mean(own)), 4) for name, own in sums.items()}
                sums.clear()
            if measure and (step % settings.look_every == 0 or step == settings.steps):
                with self.average.applied(self.network):
                    figures = measure()
                self.network.train()
                line |= {f"dev_{name}": value for name, value in figures.items()}
            if line:
                log.append({"step": step, "seconds": round(self.done.seconds, 1), **line})
                _write_log(settings.out, log)
            if step % settings.save_every == 0:
                self.save()
            if progress is not None:
                progress(step, settings.steps)
        self.save()
        return log

    def write(self, base: Base, record: dict[str, Any], log: list[dict[str, float]]) -> None:
        """Write the checkpoint of the moving average; what is known at the end joins the record."""
        record |= {
            "base": {"name": base.name, "licence": base.licence},
            "licence": {"base": base.licence, "data": self.settings.licence},
            "commit": commit_of(),
            "figures": {"dev": _last_figures(log)},
            "done": {name: getattr(self.done, name) for name in ("step", "rows", "tokens")},
        }
        with self.average.applied(self.network), silence():
            write_checkpoint(self.network, self.settings.out, base.vocabulary, record)


def train_relations(
    settings: RelationSettings,
    mixture: Mixture,
    held_out: HeldOut | None = None,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] | None = None,
) -> TrainingResult:
    """Train and write a checkpoint that `adequa export` reads, with its log beside it.

    A training that `stop` ends has saved its state: with `resume` it continues as if nothing had
    happened. Figures on held-out data are added every `look_every` steps and after the last.
    """
    base = prepare(settings)
    record = {
        "kind": "relations",
        "base": base.name,
        "recipe": settings.recipe(),
        "seed": settings.seed,
        "data": describe(mixture, permissive=settings.permissive),
    }
    open_folder(settings, record)
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    tokens = read_tokenizer(base.folder)
    with silence():
        network = load_network(base, tokens, settings)
    network.train()
    batches = Batches(
        mixture.group,
        RelationReader(tokens, open_run(network)),
        settings.seed,
        pool=settings.pool,
        size=settings.batch,
        stacks=settings.stacks,
        longest=settings.longest,
    )
    training = StackTraining(
        settings,
        network,
        batches.steps,
        step_losses,
        lambda stack: _size([row for group in stack for row in group.rows]),
    )
    look = None if held_out is None else lambda: measure(network, tokens, held_out)
    log = training.run(look, stop, progress)
    record["limits"] = LIMITS
    training.write(base, record, log)
    return TrainingResult(settings.out, len(mixture.documents), log, record)


def _size(rows: Sequence[FactRow]) -> tuple[int, int]:
    return len(rows), sum(len(row.ids) for row in rows)


def describe(mixture: Mixture, *, permissive: bool) -> list[dict[str, Any]]:
    """The data of a mixture with its numbers, for the training record."""
    texts = "written groups, rel2text, dart" if permissive else "webnlg2020/train, dart"
    counts = {
        f"{texts}: texts": len(mixture.documents),
        "rel2text: answers": len(mixture.answers),
        "fewrel: sentences": len(mixture.sentences),
        "redocred: paragraphs": len(mixture.paragraphs),
        "entailment: pairs": len(mixture.entailments),
        "research/relations/data/written: groups": len(mixture.written),
    }
    return [{"name": name, "items": count} for name, count in counts.items()]


def _read_log(out: Path, step: int) -> list[dict[str, float]]:
    """The lines of an earlier part of the training, up to a step."""
    path = out / _LOG
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [line for line in map(json.loads, lines) if line["step"] <= step]


def _write_log(out: Path, log: Sequence[Mapping[str, float]]) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in log)
    with replacing(out / _LOG) as stream:
        stream.write(text.encode())


def _last_figures(log: Sequence[Mapping[str, float]]) -> dict[str, float]:
    for line in reversed(log):
        own = {name: value for name, value in line.items() if name.startswith("dev_")}
        if own:
            return {name.removeprefix("dev_"): value for name, value in own.items()}
    return {}
