"""JSON lines in the Item contract: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from adequa.codec import item_from_object
from adequa.data import Item
from adequa.errors import DataError
from adequa.files import lines
from adequa.readers.base import PlacedItem, Reader
from adequa.strict_json import load_object
from adequa.text.linearised import parse_triples


@dataclass(frozen=True)
class JsonlReader(Reader):
    """Reads the Item contract from JSON lines; blank lines are passed over."""

    name: ClassVar[str] = "jsonl"
    doc: ClassVar[str] = "JSON lines in the Item contract"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; every complaint names its line."""
        for number, line in lines(path):
            if not line or line.isspace():
                continue
            try:
                item = item_from_object(load_object(line), bare=bare)
            except DataError as error:
                raise error.at(path, number) from None
            yield PlacedItem(item, path, number)


# ---
# A text file with one linearised graph a line, as WebNLG 2017 gave its sample.
# ---


@dataclass(frozen=True)
class LinesReader(Reader):
    """Reads the triples of each line; the id is the number of the line, and a text there is not."""

    name: ClassVar[str] = "lines"
    doc: ClassVar[str] = "one graph a line (s | p | o <br> …, [S] … [P] … [O] …), for --texts"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; a blank line is an error, since the texts are counted by line."""
        if not bare:
            raise DataError(
                "has graphs but no texts",
                path=path,
                remedy="give the texts, a line each: --texts SYSTEM=FILE",
            )
        for number, line in lines(path):
            try:
                triples = parse_triples(line)
            except DataError as error:
                raise error.at(path, number) from None
            yield PlacedItem(Item(str(number), triples, ""), path, number)
