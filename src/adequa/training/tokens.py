"""Texts and graphs as word numbers for training, by the same word pieces as the shipped models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adequa.data import Triple
from adequa.errors import DataError, ModelError
from adequa.models.wordpiece import WordPiece
from adequa.text.values import word_triple

VOCABULARY = "vocab.txt"


@dataclass(frozen=True, slots=True)
class TokenisedText:
    """A text with the places of its pieces, or a graph with those where its triples begin."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    marks: list[int]
    edges: tuple[int, int]
    """What stands before and after it: [CLS] and [SEP]."""

    def closed(self, longest: int) -> list[int]:
        """The numbers between their edges, cut so that no more than `longest` are left."""
        start, end = self.edges
        return [start, *self.ids[: longest - 2], end]


@dataclass(frozen=True)
class TokenReader:
    """What the collators ask of a tokenizer."""

    reader: WordPiece

    @classmethod
    def read(cls, folder: Path) -> TokenReader:
        """The tokens of a model's folder, which has a `vocab.txt`."""
        try:
            return cls(WordPiece.read(folder / VOCABULARY))
        except ModelError as error:
            raise DataError(str(error), remedy="give the folder of an uncased BERT") from None

    def text(self, text: str) -> TokenisedText:
        """The pieces of a text and their places in it."""
        pieces = self.reader.pieces(text)
        return TokenisedText(
            [number for number, _, _ in pieces],
            [(start, end) for _, start, end in pieces],
            [],
            self._edges,
        )

    def graph(self, triples: Sequence[Triple], *, said: bool = False) -> TokenisedText:
        """The triples one after the other, each part behind its marker.

        The verifier reads values as they are `said`, the encoder as the data has them.
        """
        ids: list[int] = []
        marks: list[int] = []
        for triple in triples:
            marks.append(len(ids))
            ids += self.reader.parts(word_triple(triple)) if said else self.reader.triple(triple)
        return TokenisedText(ids, [], marks, self._edges)

    def pair(self, text: TokenisedText, graph: TokenisedText) -> tuple[list[int], list[int]]:
        """Numbers and types of a text with a graph behind it, as the verifier reads them."""
        start, end = self._edges
        ids = [start, *text.ids, end, *graph.ids, end]
        return ids, [0] * (len(text.ids) + 2) + [1] * (len(graph.ids) + 1)

    @property
    def _edges(self) -> tuple[int, int]:
        return self.reader.start, self.reader.separator
