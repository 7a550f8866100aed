"""Texts of the `dev` splits, whole and with one thing wrong, the same for a seed.

The texts are those of enriched/dev, and of the entries of webnlg2020/dev that it does not have.
Every text of an entry falls into the same half: what is chosen on one can be measured on the other.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from adequa.data import Item, Triple
from adequa.perturb.items import stems
from adequa.readers import open_source
from adequa.readers.enriched import gold_mentions
from adequa.text import split_sentences

__all__ = [
    "Dropped",
    "Half",
    "aligned_sentences",
    "dev_items",
    "drop_sentences",
    "half_of",
    "sample",
    "spread",
]

Half = Literal["a", "b"]
Sentence = tuple[int, int, frozenset[Triple]]
Thing = TypeVar("Thing")


class Dropped(NamedTuple):
    """A text without one of its sentences, and the facts that are gone with it.

    The facts of `nameless` are kept, but of something that had its name in that sentence alone: the
    rest says "it", or "the hotel".
    """

    item: Item
    gone: frozenset[Triple]
    nameless: frozenset[Triple]


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


def aligned_sentences(item: Item) -> list[Sentence]:
    """The sentences of a text of the enriched corpus, each with the facts it states.

    Empty where the corpus counts other sentences than there are, or leaves a fact out.
    """
    rows: Sequence[Sequence[str]] = item.meta.get("sortedtripleset", ())
    places = split_sentences(item.text)
    if len(rows) != len(places):
        return []
    stated = [frozenset(_triple(row) for row in own) for own in rows]
    if frozenset().union(*stated) != frozenset(item.triples):
        return []
    return [(*place, own) for place, own in zip(places, stated, strict=True)]


def drop_sentences(items: Iterable[Item], count: int, seed: int) -> list[Dropped]:
    """Texts without one sentence, whose facts no other sentence states; one a text, then more."""
    return spread([_without_one(item) for item in items], count, seed)


def spread(choices: Iterable[Sequence[Thing]], count: int, seed: int) -> list[Thing]:
    """So many of the choices, drawn one of each group first, then a second, and so on.

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
    """So many of the items, or all where there are fewer."""
    return random.Random(seed).sample(items, min(count, len(items)))


def _without_one(item: Item) -> list[Dropped]:
    parts = aligned_sentences(item)
    found: list[Dropped] = []
    for number, (_, _, gone) in enumerate(parts):
        rest = parts[:number] + parts[number + 1 :]
        if not gone or not rest or any(gone & kept for _, _, kept in rest):
            continue
        text = " ".join(item.text[start:end] for start, end, _ in rest)
        changed = replace(item, id=f"{item.id}-{number + 1}", text=text)
        lost = _names(item, parts) - _names(item, rest)
        kept = frozenset(item.triples) - gone
        nameless = frozenset(one for one in kept if lost & {one.subject, one.object})
        found.append(Dropped(changed, gone, nameless))
    return found


def _names(item: Item, parts: Iterable[Sentence]) -> set[str]:
    """The entities that sentences mention by half of the words of their strings, or more.

    The corpus's own types do not tell: "the hotel" and "the Grand Hotel" are both descriptions.
    """
    return {
        mention.entity
        for mention in gold_mentions(item)
        for start, end, _ in parts
        if start <= mention.start < end
        and 2 * len(stems(mention.entity) & stems(item.text[mention.start : mention.end]))
        >= len(stems(mention.entity))
    }


def _triple(row: str) -> Triple:
    return Triple(*(part.strip() for part in row.split(" | ")))


def _entry(identifier: str) -> str:
    return identifier.rpartition("/")[0]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
