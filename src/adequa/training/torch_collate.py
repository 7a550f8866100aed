"""From batches of pairs to tensors. Imports torch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.data import Dataset

from adequa.training.batches import ContrastiveBatches
from adequa.training.tokens import Tokens

__all__ = ["ContrastiveCollator", "Numbers", "padded"]


class Numbers(Dataset[int]):
    """The numbers of the batches: what is in one is made when it is needed."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        """How many batches there are."""
        return self.count

    def __getitem__(self, number: int) -> int:
        """The number itself."""
        return number


def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> Tensor:
    """Rows of unequal length as one tensor."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])


@dataclass
class ContrastiveCollator:
    """Makes the batch of a number: texts, their graphs, and the negative graphs after them."""

    batches: ContrastiveBatches
    tokens: Tokens
    longest: int = 160

    def __call__(self, numbers: Sequence[int]) -> dict[str, dict[str, Tensor]]:
        """Tensors for EncoderNetwork; one number is one batch."""
        (number,) = numbers
        pairs, negatives = self.batches.batch(number)
        chance = random.Random(f"order:{self.batches.seed}:{number}")  # noqa: S311
        # The order of triples must tell nothing, or right graphs would show by theirs.
        graphs = [chance.sample(pair.triples, len(pair.triples)) for pair in pairs]
        texts = [self.tokens.text(pair.text).closed(self.longest) for pair in pairs]
        rows = [self.tokens.graph(graph).closed(self.longest) for graph in [*graphs, *negatives]]
        return {"texts": self._inputs(texts), "graphs": self._inputs(rows)}

    def _inputs(self, rows: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        return {"ids": padded(rows), "mask": padded([[1] * len(row) for row in rows])}
