"""Buckets fill steadily, and bodies end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from adequa.web.limits import CampaignRefusal, Rate, RateLimits, Throttle, read_body


def test_a_bucket_lets_a_burst_through_and_then_one_at_a_time() -> None:
    now = 0.0
    throttle = Throttle(Rate(3, 0.5), clock=lambda: now)
    for _ in range(3):
        throttle.allow("a")
    with pytest.raises(CampaignRefusal) as refused:
        throttle.allow("a")
    assert (refused.value.status, refused.value.wait) == (429, 2)
    throttle.allow("b")
    now = 2.0
    throttle.allow("a")
    assert throttle.wait("a") == pytest.approx(2)
    now = 1000.0
    for _ in range(3):
        throttle.allow("a")
    assert throttle.wait("a") > 0


def test_keys_are_forgotten_before_they_fill_the_memory() -> None:
    throttle = Throttle(Rate(1, 1), most_keys=10)
    for key in range(1000):
        throttle.take(key)
    assert len(throttle._buckets) == 10


def body(chunks: list[bytes], declared: str | None, wait: float = 0.0) -> bytes:
    async def stream() -> AsyncIterator[bytes]:
        for chunk in chunks:
            await asyncio.sleep(wait)
            yield chunk

    limits = RateLimits(body_bytes=10, body_seconds=0.1)
    return asyncio.run(read_body(stream(), declared, limits))


def test_bodies_end() -> None:
    assert body([b"12345", b"67890"], "10") == b"1234567890"
    assert body([], None) == b""
    for chunks, declared in (
        ([b"1"], "11"),
        ([b"1"], "-1"),
        ([b"1"], "x"),
        ([b"123456"] * 2, None),
    ):
        with pytest.raises(CampaignRefusal) as refused:
            body(chunks, declared)
        assert refused.value.status == 413
    with pytest.raises(CampaignRefusal) as refused:
        body([b"1"] * 3, "3", wait=1.0)
    assert refused.value.status == 408
