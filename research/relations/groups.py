"""Texts that are learned from together because they differ in one thing, with their labels.

A group knows which fact of which text must get a higher score than which other: the margin of the
loss. A quad is a text and its graph, and both with two names exchanged: neither the text nor the
graph alone reveals whether a fact is stated.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.metrics.nli.signs import read_signs
from adequa.perturb import FALSE, TRUE, UNKNOWN, LabelledDocument
from adequa.text import is_symmetric, label_of

Name = tuple[int, int, str]
"""The place of a name in a text, and its entity."""
Mark = tuple[int, int]
"""The number of a text in its group, and the number of a triple."""

WRITTEN = Path(__file__).parent / "data" / "written"
HELD_OUT = 8
"""Every eighth written group of a file is held out, for figures and thresholds."""
_PRONOUNS = frozenset({
    "he", "she", "it", "they", "his", "her", "hers", "its", "their", "theirs", "him", "them",
    "who", "whose", "whom", "which", "this", "that", "these", "those",
})  # fmt: skip
_GAP = re.compile(r"\{(\w+)\}")


class RelationText(NamedTuple):
    """A text, a graph, for each triple whether the text states it, and where names stand."""

    text: str
    triples: tuple[Triple, ...]
    stated: tuple[int, ...]
    names: tuple[Name, ...] = ()

    @classmethod
    def of(cls, labelled: LabelledDocument) -> RelationText:
        """A changed document with its labels of facts."""
        names = (
            (one.start, one.end, one.entity)
            for one in labelled.spans
            if one.entity and labelled.text[one.start : one.end].lower() not in _PRONOUNS
        )
        return cls(
            labelled.text, tuple(labelled.triples), tuple(labelled.stated), tuple(sorted(names))
        )


@dataclass(frozen=True)
class Group:
    """Texts of one origin; the first mark of each pair must score above the second."""

    kind: str
    texts: tuple[RelationText, ...]
    above: tuple[tuple[Mark, Mark], ...] = ()
    hidden: bool = True
    """Whether placeholders stand for names; a premise and a hypothesis are read as they are."""


def locate(text: RelationText) -> tuple[Name, ...]:
    """The names of a text: those that are known, and the strings of the other entities."""
    found = list(text.names)
    known = {entity for _, _, entity in found}
    entities = {end for one in text.triples for end in (one.subject, one.object)} - known
    for entity in sorted(entities):
        base = label_of(entity).base if entity.strip() else ""
        if len(base) > 1 or base.isdigit():
            pattern = rf"(?<!\w){re.escape(base)}(?!\w)"
            found += [(*match.span(), entity) for match in re.finditer(pattern, text.text)]
    return first_names(found)


def first_names(names: Iterable[Name]) -> tuple[Name, ...]:
    """The names in order, without those that overlap an earlier or longer one."""
    kept: list[Name] = []
    for one in sorted(names, key=lambda name: (name[0], -name[1], name[2])):
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return tuple(kept)


def fill(wording: str, ends: Mapping[str, str]) -> tuple[str, tuple[Name, ...]]:
    """A wording with names in place of its gaps, and where they stand.

    >>> fill("{o} wrote {s}.", {"s": "Emma", "o": "Jane"})
    ('Jane wrote Emma.', ((0, 4, 'Jane'), (11, 15, 'Emma')))
    """
    text, names, place = "", [], 0
    for gap in _GAP.finditer(wording):
        text += wording[place : gap.start()]
        name = ends[gap[1]]
        names.append((len(text), len(text) + len(name), name))
        text += name
        place = gap.end()
    return text + wording[place:], tuple(names)


def shift_names(names: Iterable[Name], by: int) -> tuple[Name, ...]:
    """The names of a text that stands further on in a longer one."""
    return tuple((start + by, end + by, entity) for start, end, entity in names)


# Exchanged names


def exchange_ends(triples: Sequence[Triple], one: str, other: str) -> tuple[Triple, ...]:
    """The triples with two entities in each other's place."""
    turned = {one: other, other: one}
    return tuple(
        Triple(
            turned.get(old.subject, old.subject), old.predicate, turned.get(old.object, old.object)
        )
        for old in triples
    )


def broken_by_exchange(triples: Sequence[Triple], one: str, other: str) -> list[bool]:
    """For each triple whether it is wrong after two entities have changed places in the text."""
    stated = {_undirected(triple) for triple in exchange_ends(triples, one, other)}
    return [_undirected(triple) not in stated for triple in triples]


def _undirected(triple: Triple) -> tuple[str, object]:
    ends = (triple.subject, triple.object)
    return triple.predicate, frozenset(ends) if is_symmetric(triple.predicate) else ends


def exchange_names(
    text: str, names: Sequence[Name], called: Mapping[str, str]
) -> tuple[str, tuple[Name, ...]] | None:
    """The text with two entities in each other's place, and all names; None where names overlap.

    `called` has the two entities, and the name that each gets in its new places.
    """
    one, other = called
    turned = {one: other, other: one}
    parts: list[str] = []
    moved: list[Name] = []
    place = length = 0
    for start, end, entity in sorted(names):
        if start < place:
            return None
        new = turned.get(entity, entity)
        written = text[start:end] if new == entity else called[new]
        parts += [text[place:start], written]
        length += start - place + len(written)
        moved.append((length - len(written), length, new))
        place = end
    return "".join([*parts, text[place:]]), tuple(moved)


QUAD = ((0, 1), (0, 2), (3, 1), (3, 2))
"""Of the four texts of a quad the first and the last are right: (right, wrong)."""


def make_quad(
    kind: str,
    text: str,
    names: Sequence[Name],
    triples: Sequence[Triple],
    called: Mapping[str, str],
    broken: Sequence[bool] | None = None,
) -> Group | None:
    """Text and graph, and both with two entities exchanged: right, wrong, wrong, right again.

    `broken` says which triples an exchange on one side makes wrong, by default those whose
    predicate is not symmetric. None where nothing becomes wrong.
    """
    wrong = broken_by_exchange(triples, *called) if broken is None else broken
    made = exchange_names(text, names, called)
    if made is None or made[0] == text or not any(wrong):
        return None
    turned = exchange_ends(triples, *called)
    faulty = tuple(FALSE if one else TRUE for one in wrong)
    right = (TRUE,) * len(faulty)
    texts = (
        RelationText(text, tuple(triples), right, tuple(sorted(names))),
        RelationText(text, turned, faulty, tuple(sorted(names))),
        RelationText(made[0], tuple(triples), faulty, made[1]),
        RelationText(made[0], turned, right, made[1]),
    )
    above = tuple(
        ((one, fact), (other, fact)) for fact, bad in enumerate(wrong) if bad for one, other in QUAD
    )
    return Group(kind, texts, above)


def draw_unstated(
    text: RelationText, turnable: Collection[int], chance: random.Random
) -> list[tuple[int, RelationText]]:
    """A faithful text with facts that it does not state, each in place of one of its graph.

    They have names of the graph in other places: the ends of a `turnable` fact exchanged, another
    name at one end, or the relation of another fact.
    """
    triples = text.triples
    known = {*triples} | {Triple(one.object, one.predicate, one.subject) for one in triples}
    names = sorted({end for one in triples for end in (one.subject, one.object)})
    found: dict[Triple, int] = {}
    for _ in range(chance.choice((1, 2, 3))):
        fact = chance.randrange(len(triples))
        one = triples[fact]
        turned = Triple(one.object, one.predicate, one.subject)
        lot = chance.random()
        if lot < 0.35 and fact in turnable and turned not in triples:
            found[turned] = fact
            continue
        if lot < 0.6:
            new = one._replace(object=chance.choice(names))
        elif lot < 0.8:
            new = one._replace(subject=chance.choice(names))
        else:
            new = one._replace(predicate=chance.choice(triples).predicate)
        if new.subject != new.object and new not in known:
            found[new] = fact
    return [
        (
            fact,
            text._replace(
                triples=(*triples[:fact], new, *triples[fact + 1 :]),
                stated=tuple(FALSE if place == fact else UNKNOWN for place in range(len(triples))),
            ),
        )
        for new, fact in found.items()
    ]


# Groups written by hand


class WrongText(NamedTuple):
    """A minimal edit of a faithful text, the facts it no longer states, and the kind of fault."""

    text: str
    original: int
    facts: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class WrittenGroup:
    """A graph with faithful texts and wrong ones, all written by hand."""

    triples: tuple[Triple, ...]
    faithful: tuple[str, ...]
    wrong: tuple[WrongText, ...]

    @cached_property
    def _names(self) -> dict[str, tuple[Name, ...]]:
        """The names of each text, as the relation reader finds them when it is used."""
        texts = [*self.faithful, *(one.text for one in self.wrong)]
        items = (Item("", self.triples, text) for text in texts)
        return {item.text: read_signs(item).names(item) for item in items}

    def label(self, text: str, broken: Sequence[int] = ()) -> RelationText:
        """A text of the group, with the facts that it does not state."""
        stated = tuple(FALSE if fact in broken else TRUE for fact in range(len(self.triples)))
        return RelationText(text, self.triples, stated, self._names[text])

    def draw(self, chance: random.Random) -> Group:
        """Two or three wrong texts, the faithful ones they were made of, and perhaps another."""
        wrong = chance.sample(self.wrong, min(len(self.wrong), chance.choice((2, 3))))
        extra = chance.randrange(len(self.faithful))
        originals = sorted({one.original for one in wrong} | {extra})
        texts = [self.label(self.faithful[number]) for number in originals]
        above = []
        for one in wrong:
            original = originals.index(one.original)
            above += [((original, fact), (len(texts), fact)) for fact in one.facts]
            texts.append(self.label(one.text, one.facts))
        turnable = {
            fact for one in self.wrong if one.kind in ("roles", "inverse") for fact in one.facts
        }
        unstated = draw_unstated(texts[0], turnable, chance)
        above += [
            ((0, fact), (len(texts) + number, fact)) for number, (fact, _) in enumerate(unstated)
        ]
        texts += [text for _, text in unstated]
        return Group("written", tuple(texts), tuple(above))


def read_written(
    folder: Path = WRITTEN, *, dev: bool, last: str | None = None
) -> list[WrittenGroup]:
    """The groups of a folder's files that are trained on, or those held out.

    `last` names the last file that is read: earlier stages of a training had fewer files.
    """
    paths = sorted(folder.glob("*.jsonl"))
    if last is not None and last not in (known := [path.stem for path in paths]):
        raise DataError(f"there is no file {last}.jsonl", path=folder, remedy=f"give {known}")
    return [
        _written(json.loads(line))
        for path in paths
        if last is None or path.stem <= last
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
        if line.strip() and (number % HELD_OUT == 0) == dev
    ]


def _written(raw: Mapping[str, Any]) -> WrittenGroup:
    return WrittenGroup(
        tuple(Triple(*one) for one in raw["triples"]),
        tuple(raw["faithful"]),
        tuple(
            WrongText(one["text"], one["of"], tuple(one["facts"]), one["kind"])
            for one in raw["wrong"]
        ),
    )
