"""A text file with one linearised graph a line, as WebNLG 2017 gave its sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from adequa.data import Item
from adequa.errors import DataError
from adequa.readers.base import Placed, Reader, lines
from adequa.readers.linearised import parse_triples

__all__ = ["LinesReader"]


@dataclass(frozen=True)
class LinesReader(Reader):
    """Reads the triples of each line; the id is the number of the line, and a text there is not."""

    name: ClassVar[str] = "lines"
    doc: ClassVar[str] = "one graph a line (s | p | o <br> …, [S] … [P] … [O] …), for --texts"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
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
            yield Placed(Item(str(number), triples, ""), path, number)
