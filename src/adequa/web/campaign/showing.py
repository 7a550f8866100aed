"""A text and its data as a page shows them: facts by subject, and a text in pieces to mark."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from adequa.data import Item
from adequa.models.linearise import readable

__all__ = ["FactRow", "Piece", "Subject", "facts_by_subject", "pieces", "shown"]

_HIDDEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufffe\uffff]")
_JOINER, _SELECTORS = "\u200d", "\ufe00\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact in words; `index` is its place in the data."""

    index: int
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing and what the data says of it."""

    name: str
    rows: tuple[FactRow, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or what stands between two, with its offsets in the text, counted as Python does."""

    start: int
    end: int
    text: str
    is_word: bool


def shown(text: str) -> str:
    """The text with a mark for each character that a page cannot hold: as long as it was."""
    return _HIDDEN.sub("\ufffd", text)


def facts_by_subject(item: Item) -> list[Subject]:
    """The facts in words, under their subjects, in the order of the data."""
    found: dict[str, tuple[str, list[FactRow]]] = {}
    for index, triple in enumerate(item.triples):
        subject, predicate, value = (shown(part) for part in readable(triple, item.terms))
        _, rows = found.setdefault(triple.subject, (subject, []))
        rows.append(FactRow(index, predicate, value))
    return [Subject(name, tuple(rows)) for name, rows in found.values()]


def pieces(text: str) -> list[Piece]:
    """The text in words and gaps, without rest: a page counts from each piece's own offset.

    A page cannot count from the start of the text: browsers count UTF-16 units and fold line ends.
    A piece never begins with a combining mark, nor inside a flag or a joined emoji.

    >>> [piece.text for piece in pieces("Zoë’s ½ 東京.") if piece.is_word]
    ['Zoë’s', '½', '東', '京', '.']
    """
    made: list[Piece] = []
    for start, end in _clusters(text):
        cluster = text[start:end]
        word, joins = not cluster.isspace(), bool(made) and _joins(made[-1].text, cluster)
        if joins:
            last = made.pop()
            made.append(Piece(last.start, end, last.text + shown(cluster), last.is_word))
        else:
            made.append(Piece(start, end, shown(cluster), word))
    return _with_inner_marks(made)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Characters with what belongs to them, near enough to Unicode's grapheme clusters."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not _belongs(text, start, index):
            yield start, index
            start = index


def _belongs(text: str, start: int, index: int) -> bool:
    here, before = text[index], text[index - 1]
    if before.isspace():
        return here.isspace()
    if here.isspace():
        return False
    if unicodedata.category(here)[0] == "M" or here == _JOINER or here in _SELECTORS:
        return True
    if _is_flag(here) and _is_flag(before):
        return (index - start) % 2 == 1
    return before == _JOINER or "\U0001f3fb" <= here <= "\U0001f3ff"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _joins(last: str, cluster: str) -> bool:
    """Whether a word goes on; scripts without spaces go character by character."""
    return _is_letter(last[0]) and _is_letter(cluster[0])


def _is_letter(character: str) -> bool:
    # Other letters (Lo) of Arabic, Hebrew or the scripts of India do form words.
    return character.isalnum() and not (
        "\u2e80" <= character <= "\ua4cf"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
        or "\u0e00" <= character <= "\u0eff"
    )


def _with_inner_marks(made: list[Piece]) -> list[Piece]:
    """Words that an apostrophe, a hyphen or a decimal point holds together are one piece."""
    joined: list[Piece] = []
    for piece in made:
        if (
            len(joined) > 1
            and joined[-1].text in ("'", "’", "-", ".", ",", "·")
            and _is_letter(piece.text[0])
            and _is_letter(_base(joined[-2].text))
            and (
                joined[-1].text not in (".", ",") or _digits(_base(joined[-2].text), piece.text[0])
            )
        ):
            mark, word = joined.pop(), joined.pop()
            piece = Piece(word.start, piece.end, word.text + mark.text + piece.text, True)
        joined.append(piece)
    return joined


def _base(word: str) -> str:
    """The last character that is no mark on another; a piece never begins with one but at 0."""
    return next((one for one in reversed(word) if unicodedata.category(one)[0] != "M"), word[0])


def _digits(*characters: str) -> bool:
    return all(character.isdigit() for character in characters)
