"""What the entity detector says of the facts and the words of an item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adequa.data import Item, Mention, Triple
from adequa.entailment.segments import sentences
from adequa.entailment.weighing import WRONG_VALUE
from adequa.entities.judging import Judgment, Settings, judge
from adequa.entities.surface import label_of
from adequa.entities.unexplained import Unexplained
from adequa.wording.values import say_date

__all__ = ["Sentence", "Signs", "read_sentences", "read_signs", "sentence_of"]

_SETTINGS = Settings()
_VALUE = re.compile(r"^(?:yes|no|true|false|\W*)$", re.IGNORECASE)
_PRONOUN = "pronoun"
_VALUE_METHODS = frozenset({"number", "converted number", "date"})
_IMPLIED = re.compile(
    r"\W*(?:he|she|it|they|his|her|its|their|this|that|these|there)(?!\w)",
    re.IGNORECASE,
)
"""A text that begins so speaks of somebody it has not named."""
_LONGER = re.compile(r"[^\W_]{4,}")


@dataclass(frozen=True, slots=True)
class Signs:
    """The entities of an item as evidence."""

    facts: tuple[tuple[str, ...], ...]
    """For each triple, what speaks for or against its being stated."""
    mentions: tuple[Mention, ...]
    unexplained: tuple[Unexplained, ...]

    def of_word(self, start: int, end: int) -> tuple[str, ...]:
        """What speaks for or against a word of the text."""
        for one in self.unexplained:
            if one.start < end and start < one.end:
                return ("unexplained",) if one.kind == "name" else (WRONG_VALUE,)
        if any(
            one.start < end and start < one.end and _PRONOUN not in one.method
            for one in self.mentions
        ):
            return ("mentioned",)
        return ()

    def as_text_has_it(self, item: Item) -> Item:
        """The item with numbers and dates written as its text writes them, where it has them.

        Whether 1,325 is 1325.0 is for the detector to say; the model is asked who it is said of.
        """
        written = {
            one.entity: item.text[one.start : one.end]
            for one in reversed(self.mentions)
            if one.method in _VALUE_METHODS and _is_value(one.entity)
        }
        if not written:
            return item
        triples = tuple(
            triple._replace(object=written.get(triple.object, triple.object))
            for triple in item.triples
        )
        return item if triples == item.triples else replace(item, triples=triples)


def read_signs(item: Item) -> Signs:
    """Ask the detector; what it cannot look for is no sign of anything."""
    judgment = judge(item, _SETTINGS)
    return Signs(
        tuple(_fact(triple, judgment) for triple in item.triples),
        judgment.mentions,
        judgment.unexplained,
    )


def _fact(triple: Triple, judgment: Judgment) -> tuple[str, ...]:
    found: list[str] = []
    if triple.object in judgment.missing:
        if _is_value(triple.object):
            found.append(WRONG_VALUE)
        elif not _VALUE.match(triple.object):
            found.append("object missing")
    elif triple.object in judgment.entities:
        found.append("object named")
    if triple.subject in judgment.missing:
        found.append(_absence(judgment))
    return tuple(found)


def _absence(judgment: Judgment) -> str:
    """In what way a subject is not named: by a pronoun, by nothing, or by another's name."""
    if _IMPLIED.match(judgment.item.text):
        return "subject implied"
    replaced = any(one.kind == "name" for one in judgment.unexplained)
    return "subject missing" if replaced else "subject unnamed"


def _is_value(entity: str) -> bool:
    """Whether an object is a number or a date, which the detector reads better than a model."""
    label = label_of(entity).base
    letters = sum(map(str.isalpha, label))
    return any(map(str.isdigit, label)) and (
        letters < sum(map(str.isdigit, label)) or say_date(label) != label
    )


class Sentence(NamedTuple):
    """Where a sentence stands, whom it names, and how its longer words begin."""

    place: tuple[int, int]
    names: frozenset[str]
    beginnings: frozenset[str]


def read_sentences(text: str, mentions: Sequence[Mention]) -> list[Sentence]:
    """Each sentence looked at once, however many facts are looked for."""
    return [
        Sentence(
            (start, end),
            frozenset(one.entity for one in mentions if start <= one.start < end),
            frozenset(word[:4] for word in _LONGER.findall(text[start:end].casefold())),
        )
        for start, end in sentences(text)
    ]


def sentence_of(triple: Triple, told: Sequence[Sentence]) -> tuple[int, int] | None:
    """The sentence that has most of a fact: its object, its subject, words of its predicate."""
    best: tuple[int, tuple[int, int]] | None = None
    words = {word[:4] for word in _LONGER.findall(_words(triple.predicate))}
    for one in told:
        weight = 3 * (triple.object in one.names) + 2 * (triple.subject in one.names)
        weight += len(words & one.beginnings)
        if weight and (best is None or weight > best[0]):
            best = weight, one.place
    if best is not None:
        return best[1]
    return told[0].place if len(told) == 1 else None


def _words(predicate: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", predicate).casefold()
