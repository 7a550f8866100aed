"""Training by transformers' Trainer: checkpoints, resuming, several devices, curves.

Imports torch: only the functions that train import this module.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments
from transformers.utils import logging

from adequa.training.torch_collate import Numbers

__all__ = ["Schedule", "fit", "is_first", "silence"]

Evaluation = Callable[[Any], Mapping[str, float]]
Collator = Callable[[Any], Mapping[str, Any]]
Log = list[dict[str, float]]


@dataclass(frozen=True)
class Schedule:
    """How long, how fast, how often to look and to save."""

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


class _Look(TrainerCallback):
    """Measures on held-out data every so many steps, and after the last."""

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


class _Tell(TrainerCallback):
    """Says how far it is, and hands on the log as it grows."""

    def __init__(
        self,
        out: Path,
        progress: Callable[[int, int], None] | None,
        grown: Callable[[Log], None] | None,
    ) -> None:
        self.out, self.progress, self.grown = out, progress, grown

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """One step more is done."""
        del args, control, rest
        if state.is_world_process_zero and self.progress is not None:
            self.progress(state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """The log has a new line."""
        del args, control, rest
        if state.is_world_process_zero:
            text = json.dumps(state.log_history, indent=1)
            (self.out / "log.json").write_text(text + "\n", encoding="utf-8")
            if self.grown is not None:
                self.grown(state.log_history)


@contextmanager
def silence() -> Iterator[None]:
    """Nothing of transformers on the console, and as it was afterwards."""
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
    """Train; the log has a line every ten steps, and one for each look at held-out data.

    It is also in `log.json`, which grows as it does. To resume is to go on from the last whole
    checkpoint, or to begin where there is none. Of the callbacks `progress` is told steps done and
    to do, `grown` the log after each new line; both in the first process only.
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
        train_dataset=Numbers(schedule.steps * max(1, arguments.world_size)),
        data_collator=collator,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.figures = {}
    trainer.add_callback(_Tell(out, progress, grown))
    if evaluation is not None:
        trainer.add_callback(_Look(trainer, evaluation, schedule.look_every))
    last = _last_checkpoint(out / "checkpoints") if resume else None
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    log: Log = trainer.state.log_history
    return log


def _last_checkpoint(folder: Path) -> Path | None:
    """The last one that is whole: its state is written after all the rest."""
    found = {
        int(path.parent.name.rpartition("-")[2]): path.parent
        for path in folder.glob("checkpoint-*/trainer_state.json")
    }
    return found[max(found)] if found else None
