"""The trainings of `studies`: the bi-encoder, and fine-tuning on human ratings. Imports torch."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from adequa.data import Item
from adequa.errors import DataError
from adequa.models import WordPiece
from adequa.models.encoder import Graph
from adequa.text.values import word_triple
from adequa.training.encoder import EncoderSettings, train_encoder
from adequa.training.setup import cut_to, find_base, read_tokenizer
from adequa.training.torch_data import masked, padded
from adequa.training.torch_fit import Log, Schedule, fit, silence
from adequa.training.torch_networks import EncoderNetwork, load_bert
from research.papers.joint.models import Values, cosines
from research.papers.joint.studies import ROWS, StudyRun

_ROWS = 64
_LONGEST = 256
"""The most tokens of a text or graph that is measured."""
_SCALE = (1.0, 3.0)
"""The ends of the scale of Semantics in 2017."""
_TUNING_RATE = 5e-5
"""Of fine-tuning on ratings; a usual one for a BERT of this size, not tuned."""


@dataclass
class NetworkEncoder:
    """A trained network with the interface of our encoder."""

    network: EncoderNetwork
    tokens: WordPiece
    signature: str = "study"

    def encode(self, texts: Sequence[str]) -> Any:
        """One vector per text."""
        return self._embed([self.tokens.encode_text(text) for text in texts])

    def encode_graphs(self, graphs: Sequence[Graph]) -> Any:
        """One vector per graph."""
        return self._embed([self.tokens.encode_graph(*graph).ids for graph in graphs])

    def _embed(self, encoded: Sequence[Sequence[int]]) -> Any:
        rows = [cut_to(ids, _LONGEST) for ids in encoded]
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        vectors = np.zeros((len(rows), self.network.bert.config.hidden_size), np.float32)
        with torch.no_grad():
            for first in range(0, len(order), _ROWS):
                places = order[first : first + _ROWS]
                batch = masked([rows[place] for place in places])
                vectors[places] = self.network.embed(**batch).numpy()
        return vectors


def train_row(run: StudyRun, row: str) -> tuple[NetworkEncoder, Log]:
    """Train the encoder of a row, continuing one that was stopped; returns it with its log."""
    own, schedule = ROWS[row], run.schedule
    batch = own.batch or schedule.batch
    steps = max(1, schedule.steps * schedule.batch // batch)
    # As many looks for every size of a batch, and about as many saved states.
    look = max(1, schedule.look_every * steps // schedule.steps)
    out = run.folder / "trainings" / row
    trained = train_encoder(
        EncoderSettings(
            data=(run.corpus(own.corpus),),
            dev=(run.corpus("dev"),),
            out=out,
            base=schedule.base,
            steps=steps,
            batch=batch,
            rate=schedule.rate,
            frozen=schedule.frozen,
            layers=tuple(range(schedule.layers)),
            longest=schedule.longest,
            seed=schedule.seed + own.seed,
            look_every=look,
            save_every=max(1, look // 2),
            negatives=own.negatives,
            resume=True,
            threads=run.threads,
        ),
        run.report,
    )
    return load_network(run, out), [dict(line) for line in trained.log]


def load_network(run: StudyRun, folder: Path) -> NetworkEncoder:
    """The encoder of a finished training."""
    if run.threads is not None:
        torch.set_num_threads(run.threads)
    with silence():
        network = EncoderNetwork(load_bert(folder)).eval()
    return NetworkEncoder(network, read_tokenizer(folder))


def bi_scores(run: StudyRun, folder: Path) -> dict[str, Values]:
    """The cosines of a finished bi-encoder on the rated texts of 2020 and on inversions."""
    encoder = load_network(run, folder)
    return {
        "rated": cosines(encoder, run.rated_items()),
        "inversions": cosines(encoder, run.inversions),
    }


# Fine-tuning on ratings


class BiRating(EncoderNetwork):
    """The cosine of text and graph as the rating."""

    def forward(  # type: ignore[override]
        self, texts: Mapping[str, Tensor], graphs: Mapping[str, Tensor], ratings: Tensor
    ) -> dict[str, Tensor]:
        """The squared error of the cosine."""
        near = (self.embed(**texts) * self.embed(**graphs)).sum(dim=-1)
        return {"loss": functional.mse_loss(near, ratings)}


class CrossRating(nn.Module):
    """One pass over text and graph, and a linear layer on its first token."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        self.pair = nn.Linear(bert.config.hidden_size, 1)

    def logits(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """One per pair."""
        states = self.bert(
            input_ids=ids, attention_mask=mask, token_type_ids=types
        ).last_hidden_state
        found: Tensor = self.pair(states[:, 0]).squeeze(-1)
        return found

    def forward(self, inputs: Mapping[str, Tensor], ratings: Tensor) -> dict[str, Tensor]:
        """Cross-entropy with the rating as a probability."""
        logits = self.logits(**inputs)
        return {"loss": functional.binary_cross_entropy_with_logits(logits, ratings)}


@dataclass
class RatingCollator:
    """Makes the batch of a number from rated items, always the same."""

    items: Sequence[Item]
    ratings: Sequence[float]
    tokens: WordPiece
    longest: int
    size: int
    seed: int
    cross: bool

    def __call__(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Tensors for BiRating or CrossRating; one number is one batch."""
        (number,) = numbers
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        chosen = chance.sample(range(len(self.items)), min(self.size, len(self.items)))
        items = [self.items[place] for place in chosen]
        ratings = torch.tensor([self.ratings[place] for place in chosen])
        inputs = self.pairs(items) if self.cross else self.sides(items)
        return {**inputs, "ratings": ratings}

    def sides(self, items: Sequence[Item]) -> dict[str, Any]:
        """Texts and graphs apart."""
        texts = [cut_to(self.tokens.encode_text(item.text), self.longest) for item in items]
        graphs = [self.tokens.encode_graph(item.triples, item.terms).ids for item in items]
        return {
            "texts": masked(texts),
            "graphs": masked([cut_to(row, self.longest) for row in graphs]),
        }

    def pairs(self, items: Sequence[Item]) -> dict[str, Any]:
        """Text and graph in one row."""
        rows, types = [], []
        for item in items:
            triples = [self.tokens.parts(word_triple(triple)) for triple in item.triples]
            pair = self.tokens.join(self.tokens.pieces(item.text), triples)
            rows.append(cut_to(pair.ids, 2 * self.longest))
            types.append(pair.types[: 2 * self.longest])
        return {"inputs": {**masked(rows), "types": padded(types)}}


def tune(run: StudyRun, row: str, base: Path) -> dict[str, Values]:
    """Fine-tune a bi- or cross-encoder on the ratings of 2017; its scores of 2020 and inversions.

    A training that was stopped continues.
    """
    rated = run.joint.rated(2017)
    if rated is None:
        path = run.joint.data / "webnlg2017" / "human"
        raise DataError("has no ratings of 2017", path=path, remedy="give --data")
    low, high = _SCALE
    pairs = [
        (item, (value - low) / (high - low))
        for item, value in zip(rated.items, rated.criteria["Semantics"], strict=True)
        if value is not None and item.text.strip()
    ]
    schedule = run.schedule
    tokens = read_tokenizer(find_base(base).folder)
    collator = RatingCollator(
        [item for item, _ in pairs],
        [rating for _, rating in pairs],
        tokens,
        longest=schedule.longest,
        size=schedule.batch,
        seed=schedule.seed,
        cross=row == "cross",
    )
    out = run.folder / "trainings" / f"{row}-{schedule.rating_steps}"
    out.mkdir(parents=True, exist_ok=True)
    if run.threads is not None:
        torch.set_num_threads(run.threads)
    with silence():
        torch.manual_seed(schedule.seed)
        bert = load_bert(base, frozen=schedule.frozen)
        network = CrossRating(bert) if row == "cross" else BiRating(bert)
        finished = out / "network.safetensors"
        if finished.is_file():
            network.load_state_dict(load_file(finished))
        else:
            steps = Schedule(
                schedule.rating_steps,
                _TUNING_RATE,
                save_every=max(1, schedule.rating_steps // 10),
                seed=schedule.seed,
            )
            fit(
                network,
                collator,
                steps,
                out,
                resume=True,
                progress=lambda done, total: run.report and run.report("steps", done, total),
            )
            save_file(
                {name: one.detach().contiguous() for name, one in network.state_dict().items()},
                finished,
            )
    network.eval()
    asked = {"rated": run.rated_items(), "inversions": run.inversions}
    if isinstance(network, CrossRating):
        return {name: _cross_scores(network, collator, items) for name, items in asked.items()}
    encoder = NetworkEncoder(network, tokens)
    return {name: cosines(encoder, items) for name, items in asked.items()}


def _cross_scores(network: CrossRating, collator: RatingCollator, items: Sequence[Item]) -> Values:
    """The ratings that a cross-encoder expects; 0 for an empty text, as for cosines."""
    order = sorted(range(len(items)), key=lambda place: len(items[place].text))
    values: Values = [0.0] * len(items)
    filled = [place for place in order if items[place].text.strip()]
    with torch.no_grad():
        for first in range(0, len(filled), _ROWS):
            places = filled[first : first + _ROWS]
            inputs = collator.pairs([items[place] for place in places])["inputs"]
            for place, logit in zip(places, network.logits(**inputs).tolist(), strict=True):
                values[place] = 1 / (1 + float(np.exp(-logit)))
    return values
