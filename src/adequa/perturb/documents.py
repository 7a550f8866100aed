"""A text with its graph, its located names and its sentences, and one change of the two.

Every perturbation reads a `Document` and gives `Change`s; a change says what is written where, what
the graph is afterwards, and which facts and words became wrong. The doctor makes a changed item of
it, the training labels (`LabelledDocument`), the benchmarks cases to find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from adequa.data import Item, Mention, Triple
from adequa.entities import Detector
from adequa.fields import grouped
from adequa.text import Span, split_sentences

LONGEST, LARGEST = 20_000, 500
"""Characters and triples of an item up to which its names are located; they bound the time that one
item of a hostile input takes."""

_ANAPHORS = frozenset({"pronoun", "noun"})
_ARTICLE = re.compile(r"[Tt]he ")
_NAME = re.compile(r"[A-Z][\w.'’-]*(?:(?: (?:and|de|in|of|the))* [A-Z][\w.'’-]*)*(?<!['’]s)")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")

# Words


def stems(text: str) -> frozenset[str]:
    """The first letters of the longer words, so that "Italy" and "Italian" are the same name.

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
    plain = (found.replace(",", "").lstrip("0") for found in _NUMBER.findall(text))
    return stems(text) | {number.removesuffix(".0") or "0" for number in plain}


def share_words(one: str, known: frozenset[str]) -> bool:
    """Whether a string has one of these words, or no word at all to tell it by."""
    own = words(one)
    return not own or bool(own & known)


def is_name(written: str, entity: str) -> bool:
    """Whether a string is a name that consists of words of the entity.

    >>> is_name("Ostrik", "Port_of_Ostrik"), is_name("its harbour", "Harbour")
    (True, False)
    """
    return bool(_NAME.fullmatch(written)) and frozenset() < stems(written) <= stems(entity)


def values_of(item: Item) -> list[str]:
    """The subjects and objects of an item, with repetitions."""
    return [end for triple in item.triples for end in (triple.subject, triple.object)]


# Documents


@dataclass(frozen=True)
class Document:
    """An item with the places of its entities, and its sentences."""

    item: Item
    mentions: tuple[Mention, ...] = ()
    sentences: tuple[Span, ...] = ()
    facts: tuple[frozenset[Triple], ...] = ()
    """The triples that each sentence states, where people have marked them all; else empty."""

    @property
    def text(self) -> str:
        """The item's text."""
        return self.item.text

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The item's graph."""
        return self.item.triples

    @property
    def entry(self) -> str:
        """The id of the graph: the texts of one WebNLG entry have it in common."""
        item = self.item
        return item.id.rsplit("/", 1)[0] if item.system == "reference" else item.id

    @property
    def is_english(self) -> bool:
        """Whether the text may be English: where no language is given, it may."""
        lang = self.item.lang
        return lang is None or lang.lower().startswith("en")

    @cached_property
    def _of(self) -> dict[str, list[Mention]]:
        return grouped(self.mentions, lambda mention: mention.entity)

    @cached_property
    def places(self) -> dict[str, tuple[Span, ...]]:
        """The places where each entity is named by any words except pronouns and nouns."""
        return {
            entity: tuple((one.start, one.end) for one in named)
            for entity in self._of
            if (named := self.named(entity))
        }

    @cached_property
    def names(self) -> dict[str, tuple[Span, ...]]:
        """The entities that go by their proper name wherever they are named, and where."""
        return {
            entity: spans
            for entity, spans in self.places.items()
            if all(_is_named(self.text, span, entity) for span in spans)
        }

    def called(self, span: Span) -> str:
        """A name as it stands there, with a small article."""
        name = self.text[slice(*span)]
        return f"the {name[4:]}" if _ARTICLE.match(name) else name

    def fitted(self, span: Span, name: str) -> str:
        """A name as it would stand there: with a large article where a sentence begins."""
        starts = any(start == span[0] for start, _ in self.sentences)
        return f"The {name[4:]}" if starts and _ARTICLE.match(name) else name

    def named(self, entity: str) -> list[Mention]:
        """The mentions of an entity that are neither a pronoun nor a noun such as "the hotel"."""
        return [one for one in self.mentioned(entity) if one.method not in _ANAPHORS]

    def mentioned(self, entity: str) -> list[Mention]:
        """All mentions of an entity."""
        return self._of.get(entity, [])

    def spans(self, *entities: str) -> tuple[Span, ...]:
        """The places where entities are named."""
        return tuple(sorted({span for entity in entities for span in self.places.get(entity, ())}))

    def inside(self, start: int, end: int) -> list[Mention]:
        """The mentions that overlap a stretch of the text."""
        return [one for one in self.mentions if one.start < end and start < one.end]


def _is_named(text: str, span: Span, entity: str) -> bool:
    """Whether an entity goes by its name there, apart from an article."""
    article = _ARTICLE.match(text, *span)
    return is_name(text[article.end() if article else span[0] : span[1]], entity)


class MarkedText(NamedTuple):
    """The annotations of a text of the enriched corpus."""

    mentions: tuple[Mention, ...]
    facts: tuple[frozenset[Triple], ...] = ()
    """The triples of each sentence; empty where they are not marked."""


def read_marks(item: Item) -> MarkedText:
    """The marks in the `meta` of an item of the enriched corpus."""
    mentions = [
        Mention(one["entity"], one["start"], one["end"], _method(item.text, one))
        for one in item.meta.get("mentions", ())
        if one["entity"] and one["start"] is not None
    ]
    stated = item.meta.get("sortedtripleset", ())
    return MarkedText(tuple(mentions), tuple(frozenset(map(_triple, some)) for some in stated))


def _method(text: str, mention: Mapping[str, str | int]) -> str:
    """The corpus calls "the hotel" and "the Grand Hotel" both descriptions: words decide."""
    kind = str(mention.get("type", "name"))
    if kind == "name":
        return "name"
    written = text[int(mention["start"]) : int(mention["end"])]
    own = stems(str(mention["entity"])) & stems(written)
    return kind if own or kind == "pronoun" else "noun"


def _triple(written: str) -> Triple:
    """A triple as the enriched corpus writes it: `subject | predicate | object`."""
    subject, predicate, value = (part.strip() for part in written.split(" | ", 2))
    return Triple(subject, predicate, value)


def read_documents(
    items: Iterable[Item],
    *,
    mode: Literal["mentions", "adequacy"] = "mentions",
    marked: Mapping[str, MarkedText] | None = None,
    locate: bool = True,
    progress: Callable[[int], None] = lambda _done: None,
) -> Iterator[Document]:
    """The items with their names located: by people (`marked`, by text) or by the detector.

    An item without triples or text, or one beyond `LONGEST` and `LARGEST`, has no located names.
    Without `locate` no document has any, which is faster.
    """
    detector = Detector(mode=mode)
    for done, item in enumerate(items, 1):
        large = len(item.text) > LONGEST or len(item.triples) > LARGEST
        if large or not locate or not item.triples or not item.text.strip():
            yield Document(item)
        else:
            known = marked.get(item.text) if marked else None
            places = tuple(split_sentences(item.text))
            if known is not None and known.mentions:
                yield _as_marked(item, known, places)
            else:
                found = detector.detect(item).mentions
                mentions = tuple(one for one in found if one.end > one.start)
                yield Document(item, mentions, places)
        progress(done)


def _as_marked(item: Item, known: MarkedText, places: tuple[Span, ...]) -> Document:
    entities = {*values_of(item)}
    ours = (one for one in known.mentions if one.entity in entities)
    mentions = sorted(ours, key=lambda one: (one.start, one.end))
    aligned = len(known.facts) == len(places) and frozenset().union(*known.facts) == {*item.triples}
    return Document(item, tuple(mentions), places, known.facts if aligned else ())


def join_documents(one: Document, other: Document) -> Document:
    """Two documents as one; facts that both have are there once."""
    shift = len(one.text) + 1
    item = replace(
        one.item,
        triples=tuple(dict.fromkeys((*one.triples, *other.triples))),
        text=f"{one.text} {other.text}",
        terms={**other.item.terms, **one.item.terms},
    )
    moved = (replace(it, start=it.start + shift, end=it.end + shift) for it in other.mentions)
    places = ((start + shift, end + shift) for start, end in other.sentences)
    facts = one.facts + other.facts if one.facts and other.facts else ()
    return Document(item, (*one.mentions, *moved), (*one.sentences, *places), facts)


# Changes

TRUE, FALSE, UNKNOWN = 1, 0, -1
"""The labels of facts and words; what is not known teaches nothing."""


class Edit(NamedTuple):
    """A stretch of the text and its replacement."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Change:
    """One change of a text or of its graph, and which facts and words it made wrong.

    A change that makes nothing wrong has no facts, no spans and is still supported.
    """

    what: str
    """The change in words, for a reader."""
    edits: tuple[Edit, ...] = ()
    triples: tuple[Triple, ...] | None = None
    """The graph afterwards, where it changes."""
    facts: frozenset[Triple] = frozenset()
    """The facts that became wrong: a finding may name them, and the changed text does not state
    those of them that the changed graph has."""
    doubtful: frozenset[Triple] = frozenset()
    """Facts of which it is not known whether the changed text states them."""
    entities: frozenset[str] = frozenset()
    """The entities that a finding may name instead."""
    before: tuple[Span, ...] = ()
    """The place of the change in the original text."""
    after: tuple[Span, ...] = ()
    """The place of the change in the changed text: where a finding should point."""
    unsupported: tuple[Span, ...] = ()
    """Words of the changed text that its graph does not support."""
    unclear: tuple[Span, ...] = ()
    """Words of the changed text of which that is not known."""
    disfluent: tuple[Span, ...] = ()
    """Words of the changed text that are not fluent."""
    supported: int = FALSE
    """Whether the graph supports all that the changed text says."""

    def apply(self, item: Item) -> Item:
        """The changed item; terms of entities that its graph no longer has are left out."""
        changed, _ = rewrite(item.text, self.edits)
        if self.triples is None:
            return replace(item, text=changed)
        ends = {end for triple in self.triples for end in (triple.subject, triple.object)}
        terms = {name: term for name, term in item.terms.items() if name in ends}
        changed_item = replace(item, text=changed, triples=self.triples, terms=terms)
        if not item.paths:
            return changed_item
        # The record no longer has these facts; the pointers still tell which belong together.
        return replace(changed_item, record=None, paths=_moved_paths(item, self.triples))


def _moved_paths(item: Item, triples: Iterable[Triple]) -> tuple[str, ...]:
    """The pointers of a changed graph: a replaced triple keeps its own, a new one has its field."""
    left = grouped(zip(item.triples, item.paths, strict=True), lambda pair: pair[0])
    kept = [left[triple].pop(0)[1] if left.get(triple) else None for triple in triples]
    gone = [path for pairs in left.values() for _, path in pairs]
    return tuple(
        path or (gone.pop(0) if gone else f"/{triple.predicate}")
        for triple, path in zip(triples, kept, strict=True)
    )


def rewrite(text: str, edits: Collection[Edit]) -> tuple[str, tuple[Span, ...]]:
    """The text with stretches replaced, and where the new words stand.

    >>> rewrite("a b c", [Edit(4, 5, "long"), Edit(0, 1, "")])
    (' b long', ((0, 0), (3, 7)))
    """
    parts: list[str] = []
    spans: list[Span] = []
    place = length = 0
    for start, end, new in sorted(edits):
        parts += [text[place:start], new]
        length += start - place + len(new)
        spans.append((length - len(new), length))
        place = end
    return "".join([*parts, text[place:]]), tuple(spans)


# Labels


@dataclass
class LabelledSpan:
    """A stretch of the text; `entity` is the entity it names, if any."""

    start: int
    end: int
    entity: str | None = None


def is_inside(start: int, end: int, spans: Iterable[LabelledSpan]) -> bool:
    """Whether a stretch of the text overlaps one of some spans."""
    return any(one.start < end and start < one.end for one in spans)


@dataclass
class LabelledDocument:
    """A text and its graph with labels: which triples it states, which words are wrong.

    It is changed in place, step by step; its spans move along with the text.
    """

    text: str
    triples: list[Triple]
    stated: list[int]
    spans: list[LabelledSpan]
    unsupported: list[LabelledSpan] = field(default_factory=list)
    unclear: list[LabelledSpan] = field(default_factory=list)
    """Where it is not known whether the graph supports the words."""
    disfluent: list[LabelledSpan] = field(default_factory=list)
    supported: int = TRUE
    gone: set[Triple] = field(default_factory=set)
    """Triples that the text states and the graph has lost."""

    @classmethod
    def of(cls, document: Document) -> LabelledDocument:
        """A document as people wrote it: everything stated, everything supported."""
        return cls(
            document.text,
            list(document.triples),
            [TRUE] * len(document.triples),
            [LabelledSpan(one.start, one.end, one.entity) for one in document.mentions],
        )

    def places(self) -> list[LabelledSpan]:
        """All spans that move when the text changes."""
        return [*self.spans, *self.unsupported, *self.unclear, *self.disfluent]

    def entities(self) -> set[str]:
        """The subjects and objects of the graph as it is now."""
        return {end for triple in self.triples for end in (triple.subject, triple.object)}

    def write(self, start: int, end: int, new: str) -> LabelledSpan:
        """Replace a stretch; spans inside it are dropped, the others move along."""
        shift = len(new) - (end - start)
        self.text = self.text[:start] + new + self.text[end:]
        for kept in (self.spans, self.unsupported, self.unclear, self.disfluent):
            kept[:] = [place for place in kept if not start <= place.start < place.end <= end]
        for place in self.places():
            if place.start >= end:
                place.start, place.end = place.start + shift, place.end + shift
            elif place.end > start:  # it overlaps what was there
                place.end = place.end + shift if place.end >= end else start
                place.start = start + len(new) if place.start > start else place.start
        return LabelledSpan(start, start + len(new))

    def apply(self, change: Change) -> None:
        """Make a change of the document that this one was made of, and note its labels."""
        for start, end, new in sorted(change.edits, reverse=True):
            self.write(start, end, new)  # the last first: the places of the others stay
        if change.triples is not None:
            known = dict(zip(self.triples, self.stated, strict=True))
            self.gone |= known.keys() - {*change.triples}
            self.triples = list(change.triples)
            self.stated = [known.get(triple, FALSE) for triple in self.triples]
        for number, triple in enumerate(self.triples):
            if triple in change.doubtful and self.stated[number] == TRUE:
                self.stated[number] = UNKNOWN
            elif triple in change.facts:
                self.stated[number] = FALSE
        self.unsupported += _labelled(change.unsupported)
        self.unclear += _labelled(change.unclear)
        self.disfluent += _labelled(change.disfluent)
        if change.supported != TRUE:
            self.supported = change.supported


def _labelled(spans: Sequence[Span]) -> list[LabelledSpan]:
    return [LabelledSpan(start, end) for start, end in spans if start < end]
