"""Classifiers of text pairs for natural language inference: ONNX folders, and the labels' meaning.

A folder holds `model.onnx` (or `onnx/model.onnx`), `config.json` with `id2label`, and a tokenizer:
the `vocab.txt` of an uncased BERT, which we read ourselves, or `tokenizer.json` (extra `hf`). It
runs on the CPU without torch. Other models come from `adequa.models.hub`; see `open_pairs`.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from adequa.errors import MissingExtra, ModelError
from adequa.models.runtime import PerProcess, batches, open_session, padded_length, short_error
from adequa.models.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adequa.models.hub import HubPairs

ONNX_FILES = ("model.onnx", "onnx/model.onnx")
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_MARKERS = ("[unused1]", "[unused2]", "[unused3]")

Encoded = tuple[Sequence[int], Sequence[int]]
"""Numbers of word pieces, and for each 0 in the first text or 1 in the second."""


class PairTokenizer(NamedTuple):
    """A tokenizer of text pairs."""

    encode: Callable[[str, str], Encoded]
    pad: int
    limit: int | None
    """The most pieces of a pair, if its settings have a limit."""


def onnx_file(folder: Path) -> Path | None:
    """The ONNX file of a folder, if any."""
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
    """The names of the columns in order."""
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
    most = settings.get("model_max_length")  # transformers writes 1e30 for no limit
    limit = int(most) if isinstance(most, int | float) and 0 < most < 1 << 30 else None
    vocabulary, whole = folder / "vocab.txt", folder / "tokenizer.json"
    if vocabulary.is_file() and (words := _uncased_bert(vocabulary, settings)):
        reader = WordPiece(words)

        def encode(first: str, second: str) -> Encoded:
            pair = reader.join(reader.pieces(first), [reader.numbers(second)])
            return pair.ids, pair.types

        return PairTokenizer(encode, reader.pad, limit)
    if not whole.is_file():
        raise ModelError(
            f"{folder}: has neither the vocab.txt of an uncased BERT nor a tokenizer.json; save "
            "the model's fast tokenizer there with save_pretrained of transformers"
        )
    tokenizer = _load_tokenizer(whole)
    known = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
    pad = next((number for number in known if number is not None), 0)

    def encode_fast(first: str, second: str) -> Encoded:
        # One by one, because its batches run in threads, which a forked process does not have.
        found = tokenizer.encode(first, second)
        return found.ids, found.type_ids

    return PairTokenizer(encode_fast, pad, limit)


def _uncased_bert(path: Path, settings: Mapping[str, Any]) -> list[str]:
    """The vocabulary with our markers added; empty if it is not that of an uncased BERT."""
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


def _load_tokenizer(path: Path) -> Any:
    try:
        package = importlib.import_module("tokenizers")
    except ImportError:
        raise MissingExtra("hf", "tokenizers") from None
    try:
        tokenizer = package.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises nothing narrower
        raise ModelError(f"{path}: cannot be read ({short_error(error)}); save it again") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _json(path: Path) -> dict[str, Any] | None:
    """The object of a JSON file; None if there is no file."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error}); copy the model again") from None
    if not isinstance(values, dict):
        raise ModelError(f"{path}: is not a JSON object; copy the model again")
    return values


_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_NUMBERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
_SHIFTED = frozenset({"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"})
"""Models (`model_type`) whose positions begin after the number of their padding."""
_REMEDY = "export it again for sequence classification, with open batch and sequence axes"
_LOADED: PerProcess[Any] = PerProcess(inherited=False)


class _Loaded(NamedTuple):
    session: Any
    output: str
    inputs: Mapping[str, str]
    """The number type of each input."""
    tokenizer: PairTokenizer
    pad: int
    limit: int | None
    labels: int
    exclusive: bool
    """Whether exactly one label holds."""


@dataclass(frozen=True)
class OnnxPairs:
    """An ONNX classifier with the interface of `HubPairs`, loaded at first use.

    A pair is padded to a multiple of its own length alone, so its batch does not change its result.
    """

    folder: str | Path
    threads: int = 1
    batch_tokens: int = 768
    batch_size: int = 64

    @property
    def model(self) -> str:
        """Its name in messages."""
        return str(self.folder)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the columns, from `config.json`."""
        return labels_of(Path(self.folder), read_config(self.folder))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...] | None]:
        """One probability per label for each pair; None for a pair too long for the model.

        Probabilities of exclusive labels sum to one.
        """
        loaded = self._loaded()
        encoded = [loaded.tokenizer.encode(*pair) for pair in pairs]
        limit = math.inf if loaded.limit is None else loaded.limit
        fitting = [number for number, (ids, _) in enumerate(encoded) if len(ids) <= limit]
        found: list[tuple[float, ...] | None] = [None] * len(pairs)
        lengths = [len(encoded[number][0]) for number in fitting]
        for batch in batches(lengths, self.batch_tokens, self.batch_size):
            numbers = [fitting[place] for place in batch]
            rows = self._run(loaded, [encoded[number] for number in numbers])
            for number, row in zip(numbers, rows.tolist(), strict=True):
                found[number] = tuple(row)
        return found

    def _run(self, loaded: _Loaded, batch: Sequence[Encoded]) -> NDArray[np.float64]:
        import numpy as np

        width = padded_length(len(batch[0][0]))
        width = width if loaded.limit is None else min(width, loaded.limit)
        values = {name: np.zeros((len(batch), width), dtype=np.int64) for name in _INPUTS}
        values["input_ids"][:] = loaded.pad
        for row, (ids, types) in enumerate(batch):
            values["input_ids"][row, : len(ids)] = ids
            values["attention_mask"][row, : len(ids)] = 1
            values["token_type_ids"][row, : len(ids)] = types
        feed = {name: values[name].astype(kind) for name, kind in loaded.inputs.items()}
        try:
            (logits,) = loaded.session.run([loaded.output], feed)
        except Exception as error:  # onnxruntime has a dozen errors without a common base
            raise ModelError(
                f"{self.folder}: fails on {len(batch)} × {width} word pieces "
                f"({short_error(error)}); {_REMEDY}"
            ) from error
        if logits.shape != (len(batch), loaded.labels):
            raise ModelError(
                f"{self.folder}: {loaded.output!r} has the shape {logits.shape} for {len(batch)} "
                f"pairs and {loaded.labels} labels (id2label in its config.json); {_REMEDY}"
            )
        if not np.isfinite(logits).all():
            raise ModelError(f"{self.folder}: gives numbers that are not finite; {_REMEDY}")
        return _shares(logits.astype(np.float64), exclusive=loaded.exclusive)

    def _loaded(self) -> _Loaded:
        key = Path(self.folder).resolve(), self.threads
        loaded: _Loaded = _LOADED.get(key, lambda: _load(Path(self.folder), self.threads))
        return loaded


def _shares(logits: NDArray[np.float64], *, exclusive: bool) -> NDArray[np.float64]:
    import numpy as np

    shares: NDArray[np.float64] = 0.5 * (1 + np.tanh(logits / 2))
    if exclusive:
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _load(folder: Path, threads: int) -> _Loaded:
    path = onnx_file(folder)
    if path is None:
        raise ModelError(f"{folder}: has no {' or '.join(ONNX_FILES)}; give a folder that has")
    config, tokenizer = read_config(folder), read_tokenizer(folder)
    pad, limit = config.get("pad_token_id"), tokenizer.limit
    pad = pad if isinstance(pad, int) else tokenizer.pad
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        positions -= pad + 1 if config.get("model_type") in _SHIFTED else 0
        limit = min(limit or positions, positions)
    labels = len(labels_of(folder, config))
    exclusive = labels > 1 and config.get("problem_type") != "multi_label_classification"
    session = open_session(path, threads, remedy=_REMEDY)
    inputs = {one.name: _NUMBERS.get(one.type, "") for one in session.get_inputs()}
    outputs = [one.name for one in session.get_outputs()]
    if "input_ids" not in inputs or not set(inputs) <= set(_INPUTS) or "" in inputs.values():
        raise ModelError(
            f"{path}: reads {', '.join(inputs)}, where whole numbers for {', '.join(_INPUTS)} can "
            f"be given; {_REMEDY}"
        )
    if "logits" not in outputs and len(outputs) != 1:
        raise ModelError(f"{path}: gives {', '.join(outputs)} and no logits; {_REMEDY}")
    output = "logits" if "logits" in outputs else outputs[0]
    return _Loaded(
        session=session,
        output=output,
        inputs=inputs,
        tokenizer=tokenizer,
        pad=pad,
        limit=limit,
        labels=labels,
        exclusive=exclusive,
    )


_ENTAILMENT = ("entailment", "entailed", "entails", "entail", "supported", "supports", "consistent")
_CONTRADICTION = ("contradiction", "contradicted", "contradicts", "contradictory", "contradict")
_REFUTED = ("refuted", "refutes", "conflicting")
_NEUTRAL = ("neutral", "not_enough_info", "nei", "unknown", "unrelated")
_UNNAMED = re.compile(r"label_\d+|\d+")
_APART = re.compile(r"[^a-z]+")
_HUB_NAME = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?", re.ASCII)
_EXAMPLE = '{"0": "contradiction", "1": "neutral", "2": "entailment"}'


class Pairs(Protocol):
    """A classifier of premise and hypothesis."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...] | None]:
        """One probability per label for each pair; None for a pair that is too long."""


@dataclass(frozen=True, slots=True)
class NliLabels:
    """The columns of the labels of a classifier; None for a label it does not have."""

    entailment: int
    contradiction: int | None = None
    neutral: int | None = None

    @classmethod
    def of(cls, pairs: HubPairs | OnnxPairs) -> NliLabels:
        """The labels of a classifier."""
        return cls.read(pairs.model, pairs.labels)

    @classmethod
    def read(cls, model: str, names: Sequence[str]) -> NliLabels:
        """The labels by their names, in any order and case; an unknown name is never guessed.

        >>> NliLabels.read("some-model", ["ENTAILMENT", "not_entailment"])
        NliLabels(entailment=0, contradiction=None, neutral=None)
        """
        plain = [_APART.sub("_", name.casefold()).strip("_") for name in names]
        entailment = _column(model, names, plain, _ENTAILMENT)
        if entailment is None:
            said = ", ".join(names) or "none"
            if names and all(_UNNAMED.fullmatch(name.casefold()) for name in names):
                raise ModelError(
                    f"{model}: its labels have no names ({said}); copy the model into a folder and "
                    f"write id2label into its config.json as its card has it, such as {_EXAMPLE}"
                )
            raise ModelError(
                f"{model}: has no entailment label: {said}; name a model for natural "
                f"language inference, or correct id2label in its config.json, such as {_EXAMPLE}"
            )
        contradiction = _column(model, names, plain, (*_CONTRADICTION, *_REFUTED))
        return cls(entailment, contradiction, _column(model, names, plain, _NEUTRAL))

    def entailed(self, row: Sequence[float]) -> float:
        """Above one half exactly if entailment is the most likely label.

        >>> NliLabels(2).entailed([0.25, 0.25, 0.5])
        0.6666666666666666
        """
        return _against_others(row, self.entailment)

    def contradicted(self, row: Sequence[float]) -> float | None:
        """Above one half exactly if contradiction is the most likely label."""
        return None if self.contradiction is None else _against_others(row, self.contradiction)


def _against_others(row: Sequence[float], column: int) -> float:
    """A label's probability relative to its strongest rival's."""
    own = row[column]
    rival = max((one for number, one in enumerate(row) if number != column), default=1 - own)
    return own / (own + rival) if own > 0 else 0.0


def _column(
    model: str, names: Sequence[str], plain: Sequence[str], known: Sequence[str]
) -> int | None:
    columns = [number for number, name in enumerate(plain) if name in known]
    if len(columns) > 1:
        said = " and ".join(names[number] for number in columns)
        raise ModelError(
            f"{model}: the labels {said} mean the same; correct id2label in its config.json"
        )
    return columns[0] if columns else None


def open_pairs(model: str, revision: str | None = None) -> HubPairs | OnnxPairs:
    """The model of a local folder, run by ONNX if it has such a file, or a model of the hub.

    Missing files are reported at once; weights are loaded with the first pair.
    """
    folder = Path(model)
    if folder.is_dir():
        read_config(folder)
        if revision is not None:
            raise ModelError(
                f"{model}: is a folder, which has no revision {revision!r}; leave revision out"
            )
        if onnx_file(folder) is not None:
            return OnnxPairs(model)
    elif folder.exists() or not _HUB_NAME.fullmatch(model):
        problem = "is not a folder" if folder.exists() else "there is no such folder"
        remedy = "give the folder of a model, or a name of the hub such as roberta-large-mnli"
        raise ModelError(f"{model}: {problem}; {remedy}")
    from adequa.models.hub import HubPairs

    return HubPairs(model, revision)
