"""The weights in the package, in packages of their own, and folders that `adequa export` writes.

A folder holds `encoder.onnx`, `verifier.onnx`, `words.npz`, `vocabulary.txt`, `calibration.json`, a
card for each model (`encoder.md`), and `manifest.json`: `version`, `files` by name with `size` and
`sha256`, and the cards as data in `models`. A file is verified once per process, before its use.

A package of weights names its folder by an entry point of the group `adequa.weights`: the name of
the weights, and the module whose files they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from adequa.errors import ModelError, UnknownName
from adequa.models.runtime import Network, PerProcess, WordTable
from adequa.models.wordpiece import WordPiece

DEFAULT = "v3"
"""The default weights; a new default is a new version of adequa."""

OPEN = "open"
"""The weights that may be used commercially, a package beside this one."""

ENVIRONMENT = "ADEQUA_WEIGHTS"
"""The variable that names other weights for all metrics at once."""

ENTRY_POINT_GROUP = "adequa.weights"

_VERIFIED: PerProcess[Path] = PerProcess(inherited=True)
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Weights:
    """A folder of weights and its manifest."""

    folder: Path
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def version(self) -> str:
        """The version in the manifest."""
        return str(self.manifest["version"])

    @property
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """The card of each model as data, by the model's kind."""
        models: Mapping[str, Mapping[str, Any]] = self.manifest["models"]
        return models

    @property
    def licence(self) -> str:
        """The licence of base model and training data, for all models or for each."""
        licences = {kind: _one_line(card.get("licence")) for kind, card in self.models.items()}
        if len({*licences.values()}) == 1:
            return next(iter(licences.values()))
        return "; ".join(f"{kind}: {licence}" for kind, licence in sorted(licences.items()))

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with any of the files, for signatures."""
        sums = sorted((name, one["sha256"]) for name, one in self.manifest["files"].items())
        return hashlib.sha256(json.dumps(sums).encode()).hexdigest()[:12]

    def path(self, name: str) -> Path:
        """The path of a file, verified against the manifest."""
        place = self.folder / name
        if name not in self.manifest["files"]:
            raise ModelError(f"{place}: is not in the manifest; {self._remedy()}")
        _VERIFIED.get(place.resolve(), lambda: self._verify(name))
        return place

    def text(self, name: str) -> str:
        """A file as text: a model card."""
        try:
            return self.path(name).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ModelError(f"{self.folder / name}: is not UTF-8 ({error})") from None

    def values(self, name: str) -> Mapping[str, Any]:
        """A file as a JSON object: the calibration."""
        return parse_object(self.path(name), self.text(name))

    def _verify(self, name: str) -> Path:
        place = self.folder / name
        expected = self.manifest["files"][name]
        digest = hashlib.sha256()
        try:
            with place.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    digest.update(block)
                size = stream.tell()
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
            return "install adequa again: its files have changed"
        return "export the weights again: adequa export"


def chosen_weights() -> str:
    """The weights that are used where none are named: `$ADEQUA_WEIGHTS`, or the default."""
    return os.environ.get(ENVIRONMENT) or DEFAULT


def versions() -> tuple[str, ...]:
    """The names of all installed weights: those of adequa, then those of other packages."""
    return (*_own_versions(), *sorted(_installed()))


def weights(name: str = DEFAULT) -> Weights:
    """The weights of a version in the package, of another package, or of a folder."""
    if name in _own_versions():
        return _read(_shipped() / name)
    if name in _installed():
        return _read(_installed()[name])
    folder = Path(name)
    if folder.is_dir():
        return _read(folder)
    if name == OPEN:
        raise ModelError(
            f"the weights {name!r} are a package of their own, which is not installed: "
            "pip install ./weights-open, in a checkout of adequa"
        )
    raise UnknownName("weights (and no folder of that name)", name, versions())


def _own_versions() -> tuple[str, ...]:
    """The versions in the package, the oldest first."""
    names = [path.parent.name for path in _shipped().glob("*/manifest.json")]
    return tuple(sorted(names, key=_natural))


@cache
def _installed() -> Mapping[str, Path]:
    """The folders of weights that other packages bring; they cannot replace adequa's own."""
    from importlib.metadata import entry_points  # slow to import, and few calls need it

    points = entry_points(group=ENTRY_POINT_GROUP)
    return {one.name: Path(str(files(one.value))) for one in points}


def licence_of(name: str = DEFAULT) -> str:
    """The licence of weights, which differs from that of the code."""
    return weights(name).licence


def _shipped() -> Path:
    # The package is always installed as files (a wheel is unpacked), so this is a path on disk.
    return Path(str(files("adequa.models"))) / "weights"


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", name)]


def _read(folder: Path) -> Weights:
    place = folder / "manifest.json"
    try:
        manifest = parse_object(place, place.read_text(encoding="utf-8"))
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


def _one_line(value: object) -> str:
    """A licence, possibly by base model and data, in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_one_line(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_one_line, value))
    return "not stated" if value is None else str(value)


def _is_file(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("size"), int)
        and isinstance(value.get("sha256"), str)
    )


def parse_object(place: Path, text: str | bytes) -> dict[str, Any]:
    """The JSON object of a model's file; errors name `place`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{place}: is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise ModelError(f"{place}: is not a JSON object")
    return value


def open_network(
    name: str, model: str, outputs: tuple[str, ...], *, threads: int, typed: bool = False
) -> tuple[WordPiece, Network]:
    """The tokenizer and the network of a model of some weights; it is loaded at its first run."""
    folder = weights(name)
    reader = WordPiece.read(folder.path("vocabulary.txt"))
    table = WordTable.read(folder.path("words.npz"))
    path = folder.path(f"{model}.onnx")
    return reader, Network(path, table, outputs, typed=typed, pad=reader.pad, threads=threads)
