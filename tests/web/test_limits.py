"""Token buckets fill steadily in bounded memory; bodies are read in bounds and parsed strictly."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import pytest
from starlette.requests import Request

from adequa.web.errors import Refusal
from adequa.web.limits import (
    FORM,
    JSON,
    Bodies,
    CampaignLimits,
    Rate,
    RequestLimits,
    Throttle,
    parse_form,
    parse_json,
    parse_json_value,
)


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
    bodies = Bodies(CampaignLimits(max_body=10, body_seconds=0.1))
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


def test_names_and_values_are_counted_before_they_are_parsed() -> None:
    limits = RequestLimits(max_keys=3, max_values=5)
    assert parse_json(b'{"a": [1, 2], "b": {}}', limits) == {"a": [1, 2], "b": {}}
    for body, code in (
        (b'{"a": 1, "b": 2, "c": 3, "d": 4}', "too_many_names"),
        (b'{"a": [1, 2, 3, 4, 5]}', "too_many_values"),
        (b'{"a": [[], [], []', "too_many_values"),
    ):
        with pytest.raises(Refusal) as refused:
            parse_json(body, limits)
        assert (refused.value.status, refused.value.code) == (413, code)


def test_many_names_are_compared_in_linear_time() -> None:
    names = [f"k{number}" for number in range(60_000)]
    body = "{" + ", ".join(f'"{name}": 1' for name in [*names, "k59999"]) + "}"
    started = time.process_time()
    with pytest.raises(Refusal, match="k59999"):
        parse_json(body.encode(), RequestLimits(max_values=10**6))
    # Comparing each with each took minutes.
    assert time.process_time() - started < 10


def test_long_integers_are_refused_before_they_are_converted() -> None:
    assert parse_json_value(b"[" + b"9" * 300 + b"]")
    with pytest.raises(Refusal, match="300 digits"):
        parse_json_value(b"[" + b"9" * 301 + b"]")


def test_a_value_that_is_not_an_object_is_not_deep() -> None:
    assert parse_json_value(b'"a"') == "a"
    with pytest.raises(Refusal, match="levels deep"):
        parse_json_value(b"[" * 40 + b"]" * 40)


def _request(body: bytes, kind: str) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", kind.encode())]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


@pytest.mark.parametrize("kind", [JSON, FORM])
def test_the_event_loop_goes_on_while_a_body_is_parsed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser waits for something that only the event loop can do."""
    going_on = threading.Event()

    def parse(*_args: Any, **_options: Any) -> dict[str, Any]:
        assert going_on.wait(20), "the event loop stood still"
        return {"a": threading.current_thread().name}

    monkeypatch.setattr("adequa.web.limits.parse_json", parse)
    monkeypatch.setattr("adequa.web.limits.parse_form", parse)
    bodies = Bodies(RequestLimits())
    body = b"{}" if kind == JSON else b"a=1"

    async def both() -> Any:
        request = _request(body, kind)
        reading: Any = bodies.json(request, dict) if kind == JSON else bodies.form(request)
        task = asyncio.ensure_future(reading)
        while not bodies.held:
            await asyncio.sleep(0)
        going_on.set()
        return await task

    assert "parse" in asyncio.run(both())["a"]
    assert bodies.held == 0


def test_bodies_count_as_held_until_they_are_parsed() -> None:
    bodies = Bodies(RequestLimits(bodies=30))
    body = json.dumps({"a": "x" * 10}).encode()
    release = threading.Event()

    def slowly(raw: dict[str, Any]) -> dict[str, Any]:
        release.wait(20)
        return raw

    async def three() -> list[Any]:
        def reading() -> Any:
            return bodies.json(_request(body, JSON), slowly)

        first = asyncio.ensure_future(reading())
        while not bodies.held:
            await asyncio.sleep(0)
        second = await asyncio.gather(reading(), return_exceptions=True)
        release.set()
        return [await first, *second]

    first, second = asyncio.run(three())
    assert first["a"]
    assert (second.status, second.code) == (503, "busy")
