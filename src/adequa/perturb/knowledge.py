"""The knowledge of a corpus: the names, facts, sentences and wordings of its documents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.metrics.nli import OBJECT, SUBJECT, Template
from adequa.perturb.documents import Document, stems, values_of
from adequa.text import label_of

Graph = tuple[Triple, ...]
Place = tuple[str, str]
"""A predicate, and the side of it: `subject` or `object`."""
Phrases = Mapping[str, Sequence[Template]]

# The bounds below keep a hub entity or a text without full stops from dominating; there is no
# record of the data they were chosen on.
_MOST_BESIDE = 50
_LONGEST_STATEMENT = 300
_LONGEST_PHRASE = 70
"""Letters of a sentence, without its names, up to which it is taken to state a single fact."""
_SHORTEST_MIDDLE = 4
_TRIES = 8
_ENDS = re.compile(f"({SUBJECT}|{OBJECT})")


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
        placed = (self._placed.get((item.category, one), ()) for one in _places(item, entity))
        alike = [entry for entries in placed for entry in entries]
        taken = stems(" ".join([*values_of(item), item.text]))
        short = {_initials(value) for value in values_of(item)}
        for entries in (alike, list(self._own.get(item.category, ()))):
            yield [
                entry.name
                for entry in dict.fromkeys(entries)
                if not (self._stems[entry] & taken or _squeezed(entry.name) in short)
            ]


def _named(document: Document) -> Iterator[NameEntry]:
    for entity, spans in document.names.items():
        yield from (NameEntry(entity, document.called(span)) for span in spans)


def _places(item: Item, entity: str) -> list[Place]:
    found = [(triple.predicate, "subject") for triple in item.triples if triple.subject == entity]
    found += [(triple.predicate, "object") for triple in item.triples if triple.object == entity]
    return list(dict.fromkeys(found))


def _initials(value: str) -> str:
    return "".join(word[0] for word in re.findall(r"[^\W_]+", value.lower()))


def _squeezed(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


class Statement(NamedTuple):
    """A sentence that states a fact by the names of both its ends."""

    sentence: str
    entities: str
    """The labels of all entities that the sentence mentions."""


@dataclass(frozen=True)
class Knowledge:
    """A corpus as a source of changes; each table is built when it is first asked for.

    The order of the documents decides which cases are drawn, so give them in an order that does
    not depend on the file (by system and id) where cases must not.
    """

    graphs: Sequence[Graph]
    documents: Sequence[Document] = ()

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Knowledge:
        """The knowledge of documents and their graphs."""
        return cls([document.triples for document in documents], documents)

    @cached_property
    def triples(self) -> list[Triple]:
        """All triples, each once."""
        return list(dict.fromkeys(triple for graph in self.graphs for triple in graph))

    @cached_property
    def fillers(self) -> dict[tuple[str, bool], list[str]]:
        """The entities seen as subject (True) or object of a predicate: roughly one type."""
        found: dict[tuple[str, bool], dict[str, None]] = defaultdict(dict)
        for triple in self.triples:
            found[triple.predicate, True][triple.subject] = None
            found[triple.predicate, False][triple.object] = None
        return {key: list(names) for key, names in found.items()}

    @cached_property
    def known(self) -> dict[str, list[Triple]]:
        """The triples of an entity, as subject or object."""
        found: dict[str, dict[Triple, None]] = defaultdict(dict)
        for triple in self.triples:
            found[triple.subject][triple] = None
            found[triple.object][triple] = None
        return {entity: list(triples) for entity, triples in found.items()}

    @cached_property
    def between(self) -> dict[tuple[str, str], set[str]]:
        """The predicates seen between two entities, in this direction."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for triple in self.triples:
            found[triple.subject, triple.object].add(triple.predicate)
        return dict(found)

    @cached_property
    def predicates(self) -> dict[str, list[str]]:
        """For each predicate those that share a subject with it somewhere, and so its kind.

        Predicates seen between the same two entities may mean the same and are left out.
        """
        alike: dict[str, set[str]] = defaultdict(set)
        for names in self.between.values():
            for name in names:
                alike[name] |= names
        of_subject: dict[str, dict[str, None]] = defaultdict(dict)
        for triple in self.triples:
            of_subject[triple.subject][triple.predicate] = None
        neighbours: dict[str, dict[str, None]] = defaultdict(dict)
        for shared in of_subject.values():
            for name in shared:
                neighbours[name].update(shared)
        return {
            name: [other for other in others if other not in alike[name]]
            for name, others in neighbours.items()
        }

    @cached_property
    def beside(self) -> dict[str, list[Triple]]:
        """By predicate the triples of entities that have it: facts its subjects might have too."""
        by_subject: dict[str, list[Triple]] = defaultdict(list)
        for triple in self.triples:
            if len(by_subject[triple.subject]) < _MOST_BESIDE:
                by_subject[triple.subject].append(triple)
        found: dict[str, dict[Triple, None]] = defaultdict(dict)
        for own in by_subject.values():
            for predicate in dict.fromkeys(triple.predicate for triple in own):
                found[predicate].update(dict.fromkeys(own))
        return {predicate: list(own) for predicate, own in found.items()}

    @cached_property
    def names(self) -> NamePool:
        """The names of the documents."""
        return NamePool((document.item, _named(document)) for document in self.documents)

    @cached_property
    def statements(self) -> dict[str | None, list[Statement]]:
        """By category the sentences that state a fact and can stand in another text."""
        found: dict[str | None, dict[Statement, None]] = defaultdict(dict)
        for document in self.documents:
            if statement := _statement(document):
                found[document.item.category][statement] = None
        return {category: list(own) for category, own in found.items()}

    @cached_property
    def phrases(self) -> dict[str, list[Template]]:
        """Sentences that state one triple, by predicate, with places for its two ends."""
        return phrases_of(self.documents)

    @cached_property
    def middles(self) -> Mapping[tuple[str, bool], Sequence[str]]:
        """The words between the two ends of a predicate, subject first (True) or object first."""
        return middles_of(self.phrases)

    def holds(self, triple: Triple) -> bool:
        """Whether the corpus has the triple."""
        return triple.predicate in self.between.get((triple.subject, triple.object), ())

    def another(self, predicate: str, *, subject: bool, instead: str, chance: Random) -> str | None:
        """An entity of the same type as `instead`, with another label."""
        pool = self.fillers.get((predicate, subject), [])
        return _pick(pool, lambda name: not same_label(name, instead), chance)

    def other_predicate(self, triple: Triple, chance: Random) -> str | None:
        """A predicate that could stand in the triple and means something else."""
        taken = self.between.get((triple.subject, triple.object), ())
        pool = self.predicates.get(triple.predicate, [])
        return _pick(pool, lambda name: name not in taken, chance)


def same_label(one: str, other: str) -> bool:
    """Whether a reader would take two strings for one name."""
    return label_of(one).base.casefold() == label_of(other).base.casefold()


def _pick(pool: Sequence[str], fits: Callable[[str], bool], chance: Random) -> str | None:
    for _ in range(_TRIES if pool else 0):
        name = chance.choice(pool)
        if fits(name):
            return name
    return None


def _statement(document: Document) -> Statement | None:
    """The first sentence, if it states a fact by name: later ones depend on what precedes them."""
    item = document.item
    if not document.sentences:
        return None
    start, end = document.sentences[0]
    sentence = item.text[start:end]
    names = document.names.items()
    here = {entity for entity, spans in names if any(one[1] <= end for one in spans)}
    states = any({one.subject, one.object} <= here for one in item.triples)
    if not states or len(sentence) > _LONGEST_STATEMENT or sentence[-1] not in ".!":
        return None
    near = {one.entity for one in document.mentions if one.start < end}
    return Statement(sentence, " ".join(label_of(entity).base for entity in sorted(near)))


def phrases_of(documents: Iterable[Document]) -> dict[str, list[Template]]:
    """Sentences that state one triple, by predicate, with places for its two ends."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for document in documents:
        if len(document.triples) != 1 or len(document.mentions) != 2:
            continue
        (triple,) = document.triples
        one, other = document.mentions
        ends = {one.entity, other.entity}
        if ends != {triple.subject, triple.object} or len(ends) < 2 or one.end > other.start:
            continue
        text = document.text
        first, last = (SUBJECT, OBJECT) if one.entity == triple.subject else (OBJECT, SUBJECT)
        words = f"{text[: one.start]}{first}{text[one.end : other.start]}{last}{text[other.end :]}"
        if len(words) <= _LONGEST_PHRASE + len(SUBJECT) + len(OBJECT) and words.count("<") == 2:
            found[triple.predicate][words] = None
    return {name: [Template(words) for words in known] for name, known in found.items()}


def middles_of(phrases: Phrases) -> dict[tuple[str, bool], list[str]]:
    """The words between the ends of a predicate, by predicate and by whether the subject leads."""
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for predicate, templates in phrases.items():
        for template in templates:
            before, first, between, _, after = _ENDS.split(template.string)
            if before in {"", "The "} and after in {"", "."} and len(between) > _SHORTEST_MIDDLE:
                found[predicate, first == SUBJECT].append(between)
    return dict(found)
