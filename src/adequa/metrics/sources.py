"""The models behind `similarity`: shipped ones, a user's own, and the entity detector."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.data import Item
from adequa.errors import ModelError
from adequa.metrics.esa import EsaStrict
from adequa.settings import content_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adequa.metrics.nli.templates import Templates
    from adequa.models.encoder import ShippedEncoder
    from adequa.models.hub import HubEncoder
    from adequa.models.verifier import Verifier, VerifierOutput

# ---
# What a similarity is made of: the evidence of each model and of the entities, item by item.
# ---

Cosines = Callable[[Sequence[Item]], Sequence[float]]
"""How near each text is to its graph, from -1 to 1."""
VerifierSource = Callable[[Sequence[Item]], "Sequence[VerifierOutput]"]
Shares = Callable[[Sequence[Item]], "Sequence[float | None]"]
"""A value from 0 to 1 for each item, or None."""

_FLOOR = 1e-4
"""The least probability that is told from none: one sure fault must not outweigh all else."""


@dataclass(frozen=True, slots=True)
class Members:
    """The evidence on one item, each from 0 to 1 but `bi`; None where it could not be had."""

    bi: float | None = None
    """The cosine of text and graph in the encoder's space."""
    stated: float | None = None
    """How surely the text states the triples: the geometric mean over them."""
    weakest: float | None = None
    """How surely the text states the triple it states least."""
    supported: float | None = None
    """How surely the graph supports the text: the verifier on the pair as a whole."""
    tokens: float | None = None
    """How surely the graph supports each word: the geometric mean over the text."""
    worst_word: float | None = None
    """How surely the graph supports the word it supports least."""
    rated: float | None = None
    """What people would say of it: a linear layer on the verifier, fitted on their ratings."""
    cross: float | None = None
    """What a cross-encoder of the user's says, in place of all the verifier's."""
    entities: float | None = None
    """The share of entities found, lowered by unexplained names: `esa_strict`."""
    fluent: float | None = None
    """How surely each word is well formed: no part of the similarity, a metric of its own."""


@dataclass(frozen=True)
class RatingHead:
    """A linear layer on the verifier's state and evidence: a rating from 0 to 1."""

    state: tuple[float, ...]
    members: Mapping[str, float]
    offset: float

    @classmethod
    def read(cls, values: Mapping[str, Any], place: str) -> RatingHead:
        """A head of a calibration file; `place` is what an error names."""
        try:
            head = cls(
                tuple(map(float, values["state"])),
                {str(name): float(weight) for name, weight in values["members"].items()},
                float(values["offset"]),
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise ModelError(
                f"{place}: has no rating head of state, members and offset ({error!r}); make it "
                "with adequa train blend"
            ) from None
        known = {field.name for field in fields(Members)}
        if not head.members.keys() <= known or not all(
            map(math.isfinite, (*head.state, *head.members.values(), head.offset))
        ):
            raise ModelError(
                f"{place}: its rating head has numbers that are not finite, or members other than "
                f"{', '.join(sorted(known))}"
            )
        return head

    def __call__(self, state: NDArray[np.float32], members: Members) -> float | None:
        """The rating; None where a member is missing."""
        import numpy as np

        if len(state) != len(self.state):
            raise ModelError(
                f"a rating head for states of {len(self.state)} numbers, not {len(state)}: its "
                "calibration belongs to another verifier"
            )
        total = self.offset + float(np.dot(state.astype(float), self.state))
        for name, weight in self.members.items():
            value = getattr(members, name)
            if value is None:
                return None
            total += weight * value
        return min(1.0, max(0.0, total))


@dataclass(frozen=True)
class Sources:
    """Where the members come from; what is None is not asked."""

    cosines: Cosines | None = None
    verifier: VerifierSource | None = None
    cross: Shares | None = None
    entities: Shares | None = None
    rating: RatingHead | None = None

    def gather(self, items: Sequence[Item]) -> list[Members]:
        """The members of each item."""
        nothing: Sequence[Any] = [None] * len(items)
        columns = [
            nothing if source is None or not items else source(items)
            for source in (self.cosines, self.verifier, self.cross, self.entities)
        ]
        return [
            self._members(output, Members(bi=bi, cross=cross, entities=entities))
            for bi, output, cross, entities in zip(*columns, strict=True)
        ]

    def _members(self, output: VerifierOutput | None, others: Members) -> Members:
        if output is None:
            return others
        members = read_verifier_output(output, others)
        if self.rating is None:
            return members
        return replace(members, rated=self.rating(output.state, members))


def read_verifier_output(output: VerifierOutput, others: Members | None = None) -> Members:
    """What the verifier says of an item, in numbers from 0 to 1, beside what others say."""
    stated = [_likely(logit) for logit in output.stated]
    words = [_likely(logit, -1) for logit in output.unsupported]
    return replace(
        others or Members(),
        stated=_mean(stated),
        weakest=_least(stated),
        supported=_likely(output.supported),
        tokens=_mean(words),
        worst_word=_least(words),
        fluent=_mean([_likely(logit, -1) for logit in output.disfluent]),
    )


def _likely(logit: float | None, sign: int = 1) -> float | None:
    """The probability of a logit, or of its contrary."""
    if logit is None:
        return None
    value = sign * logit
    return 1 / (1 + math.exp(-value)) if value > 0 else math.exp(value) / (1 + math.exp(value))


def _mean(values: Sequence[float | None]) -> float | None:
    """The geometric mean of what is known, or None where anything is not."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return math.exp(sum(math.log(max(value, _FLOOR)) for value in known) / len(known))


def _least(values: Sequence[float | None]) -> float | None:
    """The least of the values, or None where one is not known."""
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Member:
    """How a member enters: less its mean, in units of its spread, times its weight."""

    mean: float
    spread: float
    weight: float

    def __call__(self, value: float) -> float:
        """Its part of the sum."""
        return self.weight * (value - self.mean) / self.spread


@dataclass(frozen=True)
class Blend:
    """The members as one number from 0 to 1: a weighted mean of their z-scores, calibrated."""

    members: Mapping[str, Member]
    slope: float
    offset: float

    @classmethod
    def read(cls, values: Mapping[str, Any], place: str) -> Blend:
        """A blend of a calibration file; `place` is what an error names."""
        known = {field.name for field in fields(Members)}
        try:
            members = {
                name: Member(float(one["mean"]), float(one["spread"]), float(one["weight"]))
                for name, one in values["members"].items()
            }
            blend = cls(members, float(values["slope"]), float(values["offset"]))
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise ModelError(
                f"{place}: has no members with mean, spread and weight, slope and offset "
                f"({error!r}); make it with adequa train blend"
            ) from None
        if not members or not members.keys() <= known:
            raise ModelError(
                f"{place}: its members are {', '.join(members) or 'none'}; there are "
                f"{', '.join(sorted(known))}"
            )
        blend.validate(place)
        return blend

    def validate(self, place: str) -> None:
        """Raise where a better text could get a lower value, or none."""
        numbers = [self.slope, self.offset]
        for member in self.members.values():
            numbers += [member.mean, member.spread, member.weight]
        if (
            not all(map(math.isfinite, numbers))
            or self.slope <= 0
            or any(member.spread <= 0 or member.weight < 0 for member in self.members.values())
            or not any(member.weight for member in self.members.values())
        ):
            raise ModelError(
                f"{place}: slope and spreads must be above 0, weights not below, and all of them "
                "finite; make it with adequa train blend"
            )

    def mean(self, members: Members) -> float | None:
        """The weighted mean of the z-scores; None where a member is missing."""
        total = weights = 0.0
        for name, member in self.members.items():
            value = getattr(members, name)
            if value is None:
                return None
            total += member(value)
            weights += member.weight
        return total / weights

    def __call__(self, members: Members) -> float | None:
        """The calibrated value."""
        mean = self.mean(members)
        return None if mean is None else _likely(self.slope * mean + self.offset)


_POSITIVE = ("entailment", "entailed", "consistent", "supported", "positive", "yes", "true")
"""What the label that counts is called, where a cross-encoder has several."""
_MOST_REMEMBERED = 2048
_UNNAMED = ["label_0", "label_1"]
"""No and yes, as transformers calls two labels that nobody named."""


def has_words(text: str) -> bool:
    """Whether a model reads anything of a text: blanks, controls and lone accents are nothing."""
    from adequa.models.wordpiece import ACCENTS, DROPPED, SPACES

    return any(not (one in SPACES or one in DROPPED or one in ACCENTS) for one in text)


def require_weights(name: str) -> None:
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
) -> ShippedEncoder | HubEncoder:
    if model is None:
        from adequa.models.encoder import load_encoder

        return load_encoder(weights, threads=threads)
    from adequa.models.hub import HubEncoder

    return HubEncoder(model, revision)


def verifier_source(
    weights: str, threads: int, templates: Templates | None = None
) -> VerifierSource:
    """The shipped verifier; what one metric of a run has asked it, the next is told again."""
    from adequa.models.verifier import load_verifier

    verifier = load_verifier(weights, threads=threads)
    if templates is not None:
        return partial(verifier.verify, wording=templates.wording)
    return _remembering(verifier)


@lru_cache(maxsize=4)
def _remembering(verifier: Verifier) -> VerifierSource:
    known: dict[object, VerifierOutput] = {}

    def verify(items: Sequence[Item]) -> list[VerifierOutput]:
        keys = [_key(item) for item in items]
        asked = {key: item for key, item in zip(keys, items, strict=True) if key not in known}
        found = {key: known[key] for key in keys if key in known}
        found.update(zip(asked, verifier.verify(list(asked.values())), strict=True))
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        known.update(found)
        return [found[key] for key in keys]

    return verify


def _key(item: Item) -> object:
    """What the verifier reads of an item."""
    return item.text, item.triples, tuple((name, term.label) for name, term in item.terms.items())


def pair_source(model: str, revision: str | None = None) -> Shares:
    """A cross-encoder of the user: the probability of its only label, or of the affirming one.

    It reads the graph as plain words, for it was not taught our markers.
    """
    from adequa.models.hub import HubPairs
    from adequa.text.labels import readable

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
