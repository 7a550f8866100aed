"""Files with one item per line: JSON lines, and linearised graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from adequa.codec import item_from_object
from adequa.data import Item
from adequa.errors import DataError
from adequa.files import lines, load_object
from adequa.readers.base import PlacedItem, Reader, place_items
from adequa.text.linearised import parse_triples


@dataclass(frozen=True)
class JsonlReader(Reader):
    """Reads the Item contract from JSON lines; skips blank lines."""

    name: ClassVar[str] = "jsonl"
    doc: ClassVar[str] = "JSON lines in the Item contract"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; every error names its line."""
        filled = (row for row in lines(path) if row[1] and not row[1].isspace())
        return place_items(
            path, filled, lambda _, line: item_from_object(load_object(line), bare=bare)
        )


@dataclass(frozen=True)
class LinesReader(Reader):
    """Reads the triples of each line, without a text; the id is the number of the line.

    WebNLG 2017 published the sample of its human evaluation in this form.
    """

    name: ClassVar[str] = "lines"
    doc: ClassVar[str] = "one graph per line (s | p | o <br> …, [S] … [P] … [O] …), for --texts"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; a blank line is an error, since texts are aligned by line."""
        if not bare:
            remedy = "give the texts, one per line: --texts SYSTEM=FILE"
            raise DataError("has graphs but no texts", path=path, remedy=remedy)
        return place_items(
            path, lines(path), lambda number, line: Item(str(number), parse_triples(line), "")
        )
