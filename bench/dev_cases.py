"""Texts of the `dev` splits, unchanged and with one fault, the same for a seed.

The texts are those of enriched/dev, and of the entries of webnlg2020/dev that it does not have.
Every text of an entry falls into the same half: what is chosen on one can be measured on the other.
The changes are those of `adequa.perturb`, on names and sentences that people marked.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from adequa.data import Item, Triple
from adequa.perturb import Change, Document, Knowledge, NameEntry, NamePool, read_marks
from adequa.perturb.documents import is_name, stems
from adequa.perturb.texts import change_date, change_number, drop_sentence, rename_mentions
from adequa.readers import open_source
from adequa.text import split_sentences

__all__ = [
    "KINDS",
    "ChangedText",
    "Half",
    "ShortenedText",
    "change_texts",
    "dev_items",
    "drop_sentences",
    "half_of",
    "sample",
    "spread",
]

Half = Literal["a", "b"]
Thing = TypeVar("Thing")
_NOTHING = Knowledge(())


class ShortenedText(NamedTuple):
    """A text without one of its sentences, and the facts that it loses.

    The facts of `nameless` are kept, but their entity had its name in that sentence alone: the rest
    has a pronoun, or "the hotel".
    """

    item: Item
    gone: frozenset[Triple]
    nameless: frozenset[Triple]


class ChangedText(NamedTuple):
    """A text with one changed number, date or name, and its place in the new text."""

    item: Item
    start: int
    end: int


def dev_items(data: Path) -> list[Item]:
    """Every text of enriched/dev, then those of webnlg2020/dev whose entry is not in it."""
    enriched = [item for item in open_source(data / "enriched" / "dev") if item.text.strip()]
    texts = {_letters(item.text) for item in enriched}
    graphs = {frozenset(item.triples) for item in enriched}
    plain = [item for item in open_source(data / "webnlg2020" / "dev") if item.text.strip()]
    known = {
        _entry(item.id)
        for item in plain
        if _letters(item.text) in texts or frozenset(item.triples) in graphs
    }
    return enriched + [
        replace(item, id=f"2020/{item.id}") for item in plain if _entry(item.id) not in known
    ]


def half_of(identifier: str) -> Half:
    """The half of an item, by its entry: its id without the last part, which numbers the text.

    >>> half_of("1triples/City/Id7/Id1") == half_of("1triples/City/Id7/Id2")
    True
    """
    digest = hashlib.sha256(_entry(identifier).encode()).digest()
    return "a" if digest[0] % 2 else "b"


def spread(choices: Iterable[Sequence[Thing]], count: int, seed: int) -> list[Thing]:
    """At most `count` of the choices, drawn one of each group first, then a second, and so on.

    >>> sorted(name[0] for name in spread([["a1", "a2"], ["b1"], []], 2, seed=1))
    ['a', 'b']
    """
    generator = random.Random(seed)
    groups = [generator.sample(group, len(group)) for group in choices if group]
    generator.shuffle(groups)
    drawn: list[Thing] = []
    for turn in range(max(map(len, groups), default=0)):
        drawn += [group[turn] for group in groups if turn < len(group)]
    return drawn[:count]


def sample(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """At most `count` of the items."""
    return random.Random(seed).sample(items, min(count, len(items)))


def drop_sentences(items: Iterable[Item], count: int, seed: int) -> list[ShortenedText]:
    """Texts without one sentence, whose facts no other sentence states; one per text, then more."""
    return spread([list(_shortened(_marked(item))) for item in items], count, seed)


def _shortened(document: Document) -> Iterator[ShortenedText]:
    if not document.facts:
        return
    item = document.item
    for change in drop_sentence(document, _NOTHING, random.Random()):
        number = document.sentences.index(change.before[0])
        if not change.facts or change.facts != document.facts[number]:
            continue
        lost = _named(document, document.sentences) - _named(
            document, document.sentences[:number] + document.sentences[number + 1 :]
        )
        kept = frozenset(item.triples) - change.facts
        nameless = frozenset(one for one in kept if lost & {one.subject, one.object})
        changed = replace(change.apply(item), id=f"{item.id}-{number + 1}")
        yield ShortenedText(changed, change.facts, nameless)


def _named(document: Document, places: Iterable[tuple[int, int]]) -> set[str]:
    """The entities that sentences mention by at least half of the words of their strings.

    The corpus's own types do not tell: "the hotel" and "the Grand Hotel" are both descriptions.
    """
    return {
        one.entity
        for one in document.mentions
        for start, end in places
        if start <= one.start < end
        and 2 * len(stems(one.entity) & stems(document.text[one.start : one.end]))
        >= len(stems(one.entity))
    }


def change_texts(kind: str, items: Sequence[Item], count: int, seed: int) -> list[ChangedText]:
    """At most `count` texts with one thing of a kind changed: a number, a date or a name."""
    documents = [_marked(item) for item in items]
    make = KINDS[kind](documents)
    return spread(
        [
            [_changed(document.item, change) for change in make(document, _generator(seed, item))]
            for item, document in zip(items, documents, strict=True)
        ],
        count,
        seed,
    )


Maker = Callable[[Document, random.Random], Iterable[Change]]


def _renaming(documents: Sequence[Document]) -> Maker:
    """Changes of names to others of the documents."""
    names = NamePool((one.item, list(_names_of(one))) for one in documents)
    return lambda document, chance: rename_mentions(document, names, chance)


def _names_of(document: Document) -> Iterator[NameEntry]:
    for one in document.mentions:
        written = document.text[one.start : one.end]
        if one.method == "name" and is_name(written, one.entity):
            yield NameEntry(one.entity, written)


KINDS: Mapping[str, Callable[[Sequence[Document]], Maker]] = {
    "number": lambda _: lambda document, chance: change_number(document, _NOTHING, chance),
    "date": lambda _: lambda document, chance: change_date(document, _NOTHING, chance),
    "name": _renaming,
}


def _marked(item: Item) -> Document:
    """An item with its annotated names and sentences."""
    mentions, facts = read_marks(item)
    places = tuple(split_sentences(item.text))
    aligned = len(facts) == len(places) and frozenset().union(*facts) == {*item.triples}
    return Document(item, mentions, places, facts if aligned else ())


def _generator(seed: int, item: Item) -> random.Random:
    """A random generator per text, so that texts do not affect each other."""
    return random.Random(f"{seed} {item.id}")


def _changed(item: Item, change: Change) -> ChangedText:
    ((start, end),) = change.after
    (edit,) = change.edits
    return ChangedText(replace(change.apply(item), id=f"{item.id}-{edit.start}"), start, end)


def _entry(identifier: str) -> str:
    return identifier.rpartition("/")[0]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
