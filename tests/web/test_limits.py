"""Token buckets fill steadily, and their memory is bounded."""

from __future__ import annotations

import pytest

from adequa.web.errors import Refusal
from adequa.web.limits import Rate, Throttle


def test_a_bucket_lets_a_burst_through_and_then_one_at_a_time() -> None:
    now = 0.0
    throttle = Throttle(Rate(3, 0.5), clock=lambda: now)
    for _ in range(3):
        throttle.allow("a")
    with pytest.raises(Refusal) as refused:
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
