"""What turns texts and graphs into vectors, and what is asked of it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Triple
from adequa.errors import ModelError, SettingError

__all__ = ["Encoder", "Kind", "Vectors", "encode_items", "load_encoder", "shipped_encoder"]

Kind: TypeAlias = Literal["texts", "graphs"]
Vectors: TypeAlias = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Texts and graphs as vectors of one space, a row each; near is similar.

    `signature` names the model and its weights: vectors of different signatures are not compared.
    """

    @property
    def signature(self) -> str:
        """The model, its weights and whatever else changes a vector."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """A vector a text."""

    def encode_graphs(self, graphs: Sequence[Sequence[Triple]]) -> npt.NDArray[Any]:
        """A vector a graph."""


def shipped_encoder() -> Encoder:
    """The encoder that comes with adequa, loaded when it is first asked for."""
    module = importlib.import_module("adequa.models.encoder")
    return cast(Encoder, module.Encoder())


def load_encoder(name: str | None = None) -> Encoder:
    """The shipped encoder, or the one that `package.module:attribute` names."""
    return shipped_encoder() if name is None else cast(Encoder, load_object(name, "encoder"))


def load_object(name: str, kind: str) -> object:
    """What a user names as `package.module:attribute`."""
    module, _, attribute = name.partition(":")
    remedy = f"name an {kind} as package.module:attribute"
    if not module or not attribute:
        raise SettingError(f"{name!r} names no {kind}; {remedy}")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"the {kind} {name!r} cannot be loaded ({error}); {remedy}") from None


def encode_items(encoder: Encoder, items: Sequence[Item], kind: Kind) -> Vectors:
    """The texts or the graphs of items as unit vectors."""
    if kind == "texts":
        raw = encoder.encode([item.text for item in items])
    else:
        raw = encoder.encode_graphs([_labelled(item) for item in items])
    vectors = np.asarray(raw, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(items):
        raise ModelError(
            f"the encoder {encoder.signature!r} gave an array of shape {vectors.shape} for"
            f" {len(items)} {kind}; it must give a row each"
        )
    if not np.isfinite(vectors).all():
        raise ModelError(f"the encoder {encoder.signature!r} gave numbers that are not finite")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    units: Vectors = vectors / lengths
    return units


def _labelled(item: Item) -> tuple[Triple, ...]:
    """The triples with labels for IRIs, where the file had them."""
    if not item.terms:
        return item.triples
    labels = {name: term.label for name, term in item.terms.items() if term.label}
    return tuple(Triple(*(labels.get(part, part) for part in triple)) for triple in item.triples)
