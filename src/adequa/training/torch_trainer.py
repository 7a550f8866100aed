"""Training by transformers' Trainer: checkpoints, resuming, several devices, curves.

Imports torch: only the functions that train import this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import Trainer, TrainerCallback, TrainingArguments

from adequa.training.torch_collate import Numbers

__all__ = ["Schedule", "fit"]

Evaluation = Callable[[nn.Module], Mapping[str, float]]
Collator = Callable[[Any], Mapping[str, Any]]


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
    """Measures on held-out data every so many steps."""

    def __init__(self, trainer: _Trainer, evaluation: Evaluation, every: int) -> None:
        self.trainer, self.evaluation, self.every = trainer, evaluation, every

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Adds the figures to the log."""
        del args, control, rest
        if state.is_world_process_zero and state.global_step % self.every == 0:
            model = self.trainer.accelerator.unwrap_model(self.trainer.model)
            model.eval()
            with torch.no_grad():
                figures = dict(self.evaluation(model))
            model.train()
            self.trainer.log({f"dev_{name}": value for name, value in figures.items()})


def fit(
    network: nn.Module,
    collator: Collator,
    schedule: Schedule,
    out: Path,
    evaluation: Evaluation | None = None,
    *,
    resume: bool = False,
) -> list[dict[str, float]]:
    """Train; the log has a line every ten steps, and one for each look at held-out data."""
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
    trainer.figures = {}
    if evaluation is not None:
        trainer.add_callback(_Look(trainer, evaluation, schedule.look_every))
    trainer.train(resume_from_checkpoint=resume or None)
    log: list[dict[str, float]] = trainer.state.log_history
    if trainer.is_world_process_zero():
        (out / "log.json").write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    return log
