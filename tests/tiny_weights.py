"""Tiny models, written byte by byte: what runs them needs no package that writes them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FLOAT, INTEGER = 1, 7
SPECIAL = ["[PAD]", "[unused1]", "[unused2]", "[unused3]", "[UNK]", "[CLS]", "[SEP]"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = [
    *SPECIAL,
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
    *".,!?'\"()[]-;·`—",
    *("the", "pub", "city", "##ing", "##ed", "cafe", "##fe", "aarhus", "airport", "serve"),
    *("文", "本", "ᄀ", "##ᅡ", "##ᆨ", "ß", "##ß", "ﬁ", "##ﬁ", "σ", "##σ", "😀", "##😀", "ı", "ø"),
]
DIMENSIONS = 8


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _whole(field_number: int, value: int) -> bytes:
    return _number(field_number << 3) + _number(value)


def _bytes(field_number: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _number(field_number << 3 | 2) + _number(len(raw)) + raw


@dataclass
class Onnx:
    """An ONNX file in the making, as its protocol buffers are laid out."""

    nodes: bytes = b""
    constants: bytes = b""
    count: int = 0

    def constant(self, value: Any) -> str:
        array = np.asarray(value)
        array = array.astype(np.float32 if array.dtype.kind == "f" else np.int64)
        self.count += 1
        name = f"constant{self.count}"
        kind = FLOAT if array.dtype == np.float32 else INTEGER
        dimensions = b"".join(_whole(1, size) for size in array.shape)
        tensor = dimensions + _whole(2, kind) + _bytes(8, name) + _bytes(9, array.tobytes())
        self.constants += _bytes(5, tensor)
        return name

    def add(
        self, operation: str, *inputs: str, name: str | None = None, **settings: int | list[int]
    ) -> str:
        self.count += 1
        name = name or f"value{self.count}"
        node = b"".join(_bytes(1, one) for one in inputs) + _bytes(2, name) + _bytes(4, operation)
        for key, value in settings.items():
            if isinstance(value, int):
                given = _whole(3, value) + _whole(20, 2)
            else:
                given = b"".join(_whole(8, one) for one in value) + _whole(20, 7)
            node += _bytes(5, _bytes(1, key) + given)
        self.nodes += _bytes(1, node)
        return name

    def finish(self, inputs: Mapping[str, int], outputs: Sequence[str]) -> bytes:
        """The file; inputs are floats or whole numbers, and shapes are left open."""
        graph = self.nodes + _bytes(2, "test") + self.constants
        for name, kind in inputs.items():
            rank = 3 if kind == FLOAT else 2
            axes = b"".join(_bytes(1, _bytes(2, f"{name}{axis}")) for axis in range(rank))
            graph += _bytes(11, self._value(name, kind, _bytes(2, axes)))
        for name in outputs:
            graph += _bytes(12, self._value(name, FLOAT, b""))
        return _whole(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _whole(2, 17))

    @staticmethod
    def _value(name: str, kind: int, shape: bytes) -> bytes:
        return _bytes(1, name) + _bytes(2, _bytes(1, _whole(1, kind) + shape))


def attention(onnx: Onnx) -> str:
    """Every word mixed with those that are like it, padding left out."""
    mask = onnx.add("Cast", "mask", to=FLOAT)
    absent = onnx.add("Sub", mask, onnx.constant(1.0))
    away = onnx.add("Mul", onnx.add("Unsqueeze", absent, onnx.constant([1])), onnx.constant(1e9))
    like = onnx.add("MatMul", "words", onnx.add("Transpose", "words", perm=[0, 2, 1]))
    share = onnx.add("Softmax", onnx.add("Add", like, away), axis=2)
    return onnx.add("MatMul", share, "words")


def encoder_bytes() -> bytes:
    """The mean of the states, of length one."""
    onnx = Onnx()
    states = attention(onnx)
    mask = onnx.add("Unsqueeze", onnx.add("Cast", "mask", to=FLOAT), onnx.constant([1]))
    total = onnx.add("Squeeze", onnx.add("MatMul", mask, states), onnx.constant([1]))
    count = onnx.add("ReduceSum", mask, onnx.constant([2]), keepdims=0)
    onnx.add("LpNormalization", onnx.add("Div", total, count), name="vector", axis=1, p=2)
    return onnx.finish({"words": FLOAT, "mask": INTEGER}, ["vector"])


def verifier_bytes() -> bytes:
    """Three numbers a word that depend on all words and on which side they stand."""
    onnx = Onnx()
    types = onnx.add("Unsqueeze", onnx.add("Cast", "types", to=FLOAT), onnx.constant([2]))
    states = onnx.add("Add", attention(onnx), types)
    random = np.random.default_rng(7)
    onnx.add("MatMul", states, onnx.constant(random.normal(size=(DIMENSIONS, 3))), name="tokens")
    onnx.add("Gather", states, onnx.constant(0), name="state", axis=1)
    onnx.add("MatMul", "state", onnx.constant(random.normal(size=(DIMENSIONS, 1))), name="pair")
    inputs = {"words": FLOAT, "mask": INTEGER, "types": INTEGER}
    return onnx.finish(inputs, ["tokens", "pair", "state"])


def words_bytes() -> dict[str, Any]:
    random = np.random.default_rng(5)
    rows = random.integers(-127, 128, size=(len(WORDS), DIMENSIONS)).astype(np.int8)
    return {"rows": rows, "scales": np.full(len(WORDS), 0.01, dtype=np.float32)}


def seal(folder: Path, version: str = "test") -> None:
    """Write the manifest of a folder as `adequa export` does."""
    files = {
        path.name: {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in folder.iterdir()
        if path.name != "manifest.json"
    }
    models = {"encoder": {"licence": "MIT"}, "verifier": {"licence": "MIT"}}
    manifest = {"format": 1, "version": version, "files": files, "models": models}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def calibration() -> dict[str, Any]:
    """Every part of a similarity, with a mean and a spread that none of its members has."""
    parts = {
        "bi": ("bi",),
        "cross": ("stated", "supported", "tokens"),
        "models": ("bi", "stated", "supported", "tokens"),
        "ensemble": ("bi", "stated", "supported", "tokens", "entities"),
    }
    member = {"mean": 0.4, "spread": 0.3, "weight": 1.0}
    return {
        part: {"members": dict.fromkeys(names, member), "slope": 1.5, "offset": 0.25}
        for part, names in parts.items()
    }


def write_weights(folder: Path) -> Path:
    """A folder of weights with everything in it."""
    folder.mkdir(parents=True)
    (folder / "encoder.onnx").write_bytes(encoder_bytes())
    (folder / "verifier.onnx").write_bytes(verifier_bytes())
    (folder / "vocabulary.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    np.savez(folder / "words.npz", **words_bytes())
    said = json.dumps({"similarity": calibration()})
    (folder / "calibration.json").write_text(said, encoding="utf-8")
    (folder / "encoder.md").write_text("# encoder test\n", encoding="utf-8")
    seal(folder)
    return folder
