"""The pytest plug-in with the fixture `assert_adequate`; it loads adequa only when used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def assert_adequate() -> Callable[..., Any]:
    """Fail the test unless a text says all and only what its triples say."""
    from adequa.testing import assert_adequate

    return assert_adequate
