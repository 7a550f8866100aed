"""A small cross-encoder for natural language inference, for the model of paper 002. Imports torch.

The paper uses RoBERTa-large, fine-tuned on MultiNLI. Here a small BERT learns the same three labels
from public entailment corpora. The folder it is written to serves as `nli:model=FOLDER`, and as
`adequa paper nli --model FOLDER`.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertForSequenceClassification, BertModel, BertTokenizer

from adequa.errors import DataError
from adequa.models import WordPiece
from adequa.training import setup
from adequa.training.torch_data import masked, padded
from adequa.training.torch_fit import is_first, run_training, silence
from research.relations.sources import Entailment, read_entailments

LABELS = ("contradiction", "neutral", "entailment")
NOT_ENTAILED = "not_entailment"
"""The label of RTE for both other labels: the model may divide it as it likes."""
_ENTAILED = LABELS.index("entailment")
_EITHER = len(LABELS)
_POOL = 16
"""Batches that are drawn together and sorted by length, so that little of a batch is padding."""
_ROWS = 64


@dataclass(frozen=True, kw_only=True)
class EntailmentSettings(setup.TrainingSettings):
    """`data` is the folder of the corpora; every fortieth pair of each is held out.

    Three epochs of 49,000 pairs; the rate is a usual one for a BERT of this size, and neither was
    tuned.
    """

    steps: int = 4500
    batch: int = 32
    rate: float = 1e-4
    frozen: int = 0
    longest: int = 128
    look_every: int = 500
    save_every: int = 100


class EntailmentNetwork(nn.Module):
    """BERT with the head of transformers' classifiers, on the first token."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        size = bert.config.hidden_size
        self.dense = nn.Linear(size, size)
        self.classifier = nn.Linear(size, len(LABELS))

    def logits(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """One row per pair, one column per label."""
        states = self.bert(
            input_ids=ids, attention_mask=mask, token_type_ids=types
        ).last_hidden_state
        found: Tensor = self.classifier(torch.tanh(self.dense(states[:, 0])))
        return found

    def forward(self, inputs: Mapping[str, Tensor], labels: Tensor) -> dict[str, Tensor]:
        """Cross-entropy; a pair that is not entailed counts by the sum of both other labels."""
        logs = functional.log_softmax(self.logits(**inputs), dim=-1)
        others = torch.logsumexp(logs[:, :_ENTAILED], dim=-1, keepdim=True)
        chosen = torch.cat([logs, others], dim=-1).gather(1, labels.unsqueeze(1)).squeeze(1)
        hits = _right(logs.detach(), labels).float().mean()
        return {"loss": -chosen.mean(), "hits": hits}

    def classifier_of_transformers(self) -> BertForSequenceClassification:
        """The same network as transformers and `adequa.models` load it."""
        config = self.bert.config
        config.num_labels = len(LABELS)
        config.id2label = dict(enumerate(LABELS))
        config.label2id = {name: number for number, name in enumerate(LABELS)}
        model = BertForSequenceClassification(config)
        model.bert.load_state_dict(self.bert.state_dict(), strict=False)
        model.bert.pooler.dense.load_state_dict(self.dense.state_dict())
        model.classifier.load_state_dict(self.classifier.state_dict())
        return model


def _right(logits: Tensor, labels: Tensor) -> Tensor:
    """Whether the most likely label is the right one."""
    likely = logits.argmax(dim=-1)
    return torch.where(labels == _EITHER, likely != _ENTAILED, likely == labels)


@dataclass
class EntailmentCollator:
    """Makes the batch of a number, always the same, so that a training can be resumed."""

    pairs: Sequence[Entailment]
    tokens: WordPiece
    size: int
    longest: int
    seed: int = 0

    def __call__(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Tensors for EntailmentNetwork; one number is one batch."""
        (number,) = numbers
        pool, place = divmod(number, _POOL)
        chance = random.Random(f"{self.seed}:{pool}")  # noqa: S311
        chosen = chance.sample(range(len(self.pairs)), min(len(self.pairs), _POOL * self.size))
        chosen.sort(key=lambda one: len(self.pairs[one].premise) + len(self.pairs[one].hypothesis))
        starts = list(range(0, len(chosen), self.size))
        chance.shuffle(starts)
        start = starts[place % len(starts)]
        return self.collate([self.pairs[one] for one in chosen[start : start + self.size]])

    def collate(self, pairs: Sequence[Entailment]) -> dict[str, Any]:
        """The tensors of some pairs; a premise that is too long loses its end."""
        rows, types = [], []
        for pair in pairs:
            premise = self.tokens.pieces(pair.premise)
            hypothesis = self.tokens.numbers(pair.hypothesis)[: self.longest // 2]
            joined = self.tokens.join(premise, [hypothesis])
            if (over := len(joined.ids) - self.longest) > 0:
                first = joined.types.index(1)
                del joined.ids[first - 1 - over : first - 1]  # before the [SEP] of the premise
                del joined.types[first - 1 - over : first - 1]
            rows.append(joined.ids)
            types.append(joined.types)
        labels = [
            _EITHER if pair.label == NOT_ENTAILED else LABELS.index(pair.label) for pair in pairs
        ]
        return {"inputs": {**masked(rows), "types": padded(types)}, "labels": torch.tensor(labels)}


@dataclass
class EntailmentEvaluation:
    """The accuracy on held-out pairs, of every corpus and in all."""

    pairs: Sequence[Entailment]
    collator: EntailmentCollator

    def __call__(self, network: EntailmentNetwork) -> dict[str, float]:
        """The share of pairs whose most likely label is right."""
        right: dict[str, list[bool]] = defaultdict(list)
        device = next(network.parameters()).device
        ordered = sorted(self.pairs, key=lambda one: len(one.premise) + len(one.hypothesis))
        for first in range(0, len(ordered), _ROWS):
            pairs = ordered[first : first + _ROWS]
            batch = self.collator.collate(pairs)
            inputs = {name: values.to(device) for name, values in batch["inputs"].items()}
            hits = _right(network.logits(**inputs).cpu(), batch["labels"])
            for pair, hit in zip(pairs, hits.tolist(), strict=True):
                right[pair.corpus].append(hit)
                right["all"].append(hit)
        return {name: round(sum(hits) / len(hits), 4) for name, hits in sorted(right.items())}


def train_entailment(
    settings: EntailmentSettings, progress: setup.Progress | None = None
) -> setup.TrainingResult:
    """Train, evaluate on held-out pairs now and then, and write a folder for `nli:model`."""
    base = setup.prepare(settings)
    pairs = _read(settings.data, dev=False)
    held_out = _read(settings.data, dev=True)
    if not pairs:
        raise DataError(
            "has no pair of premise and hypothesis",
            path=settings.data[0],
            remedy="give a folder of CSV files with premise, hypothesis and label",
        )
    tokens = setup.read_tokenizer(base.folder)
    collator = EntailmentCollator(
        pairs, tokens, size=settings.batch, longest=settings.longest, seed=settings.seed
    )
    built: list[EntailmentNetwork] = []

    def build(bert: BertModel) -> EntailmentNetwork:
        built.append(EntailmentNetwork(bert))
        return built[0]

    names = [
        {"name": name, "items": count}
        for name, count in sorted(Counter(pair.corpus for pair in pairs).items())
    ]
    done = run_training(
        "entailment",
        settings,
        base,
        build=build,
        collator=collator,
        evaluation=EntailmentEvaluation(held_out, collator) if held_out else None,
        material={"data": names, "pairs": len(pairs)},
        progress=progress,
    )
    if is_first():
        _write(built[0], settings)
    return done


def _read(folders: Sequence[Path], *, dev: bool) -> list[Entailment]:
    """The pairs with a known label."""
    known = (*LABELS, NOT_ENTAILED)
    every = [pair for folder in folders for pair in read_entailments(folder, dev=dev)]
    return [pair for pair in every if pair.label in known]


def _write(network: EntailmentNetwork, settings: EntailmentSettings) -> None:
    """Write the classifier over the plain BERT of the checkpoint, and its tokenizer."""
    with silence():
        network.classifier_of_transformers().save_pretrained(settings.out)
        tokenizer = BertTokenizer(str(settings.out / "vocab.txt"), do_lower_case=True)
        tokenizer.model_max_length = network.bert.config.max_position_embeddings
        tokenizer.save_pretrained(settings.out)
