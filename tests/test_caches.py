"""Tests for the cache with a bound in bytes."""

from __future__ import annotations

import pickle
import threading
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adequa.caches import Cache, cached, deep_size


def _sized(most: int) -> Cache[str]:
    return Cache(most, lambda value: len(value) if isinstance(value, str) else 0)


def test_get_returns_what_was_put() -> None:
    cache = _sized(1000)
    assert cache.get("a") is None
    assert cache.put("a", "value") == "value"
    assert cache.get("a") == "value"
    assert "a" in cache
    assert len(cache) == 1


def test_oldest_value_is_dropped_first() -> None:
    cache = _sized(1000)
    for key in ("a", "b", "c"):
        cache.put(key, "x" * 100)
    cache.get("a")
    cache.put("d", "x" * 100)
    assert [key in cache for key in ("a", "b", "c", "d")] == [True, False, True, True]


def test_value_larger_than_the_bound_is_not_kept() -> None:
    cache = _sized(1000)
    cache.put("a", "small")
    assert cache.put("a", "x" * 2000) == "x" * 2000
    assert len(cache) == 0
    assert cache.bytes == 0


def test_a_size_that_the_caller_knows_counts() -> None:
    cache = _sized(1000)
    cache.put("a", "small", size=2000)
    assert len(cache) == 0
    cache.put("a", "small", size=500)
    assert cache.bytes >= 500


def test_clear_empties_the_cache() -> None:
    cache = _sized(1000)
    cache.put("a", "value")
    cache.clear()
    assert len(cache) == 0
    assert cache.bytes == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 700))))
def test_bytes_stay_within_the_bound_and_add_up(steps: list[tuple[int, int]]) -> None:
    cache = _sized(1500)
    for key, size in steps:
        cache.put(key, "x" * size)
        assert 0 <= cache.bytes <= cache.max_bytes
        assert bool(cache.bytes) == bool(len(cache))


def test_get_or_make_makes_once() -> None:
    cache: Cache[list[int]] = Cache(10_000)
    first = cache.get_or_make(1, lambda: [1])
    assert cache.get_or_make(1, lambda: [2]) is first


def test_cached_function_runs_once_per_arguments() -> None:
    calls: list[tuple[int, int]] = []

    @cached(10_000)
    def add(one: int, other: int = 0) -> int:
        """Add."""
        calls.append((one, other))
        return one + other

    assert [add(1), add(1), add(1, other=2), add(1, other=2)] == [1, 1, 3, 3]
    assert calls == [(1, 0), (1, 2)]
    assert add.__name__ == "add"


def test_letters_of_a_key_are_counted_unless_the_value_has_them() -> None:
    plain: Cache[int] = Cache(10_000, size_of=lambda _: 100)
    within: Cache[int] = Cache(10_000, size_of=lambda _: 100, key_in_value=True)
    for cache in (plain, within):
        cache.put(("a" * 1000, (("b" * 500,),)), 1)
    assert plain.bytes == within.bytes + 1500
    copy = pickle.loads(pickle.dumps(Cache(10_000, size_of=len, key_in_value=True)))
    copy.put("a" * 5000, "b")
    assert copy.bytes < 1000


def test_pickle_of_a_cache_is_empty() -> None:
    cache: Cache[str] = Cache(10_000)
    cache.put("a", "value")
    copy = pickle.loads(pickle.dumps(cache))
    assert len(copy) == 0
    assert copy.max_bytes == 10_000
    assert copy.put("b", "x") == "x"


def test_threads_may_share_a_cache() -> None:
    cache = _sized(2000)

    def work(start: int) -> None:
        for number in range(start, start + 500):
            cache.get_or_make(number % 20, lambda: "x" * 50)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0 < cache.bytes <= 2000


class _Pair(NamedTuple):
    name: str
    rest: tuple[int, ...]


class _Slotted:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def test_the_letters_of_keys_count() -> None:
    """A graph of two facts is small, whatever the length of their values."""
    cache: Cache[int] = Cache(10_000, lambda _: 100)
    for number in range(50):
        cache.put((((str(number), "text", "x" * 2_000),), "é" * 100), number)
        assert cache.bytes <= 10_000
    assert 3 <= len(cache) <= 4


def test_deep_size_counts_what_an_object_refers_to() -> None:
    text = "x" * 5000
    assert deep_size(_Pair(text, (1, 2))) > 5000
    assert deep_size(_Slotted(text)) > 5000
    assert deep_size({"key": [text]}) > 5000
    assert deep_size(np.zeros(1000)[:500]) >= 4000


def test_deep_size_counts_an_object_once() -> None:
    text = "x" * 5000
    assert deep_size([text, text]) < 6000
    circle: list[object] = []
    circle.append(circle)
    assert deep_size(circle) < 1000
