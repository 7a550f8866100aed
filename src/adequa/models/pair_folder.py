"""What a folder of a foreign classifier says of it: its labels, and how it cuts a pair of texts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adequa.errors import MissingExtra, ModelError
from adequa.models.wordpiece import WordPiece

__all__ = [
    "ONNX_FILES",
    "Encoded",
    "PairTokenizer",
    "labels_of",
    "onnx_file",
    "read_config",
    "read_tokenizer",
]

ONNX_FILES = ("model.onnx", "onnx/model.onnx")
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_MARKERS = ("[unused1]", "[unused2]", "[unused3]")

Encoded = tuple[Sequence[int], Sequence[int]]
"""Numbers of word pieces, and for each whether it is of the first text or the second."""


class PairTokenizer(NamedTuple):
    """What cuts a pair into word pieces."""

    encode: Callable[[str, str], Encoded]
    pad: int
    limit: int | None
    """The most pieces a pair may have, where its settings say."""


def onnx_file(folder: Path) -> Path | None:
    """The model in a folder, if it is one of ONNX."""
    return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)


def read_config(folder: str | Path) -> Mapping[str, Any]:
    """The `config.json` of a model's folder."""
    config = _json(Path(folder) / "config.json")
    if config is None:
        raise ModelError(
            f"{folder}: has no config.json; give the folder of a whole model, as save_pretrained "
            "of transformers writes it"
        )
    return config


def labels_of(folder: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the columns by their number."""
    names = config.get("id2label")
    try:
        numbered = {int(number): str(name) for number, name in names.items()}  # type: ignore[union-attr]
    except (AttributeError, ValueError):
        numbered = {}
    if not numbered or sorted(numbered) != list(range(len(numbered))):
        raise ModelError(
            f"{folder / 'config.json'}: id2label does not name the labels from 0 on; write it, "
            'such as {"0": "contradiction", "1": "neutral", "2": "entailment"}'
        )
    return tuple(numbered[number] for number in range(len(numbered)))


def read_tokenizer(folder: Path) -> PairTokenizer:
    """The tokenizer of a model: ours for an uncased BERT, else that of the extra `hf`."""
    settings = _json(folder / "tokenizer_config.json") or {}
    most = settings.get("model_max_length")  # where there is none, transformers writes 1e30
    limit = int(most) if isinstance(most, int | float) and 0 < most < 1 << 30 else None
    vocabulary, whole = folder / "vocab.txt", folder / "tokenizer.json"
    if vocabulary.is_file() and (words := _uncased_bert(vocabulary, settings)):
        reader = WordPiece(words)
        return PairTokenizer(_by_wordpiece(reader), reader.pad, limit)
    if not whole.is_file():
        raise ModelError(
            f"{folder}: has neither the vocab.txt of an uncased BERT nor a tokenizer.json; save "
            "the model's fast tokenizer there with save_pretrained of transformers"
        )
    tokenizer = _load_tokenizer(whole)
    known = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
    pad = next((number for number in known if number is not None), 0)
    return PairTokenizer(_by_tokenizer(tokenizer), pad, limit)


def _uncased_bert(path: Path, settings: Mapping[str, Any]) -> list[str]:
    """The vocabulary with our markers, which no text can hold; nothing where it is another kind."""
    try:
        words = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: cannot be read ({error}); copy the model again") from None
    known = set(words)
    plain = (settings.get(name, True) for name in ("do_lower_case", "tokenize_chinese_chars"))
    capitals = any(word != word.lower() and word[0] != "[" for word in words)
    if not all(plain) or settings.get("strip_accents") is False or capitals:
        return []
    if not known.issuperset(_SPECIAL):
        return []
    return [*words, *(marker for marker in _MARKERS if marker not in known)]


def _by_wordpiece(reader: WordPiece) -> Callable[[str, str], Encoded]:
    def encode(first: str, second: str) -> Encoded:
        start, end = reader.start, reader.separator
        one, other = reader.numbers(first), reader.numbers(second)
        ids = [start, *one, end, *other, end]
        return ids, [0] * (len(one) + 2) + [1] * (len(other) + 1)

    return encode


def _load_tokenizer(path: Path) -> Any:
    try:
        package = importlib.import_module("tokenizers")
    except ImportError:
        raise MissingExtra("hf", "tokenizers") from None
    try:
        tokenizer = package.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises nothing narrower
        raise ModelError(f"{path}: cannot be read ({_short(error)}); save it again") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _by_tokenizer(tokenizer: Any) -> Callable[[str, str], Encoded]:
    def encode(first: str, second: str) -> Encoded:
        # One by one: its batches run in threads, which a forked process would lack.
        found = tokenizer.encode(first, second)
        return found.ids, found.type_ids

    return encode


def _json(path: Path) -> dict[str, Any] | None:
    """What a JSON file holds; None where there is none."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error}); copy the model again") from None
    if not isinstance(values, dict):
        raise ModelError(f"{path}: is no JSON object; copy the model again")
    return values


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:300]}"
