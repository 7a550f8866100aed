"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The research data; tests that need it skip where it is not."""
    folder = Path(os.environ.get("ADEQUA_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "README.md").is_file():
        pytest.skip(f"the research data is not at {folder}; set ADEQUA_DATA to run this test")
    return folder
