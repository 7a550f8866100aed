"""A training from its base to its checkpoint, the same for both networks. Imports torch.

transformers' Trainer does the work: checkpoints, resuming, several devices, curves. Only the
functions that train import this module.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import BertModel, PrinterCallback, Trainer, TrainerCallback, TrainingArguments
from transformers.utils import logging

from adequa import __version__
from adequa.charts import curves_picture
from adequa.training import setup
from adequa.training.torch_networks import load_bert

Evaluation = Callable[[Any], Mapping[str, float]]
Collator = Callable[[Any], Mapping[str, Any]]
Log = list[dict[str, float]]


@dataclass(frozen=True)
class Schedule:
    """The number of steps, the learning rate, and how often to evaluate and to save."""

    steps: int
    rate: float
    warm_up: float = 0.06
    decay: float = 0.01
    look_every: int = 100
    save_every: int = 100
    seed: int = 0


class _Trainer(Trainer):
    """Trainer for networks that give a dict with `loss`; its other figures are logged."""

    figures: dict[str, list[float]]

    def compute_loss(
        self,
        model: nn.Module,
        inputs: Mapping[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | None = None,
    ) -> Any:
        """The network's own loss."""
        del num_items_in_batch
        outputs = model(**inputs)
        for name, value in outputs.items():
            if name != "loss":
                self.figures.setdefault(name, []).append(float(value.detach()))
        return (outputs["loss"], outputs) if return_outputs else outputs["loss"]

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """The mean of each figure since the last line."""
        for name, values in self.figures.items():
            logs[name] = round(sum(values) / len(values), 5)
        self.figures.clear()
        super().log(logs, start_time)


class _Evaluate(TrainerCallback):
    """Evaluates on held-out data every `every` steps, and after the last."""

    def __init__(self, trainer: _Trainer, evaluation: Evaluation, every: int) -> None:
        self.trainer, self.evaluation, self.every = trainer, evaluation, every

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Adds the figures to the log."""
        del args, control, rest
        step = state.global_step
        if state.is_world_process_zero and (step % self.every == 0 or step == state.max_steps):
            model = self.trainer.accelerator.unwrap_model(self.trainer.model)
            model.eval()
            with torch.no_grad():
                figures = dict(self.evaluation(model))
            model.train()
            self.trainer.log({f"dev_{name}": value for name, value in figures.items()})


class _Report(TrainerCallback):
    """Reports progress, and passes on the log as it grows."""

    def __init__(
        self,
        out: Path,
        progress: Callable[[int, int], None] | None,
        grown: Callable[[Log], None] | None,
    ) -> None:
        self.out, self.progress, self.grown = out, progress, grown

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Reports the step."""
        del args, control, rest
        if state.is_world_process_zero and self.progress is not None:
            self.progress(state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Writes the log, which has a new line."""
        del args, control, rest
        if state.is_world_process_zero:
            text = json.dumps(state.log_history, indent=1)
            (self.out / "log.json").write_text(text + "\n", encoding="utf-8")
            if self.grown is not None:
                self.grown(state.log_history)


@contextmanager
def silence() -> Iterator[None]:
    """Silence the console output of transformers, and restore it afterwards."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def is_first() -> bool:
    """Whether this is the process that writes, of those that torchrun or accelerate started."""
    return os.environ.get("RANK", "0") == "0"


def fit(
    network: nn.Module,
    collator: Collator,
    schedule: Schedule,
    out: Path,
    evaluation: Evaluation | None = None,
    *,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
    grown: Callable[[Log], None] | None = None,
) -> Log:
    """Train; the log has one line per ten steps, and one for each evaluation on held-out data.

    It is also written to `log.json` as it grows. `resume` continues from the last complete
    checkpoint, or starts where there is none. `progress` is called with the steps done and the
    total, `grown` with the log after each new line; both in the first process only.
    """
    arguments = TrainingArguments(
        output_dir=str(out / "checkpoints"),
        max_steps=schedule.steps,
        per_device_train_batch_size=1,  # a number, which the collator makes a batch of
        learning_rate=schedule.rate,
        warmup_steps=max(1, round(schedule.warm_up * schedule.steps)),
        weight_decay=schedule.decay,
        lr_scheduler_type="linear",
        logging_steps=10,
        save_steps=schedule.save_every,
        save_total_limit=2,
        seed=schedule.seed,
        data_seed=schedule.seed,
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=False,
        ddp_find_unused_parameters=True,
    )
    trainer = _Trainer(
        model=network,
        args=arguments,
        # The numbers of the batches: the collator makes a batch when it is needed.
        train_dataset=range(schedule.steps * max(1, arguments.world_size)),
        data_collator=collator,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.figures = {}
    trainer.add_callback(_Report(out, progress, grown))
    if evaluation is not None:
        trainer.add_callback(_Evaluate(trainer, evaluation, schedule.look_every))
    last = _last_checkpoint(out / "checkpoints") if resume else None
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    log: Log = trainer.state.log_history
    return log


def _last_checkpoint(folder: Path) -> Path | None:
    """The last complete one: its state is written after all the rest."""
    found = {
        int(path.parent.name.rpartition("-")[2]): path.parent
        for path in folder.glob("checkpoint-*/trainer_state.json")
    }
    return found[max(found)] if found else None


def run_training(
    kind: str,
    settings: setup.TrainingSettings,
    base: setup.Base,
    *,
    build: Callable[[BertModel], nn.Module],
    collator: Collator,
    evaluation: Evaluation | None,
    material: Mapping[str, Any],
    progress: setup.Progress | None,
) -> setup.TrainingResult:
    """Train and write; of several processes only the first writes and reports."""
    first = is_first()
    schedule = Schedule(
        settings.steps,
        settings.rate,
        look_every=settings.look_every,
        save_every=settings.save_every,
        seed=settings.seed,
    )
    recipe = {**settings.recipe(), "warm_up": schedule.warm_up, "decay": schedule.decay}
    begun = {"kind": kind, "base": base.name, "recipe": recipe, "seed": settings.seed, **material}
    if first:
        setup.open_folder(settings, begun)
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress("steps", done, total)

    def draw(log: list[dict[str, float]]) -> None:
        picture = curves_picture(log, f"{kind}: {settings.steps:,} steps")
        (settings.out / "curves.svg").write_text(picture, encoding="utf-8")

    with silence():
        torch.manual_seed(settings.seed)  # the heads begin at random
        network = build(load_bert(base.folder, frozen=settings.frozen, layers=settings.layers))
        _load_heads(network, base.folder)
        log = fit(
            network,
            collator,
            schedule,
            settings.out,
            evaluation,
            resume=settings.resume,
            progress=report,
            grown=draw,
        )
        training = {
            **begun,
            "base": {"name": base.name, "licence": base.licence, **_before(base)},
            "licence": {"base": base.licence, "data": settings.licence},
            "recipe": {**recipe, "made_with": _made_with()},
            "commit": setup.commit_of(),
            "figures": _figures(log),
        }
        if first:
            write_checkpoint(network, settings.out, base.vocabulary, training)
    return setup.TrainingResult(settings.out, material["pairs"], log, training)


def _load_heads(network: nn.Module, folder: Path) -> None:
    """The heads of an earlier stage, where the base is one."""
    path = folder / "heads.safetensors"
    if path.is_file() and hasattr(network, "pair"):
        network.load_state_dict(load_file(path), strict=False)


def write_checkpoint(
    network: Any, folder: Path, vocabulary: bytes, training: Mapping[str, Any]
) -> None:
    """Write the layout `adequa export` reads: BERT, heads, vocabulary, and a training record."""
    folder.mkdir(parents=True, exist_ok=True)
    network.bert.save_pretrained(folder)
    heads = {
        f"{name}.{part}": weight.detach().cpu().contiguous()
        for name in ("tokens", "pair")
        if hasattr(network, name)
        for part, weight in getattr(network, name).state_dict().items()
    }
    if heads:
        save_file(heads, folder / "heads.safetensors")
    (folder / "vocab.txt").write_bytes(vocabulary)
    text = json.dumps(training, ensure_ascii=False, indent=2)
    (folder / "training.json").write_text(text + "\n", encoding="utf-8")


def _before(base: setup.Base) -> dict[str, Any]:
    """The earlier stage, where the base is a checkpoint of ours."""
    names = ("base", "recipe", "data", "seed", "commit", "licence")
    stage = {name: base.training[name] for name in names if name in base.training}
    return {"stage_before": stage} if stage else {}


def _figures(log: list[dict[str, float]]) -> dict[str, Any]:
    """The last loss and the last evaluation."""
    losses = [line[name] for line in log for name in ("loss", "train_loss") if name in line]
    losses = losses[:-1] if len(losses) > 1 else losses  # the mean of all is last
    figures: dict[str, Any] = {"loss": losses[-1]} if losses else {}
    for line in log:
        dev = {name: value for name, value in line.items() if name.startswith("dev_")}
        if dev:  # the last one stays
            figures["dev"] = {name.removeprefix("dev_"): value for name, value in dev.items()}
    return figures


def _made_with() -> dict[str, str]:
    packages = ("torch", "transformers", "accelerate")
    return {"adequa": __version__, **{name: version(name) for name in packages}}
