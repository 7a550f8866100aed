"""Requests of other sites are distinguished from those of our own pages."""

from __future__ import annotations

import pytest

from adequa.web.security import is_own_origin


@pytest.mark.parametrize(
    ("headers", "is_own"),
    [
        ({}, True),
        ({"origin": "http://here:8000"}, True),
        ({"origin": "https://study.org"}, True),
        ({"origin": "null"}, True),
        ({"origin": "null", "sec-fetch-site": "same-origin"}, True),
        ({"origin": "null", "sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "http://here:8001"}, False),
        ({"origin": "http://here.evil.org:8000"}, False),
        ({"origin": ""}, False),
    ],
)
def test_origins(headers: dict[str, str], is_own: bool) -> None:
    assert is_own_origin({"host": "here:8000", **headers}, "https://study.org/x") is is_own
