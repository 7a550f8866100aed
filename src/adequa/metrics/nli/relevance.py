"""Relevance: which facts of an item have to do with its text, and with which part of it.

`related_facts` leaves out facts about things that the text does not name, and that no chain of
facts connects with a thing it names: they can neither support a word of the text nor be stated by
it. `FactIndex` ranks the facts for a part of the text, where they are too many to be read at once:
by the names and values in the part, and by words of predicates and labels. Both look facts up by
what the text has and never compare every fact with every sentence, so their cost is linear.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from adequa.data import Item, Mention, Triple
from adequa.entities import JudgmentSettings, judge
from adequa.text import SMALL_WORDS, fold, label_of, split_camel
from adequa.text.values import is_value

_BOOLEAN = re.compile(r"^(?:yes|no|true|false|\W*)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_BEGINNING = 4
"""Letters by which inflected words are compared: locat(ed), locat(ion)."""

# The weights of `sentence_of`, which finds the sentence of a stated fact, times the rarity of what
# is shared: among the facts of one thing its name says nothing, and a value says most.
_OBJECT, _SUBJECT, _NAMED_WORD = 3.0, 2.0, 1.0
_COMMON = 256
"""What more facts have in common does not find a fact, it only ranks those found otherwise; bounds
the facts that are looked at for a part of the text."""
_LEAST_RARITY = 0.1
"""The rarity of what all facts have in common: little, but more than nothing."""

Key = tuple[str, str]
"""What a part of a text and a fact may share: its kind, and an entity or the letters of a word."""


def related_facts(triples: Sequence[Triple], named: Iterable[str]) -> tuple[int, ...]:
    """The facts that a chain of facts connects with a thing the text names; all if it names none.

    Numbers, dates and truth values connect nothing, unless a fact is about them: two things may
    have the same height.

    >>> facts = [Triple("A", "in", "B"), Triple("B", "in", "C"), Triple("D", "in", "E")]
    >>> related_facts(facts, ["C"])
    (0, 1)
    """
    of_thing: dict[str, list[int]] = {triple.subject: [] for triple in triples}
    for number, triple in enumerate(triples):
        of_thing[triple.subject].append(number)
        if triple.object in of_thing or not _is_bare(triple.object):
            of_thing.setdefault(triple.object, []).append(number)
    waiting = [one for one in dict.fromkeys(named) if one in of_thing]
    reached = {*waiting}
    found: set[int] = set()
    while waiting and len(found) < len(triples):
        new = [number for number in of_thing[waiting.pop()] if number not in found]
        found.update(new)
        ends = {end for number in new for end in triples[number][::2] if end in of_thing}
        waiting += ends - reached
        reached |= ends
    return tuple(sorted(found)) if found else tuple(range(len(triples)))


def with_facts(item: Item, numbers: Sequence[int]) -> Item:
    """The item with some of its facts, and their pointers if it is a record."""
    paths = tuple(item.paths[number] for number in numbers) if item.paths else ()
    triples = tuple(item.triples[number] for number in numbers)
    return replace(item, triples=triples, paths=paths)


def _is_bare(entity: str) -> bool:
    """Whether it is a value that many things may have."""
    return bool(_BOOLEAN.match(entity)) or is_value(entity)


class FactIndex:
    """The facts of an item by what a part of a text may share with them."""

    def __init__(self, item: Item, mentions: Sequence[Mention]) -> None:
        self.text = item.text
        self._mentions = sorted(mentions, key=lambda one: one.start)
        self._starts = [one.start for one in self._mentions]
        facts: dict[Key, dict[int, float]] = defaultdict(dict)
        for number, triple in enumerate(item.triples):
            for key, weight in _keys(triple):
                facts[key][number] = max(weight, facts[key].get(number, 0.0))
        self._facts = facts
        self._count = len(item.triples)

    def __call__(self, start: int, end: int) -> list[int]:
        """The facts that could bear on a part of the text, the best first."""
        rare: list[Key] = []
        common: list[Key] = []
        for key in self._keys_of(start, end):
            (rare if len(self._facts[key]) <= _COMMON else common).append(key)
        found: dict[int, float] = defaultdict(float)
        for key in rare:
            rarity = self._rarity(key)
            for number, weight in self._facts[key].items():
                found[number] += weight * rarity
        if not found and common:
            rarest = min(common, key=lambda key: len(self._facts[key]))
            first = zip(self._facts[rarest], range(_COMMON), strict=False)
            found.update((number, 0.0) for number, _ in first)
        for key in common:
            rarity, own = self._rarity(key), self._facts[key]
            for number in found:
                found[number] += rarity * own.get(number, 0.0)
        return sorted(found, key=lambda number: (-found[number], number))

    def _keys_of(self, start: int, end: int) -> list[Key]:
        """What the part has that a fact has too, in the order of the text."""
        inside = self._mentions[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        keys = [(kind, one.entity) for one in inside for kind in ("object", "subject")]
        keys += [("word", word) for word in _beginnings(self.text[start:end])]
        return [key for key in dict.fromkeys(keys) if key in self._facts]

    def _rarity(self, key: Key) -> float:
        return max(_LEAST_RARITY, math.log(self._count / len(self._facts[key])))


def _keys(triple: Triple) -> list[tuple[Key, float]]:
    """What may show that a part of a text is about a fact, and how much it counts."""
    words = {
        *_beginnings(split_camel(triple.predicate, acronyms=False).replace("_", " ")),
        *_beginnings(label_of(triple.subject).string),
        *_beginnings(label_of(triple.object).string),
    }
    return [
        (("object", triple.object), _OBJECT),
        (("subject", triple.subject), _SUBJECT),
        *((("word", word), _NAMED_WORD) for word in sorted(words)),
    ]


def _beginnings(string: str) -> tuple[str, ...]:
    words = dict.fromkeys(_WORD.findall(fold(string)))
    return tuple(
        word if word.isdigit() else word[:_BEGINNING] for word in words if word not in SMALL_WORDS
    )


def read_relevance(item: Item) -> FactIndex:
    """The index of an item, with the mentions of the detector by its default settings."""
    return FactIndex(item, judge(item, JudgmentSettings()).mentions)
