"""Small dumps of invented things."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def dump(tmp_path: Path) -> Callable[..., Path]:
    """Writes lines to a dump, packed as its ending says."""

    def write(name: str, *lines: str) -> Path:
        data = "".join(f"{line}\n" for line in lines).encode()
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
        path = tmp_path / name
        path.write_bytes(pack.get(path.suffix, bytes)(data))
        return path

    return write
