"""A checkpoint as training writes it, read into plain arrays."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.errors import MissingExtra, ModelError
from adequa.models.shipped import parse_object

Array = npt.NDArray[Any]

CONFIG, WEIGHTS, HEADS = "config.json", "model.safetensors", "heads.safetensors"
VOCABULARY, TRAINING = "vocab.txt", "training.json"
WORDS = "embeddings.word_embeddings.weight"
_REQUIRED = ("recipe", "data", "seed", "commit", "figures")
_ONLY = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_SIZES = ("num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size")
_HEAD_NAMES = ("tokens.weight", "tokens.bias", "pair.weight", "pair.bias")


@dataclass(frozen=True)
class Checkpoint:
    """A BERT model in plain arrays, the heads of a verifier, and its training record."""

    folder: Path
    layers: int
    attention_heads: int
    hidden: int
    intermediate: int
    epsilon: float
    weights: Mapping[str, Array]
    heads: Mapping[str, Array]
    vocabulary: bytes
    training: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """`relations` if its record says so, `verifier` if it has heads, else `encoder`."""
        if self.heads and self.training.get("kind") == "relations":
            return "relations"
        return "verifier" if self.heads else "encoder"

    def __getitem__(self, name: str) -> Array:
        """One weight by BERT's name for it."""
        try:
            return self.weights[name]
        except KeyError:
            raise ModelError(
                f"{self.folder / WEIGHTS}: there is no {name!r}; save the BertModel itself, "
                "without a wrapper around it"
            ) from None


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read the checkpoint of a folder; models that `onnx` cannot express are refused."""
    config = parse_object(folder / CONFIG, _read(folder / CONFIG))
    for key, known in _ONLY.items():
        if config.get(key, known) != known:
            raise ModelError(
                f"{folder / CONFIG}: {key} is {config[key]!r}; only {known!r} is known"
            )
    try:
        layers, heads, hidden, intermediate = (int(config[name]) for name in _SIZES)
        epsilon = float(config["layer_norm_eps"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder / CONFIG}: is not a configuration of BERT ({error!r})") from None
    training = parse_object(folder / TRAINING, _read(folder / TRAINING))
    if absent := [name for name in _REQUIRED if name not in training]:
        raise ModelError(
            f"{folder / TRAINING}: lacks {', '.join(absent)}, which the model card needs"
        )
    verifier = (folder / HEADS).is_file()
    checkpoint = Checkpoint(
        folder=folder,
        layers=layers,
        attention_heads=heads,
        hidden=hidden,
        intermediate=intermediate,
        epsilon=epsilon,
        weights=_read_tensors(folder / WEIGHTS),
        heads=_read_tensors(folder / HEADS) if verifier else {},
        vocabulary=_read(folder / VOCABULARY),
        training=training,
    )
    if verifier and (lacking := [name for name in _HEAD_NAMES if name not in checkpoint.heads]):
        raise ModelError(f"{folder / HEADS}: there is no {', '.join(lacking)}")
    words = len(checkpoint.vocabulary.splitlines())
    if words != len(checkpoint[WORDS]):
        raise ModelError(
            f"{folder / VOCABULARY}: has {words:,} words, the model {len(checkpoint[WORDS]):,}"
        )
    return checkpoint


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be read ({error.strerror or error}); give a folder that training wrote"
        ) from None


def _read_tensors(path: Path) -> dict[str, Array]:
    try:
        safetensors = importlib.import_module("safetensors")
        load = importlib.import_module("safetensors.numpy").load
    except ImportError:
        raise MissingExtra("train", "safetensors") from None
    try:
        read = load(_read(path))
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise ModelError(f"{path}: is not a safetensors file ({error})") from None
    return {name: np.asarray(array, dtype=np.float32) for name, array in sorted(read.items())}


# Quantisation: weights by output column, word vectors by row

Floats = npt.NDArray[np.float32]
Small = npt.NDArray[np.int8]

_TOP = 127
_PAIR_TOP = 128
"""Without VNNI a processor adds the products of two neighbours in sixteen bits and saturates:
255 · 127 · 2 does not fit, 255 · 128 does. Equal scores on every machine are worth slightly less
precision in a column where two large weights are neighbours.
"""


def quantise_columns(weight: Floats) -> tuple[Small, Floats]:
    """A matrix [in, out] as whole numbers up to 127, and the scale of each column.

    Of rows 0 and 1, 2 and 3, … no two of one sign add up to more than 128 in a column.

    >>> quantise_columns(np.float32([[1.0, 1.0, 0.0], [1.0, -0.5, 0.0]]))[0]
    array([[ 64, 127,   0],
           [ 64, -64,   0]], dtype=int8)
    """
    padded = np.concatenate([weight, np.zeros_like(weight[: len(weight) % 2])])
    first, second = padded[0::2], padded[1::2]
    scales = np.abs(weight).max(axis=0) / _TOP
    sums = np.where(np.sign(first) == np.sign(second), np.abs(first + second), 0.0)
    # Rounding may add a half to each of two, and so one to their sum.
    scales = np.maximum(scales, sums.max(axis=0) / (_PAIR_TOP - 1))
    return _rounded(weight, np.where(scales > 0, scales, 1.0).astype(np.float32))


def quantise_rows(table: Floats) -> tuple[Small, Floats]:
    """A table of vectors as whole numbers up to 127, and the scale of each row."""
    scales = np.abs(table).max(axis=1) / _TOP
    scales = np.where(scales > 0, scales, 1.0).astype(np.float32)
    rows, _ = _rounded(table, scales[:, None])
    return rows, scales


def _rounded(values: Floats, scales: Floats) -> tuple[Small, Floats]:
    return np.clip(np.rint(values / scales), -_TOP, _TOP).astype(np.int8), scales
