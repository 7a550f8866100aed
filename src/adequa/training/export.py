"""Turns checkpoints of training into the files a package ships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adequa.errors import DataError, ModelError, SettingError
from adequa.training.exporting.bert import build_encoder, build_verifier, kept_layers
from adequa.training.exporting.cards import card_fields, render_card
from adequa.training.exporting.checkpoint import WORDS, Checkpoint, read_checkpoint
from adequa.training.exporting.drift import Drift, drift
from adequa.training.exporting.folder import read_manifest, seal, word_table, write_files

__all__ = ["Drift", "Exported", "drift", "export", "read_checkpoint", "seal"]

_BUILDERS = {"encoder": build_encoder, "verifier": build_verifier}
_SHARED = ("words.npz", "vocabulary.txt")


@dataclass(frozen=True)
class Exported:
    """A folder that was written, and its manifest."""

    folder: Path
    manifest: dict[str, Any]

    @property
    def size(self) -> int:
        """Bytes of all files the manifest vouches for."""
        return sum(file["size"] for file in self.manifest["files"].values())


def export(
    *checkpoints: Path | str,
    out: Path | str,
    precision: str = "int8",
    keep: Sequence[str] = (),
    version: str | None = None,
    force: bool = False,
) -> Exported:
    """Write an encoder, a verifier or both, with the word table they share, cards and manifest.

    `keep` names linear layers that stay exact (`0.qkv`, `*.down`). The version is the folder's name
    unless given. A folder may get its second model later, if both have the same words.
    """
    folder = Path(out)
    if not checkpoints:
        raise SettingError("there is nothing to export: give a checkpoint")
    if folder.exists() and not folder.is_dir():
        raise DataError("is a file", path=folder, remedy="give a folder")
    read: dict[str, Checkpoint] = {}
    for path in checkpoints:
        checkpoint = read_checkpoint(Path(path))
        if checkpoint.kind in read:
            raise ModelError(f"{path}: is a second {checkpoint.kind}; give one of each kind")
        read[checkpoint.kind] = checkpoint
    _check_same_words(list(read.values()))
    one = next(iter(read.values()))
    shared = dict(zip(_SHARED, (word_table(one[WORDS]), one.vocabulary), strict=True))
    _check_folder(folder, read, shared, force=force)
    label = version or folder.absolute().name
    files = dict(shared)
    models = {}
    for kind, checkpoint in read.items():
        files[f"{kind}.onnx"] = _BUILDERS[kind](checkpoint, precision, keep)
        kept = tuple(sorted(kept_layers(checkpoint, keep))) if precision == "int8" else ()
        models[kind] = card_fields(checkpoint, precision, kept)
        files[f"{kind}.md"] = render_card(label, models[kind]).encode()
    write_files(folder, files)
    return Exported(folder, seal(folder, version=label, models=models))


def _check_same_words(checkpoints: Sequence[Checkpoint]) -> None:
    """Two models share one table of words, so that training must have left it alone."""
    first = checkpoints[0]
    for other in checkpoints[1:]:
        if other.vocabulary != first.vocabulary:
            raise ModelError(f"{other.folder}: has another vocabulary than {first.folder}")
        if not np.array_equal(other[WORDS], first[WORDS]):
            changed = int((other[WORDS] != first[WORDS]).any(axis=1).sum())
            raise ModelError(
                f"{other.folder}: has other vectors than {first.folder} for {changed:,} words; "
                "train both with frozen word vectors"
            )


def _check_folder(
    folder: Path, read: dict[str, Checkpoint], shared: dict[str, bytes], *, force: bool
) -> None:
    """Nothing is replaced unasked, and a model that stays keeps the words it was trained with."""
    there = read_manifest(folder).get("models", {})
    for kind in read:
        if (kind in there or (folder / f"{kind}.onnx").exists()) and not force:
            raise DataError(
                f"has the {kind} already",
                path=folder,
                remedy="name another folder, or say --force",
            )
    if not set(there) - set(read):
        return
    for name, content in shared.items():
        path = folder / name
        if path.is_file() and path.read_bytes() != content:
            raise DataError(
                "belongs to the model that stays, and the new one has another",
                path=path,
                remedy="export both into a new folder",
            )
