"""A cache with a bound in bytes: the values used last are kept, the oldest are dropped.

`functools.lru_cache` bounds the number of entries, which says nothing about memory when one value
may be a thousand times larger than another. Use it for small values; use `Cache` or `cached` for
graphs, judgments, vectors and other values whose size depends on the input.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import partial, update_wrapper
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar, cast

V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])

MEGABYTE = 1 << 20
_ENTRY = 200
"""Bytes of an entry beside its key and value: the links of the ordered dictionary."""
_size = sys.getsizeof
_EMPTY = _size("")
_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType)
"""Classes, modules and functions exist once whether or not a cached value refers to them."""


class Cache(Generic[V]):
    """Values by key, at most `max_bytes` of them; safe to use from several threads.

    `size_of` measures a value when it is stored, and the letters of its key are added: a graph of
    two facts may have a value of a megabyte. With `key_in_value` they are not, because `size_of`
    counts them. Without `size_of` key and value are measured by `deep_size`, which is slow for
    large values. A value larger than the bound is not kept.
    Copies and pickles of a cache are empty, so that a worker process starts with its own.
    """

    def __init__(
        self,
        max_bytes: int,
        size_of: Callable[[Any], int] | None = None,
        *,
        key_in_value: bool = False,
    ) -> None:
        self.max_bytes = max_bytes
        self._size_of = size_of
        self._key_in_value = key_in_value
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.bytes = 0
        """The bytes held now, as `size_of` counts them."""

    def get(self, key: Hashable) -> V | None:
        """The value of a key, or None; a value that is read counts as used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: V, size: int | None = None) -> V:
        """Store a value, drop the oldest ones beyond the bound, and return the value.

        `size` is that of key and value, where the caller knows it.
        """
        if size is not None:
            size += _ENTRY
        elif self._size_of is None:
            size = _ENTRY + deep_size((key, value))
        else:
            size = _ENTRY + self._size_of(value)
            if not self._key_in_value:
                size += _letter_bytes(key)
        with self._lock:
            known = self._entries.pop(key, None)
            if known is not None:
                self.bytes -= known[1]
            if size <= self.max_bytes:
                self._entries[key] = value, size
                self.bytes += size
            while self.bytes > self.max_bytes:
                self.bytes -= self._entries.popitem(last=False)[1][1]
        return value

    def get_or_make(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of a key, made and stored if it is not there.

        `make` runs without the lock: two threads may make the same value, and the later one stays.
        """
        value = self.get(key)
        return self.put(key, make()) if value is None else value

    def clear(self) -> None:
        """Drop every value."""
        with self._lock:
            self._entries.clear()
            self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(type(self), key_in_value=self._key_in_value)
        return make, (self.max_bytes, self._size_of)


def cached(
    max_bytes: int, size_of: Callable[[Any], int] | None = None, *, key_in_value: bool = False
) -> Callable[[F], F]:
    """Decorate a function so that its results are kept in a `Cache`, by its arguments.

    The cache is the attribute `cache` of the function. A result of None is not kept.
    """

    def decorate(function: F) -> F:
        cache: Cache[Any] = Cache(max_bytes, size_of, key_in_value=key_in_value)

        def remembering(*args: Any, **options: Any) -> Any:
            key = (*args, *sorted(options.items())) if options else args
            value = cache.get(key)
            return cache.put(key, function(*args, **options)) if value is None else value

        update_wrapper(remembering, function)
        remembering.cache = cache  # type: ignore[attr-defined]
        return cast(F, remembering)

    return decorate


def _letter_bytes(key: Hashable) -> int:
    """The bytes of the letters of all strings in a key, at any depth of its tuples."""
    total, waiting = 0, [key]
    for one in waiting:  # which grows meanwhile
        if type(one) is str:
            total += _size(one) - _EMPTY
        elif isinstance(one, tuple):
            waiting += one
    return total


def deep_size(value: Any) -> int:
    """The bytes of a value and of everything it refers to, each object counted once.

    >>> deep_size(["adequa" * 1000]) > 6000
    True
    """
    seen: set[int] = set()
    waiting = [value]
    total = 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, _SHARED):
            continue
        seen.add(id(one))
        # A view of an array has no bytes of its own; `nbytes` counts what it shows.
        total += max(sys.getsizeof(one), getattr(one, "nbytes", 0))
        if isinstance(one, str | bytes | bytearray | int | float):
            continue
        if isinstance(one, Mapping):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        waiting += getattr(one, "__dict__", {}).values()
        for kind in type(one).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(one, name):
                    waiting.append(getattr(one, name))
    return total
