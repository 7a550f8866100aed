"""A tiny BERT with random weights to start a training from."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from . import corpora

SPECIAL = ("[PAD]", "[unused1]", "[unused2]", "[unused3]", "[UNK]", "[CLS]", "[SEP]")
WORDS = ("is", "was", "the", "in", "of", "a", "on", "town", "country", "leader", "has", "born")


def write_base(folder: Path, *, layers: int = 2) -> Path:
    """Save a random BERT whose words are letters, names, a few words and what is special."""
    torch = pytest.importorskip("torch", reason="the extra train is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
    pytest.importorskip("accelerate", reason="the extra train is not installed")
    words = vocabulary()
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=48,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=128,
        initializer_range=0.1,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return folder


def vocabulary() -> list[str]:
    letters = string.ascii_lowercase + string.digits + string.punctuation
    names = [*corpora.TOWNS, *corpora.LANDS, *" ".join(corpora.PEOPLE).split()]
    whole = [*SPECIAL, *letters, *(f"##{one}" for one in letters), *WORDS, *map(str.lower, names)]
    return list(dict.fromkeys(whole))
