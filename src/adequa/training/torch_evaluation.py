"""Evaluation on held-out data while a network trains. Imports torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from adequa.data import Triple
from adequa.models import WordPiece
from adequa.perturb import Document, Knowledge
from adequa.perturb.graphs import inverse_of
from adequa.training.cases import TrainingCase
from adequa.training.encoder import inversion_rate, recalls
from adequa.training.setup import cut_to, spread
from adequa.training.torch_data import CaseCollator, masked
from adequa.training.torch_networks import EncoderNetwork, VerifierNetwork
from adequa.training.verifier import HeldOutFigures

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
