"""Tiny models of others, of random numbers: what a user would name of the hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .tiny_weights import WORDS

POSITIONS = 40
_REASON = "the extra hf is not installed"


def write_classifier(folder: Path, *labels: str, **settings: Any) -> str:
    """A classifier of two texts, with labels."""
    torch = pytest.importorskip("torch", reason=_REASON)
    transformers = pytest.importorskip("transformers", reason=_REASON)
    tokenizer = _tokenizer(transformers, folder, markers=False)
    torch.manual_seed(1)
    names = dict(enumerate(labels))
    config = transformers.BertConfig(
        **_settings(len(tokenizer)),
        id2label=names,
        label2id={name: number for number, name in names.items()},
        **settings,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def write_encoder(folder: Path, *, markers: bool) -> str:
    """A sentence-transformers model in `whole`, of the one in `base`."""
    package = pytest.importorskip("sentence_transformers", reason=_REASON)
    torch = pytest.importorskip("torch", reason=_REASON)
    transformers = pytest.importorskip("transformers", reason=_REASON)
    base = folder / "base"
    tokenizer = _tokenizer(transformers, base, markers)
    torch.manual_seed(1)
    config = transformers.BertConfig(**_settings(len(tokenizer)))
    transformers.BertModel(config).save_pretrained(base)
    tokenizer.save_pretrained(base)
    package.SentenceTransformer(str(base), device="cpu").save(str(folder / "whole"))
    return str(folder / "whole")


def _tokenizer(transformers: Any, folder: Path, markers: bool) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "vocab.txt"
    path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    made = transformers.BertTokenizerFast(vocab=str(path), model_max_length=POSITIONS)
    if markers:
        made.add_special_tokens({"additional_special_tokens": ["[S]", "[P]", "[O]"]})
    return made


def _settings(size: int) -> dict[str, Any]:
    return {
        "vocab_size": size,
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "max_position_embeddings": POSITIONS,
    }
