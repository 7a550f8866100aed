"""Batches of pairs as tensors. Imports torch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from adequa.models import WordPiece
from adequa.perturb import FALSE, TRUE, UNKNOWN, LabelledDocument, LabelledSpan
from adequa.text.values import word_triple
from adequa.training.cases import Cases, TrainingCase
from adequa.training.encoder import ContrastiveBatches
from adequa.training.setup import cut_to


def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> Tensor:
    """Rows of unequal length as one tensor."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])


def masked(rows: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    """Rows of unequal length as one tensor, and the mask of their padding."""
    return {"ids": padded(rows), "mask": padded([[1] * len(row) for row in rows])}


@dataclass
class ContrastiveCollator:
    """Makes the batch of a number: texts, their graphs, and the negative graphs after them."""

    batches: ContrastiveBatches
    tokens: WordPiece
    longest: int = 160

    def __call__(self, numbers: Sequence[int]) -> dict[str, dict[str, Tensor]]:
        """Tensors for EncoderNetwork; one number is one batch."""
        (number,) = numbers
        pairs, negatives = self.batches.batch(number)
        chance = random.Random(f"order:{self.batches.seed}:{number}")  # noqa: S311
        # A random order, or right graphs could be told by the order of their triples.
        graphs = [chance.sample(pair.triples, len(pair.triples)) for pair in pairs]
        texts = [self.tokens.encode_text(pair.text) for pair in pairs]
        rows = [self.tokens.encode_graph(graph).ids for graph in [*graphs, *negatives]]
        return {
            "texts": masked([cut_to(row, self.longest) for row in texts]),
            "graphs": masked([cut_to(row, self.longest) for row in rows]),
        }


@dataclass
class CaseCollator:
    """Makes the batch of a number: cases with the labels of their triples and tokens."""

    cases: Cases
    tokens: WordPiece
    size: int = 32
    longest: int = 320

    def __call__(self, numbers: Sequence[int]) -> dict[str, object]:
        """Tensors for VerifierNetwork; one number is one batch."""
        (number,) = numbers
        first = number * self.size
        return self.collate([self.cases.case(first + place) for place in range(self.size)])

    def collate(self, cases: Sequence[TrainingCase]) -> dict[str, object]:
        """The tensors of some cases."""
        rows = [self._row(case.document) for case in cases]
        filled = [[UNKNOWN] * 3]
        longest = max(len(ids) for ids, _, _ in rows)
        return {
            "inputs": {
                **masked([ids for ids, _, _ in rows]),
                "types": padded([types for _, types, _ in rows]),
            },
            "labels": torch.tensor(
                [labels + filled * (longest - len(labels)) for _, _, labels in rows]
            ),
            "supported": torch.tensor([case.document.supported for case in cases]),
        }

    def _row(self, document: LabelledDocument) -> tuple[list[int], list[int], list[list[int]]]:
        triples = [self.tokens.parts(word_triple(triple)) for triple in document.triples]
        pair = self.tokens.join(self.tokens.pieces(document.text), triples)
        labels = [[UNKNOWN] * 3 for _ in pair.ids]
        for place, (start, end) in enumerate(pair.offsets, 1):
            unsupported = _inside(start, end, document.unsupported)
            unclear = not unsupported and _inside(start, end, document.unclear)
            labels[place][1] = UNKNOWN if unclear else TRUE if unsupported else FALSE
            labels[place][2] = TRUE if _inside(start, end, document.disfluent) else FALSE
        for place, stated in zip(pair.subjects, document.stated, strict=True):
            labels[place][0] = stated
        return pair.ids[: self.longest], pair.types[: self.longest], labels[: self.longest]


def _inside(start: int, end: int, places: Sequence[LabelledSpan]) -> bool:
    return any(place.start < end and start < place.end for place in places)
