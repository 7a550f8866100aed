"""Bodies are read within bounds of size and time, and parsed strictly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from adequa.web.bodies import FORM, Bodies, parse_form, parse_json
from adequa.web.errors import Refusal
from adequa.web.limits import CampaignLimits


def read(chunks: list[bytes], declared: str | None, wait: float = 0.0) -> Any:
    """The fields of a form that arrives in chunks."""
    left = list(chunks)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(wait)
        body = left.pop(0) if left else b""
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    headers = [(b"content-type", FORM.encode())]
    headers += [] if declared is None else [(b"content-length", declared.encode())]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    bodies = Bodies.of_campaign(CampaignLimits(body_bytes=10, body_seconds=0.1))
    try:
        return asyncio.run(bodies.form(request))
    finally:
        assert bodies.held == 0


def test_a_body_within_the_limits_is_read() -> None:
    assert read([b"a=345", b"&b=90"], "10") == {"a": ["345"], "b": ["90"]}
    assert read([], None) == {}


@pytest.mark.parametrize(
    ("chunks", "declared", "status"),
    [
        ([b"1"], "11", 413),
        ([b"1"], "-1", 400),
        ([b"1"], "x", 400),
        ([b"123456"] * 2, None, 413),
    ],
)
def test_a_body_that_is_too_large_is_refused(
    chunks: list[bytes], declared: str | None, status: int
) -> None:
    with pytest.raises(Refusal) as refused:
        read(chunks, declared)
    assert refused.value.status == status


def test_a_body_that_arrives_too_slowly_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        read([b"1"] * 3, "3", wait=1.0)
    assert refused.value.status == 408


@pytest.mark.parametrize("body", [b"\xff", b"a=%ff", b"&".join([b"a=1"] * 6000), b"a"])
def test_unreadable_forms_are_refused(body: bytes) -> None:
    with pytest.raises(Refusal):
        parse_form(body)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 200_000, b"1"])
def test_unreadable_objects_are_refused(body: bytes) -> None:
    with pytest.raises(Refusal):
        parse_json(body)
