"""Groups as word numbers with labels, in batches of which each is always the same.

Groups are drawn by number, sorted by length in pools, and cut into stacks of nearly one length; a
step of the training has several stacks. All of it follows from the seed and the number of the step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from adequa.models import NamedText, RelationReader, WordPiece
from adequa.perturb import UNKNOWN
from adequa.text.values import word_triple
from research.relations.groups import Group, Mark, RelationText, locate

_MOST_OTHERS, _MOST_ALONE = 4, 6
"""Facts of a group that are asked about although no text differs in them: beside facts in which
texts differ, and without such facts."""


class FactRow(NamedTuple):
    """The word numbers of a text and one fact, where the fact begins, and whether it is stated."""

    ids: tuple[int, ...]
    mark: int
    label: int

    @property
    def types(self) -> list[int]:
        """0 for the words of the text, 1 for those of the fact."""
        return [0] * self.mark + [1] * (len(self.ids) - self.mark)


class EncodedGroup(NamedTuple):
    """The rows of a group, and pairs of rows of which the first must score higher."""

    kind: str
    rows: tuple[FactRow, ...]
    above: tuple[tuple[int, int], ...]

    @property
    def longest(self) -> int:
        """The length of its longest row."""
        return max(len(row.ids) for row in self.rows)


Stack = list[EncodedGroup]
"""Groups of nearly one length that go through the network together."""


def encode_premise(tokens: WordPiece, text: RelationText) -> FactRow:
    """A premise and its hypothesis as they are, without placeholders."""
    pair = tokens.join(tokens.pieces(text.text), [tokens.parts(word_triple(text.triples[0]))])
    return FactRow(tuple(pair.ids), pair.subjects[0], text.stated[0])


def encode_group(
    group: Group, reader: RelationReader, longest: int, chance: random.Random
) -> EncodedGroup:
    """One row for each fact in which the texts of a group differ, and for a few others.

    A fact with an end that the text does not name has no row, nor has one that is too long. Without
    names the two right texts of a quad are the same, and are one row.
    """
    asked: dict[Mark, None] = dict.fromkeys(mark for pair in group.above for mark in pair)
    others = [
        (number, fact)
        for number, text in enumerate(group.texts)
        for fact, label in enumerate(text.stated)
        if label != UNKNOWN and (number, fact) not in asked
    ]
    most = _MOST_OTHERS if asked else _MOST_ALONE
    asked |= dict.fromkeys(chance.sample(others, min(most, len(others))))
    if group.hidden:
        encoded = [_encode_facts(text, reader) for text in group.texts]
    else:
        encoded = [[encode_premise(reader.reader, text)] for text in group.texts]
    rows: dict[FactRow, int] = {}
    places: dict[Mark, int] = {}
    for number, fact in asked:
        row = encoded[number][fact]
        if row is not None and len(row.ids) <= longest:
            places[number, fact] = rows.setdefault(row, len(rows))
    above = dict.fromkeys(
        (places[one], places[two]) for one, two in group.above if one in places and two in places
    )
    return EncodedGroup(group.kind, tuple(rows), tuple(above))


def _encode_facts(text: RelationText, reader: RelationReader) -> Sequence[FactRow | None]:
    """The rows of a text's facts; None for a fact that the reader would not read in one pass."""
    passes = reader.inputs(NamedText(text.text, text.triples, {}, locate(text)))
    return [
        FactRow(tuple(own[0][0]), own[0][1], label) if len(own) == 1 else None
        for own, label in zip(passes, text.stated, strict=True)
    ]


@dataclass(frozen=True)
class Batches:
    """The steps of a training; each has a few stacks of about `size` tokens."""

    group: Callable[[int], Group]
    reader: RelationReader
    seed: int = 0
    pool: int = 512
    """Groups that are sorted by length together."""
    size: int = 1024
    stacks: int = 3
    longest: int = 256

    def steps(self, pool: int) -> list[list[Stack]]:
        """All steps of a pool of groups, the same whenever they are asked for."""
        chance = random.Random(f"pool:{self.seed}:{pool}")  # noqa: S311
        numbers = range(pool * self.pool, (pool + 1) * self.pool)
        encoded = (
            encode_group(self.group(number), self.reader, self.longest, chance)
            for number in numbers
        )
        return stacked([one for one in encoded if one.rows], self.size, self.stacks, chance)


class _Rows(Protocol):
    @property
    def rows(self) -> Sequence[Any]: ...

    @property
    def longest(self) -> int: ...


_Learned = TypeVar("_Learned", bound=_Rows)


def stacked(
    groups: Sequence[_Learned], size: int, stacks: int, chance: random.Random
) -> list[list[list[_Learned]]]:
    """Steps of some stacks, each with groups of nearly one length and about `size` tokens."""
    cut: list[list[_Learned]] = [[]]
    rows = 0
    for one in sorted(groups, key=lambda one: one.longest):
        if cut[-1] and (rows + len(one.rows)) * one.longest > size:
            cut.append([])
            rows = 0
        cut[-1].append(one)
        rows += len(one.rows)
    chance.shuffle(cut)
    firsts = range(0, len(cut) - stacks + 1, stacks)
    return [cut[first : first + stacks] for first in firsts]
