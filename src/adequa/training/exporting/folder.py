"""The folder of a version of weights: its files, and a manifest that vouches for them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from adequa.errors import DataError, ModelError
from adequa.training.exporting.checkpoint import Array
from adequa.training.exporting.quantising import quantise_rows

__all__ = ["MANIFEST", "read_manifest", "seal", "word_table", "write_files"]

MANIFEST = "manifest.json"
_FORMAT = 1


def word_table(table: Array) -> bytes:
    """`words.npz`: a row of int8 and a scale for each word."""
    rows, scales = quantise_rows(table)
    stream = io.BytesIO()
    np.savez(stream, rows=rows, scales=scales)
    return stream.getvalue()


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a folder says of itself; nothing where there is no manifest yet."""
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from None
    if not (isinstance(read, dict) and isinstance(read.get("models"), dict)):
        raise ModelError(f"{path}: is not a manifest of weights")
    return read


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files, each whole or not at all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            temporary = folder / f".{name}.{secrets.token_hex(4)}"
            try:
                with temporary.open("xb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                temporary.replace(folder / name)
            finally:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror or error})", path=folder, remedy="check the path"
        ) from None


def seal(
    folder: Path, *, version: str | None = None, models: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write the manifest anew over all files that are there, and return it.

    Call it again after adding a file such as `calibration.json`: version and cards stay unless
    given.
    """
    before = read_manifest(folder)
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and path.name != MANIFEST and not path.name.startswith(".")
    )
    manifest = {
        "format": _FORMAT,
        "version": version or before.get("version") or folder.absolute().name,
        "files": {name: _fingerprint(folder / name) for name in names},
        "models": {**before.get("models", {}), **(models or {})},
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=2)
    write_files(folder, {MANIFEST: f"{text}\n".encode()})
    return manifest


def _fingerprint(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
