"""Batches of pairs as tensors, and evaluation on held-out ones while a network trains.

Imports torch.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from adequa.data import Triple
from adequa.models import WordPiece
from adequa.perturb import FALSE, TRUE, UNKNOWN, Document, Knowledge, LabelledDocument
from adequa.perturb.documents import is_inside
from adequa.perturb.graphs import inverse_of
from adequa.text.values import word_triple
from adequa.training.encoder import ContrastiveBatches, inversion_rate, recalls
from adequa.training.setup import cut_to, spread
from adequa.training.torch_networks import EncoderNetwork, VerifierNetwork
from adequa.training.verifier import Cases, HeldOutFigures, TrainingCase


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
            unsupported = is_inside(start, end, document.unsupported)
            unclear = not unsupported and is_inside(start, end, document.unclear)
            labels[place][1] = UNKNOWN if unclear else TRUE if unsupported else FALSE
            labels[place][2] = TRUE if is_inside(start, end, document.disfluent) else FALSE
        for place, stated in zip(pair.subjects, document.stated, strict=True):
            labels[place][0] = stated
        return pair.ids[: self.longest], pair.types[: self.longest], labels[: self.longest]


_ROWS, _CASES = 64, 24


@dataclass
class EncoderEvaluation:
    """Retrieval among the first texts of all entries, and inverted triples."""

    pairs: Sequence[Document]
    knowledge: Knowledge
    tokens: WordPiece
    longest: int
    queries: int
    """The largest number of graphs whose text is searched for."""

    def __call__(self, network: EncoderNetwork) -> dict[str, float]:
        """Recall from graph to text, and how often an inverted triple is as near as the right."""
        first: dict[str, Document] = {}
        for pair in self.pairs:
            first.setdefault(pair.entry, pair)
        pool = list(first.values())
        own = spread(len(pool), self.queries)
        texts = self._embed(network, [self.tokens.encode_text(pair.text) for pair in pool])
        figures = recalls(self._graphs(network, [pool[place].triples for place in own]), texts, own)
        single: list[int] = []
        inverted: list[Sequence[Triple]] = []
        for place, pair in enumerate(pool):
            new = inverse_of(pair.triples[0], self.knowledge) if len(pair.triples) == 1 else None
            if new is not None:
                single.append(place)
                inverted.append((new,))
        if single:
            right = self._graphs(network, [pool[place].triples for place in single])
            wrong = self._graphs(network, inverted)
            figures["inverted"] = inversion_rate(texts[single], right, wrong)
        return {name: round(value, 4) for name, value in figures.items()}

    def _graphs(
        self, network: EncoderNetwork, graphs: Sequence[Sequence[Triple]]
    ) -> npt.NDArray[np.float32]:
        return self._embed(network, [self.tokens.encode_graph(graph).ids for graph in graphs])

    def _embed(
        self, network: EncoderNetwork, encoded: Sequence[Sequence[int]]
    ) -> npt.NDArray[np.float32]:
        rows = [cut_to(ids, self.longest) for ids in encoded]
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        vectors = np.zeros((len(rows), network.bert.config.hidden_size), np.float32)
        for first in range(0, len(order), _ROWS):
            places = order[first : first + _ROWS]
            found = network.embed(**_moved(masked([rows[place] for place in places]), network))
            vectors[places] = found.float().cpu().numpy()
        return vectors


@dataclass
class VerifierEvaluation:
    """The heads of a verifier on cases whose labels are known."""

    cases: Sequence[TrainingCase]
    collator: CaseCollator

    def __call__(self, network: VerifierNetwork) -> dict[str, float]:
        """Area under the curve of each head, accuracies, and what is found of each fault."""
        seen = HeldOutFigures()
        lengths = [
            len(case.document.text) + 30 * len(case.document.triples) for case in self.cases
        ]  # about the number of tokens: nothing but padding depends on it
        order = sorted(range(len(lengths)), key=lambda place: lengths[place])
        for first in range(0, len(order), _CASES):
            cases = [self.cases[place] for place in order[first : first + _CASES]]
            batch: Mapping[str, Any] = self.collator.collate(cases)
            tokens, pairs = network.logits(**_moved(batch["inputs"], network))
            for place, case in enumerate(cases):
                seen.add(
                    case.fault,
                    tokens[place].float().cpu().numpy(),
                    batch["labels"][place].numpy(),
                    float(pairs[place]),
                    case.document.supported,
                )
        return seen.figures()


def _moved(inputs: Mapping[str, Tensor], network: nn.Module) -> dict[str, Tensor]:
    """The tensors where the network is."""
    device = next(network.parameters()).device
    return {name: values.to(device) for name, values in inputs.items()}
