"""Tiny checkpoints with random weights, as training would write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WORDS, HIDDEN, HEADS, LAYERS, INTERMEDIATE = 40, 32, 4, 2, 64
SAID = {
    "base": {"name": "random numbers", "licence": "CC0"},
    "data": [{"name": "none", "licence": "CC0"}, "a second one"],
    "recipe": {"steps": 0, "rate": 5e-5, "negatives": ["hard", "inverted"]},
    "seed": 7,
    "commit": "0123abc",
    "figures": {"dev": {"r@1": 0.025}},
}


def write_checkpoint(
    folder: Path, *, seed: int = 7, verifier: bool = False, said: Mapping[str, Any] = SAID
) -> Path:
    """Save a random BERT; the words are the same whatever the seed."""
    torch = pytest.importorskip("torch", reason="the extra train is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
    safetensors = pytest.importorskip("safetensors.numpy", reason="the extra train is not there")
    model = bert(torch, transformers, seed)
    model.save_pretrained(folder)
    (folder / "vocab.txt").write_text(
        "".join(f"word{number}\n" for number in range(WORDS)), encoding="utf-8"
    )
    (folder / "training.json").write_text(json.dumps(said), encoding="utf-8")
    if verifier:
        safetensors.save_file(heads(seed), folder / "heads.safetensors")
    return folder


def bert(torch: Any, transformers: Any, seed: int) -> Any:
    """Weights far larger than a fresh BERT's, so that no layer is nearly linear or idle."""
    config = transformers.BertConfig(
        vocab_size=WORDS,
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=INTERMEDIATE,
        max_position_embeddings=48,
        layer_norm_eps=1e-7,
    )
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    numbers = np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            spread = 1.0 if "embeddings" in name else 0.25
            values = numbers.normal(0, spread, weight.shape) + ("LayerNorm.weight" in name)
            if "word_embeddings" in name:
                values = np.random.default_rng(1).normal(0, 1, weight.shape)
            weight.copy_(torch.tensor(values, dtype=torch.float32))
    return model


def heads(seed: int) -> dict[str, Any]:
    numbers = np.random.default_rng(seed)
    return {
        f"{name}.{part}": numbers.normal(0, 1, shape).astype(np.float32)
        for name, size in (("tokens", 3), ("pair", 1))
        for part, shape in (("weight", (size, HIDDEN)), ("bias", (size,)))
    }


def batch(lengths: list[int], *, width: int | None = None, seed: int = 3) -> dict[str, Any]:
    """Random token ids; an item is the same whatever stands around it. Padding is made loud."""
    width = width or max(lengths)
    ids = np.full((len(lengths), width), WORDS - 1)
    mask = np.zeros((len(lengths), width), dtype=np.int64)
    types = np.ones((len(lengths), width), dtype=np.int64)
    for row, length in enumerate(lengths):
        numbers = np.random.default_rng((seed, length))
        ids[row, :length] = numbers.integers(0, WORDS - 1, length)
        mask[row, :length] = 1
        types[row, : length // 2] = 0
    return {"ids": ids, "mask": mask, "types": types}
