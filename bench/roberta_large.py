"""RoBERTa-large in torch with random weights, for the cost of other metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["large_model", "read_lengths"]


def large_model(torch: Any, transformers: Any) -> Any:
    """A pair classifier of that size, on one thread."""
    torch.set_num_threads(1)
    config = transformers.RobertaConfig(
        vocab_size=50_265,
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        max_position_embeddings=514,
        type_vocab_size=1,
        num_labels=3,
    )
    return transformers.RobertaForSequenceClassification(config).eval()


def read_lengths(torch: Any, model: Any, lengths: Sequence[int]) -> None:
    """One batch of inputs of these lengths, padded to the longest."""
    ids = torch.full((len(lengths), max(lengths)), 1)
    mask = torch.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(5, 50_000, (length,))
        mask[row, :length] = 1
    with torch.inference_mode():
        model(input_ids=ids, attention_mask=mask)
