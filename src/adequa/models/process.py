"""What is loaded once in a process, by whichever thread needs it first."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["PerProcess"]

Value = TypeVar("Value")


class PerProcess(Generic[Value]):
    """Values by key, each made once; a forked child starts with none of them, or with all.

    What owns threads cannot be used in a child, and what is merely memory can.
    """

    def __init__(self, *, inherited: bool) -> None:
        self._inherited = inherited
        self._left: list[dict[Hashable, Value]] = []
        self._made: dict[Hashable, Value] = {}
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
            os.register_at_fork(after_in_child=self._start_child)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; threads that want the same one wait for it."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _start_child(self) -> None:
        self._lock = threading.Lock()  # another thread of the parent may have held the old one
        if not self._inherited:
            # Kept all the same: what is freed would wait for its threads, which are not there.
            self._left.append(self._made)
            self._made = {}
