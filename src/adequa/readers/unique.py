"""A corpus names each text once: the check, in sixteen bytes an item."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from adequa.errors import DataError
from adequa.readers.base import Placed

__all__ = ["Seen", "unique"]


class Seen:
    """A set of 64-bit hashes in one flat array: a million cost 16 MB where a set costs 100.

    Two of n keys share a hash with probability n² / 2⁶⁵: one in a hundred thousand million for a
    million items.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 << 12))
        self._count = 0

    def add(self, key: object) -> bool:
        """Whether the key is new."""
        table = self._table
        mask = len(table) - 1
        value = hash(key) or 1  # 0 marks a free place
        slot = value & mask
        while found := table[slot]:
            if found == value:
                return False
            slot = (slot + 1) & mask
        table[slot] = value
        self._count += 1
        if self._count * 4 > len(table) * 3:
            self._grow()
        return True

    def __len__(self) -> int:
        return self._count

    def _grow(self) -> None:
        old = self._table
        self._table = array("q", bytes(16 * len(old)))
        table, mask = self._table, len(self._table) - 1
        for value in old:
            if value:
                slot = value & mask
                while table[slot]:
                    slot = (slot + 1) & mask
                table[slot] = value


def unique(placed: Iterable[Placed]) -> Iterator[Placed]:
    """The same items; the second of one (system, id) is a DataError at its place."""
    seen = Seen()
    for place in placed:
        if not seen.add(place.item.key):
            system, identifier = place.item.key
            of = f" of system {system!r}" if system else ""
            raise DataError(
                f"the id {identifier!r}{of} was used before",
                path=place.path,
                line=place.line,
                remedy="an id names one text of a system: number them",
            )
        yield place
