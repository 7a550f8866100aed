"""Tiny ONNX classifiers of two texts, as a user would have exported them, of random numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .tiny_weights import FLOAT, INTEGER, WORDS, Onnx

POSITIONS = 40
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
CANONICAL = ("entailment", "neutral", "contradiction", "not_entailment")
_SIZE = 8
INTEGER_32 = 6


def classifier_bytes(
    labels: Sequence[str],
    inputs: Sequence[str] = INPUTS,
    *,
    kind: int = INTEGER,
    words: int = len(WORDS),
    output: str = "logits",
    always: Mapping[str, float] | None = None,
) -> bytes:
    """Attention over the words and the side they stand on; a label has the same numbers anywhere.

    Without a mask among the inputs, padding is read as words are. With `always`, the probabilities
    of the labels are these for every pair.
    """
    random = np.random.default_rng(8)  # one with both yes and no among its answers
    table, sides = random.normal(size=(words, _SIZE)), random.normal(size=(2, _SIZE))
    heads = dict(zip(CANONICAL, 3 * random.normal(size=(len(CANONICAL), _SIZE)), strict=True))
    others = [label.lower() for label in labels if label.lower() not in heads]
    heads |= {name: random.normal(size=_SIZE) for name in others}
    onnx = Onnx()
    states = onnx.add("Gather", onnx.constant(table), "input_ids", axis=0)
    if "token_type_ids" in inputs:
        side = onnx.add("Gather", onnx.constant(sides), "token_type_ids", axis=0)
        states = onnx.add("Add", states, side)
    like = onnx.add("MatMul", states, onnx.add("Transpose", states, perm=[0, 2, 1]))
    like = onnx.add("Mul", like, onnx.constant(0.1))
    if "attention_mask" in inputs:
        mask = onnx.add("Cast", "attention_mask", to=FLOAT)
        absent = onnx.add("Sub", mask, onnx.constant(1.0))
        away = onnx.add("Mul", absent, onnx.constant(1e9))
        like = onnx.add("Add", like, onnx.add("Unsqueeze", away, onnx.constant([1])))
    mixed = onnx.add("MatMul", onnx.add("Softmax", like, axis=2), states)
    first = onnx.add("Gather", mixed, onnx.constant(0), axis=1)
    columns = np.stack([heads[label.lower()] for label in labels], axis=1)
    if always is None:
        onnx.add("MatMul", first, onnx.constant(columns), name=output)
    else:
        nothing = onnx.add("MatMul", first, onnx.constant(np.zeros_like(columns)))
        fixed = np.log([always[label.lower()] for label in labels])
        onnx.add("Add", nothing, onnx.constant(fixed), name=output)
    return onnx.finish(dict.fromkeys(inputs, kind), [output])


def write_onnx_classifier(
    folder: Path, *labels: str, place: str = "model.onnx", config: Any = None, **settings: Any
) -> Path:
    """A folder with a model, its configuration and the vocabulary of an uncased BERT."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(classifier_bytes(labels, **settings))
    said = {
        "model_type": "bert",
        "id2label": {str(number): name for number, name in enumerate(labels)},
        "max_position_embeddings": POSITIONS,
        "pad_token_id": 0,
    }
    text = json.dumps({**said, **(config or {})})
    (folder / "config.json").write_text(text, encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return folder


def write_tokenizer(folder: Path, tokenizers: Any, *, lowercase: bool = True) -> None:
    """The same vocabulary as a `tokenizer.json`, in place of `vocab.txt`."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    made.enable_truncation(16)  # what a user's file may ask for, and must not be done
    made.enable_padding()
    made.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").unlink()
