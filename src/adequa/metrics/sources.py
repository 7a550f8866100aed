"""The models behind `similarity`: shipped ones, a user's own, and the entity detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from adequa.data import Item
from adequa.metrics.esa import EsaStrict
from adequa.metrics.members import Blend, Checks, Cosines, Shares

if TYPE_CHECKING:
    from adequa.models.encoder import Encoder
    from adequa.models.hub import HubEncoder

__all__ = [
    "check_source",
    "check_weights",
    "cosine_source",
    "entity_source",
    "pair_source",
    "read_blends",
    "weights_digest",
]

_POSITIVE = ("entailment", "label_1", "positive", "yes", "true")
"""What the label that counts is called, where a cross-encoder has several."""


def check_weights(name: str) -> None:
    """Raise where there are no such weights: before the first text, not after."""
    from adequa.models.shipped import weights

    weights(name)


def weights_digest(name: str) -> str:
    """What changes with the weights' content."""
    from adequa.models.shipped import weights

    return weights(name).digest


@lru_cache(maxsize=4)
def read_blends(name: str) -> Mapping[str, Blend]:
    """How the members of some weights become one value, for each part."""
    from adequa.models.shipped import weights

    folder = weights(name)
    place = str(folder.folder / "calibration.json")
    blends = folder.values("calibration.json").get("similarity", {})
    return {part: Blend.read(values, place) for part, values in blends.items()}


def cosine_source(
    weights: str, threads: int, model: str | None = None, revision: str | None = None
) -> Cosines:
    """How near text and graph are, by the shipped encoder or by a sentence-transformers model."""
    encoder = _encoder(weights, threads, model, revision)

    def cosines(items: Sequence[Item]) -> list[float]:
        texts = encoder.encode([item.text for item in items])
        graphs = encoder.encode_graphs([(item.triples, item.terms) for item in items])
        return [float(value) for value in (texts * graphs).sum(axis=1)]

    return cosines


def _encoder(
    weights: str, threads: int, model: str | None, revision: str | None
) -> Encoder | HubEncoder:
    if model is None:
        from adequa.models.encoder import load_encoder

        return load_encoder(weights, threads=threads)
    from adequa.models.hub import HubEncoder

    return HubEncoder(model, revision)


def check_source(weights: str, threads: int) -> Checks:
    """The shipped verifier."""
    from adequa.models.verifier import load_verifier

    return load_verifier(weights, threads=threads).verify


def pair_source(model: str, revision: str | None = None) -> Shares:
    """A cross-encoder of the user: the probability of its only label, or of the affirming one."""
    from adequa.models.hub import HubPairs
    from adequa.models.linearise import linearise

    pairs = HubPairs(model, revision)

    def shares(items: Sequence[Item]) -> list[float | None]:
        column = _affirming(pairs.labels)
        found = pairs.probabilities(
            [(item.text, linearise(item.triples, item.terms)) for item in items]
        )
        return [None if row is None else row[column] for row in found]

    return shares


def _affirming(labels: Sequence[str]) -> int:
    """The column that says yes: by its name, else the only one, else the last."""
    names = [label.casefold() for label in labels]
    for name in _POSITIVE:
        if name in names:
            return names.index(name)
    return len(names) - 1


def entity_source(items: Sequence[Item]) -> list[float | None]:
    """What the entity detector has to say: `esa_strict`."""
    return [score.value for score in EsaStrict().score(items)]
