"""The contents of a wheel: sample and weights, each with a licence of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adequa.models.shipped import versions, weights

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = "adequa/models/weights"
LICENCES = {"LICENSE", "src/adequa/sample/LICENSE"}


@pytest.fixture(scope="module")
def builder() -> Any:
    module = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    return module.WheelBuilder(str(ROOT))


@pytest.fixture(scope="module")
def files(builder: Any) -> set[str]:
    """The paths in the wheel, without building it."""
    return {Path(one.distribution_path).as_posix() for one in builder.recurse_included_files()}


def test_the_package_the_sample_and_its_licences(builder: Any, files: set[str]) -> None:
    assert {"adequa/__init__.py", "adequa/sample/items.jsonl", "adequa/py.typed"} <= files
    assert set(builder.metadata.core.license_files) >= LICENCES
    assert not [name for name in files if not name.startswith("adequa/")]


def test_the_weights_and_their_licence(builder: Any, files: set[str]) -> None:
    assert versions()
    assert f"{WEIGHTS}/LICENSE.md" in files
    for version in versions():
        named = weights(version).manifest["files"]
        assert {f"{WEIGHTS}/{version}/{name}" for name in (*named, "manifest.json")} <= files
    assert f"src/{WEIGHTS}/LICENSE.md" in builder.metadata.core.license_files
    assert "CC-BY-NC-SA-4.0" in builder.metadata.core.license_expression
    assert "MIT" in builder.metadata.core.license_expression


def test_the_licence_of_the_weights_is_shown() -> None:
    said = (ROOT / "src" / WEIGHTS / "LICENSE.md").read_text(encoding="utf-8")
    for name in ("CC BY-NC-SA 4.0", "Apache-2.0", "WebNLG", "DART", "MIT"):
        assert name in said
    assert "SPDX-License-Identifier: CC-BY-NC-SA-4.0" in said
