"""Classifiers of two texts that others exported to ONNX: no torch, on the CPU.

A folder holds `model.onnx` (or `onnx/model.onnx`), `config.json` with `id2label`, and a tokenizer:
`vocab.txt` of an uncased BERT, which we read ourselves, or `tokenizer.json` (extra `hf`).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from adequa.errors import ModelError
from adequa.models.pair_folder import (
    ONNX_FILES,
    Encoded,
    PairTokenizer,
    labels_of,
    onnx_file,
    read_config,
    read_tokenizer,
)
from adequa.models.process import PerProcess
from adequa.models.runtime import batches, padded_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OnnxPairs"]

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_NUMBERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
_SHIFTED = frozenset({"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"})
"""Models (`model_type`) whose first position follows the number of their padding."""
_REMEDY = "export it again for sequence classification, with open batch and sequence axes"
_LOADED: PerProcess[Any] = PerProcess(inherited=False)


class _Loaded(NamedTuple):
    session: Any
    output: str
    inputs: Mapping[str, str]
    """The kind of number each input is."""
    tokenizer: PairTokenizer
    pad: int
    limit: int | None
    labels: int
    exclusive: bool
    """Whether the labels exclude each other."""


@dataclass(frozen=True)
class OnnxPairs:
    """A classifier in a folder, with the interface of `HubPairs`; the first use loads it.

    A pair is padded to a length that follows from its own alone, so its company changes nothing.
    """

    folder: str | Path
    threads: int = 1
    batch_tokens: int = 768
    batch_size: int = 64

    @property
    def model(self) -> str:
        """What it is called in messages."""
        return str(self.folder)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the columns mean, as `config.json` has it."""
        return labels_of(Path(self.folder), read_config(self.folder))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...] | None]:
        """A probability a label for each pair; None for a pair that is too long for the model.

        Where labels exclude each other they sum to one; a single label stands by itself.
        """
        loaded = self._loaded()
        encoded = [loaded.tokenizer.encode(*pair) for pair in pairs]
        limit = loaded.limit
        fitting = [
            number for number, (ids, _) in enumerate(encoded) if limit is None or len(ids) <= limit
        ]
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
        except Exception as error:  # onnxruntime has a dozen errors and no tree
            raise ModelError(
                f"{self.folder}: fails on {len(batch)} × {width} word pieces ({_short(error)}); "
                f"{_REMEDY}"
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

    if exclusive:
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return shares
    sigmoid: NDArray[np.float64] = 0.5 * (1 + np.tanh(logits / 2))
    return sigmoid


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
    session = _session(path, threads)
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
    return _Loaded(session, output, inputs, tokenizer, pad, limit, labels, exclusive)


def _session(path: Path, threads: int) -> Any:
    onnxruntime = importlib.import_module("onnxruntime")  # it has no types
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # as in `runtime`: a plan for every shape fills the memory
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above
        raise ModelError(f"{path}: cannot be loaded ({_short(error)}); {_REMEDY}") from error


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:300]}"
