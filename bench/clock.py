"""Times that can be compared: alternating, best of several, in one process."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["best_of", "ratio"]


def best_of(work: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs in seconds, since the others were disturbed."""
    return min(_seconds(work) for _ in range(repeats))


def ratio(
    ours: Callable[[], object], bare: Callable[[], object], repeats: int = 7
) -> tuple[float, float]:
    """The best time of each, measured in turns so that other load affects both."""
    pairs = [(_seconds(ours), _seconds(bare)) for _ in range(repeats)]
    return min(mine for mine, _ in pairs), min(theirs for _, theirs in pairs)


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
