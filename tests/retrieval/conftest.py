"""An encoder whose vectors can be told by hand, and items for it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from adequa.data import Item, Triple
from adequa.retrieval.vectors import Graph
from adequa.text.labels import readable

_WORDS = re.compile(r"[^\W_]+")


@dataclass
class WordEncoder:
    """Counts words, each in a place that its letters give; a graph is the words of its triples."""

    dimension: int = 256
    name: str = "words"
    batches: list[int] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return f"{self.name}|dimension:{self.dimension}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        self.batches.append(len(texts))
        rows = np.zeros((len(texts), self.dimension))
        for row, text in zip(rows, texts, strict=True):
            for word in _WORDS.findall(text.lower()):
                row[zlib.crc32(word.encode()) % self.dimension] += 1
        return rows

    def encode_graphs(self, graphs: Sequence[Graph]) -> npt.NDArray[np.float64]:
        return self.encode(
            [
                " ".join(map(" ".join, (readable(one, terms) for one in triples)))
                for triples, terms in graphs
            ]
        )


@pytest.fixture
def words() -> WordEncoder:
    return WordEncoder()


def made_items(count: int) -> list[Item]:
    """Graphs and texts that share three words with their own and two with their neighbours."""
    return [
        Item(
            f"Id{number}",
            (Triple(f"Place{number}", "near", f"Lake{number // 3}"),),
            f"The town Place{number} lies near Lake{number // 3}.",
        )
        for number in range(count)
    ]


@pytest.fixture
def items() -> list[Item]:
    return made_items(30)
