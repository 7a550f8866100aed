"""The evidence behind `similarity`: models, shipped or a user's own, and the entity detector.

A source asks one of them about items; `Sources` gathers the `Members` of each item, and a `Blend`
of the calibration file makes one value of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.caches import MEGABYTE, Cache
from adequa.data import Item, Term
from adequa.errors import ModelError
from adequa.metrics.esa import EsaStrict
from adequa.settings import content_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adequa.metrics.nli import Templates
    from adequa.models import (
        HubEncoder,
        NamedText,
        RelationReader,
        SentenceReading,
        ShippedEncoder,
        Verifier,
        VerifierOutput,
    )

Cosines = Callable[[Sequence[Item]], Sequence[float]]
"""The similarity of each text and its graph, from -1 to 1."""
VerifierSource = Callable[[Sequence[Item]], "Sequence[VerifierOutput]"]
Shares = Callable[[Sequence[Item]], "Sequence[float | None]"]
"""A value from 0 to 1 for each item, or None."""
FactShares = Callable[[Sequence[Item]], "Sequence[Sequence[float | None]]"]
"""A value from 0 to 1 for each fact of each item, or None."""
ReadRelations = Callable[["Sequence[NamedText]"], "Sequence[Sequence[float | None]]"]
"""The relation reader's logit of each fact of each text, None where it does not read the fact."""
ReadRecords = Callable[["Sequence[NamedText]"], "Sequence[Sequence[SentenceReading]]"]

FLOOR = 1e-4
"""The least probability in a geometric mean, so that one sure fault does not outweigh the rest."""


@dataclass(frozen=True, slots=True)
class Members:
    """The evidence on one item, from 0 to 1 except for `bi`; None where there is none."""

    bi: float | None = None
    """The cosine of text and graph in the encoder's space."""
    stated: float | None = None
    """The probability that the text states the triples: the geometric mean over them."""
    weakest: float | None = None
    """The least of these probabilities."""
    facts: float | None = None
    """As `stated`, with the relation reader's answer on the facts that it reads."""
    weakest_fact: float | None = None
    """The least of these probabilities."""
    supported: float | None = None
    """The probability that the graph supports the text as a whole."""
    tokens: float | None = None
    """The probability that the graph supports the words: the geometric mean over them."""
    worst_word: float | None = None
    """The least of these probabilities."""
    rated: float | None = None
    """The rating that people would give: a linear layer on the verifier, fitted on ratings."""
    cross: float | None = None
    """The value of a user's cross-encoder, in place of the verifier's."""
    entities: float | None = None
    """The share of entities found, lowered by unexplained names: `esa_strict`."""
    fluent: float | None = None
    """The probability that the words are well formed: for `fluency`, not for `similarity`."""


_MEMBERS = {field.name for field in fields(Members)}


@contextmanager
def _reading(place: str, what: str) -> Iterator[None]:
    """Turn the errors of a wrong part of a calibration file into one that names the file."""
    try:
        yield
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ModelError(
            f"{place}: has no {what} ({error!r}); make it with adequa train blend"
        ) from None


@dataclass(frozen=True)
class RatingHead:
    """A linear layer on the verifier's state and evidence: a rating from 0 to 1."""

    state: tuple[float, ...]
    members: Mapping[str, float]
    offset: float

    @classmethod
    def read(cls, values: Mapping[str, Any], place: str) -> RatingHead:
        """A head of a calibration file; errors name `place`."""
        with _reading(place, "rating head of state, members and offset"):
            head = cls(
                tuple(map(float, values["state"])),
                {str(name): float(weight) for name, weight in values["members"].items()},
                float(values["offset"]),
            )
        numbers = (*head.state, *head.members.values(), head.offset)
        if not head.members.keys() <= _MEMBERS or not all(map(math.isfinite, numbers)):
            raise ModelError(
                f"{place}: its rating head has numbers that are not finite, or members other than "
                f"{', '.join(sorted(_MEMBERS))}"
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
    """The sources of the members; one that is None is not asked."""

    cosines: Cosines | None = None
    verifier: VerifierSource | None = None
    cross: Shares | None = None
    entities: Shares | None = None
    relations: FactShares | None = None
    rating: RatingHead | None = None

    def gather(self, items: Sequence[Item]) -> list[Members]:
        """The members of each item."""
        nothing: Sequence[Any] = [None] * len(items)
        columns = [
            nothing if source is None or not items else source(items)
            for source in (self.cosines, self.verifier, self.cross, self.entities, self.relations)
        ]
        return [
            self._members(output, relations, Members(bi=bi, cross=cross, entities=entities))
            for bi, output, cross, entities, relations in zip(*columns, strict=True)
        ]

    def _members(
        self,
        output: VerifierOutput | None,
        relations: Sequence[float | None] | None,
        others: Members,
    ) -> Members:
        if output is None:
            return others
        members = read_verifier_output(output, others, relations)
        if self.rating is None:
            return members
        return replace(members, rated=self.rating(output.state, members))


def read_verifier_output(
    output: VerifierOutput,
    others: Members | None = None,
    relations: Sequence[float | None] | None = None,
) -> Members:
    """The verifier's evidence on an item as numbers from 0 to 1, added to that of others.

    `relations` has the relation reader's answer on each fact, None where it has none.
    """

    def chances(logits: Iterable[float | None], sign: int = 1) -> list[float | None]:
        return [None if logit is None else probability(sign * logit) for logit in logits]

    stated, words = chances(output.stated), chances(output.unsupported, -1)
    facts = [
        own if read is None else read
        for own, read in zip(stated, relations or [None] * len(stated), strict=True)
    ]
    return replace(
        others or Members(),
        stated=geometric_mean(stated),
        weakest=_least(stated),
        facts=geometric_mean(facts),
        weakest_fact=_least(facts),
        supported=chances([output.supported])[0],
        tokens=geometric_mean(words),
        worst_word=_least(words),
        fluent=geometric_mean(chances(output.disfluent, -1)),
    )


def probability(logit: float) -> float:
    """The probability of a logit."""
    return 1 / (1 + math.exp(-logit)) if logit > 0 else math.exp(logit) / (1 + math.exp(logit))


def geometric_mean(values: Sequence[float | None]) -> float | None:
    """The geometric mean; None if there are no values, or one of them is None."""
    known = [max(value, FLOOR) for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return math.exp(sum(map(math.log, known)) / len(known))


def _least(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Member:
    """The part of one member: its z-score by mean and spread, times its weight."""

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
        """A blend of a calibration file; errors name `place`."""
        with _reading(place, "members with mean, spread and weight, slope and offset"):
            members = {
                name: Member(float(one["mean"]), float(one["spread"]), float(one["weight"]))
                for name, one in values["members"].items()
            }
            blend = cls(members, float(values["slope"]), float(values["offset"]))
        if not members or not members.keys() <= _MEMBERS:
            raise ModelError(
                f"{place}: its members are {', '.join(members) or 'none'}; there are "
                f"{', '.join(sorted(_MEMBERS))}"
            )
        blend.validate(place)
        return blend

    def validate(self, place: str) -> None:
        """Raise if a better text could get a lower value, or none."""
        members = self.members.values()
        numbers = (value for one in members for value in (one.mean, one.spread, one.weight))
        if (
            not all(map(math.isfinite, (self.slope, self.offset, *numbers)))
            or self.slope <= 0
            or any(member.spread <= 0 or member.weight < 0 for member in members)
            or not any(member.weight for member in members)
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
        return None if mean is None else probability(self.slope * mean + self.offset)


_POSITIVE = ("entailment", "entailed", "consistent", "supported", "positive", "yes", "true")
"""Names of the positive label, where a cross-encoder has several."""
_UNNAMED = ["label_0", "label_1"]
"""The names that transformers gives to two labels, no and yes, that have none."""


def has_words(text: str) -> bool:
    """Whether a text has anything a model reads: not only spaces, controls and lone accents."""
    from adequa.models.wordpiece import ACCENTS, DROPPED, SPACES

    return any(not (one in SPACES or one in DROPPED or one in ACCENTS) for one in text)


def weights_digest(name: str) -> str:
    """A hash of the weights' content; raises if there are no such weights."""
    from adequa.models import weights

    return weights(name).digest


def model_digest(model: str) -> str | None:
    """A hash of a model's files in a local folder; None for a model on the hub."""
    folder = Path(model)
    if not folder.is_dir():
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stamps = [(path, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return _hashed(folder.resolve(), tuple(stamps))


@lru_cache(maxsize=8)
def _hashed(folder: Path, _: tuple[object, ...]) -> str:
    """The hash of a folder, kept until its files change: reading a large model takes seconds."""
    return content_hash(folder)


def read_calibration(name: str, part: str) -> tuple[Any, str]:
    """A part of the calibration file of some weights, or None, and the path of the file."""
    from adequa.models import weights

    folder = weights(name)
    known = "calibration.json" in folder.manifest["files"]
    values = folder.values("calibration.json").get(part) if known else None
    return values, str(folder.folder / "calibration.json")


@lru_cache(maxsize=4)
def read_blends(name: str) -> Mapping[str, Blend] | None:
    """The blend of each part of `similarity` for some weights; None without a calibration."""
    from adequa.models import weights

    if "calibration.json" not in weights(name).manifest["files"]:
        return None
    blends, place = read_calibration(name, "similarity")
    if not isinstance(blends, dict):
        raise ModelError(f"{place}: has no part similarity; make it with adequa train blend")
    return {part: Blend.read(values, place) for part, values in blends.items()}


@lru_cache(maxsize=4)
def read_rating(name: str) -> RatingHead | None:
    """The rating head of some weights, if they have one."""
    values, place = read_calibration(name, "rating")
    return None if values is None else RatingHead.read(values, place)


def cosine_source(
    weights: str, threads: int, model: str | None = None, revision: str | None = None
) -> Cosines:
    """The cosines of text and graph, by the shipped encoder or a sentence-transformers model."""
    from adequa.models import HubEncoder, load_encoder

    encoder: ShippedEncoder | HubEncoder = (
        load_encoder(weights, threads=threads) if model is None else HubEncoder(model, revision)
    )

    def cosines(items: Sequence[Item]) -> list[float]:
        texts = encoder.encode([item.text for item in items])
        graphs = encoder.encode_graphs([(item.triples, item.terms) for item in items])
        return [float(value) for value in (texts * graphs).sum(axis=1)]

    return cosines


def verifier_source(
    weights: str, threads: int, templates: Templates | None = None
) -> VerifierSource:
    """The shipped verifier; without templates its outputs are cached for the next metric."""
    from adequa.metrics.nli.relevance import read_relevance
    from adequa.models import load_verifier

    verifier = load_verifier(weights, threads=threads)
    if templates is not None:
        return partial(verifier.verify, wording=templates.wording, relevance=read_relevance)
    return partial(_verify, verifier)


# `nli`, `similarity` and `fluency` of one run ask the verifier about the same items.
_outputs: Cache[VerifierOutput] = Cache(
    32 * MEGABYTE, size_of=lambda one: 5_000 + 300 * (len(one.offsets) + len(one.stated))
)


def _labels(terms: Mapping[str, Term]) -> list[tuple[str, str | None]]:
    """What a model reads of the terms, as part of a key."""
    return [(name, one.label) for name, one in terms.items()]


def _verify(verifier: Verifier, items: Sequence[Item]) -> list[VerifierOutput]:
    from adequa.metrics.nli.relevance import read_relevance

    keys = [(verifier, item.text, item.triples, *_labels(item.terms)) for item in items]
    found = {key: output for key in keys if (output := _outputs.get(key)) is not None}
    asked = {key: item for key, item in zip(keys, items, strict=True) if key not in found}
    read = verifier.verify(list(asked.values()), relevance=read_relevance)
    for key, output in zip(asked, read, strict=True):
        found[key] = _outputs.put(key, output)
    return [found[key] for key in keys]


def relation_source(weights: str, threads: int) -> ReadRelations | None:
    """The relation reader of some weights, or None; its answers are cached for the next metric."""
    from adequa.models import load_relation_reader

    reader = load_relation_reader(weights, threads=threads)
    return None if reader is None else partial(_read_relations, reader)


_relations: Cache[Sequence[float | None]] = Cache(
    16 * MEGABYTE, size_of=lambda one: 2_000 + 400 * len(one)
)


def _read_relations(
    reader: RelationReader, texts: Sequence[NamedText]
) -> list[Sequence[float | None]]:
    keys = [
        (reader, one.text, tuple(one.triples), tuple(one.names), *_labels(one.terms))
        for one in texts
    ]
    found = {key: logits for key in keys if (logits := _relations.get(key)) is not None}
    asked = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
    for key, logits in zip(asked, reader.read(list(asked.values())), strict=True):
        found[key] = _relations.put(key, logits)
    return [found[key] for key in keys]


def record_source(weights: str, threads: int) -> ReadRecords | None:
    """The record reader of some weights, or None where they have none."""
    from adequa.models import load_record_reader

    reader = load_record_reader(weights, threads=threads)
    return None if reader is None else reader.read


def fact_source(weights: str, threads: int) -> FactShares | None:
    """The relation reader's probability of each fact, by the calibration of the weights."""
    from adequa.metrics.nli.signs import read_signs, read_weighing
    from adequa.models import NamedText

    read, weigher = relation_source(weights, threads), read_weighing(weights).relation
    if read is None or weigher is None:
        return None

    def shares(items: Sequence[Item]) -> list[list[float | None]]:
        texts = [
            NamedText(item.text, item.triples, item.terms, read_signs(item).names(item))
            for item in items
        ]
        return [
            [None if one is None else probability(weigher(one)) for one in logits]
            for logits in read(texts)
        ]

    return shares


def pair_source(model: str, revision: str | None = None) -> Shares:
    """A cross-encoder of the user: the probability of its only label, or of the affirming one.

    It reads the graph as plain words, for it was not taught our markers.
    """
    from adequa.models import HubPairs
    from adequa.text import readable

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
    """The column of the positive label: the only one, or known by its name; never guessed."""
    names = [label.casefold() for label in labels]
    if len(names) == 1:
        return 0
    if names == _UNNAMED:
        return 1
    for name in _POSITIVE:
        if name in names:
            return names.index(name)
    raise ModelError(
        f"{model}: has no positive label: {', '.join(labels)}; name a model with one label, "
        f"or with one of {', '.join(_POSITIVE)} (id2label in its config.json)"
    )


def entity_source(items: Sequence[Item]) -> list[float | None]:
    """The entity detector's evidence: `esa_strict`."""
    return [score.value for score in EsaStrict().score(items)]
