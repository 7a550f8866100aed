"""An item as the doctor reads it before changing it: who is named where, in which sentence."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from adequa.data import Finding, FindingKind, Item, Mention, Triple
from adequa.entities.detector import Detector
from adequa.text import Span, label_of, split_sentences

LONGEST, LARGEST = 20_000, 500
"""Characters and triples of an item that the doctor changes; beyond, it is left alone."""

_ANAPHORS = frozenset({"pronoun", "noun"})
_ARTICLE = re.compile(r"[Tt]he ")
_NAME = re.compile(r"[A-Z][\w.'’-]*(?:(?: (?:and|de|in|of|the))* [A-Z][\w.'’-]*)*(?<!['’]s)")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
Place = tuple[str, str]
"""A predicate, and the side of it: `subject` or `object`."""


def stems(text: str) -> frozenset[str]:
    """The first letters of the longer words: "Italy" and "Italian" are no different names.

    >>> sorted(stems("the_Italian Job, 2003"))
    ['ital', 'job']
    """
    found = {word[:4] for word in re.findall(r"[^\W\d_]{3,}", text.lower())}
    return frozenset(found - {"the", "and"})


def words(text: str) -> frozenset[str]:
    """The stems of a text, and its numbers without commas and needless zeros.

    >>> sorted(words("2,500.0 Inns"))
    ['2500', 'inns']
    """
    numbers = {
        found.replace(",", "").lstrip("0").removesuffix(".0") or "0"
        for found in _NUMBER.findall(text)
    }
    return stems(text) | numbers


def share_words(one: str, known: frozenset[str]) -> bool:
    """Whether a string could speak of what has these words; also where it has none itself."""
    own = words(one)
    return not own or bool(own & known)


def values_of(item: Item) -> list[str]:
    """The subjects and objects of an item, with repetitions."""
    return [end for triple in item.triples for end in (triple.subject, triple.object)]


@dataclass(frozen=True)
class ItemReading:
    """An item with the places of its entities, and its sentences."""

    item: Item
    mentions: tuple[Mention, ...]
    sentences: tuple[Span, ...] = ()

    @cached_property
    def _of(self) -> dict[str, list[Mention]]:
        found: dict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            found[mention.entity].append(mention)
        return found

    @cached_property
    def names(self) -> dict[str, tuple[Span, ...]]:
        """The entities that are called by their name wherever they are not "it", and where."""
        found = {}
        for entity in self._of:
            spoken = self.spoken(entity)
            if spoken and all(_is_named(self.item.text, mention) for mention in spoken):
                found[entity] = tuple((mention.start, mention.end) for mention in spoken)
        return found

    def called(self, span: Span) -> str:
        """A name as it stands there, its article small."""
        name = self.item.text[slice(*span)]
        return f"the {name[4:]}" if _ARTICLE.match(name) else name

    def fitted(self, span: Span, name: str) -> str:
        """A name as it would stand there: with a large article where a sentence begins."""
        starts = any(start == span[0] for start, _ in self.sentences)
        return f"The {name[4:]}" if starts and _ARTICLE.match(name) else name

    def spoken(self, entity: str) -> list[Mention]:
        """Where an entity stands with words of its own: no pronoun, no "the hotel"."""
        return [one for one in self.anywhere(entity) if one.method not in _ANAPHORS]

    def anywhere(self, entity: str) -> list[Mention]:
        """Where an entity stands, by whatever word."""
        return self._of.get(entity, [])

    def spans(self, *entities: str) -> tuple[Span, ...]:
        """Where entities stand with words of their own."""
        found = {(one.start, one.end) for entity in entities for one in self.spoken(entity)}
        return tuple(sorted(found))


def _is_named(text: str, mention: Mention) -> bool:
    """Whether a mention is a name, but for its article."""
    article = _ARTICLE.match(text, mention.start, mention.end)
    start = article.end() if article else mention.start
    return is_name(text[start : mention.end], mention.entity)


def is_name(written: str, entity: str) -> bool:
    """Whether what is written is a name, and of words that the entity's string has.

    >>> is_name("Ostrik", "Port_of_Ostrik"), is_name("its harbour", "Harbour")
    (True, False)
    """
    return bool(_NAME.fullmatch(written)) and frozenset() < stems(written) <= stems(entity)


class NameEntry(NamedTuple):
    """An entity, and a name it has in a text."""

    entity: str
    name: str


class NamePool:
    """The names that the texts of each category use, by the entity's places in the triples."""

    def __init__(self, named: Iterable[tuple[Item, Iterable[NameEntry]]]) -> None:
        self._own: dict[str | None, dict[NameEntry, None]] = defaultdict(dict)
        self._placed: dict[tuple[str | None, Place], dict[NameEntry, None]] = defaultdict(dict)
        self._stems: dict[NameEntry, frozenset[str]] = {}
        for item, entries in named:
            for entry in entries:
                self._own[item.category][entry] = None
                self._stems.setdefault(entry, stems(" ".join(entry)))
                for place in _places(item, entry.entity):
                    self._placed[item.category, place][entry] = None

    def others(self, item: Item, entity: str) -> Iterator[list[str]]:
        """Names of entities that the item does not have: of the same places, then any."""
        alike = [
            entry
            for place in _places(item, entity)
            for entry in self._placed.get((item.category, place), ())
        ]
        taken = stems(" ".join([*values_of(item), item.text]))
        short = {_initials(value) for value in values_of(item)}
        for entries in (alike, list(self._own.get(item.category, ()))):
            yield [
                entry.name
                for entry in dict.fromkeys(entries)
                if not (self._stems[entry] & taken or _squeezed(entry.name) in short)
            ]


def _places(item: Item, entity: str) -> list[Place]:
    found = [(triple.predicate, "subject") for triple in item.triples if triple.subject == entity]
    found += [(triple.predicate, "object") for triple in item.triples if triple.object == entity]
    return list(dict.fromkeys(found))


def _initials(value: str) -> str:
    return "".join(word[0] for word in re.findall(r"[^\W_]+", value.lower()))


def _squeezed(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


class Statement(NamedTuple):
    """A sentence that says a fact by the names of both its ends."""

    sentence: str
    entities: str
    """The names of all that the sentence names, for a look at their words."""


@dataclass(frozen=True)
class PerturbationSource:
    """What the items hold as a whole, and so what a change may be taken from.

    The readings must be in an order of their own (by system and id), or cases depend on the file's.
    """

    readings: Sequence[ItemReading]
    names: NamePool = field(init=False)
    triples: frozenset[Triple] = field(init=False)
    sayings: dict[str | None, list[Statement]] = field(init=False)
    beside: dict[str, list[Triple]] = field(init=False)
    """By predicate the triples of entities that have it: what could be said of its subject, too."""

    def __post_init__(self) -> None:
        named = (
            (
                reading.item,
                [
                    NameEntry(entity, reading.called(span))
                    for entity, spans in reading.names.items()
                    for span in spans
                ],
            )
            for reading in self.readings
        )
        triples = list(dict.fromkeys(one for own in self.readings for one in own.item.triples))
        sayings: dict[str | None, dict[Statement, None]] = defaultdict(dict)
        for reading in self.readings:
            saying = _saying(reading)
            if saying:
                sayings[reading.item.category][saying] = None
        object.__setattr__(self, "names", NamePool(named))
        object.__setattr__(self, "triples", frozenset(triples))
        object.__setattr__(self, "sayings", {key: list(own) for key, own in sayings.items()})
        object.__setattr__(self, "beside", _beside(triples))


_MOST_BESIDE = 50
_LONGEST_SAYING = 300


def _saying(reading: ItemReading) -> Statement | None:
    """The first sentence, if it says a fact by name: no other can be taken out of its text."""
    item = reading.item
    if not reading.sentences:
        return None
    start, end = reading.sentences[0]
    sentence = item.text[start:end]
    here = {
        entity for entity, spans in reading.names.items() if any(one[1] <= end for one in spans)
    }
    says = any({one.subject, one.object} <= here for one in item.triples)
    if not says or len(sentence) > _LONGEST_SAYING or sentence[-1] not in ".!":
        return None
    near = {one.entity for one in reading.mentions if one.start < end}
    return Statement(sentence, " ".join(label_of(entity).base for entity in sorted(near)))


def _beside(triples: Iterable[Triple]) -> dict[str, list[Triple]]:
    by_subject: dict[str, list[Triple]] = defaultdict(list)
    for triple in triples:
        if len(by_subject[triple.subject]) < _MOST_BESIDE:  # a hub says no more with thousands
            by_subject[triple.subject].append(triple)
    found: dict[str, dict[Triple, None]] = defaultdict(dict)
    for own in by_subject.values():
        for predicate in dict.fromkeys(triple.predicate for triple in own):
            found[predicate].update(dict.fromkeys(own))
    return {predicate: list(own) for predicate, own in found.items()}


def read_items(items: Iterable[Item]) -> Iterator[ItemReading]:
    """What the doctor needs of each item; of a text without end it takes nothing."""
    detector = Detector(mode="mentions")
    for item in items:
        vast = len(item.text) > LONGEST or len(item.triples) > LARGEST
        if vast or not item.triples or not item.text.strip():
            yield ItemReading(item, ())
            continue
        mentions = tuple(one for one in detector.detect(item).mentions if one.end > one.start)
        yield ItemReading(item, mentions, tuple(split_sentences(item.text)))


# ---
# What the doctor does to an item, and where a finding should then point.
# ---

Side = Literal["text", "data"]
BOTH_KINDS: frozenset[FindingKind] = frozenset({"omission", "hallucination"})
"""A fact said wrongly is a fact not said, and something said that the data does not."""


@dataclass(frozen=True, slots=True)
class PerturbedCase:
    """An item with one thing wrong that was not wrong before, on the side of its text or data."""

    original: Item
    changed: Item
    what: str
    """The change in words."""
    before: tuple[Span, ...] = ()
    """What of the original's text the change is about."""
    after: tuple[Span, ...] = ()
    """The same in the changed text: where a finding should point."""
    triples: frozenset[Triple] = frozenset()
    """The facts that a finding may name instead."""
    entities: frozenset[str] = frozenset()
    """The entities that a finding may name instead."""

    def points_at(self, finding: Finding, *, original: bool = False) -> bool:
        """Whether a finding on the changed item, or on the original one, is about the place."""
        if finding.triple in self.triples or finding.entity in self.entities:
            return True
        start, end = finding.start, finding.end
        if start is None or end is None:
            return False
        spans = self.before if original else self.after
        return any(start < last and first < end for first, last in spans)


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to spoil an item; `make` gives every honest case it finds in one."""

    name: str
    side: Side
    doc: str
    kinds: frozenset[FindingKind]
    """The faults that a verdict may give it."""
    failing: str
    """What a metric fails to see, in words: `inverted arguments`."""
    make: Callable[[ItemReading, PerturbationSource, random.Random], list[PerturbedCase]] = field(
        repr=False
    )


_MOST_TRIPLES = 20


def few_places(item: Item, generator: random.Random) -> list[int]:
    """The places of the triples to try, in order: all, or some where there are very many."""
    count = len(item.triples)
    return sorted(generator.sample(range(count), min(count, _MOST_TRIPLES)))


def rewritten(
    item: Item, changes: Collection[tuple[int, int, str]]
) -> tuple[Item, tuple[Span, ...]]:
    """The item with stretches of its text replaced, and where what is new stands."""
    parts: list[str] = []
    spans: list[Span] = []
    place = length = 0
    for start, end, new in sorted(changes):
        parts += [item.text[place:start], new]
        length += start - place + len(new)
        spans.append((length - len(new), length))
        place = end
    text = "".join([*parts, item.text[place:]])
    return replace(item, text=text), tuple(spans)


def with_triples(item: Item, triples: Collection[Triple]) -> Item:
    """The item with other data; what is known of entities that it no longer has goes as well."""
    ends = {end for triple in triples for end in (triple.subject, triple.object)}
    terms = {name: term for name, term in item.terms.items() if name in ends}
    return replace(item, triples=tuple(triples), terms=terms)
