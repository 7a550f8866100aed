"""Additions: phrases of a text about a record that have nothing to do with any of its facts.

A phrase is a clause, or the end of one from a connecting word on ("after an old freezer had been
replaced"). It is an addition if it has two or more words of its own, none of the words, names and
values of the data, nothing that could follow from several facts (comparisons, counts, order, time,
negation), and if the encoder finds no fact that is like it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adequa.caches import MEGABYTE, cached
from adequa.data import Item, Mention, Triple
from adequa.text import (
    SMALL_WORDS,
    fold,
    label_of,
    split_camel,
    split_clauses,
    split_sentences,
    word_set,
)
from adequa.text.values import find_values

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]

RULE = "rule addition"
"""The name by which `Credibility` knows them."""
UNLIKE = 0.34
"""The similarity to the nearest fact below which a phrase is an addition; chosen on the open part
of bench/challenges/records."""
_LEAST_WORDS = 3
"""Own words of an addition; two are often a turn of phrase ("on either side") unless a cause."""
_MANY_WORDS = 12
"""Words of an addition above which more of them say nothing of it."""
_CAUSE = re.compile(
    r"\b(?:after|because|since|as|due|thanks|following|despite|so|owing|when|before)\b"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_CONNECT = re.compile(
    r"\b(?:after|because|since|as|for|by|with|together|thanks|due|and|which|who|where|while|to|in"
    r"|of|on|during|following|despite|from|at|through|via|under|over|into|but|so|that|whose)\b"
)
_DERIVED = word_set(
    "not no never none neither nor without nobody nothing hardly only just all both each every "
    "most more less fewer least than same other others another further half third quarter double "
    "twice total altogether average mean overall first second fourth fifth last next previous "
    "former latter later earlier before until ago early late end start beginning begins "
    "throughout period times time except mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays day days week weeks month months year years hour hours minute minutes today daily "
    "weekly yearly annual annually morning afternoon evening night monday tuesday wednesday "
    "thursday friday saturday sunday one two three four five six seven eight nine ten dozen "
    "hundred single pair couple several few many some any out full empty free up down above "
    "below between exactly roughly about around nearly almost apart left remaining rest still "
    "already yet now again combined respectively including also well however thus therefore "
    "while whereas highest lowest largest smallest longest shortest oldest youngest higher lower "
    "larger smaller longer shorter older younger bigger better worse best worst rose fell rise "
    "fall rising falling gain loss increase decrease increased decreased dropped climbed reached "
    "stayed remained result results means meaning counts series list record records data text "
    "per unknown specified given mentioned noted listed shown stated available"
)


class Addition(NamedTuple):
    """A phrase that no fact is like."""

    start: int
    end: int
    likeness: float
    words: int

    @property
    def features(self) -> dict[str, float]:
        """What its credibility depends on."""
        return {
            RULE: 1.0,
            "addition: likeness": self.likeness,
            "addition: words": float(min(self.words, _MANY_WORDS)),
        }


def find_additions(item: Item, mentions: Sequence[Mention], encode: Encode) -> list[Addition]:
    """The additions of a text about a record, in order."""
    lines = tuple(dict.fromkeys(_line(one) for one in item.triples))
    stems = _stems(item)
    phrases = list(_phrases(item.text, mentions, stems))
    if not phrases:
        return []
    facts = _unit(_encoded(lines, encode))
    said = _unit(encode([item.text[start:end] for start, end in phrases]))
    likeness = (said @ facts.T).max(axis=1)
    return [
        Addition(start, end, float(like), len(_WORD.findall(item.text, start, end)))
        for (start, end), like in zip(phrases, likeness, strict=True)
        if like < UNLIKE
    ]


def _line(triple: Triple) -> str:
    """A fact as the encoder reads it; a number says nothing that its field does not say."""
    field, value = _spaced(triple.predicate), _spaced(label_of(triple.object).string)
    return f"{field}: {value}" if any(map(str.isalpha, value)) else field


def _spaced(string: str) -> str:
    return split_camel(string, acronyms=False).replace("_", " ")


def _stem(word: str) -> str:
    return fold(word)[:5]


def _stems(item: Item) -> frozenset[str]:
    words = {
        word
        for triple in item.triples
        for part in triple
        for word in _WORD.findall(_spaced(label_of(part).string))
    }
    return frozenset(_stem(word) for word in words if len(word) > 2)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-9), dtype=np.float32)


@cached(32 * MEGABYTE, size_of=lambda vectors: vectors.nbytes + 1000)
def _encoded(lines: tuple[str, ...], encode: Encode) -> NDArray[np.float32]:
    """The vectors of the facts, kept for the texts of all systems."""
    return encode(lines)


def _phrases(
    text: str, mentions: Sequence[Mention], stems: frozenset[str]
) -> Iterator[tuple[int, int]]:
    """Phrases without anything of the data, as long as possible."""
    known = bytearray(len(text) + 1)
    places = [(one.start, one.end) for one in mentions]
    places += [(one.start, one.end) for one in find_values(text)]
    for start, end in places:
        known[start:end] = b"\1" * (end - start)
    for match in re.finditer(r"[^\s]*[0-9][^\s]*", text):
        known[match.start() : match.end()] = b"\1" * len(match[0])
    for sentence in split_sentences(text):
        for start, end in split_clauses(text, *sentence):
            end -= len(text[start:end]) - len(text[start:end].rstrip(" ,;:.!?"))
            phrase = _new_end(text, start, end, known, stems)
            if phrase is not None:
                yield phrase


def _new_end(
    text: str, start: int, end: int, known: bytearray, stems: frozenset[str]
) -> tuple[int, int] | None:
    """The longest end of a clause, from a connecting word on, that has nothing of the data."""
    words = [*_WORD.finditer(text, start, end)]
    if not words or known.find(1, words[-1].start(), end) >= 0:
        return None
    first = len(words)
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        lower = word[0].lower()
        if known[word.start()] or (lower in _DERIVED and not _CONNECT.fullmatch(lower)):
            break
        if lower not in SMALL_WORDS and _stem(lower) in stems:
            break
        following = words[place + 1].start() if place + 1 < len(words) else end
        if known.find(1, word.end(), following) >= 0:
            break
        if place == 0 or _CONNECT.fullmatch(lower):
            first = place
    own = [one for one in words[first:] if one[0].lower() not in SMALL_WORDS and len(one[0]) > 3]
    superlative = any(len(one[0]) > 5 and one[0].endswith("est") for one in own)
    caused = first < len(words) and _CAUSE.fullmatch(words[first][0].lower()) is not None
    if len(own) < _LEAST_WORDS - caused or superlative:
        return None
    return words[first].start(), end
