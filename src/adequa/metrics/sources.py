"""The models behind `similarity`: shipped ones, a user's own, and the entity detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from adequa.data import Item
from adequa.errors import ModelError
from adequa.metrics.esa import EsaStrict
from adequa.metrics.members import Blend, Checks, Cosines, RatingHead, Shares
from adequa.settings import content_hash

if TYPE_CHECKING:
    from adequa.models.encoder import Encoder
    from adequa.models.hub import HubEncoder
    from adequa.models.verifier import Checked, Verifier
    from adequa.wording.collection import Templates

__all__ = [
    "check_source",
    "check_weights",
    "cosine_source",
    "entity_source",
    "has_words",
    "model_digest",
    "pair_source",
    "read_blends",
    "read_rating",
    "weights_digest",
]

_POSITIVE = ("entailment", "entailed", "consistent", "supported", "positive", "yes", "true")
"""What the label that counts is called, where a cross-encoder has several."""
_MOST_REMEMBERED = 2048
_UNNAMED = ["label_0", "label_1"]
"""No and yes, as transformers calls two labels that nobody named."""


def has_words(text: str) -> bool:
    """Whether a model reads anything of a text: blanks, controls and lone accents are nothing."""
    from adequa.models.characters import ACCENTS, DROPPED, SPACES

    return any(not (one in SPACES or one in DROPPED or one in ACCENTS) for one in text)


def check_weights(name: str) -> None:
    """Raise where there are no such weights: before the first text, not after."""
    from adequa.models.shipped import weights

    weights(name)


def weights_digest(name: str) -> str:
    """What changes with the weights' content."""
    from adequa.models.shipped import weights

    return weights(name).digest


def model_digest(model: str) -> str | None:
    """What changes with the files of a model in a local folder; None for one of the hub."""
    folder = Path(model)
    if not folder.is_dir():
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stamps = [(path, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return _hashed(folder.resolve(), tuple(stamps))


@lru_cache(maxsize=8)
def _hashed(folder: Path, _: tuple[object, ...]) -> str:
    """A large model takes seconds to read: once, as long as its files stay the same."""
    return content_hash(folder)


@lru_cache(maxsize=4)
def read_blends(name: str) -> Mapping[str, Blend] | None:
    """How the members of some weights become one value, for each part; None where nothing says."""
    from adequa.models.shipped import weights

    folder = weights(name)
    place = str(folder.folder / "calibration.json")
    if "calibration.json" not in folder.manifest["files"]:
        return None
    blends = folder.values("calibration.json").get("similarity")
    if not isinstance(blends, dict):
        raise ModelError(f"{place}: says nothing of similarity; make it with adequa train blend")
    return {part: Blend.read(values, place) for part, values in blends.items()}


@lru_cache(maxsize=4)
def read_rating(name: str) -> RatingHead | None:
    """The rating head of some weights, if they have one."""
    from adequa.models.shipped import weights

    folder = weights(name)
    if "calibration.json" not in folder.manifest["files"]:
        return None
    values = folder.values("calibration.json").get("rating")
    place = str(folder.folder / "calibration.json")
    return None if values is None else RatingHead.read(values, place)


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


def check_source(weights: str, threads: int, templates: Templates | None = None) -> Checks:
    """The shipped verifier; what one metric of a run has asked it, the next is told again."""
    from adequa.models.verifier import load_verifier

    verifier = load_verifier(weights, threads=threads)
    if templates is not None:
        return partial(verifier.verify, wording=templates.wording)
    return _remembering(verifier)


@lru_cache(maxsize=4)
def _remembering(verifier: Verifier) -> Checks:
    known: dict[object, Checked] = {}

    def check(items: Sequence[Item]) -> list[Checked]:
        keys = [_key(item) for item in items]
        asked = {key: item for key, item in zip(keys, items, strict=True) if key not in known}
        found = {key: known[key] for key in keys if key in known}
        found.update(zip(asked, verifier.verify(list(asked.values())), strict=True))
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        known.update(found)
        return [found[key] for key in keys]

    return check


def _key(item: Item) -> object:
    """What the verifier reads of an item."""
    return item.text, item.triples, tuple((name, term.label) for name, term in item.terms.items())


def pair_source(model: str, revision: str | None = None) -> Shares:
    """A cross-encoder of the user: the probability of its only label, or of the affirming one.

    It reads the graph as plain words, for it was not taught our markers.
    """
    from adequa.models.hub import HubPairs
    from adequa.models.linearise import readable

    pairs = HubPairs(model, revision)

    def shares(items: Sequence[Item]) -> list[float | None]:
        column = _affirming(model, pairs.labels)
        found = pairs.probabilities(
            [
                (item.text, ". ".join(" ".join(readable(one, item.terms)) for one in item.triples))
                for item in items
            ]
        )
        return [None if row is None else row[column] for row in found]

    return shares


def _affirming(model: str, labels: Sequence[str]) -> int:
    """The column that says yes: the only one, or by its name; never by a guess."""
    names = [label.casefold() for label in labels]
    if len(names) == 1:
        return 0
    if names == _UNNAMED:
        return 1
    for name in _POSITIVE:
        if name in names:
            return names.index(name)
    raise ModelError(
        f"{model}: none of its labels says yes: {', '.join(labels)}; name a model with one label, "
        f"or with one of {', '.join(_POSITIVE)} (id2label in its config.json)"
    )


def entity_source(items: Sequence[Item]) -> list[float | None]:
    """What the entity detector has to say: `esa_strict`."""
    return [score.value for score in EsaStrict().score(items)]
