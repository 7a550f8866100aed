"""Fixtures of the models' room: tiny ones, and ones that misbehave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from adequa.models.runtime import WordTable
from adequa.models.wordpiece import WordPiece

from ..tiny_weights import DIMENSIONS, FLOAT, INTEGER, WORDS, Onnx, seal, words_bytes, write_weights


@pytest.fixture(scope="session")
def words() -> list[str]:
    """The vocabulary of all tests here."""
    return WORDS


@pytest.fixture(scope="session")
def reader() -> WordPiece:
    return WordPiece(WORDS)


@pytest.fixture(scope="session")
def table() -> WordTable:
    return WordTable(**words_bytes())


@pytest.fixture(scope="session")
def write_onnx() -> Callable[[Path, str], Path]:
    """Writes a network that misbehaves in the way that is named."""

    def write(path: Path, how: str) -> Path:
        onnx = Onnx()
        if how == "not finite":
            onnx.add("Log", onnx.add("Neg", onnx.add("Abs", "words")), name="vector")
        elif how == "shape":
            onnx.add("ReduceSum", "words", name="vector", keepdims=0)
        else:
            onnx.add("MatMul", "words", onnx.constant(np.zeros((DIMENSIONS + 1, 1))), name="vector")
        path.write_bytes(onnx.finish({"words": FLOAT, "mask": INTEGER}, ["vector"]))
        return path

    return write


@pytest.fixture(scope="session")
def reseal() -> Callable[[Path], None]:
    """Writes the manifest of a folder anew."""
    return seal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of weights with everything in it."""
    return write_weights(tmp_path / "weights")
