"""Texts and graphs as numbers of word pieces, the way uncased BERT reads them.

Lower case, no accents, words split greedily into the longest pieces of a vocabulary: the same
pieces as the reference gives, with no dependency, and with the place of each piece in the text as
it was. What a text says in brackets is text: `[SEP]` in it never becomes the marker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from adequa.data import Term, Triple
from adequa.errors import ModelError
from adequa.models.characters import ACCENTS, DROPPED, IDEOGRAPHS, PUNCTUATION, SPACES
from adequa.models.linearise import readable

__all__ = ["EncodedGraph", "EncodedPair", "Piece", "WordPiece"]

Piece = tuple[int, int, int]
"""The number of a piece, and its start and end in the text."""

_LONGEST_WORD = 100
"""A longer word is one unknown piece, as in the reference."""
_CACHED_WORDS = 1 << 16
_CACHED_LENGTH = 64
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]")
_WORD = re.compile(
    "[^"
    + "".join(
        f"{chr(first)}-{chr(last)}" for first, last in zip(SPACES.firsts, SPACES.lasts, strict=True)
    )
    + "]+"
)
_ASCII_WORD = re.compile(r"[a-z0-9]+|.")

_Cut = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class EncodedGraph:
    """A graph as an encoder reads it, and where each triple begins."""

    ids: list[int]
    subjects: list[int]


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """A text and a graph as a verifier reads them.

    `offsets` are the places in the text of the pieces from position 1 on, `subjects` the positions
    at which the triples begin, `types` 0 for the text and 1 for the graph.
    """

    ids: list[int]
    types: list[int]
    offsets: list[tuple[int, int]]
    subjects: list[int]


class WordPiece:
    """A vocabulary, and what it makes of texts and triples; safe to use from several threads."""

    def __init__(self, words: Sequence[str]) -> None:
        self.ids = {word: number for number, word in enumerate(words)}
        if missing := [word for word in _SPECIAL if word not in self.ids]:
            raise ModelError(f"a vocabulary without {', '.join(missing)}: it is none of ours")
        self.pad, self.unknown, self.start, self.separator, *markers = (
            self.ids[word] for word in _SPECIAL
        )
        self.markers: tuple[int, ...] = tuple(markers)
        self._longest = max(map(len, words))
        self._cuts: dict[str, _Cut] = {}

    @classmethod
    def read(cls, path: Path | str) -> WordPiece:
        """The vocabulary of a file with one word a line."""
        remedy = "give the vocabulary.txt the model was exported with"
        try:
            lines = Path(path).read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: cannot be read ({error}); {remedy}") from None
        try:
            return cls(lines[:-1] if lines[-1] == "" else lines)
        except ModelError as error:
            raise ModelError(f"{path}: {error}; {remedy}") from None

    def __len__(self) -> int:
        return len(self.ids)

    def pieces(self, text: str) -> list[Piece]:
        """Every piece of a text with its place in it; a letter with an accent keeps its place."""
        found: list[Piece] = []
        for match in _WORD.finditer(text):
            base = match.start()
            ids, spans = self._cut(match[0])
            found += [
                (number, base + start, base + end)
                for number, (start, end) in zip(ids, spans, strict=True)
            ]
        return found

    def numbers(self, text: str) -> list[int]:
        """The pieces of a text without their places: faster."""
        found: list[int] = []
        known = self._cuts
        for word in _WORD.findall(text):
            cut = known.get(word)
            found += cut[0] if cut is not None else self._cut(word)[0]
        return found

    def triple(self, triple: Triple, terms: Mapping[str, Term] | None = None) -> list[int]:
        """A triple: each part behind its marker."""
        return self.parts(readable(triple, terms))

    def parts(self, strings: Sequence[str]) -> list[int]:
        """Subject, predicate and object as words: each behind its marker."""
        found: list[int] = []
        for marker, words in zip(self.markers, strings, strict=True):
            found.append(marker)
            found += self.numbers(words)
        return found

    def encode_text(self, text: str) -> list[int]:
        """A text between the markers of start and end."""
        return [self.start, *self.numbers(text), self.separator]

    def encode_graph(
        self, triples: Iterable[Triple], terms: Mapping[str, Term] | None = None
    ) -> EncodedGraph:
        """A graph between the markers of start and end."""
        ids, subjects = [self.start], []
        for triple in triples:
            subjects.append(len(ids))
            ids += self.triple(triple, terms)
        ids.append(self.separator)
        return EncodedGraph(ids, subjects)

    def encode_pair(
        self, text: str, triples: Iterable[Triple], terms: Mapping[str, Term] | None = None
    ) -> EncodedPair:
        """A text and then a graph, however long."""
        return self.join(self.pieces(text), [self.triple(triple, terms) for triple in triples])

    def join(self, pieces: Sequence[Piece], triples: Iterable[Sequence[int]]) -> EncodedPair:
        """Text and triples that are pieces already, or parts of them."""
        ids = [self.start, *(number for number, _, _ in pieces), self.separator]
        types = [0] * len(ids)
        subjects = []
        for triple in triples:
            subjects.append(len(ids))
            ids += triple
        ids.append(self.separator)
        types += [1] * (len(ids) - len(types))
        return EncodedPair(ids, types, [(start, end) for _, start, end in pieces], subjects)

    def _cut(self, chunk: str) -> _Cut:
        """The pieces of what stands between two spaces, placed in it."""
        cut = self._cuts.get(chunk)
        if cut is not None:
            return cut
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        for word, places in _words(chunk):
            for number, start, end in self._split(word):
                ids.append(number)
                spans.append((places[start], places[end - 1] + 1))
        cut = tuple(ids), tuple(spans)
        if len(chunk) <= _CACHED_LENGTH:
            if len(self._cuts) >= _CACHED_WORDS:
                self._cuts = {}  # a new one: another thread may be reading the old
            self._cuts[chunk] = cut
        return cut

    def _split(self, word: str) -> list[Piece]:
        """The longest piece from the left, then the longest of the rest, or one unknown."""
        length = len(word)
        if length > _LONGEST_WORD:
            return [(self.unknown, 0, length)]
        found: list[Piece] = []
        start = 0
        while start < length:
            prefix = "##" if start else ""
            for end in range(min(length, start + self._longest), start, -1):
                number = self.ids.get(prefix + word[start:end])
                if number is not None:
                    found.append((number, start, end))
                    start = end
                    break
            else:
                return [(self.unknown, 0, length)]
        return found


def _words(chunk: str) -> Iterable[tuple[str, Sequence[int]]]:
    """The words of a chunk as the vocabulary spells them, with the place of every letter."""
    if chunk.isascii() and chunk.isprintable():
        for match in _ASCII_WORD.finditer(chunk.lower()):
            yield match[0], range(*match.span())
        return
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(chunk):
        spelled, alone = _spell(character)
        for letter in spelled:
            ends = alone or letter in PUNCTUATION
            if ends and letters:
                yield "".join(letters), places
                letters, places = [], []
            if ends:
                yield letter, [place]
            else:
                letters.append(letter)
                places.append(place)
    if letters:
        yield "".join(letters), places


@lru_cache(maxsize=1 << 14)
def _spell(character: str) -> tuple[str, bool]:
    """A character taken apart, without its accents, in lower case; and whether it stands alone."""
    if character in DROPPED:
        return "", False
    apart = unicodedata.normalize("NFD", character)
    kept = "".join(letter.lower() for letter in apart if letter not in ACCENTS)
    return kept, character in IDEOGRAPHS
