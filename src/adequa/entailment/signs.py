"""What the entity detector says of the facts and the words of an item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adequa.data import Item, Mention, Triple
from adequa.entities.judging import Judgment, Settings, judge
from adequa.entities.unexplained import Unexplained

__all__ = ["Signs", "read_signs", "sentence_of"]

_SETTINGS = Settings()
_VALUE = re.compile(r"^(?:yes|no|true|false|\W*)$", re.IGNORECASE)
_PRONOUN = "pronoun"


@dataclass(frozen=True, slots=True)
class Signs:
    """The entities of an item as evidence."""

    facts: tuple[tuple[str, ...], ...]
    """For each triple, what speaks for or against its being stated."""
    mentions: tuple[Mention, ...]
    unexplained: tuple[Unexplained, ...]

    def of_word(self, start: int, end: int) -> tuple[str, ...]:
        """What speaks for or against a word of the text."""
        if any(one.start < end and start < one.end for one in self.unexplained):
            return ("unexplained",)
        if any(
            one.start < end and start < one.end and _PRONOUN not in one.method
            for one in self.mentions
        ):
            return ("mentioned",)
        return ()


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
        if not _VALUE.match(triple.object):
            found.append("object missing")
    elif triple.object in judgment.entities:
        found.append("object named")
    if triple.subject in judgment.missing:
        found.append("subject missing")
    return tuple(found)


def sentence_of(
    triple: Triple,
    text: str,
    sentences: Sequence[tuple[int, int]],
    mentions: Sequence[Mention],
) -> tuple[int, int] | None:
    """The sentence that has most of a fact: its object, its subject, words of its predicate."""
    best: tuple[float, tuple[int, int]] | None = None
    words = set(re.findall(r"[^\W_]{4,}", _words(triple.predicate)))
    for start, end in sentences:
        inside = {one.entity for one in mentions if start <= one.start < end}
        said = {word.casefold() for word in re.findall(r"[^\W_]{4,}", text[start:end])}
        weight = 3.0 * (triple.object in inside) + 2.0 * (triple.subject in inside)
        weight += sum(any(one[:4] == word[:4] for one in said) for word in words)
        if weight and (best is None or weight > best[0]):
            best = weight, (start, end)
    if best is not None:
        return best[1]
    return sentences[0] if len(sentences) == 1 else None


def _words(predicate: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", predicate).casefold()
