"""A training from its base to its checkpoint, the same for both networks. Imports torch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import BertModel

from adequa.__about__ import __version__
from adequa.training.bases import Base
from adequa.training.pictures import curves_picture
from adequa.training.pipeline import Progress, Settings, Trained, commit_of, open_folder
from adequa.training.torch_networks import load_bert
from adequa.training.torch_trainer import Collator, Evaluation, Schedule, fit, is_first, silence

__all__ = ["run_training", "write_checkpoint"]


def run_training(
    kind: str,
    settings: Settings,
    base: Base,
    build: Callable[[BertModel], nn.Module],
    collator: Collator,
    look: Evaluation | None,
    material: Mapping[str, Any],
    progress: Progress | None,
) -> Trained:
    """Train and write; of several processes the first alone writes and tells."""
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
        open_folder(settings, begun)
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)

    def told(done: int, total: int) -> None:
        if progress is not None:
            progress("steps", done, total)

    def drawn(log: list[dict[str, float]]) -> None:
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
            look,
            resume=settings.resume,
            progress=told,
            grown=drawn,
        )
        training = {
            **begun,
            "base": {"name": base.name, "licence": base.licence, **_before(base)},
            "licence": {"base": base.licence, "data": settings.licence},
            "recipe": {**recipe, "made_with": _made_with()},
            "commit": commit_of(),
            "figures": _figures(log),
        }
        if first:
            write_checkpoint(network, settings.out, base.vocabulary, training)
    return Trained(settings.out, material["pairs"], log, training)


def _load_heads(network: nn.Module, folder: Path) -> None:
    """The heads of an earlier stage, where the base is one."""
    path = folder / "heads.safetensors"
    if path.is_file() and hasattr(network, "pair"):
        network.load_state_dict(load_file(path), strict=False)


def write_checkpoint(
    network: Any, folder: Path, vocabulary: bytes, training: Mapping[str, Any]
) -> None:
    """The layout `adequa export` reads: BERT, the heads of a verifier, words, what was done."""
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


def _before(base: Base) -> dict[str, Any]:
    """The earlier stage, where the base is a checkpoint of ours."""
    names = ("base", "recipe", "data", "seed", "commit", "licence")
    said = {name: base.training[name] for name in names if name in base.training}
    return {"stage_before": said} if said else {}


def _figures(log: list[dict[str, float]]) -> dict[str, Any]:
    """The last loss and the last look."""
    losses = [line[name] for line in log for name in ("loss", "train_loss") if name in line]
    losses = losses[:-1] if len(losses) > 1 else losses  # the mean of all is last
    looks = [line for line in log if any(name.startswith("dev_") for name in line)]
    figures: dict[str, Any] = {"loss": losses[-1]} if losses else {}
    if looks:
        figures["dev"] = {
            name.removeprefix("dev_"): value
            for name, value in looks[-1].items()
            if name.startswith("dev_")
        }
    return figures


def _made_with() -> dict[str, str]:
    packages = ("torch", "transformers", "accelerate")
    return {"adequa": __version__, **{name: version(name) for name in packages}}
