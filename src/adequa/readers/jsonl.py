"""JSON lines in the Item contract: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from adequa.codec import item_from_object, load_object
from adequa.errors import DataError
from adequa.readers.base import Placed, Reader, lines

__all__ = ["JsonlReader"]


@dataclass(frozen=True)
class JsonlReader(Reader):
    """Reads the Item contract from JSON lines; blank lines are passed over."""

    name: ClassVar[str] = "jsonl"
    doc: ClassVar[str] = "JSON lines in the Item contract"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
        """Stream the items; every complaint names its line."""
        for number, line in lines(path):
            if not line or line.isspace():
                continue
            try:
                item = item_from_object(load_object(line), bare=bare)
            except DataError as error:
                raise error.at(path, number) from None
            yield Placed(item, path, number)
