"""Some lines of a long file, without reading those before them each time."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from pathlib import Path

__all__ = ["Lines"]


class Lines:
    """Remembers where the lines of the files last asked for begin; safe from any thread."""

    def __init__(self, most_files: int = 8) -> None:
        self._known: OrderedDict[tuple[str, int, int], array[int]] = OrderedDict()
        self._lock = threading.Lock()
        self._most = most_files

    def page(self, path: Path, offset: int, limit: int) -> tuple[int, list[bytes]]:
        """How many lines there are, and some of them without their line ends."""
        starts = self._starts(path)
        total = len(starts) - 1
        first, last = min(offset, total), min(offset + limit, total)
        if first == last:
            return total, []
        with path.open("rb") as stream:
            stream.seek(starts[first])
            block = stream.read(starts[last] - starts[first])
        return total, block.removesuffix(b"\n").split(b"\n")

    def _starts(self, path: Path) -> array[int]:
        status = path.stat()
        key = (str(path), status.st_size, status.st_mtime_ns)
        with self._lock:
            if key not in self._known:
                self._known[key] = _starts_of(path)
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
            return self._known[key]


def _starts_of(path: Path) -> array[int]:
    starts = array("Q", [0])
    with path.open("rb") as stream:
        for line in stream:
            starts.append(starts[-1] + len(line))
    return starts
