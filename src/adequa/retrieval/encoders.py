"""Encoders of texts and graphs as vectors: the interface, and how they are loaded by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Term, Triple
from adequa.errors import ModelError, SettingError
from adequa.settings import signature

Kind: TypeAlias = Literal["texts", "graphs"]
Vectors: TypeAlias = npt.NDArray[np.float32]
Graph: TypeAlias = tuple[Sequence[Triple], Mapping[str, Term] | None]

_HUB = "hub:"


class _Coder(Protocol):
    """An encoder of `adequa.models`, which has no signature."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """One vector per text."""

    def encode_graphs(self, graphs: Sequence[Graph]) -> npt.NDArray[Any]:
        """One vector per graph, which is its triples and the `terms` of its item."""


class Encoder(_Coder, Protocol):
    """Encodes texts and graphs as vectors of one space, one row each.

    `signature` names the model and its weights; vectors of different signatures are not compared.
    """

    @property
    def signature(self) -> str:
        """The model, its weights and everything else that changes a vector."""


@dataclass(frozen=True)
class _Signed:
    """An encoder of `adequa.models` with the signature of its weights."""

    signature: str
    coder: _Coder

    def encode(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        return self.coder.encode(texts)

    def encode_graphs(self, graphs: Sequence[Graph]) -> npt.NDArray[Any]:
        return self.coder.encode_graphs(graphs)


def load_encoder(name: str | None = None) -> Encoder:
    """An encoder by name; without one, the shipped one.

    A name is a version of the shipped weights, a folder of weights that `adequa export` wrote,
    `hub:MODEL[@REVISION]` for a sentence-transformers model (extra `hf`; its folder, or its name on
    the hub), or `package.module:attribute` for an object of your own.
    """
    if name is not None and name.startswith(_HUB):
        return _hub_encoder(name.removeprefix(_HUB))
    if name is not None and ":" in name and not Path(name).is_dir():
        return cast(Encoder, import_object(name, "encoder"))
    from adequa.models import encoder, shipped

    name = shipped.DEFAULT if name is None else name
    weights = shipped.weights(name)
    # Without the version of adequa: an index stays valid as long as the weights are the same.
    own = signature("encoder", {"weights": weights.digest}, weights.version)
    return _Signed(own, encoder.load_encoder(name))


def _hub_encoder(name: str) -> Encoder:
    from adequa.models import HubEncoder

    model, _, revision = name.partition("@")
    if not model:
        raise SettingError("hub: has no model; write hub:MODEL or hub:MODEL@REVISION")
    folder = Path(model)
    own = {"model": folder if folder.is_dir() else model}
    return _Signed(signature("hub", own, revision or "latest"), HubEncoder(model, revision or None))


def import_object(name: str, kind: str) -> object:
    """The object that a user names as `package.module:attribute`."""
    module, _, attribute = name.partition(":")
    remedy = f"name an {kind} as package.module:attribute"
    if not module or not attribute:
        raise SettingError(f"{name!r} is not the name of an {kind}; {remedy}")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"the {kind} {name!r} cannot be loaded ({error}); {remedy}") from None


def encode_items(encoder: Encoder, items: Sequence[Item], kind: Kind) -> Vectors:
    """The texts or the graphs of items as unit vectors."""
    if kind == "texts":
        raw = encoder.encode([item.text for item in items])
    else:
        raw = encoder.encode_graphs([(item.triples, item.terms) for item in items])
    vectors = np.asarray(raw, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(items):
        raise ModelError(
            f"the encoder {encoder.signature!r} gave an array of shape {vectors.shape} for"
            f" {len(items)} {kind}; it must give one row each"
        )
    if not np.isfinite(vectors).all():
        raise ModelError(f"the encoder {encoder.signature!r} gave numbers that are not finite")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    units: Vectors = vectors / lengths
    return units
