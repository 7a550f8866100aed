"""The two networks that are trained: twin encoders, and the verifier with its heads.

Imports torch: only the functions that train import this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from adequa.perturb import UNKNOWN
from adequa.training.verifier import HEADS

TEMPERATURE = 0.05
"""Of the contrastive loss, for the shipped encoder; no record of the data it was chosen on."""
CHUNK = 16
"""Rows that run together; it affects speed and memory only."""


def load_bert(folder: Path, *, frozen: int = 0, layers: Sequence[int] = ()) -> BertModel:
    """A BERT without pooler; its word table is rounded to int8 rows, as it ships, and frozen.

    So are its first `frozen` layers: most of what they know serves graphs as well, and a step
    costs a good deal less. `layers` are those that are kept, all unless given: half of them cost
    half the time wherever the model runs.
    """
    config = BertConfig.from_pretrained(folder)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    bert = BertModel.from_pretrained(
        folder,
        config=config,
        add_pooling_layer=False,
        # For rows of some 40 tokens torch's fused attention takes longer backwards than everything
        # else on a CPU: 16 instead of 24 rows per second with 12 layers of 384 on one core.
        attn_implementation="eager",
    )
    if layers:
        bert.encoder.layer = nn.ModuleList([bert.encoder.layer[number] for number in layers])
        bert.config.num_hidden_layers = len(layers)
    words = bert.embeddings.word_embeddings.weight
    with torch.no_grad():
        scales = words.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127
        words.copy_((words / scales).round() * scales)
    words.requires_grad_(False)
    if frozen:
        bert.embeddings.requires_grad_(False)
    for layer in bert.encoder.layer[:frozen]:
        layer.requires_grad_(False)
    return bert


class EncoderNetwork(nn.Module):
    """Texts and graphs into one space; the loss is the paper's, in both directions."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Unit vectors: the mean of the last hidden states."""
        vectors, order = [], []
        for rows, longest in _chunks(mask):
            kept = mask[rows, :longest]
            states = self.bert(input_ids=ids[rows, :longest], attention_mask=kept).last_hidden_state
            weights = kept.unsqueeze(-1).to(states.dtype)
            vectors.append((states * weights).sum(1) / weights.sum(1))
            order.append(rows)
        return functional.normalize(torch.cat(vectors)[torch.cat(order).argsort()], dim=-1)

    def forward(
        self, texts: Mapping[str, Tensor], graphs: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """The contrastive loss; graphs beyond the number of texts are negatives only."""
        left = self.embed(**texts)
        right = self.embed(**graphs)
        similarities = left @ right.T / TEMPERATURE
        own = torch.arange(len(left), device=left.device)
        to_graph = functional.cross_entropy(similarities, own)
        to_text = functional.cross_entropy(similarities[:, : len(left)].T, own)
        hits = (similarities.detach().argmax(1) == own).float().mean()
        return {"loss": (to_graph + to_text) / 2, "hits": hits}


class VerifierNetwork(nn.Module):
    """One pass over a text and its graph: a label for every triple and every token."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        size = bert.config.hidden_size
        self.tokens = nn.Linear(size, len(HEADS))
        self.pair = nn.Linear(size, 1)
        self.bf16 = False
        """Multiply matrices in bfloat16, which is faster where the processor can."""

    def logits(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of each token (stated, unsupported, disfluent) and of the pair."""
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=self.bf16):
            states = self.bert(
                input_ids=ids, attention_mask=mask, token_type_ids=types
            ).last_hidden_state
        states = states.to(self.tokens.weight.dtype)
        return self.tokens(states), self.pair(states[:, 0]).squeeze(-1)

    def forward(
        self, inputs: Mapping[str, Tensor], labels: Tensor, supported: Tensor
    ) -> dict[str, Tensor]:
        """The sum of the heads' losses; labels are [batch, length, 3] with -1 for not known."""
        tokens, pairs, known, right = [], [], [], []
        for rows, longest in _chunks(inputs["mask"]):
            found, pair = self.logits(
                **{name: values[rows, :longest] for name, values in inputs.items()}
            )
            tokens.append(found.flatten(0, 1))
            known.append(labels[rows, :longest].flatten(0, 1))
            pairs.append(pair)
            right.append(supported[rows])
        logits, targets = torch.cat(tokens), torch.cat(known)
        parts = {name: _loss(logits[:, head], targets[:, head]) for head, name in enumerate(HEADS)}
        parts["supported"] = _loss(torch.cat(pairs), torch.cat(right))
        return {"loss": torch.stack(list(parts.values())).sum(), **parts}


def _chunks(mask: Tensor) -> Iterator[tuple[Tensor, int]]:
    """Rows of nearly one length, and that length: little of a chunk is padding."""
    lengths = mask.sum(1)
    for rows in lengths.argsort().split(CHUNK):
        yield rows, int(lengths[rows[-1]])


def _loss(logits: Tensor, labels: Tensor) -> Tensor:
    known = labels != UNKNOWN
    if not known.any():
        return logits.sum() * 0
    return functional.binary_cross_entropy_with_logits(
        logits[known], labels[known].to(logits.dtype)
    )
