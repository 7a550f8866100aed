"""Texts and graphs as numbers of word pieces, as the tokenizer of uncased BERT gives them.

Lower case, no accents, words split greedily into the longest pieces of a vocabulary, each with its
place in the original text. `[SEP]` in a text is text and never becomes the marker.

Hand-written: the reference, the package `tokenizers`, brings a hub client of some 45 MB
(docs/results.md) for this one algorithm. The tests compare both piece by piece.
`resources/characters.txt` has the reference's classes of characters, those of Unicode 8 (later ones
count as letters): Python's own tables change with its version, and scores must not.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from adequa.data import Term, Triple
from adequa.errors import ModelError
from adequa.text import readable


class _Ranges:
    """A set of characters, as ranges of their hexadecimal numbers."""

    def __init__(self, ranges: str) -> None:
        pairs = [part.partition("-") for part in ranges.split()]
        self.firsts = [int(first, 16) for first, _, _ in pairs]
        self.lasts = [int(last or first, 16) for first, _, last in pairs]

    def __contains__(self, character: str) -> bool:
        number = ord(character)
        place = bisect_right(self.firsts, number) - 1
        return place >= 0 and number <= self.lasts[place]


def _read_tables() -> dict[str, _Ranges]:
    text = (files("adequa.models") / "resources" / "characters.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)
    return {name: _Ranges(ranges) for name, ranges in zip(parts[1::2], parts[2::2], strict=True)}


_TABLES = _read_tables()
SPACES = _TABLES["spaces"]
"""Characters between words."""
DROPPED = _TABLES["dropped"]
"""Control, format, private-use, surrogate and replacement characters, which are removed."""
IDEOGRAPHS = _TABLES["ideographs"]
"""Chinese characters, each a word of its own."""
PUNCTUATION = _TABLES["punctuation"]
"""Each a word of its own."""
ACCENTS = _TABLES["accents"]
"""Marks without a width, which are removed after decomposition."""

Piece = tuple[int, int, int]
"""The number of a piece, and its start and end in the text."""

_LONGEST_WORD = 100
"""A longer word is one unknown piece, as in the reference."""
_CACHED_WORDS = 1 << 16
_CACHED_LENGTH = 64
"""The cache of a vocabulary's words: at most 65,536 of at most 64 letters, about 40 MB. It is a
plain dictionary, emptied when full, because it is read for every word of every text."""
MARKERS = ("[unused1]", "[unused2]", "[unused3]")
"""In front of the subject, the predicate and the object of a triple."""
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *MARKERS)
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
    """A graph as an encoder's input, and the positions where its triples begin."""

    ids: list[int]
    subjects: list[int]


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """A text and a graph as a verifier's input.

    `offsets` are the places of the text's pieces, from position 1 on; `subjects` the positions
    where triples begin; `types` 0 for the text and 1 for the graph.
    """

    ids: list[int]
    types: list[int]
    offsets: list[tuple[int, int]]
    subjects: list[int]


class WordPiece:
    """A tokenizer with its vocabulary; safe to use from several threads."""

    def __init__(self, words: Sequence[str]) -> None:
        self.ids = {word: number for number, word in enumerate(words)}
        if missing := [word for word in _SPECIAL if word not in self.ids]:
            raise ModelError(f"a vocabulary without {', '.join(missing)} is not one of ours")
        self.pad, self.unknown, self.start, self.separator, *markers = (
            self.ids[word] for word in _SPECIAL
        )
        self.markers: tuple[int, ...] = tuple(markers)
        self._longest = max(map(len, words))
        self._cuts: dict[str, _Cut] = {}

    @classmethod
    def read(cls, path: Path | str) -> WordPiece:
        """The tokenizer of a vocabulary file with one word per line."""
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
        """Every piece of a text with its place in the text."""
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
        """The numbers of a text's pieces, faster than `pieces`."""
        found: list[int] = []
        known = self._cuts
        for word in _WORD.findall(text):
            cut = known.get(word)
            found += cut[0] if cut is not None else self._cut(word)[0]
        return found

    def triple(self, triple: Triple, terms: Mapping[str, Term] | None = None) -> list[int]:
        """The pieces of a triple, each part after its marker."""
        return self.parts(readable(triple, terms))

    def parts(self, strings: Sequence[str]) -> list[int]:
        """The pieces of subject, predicate and object, each after its marker."""
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
        """A text and then a graph, of any length."""
        return self.join(self.pieces(text), [self.triple(triple, terms) for triple in triples])

    def join(self, pieces: Sequence[Piece], triples: Iterable[Sequence[int]]) -> EncodedPair:
        """An input from the pieces of a text and its triples, or of parts of them."""
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
        """The pieces of a string without spaces, with their places in it."""
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
                self._cuts = {}  # a new one, because another thread may be reading the old
            self._cuts[chunk] = cut
        return cut

    def _split(self, word: str) -> list[Piece]:
        """The longest piece from the left, then the longest of the rest, or one unknown piece."""
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
    """A character decomposed, without accents, in lower case; and whether it is a word."""
    if character in DROPPED:
        return "", False
    apart = unicodedata.normalize("NFD", character)
    kept = "".join(letter.lower() for letter in apart if letter not in ACCENTS)
    return kept, character in IDEOGRAPHS
