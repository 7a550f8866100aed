"""The weights inside the package, and folders of the same layout that a user trained and exported.

A folder holds `encoder.onnx`, `verifier.onnx`, `words.npz`, `vocabulary.txt`, `calibration.json`, a
card for each model (`encoder.md`), and `manifest.json`: `version`, `files` by name with `size` and
`sha256`, and the cards as data in `models`. A file is checked once in a process, before it is used.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from adequa.errors import ModelError, UnknownName
from adequa.models.runtime import PerProcess

DEFAULT = "v2"
"""The weights that are used where none are named; a new default is a new version of adequa."""

_CHECKED: PerProcess[Path] = PerProcess(inherited=True)
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Weights:
    """A folder of weights, and what its manifest says of it."""

    folder: Path
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def version(self) -> str:
        """The name its makers gave it."""
        return str(self.manifest["version"])

    @property
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """The card of each model as data, by the model's kind."""
        models: Mapping[str, Mapping[str, Any]] = self.manifest["models"]
        return models

    @property
    def licence(self) -> str:
        """What base model and training data allow: one line, or one for each model."""
        said = {kind: _said(card.get("licence")) for kind, card in self.models.items()}
        if len(set(said.values())) == 1:
            return next(iter(said.values()))
        return "; ".join(f"{kind}: {licence}" for kind, licence in sorted(said.items()))

    @property
    def digest(self) -> str:
        """Twelve letters that change with any of the files: for a metric's signature."""
        sums = sorted((name, one["sha256"]) for name, one in self.manifest["files"].items())
        return hashlib.sha256(json.dumps(sums).encode()).hexdigest()[:12]

    def path(self, name: str) -> Path:
        """A file of the folder, which is the one the manifest speaks of."""
        place = self.folder / name
        if name not in self.manifest["files"]:
            raise ModelError(f"{place}: is not in the manifest; {self._remedy()}")
        _CHECKED.get(place.resolve(), lambda: self._check(name))
        return place

    def text(self, name: str) -> str:
        """A file as text: a model card."""
        try:
            return self.path(name).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ModelError(f"{self.folder / name}: is not UTF-8 ({error})") from None

    def values(self, name: str) -> Mapping[str, Any]:
        """A file as a JSON object: the calibration."""
        return _object(self.path(name), self.text(name))

    def _check(self, name: str) -> Path:
        place = self.folder / name
        expected = self.manifest["files"][name]
        digest = hashlib.sha256()
        size = 0
        try:
            with place.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    digest.update(block)
                    size += len(block)
        except OSError as error:
            problem = error.strerror or error
            raise ModelError(f"{place}: cannot be read ({problem}); {self._remedy()}") from None
        if size != expected["size"] or digest.hexdigest() != expected["sha256"]:
            raise ModelError(
                f"{place}: is not the file the manifest names ({size:,} bytes, sha256 "
                f"{digest.hexdigest()[:12]}…, where {expected['size']:,} bytes, "
                f"{expected['sha256'][:12]}… are expected); {self._remedy()}"
            )
        return place

    def _remedy(self) -> str:
        if self.folder.parent == _shipped():
            return "reinstall adequa: pip install --force-reinstall --no-deps adequa"
        return "export the weights again: adequa export"


def versions() -> tuple[str, ...]:
    """The weights that are in the package, the oldest first."""
    names = [path.parent.name for path in _shipped().glob("*/manifest.json")]
    return tuple(sorted(names, key=_natural))


def weights(name: str = DEFAULT) -> Weights:
    """Weights of the package by version, or of a folder by its path."""
    if name in versions():
        return _read(_shipped() / name)
    folder = Path(name)
    if folder.is_dir():
        return _read(folder)
    raise UnknownName("weights (and no folder of that name)", name, versions())


def licence_of(name: str = DEFAULT) -> str:
    """The licence of weights, which is not that of the code."""
    return weights(name).licence


def _shipped() -> Path:
    # The package is always installed as files (a wheel is unpacked), so this is a path on disk.
    return Path(str(files("adequa.models"))) / "weights"


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", name)]


def _read(folder: Path) -> Weights:
    place = folder / "manifest.json"
    try:
        manifest = _object(place, place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(
            f"{place}: cannot be read ({error}); give a folder that adequa export wrote"
        ) from None
    named, models = manifest.get("files"), manifest.get("models")
    if not (
        isinstance(manifest.get("version"), str)
        and isinstance(named, dict)
        and all(map(_is_file, named.values()))
        and isinstance(models, dict)
        and all(isinstance(card, dict) for card in models.values())
    ):
        raise ModelError(
            f"{place}: names no version, models and files with size and sha256; "
            "give a folder that adequa export wrote"
        )
    return Weights(folder, manifest)


def _said(value: object) -> str:
    """A licence, which may be told apart by base model and data, in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return "not stated" if value is None else str(value)


def _is_file(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("size"), int)
        and isinstance(value.get("sha256"), str)
    )


def _object(place: Path, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{place}: is no JSON ({error})") from None
    if not isinstance(value, dict):
        raise ModelError(f"{place}: is no JSON object")
    return value
